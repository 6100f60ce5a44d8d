#include <charconv>
#include <optional>

#include "audit/fabric_records.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostTold = 20;  // lines that cannot be read, told one by one

// One line, read from the left. Every step says whether it found what it asked for.
class Line {
 public:
  Line(std::string_view text, std::uint32_t begin) : text_(text), begin_(begin) {}
  void blanks() {
    while (!rest().empty() && (rest().front() == ' ' || rest().front() == '\t')) ++at_;
  }
  bool eat(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool number(std::int64_t& out) {
    const auto [end, bad] = std::from_chars(rest().data(), rest().data() + rest().size(), out);
    if (bad != std::errc() || out < 0) return false;
    at_ += static_cast<std::size_t>(end - rest().data());
    return true;
  }
  // "…" without escapes, as the tool writes it.
  std::optional<std::string_view> quoted() {
    if (!eat("\"")) return {};
    const std::size_t end = rest().find('"');
    if (end == std::string_view::npos) return {};
    const std::string_view out = rest().substr(0, end);
    at_ += end + 1;
    return out;
  }
  // "[1]" or "[1][ext 3]"
  bool port(std::int64_t& out) {
    if (!eat("[") || !number(out) || !eat("]")) return false;
    if (eat("[ext ")) {
      std::int64_t external = 0;
      return number(external) && eat("]");
    }
    return true;
  }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view all() const { return text_; }
  std::uint32_t begin() const { return begin_; }

 private:
  std::string_view text_;
  std::uint32_t begin_;
  std::size_t at_ = 0;
};

bool is_hex(std::string_view text) {
  return !text.empty() && text.size() <= 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "S-2c5eab0300b87b40": the letter and the GUID.
bool read_id(std::string_view word, char& kind, std::string& guid) {
  if (word.size() < 3 || word[1] != '-' || !is_hex(word.substr(2))) return false;
  kind = word[0];
  if (kind != 'S' && kind != 'H' && kind != 'R') return false;
  guid = std::string(18 - word.size(), '0') + std::string(word.substr(2));
  return true;
}

// "4xNDR", the last word of a line of a port.
bool read_speed(std::string_view line, SeenLink& out) {
  const std::size_t blank = trim(line).find_last_of(" \t");
  const std::string_view word = blank == std::string_view::npos ? trim(line) : trim(line).substr(blank + 1);
  const std::size_t x = word.find('x');
  std::int64_t lanes = 0;
  if (x == std::string_view::npos || x == 0) return false;
  const auto [end, bad] = std::from_chars(word.data(), word.data() + x, lanes);
  if (bad != std::errc() || end != word.data() + x || lanes < 1 || lanes > 12) return false;
  out.lanes = lanes;
  out.speed = one_line(word.substr(0, 16));
  out.rate = BitsPerSecond(static_cast<double>(lanes) * lane_rate(word.substr(x + 1)).value);
  return true;
}

class Reader {
 public:
  Reader(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings), records_(out_, findings) {}

  SeenFabric read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      std::size_t end = text_.find('\n', begin);
      if (end == std::string_view::npos) end = text_.size();
      std::string_view line = text_.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(Line(line, static_cast<std::uint32_t>(begin)));
      begin = end + 1;
    }
    if (bad_ > kMostTold)
      findings_.warning("audit-capture-unread", {file_, 0, 0},
                        format("{} more lines are none that ibnetdiscover writes", bad_ - kMostTold));
    records_.drop_shared_names();
    lacks_records();
    return std::move(out_);
  }

 private:
  SourceSpan span(const Line& l) const {
    return {file_, l.begin(), l.begin() + static_cast<std::uint32_t>(l.all().size())};
  }

  void take(Line l) {
    l.blanks();
    if (l.rest().empty() || l.rest().front() == '#') return;
    for (const std::string_view key :
         {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Chassis ", "Grouping of"})
      if (l.rest().starts_with(key)) return;
    const bool good = l.rest().front() == '[' ? take_port(l) : take_device(l);
    if (!good && ++bad_ <= kMostTold)
      findings_.warning("audit-capture-unread", span(l), "this is no line that ibnetdiscover writes")
          .help("take the file as the tool wrote it: ibnetdiscover > FILE");
  }

  bool take_device(Line& l) {
    present_ = -1;
    if (!l.eat("Switch") && !l.eat("Ca") && !l.eat("Rt")) return false;
    std::int64_t ports = 0;
    l.blanks();
    if (!l.number(ports)) return false;
    l.blanks();
    const auto id = l.quoted();
    char kind = 0;
    std::string guid;
    if (!id || !read_id(*id, kind, guid)) return false;
    l.blanks();
    if (!l.eat("#")) return false;
    l.blanks();
    const auto description = l.quoted();
    present_ = records_.device(kind != 'H', guid, description.value_or(""), span(l));
    out_.devices[static_cast<std::size_t>(present_)].span = span(l);
    out_.devices[static_cast<std::size_t>(present_)].listed = true;
    return true;
  }

  bool take_port(Line& l) {
    if (present_ < 0) return false;
    SeenLink link;
    link.span = span(l);
    if (!l.port(link.a_port)) return false;
    if (l.eat("(")) {  // the GUID of an adapter's port
      const std::size_t end = l.rest().find(')');
      if (end == std::string_view::npos) return false;
      records_.port_guid(present_, l.rest().substr(0, end));
      l.eat(l.rest().substr(0, end + 1));
    }
    l.blanks();
    const auto id = l.quoted();
    char kind = 0;
    std::string guid;
    if (!id || !read_id(*id, kind, guid) || !l.port(link.b_port)) return false;
    const std::size_t hash = l.rest().find('#');
    if (hash == std::string_view::npos) return false;
    Line comment(l.rest().substr(hash + 1), 0);
    if (!read_speed(comment.rest(), link)) return false;
    // The description of the other end: the only text in quotes behind the mark.
    const std::size_t quote = comment.rest().find('"');
    std::string_view description;
    if (quote != std::string_view::npos) {
      Line words(comment.rest().substr(quote), 0);
      description = words.quoted().value_or("");
    }
    link.a = present_;
    link.b = records_.device(kind != 'H', guid, description, link.span);
    records_.add(link);
    return true;
  }

  // The tool writes a record for every device, with a line for each of its links: each link stands there twice.
  void lacks_records() {
    const SeenDevice* first = nullptr;
    std::int64_t unlisted = 0, once = 0;
    const SeenLink* alone = nullptr;
    for (const SeenDevice& d : out_.devices)
      if (!d.listed) {
        if (!first) first = &d;
        ++unlisted;
      }
    for (const SeenLink& l : out_.links)
      if (!l.twice && out_.devices[static_cast<std::size_t>(l.a)].listed &&
          out_.devices[static_cast<std::size_t>(l.b)].listed) {
        if (!alone) alone = &l;
        ++once;
      }
    // Where it was cut, the record of the last device is not whole: what it does not list is not missing.
    if (first && present_ >= 0) out_.devices[static_cast<std::size_t>(present_)].listed = false;
    constexpr const char* kHelp = "take the file again, and keep it as the tool wrote it: ibnetdiscover > FILE";
    if (first)
      findings_
          .warning(
              "audit-capture-unread", first->span,
              format(
                  "the dump has no record of {} of its {} devices, for example of the one in this line: the dump was "
                  "cut, or edited",
                  unlisted, out_.devices.size()))
          .help(kHelp);
    if (alone)
      findings_
          .warning("audit-capture-unread", alone->span,
                   format("{} of {} links have one of their ends only, for example the one in this line: the dump was "
                          "cut, or edited",
                          once, out_.links.size()))
          .help(kHelp);
  }

  std::string_view text_;
  FileId file_;
  Findings& findings_;
  SeenFabric out_;
  FabricRecords records_;
  std::int32_t present_ = -1;
  std::size_t bad_ = 0;
};

}  // namespace

SeenFabric read_ibnetdiscover(const Sources& sources, FileId file, Findings& findings) {
  return Reader(sources, file, findings).read();
}

}  // namespace clusterc
