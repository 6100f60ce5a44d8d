#include "audit/fabric_records.h"

#include <utility>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestName = 64;  // bytes of a NodeDescription (IBA 14.2.5.2)

// "a06-p1-dgx-02-c01 HCA-6", "node7 mlx5_5": host and number of the adapter, from 1.
void name_adapter(std::string_view description, SeenDevice& d) {
  const std::size_t blank = description.find(' ');
  if (blank == std::string_view::npos || blank == 0) return;
  std::string_view device = description.substr(blank + 1);
  std::int64_t from = 0;
  if (device.starts_with("HCA-")) {
    device.remove_prefix(4);
  } else if (device.starts_with("mlx") || device.starts_with("ibp") || device.starts_with("hfi")) {
    const std::size_t under = device.find('_');
    if (under == std::string_view::npos) return;
    device.remove_prefix(under + 1);
    from = 1;
  } else {
    return;
  }
  const auto number = parse_uint(device);
  if (!number || *number > 1000) return;
  d.name = std::string(description.substr(0, blank));
  d.adapter = static_cast<std::int64_t>(*number) + from;
}

// "MF0;leaf-1:MQM9700/U1": the switch's own name between the two.
std::string switch_name(std::string_view description) {
  if (const std::size_t semicolon = description.find(';'); semicolon != std::string_view::npos)
    description.remove_prefix(semicolon + 1);
  return std::string(description.substr(0, description.find(':')));
}

// "MF0;leaf-1:MQM9700/U1": what stands behind the name.
std::string switch_model(std::string_view description) {
  const std::size_t colon = description.rfind(':');
  if (colon == std::string_view::npos) return {};
  description.remove_prefix(colon + 1);
  return std::string(description.substr(0, description.find('/')));
}

}  // namespace

std::int32_t FabricRecords::device(bool is_switch, const std::string& guid, std::string_view description,
                                   SourceSpan at) {
  const auto [found, fresh] = by_id_.try_emplace(guid, static_cast<std::int32_t>(out_.devices.size()));
  if (fresh) {
    SeenDevice d;
    d.id = guid;
    d.span = at;
    d.is_switch = is_switch;
    out_.devices.push_back(std::move(d));
  }
  SeenDevice& d = out_.devices[static_cast<std::size_t>(found->second)];
  if (d.name.empty() && !description.empty()) {
    description = description.substr(0, kLongestName);
    if (d.is_switch)
      d.name = one_line(switch_name(description)), d.model = one_line(switch_model(description));
    else if (description.find("Aggregation Node") != std::string_view::npos)
      d.aggregation = true;
    else
      name_adapter(description, d);
    d.name = one_line(d.name);
  }
  return found->second;
}

void FabricRecords::add(SeenLink link) {
  if (!out_.devices[static_cast<std::size_t>(link.a)].is_switch) {
    std::swap(link.a, link.b);
    std::swap(link.a_port, link.b_port);
  }
  const std::pair near{link.a, link.a_port}, far{link.b, link.b_port};
  const auto known = by_port_.find(near), back = by_port_.find(far);
  if (known != by_port_.end() && back != by_port_.end() && known->second == far && back->second == near) {
    out_.links[static_cast<std::size_t>(link_of_.at(near))].twice = true;
    return;
  }
  if (known != by_port_.end() || back != by_port_.end()) {
    findings_
        .warning("audit-capture-unread", link.span,
                 "this line names another cable for a port than an earlier line: the earlier one counts")
        .help("take the file again, while no cable is moved");
    return;
  }
  link_of_.emplace(near, static_cast<std::int32_t>(out_.links.size()));
  link_of_.emplace(far, static_cast<std::int32_t>(out_.links.size()));
  by_port_.emplace(near, far);
  by_port_.emplace(far, near);
  out_.links.push_back(std::move(link));
}

void FabricRecords::drop_shared_names() {
  std::map<std::pair<std::string, std::int64_t>, int> times;
  std::map<std::string, bool> shared;
  for (const SeenDevice& d : out_.devices)
    if (!d.is_switch && !d.name.empty() && (++times[{d.name, d.adapter}] > 1 || d.name == "localhost"))
      shared[d.name] = true;
  for (SeenDevice& d : out_.devices)
    if (!d.is_switch && shared.contains(d.name)) d.name.clear(), d.adapter = 0;
}

std::string full_guid(std::string_view digits) {
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > 16 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
    return {};
  return std::string(16 - digits.size(), '0') + to_lower(digits);
}

void FabricRecords::port_guid(std::int32_t device, std::string_view digits) {
  if (std::string guid = full_guid(digits); !guid.empty()) out_.port_guids.emplace_back(std::move(guid), device);
}

BitsPerSecond lane_rate(std::string_view speed) {
  // Data rates of the names that are sold (4x: 8, 16, 32, 40, 54.5, 100, 200, 400, 800 Gb/s); SDR to QDR after 8b/10b.
  constexpr std::pair<std::string_view, double> kRates[] = {
      {"SDR", 2e9},  {"DDR", 4e9},  {"QDR", 8e9},   {"FDR10", 10e9}, {"FDR", 14.0625e9 * 64 / 66},
      {"EDR", 25e9}, {"HDR", 50e9}, {"NDR", 100e9}, {"XDR", 200e9}};
  for (const auto& [word, rate] : kRates)
    if (word == speed) return BitsPerSecond(rate);
  return BitsPerSecond(0);
}

void append(SeenFabric& to, SeenFabric from) {
  const auto first = static_cast<std::int32_t>(to.devices.size());
  for (SeenDevice& d : from.devices) to.devices.push_back(std::move(d));
  for (SeenLink& l : from.links) {
    l.a += first, l.b += first;
    to.links.push_back(std::move(l));
  }
  for (auto& [guid, device] : from.port_guids) to.port_guids.emplace_back(std::move(guid), device + first);
  for (PortCounters& c : from.counters) to.counters.push_back(std::move(c));
}

}  // namespace clusterc
