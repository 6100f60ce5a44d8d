// From the parser's events to the flat document. The parser gives decoded values and the place where a node begins
// (with its anchor and tag); everything else about places is read off the source again here:
//
//   rack: &a "r\x30"      event: scalar, mark at '&', value "r0"
//         ^~~~~~~~~~      content begins behind the anchor, ends behind the closing quote; the text differs from the
//                         source, so it goes to the pool
//   power:                event: null, mark at whatever comes next
//         ^               an empty value stands just behind its key's colon
#include "yaml/builder.h"

#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <streambuf>

#include "base/format.h"
#include "yaml/hidden.h"
#include "yaml/key_table.h"
#include "yaml/parser_words.h"
#include "yaml/places.h"
#include "yaml/remove.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

using Kind = Document::Kind;
constexpr std::uint32_t kKindMask = Document::Node::kKindMask, kQuoted = Document::Node::kQuoted,
                        kPooled = Document::Node::kPooled;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";  // YAML 1.2, chapter 10
constexpr std::size_t kReportedDuplicates = 10;

std::uint32_t narrow(std::size_t n) { return static_cast<std::uint32_t>(n); }

// Reads a string_view as a stream, without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: no put area
    setg(begin, begin, begin + text.size());
  }
};

struct Stop {};  // thrown after the finding that ends the reading

}  // namespace

struct DocumentBuilder : YAML::EventHandler, ScanEvents {
  struct Frame {
    NodeId node;
    NodeId last = kNoNode;     // last child
    NodeId key = kNoNode;      // in a mapping: the key whose value comes next
    std::uint32_t count = 0;   // items or pairs
    std::uint32_t end = 0;     // source byte behind the last child
    std::uint64_t nodes = 1;   // below and with it, aliases expanded
    std::uint32_t height = 1;  // levels of collections, this one and those below it, aliases expanded
    YAML::anchor_t anchor = 0;
    bool mapping = false;
    bool merges = false;    // has a key <<
    bool brackets = false;  // these two only while simple text is replayed:
    bool due = false;       // a block list: an item after '-'; a mapping in brackets: a value after ':'
  };
  struct Irregular {};  // simple text that is not YAML after all: the parser will say why
  struct Anchor {
    NodeId node = kNoNode;
    std::uint64_t nodes = 0;  // aliases expanded
    std::uint32_t height = 0;
    bool open = false;  // its end has not come yet
  };

  DocumentBuilder(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits,
                  const ScanResult& scan)
      : findings_(findings), limits_(limits), text_(sources.text(file)), places_(text_, scan), keys_(document_, text_) {
    document_.file_ = file;
    document_.sources_ = &sources;
    document_.nodes_.reserve(scan.nodes_max);
    bom_ = yaml_byte_order_marks(text_);
  }

  std::optional<Document> run() {
    try {
      ViewBuffer buffer(text_.substr(bom_));
      std::istream stream(&buffer);
      YAML::Parser parser(stream);
      if (!parser.HandleNextDocument(*this) || document_.nodes_.empty()) {
        error("spec-empty", 0, 0, "the file holds no document");
        return std::nullopt;
      }
      end_duplicates();
      return std::move(document_);
    } catch (const Stop&) {
    } catch (const YAML::Exception& exception) {
      report_parser_error(exception.msg, exception.mark.is_null() ? text_.size() : place(exception.mark),
                          document_.file_, text_, findings_);
    }
    return std::nullopt;
  }

  // The same document without the parser, for simple text. False: nothing was done, the parser must read it.
  bool run_simple(std::optional<Document>& document) {
    try {
      replay_simple(*document_.sources_, document_.file_, limits_, *this);
      if (document_.nodes_.empty() || !stack_.empty()) return false;
      end_duplicates();
      document = std::move(document_);
      return true;
    } catch (const Irregular&) {
      return false;
    } catch (const Stop&) {
      return true;
    }
  }

  void open_block(bool sequence, std::size_t at) override { open_simple(sequence, at, false); }
  void open_bracket(bool sequence, std::size_t at) override { open_simple(sequence, at, true); }
  void dash() override {
    if (stack_.empty() || stack_.back().mapping || stack_.back().brackets) throw Irregular{};
    if (stack_.back().due) add_empty();
    stack_.back().due = true;
  }
  void colon() override {
    if (!stack_.back().mapping || stack_.back().key == kNoNode || stack_.back().due) throw Irregular{};
    stack_.back().due = true;
  }
  void comma() override {
    if (stack_.back().mapping && stack_.back().key != kNoNode) add_empty();
    stack_.back().due = false;
  }
  void close_block() override {
    if (stack_.empty() || stack_.back().brackets) throw Irregular{};
    close_simple();
  }
  void close_bracket(std::size_t) override {
    if (stack_.empty() || !stack_.back().brackets) throw Irregular{};
    close_simple();
  }
  void text(std::size_t begin, std::size_t end, bool quoted, bool block_key) override {
    const std::size_t inner = quoted ? 1 : 0;
    const bool as_key = block_key || (!stack_.empty() && stack_.back().brackets && stack_.back().mapping &&
                                      stack_.back().key == kNoNode);
    if (block_key) {
      if (stack_.empty() || !stack_.back().mapping || stack_.back().brackets) throw Irregular{};
      if (stack_.back().key != kNoNode) add_empty();
    } else if (!as_key) {
      take_place();
    }
    const std::string_view word = text_.substr(begin, end - begin);
    const bool null = !as_key && (word == "~" || word == "null" || word == "Null" || word == "NULL");
    add(null ? Kind::null : Kind::scalar, begin, end, begin + inner, end - begin - 2 * inner, quoted ? kQuoted : 0, 0);
  }

  void folded(std::size_t begin, std::size_t end, std::string_view value) override {
    take_place();
    add(Kind::scalar, begin, end, pooled(value), value.size(), kQuoted | kPooled, 0);
  }

  // Events.
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = place(mark);
    const std::size_t begin = places_.skip_properties(at);
    const std::size_t length = places_.null_word(begin, in_brackets());
    const bool as_key = expects_key();
    bool written = length != 0 && begin >= previous_end();
    if (written && !as_key && !stack_.empty()) {  // `a:` above `null: 1` is empty; the word is the next key
      std::size_t behind = begin + length;
      while (behind < text_.size() && yaml_blank(text_[behind])) ++behind;
      if (behind < text_.size() && text_[behind] == ':' && yaml_blank_or_end(text_, behind + 1)) written = false;
    }
    if (as_key) {
      if (!written) stop("spec-key-not-text", at, at, "an empty key");
      add(Kind::scalar, begin, begin + length, begin, length, 0, anchor);
    } else if (written) {
      add(Kind::null, begin, begin + length, begin, length, 0, anchor);
    } else {
      const std::size_t empty = empty_place(at);
      add(Kind::null, empty, empty, empty, 0, 0, anchor);
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t id) override {
    const std::size_t begin = place(mark);
    std::size_t end = begin + 1;
    while (end < text_.size() && !yaml_blank_or_end(text_, end) && !std::strchr(",[]{}", text_[end])) ++end;
    const Anchor anchor = id < anchors_.size() ? anchors_[id] : Anchor{};
    if (anchor.open || anchor.node == kNoNode) {
      const std::size_t target = anchor.node == kNoNode ? begin : document_.nodes_[anchor.node].begin;
      findings_
          .error("spec-alias-loop", span(begin, end),
                 format("alias '{}' stands inside what it names", text_.substr(begin, end - begin)))
          .note(span(target, target + 1), "this is what it names");
      throw Stop{};
    }
    if (!stack_.empty()) stack_.back().nodes += anchor.nodes - 1;
    expanded_ += anchor.nodes - 1;
    if (over_budget())
      stop("spec-too-large", begin, end,
           format("with the alias '{}' the file expands to {} values, more than fit in {} MB of memory",
                  text_.substr(begin, end - begin), expanded_, limits_.memory_bytes >> 20));
    if (stack_.size() + anchor.height > limits_.depth)
      stop("spec-nested-too-deep", begin, end,
           format("with the alias '{}' nested more than {} levels deep", text_.substr(begin, end - begin),
                  limits_.depth));
    if (!stack_.empty()) stack_.back().height = std::max(stack_.back().height, anchor.height + 1);
    const Document::Node& target = document_.nodes_[anchor.node];
    if (expects_key() && static_cast<Kind>(target.bits & kKindMask) != Kind::scalar)
      stop("spec-key-not-text", begin, end, "a key must be text, this alias names something else");
    add(static_cast<Kind>(target.bits & kKindMask), begin, end, target.text, target.length, target.bits & ~kKindMask,
        0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t at = place(mark);
    bool quoted = tag == "!";
    if (tag.size() > 1) quoted = core_tag(tag, at);
    std::size_t begin = places_.skip_properties(at);
    const char first = begin < text_.size() ? text_[begin] : '\0';
    std::size_t end = begin;
    if (first == '"' || first == '\'') {
      end = places_.quote_end(begin);
      quoted = true;
    } else if (first == '|' || first == '>') {
      end = places_.block_end(begin);
      quoted = true;
    } else if (value.empty()) {  // a tag and nothing behind it
      begin = end = places_.properties_end(at);
    } else {
      end = places_.plain_end(begin, value);
    }
    std::uint32_t bits = quoted ? kQuoted : 0;
    std::size_t where = begin + (first == '"' || first == '\'');
    if (text_.substr(where, value.size()) != value) {
      if (first == '"' &&
          !simdjson::validate_utf8(value)) {  // \N and \_ of YAML: the parser makes single bytes of them
        error("spec-not-utf8", begin, end, "an escape in the text makes bytes that are not UTF-8")
            .help("write the character itself");
        throw Stop{};
      }
      if (const auto hidden =
              first == '"' ? hidden_character(value, false)
                           : std::nullopt) {  // of an escape; what stands in the text itself was looked at before
        error("spec-control-character", begin, end, format("invisible character U+{:04X} in the text", hidden->number))
            .help("remove it: a spec says what it seems to say");
        throw Stop{};
      }
      where = pooled(value);
      bits |= kPooled;
    }
    add(Kind::scalar, begin, end, where, value.size(), bits, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::sequence, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::mapping, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override {
    check_keys(stack_.back());
    close();
  }

 private:
  void end_duplicates() {
    if (duplicates_ <= kReportedDuplicates) return;
    std::size_t reported = 0;
    for (Finding& finding : findings_.all())
      if (finding.rule == "spec-duplicate-key" && finding.span.file == document_.file_ &&
          ++reported == kReportedDuplicates)
        finding.note({}, format("{} more keys in this file are given twice", duplicates_ - kReportedDuplicates));
  }

  // Text that does not stand in the file as it reads; where it is kept.
  std::size_t pooled(std::string_view value) {
    if (document_.pool_.empty()) document_.pool_.reserve(text_.size() + text_.size() / 2);  // "\L" becomes 3 bytes
    const std::size_t where = document_.pool_.size();
    document_.pool_ += value;
    return where;
  }

  // Simple text: is a value due here?
  void take_place() {
    if (stack_.empty()) {
      if (!document_.nodes_.empty()) throw Irregular{};
      return;
    }
    Frame& frame = stack_.back();
    if (frame.brackets && !frame.mapping) return;  // the scan has seen to the commas
    if (frame.mapping ? frame.key == kNoNode || (frame.brackets && !frame.due) : !frame.due) throw Irregular{};
    frame.due = false;
  }
  void add_empty() {
    const std::size_t place = empty_place(text_.size());
    add(Kind::null, place, place, place, 0, 0, 0);
    stack_.back().due = false;
  }
  void open_simple(bool sequence, std::size_t at, bool brackets) {
    take_place();
    const NodeId id = add(sequence ? Kind::sequence : Kind::mapping, at, at, kNoNode, 0, 0, 0);
    stack_.push_back({.node = id, .end = narrow(at), .mapping = !sequence, .brackets = brackets});
  }
  void close_simple() {
    Frame& frame = stack_.back();
    if ((frame.mapping && frame.key != kNoNode) || (!frame.mapping && frame.due)) add_empty();
    if (frame.mapping) check_keys(frame);
    close();
  }

  std::size_t place(const YAML::Mark& mark) const {
    return std::min(text_.size(), bom_ + static_cast<std::size_t>(std::max(0, mark.pos)));
  }
  SourceSpan span(std::size_t begin, std::size_t end) const { return {document_.file_, narrow(begin), narrow(end)}; }
  Finding& error(std::string_view rule, std::size_t begin, std::size_t end, std::string message) {
    return findings_.error(rule, span(begin, end), std::move(message));
  }
  [[noreturn]] void stop(std::string_view rule, std::size_t begin, std::size_t end, std::string message) {
    error(rule, begin, end, std::move(message));
    throw Stop{};
  }
  bool expects_key() const { return !stack_.empty() && stack_.back().mapping && stack_.back().key == kNoNode; }
  std::size_t previous_end() const { return stack_.empty() ? 0 : stack_.back().end; }
  bool over_budget() const {
    return text_.size() + document_.pool_.size() + sizeof(Document::Node) * expanded_ > limits_.memory_bytes;
  }

  NodeId add(Kind kind, std::size_t begin, std::size_t end, std::size_t text, std::size_t length, std::uint32_t bits,
             YAML::anchor_t anchor) {
    const NodeId id = narrow(document_.nodes_.size());
    document_.nodes_.push_back(
        {narrow(begin), narrow(end), narrow(text), narrow(length), kNoNode, bits | static_cast<std::uint32_t>(kind)});
    ++expanded_;
    if (over_budget()) {
      error("spec-too-large", begin, begin,
            format("{} values up to here need more than {} MB of memory", expanded_, limits_.memory_bytes >> 20))
          .help("facts of single nodes belong in a CSV inventory, which has no such limit");
      throw Stop{};
    }
    if (anchor != 0) {
      if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
      anchors_[anchor] = {id, 1, 0, false};
    }
    if (stack_.empty()) return id;
    Frame& frame = stack_.back();
    if (frame.last == kNoNode)
      document_.nodes_[frame.node].text = id;
    else
      document_.nodes_[frame.last].next = id;
    frame.last = id;
    ++frame.nodes;
    frame.end = std::max(frame.end, narrow(end));
    if (!frame.mapping) {
      ++frame.count;
    } else if (frame.key == kNoNode) {
      frame.key = id;
      if (kind == Kind::scalar && (bits & kQuoted) == 0 && text_.substr(begin, end - begin) == "<<")
        frame.merges = true;
    } else {
      frame.key = kNoNode;
      ++frame.count;
    }
    return id;
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const std::size_t at = place(mark);
    if (tag.size() > 1) core_tag(tag, at);
    const std::size_t begin = places_.skip_properties(at);
    if (expects_key())
      stop("spec-key-not-text", begin, begin + 1,
           format("a key must be text, this is a {}", kind == Kind::mapping ? "mapping" : "list"));
    if (stack_.size() >= limits_.depth)
      stop("spec-nested-too-deep", begin, begin + 1, format("nested more than {} levels deep", limits_.depth));
    const NodeId id = add(kind, begin, begin, kNoNode, 0, 0, anchor);
    if (anchor != 0) anchors_[anchor].open = true;
    stack_.push_back({.node = id, .end = narrow(begin), .anchor = anchor, .mapping = kind == Kind::mapping});
  }

  void close() {
    const Frame frame = stack_.back();
    stack_.pop_back();
    Document::Node& node = document_.nodes_[frame.node];
    node.length = frame.count;
    std::size_t end = frame.end;
    const char bracket = node.begin < text_.size() ? text_[node.begin] : '\0';
    if (bracket == (frame.mapping ? '{' : '[')) {
      end = std::max<std::size_t>(end, node.begin + 1);
      while (true) {
        end = yaml_skip_space(text_, end);
        if (end < text_.size() && (text_[end] == ',' || text_[end] == ':'))
          ++end;
        else
          break;
      }
      end = std::min(end + 1, text_.size());
    }
    node.end = narrow(end);
    if (frame.anchor != 0) {
      anchors_[frame.anchor].open = false;
      anchors_[frame.anchor].nodes = frame.nodes;
      anchors_[frame.anchor].height = frame.height;
    }
    if (!stack_.empty()) {
      stack_.back().nodes += frame.nodes - 1;
      stack_.back().height = std::max(stack_.back().height, frame.height + 1);
      stack_.back().end = std::max(stack_.back().end, node.end);
    }
  }

  // True where the tag says "text". Only the tags of the core schema have a meaning here.
  bool core_tag(std::string_view tag, std::size_t at) {
    if (tag.starts_with(kCoreTag)) {
      const std::string_view name = tag.substr(kCoreTag.size());
      if (name == "str") return true;
      constexpr std::array<std::string_view, 6> kKnown = {"null", "bool", "int", "float", "map", "seq"};
      if (std::ranges::find(kKnown, name) != kKnown.end()) return false;
    }
    stop("spec-unknown-tag", at, places_.properties_end(at),
         format("tag '{}' means nothing here", text_.substr(at, places_.properties_end(at) - at)));
  }

  bool in_brackets() const {
    return std::ranges::any_of(stack_, [&](const Frame& f) {
      const std::size_t begin = document_.nodes_[f.node].begin;
      return begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{');
    });
  }
  // Just behind the colon, dash or comma that an empty value follows.
  std::size_t empty_place(std::size_t at) const {
    if (places_.property_at(at)) return places_.properties_end(at);
    if (stack_.empty()) return at;
    const Frame& frame = stack_.back();
    const std::size_t from = frame.mapping ? document_.nodes_[frame.key].end : frame.end;
    const std::size_t sign = yaml_skip_space(text_, from);
    if (sign < text_.size() && text_[sign] == (frame.mapping ? ':' : '-')) return sign + 1;
    return from;
  }

  // Keys: each once in a mapping; then what `<<` brings in.
  void check_keys(Frame& frame) {
    auto& nodes = document_.nodes_;
    std::vector<NodeId> merged;
    if (frame.count < 2 && !frame.merges) return;
    keys_.clear(frame.count);
    NodeId last = kNoNode;  // last node that stays
    for (NodeId key = nodes[frame.node].text; key != kNoNode;) {
      const NodeId value = nodes[key].next, following = nodes[value].next;
      bool keep = true;
      if (frame.merges && (nodes[key].bits & kQuoted) == 0 && document_.scalar(key) == "<<") {
        merged.push_back(value);
        if (merged.size() > 1)
          report_duplicate(key, first_merge_);
        else
          first_merge_ = key;
        keep = false;
      } else if (const NodeId first = keys_.insert(key); first != kNoNode) {
        report_duplicate(key, first);
        keep = false;
      }
      if (keep) {
        last = value;
      } else {
        --frame.count;
        if (last == kNoNode)
          nodes[frame.node].text = following;
        else
          nodes[last].next = following;
      }
      key = following;
    }
    frame.last = last;
    if (!merged.empty()) merge(frame, merged.front());
  }

  void report_duplicate(NodeId key, NodeId first) {
    if (++duplicates_ > kReportedDuplicates) return;
    constexpr std::size_t kLongest = 60;
    const std::string_view name = document_.scalar(key);
    Finding& finding =
        findings_.error("spec-duplicate-key", {document_.file_, document_.nodes_[key].begin, document_.nodes_[key].end},
                        name.size() > kLongest ? "a key is given twice in one mapping"
                                               : format("key '{}' is given twice in one mapping", name));
    finding.note({document_.file_, document_.nodes_[first].begin, document_.nodes_[first].end}, "first given here");
    // Said twice in the same words: one of them is enough.
    const Document::Node& value = document_.nodes_[document_.nodes_[key].next];
    const Document::Node& other = document_.nodes_[document_.nodes_[first].next];
    if (kind(document_.nodes_[key].next) != Kind::scalar || value.begin == value.end ||
        document_.nodes_[key].begin > value.begin || document_.nodes_[first].begin > document_.nodes_[key].begin)
      return;
    const std::string_view said = text_.substr(value.begin, value.end - value.begin),
                           first_said = text_.substr(other.begin, other.end - other.begin);
    if (said != first_said) {
      if (name.size() + std::max(said.size(), first_said.size()) <= kLongest && !first_said.empty() &&
          first_said.find('\n') == first_said.npos)
        finding.help(format("take out `{}: {}` or `{}: {}`", name, first_said, name, said));
      return;
    }
    if (const auto edit =
            removal_of_pair(*document_.sources_, {document_.file_, document_.nodes_[key].begin, value.end}))
      finding.fixed_by("remove the second one", {*edit});
  }

  void merge(Frame& frame, NodeId from) {
    std::vector<NodeId> sources;
    if (kind(from) == Kind::mapping) {
      sources.push_back(from);
    } else if (kind(from) == Kind::sequence) {
      for (NodeId item = document_.nodes_[from].text; item != kNoNode; item = document_.nodes_[item].next)
        sources.push_back(item);
    } else {
      sources.push_back(from);
    }
    for (const NodeId source : sources) {
      const Document::Node part = document_.nodes_[source];
      if (kind(source) != Kind::mapping) {
        error("spec-merge-not-mapping", part.begin, part.end,
              "the value of '<<' must be a mapping or a list of mappings");
        continue;
      }
      // Looking costs as much as copying would, so both count against the budget: a long list of large merges ends
      // here.
      expanded_ += 2 * static_cast<std::uint64_t>(part.length);
      frame.nodes += 2 * static_cast<std::uint64_t>(part.length);
      if (over_budget())
        stop("spec-too-large", part.begin, part.end,
             format("with this merge the file expands to {} values, more than fit in {} MB of memory", expanded_,
                    limits_.memory_bytes >> 20));
      grow_keys(frame, frame.count + part.length);
      const NodeId begin = narrow(document_.nodes_.size());
      for (NodeId key = part.text; key != kNoNode;) {
        const NodeId value = document_.nodes_[key].next;
        const NodeId following = document_.nodes_[value].next;
        const NodeId copy = narrow(document_.nodes_.size());
        document_.nodes_.push_back(document_.nodes_[key]);
        if (keys_.insert(copy) != kNoNode) {
          document_.nodes_.pop_back();
        } else {
          document_.nodes_.push_back(document_.nodes_[value]);
          document_.nodes_[copy].next = copy + 1;
          document_.nodes_[copy + 1].next = kNoNode;
          if (frame.last == kNoNode)
            document_.nodes_[frame.node].text = copy;
          else
            document_.nodes_[frame.last].next = copy;
          frame.last = copy + 1;
          ++frame.count;
        }
        key = following;
      }
      const NodeId end = narrow(document_.nodes_.size());
      if (end != begin) document_.merges_.push_back({begin, end, part.begin, part.end});
    }
  }

  void grow_keys(const Frame& frame, std::size_t keys) {
    if (keys_.has_room_for(keys)) return;
    keys_.clear(2 * keys);  // doubles, so that a list of small merges stays linear
    for (NodeId key = document_.nodes_[frame.node].text; key != kNoNode;
         key = document_.nodes_[document_.nodes_[key].next].next)
      keys_.insert(key);
  }

  Kind kind(NodeId id) const { return static_cast<Kind>(document_.nodes_[id].bits & kKindMask); }

  Findings& findings_;
  const YamlLimits& limits_;
  std::string_view text_;
  YamlPlaces places_;
  std::size_t bom_ = 0;
  Document document_;
  std::vector<Frame> stack_;
  std::vector<Anchor> anchors_;
  KeyTable keys_;               // of the mapping that is checked
  std::uint64_t expanded_ = 0;  // nodes, aliases and merges expanded
  std::size_t duplicates_ = 0;
  NodeId first_merge_ = kNoNode;
};

std::optional<Document> build_document(const Sources& sources, FileId file, Findings& findings,
                                       const YamlLimits& limits, const ScanResult& scan) {
  return DocumentBuilder(sources, file, findings, limits, scan).run();
}

bool build_simple_document(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits,
                           const ScanResult& scan, std::optional<Document>& document) {
  return DocumentBuilder(sources, file, findings, limits, scan).run_simple(document);
}

}  // namespace clusterc
