// A line is one of: empty, a comment, the begin of an entry of a block, or the rest of a text or bracket that began
// above. Only the begin of an entry has an indentation that means something: a stack maps the columns of the source to
// those of the result. The other lines move with the line that they belong to.
//
//   nodes:               column 0 -> 0
//      gpu:              column 3 -> 2
//         names: [ a,    column 6 -> 4
//            b ]         moves with it, two to the left
#include "yaml/layout.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

constexpr std::size_t kStep = 2;

// A line without its end, and which end it has.
struct Line {
  std::string_view text;
  std::string_view end;
  std::size_t begin;  // in the source
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find_first_of("\r\n", at), text.size());
    std::size_t next = stop;
    if (next < text.size()) next += text.substr(next, 2) == "\r\n" ? 2 : 1;
    lines.push_back({text.substr(at, stop - at), text.substr(stop, next - stop), at});
    at = next;
  }
  return lines;
}

// Texts that run over several lines, brackets that do, and where on a line a quoted text or a comment stands.
class Shape {
 public:
  Shape(const Document& document, std::string_view text) : document_(document), text_(text) {
    // Keys and values by their place; aliases share nodes, and every node is met once all the same.
    for (NodeId n = 0; n < document.node_count(); ++n) {
      const SourceSpan span = document.span(n);
      if (!document.is_scalar(n) || span.begin >= span.end) continue;
      texts_.push_back({span.begin, span.end});
    }
    std::ranges::sort(texts_, {}, &ByteRange::begin);
  }
  // The text that begins at or before this byte and ends behind it.
  const ByteRange* text_around(std::size_t at) const {
    auto after = std::ranges::upper_bound(texts_, at, {}, &ByteRange::begin);
    if (after == texts_.begin()) return nullptr;
    const ByteRange& range = *--after;
    return at < range.end ? &range : nullptr;
  }

 private:
  const Document& document_;
  std::string_view text_;
  std::vector<ByteRange> texts_;
};

class Layout {
 public:
  Layout(const Document& document, std::string_view text) : shape_(document, text), text_(text) {}

  std::string run() {
    std::size_t from = yaml_byte_order_marks(text_);
    out_ = text_.substr(0, from);
    for (Line line : lines_of(text_)) {
      if (line.begin < from) line.text.remove_prefix(from - line.begin), line.begin = from;
      one(line);
    }
    flush_comments(0);
    std::size_t end = out_.size();
    while (end > 0 && yaml_break(out_[end - 1])) --end;
    if (end == 0) return out_;
    const std::string_view last = last_end_.empty() ? std::string_view("\n") : std::string_view(last_end_);
    return out_.substr(0, end) + std::string(last);
  }

 private:
  struct Level {
    std::size_t from, to;  // columns
    bool list;
  };

  static std::string_view without_end(std::string_view text) {
    while (!text.empty() && yaml_blank(text.back())) text.remove_suffix(1);
    return text;
  }

  void put(std::size_t column, std::string_view text, std::string_view end) {
    out_.append(column, ' ');
    out_ += text;
    out_ += end;
    empty_ = 0;
    last_end_ = std::string(end);
  }

  void one(const Line& line) {
    const ByteRange* const around = shape_.text_around(line.begin);
    if (around && around->begin < line.begin) {  // within a text: it moves with the line that it began on
      flush_comments(moved_);
      move(line, line.text);
      after_text(line);
      return;
    }
    const std::string_view text = without_end(line.text);
    const std::size_t blanks = std::min(text.find_first_not_of(" \t"), text.size());
    if (blanks == text.size()) {
      if (depth_ == 0 && comments_.empty())
        empty_line(line.end);
      else if (depth_ == 0)
        comments_.push_back({{}, line.end, line.begin});
      else
        out_ += line.end;
      return;
    }
    if (depth_ > 0) {  // within a bracket
      move(line, text);
      after_text(line);
      return;
    }
    if (text[blanks] == '#') {
      comments_.push_back({text, line.end, line.begin});
      return;
    }
    entry(line, text, blanks);
  }

  void empty_line(std::string_view end) {
    if (out_.size() > yaml_byte_order_marks(text_) && ++empty_ == 1) out_ += end;
  }

  // Comments stand as deep as the entry below them, where they stood as deep as that before.
  void flush_comments(std::ptrdiff_t moved) {
    for (const Line& c : comments_) {
      if (c.text.empty()) {
        empty_line(c.end);
        continue;
      }
      const std::size_t blanks = c.text.find_first_not_of(" \t");
      const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(blanks) + moved;
      put(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, column)), c.text.substr(blanks), c.end);
    }
    comments_.clear();
  }

  void move(const Line& line, std::string_view text) {
    const std::size_t blanks = text.find_first_not_of(' ');
    if (blanks == text.npos) {
      out_ += line.end;
      return;
    }
    const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(blanks) + moved_;
    put(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, column)), text.substr(blanks), line.end);
  }

  void entry(const Line& line, std::string_view text, std::size_t blanks) {
    std::string rest(text.substr(blanks));
    std::size_t from = blanks;
    const bool dash = rest[0] == '-' && (rest.size() == 1 || yaml_blank(rest[1]));
    while (!levels_.empty() &&
           (levels_.back().from > from || (levels_.back().from == from && levels_.back().list && !dash)))
      levels_.pop_back();
    open(from, dash);
    const std::size_t to = levels_.back().to;
    moved_ = static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(from);
    flush_comments(moved_);
    // "-   key: value": what follows the dash is a level of its own.
    std::string shown;
    std::size_t column = to;
    while (rest.size() > 1 && rest[0] == '-' && yaml_blank(rest[1])) {
      const std::size_t behind = std::min(rest.find_first_not_of(" \t", 1), rest.size());
      if (behind == rest.size()) break;
      shown += "- ";
      from += behind;
      column += kStep;
      rest.erase(0, behind);
      const bool inner = rest[0] == '-' && (rest.size() == 1 || yaml_blank(rest[1]));
      levels_.push_back({from, column, inner});
    }
    const std::size_t first = line.begin + from;
    put(to, shown + spaced(rest, first), line.end);
    after_text(line);
  }

  void open(std::size_t from, bool dash) {
    if (levels_.empty()) {
      levels_.push_back({from, 0, dash});
      return;
    }
    const Level& top = levels_.back();
    if (top.from == from && top.list == dash) return;
    levels_.push_back({from, top.to + kStep, dash});
  }

  // Counts the brackets that the line leaves open.
  void after_text(const Line& line) {
    for (std::size_t at = 0; at < line.text.size(); ++at) {
      if (const ByteRange* text = shape_.text_around(line.begin + at)) {
        at = std::min<std::size_t>(text->end - line.begin, line.text.size()) - 1;
        continue;
      }
      const char c = line.text[at];
      if (c == '#' && (at == 0 || yaml_blank(line.text[at - 1]))) return;
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    }
  }

  // One blank behind a comma and inside braces; blanks that align are left. `first`: the place of the text in the
  // source.
  std::string spaced(std::string_view line, std::size_t first) const {
    std::string out;
    int depth = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (const ByteRange* text = shape_.text_around(first + at)) {
        const std::size_t end = std::min<std::size_t>(text->end - first, line.size());
        out += line.substr(at, end - at);
        at = end - 1;
        continue;
      }
      const char c = line[at];
      if (c == '#' && (at == 0 || yaml_blank(line[at - 1]))) {
        out += line.substr(at);
        break;
      }
      const bool more = at + 1 < line.size();
      if (c == '\t') {
        out += ' ';
      } else if (c == '{' && more && line[at + 1] != '}' && !yaml_blank(line[at + 1])) {
        ++depth;
        out += "{ ";
      } else if (c == '}' && at > 0 && line[at - 1] != '{' && !yaml_blank(line[at - 1])) {
        --depth;
        out += " }";
      } else if (c == ',' && more && !yaml_blank(line[at + 1]) && (depth > 0 || bracket_before(line, at, first))) {
        out += ", ";
      } else {
        out += c;
      }
    }
    return out;
  }
  bool bracket_before(std::string_view line, std::size_t at, std::size_t first) const {
    for (std::size_t i = 0; i < at; ++i)
      if (!shape_.text_around(first + i) && (line[i] == '[' || line[i] == '{')) return true;
    return false;
  }

  Shape shape_;
  std::string_view text_;
  std::string out_;
  std::vector<Level> levels_;
  std::vector<Line> comments_;
  std::ptrdiff_t moved_ = 0;
  std::size_t depth_ = 0, empty_ = 0;
  std::string last_end_;
};

bool same(const Document& a, NodeId x, const Document& b, NodeId y) {
  if (a.kind(x) != b.kind(y) || a.size(x) != b.size(y)) return false;
  if (a.is_null(x)) return true;
  if (a.is_scalar(x)) return a.quoted(x) == b.quoted(y) && a.scalar(x) == b.scalar(y);
  NodeId i = a.first_child(x), k = b.first_child(y);
  for (; i != kNoNode && k != kNoNode; i = a.next_sibling(i), k = b.next_sibling(k))
    if (!same(a, i, b, k)) return false;
  return i == k;
}

std::optional<Document> parsed(std::string_view text, const YamlLimits& limits, Sources& sources) {
  Findings findings;
  const FileId file = sources.add("", std::string(text));
  auto document = parse_yaml(sources, file, findings, limits);
  return findings.empty() ? std::move(document) : std::nullopt;
}

}  // namespace

bool same_document(const Document& a, const Document& b) { return same(a, a.root(), b, b.root()); }

std::optional<std::string> lay_out_yaml(const Sources& sources, FileId file, Findings& findings,
                                        const YamlLimits& limits) {
  const auto document = parse_yaml(sources, file, findings, limits);
  if (!document) return std::nullopt;
  const std::string_view text = sources.text(file);
  std::string out = Layout(*document, text).run();
  Sources again;
  const auto after = parsed(out, limits, again);
  if (!after || !same_document(*document, *after)) return std::string(text);
  // What is laid out once stays so.
  if (std::string twice = Layout(*after, out).run(); twice != out) {
    Sources third;
    const auto second = parsed(twice, limits, third);
    if (second && same_document(*document, *second) && Layout(*second, twice).run() == twice) return twice;
    return std::string(text);
  }
  return out;
}

}  // namespace clusterc
