#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "audit/fabric_dump.h"
#include "audit/fabric_records.h"
#include "audit/port_counters.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::string_view kHelp = "take the files again, and keep them as ibdiagnet wrote them";

template <class Take>
void each_line(std::string_view text, FileId file, const Take& take) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(line, SourceSpan{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + line.size())});
    begin = end + 1;
  }
}

void set_rate(SeenLink& link, std::int64_t lanes, std::string_view speed) {
  if (lanes <= 0 || speed.empty()) return;
  link.lanes = lanes;
  link.speed = format("{}x{}", lanes, speed);
  link.rate = BitsPerSecond(static_cast<double>(lanes) * lane_rate(speed).value);
}

void tell_bad(std::size_t bad, SourceSpan first, Findings& findings) {
  if (bad == 0) return;
  findings
      .warning("audit-capture-unread", first,
               bad == 1 ? std::string("this is no line that ibdiagnet writes")
                        : format("{} lines, as this one, are none that ibdiagnet writes", bad))
      .help(std::string(kHelp));
}

// ibdiagnet2.lst: `{ CA Ports:01 SystemGUID:… NodeGUID:… PortGUID:… VenID:… DevID:… Rev:… {gpu001 mlx5_0} LID:0069
// PN:01 } { SW … PN:14 } PHY=4x LOG=ACT SPD=100`, numbers of ports with 16 as their base.
struct End {
  bool is_switch = false;
  std::string node, port;
  std::string_view name;
  std::int64_t number = 0;
};

std::optional<std::string_view> field_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find_first_of(" }"));
}

std::optional<End> read_end(std::string_view& rest) {
  rest = trim(rest);
  if (!rest.starts_with("{ ")) return std::nullopt;
  const std::size_t last = rest.find(" PN:");
  const std::size_t close = last == rest.npos ? last : rest.find('}', last);
  if (close == rest.npos) return std::nullopt;
  const std::string_view body = rest.substr(2, close - 2);
  rest.remove_prefix(close + 1);
  End out;
  out.is_switch = body.starts_with("SW") || body.starts_with("RT");
  if (!out.is_switch && !body.starts_with("CA")) return std::nullopt;
  out.node = full_guid(field_of(body, " NodeGUID:").value_or(""));
  out.port = full_guid(field_of(body, " PortGUID:").value_or(""));
  const std::string_view number = trim(body.substr(body.find(" PN:") + 4));
  const auto [end, bad] = std::from_chars(number.data(), number.data() + number.size(), out.number, 16);
  if (out.node.empty() || bad != std::errc() || end != number.data() + number.size()) return std::nullopt;
  if (const std::size_t open = body.find('{'); open != body.npos)
    if (const std::size_t shut = body.rfind('}'); shut != body.npos && shut > open)
      out.name = body.substr(open + 1, shut - open - 1);
  return out;
}

std::string_view speed_of_rate(std::string_view rate) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"2.5", "SDR"}, {"5", "DDR"},  {"10", "QDR"},  {"14", "FDR"}, {"FDR10", "FDR10"},
      {"25", "EDR"},  {"50", "HDR"}, {"100", "NDR"}, {"200", "XDR"}};
  for (const auto& [word, name] : kNames)
    if (word == rate) return name;
  return {};
}

// PortInfo as the tables have it: LinkSpeedActive in the lowest byte, LinkSpeedExtActive in the second one, those of
// the vendor in the third (ibdm, IBLinkSpeed and IBLinkWidth).
std::string_view speed_of_bits(std::uint64_t bits) {
  constexpr std::pair<std::uint64_t, std::string_view> kNames[] = {
      {1, "SDR"},      {2, "DDR"},      {4, "QDR"},       {1 << 8, "FDR"},   {2 << 8, "EDR"},
      {4 << 8, "HDR"}, {8 << 8, "NDR"}, {16 << 8, "XDR"}, {1 << 16, "FDR10"}};
  for (const auto& [bit, name] : kNames)
    if (bit == bits) return name;
  return {};
}
std::int64_t lanes_of_bits(std::uint64_t bits) {
  return bits == 1 ? 1 : bits == 2 ? 4 : bits == 4 ? 8 : bits == 8 ? 12 : bits == 16 ? 2 : 0;
}

// The fields of a line; quotes go round a description that has a comma.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t end = std::string_view::npos;
    if (at < line.size() && line[at] == '"') {
      const std::size_t quote = std::min(line.find('"', at + 1), line.size());
      out.push_back(line.substr(at + 1, quote - at - 1));
      end = std::min(line.find(',', quote), line.size());
    } else {
      end = std::min(line.find(',', at), line.size());
      out.push_back(trim(line.substr(at, end - at)));
    }
    at = end + 1;
  }
  return out;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  int base = 10;
  if (word.starts_with("0x")) base = 16, word.remove_prefix(2);
  std::uint64_t out = 0;
  const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), out, base);
  if (bad != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return out;
}

// ibdiagnet2.db_csv: tables between START_NAME and END_NAME, each with a line of titles.
class Tables {
 public:
  Tables(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings), records_(out_, findings) {}

  SeenFabric read() {
    each_line(text_, file_, [&](std::string_view line, SourceSpan span) { take(line, span); });
    make_links();
    records_.drop_shared_names();
    tell_bad(bad_, bad_at_, findings_);
    if (!table_.empty())
      findings_
          .warning("audit-capture-unread", {file_, 0, 0},
                   format("the table {} has no end: the file was cut", one_line(table_.substr(0, 40))))
          .help(std::string(kHelp));
    return std::move(out_);
  }

 private:
  void take(std::string_view line, SourceSpan span) {
    if (line.starts_with("START_")) {
      table_ = line.substr(6);
      titles_.clear();
      out_.counted |= table_ == "PM_INFO";
    } else if (line.starts_with("END_")) {
      table_ = {};
    } else if (!table_.empty() && titles_.empty()) {
      const auto words = fields_of(line);
      for (std::size_t i = 0; i < words.size(); ++i) titles_.emplace(to_lower(words[i]), i);
      for (const std::string_view word : words) names_of_[table_].push_back(word);
    } else if (table_ == "NODES" || table_ == "LINKS" || table_ == "PORTS" || table_ == "PM_INFO") {
      if (!take_row(fields_of(line), span) && bad_++ == 0) bad_at_ = span;
    }
  }

  std::string_view field(const std::vector<std::string_view>& row, std::string_view title) const {
    const auto found = titles_.find(title);
    return found == titles_.end() || found->second >= row.size() ? std::string_view() : row[found->second];
  }

  bool take_row(const std::vector<std::string_view>& row, SourceSpan span) {
    if (table_ == "LINKS") {
      Joined j{full_guid(field(row, "nodeguid1")), full_guid(field(row, "nodeguid2")), 0, 0, span};
      const auto a = number_of(field(row, "portnum1")), b = number_of(field(row, "portnum2"));
      if (j.a.empty() || j.b.empty() || !a || !b) return false;
      j.a_port = static_cast<std::int64_t>(*a), j.b_port = static_cast<std::int64_t>(*b);
      joined_.push_back(std::move(j));
      return true;
    }
    const std::string guid = full_guid(field(row, "nodeguid"));
    if (guid.empty()) return false;
    if (table_ == "NODES") {
      const auto kind = number_of(field(row, "nodetype"));
      if (!kind) return false;
      const std::int32_t device = records_.device(*kind != 1, guid, field(row, "nodedesc"), span);
      out_.devices[static_cast<std::size_t>(device)].listed = true;
      return true;
    }
    if (table_ == "PM_INFO") {
      PortCounters c{guid, {}, static_cast<std::int64_t>(number_of(field(row, "portnumber")).value_or(0)), {}, span};
      const auto& names = names_of_[table_];
      bool good = true;
      for (std::size_t i = 0; i < names.size() && i < row.size(); ++i)
        if (row[i] != "N/A" && row[i] != "NA") good &= add_counter(c, names[i], row[i]);
      if (!c.beyond.empty()) out_.counters.push_back(std::move(c));
      return good;
    }
    const auto number = number_of(field(row, "portnum"));
    if (!number) return false;
    rates_[{guid, static_cast<std::int64_t>(*number)}] = {
        lanes_of_bits(number_of(field(row, "linkwidthactv")).value_or(0)),
        speed_of_bits(number_of(field(row, "linkspeedactv")).value_or(0))};
    port_guids_.emplace_back(guid, std::string(field(row, "portguid")));
    return true;
  }

  void make_links() {
    std::map<std::string, std::int32_t> devices;
    for (std::size_t d = 0; d < out_.devices.size(); ++d)
      devices.emplace(out_.devices[d].id, static_cast<std::int32_t>(d));
    for (const auto& [node, port] : port_guids_)
      if (const auto d = devices.find(node);
          d != devices.end() && !out_.devices[static_cast<std::size_t>(d->second)].is_switch)
        records_.port_guid(d->second, port);
    for (const Joined& j : joined_) {
      const auto a = devices.find(j.a), b = devices.find(j.b);
      if (a == devices.end() || b == devices.end()) {
        if (bad_++ == 0) bad_at_ = j.span;
        continue;
      }
      SeenLink link;
      link.span = j.span;
      link.a = a->second, link.b = b->second, link.a_port = j.a_port, link.b_port = j.b_port;
      if (const auto rate = rates_.find({j.a, j.a_port}); rate != rates_.end())
        set_rate(link, rate->second.first, rate->second.second);
      records_.add(std::move(link));
    }
  }

  struct Joined {
    std::string a, b;
    std::int64_t a_port, b_port;
    SourceSpan span;
  };
  std::string_view text_;
  FileId file_;
  Findings& findings_;
  SeenFabric out_;
  FabricRecords records_;
  std::string_view table_;
  std::map<std::string, std::size_t, std::less<>> titles_;
  std::map<std::string_view, std::vector<std::string_view>> names_of_;
  std::map<std::pair<std::string, std::int64_t>, std::pair<std::int64_t, std::string_view>> rates_;
  std::vector<std::pair<std::string, std::string>> port_guids_;
  std::vector<Joined> joined_;
  std::size_t bad_ = 0;
  SourceSpan bad_at_;
};

}  // namespace

SeenFabric read_ibdiagnet_lst(const Sources& sources, FileId file, Findings& findings) {
  SeenFabric out;
  FabricRecords records(out, findings);
  std::size_t bad = 0;
  SourceSpan bad_at;
  each_line(sources.text(file), file, [&](std::string_view line, SourceSpan span) {
    if (trim(line).empty() || trim(line).starts_with('#')) return;
    std::string_view rest = line;
    const auto one = read_end(rest), two = one ? read_end(rest) : std::nullopt;
    const auto phy = two ? field_of(rest, " PHY=") : std::nullopt;
    if (!phy) {
      if (bad++ == 0) bad_at = span;
      return;
    }
    SeenLink link;
    link.span = span;
    const std::array<const End*, 2> ends = {&*one, &*two};
    std::array<std::int32_t, 2> devices = {};
    for (std::size_t i = 0; i < 2; ++i) {
      devices[i] = records.device(ends[i]->is_switch, ends[i]->node, ends[i]->name, span);
      out.devices[static_cast<std::size_t>(devices[i])].listed = true;
      if (!ends[i]->is_switch) records.port_guid(devices[i], ends[i]->port);
    }
    if (const auto state = field_of(rest, " LOG="); state && *state == "DWN") return;
    link.a = devices[0], link.b = devices[1], link.a_port = ends[0]->number, link.b_port = ends[1]->number;
    const auto lanes = parse_uint(phy->substr(0, phy->find('x')));
    set_rate(link, static_cast<std::int64_t>(lanes.value_or(0)), speed_of_rate(field_of(rest, " SPD=").value_or("")));
    records.add(std::move(link));
  });
  records.drop_shared_names();
  tell_bad(bad, bad_at, findings);
  return out;
}

SeenFabric read_ibdiagnet_csv(const Sources& sources, FileId file, Findings& findings) {
  return Tables(sources, file, findings).read();
}

}  // namespace clusterc
