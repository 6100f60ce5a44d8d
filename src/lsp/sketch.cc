#include "lsp/sketch.h"

#include <algorithm>

#include "yaml/scan.h"

namespace clusterc::lsp {
namespace {

constexpr std::size_t kDeepest = 64;          // as deep as the loader goes (yaml/document.h)
constexpr std::size_t kMostNodes = 1u << 20;  // 64 bytes each; what lies behind is not seen

}  // namespace

// One pass over the text; every byte is looked at a bounded number of times.
class Sketcher {
 public:
  explicit Sketcher(Sketch& s) : s_(s), t_(s.text_) {}

  void run() {
    s_.nodes_.emplace_back();
    s_.nodes_[0].kind = SketchNode::Kind::mapping;
    s_.nodes_[0].colon = true;
    open_.push_back(0);
    if (t_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (at_ < t_.size() && !full()) line();
    for (SketchNode& n : s_.nodes_) n.extent = std::max({n.extent, n.end, n.key_end, n.after_key});
    for (std::size_t i = s_.nodes_.size(); i-- > 1;) {
      SketchNode& parent = s_.nodes_[s_.nodes_[i].parent];
      parent.extent = std::max(parent.extent, s_.nodes_[i].extent);
    }
  }

 private:
  using Kind = SketchNode::Kind;

  bool full() const { return s_.nodes_.size() >= kMostNodes; }
  bool at_break() const { return at_ >= t_.size() || yaml_break(t_[at_]); }
  char here() const { return at_ < t_.size() ? t_[at_] : '\n'; }
  std::uint32_t place() const { return static_cast<std::uint32_t>(at_); }
  SketchNode& node(SketchId n) { return s_.nodes_[n]; }

  void skip_blanks() {
    while (at_ < t_.size() && yaml_blank(t_[at_])) ++at_;
  }
  void to_line_end() { at_ = std::min(t_.find_first_of("\r\n", at_), t_.size()); }
  void next_line() {
    to_line_end();
    if (at_ < t_.size() && t_[at_] == '\r' && at_ + 1 < t_.size() && t_[at_ + 1] == '\n') ++at_;
    if (at_ < t_.size()) ++at_;
    line_ = at_;
  }
  void comment() {
    const auto begin = place();
    to_line_end();
    s_.comments_.emplace_back(begin, place());
  }
  // What is left of a line behind a value: nothing, a comment, or what the loader will complain about.
  void end_line() {
    skip_blanks();
    if (here() == '#') comment();
    next_line();
  }

  SketchId add(SketchId parent) {
    const auto id = static_cast<SketchId>(s_.nodes_.size());
    s_.nodes_.emplace_back();
    SketchNode& p = node(parent);
    node(id).parent = parent;
    if (p.first == kNoSketch)
      p.first = id;
    else
      node(p.last).next = id;
    p.last = id;
    return id;
  }

  void line() {
    line_ = at_;
    skip_blanks();
    const std::size_t column = at_ - line_;
    if (at_break()) return next_line();
    if (here() == '#') return end_line();
    if (column == 0 && (here() == '%' || ((t_.substr(at_).starts_with("---") || t_.substr(at_).starts_with("...")) &&
                                          yaml_blank_or_end(t_, at_ + 3))))
      return next_line();
    content();
  }

  // The entry below which something in that column stands. A list may stand in the column of its key.
  SketchId parent_for(std::size_t column, bool dash) {
    while (open_.size() > 1) {
      const SketchNode& back = node(open_.back());
      const bool list_of_key = dash && !back.item && back.column == column &&
                               (back.kind == Kind::empty || (back.kind == Kind::sequence && !back.flow));
      if (back.column < column || list_of_key) break;
      open_.pop_back();
    }
    return open_.back();
  }

  // At the first character of a line that is neither blank nor comment.
  void content() {
    SketchId dash = kNoSketch;  // the last one on this line: what follows is its value
    while (here() == '-' && yaml_blank_or_end(t_, at_ + 1)) {
      const std::size_t column = at_ - line_;
      const SketchId parent = parent_for(column, true);
      if (open_.size() > kDeepest || full()) return next_line();
      dash = add(parent);
      if (node(parent).kind == Kind::empty) node(parent).kind = Kind::sequence;
      SketchNode& n = node(dash);
      n.item = n.colon = true;
      n.column = static_cast<std::uint32_t>(column);
      n.key_begin = n.key_end = place();
      n.after_key = place() + 1;
      open_.push_back(dash);
      ++at_;
      skip_blanks();
      if (at_break()) return next_line();
      if (here() == '#') return end_line();
    }
    const std::size_t column = at_ - line_;
    std::uint32_t key_begin = 0, key_end = 0;
    std::size_t colon = 0;
    if (find_key(key_begin, key_end, colon)) {
      const SketchId parent = parent_for(column, false);
      if (open_.size() > kDeepest) return next_line();
      const SketchId id = entry(parent, column, key_begin, key_end);
      node(id).colon = true;
      at_ = colon + 1;
      node(id).after_key = place();
      return value(id);
    }
    if (dash != kNoSketch) return value(dash);
    const SketchId parent = parent_for(column, false);
    SketchNode& p = node(parent);
    if (parent == 0 && p.first == kNoSketch && here() == '{')
      return value(0);  // the whole spec in brackets, as JSON has it
    const bool bare = parent != 0 && p.first == kNoSketch;
    if (bare && p.kind != Kind::empty) return next_line();  // a text that goes on
    if (bare && std::string_view("[{\"'|>&*!").find(here()) != std::string_view::npos) return value(parent);
    if (open_.size() > kDeepest) return next_line();
    const std::uint32_t begin = place();
    (void)plain_to_line_end();
    entry(parent, column, begin, plain_end_);
    end_line();
  }

  SketchId entry(SketchId parent, std::size_t column, std::uint32_t key_begin, std::uint32_t key_end) {
    const SketchId id = add(parent);
    if (node(parent).kind == Kind::empty) node(parent).kind = Kind::mapping;
    SketchNode& n = node(id);
    n.column = static_cast<std::uint32_t>(column);
    n.key_begin = key_begin;
    n.key_end = n.after_key = key_end;
    open_.push_back(id);
    return id;
  }

  // "key:" on this line, from here on.
  bool find_key(std::uint32_t& begin, std::uint32_t& end, std::size_t& colon) const {
    std::size_t i = at_;
    if (t_[i] == '"' || t_[i] == '\'') {
      const std::size_t close = quote_end(i);
      begin = static_cast<std::uint32_t>(i + 1);
      end = static_cast<std::uint32_t>(close);
      if (close >= t_.size() || t_[close] != t_[i]) return false;
      for (i = close + 1; i < t_.size() && yaml_blank(t_[i]);) ++i;
      colon = i;
      return i < t_.size() && t_[i] == ':' && yaml_blank_or_end(t_, i + 1);
    }
    if (t_[i] == '{' || t_[i] == '[') return false;
    begin = static_cast<std::uint32_t>(i);
    for (; i < t_.size() && !yaml_break(t_[i]); ++i) {
      if (t_[i] == '#' && yaml_blank(t_[i - 1])) return false;  // `i` is behind the first character, which is no '#'
      if (t_[i] != ':' || !yaml_blank_or_end(t_, i + 1)) continue;
      colon = i;
      while (i > begin && yaml_blank(t_[i - 1])) --i;
      end = static_cast<std::uint32_t>(i);
      return true;
    }
    return false;
  }

  // The closing quote of the text that begins at `open`, or where its line ends.
  std::size_t quote_end(std::size_t open) const {
    const char quote = t_[open];
    std::size_t i = open + 1;
    for (; i < t_.size() && !yaml_break(t_[i]); ++i) {
      if (quote == '"' && t_[i] == '\\' && i + 1 < t_.size() && !yaml_break(t_[i + 1]))
        ++i;
      else if (t_[i] == quote && quote == '\'' && i + 1 < t_.size() && t_[i + 1] == '\'')
        ++i;
      else if (t_[i] == quote)
        return i;
    }
    return i;
  }

  // A plain text from here to the end of the line or to a comment; true where a comment follows.
  bool plain_to_line_end() {
    plain_end_ = place();
    for (; !at_break(); ++at_) {
      if (t_[at_] == '#' && at_ > line_ && yaml_blank(t_[at_ - 1])) return true;
      if (!yaml_blank(t_[at_])) plain_end_ = place() + 1;
    }
    return false;
  }

  void skip_properties() {  // anchors and tags
    skip_blanks();
    while (here() == '&' || here() == '!') {
      while (at_ < t_.size() && !yaml_blank_or_end(t_, at_)) ++at_;
      skip_blanks();
    }
  }

  void quoted(SketchId id) {
    SketchNode& n = node(id);
    n.kind = Kind::scalar;
    n.begin = place();
    const std::size_t close = quote_end(at_);
    const bool closed = close < t_.size() && t_[close] == t_[at_];
    at_ = closed ? close + 1 : close;
    n.end = place();
  }

  // What stands behind a key or a dash, to the end of its last line.
  void value(SketchId id) {
    skip_properties();
    SketchNode& n = node(id);
    if (at_break()) return next_line();
    switch (here()) {
      case '#':
        if (yaml_blank(t_[at_ - 1])) return end_line();
        break;
      case '"':
      case '\'':
        quoted(id);
        return end_line();
      case '|':
      case '>':
        return literal(id);
      case '{':
      case '[': {
        if (flow(id, id == 0 ? 0 : n.column + 1, open_.size())) end_line();
        return;
      }
      default:
        break;
    }
    n.kind = Kind::scalar;
    n.begin = place();
    (void)plain_to_line_end();
    n.end = plain_end_;
    end_line();
  }

  void literal(SketchId id) {
    node(id).kind = Kind::literal;
    node(id).begin = place();
    const std::size_t column = node(id).column;
    next_line();
    std::size_t end = at_;
    while (at_ < t_.size()) {
      skip_blanks();
      const bool blank = at_break();
      if (!blank && at_ - line_ <= column) break;
      if (!blank) to_line_end(), end = at_;
      next_line();
    }
    at_ = line_;
    node(id).end = static_cast<std::uint32_t>(end);
  }

  // Blanks, comments and line ends in brackets. False where a line begins before column `base`, and so is not indented
  // more than the entry: the brackets end before it; `at_` is then at the begin of that line.
  bool skip_flow_space(std::size_t base) {
    for (;;) {
      skip_blanks();
      if (here() == '#' && at_ > line_ && yaml_blank(t_[at_ - 1])) comment();
      if (at_ >= t_.size()) return false;
      if (!at_break()) return true;
      next_line();
      skip_blanks();
      if (at_break() || here() == '#') {
        if (here() == '#') comment();
        continue;
      }
      if (at_ - line_ < base && here() != ']' && here() != '}') {
        at_ = line_;
        return false;
      }
    }
  }

  // In brackets: a text up to what ends it there. A bracket in the middle of it is taken as part of it, with its
  // partner: half-written patterns (`gpu[01-16]` without quotes) are no lists.
  std::uint32_t plain_in_flow() {
    std::uint32_t end = place();
    int nested = 0;
    for (; !at_break(); ++at_) {
      const char c = t_[at_];
      if (c == '#' && at_ > line_ && yaml_blank(t_[at_ - 1])) break;
      if (nested == 0 && (c == ',' || c == ']' || c == '}')) break;
      if (nested == 0 && c == ':' &&
          (yaml_blank_or_end(t_, at_ + 1) || std::string_view(",[]{}").find(t_[at_ + 1]) != std::string_view::npos))
        break;
      if (c == '[' || c == '{') ++nested;
      if ((c == ']' || c == '}') && nested > 0) --nested;
      if (!yaml_blank(c)) end = place() + 1;
    }
    return end;
  }

  // From the opening bracket to behind the closing one. False: it is not closed, and `at_` is where the next line
  // begins.
  bool flow(SketchId id, std::size_t base, std::size_t depth) {
    const bool mapping = here() == '{';
    node(id).kind = mapping ? Kind::mapping : Kind::sequence;
    node(id).flow = true;
    node(id).begin = place();
    ++at_;
    ++brackets_;
    const bool closed = items(id, mapping, base, depth);
    --brackets_;
    return closed;
  }

  bool items(SketchId id, bool mapping, std::size_t base, std::size_t depth) {
    std::uint32_t slot = place(), last = place();
    const auto cut = [&] {  // ends without its bracket, behind what was read last
      node(id).end = last;
      return false;
    };
    for (;;) {
      if (!skip_flow_space(base)) return cut();
      const char c = here();
      if (c == ']' || c == '}') {
        const bool mine = (c == '}') == mapping;
        if (!mine && brackets_ > 1) {  // the one around this one is closed here
          node(id).end = place();
          return true;
        }
        ++at_;
        node(id).closed = true;
        node(id).end = place();
        return true;
      }
      if (c == ',') {
        slot = last = place() + 1;
        ++at_;
        continue;
      }
      if (full()) {
        at_ = t_.size();
        return cut();
      }
      const std::size_t before = at_;
      const SketchId child = add(id);
      node(child).in_flow = true;
      node(child).slot_begin = slot;
      const bool whole = mapping ? flow_entry(child, base, depth) : flow_item(child, base, depth);
      if (whole && at_ == before) ++at_;  // a sign that nothing begins with
      last = std::max(node(child).end, std::max(node(child).after_key, node(child).key_end));
      node(child).slot_end = last;
      if (!whole) return cut();
      if (!skip_flow_space(base)) return cut();
      node(child).slot_end = place();
      // What is left of a slot (`{ a: 1 b: 2 }`) is the loader's to complain about; where it ends the line, the line's
      // end ends the slot.
      while (!at_break() && here() != ',' && here() != ']' && here() != '}' && yaml_blank_or_colon())
        ++at_, node(child).slot_end = place();
      slot = place();
    }
  }
  bool yaml_blank_or_colon() const { return here() == ':' || yaml_blank(here()); }

  bool flow_entry(SketchId child, std::size_t base, std::size_t depth) {
    bool quoted_key = false;
    if (here() == '"' || here() == '\'') {
      const std::size_t close = quote_end(at_);
      quoted_key = close < t_.size() && t_[close] == here();
      node(child).key_begin = place() + 1;
      node(child).key_end = static_cast<std::uint32_t>(std::max(close, at_ + 1));
      at_ = quoted_key ? close + 1 : close;
    } else {
      node(child).key_begin = place();
      node(child).key_end = plain_in_flow();
    }
    node(child).after_key = std::max(node(child).key_end, place());
    skip_blanks();
    if (here() != ':') return true;
    node(child).colon = true;
    ++at_;
    node(child).after_key = place();
    return flow_value(child, base, depth);
  }

  bool flow_item(SketchId child, std::size_t base, std::size_t depth) {
    SketchNode& n = node(child);
    n.item = n.colon = true;
    n.key_begin = n.key_end = n.after_key = place();
    return flow_value(child, base, depth);
  }

  bool flow_value(SketchId child, std::size_t base, std::size_t depth) {
    const std::size_t behind = at_;
    if (!skip_flow_space(base)) return false;
    if (std::string_view(",]}").find(here()) != std::string_view::npos) {
      at_ = std::max(behind, at_);
      return true;
    }
    skip_properties();
    if (here() == '"' || here() == '\'') {
      quoted(child);
      return true;
    }
    if (here() == '{' || here() == '[') {
      if (depth < kDeepest) return flow(child, base, depth + 1);
      while (!at_break() && (here() == '{' || here() == '[')) ++at_;
      return true;
    }
    const auto begin = place();
    const auto end = plain_in_flow();
    if (end > begin) {
      SketchNode& n = node(child);
      n.kind = Kind::scalar;
      n.begin = begin;
      n.end = end;
    }
    return true;
  }

  Sketch& s_;
  std::string_view t_;
  std::size_t at_ = 0, line_ = 0;
  std::vector<SketchId> open_;  // entries that a deeper line could belong to; columns grow
  std::uint32_t plain_end_ = 0;
  std::size_t brackets_ = 0;  // open at the moment
};

Sketch::Sketch(std::string_view text) : text_(text) { Sketcher(*this).run(); }

std::string_view Sketch::key(SketchId n) const {
  return text_.substr(nodes_[n].key_begin, nodes_[n].key_end - nodes_[n].key_begin);
}

std::string_view Sketch::value(SketchId id) const {
  const SketchNode& n = nodes_[id];
  if (n.kind != SketchNode::Kind::scalar) return {};
  std::string_view v = text_.substr(n.begin, n.end - n.begin);
  if (v.size() >= 1 && (v.front() == '"' || v.front() == '\'')) {
    const char quote = v.front();
    v.remove_prefix(1);
    if (v.ends_with(quote)) v.remove_suffix(1);
  }
  return v;
}

SketchId Sketch::find(SketchId parent, std::string_view name) const {
  if (parent == kNoSketch) return kNoSketch;
  for (SketchId c = nodes_[parent].first; c != kNoSketch; c = nodes_[c].next)
    if (nodes_[c].colon && !nodes_[c].item && key(c) == name) return c;
  return kNoSketch;
}

SketchId Sketch::find_path(std::initializer_list<std::string_view> keys) const {
  SketchId at = 0;
  for (const auto k : keys) at = find(at, k);
  return at;
}

bool Sketch::in_comment(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(comments_, static_cast<std::uint32_t>(offset), {},
                                              [](const auto& c) { return c.first; });
  return after != comments_.begin() && offset > std::prev(after)->first && offset <= std::prev(after)->second;
}

}  // namespace clusterc::lsp
