#include "model/sonic_ports.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostNumbers = 4096;  // ports of a switch, at most

std::optional<std::int64_t> whole(std::string_view text) {
  const auto number = parse_uint(text);
  if (!number || *number > 10'000'000) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::vector<std::string_view> columns_of(std::string_view text) {
  std::vector<std::string_view> out = split(text, ' ');
  std::erase(out, "");
  return out;
}

// "400G" or, without the letter, Mb/s.
std::optional<std::int64_t> mbps_of(std::string_view text) {
  const bool giga = text.ends_with('G');
  if (giga) text.remove_suffix(1);
  const auto number = whole(text);
  if (!number) return std::nullopt;
  return *number * (giga ? 1000 : 1);
}

std::optional<SonicMode> mode_of(std::string_view text, std::int64_t width) {
  SonicMode out{std::string(text), 1, width, {}};
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto ways = whole(text.substr(0, x));
  if (!ways || *ways < 1 || *ways > 8) return std::nullopt;
  out.ways = *ways;
  text.remove_prefix(x + 1);
  const std::size_t more = text.find_first_of("[(");
  const auto first = mbps_of(text.substr(0, more));
  if (!first) return std::nullopt;
  out.mbps.push_back(*first);
  text.remove_prefix(std::min(more, text.size()));
  while (!text.empty()) {
    const std::size_t end = text.find(text.front() == '[' ? ']' : ')');
    if ((text.front() != '[' && text.front() != '(') || end == std::string_view::npos) return std::nullopt;
    std::string_view inner = text.substr(1, end - 1);
    if (text.front() == '(') {
      const auto lanes = whole(inner);
      if (!lanes || *lanes < 1 || *lanes > width) return std::nullopt;
      out.lanes = *lanes;
    } else {
      for (std::size_t at = 0; at <= inner.size();) {
        const std::size_t comma = std::min(inner.find(',', at), inner.size());
        const auto rate = mbps_of(inner.substr(at, comma - at));
        if (!rate) return std::nullopt;
        out.mbps.push_back(*rate);
        at = comma + 1;
      }
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

std::optional<std::vector<SonicMode>> modes_in(const Value<std::string>& text, std::int64_t width) {
  std::vector<SonicMode> out;
  if (!text) return out;
  for (const std::string_view word : columns_of(*text)) {
    auto mode = mode_of(word, width);
    if (!mode) return std::nullopt;
    out.push_back(std::move(*mode));
  }
  return out;
}

// Does any of the ranges of `width` numbers (of `uplink_width` from `ports` on) share a number with another?
bool overlap(const std::vector<std::int64_t>& first, std::size_t ports, std::int64_t width, std::int64_t uplink_width) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (std::size_t i = 0; i < first.size(); ++i) ranges.emplace_back(first[i], i < ports ? width : uplink_width);
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i - 1].first + ranges[i - 1].second > ranges[i].first) return true;
  return false;
}

std::int64_t mbps(BitsPerSecond rate) { return std::llround(rate.value / 1e6); }

}  // namespace

std::optional<std::vector<std::int64_t>> numbers_in_steps(std::string_view text) {
  std::vector<std::int64_t> out;
  for (const std::string_view word : columns_of(text)) {
    const std::size_t dash = word.find('-');
    if (dash == std::string_view::npos) {
      const auto one = whole(word);
      if (!one) return std::nullopt;
      out.push_back(*one);
    } else {
      const std::size_t slash = word.find('/', dash);
      if (slash == std::string_view::npos) return std::nullopt;
      const auto from = whole(word.substr(0, dash)), to = whole(word.substr(dash + 1, slash - dash - 1)),
                 step = whole(word.substr(slash + 1));
      if (!from || !to || !step || *step < 1 || *to < *from ||
          (*to - *from) / *step >= static_cast<std::int64_t>(kMostNumbers))
        return std::nullopt;
      for (std::int64_t n = *from; n <= *to; n += *step) out.push_back(n);
    }
    if (out.size() > kMostNumbers) return std::nullopt;
  }
  return out;
}

std::optional<SonicPortMap> SonicPortMap::of(const SwitchPart& part, std::string* why) {
  const auto fails = [&](std::string reason) {
    if (why) *why = std::move(reason);
    return std::nullopt;
  };
  if (!part.sonic || !part.sonic->platform || !part.sonic->hwsku || !part.sonic->width || !part.sonic->names ||
      !part.sonic->lanes || !part.sonic->alias || !part.ports)
    return fails("no names and lanes of its ports are known");
  const SonicPorts& s = *part.sonic;
  SonicPortMap out;
  out.twin_ = std::max<std::int64_t>(1, part.ports_per_cage.value_or(1));
  out.ports_ = *part.ports / out.twin_;
  const std::int64_t uplinks = part.uplinks.value_or(0);
  out.width_ = *s.width;
  out.uplink_width_ = s.uplink_width.value_or(*s.width);
  out.port_rate_ = part.port_rate.value_or(BitsPerSecond());
  out.uplink_rate_ = part.uplink_rate.value_or(out.port_rate_);
  auto names = numbers_in_steps(*s.names), lanes = numbers_in_steps(*s.lanes);
  if (!names || !lanes) return fails("'names' or 'lanes' is no list like 0-504/8");
  const auto wanted = static_cast<std::size_t>(out.ports_ + uplinks);
  if (names->size() != wanted || lanes->size() != wanted)
    return fails("it has " + std::to_string(wanted) + " cages, 'names' " + std::to_string(names->size()) +
                 ", 'lanes' " + std::to_string(lanes->size()));
  if (overlap(*names, static_cast<std::size_t>(out.ports_), out.width_, out.uplink_width_) ||
      overlap(*lanes, static_cast<std::size_t>(out.ports_), out.width_, out.uplink_width_))
    return fails("two of its cages share a number of 'names' or 'lanes'");
  const auto tells = [](std::string_view text, std::string_view slot) { return text.find(slot) != text.npos; };
  if (!tells(*s.alias, "{cage}") ||
      (s.split_alias &&
       (!tells(*s.split_alias, "{cage}") ||
        !(tells(*s.split_alias, "{way}") || tells(*s.split_alias, "{letter}") || tells(*s.split_alias, "{lane}")))))
    return fails("'alias' needs {cage}, 'split_alias' {cage} and one of {way}, {letter} and {lane}");
  auto modes = modes_in(s.modes, out.width_), uplink_modes = modes_in(s.uplink_modes, out.uplink_width_);
  if (!modes || !uplink_modes) return fails("'modes' is no list like 1x400G[200G] 2x200G");
  out.names_ = std::move(*names);
  out.lanes_ = std::move(*lanes);
  out.modes_ = std::move(*modes);
  out.uplink_modes_ = std::move(*uplink_modes);
  out.alias_ = *s.alias;
  out.split_alias_ = s.split_alias.value_or("");
  return out;
}

const SonicMode* SonicPortMap::mode(std::int64_t cage, std::int64_t ways, BitsPerSecond rate) const {
  if (cage < 1 || cage > cages()) return nullptr;
  const std::vector<SonicMode>& modes = modes_of(cage);
  const std::int64_t wanted = mbps(rate);
  // One whose own rate it is before one that has it as an alternative.
  const auto own = std::find_if(modes.begin(), modes.end(),
                                [&](const SonicMode& m) { return m.ways == ways && m.mbps.front() == wanted; });
  if (own != modes.end()) return &*own;
  const auto other = std::find_if(modes.begin(), modes.end(), [&](const SonicMode& m) {
    return m.ways == ways && std::find(m.mbps.begin(), m.mbps.end(), wanted) != m.mbps.end();
  });
  return other == modes.end() ? nullptr : &*other;
}

std::optional<SonicPort> SonicPortMap::port(std::int64_t cage, std::int64_t ways, std::int64_t way,
                                            BitsPerSecond rate) const {
  if (cage < 1 || cage > cages() || ways < 1 || way < 0 || way >= ways) return std::nullopt;
  const SonicMode* of = mode(cage, ways, rate);
  const std::int64_t all = of ? of->lanes : width(cage);
  const std::int64_t each = all / ways;
  if (each < 1 || each * ways != all) return std::nullopt;
  const auto at = static_cast<std::size_t>(cage - 1);
  SonicPort out;
  out.name = "Ethernet" + std::to_string(names_[at] + way * each);
  for (std::int64_t lane = 0; lane < each; ++lane)
    out.lanes += (lane ? "," : "") + std::to_string(lanes_[at] + way * each + lane);
  out.index = cage;
  out.alias = ways == 1 ? alias_ : split_alias_.empty() ? alias_ + "/{way}" : split_alias_;
  for (const auto& [slot, by] : {std::pair{"{cage}", std::to_string(cage)}, std::pair{"{way}", std::to_string(way + 1)},
                                 std::pair{"{letter}", std::string(1, static_cast<char>('a' + way))},
                                 std::pair{"{lane}", std::to_string(way * each + 1)}})
    out.alias = replace_all(out.alias, slot, by);
  return out;
}

}  // namespace clusterc
