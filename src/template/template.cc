#include "template/template.h"

#include <algorithm>
#include <utility>

#include "template/budget.h"
#include "template/evaluate.h"
#include "template/parse.h"
#include "template/value_text.h"

namespace clusterc {
namespace {

using Value = TemplateValue;

// What `loop` is in a loop.
class Loop : public TemplateObject {
 public:
  Loop(std::size_t place, std::size_t size) : place_(place), size_(size) {}
  std::size_t size() const override { return std::size(kKeys); }
  std::string key(std::size_t i) const override { return std::string(kKeys[i]); }
  bool fixed_keys() const override { return true; }
  Value item(std::size_t i) const override {
    switch (i) {
      case 0:
        return Value::of(static_cast<std::int64_t>(place_ + 1));
      case 1:
        return Value::of(static_cast<std::int64_t>(place_));
      case 2:
        return Value::of(place_ == 0);
      case 3:
        return Value::of(place_ + 1 == size_);
      default:
        return Value::of(static_cast<std::int64_t>(size_));
    }
  }

 private:
  static constexpr std::string_view kKeys[] = {"index", "index0", "first", "last", "length"};
  std::size_t place_, size_;
};

class Renderer {
 public:
  Renderer(const TemplateMap& names, const Template::Include& include, std::string& out, const TemplateLimits& limits)
      : include_(include), out_(out), budget_(out, limits), values_(names, budget_) {}

  void block(const TemplateBlock& b) {
    for (const TemplateNode& node : b.nodes) this->node(node);
  }

  std::function<const TemplateBlock&(const Template&)> block_of;

 private:
  void node(const TemplateNode& n);
  void value(const TemplateNode& n);
  void loop(const TemplateNode& n);
  void include(const TemplateNode& n);

  void append(std::string_view text, SourceSpan at) {
    budget_.check_room(text.size(), at, "look for loops in loops over many nodes");
    out_ += text;
  }

  const Template::Include& include_;
  std::string& out_;
  TemplateBudget budget_;
  TemplateEvaluator values_;
  int depth_ = 0;
};

void Renderer::node(const TemplateNode& n) {
  budget_.step(n.span);
  switch (n.kind) {
    case TemplateNode::Kind::text:
      return append(n.text, n.span);
    case TemplateNode::Kind::value:
      return value(n);
    case TemplateNode::Kind::branch:
      for (std::size_t i = 0; i < n.parts.size(); ++i)
        if (i >= n.tests.size() || values_.truth(*n.tests[i])) return block(n.parts[i]);
      return;
    case TemplateNode::Kind::loop:
      return loop(n);
    case TemplateNode::Kind::include:
      return include(n);
  }
}

void Renderer::value(const TemplateNode& n) {
  const Value v = values_.present(*n.expression);
  if (!is_scalar(v))
    fail_template(n.span, "this is " + std::string(word_of(v.kind)) + ", and no text",
                  v.kind == Value::Kind::list
                      ? "| join(\",\") makes one text of it, | tojson a list in brackets"
                      : "| tojson writes it as one; {% for key, value in … | items %} goes through it");
  if (!may_stand(v))
    fail_unquoted(n.span, v.text,
                  "| tojson (JSON, YAML and most others), | quote (a word for a shell); | safe where the file takes it "
                  "as it is");
  append(text_of(v), n.span);
}

void Renderer::include(const TemplateNode& n) {
  const Template* other = include_ ? include_(n.text) : nullptr;
  if (!other)
    fail_template(n.span, "there is no file '" + shortened(n.text) + "' in the folder of templates",
                  "name it as seen from that folder");
  budget_.check_include_depth(++depth_, n.span);
  try {
    block(block_of(*other));
  } catch (TemplateProblem& p) {
    p.through.push_back(n.span);
    throw;
  }
  --depth_;
}

void Renderer::loop(const TemplateNode& n) {
  const Value over = values_.present(*n.expression);
  if (over.kind == Value::Kind::map)
    fail_template(n.expression->span, "this is a map", "{% for key, value in … | items %} goes through it");
  if (over.kind != Value::Kind::list)
    fail_template(n.expression->span, "this is " + std::string(word_of(over.kind)) + ", and no list");
  const std::size_t size = over.object->size();
  if (size == 0 && n.parts.size() > 1) return block(n.parts[1]);
  const std::size_t before = values_.locals();
  for (std::size_t i = 0; i < size; ++i) {
    budget_.step(n.span);
    Value item = over.object->item(i);
    if (n.second.empty()) {
      values_.add_local(n.first, std::move(item));
    } else {
      if (item.kind != Value::Kind::list || item.object->size() != 2)
        fail_template(n.expression->span, "the loop has two names, and its items are no pairs",
                      "{% for key, value in … | items %} goes through a map");
      values_.add_local(n.first, item.object->item(0));
      values_.add_local(n.second, item.object->item(1));
    }
    values_.add_local("loop", Value::map(std::make_shared<Loop>(i, size)));
    block(n.parts[0]);
    values_.drop_locals(before);
  }
}

void say(const TemplateProblem& p, std::string_view otherwise, Findings& findings) {
  Finding& f = findings.error(p.limit ? "output-template-limit" : otherwise, p.span, p.message);
  if (!p.help.empty()) f.help(p.help);
  for (std::size_t i = 0; i < std::min<std::size_t>(p.through.size(), 3); ++i)
    f.note(p.through[i], "included here");  // of files that include each other three are enough
}

void gather(const TemplateBlock& block, std::vector<std::string_view>& out) {
  for (const TemplateNode& n : block.nodes) {
    if (n.kind == TemplateNode::Kind::include) out.push_back(n.text);
    for (const TemplateBlock& part : n.parts) gather(part, out);
  }
}

}  // namespace

std::optional<TemplateValue> TemplateObject::member(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (key(i) == name) return item(i);
  return std::nullopt;
}

Template::~Template() = default;

std::shared_ptr<const Template> Template::parse(const Sources& sources, FileId file, Findings& findings) {
  try {
    std::shared_ptr<Template> made(new Template);
    made->block_ = std::make_unique<TemplateBlock>(parse_template(sources, file));
    return made;
  } catch (const TemplateProblem& p) {
    say(p, "output-template-syntax", findings);
    return nullptr;
  }
}

bool Template::render(const TemplateMap& names, const Include& include, std::string& out, Findings& findings,
                      const TemplateLimits& limits) const {
  try {
    Renderer renderer(names, include, out, limits);
    renderer.block_of = [](const Template& t) -> const TemplateBlock& { return *t.block_; };
    renderer.block(*block_);
    return true;
  } catch (const TemplateProblem& p) {
    say(p, "output-template-value", findings);
    return false;
  }
}

std::vector<std::string_view> Template::includes() const {
  std::vector<std::string_view> names;
  gather(*block_, names);
  return names;
}

}  // namespace clusterc
