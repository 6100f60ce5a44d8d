#include "lsp/describe.h"

#include "base/format.h"
#include "base/text.h"
#include "catalog/types.h"
#include "fields/show.h"
#include "lsp/names.h"
#include "model/power.h"
#include "rules/finding_table.h"
#include "spec/types.h"

namespace clusterc::lsp {
namespace {

constexpr std::size_t kMostLines = 40;    // a hover is read at a glance; `clusterc show` and `catalog` have all of it
constexpr std::size_t kMostSource = 240;  // bytes of the name of a document

std::string cut_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

// A fence that nothing in the text can close.
std::string fenced(std::string_view text, std::string_view language = "yaml") {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return format("{}{}\n{}{}\n", fence, language, text, fence);
}

// The first lines, without the named sections.
std::string shortened(std::string_view yaml, std::initializer_list<std::string_view> without = {}) {
  std::string out;
  std::size_t lines = 0;
  bool skipping = false;
  for (std::size_t at = 0; at < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', at), yaml.size() - 1) + 1;
    const std::string_view line = yaml.substr(at, end - at);
    at = end;
    if (!line.starts_with(' ')) {
      skipping = false;
      for (const auto key : without) skipping = skipping || (line.starts_with(key) && line.substr(key.size()) == ":\n");
    }
    if (skipping) continue;
    if (++lines > kMostLines) return out + "…\n";
    out += cut_text(line.substr(0, line.size() - 1), 160) + "\n";
  }
  return out;
}

std::string in_code(std::string_view text) {
  // Backquotes cannot stand in a code span of one backquote: nothing that the language knows has one.
  return "`" + replace_all(text, "`", "'") + "`";
}

struct FoundPart {
  const Type* type = nullptr;
  const void* part = nullptr;
};

template <class T>
FoundPart found(const T* part) {
  return {&type_of<T>(), part};
}

FoundPart find_part(Catalog& c, PartKind kind, std::string_view id) {
  switch (kind) {
    case PartKind::gpu:
      return found(c.gpu(id));
    case PartKind::cpu:
      return found(c.cpu(id));
    case PartKind::nic:
      return found(c.nic(id));
    case PartKind::switch_:
      return found(c.switch_(id));
    case PartKind::cable:
      return found(c.cable(id));
    case PartKind::pdu:
      return found(c.pdu(id));
    case PartKind::rack:
      return found(c.rack(id));
    case PartKind::cooling:
      return found(c.cooling(id));
    case PartKind::ups:
      return found(c.ups(id));
    case PartKind::server:
      return found(c.server(id));
    case PartKind::storage:
      return found(c.storage(id));
    case PartKind::assembly:
      return found(c.assembly(id));
  }
  return {};
}

std::string describe_found(const FoundPart& p, PartKind kind, std::string_view id) {
  std::string out = format("**{}**: {} of the catalogue\n\n", id, part_kind_name(kind));
  out += fenced(shortened(show_yaml(*p.type, p.part, {.origins = false}), {"pcie", "ports"}));
  std::vector<std::string_view> open;
  std::string source;
  for (const Field& f : p.type->fields) {
    const Type& t = f.type();
    if (t.form != Type::Form::value) continue;
    const ValueHead head = t.head(const_cast<void*>(f.in(p.part)));
    if (!head.has) continue;
    if (!head.confirmed) open.push_back(f.key);
    if (source.empty() && head.confirmed) source = head.source;
  }
  if (!open.empty()) out += "\nNot confirmed in a document: " + join(open, ", ") + "\n";
  if (!source.empty()) out += "\nSource: " + cut_text(source, kMostSource) + "\n";
  return out;
}

// Power and counts of a group, which no single key says.
std::string describe_group(const NodeGroupModel& g) {
  std::string out = format("{} {}", g.count, g.count == 1 ? "node" : "nodes");
  if (!g.server.id.empty()) out += " of " + in_code(g.server.id);
  if (g.server.gpu_count > 0) out += format(", each with {} x {}", g.server.gpu_count, in_code(g.server.gpu_model));
  if (g.server.power) {
    out += power_lacks(g).empty() ? format("; each draws {} at most", to_text(*g.server.power))
                                  : format("; each draws more than {}", to_text(*g.server.power));
    if (const std::string why = show_origin(type_of<Value<Watts>>(), &g.server.power); !why.empty())
      out += " (" + cut_text(why, kMostSource) + ")";
  }
  return out + "\n";
}

std::string describe_value(const Type& type, const void* at) {
  if (type.form == Type::Form::value) {
    const ValueHead head = type.head(const_cast<void*>(at));
    if (!head.has && !head.unknown) return {};
    const std::string origin = show_origin(type, at);
    return in_code(cut_text(show_value(type, at), 200)) +
           (origin.empty() ? std::string() : "  \n" + cut_text(origin, 600)) + "\n";
  }
  if (type.form == Type::Form::record) {
    const std::string yaml = show_yaml(type, at);
    return yaml.empty() ? std::string() : fenced(shortened(yaml));
  }
  return {};
}

}  // namespace

std::string describe_key(const Spot& spot, std::string_view key) {
  if (!spot.type) return {};
  std::string out;
  if (spot.entry) {
    const std::string_view what = item_of(spot).type->name;
    out = "**" + std::string(key) + "**" + (what.empty() ? std::string() : ": " + std::string(what)) + "\n";
    if (spot.field && !spot.field->options.doc.empty()) out += format("\n{}\n", spot.field->options.doc);
    return out;
  }
  const FieldOptions& o = spot.field->options;
  out = format("**{}**: {}\n\n", key, o.doc.empty() ? "(not described)" : o.doc);
  out += "Takes " + (o.words.empty() ? words_for(*spot.type) : "one of " + replace_all(o.words, "|", ", "));
  const Type& item = *item_of(spot).type;
  const std::string example = example_of(*spot.type);
  if (o.words.empty() && example != "text" && item.kind != ScalarKind::choice && item.kind != ScalarKind::boolean &&
      o.least != o.most)
    out += ", such as " + in_code(example);
  if (o.required) out += "; required";
  out += ".";
  if (!o.standard.empty())
    out += format(" Left out: {}{}.", in_code(o.standard), o.why.empty() ? std::string() : ", " + std::string(o.why));
  return out + "\n";
}

std::string describe_part(PartKind kind, std::string_view id, const Analysis* good) {
  if (good && good->run->catalog) {
    const FoundPart p = find_part(*good->run->catalog, kind, id);
    return p.part ? describe_found(p, kind, id) : std::string();
  }
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const FoundPart p = find_part(catalog, kind, id);
  return p.part ? describe_found(p, kind, id) : std::string();
}

std::string describe_rule(std::string_view id) {
  const FindingKind* kind = find_finding_kind(id);
  if (!kind) return {};
  return format("**{}** ({}{}{}): {}\n\n{}\n", kind->id, kind->code.empty() ? "" : format("{}, ", kind->code),
                severity_name(kind->severity), kind->standing == Standing::physics ? ", physics" : "", kind->summary,
                kind->explanation.empty() ? format("Reported by {}.", kind->reporter) : std::string(kind->explanation));
}

std::optional<Hover> hover_at(const Sketch& s, std::size_t offset, const Analysis* good, bool current) {
  bool on_key = false;
  const SketchId n = thing_at(s, offset, on_key);
  if (n == kNoSketch) return std::nullopt;
  const Spot spot = spot_of(s, n);
  Hover hover;
  hover.begin = on_key ? s[n].key_begin : s[n].begin;
  hover.end = on_key ? s[n].key_end : s[n].end;
  if (!spot.type) return std::nullopt;
  const auto add = [&](std::string_view text) {
    if (!text.empty()) hover.markdown += (hover.markdown.empty() ? "" : "\n---\n\n") + std::string(text);
  };
  // A name that somebody else gives a meaning to: the group of `connects: { gpu: … }`, a rule under `severity`.
  const Names names = on_key ? (s[n].parent == kNoSketch ? Names{} : spot_of(s, s[n].parent).keys) : spot.names;
  const std::string_view written = on_key ? s.key(n) : s.value(n);
  if (names.of == Names::Of::part) {
    const std::string_view id = written.substr(part_begin(written));
    add(describe_part(names.part, id, good));
    if (!hover.markdown.empty())
      hover.end = std::max(hover.begin, hover.end),
      hover.begin = hover.end - id.size() - (s.text()[hover.end - 1] == '"' || s.text()[hover.end - 1] == '\'' ? 1 : 0);
  } else if (names.of == Names::Of::rule) {
    add(describe_rule(written));
  } else if (names.of == Names::Of::node_group || names.of == Names::Of::node_group_or_storage) {
    if (const NodeGroupModel* group = node_group_model(good, written))
      add(format("**{}**: {}", written, describe_group(*group)));
  }
  if (on_key || hover.markdown.empty()) add(s[n].item ? std::string() : describe_key(spot, s.key(n)));
  if (on_key && spot.entry && s[n].parent != kNoSketch && s.key(s[n].parent) == "nodes" && s[s[n].parent].parent == 0)
    if (const NodeGroupModel* group = node_group_model(good, s.key(n))) add(describe_group(*group));
  const bool part = !on_key && names.of == Names::Of::part && !hover.markdown.empty();  // all of it is said
  if (good && good->good() && !part) {
    const Type* type = &type_of<Spec>();
    if (const void* at = place_in(s, n, &good->run->cluster->spec, type))
      if (std::string value = describe_value(*type, at); !value.empty())
        add(current ? value : value + "\nas of the last state that could be read\n");
  }
  if (hover.markdown.empty()) return std::nullopt;
  return hover;
}

std::string plain_text(std::string_view markdown) {
  std::string out = replace_all(markdown, "**", "");
  out = replace_all(out, "\n---\n", "\n");
  out = replace_all(out, "```yaml\n", "");
  out = replace_all(out, "```\n", "");
  return replace_all(out, "`", "");
}

}  // namespace clusterc::lsp
