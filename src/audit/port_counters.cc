#include "audit/port_counters.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "audit/fabric_records.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

struct Counter {
  std::string_view field;  // small letters without '_', "Counter" and endings of extended ones
  std::string_view words;
};
// The other counters of a port tell congestion, or an error on another link.
constexpr Counter kCounters[] = {{"symbolerror", "symbol errors"},
                                 {"linkerrorrecovery", "link recoveries"},
                                 {"linkdowned", "times that the link went down"},
                                 {"linkdown", "times that the link went down"},
                                 {"portrcverrors", "receive errors"},
                                 {"locallinkintegrityerrors", "link integrity errors"},
                                 {"excessivebufferoverrunerrors", "buffer overruns"},
                                 {"excessivebuffererrors", "buffer overruns"}};

std::string plain_field(std::string_view field) {
  std::string out;
  for (const char c : to_lower(field))
    if (c != '_') out += c;
  for (const std::string_view ending : {"extended", "ext", "counter"})
    if (out.ends_with(ending)) out.resize(out.size() - ending.size());
  return out;
}

std::optional<std::int64_t> number_of(std::string_view value) {
  int base = 10;
  if (value.starts_with("0x")) base = 16, value.remove_prefix(2);
  std::uint64_t out = 0;
  const auto [end, bad] = std::from_chars(value.data(), value.data() + value.size(), out, base);
  if (bad != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(out, INT64_MAX));
}

// "Lid=0x0001" of a line of words; empty: it has no such word.
std::string_view value_of(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1))
    if (at == 0 || line[at - 1] == ' ') {
      line.remove_prefix(at + key.size());
      return line.substr(0, line.find(' '));
    }
  return {};
}

class Reader {
 public:
  Reader(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings) {}

  SeenFabric read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      std::string_view line = text_.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(line, {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + line.size())});
      begin = end + 1;
    }
    keep();
    for (const SourceSpan& span : unread_)
      findings_.warning("audit-capture-unread", span, "this counter has no number")
          .help("take the file again, and keep it as the program wrote it");
    if (of_errors_ && !whole_)
      findings_
          .warning("audit-capture-unread", {file_, 0, 0},
                   "the list has no line '## Summary': it was cut, and ports that it lacks were not read")
          .help("take the file again, and keep it as the tool wrote it: ibqueryerrors > FILE");
    out_.counted = true;
    return std::move(out_);
  }

 private:
  void take(std::string_view line, SourceSpan span) {
    const std::string_view words = trim(line);
    if (words.starts_with("Errors for ")) {
      of_errors_ = true;
      const std::size_t quote = words.find('"');
      name_ = quote == words.npos ? std::string_view() : words.substr(quote + 1, words.rfind('"') - quote - 1);
    } else if (words.starts_with("GUID 0x")) {
      take_errors(words, span);
    } else if (words.starts_with("Port=")) {  // of ibdiagnet2.pm
      const std::size_t named = words.find("Port Name=");
      begin_port(value_of(words, "GUID="), value_of(words, "Port="),
                 named == words.npos ? std::string_view() : words.substr(named + 10), span);
    } else if (words.starts_with("## Summary")) {
      of_errors_ = whole_ = true;
    } else if (const std::size_t equals = words.find('='); equals != words.npos && !port_.guid.empty()) {
      count(words.substr(0, equals), words.substr(equals + 1), span);
    }
  }

  // "GUID 0x1000bd port 1: [LinkDownedCounter == 12] [PortXmitData == 1440 (5.625KB)]"; the sum of all ports of a
  // switch repeats what its ports say.
  void take_errors(std::string_view words, SourceSpan span) {
    const std::size_t port = words.find(" port "), colon = words.find(':');
    if (port == words.npos || colon == words.npos || colon < port) return;
    const std::string_view number = words.substr(port + 6, colon - port - 6);
    if (number == "ALL") return;
    begin_port(words.substr(5, port - 5), number, name_, span);
    for (std::size_t at = words.find('[', colon); at != words.npos; at = words.find('[', at + 1)) {
      const std::string_view one = words.substr(at + 1, words.find(']', at) - at - 1);
      if (const std::size_t equals = one.find(" == "); equals != one.npos)
        count(one.substr(0, equals), one.substr(equals + 4), span);
    }
    keep();
  }

  void begin_port(std::string_view guid, std::string_view number, std::string_view name, SourceSpan span) {
    keep();
    port_ = {full_guid(guid), one_line(name.substr(0, 80)), number_of(number).value_or(0), {}, span};
  }
  void count(std::string_view field, std::string_view value, SourceSpan span) {
    value = value.substr(0, value.find(' '));
    if (value == "NA" || value == "N/A") return;
    constexpr std::size_t kMostTold = 20;
    if (!add_counter(port_, field, value) && unread_.size() < kMostTold) unread_.push_back(span);
  }
  void keep() {
    if (!port_.guid.empty() && !port_.beyond.empty()) out_.counters.push_back(std::move(port_));
    port_ = {};
  }

  std::string_view text_;
  FileId file_;
  Findings& findings_;
  SeenFabric out_;
  PortCounters port_;
  std::string_view name_;
  bool of_errors_ = false, whole_ = false;
  std::vector<SourceSpan> unread_;
};

}  // namespace

bool add_counter(PortCounters& to, std::string_view field, std::string_view value) {
  const std::string plain = plain_field(field);
  const auto* const known = std::ranges::find(kCounters, std::string_view(plain), &Counter::field);
  if (known == std::end(kCounters)) return true;
  const auto number = number_of(value);
  if (!number) return false;
  if (*number <= kMostErrors) return true;
  for (auto& [words, most] : to.beyond)
    if (words == known->words) {  // 32 bits, and the same with 64
      most = std::max(most, *number);
      return true;
    }
  to.beyond.emplace_back(known->words, *number);
  return true;
}

std::string counters_text(const PortCounters& c) {
  std::string out;
  for (std::size_t i = 0; i < c.beyond.size(); ++i)
    out += format("{}{} {}",
                  i == 0                     ? ""
                  : i + 1 == c.beyond.size() ? " and "
                                             : ", ",
                  c.beyond[i].second, c.beyond[i].first);
  return out;
}

SeenFabric read_counters(const Sources& sources, FileId file, Findings& findings) {
  return Reader(sources, file, findings).read();
}

void report_counters(const SeenFabric& seen, Findings& findings) {
  for (const PortCounters& c : seen.counters)
    findings
        .warning("audit-link-errors", c.span,
                 format("{} port {} has counted {}", c.name.empty() ? "device 0x" + c.guid : "'" + c.name + "'", c.port,
                        counters_text(c)))
        .help(std::string(kCountersHelp));
}

}  // namespace clusterc
