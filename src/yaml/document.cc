// From the parser's events to the flat document. The parser gives decoded values and the place where a node begins
// (with its anchor and tag); everything else about places is read off the source again here:
//
//   rack: &a "r\x30"      event: scalar, mark at '&', value "r0"
//         ^~~~~~~~~~      content begins behind the anchor, ends behind the closing quote; the text differs from the
//                         source, so it goes to the pool
//   power:                event: null, mark at whatever comes next
//         ^               an empty value stands just behind its key's colon
#include "yaml/document.h"

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
#include "yaml/remove.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

using Kind = Document::Kind;
constexpr std::uint32_t kKindMask = 3, kQuoted = 4, kPooled = 8;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";  // YAML 1.2, chapter 10
constexpr std::size_t kReportedDuplicates = 10;

std::uint32_t narrow(std::size_t n) { return static_cast<std::uint32_t>(n); }

// 64 x 64 -> 128 bit multiplication folded to 64: the mixing step of many published hashes (wyhash among them).
__extension__ typedef unsigned __int128 Wide;
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15ull,
                          kOdd2 = 0xc2b2ae3d27d4eb4full;  // 2^64 / phi; a prime of xxHash
  std::uint64_t h = seed ^ (text.size() * kOdd1);
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t n = std::min<std::size_t>(8, text.size());
    std::memcpy(&word, text.data(), n);
    h = mix(h ^ word, kOdd2 ^ seed) + kOdd1;
    text.remove_prefix(n);
  }
  return mix(h, kOdd1);
}

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
  struct Slot {
    std::uint64_t hash;
    NodeId key;
  };

  DocumentBuilder(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits,
                  const ScanResult& scan)
      : findings_(findings), limits_(limits), scan_(scan), text_(sources.text(file)) {
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
      translate(exception);
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
    const std::size_t begin = skip_properties(at);
    const std::size_t length = null_word(begin);
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
    std::size_t begin = skip_properties(at);
    const char first = begin < text_.size() ? text_[begin] : '\0';
    std::size_t end = begin;
    if (first == '"' || first == '\'') {
      end = quote_end(begin);
      quoted = true;
    } else if (first == '|' || first == '>') {
      end = block_end(begin);
      quoted = true;
    } else if (value.empty()) {  // a tag and nothing behind it
      begin = end = properties_end(at);
    } else {
      end = plain_end(begin, value);
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
    const std::size_t begin = skip_properties(at);
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
    stop("spec-unknown-tag", at, properties_end(at),
         format("tag '{}' means nothing here", text_.substr(at, properties_end(at) - at)));
  }

  // Places, read off the source.
  std::size_t property_end(std::size_t at) const {
    if (text_.substr(at, 2) == "!<")
      while (at < text_.size() && text_[at] != '>' && !yaml_break(text_[at])) ++at;
    while (at < text_.size() && !yaml_blank_or_end(text_, at) && !std::strchr(",[]{}", text_[at])) ++at;
    return at;
  }
  bool property_at(std::size_t at) const { return at < text_.size() && (text_[at] == '&' || text_[at] == '!'); }
  std::size_t skip_properties(std::size_t at) const {
    while (property_at(at)) at = yaml_skip_space(text_, property_end(at));
    return at;
  }
  std::size_t properties_end(std::size_t at) const {
    std::size_t end = at;
    while (property_at(at)) end = property_end(at), at = yaml_skip_space(text_, end);
    return end;
  }
  bool in_brackets() const {
    return std::ranges::any_of(stack_, [&](const Frame& f) {
      const std::size_t begin = document_.nodes_[f.node].begin;
      return begin < text_.size() && (text_[begin] == '[' || text_[begin] == '{');
    });
  }
  std::size_t null_word(std::size_t at) const {
    for (const std::string_view word : {"~", "null", "Null", "NULL"})
      if (text_.substr(at, word.size()) == word) {
        const std::size_t end = at + word.size();
        std::size_t behind = end;
        while (behind < text_.size() && yaml_blank(text_[behind])) ++behind;
        if (behind >= text_.size() || yaml_break(text_[behind]) || (text_[behind] == '#' && behind > end))
          return word.size();
        // Else it is a word of a longer text: `null b`, and but for brackets `null,`, `null]` and `null:x`.
        if (in_brackets() ? std::strchr(",:]}", text_[behind]) != nullptr
                          : text_[behind] == ':' && yaml_blank_or_end(text_, behind + 1))
          return word.size();
      }
    return 0;
  }
  std::size_t quote_end(std::size_t begin) const {
    const char quote = text_[begin];
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\')
        ++i;
      else if (text_[i] == quote) {
        if (quote == '"' || i + 1 >= text_.size() || text_[i + 1] != quote) return i + 1;
        ++i;
      }
    }
    return text_.size();
  }
  std::size_t block_end(std::size_t begin) const {
    const auto found = std::ranges::lower_bound(scan_.block_scalars, begin, {}, &ByteRange::begin);
    if (found != scan_.block_scalars.end() && found->begin == begin) return found->end;
    return std::min(text_.size(), begin + 1);
  }
  // Line ends and the blanks around them were folded in the value: step over white space on both sides.
  std::size_t plain_end(std::size_t begin, std::string_view value) const {
    if (text_.substr(begin, value.size()) == value) return begin + value.size();
    std::size_t i = begin, j = 0;
    const auto space = [](char c) { return yaml_blank(c) || yaml_break(c); };
    while (i < text_.size() && j < value.size()) {
      if (space(value[j])) {
        while (j < value.size() && space(value[j])) ++j;
        while (i < text_.size() && space(text_[i])) ++i;
      } else if (text_[i] == value[j]) {
        ++i, ++j;
      } else {
        break;
      }
    }
    return i;
  }
  // Just behind the colon, dash or comma that an empty value follows.
  std::size_t empty_place(std::size_t at) const {
    if (property_at(at)) return properties_end(at);
    if (stack_.empty()) return at;
    const Frame& frame = stack_.back();
    const std::size_t from = frame.mapping ? document_.nodes_[frame.key].end : frame.end;
    const std::size_t sign = yaml_skip_space(text_, from);
    if (sign < text_.size() && text_[sign] == (frame.mapping ? ':' : '-')) return sign + 1;
    return from;
  }

  // Keys: each once in a mapping; then what `<<` brings in.
  std::string_view text_of(NodeId id) const { return document_.scalar(id); }

  NodeId insert_key(NodeId key) {  // the same key if it is there already
    const std::uint64_t hash = hash_text(text_of(key), seed_);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      if (slots_[i].key == kNoNode) {
        slots_[i] = {hash, key};
        return kNoNode;
      }
      if (slots_[i].hash == hash && text_of(slots_[i].key) == text_of(key)) return slots_[i].key;
    }
  }

  void size_slots(std::size_t keys) {
    std::size_t size = 16;
    while (size < 2 * keys) size *= 2;
    slots_.assign(size, {0, kNoNode});
  }

  void check_keys(Frame& frame) {
    // The seed comes from the text, so that nobody can choose keys that all fall on one place.
    if (seed_ == 0) seed_ = hash_text(text_, 0x5851f42d4c957f2dull) | 1;
    auto& nodes = document_.nodes_;
    std::vector<NodeId> merged;
    if (frame.count < 2 && !frame.merges) return;
    size_slots(frame.count);
    NodeId last = kNoNode;  // last node that stays
    for (NodeId key = nodes[frame.node].text; key != kNoNode;) {
      const NodeId value = nodes[key].next, following = nodes[value].next;
      bool keep = true;
      if (frame.merges && (nodes[key].bits & kQuoted) == 0 && text_of(key) == "<<") {
        merged.push_back(value);
        if (merged.size() > 1)
          report_duplicate(key, first_merge_);
        else
          first_merge_ = key;
        keep = false;
      } else if (const NodeId first = insert_key(key); first != kNoNode) {
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
    const std::string_view name = text_of(key);
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
      finding.fixed_by("take the second one out", {*edit});
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
        error("spec-merge-not-mapping", part.begin, part.end, "'<<' takes a mapping or a list of mappings");
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
      grow_slots(frame, frame.count + part.length);
      const NodeId begin = narrow(document_.nodes_.size());
      for (NodeId key = part.text; key != kNoNode;) {
        const NodeId value = document_.nodes_[key].next;
        const NodeId following = document_.nodes_[value].next;
        const NodeId copy = narrow(document_.nodes_.size());
        document_.nodes_.push_back(document_.nodes_[key]);
        if (insert_key(copy) != kNoNode) {
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

  void grow_slots(const Frame& frame, std::size_t keys) {
    if (2 * keys <= slots_.size()) return;
    size_slots(2 * keys);  // doubles, so that a list of small merges stays linear
    for (NodeId key = document_.nodes_[frame.node].text; key != kNoNode;
         key = document_.nodes_[document_.nodes_[key].next].next)
      insert_key(key);
  }

  Kind kind(NodeId id) const { return static_cast<Kind>(document_.nodes_[id].bits & kKindMask); }

  // The parser's words for what it did not like, in ours.
  void translate(const YAML::Exception& exception) {
    const std::string_view what = exception.msg;
    const std::size_t at = exception.mark.is_null() ? text_.size() : place(exception.mark);
    const std::size_t end = std::min(text_.size(), at + 1);
    const std::string_view sign = at < text_.size() && static_cast<unsigned char>(text_[at]) > 0x20 &&
                                          static_cast<unsigned char>(text_[at]) < 0x7f
                                      ? text_.substr(at, 1)
                                      : std::string_view();
    namespace Msg = YAML::ErrorMsg;
    if (what.starts_with(Msg::UNKNOWN_ANCHOR)) {
      std::size_t name_end = property_end(at);
      error("spec-unknown-alias", at, name_end,
            format("alias '{}' has no anchor above it", text_.substr(at, name_end - at)))
          .help("write the anchor '&name' before its alias, or put the text in quotes if no alias is meant");
    } else if (what == Msg::UNKNOWN_TOKEN) {
      error("spec-yaml-syntax", at, end,
            sign.empty() ? std::string("this cannot begin a value") : format("a text cannot begin with '{}'", sign))
          .help(in_quotes(at));
    } else if (what == Msg::MAP_VALUE) {
      error("spec-yaml-syntax", at, end, "a ':' where no key can stand")
          .help("a key and its ':' stand on one line; put text that contains ': ' in quotes");
    } else if (what == Msg::MAP_KEY) {
      error("spec-yaml-syntax", at, end, "a '? ' key cannot stand here");
    } else if (what == Msg::BLOCK_ENTRY) {
      error("spec-yaml-syntax", at, end, "a '- ' item cannot stand here")
          .help("begin the list on a line of its own, or write it in [ ]");
    } else if (what == Msg::END_OF_MAP) {
      error("spec-yaml-syntax", at, end, "a key was expected here");
    } else if (what == Msg::END_OF_SEQ) {
      error("spec-yaml-syntax", at, end, "a list item '- ' was expected here");
    } else if (what == Msg::END_OF_SEQ_FLOW || what == Msg::END_OF_MAP_FLOW) {
      error("spec-missing-comma", at, end,
            format("',' or '{}' was expected here", what == Msg::END_OF_SEQ_FLOW ? ']' : '}'));
    } else if (what == Msg::FLOW_END) {
      error("spec-bracket-not-closed", at, end, format("'{}' closes nothing", sign));
    } else if (what == Msg::TAB_IN_INDENTATION) {
      error("spec-tab-in-indentation", at, end, "a tab in the indentation").label("YAML allows blanks only");
    } else if (what == Msg::DOC_IN_SCALAR || what == Msg::EOF_IN_SCALAR) {
      error("spec-quote-not-closed", at, end, "a quote is not closed before this");
    } else if (what == Msg::CHAR_IN_BLOCK) {
      error("spec-yaml-syntax", at, end, "nothing but a comment may follow '|' or '>' on its line");
    } else if (what == Msg::MULTIPLE_ANCHORS || what == Msg::MULTIPLE_TAGS) {
      error("spec-yaml-syntax", at, end,
            what == Msg::MULTIPLE_TAGS ? "a second tag for one value" : "a second anchor for one value");
    } else if (what.starts_with(Msg::INVALID_ESCAPE) && at >= 2 && text_[at - 2] == '\\') {
      error("spec-yaml-syntax", at - 2, at, format("'{}' is no escape", text_.substr(at - 2, 2)))
          .help("inside double quotes a backslash begins an escape; write '\\\\' or use single quotes");
    } else {
      error("spec-yaml-syntax", at, end, std::string(what));
    }
  }

  // The rest of the line, as it would stand in quotes.
  std::string in_quotes(std::size_t at) const {
    const std::size_t comment = text_.find(" #", at);
    std::string_view rest = text_.substr(at, std::min(text_.find_first_of("\r\n,[]{}", at + 1), comment) - at);
    while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
    constexpr std::size_t kLongest = 60;
    if (rest.empty() || rest.size() > kLongest || rest.find_first_of("\"\\") != rest.npos)
      return "put the text in quotes";
    return format("put the text in quotes: `\"{}\"`", rest);
  }

  Findings& findings_;
  const YamlLimits& limits_;
  const ScanResult& scan_;
  std::string_view text_;
  std::size_t bom_ = 0;
  Document document_;
  std::vector<Frame> stack_;
  std::vector<Anchor> anchors_;
  std::vector<Slot> slots_;
  std::uint64_t seed_ = 0;
  std::uint64_t expanded_ = 0;  // nodes, aliases and merges expanded
  std::size_t duplicates_ = 0;
  NodeId first_merge_ = kNoNode;
};

Document::Kind Document::kind(NodeId n) const { return static_cast<Kind>(nodes_[n].bits & kKindMask); }
SourceSpan Document::span(NodeId n) const { return {file_, nodes_[n].begin, nodes_[n].end}; }
bool Document::quoted(NodeId n) const { return (nodes_[n].bits & kQuoted) != 0; }
std::string_view Document::scalar(NodeId n) const {
  const Node& node = nodes_[n];
  if (kind(n) == Kind::sequence || kind(n) == Kind::mapping) return {};
  return ((node.bits & kPooled) != 0 ? std::string_view(pool_) : sources_->text(file_)).substr(node.text, node.length);
}
std::size_t Document::size(NodeId n) const {
  return kind(n) == Kind::sequence || kind(n) == Kind::mapping ? nodes_[n].length : 0;
}
NodeId Document::first_child(NodeId n) const { return size(n) == 0 ? kNoNode : nodes_[n].text; }
NodeId Document::next_sibling(NodeId n) const { return nodes_[n].next; }

NodeId Document::item(NodeId sequence, std::size_t i) const {
  NodeId child = first_child(sequence);
  while (i-- > 0 && child != kNoNode) child = nodes_[child].next;
  return child;
}
NodeId Document::key(NodeId mapping, std::size_t i) const { return item(mapping, 2 * i); }
NodeId Document::value(NodeId mapping, std::size_t i) const { return item(mapping, 2 * i + 1); }

NodeId Document::find(NodeId mapping, std::string_view name) const {
  if (!is_mapping(mapping)) return kNoNode;
  for (NodeId key = first_child(mapping); key != kNoNode; key = nodes_[nodes_[key].next].next)
    if (scalar(key) == name) return nodes_[key].next;
  return kNoNode;
}

SourceSpan Document::merged_at(NodeId key) const {
  auto after = std::ranges::upper_bound(merges_, key, {}, &Merge::begin);
  if (after == merges_.begin() || key >= (after - 1)->end) return {};
  return {file_, (after - 1)->at, (after - 1)->at_end};
}

std::optional<Document> parse_yaml_in_full(const Sources& sources, FileId file, Findings& findings,
                                           const YamlLimits& limits, const ScanResult& scan) {
  return DocumentBuilder(sources, file, findings, limits, scan).run();
}

std::optional<Document> parse_yaml(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits) {
  const ScanResult scan = scan_yaml(sources, file, findings, limits);
  if (!scan.ok) return std::nullopt;
  if (scan.empty) {
    findings
        .error("spec-empty", {file, 0, 0},
               sources.text(file).empty() ? "the file is empty" : "the file holds nothing but comments")
        .help("`clusterc init --example lab` prints a spec that works, `clusterc init --ask` asks for one");
    return std::nullopt;
  }
  if (scan.simple) {
    Findings own;
    std::optional<Document> document;
    if (DocumentBuilder builder(sources, file, own, limits, scan); builder.run_simple(document)) {
      for (Finding& finding : own.all()) findings.all().push_back(std::move(finding));
      return document;
    }
  }
  return parse_yaml_in_full(sources, file, findings, limits, scan);
}

}  // namespace clusterc
