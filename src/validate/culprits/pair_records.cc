#include "validate/culprits/pair_records.h"

#include <charconv>
#include <map>

#include "validate/record.h"

namespace clusterc {
namespace {

constexpr std::string_view kMetric = "rdma.write", kDevice = "link";

// "link3" -> 3; -1: another device.
std::int32_t rail_of(std::string_view device, std::int32_t rails) {
  if (!device.starts_with(kDevice)) return -1;
  device.remove_prefix(kDevice.size());
  std::int32_t rail = -1;
  const auto [end, error] = std::from_chars(device.data(), device.data() + device.size(), rail);
  return error == std::errc() && end == device.data() + device.size() && rail >= 0 && rail < rails ? rail : -1;
}

}  // namespace

std::vector<PairValue> pair_values(const PairFabric& f, std::span<const std::string> order,
                                   std::span<const TaskOutput> tasks) {
  std::map<std::string, std::int32_t> number;
  for (std::int32_t n = 0; n < f.nodes; ++n) number.emplace(f.node_name(n), n);
  std::map<std::int32_t, const TaskOutput*> task_of;
  for (const TaskOutput& task : tasks)
    if (const auto node = number.find(task.node); node != number.end()) task_of[node->second] = &task;
  std::vector<PairValue> out;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    const auto first = number.find(order[i]), second = number.find(order[i + 1]);
    if (first == number.end() || second == number.end()) continue;
    if (!task_of.contains(first->second) && !task_of.contains(second->second)) continue;
    for (const auto& [from, to] : {std::pair{first->second, second->second}, {second->second, first->second}}) {
      std::vector<double> values(static_cast<std::size_t>(f.rails));
      if (const auto task = task_of.find(from); task != task_of.end() && task->second->broken.empty())
        for (const MeasurementRecord& m : read_records(task->second->lines).measurements)
          if (m.metric == kMetric && m.damaged.empty() && m.wrong == 0)
            if (const std::int32_t rail = rail_of(m.device, f.rails); rail >= 0)
              values[static_cast<std::size_t>(rail)] = m.value;
      for (std::int32_t rail = 0; rail < f.rails; ++rail)
        out.push_back({.path = {from, to, rail}, .value = values[static_cast<std::size_t>(rail)]});
    }
  }
  return out;
}

std::vector<std::string> hosts_of(const PairFabric& f, const PairRound& round) {
  std::vector<std::string> out;
  for (const auto& [a, b] : round) {
    out.push_back(f.node_name(a));
    out.push_back(f.node_name(b));
  }
  return out;
}

}  // namespace clusterc
