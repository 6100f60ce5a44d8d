#include "validate/consistency.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

// Names of hosts may be qualified or not.
std::string first_label(const std::string& host) { return to_lower(host.substr(0, host.find('.'))); }
std::string shown(const std::string& text) { return text.substr(0, 64); }

// By another name than the specification's a node may be reached, so an unknown one says nothing; that of another node
// of the same test does.
std::string wrong_host(const ResultRecords& records, const SuiteTest& test, const std::string& node,
                       const std::vector<std::string>& nodes) {
  for (const MeasurementRecord& m : records.measurements)
    if (!m.host.empty() && m.host != records.host && first_label(m.host) != first_label(records.host))
      return format("contradictory: a figure of '{}' in a result of '{}'", shown(m.host), shown(records.host));
  if (test.mpi) return {};
  for (const std::string& name : {records.host, records.probe_host}) {
    const std::string host = first_label(name);
    if (host.empty() || host == first_label(node)) continue;
    const auto other =
        std::find_if(nodes.begin(), nodes.end(), [&](const std::string& n) { return first_label(n) == host; });
    if (other != nodes.end()) return format("contradictory: the result of this node names '{}' as its host", *other);
  }
  return {};
}

// Teams of one node each are called by the host's name: one node has one, however it is spelled.
std::string two_teams_of_a_node(const ResultRecords& records, const SuiteTest& test) {
  if (test.team_nodes != 1) return {};
  std::map<std::string, std::string> spelled;
  for (const MeasurementRecord& m : records.measurements) {
    if (m.team.empty()) continue;
    const auto [at, fresh] = spelled.try_emplace(first_label(m.team), m.team);
    if (!fresh && at->second != m.team)
      return format("contradictory: 2 results of one node, '{}' and '{}'", shown(at->second), shown(m.team));
  }
  return {};
}

// What is measured on the host says nothing of GPUs, and the other way round. A container is started by the host,
// whatever it is for.
std::string wrong_back_end(const ResultRecords& records, const SuiteTest& test) {
  const auto at = std::find(test.arguments.begin(), test.arguments.end(), "--device");
  const std::string planned = at == test.arguments.end() || at + 1 == test.arguments.end() ? "host" : *(at + 1);
  for (const MeasurementRecord& m : records.measurements) {
    if (m.backend.empty() || m.backend == planned || (test.validator == "container" && m.backend == "host")) continue;
    return format("contradictory: {} was measured by the back end '{}', but '{}' was started", shown(m.metric),
                  shown(m.backend), planned);
  }
  return {};
}

// A world that came up on a part of its nodes measured that part.
std::string smaller_world(const ResultRecords& records, const SuiteTest& test, const std::vector<std::string>& nodes) {
  if (!test.mpi || test.team_nodes > 0) return {};
  for (const MeasurementRecord& m : records.measurements)
    if (m.nodes > 0 && m.nodes != static_cast<std::int64_t>(nodes.size()))
      return format("contradictory: {} was measured on {} nodes, {} were requested", shown(m.metric), m.nodes,
                    nodes.size());
  return {};
}

std::string told_twice(const ResultRecords& records) {
  std::vector<const MeasurementRecord*> all;
  all.reserve(records.measurements.size());
  for (const MeasurementRecord& m : records.measurements) all.push_back(&m);
  const auto what = [](const MeasurementRecord* m) { return std::tie(m->device, m->metric, m->size, m->parameters); };
  std::ranges::stable_sort(all, {}, what);
  const auto twice = std::ranges::adjacent_find(all, {}, what);
  if (twice == all.end()) return {};
  const MeasurementRecord &first = **twice, &second = **std::next(twice);
  return format("contradictory: {} of {} reported twice, {:.6g} and {:.6g} {}", shown(second.metric),
                second.device.empty() ? "one device" : shown(second.device), first.value, second.value,
                shown(second.unit));
}

std::string wrong_header(const ResultRecords& records, const SuiteTest& test) {
  if (records.headers == 0) return "damaged result: it has no header";
  if (records.headers > 1)
    return format(
        "contradictory: {} results in one (each rank ran alone: launcher and program use different MPI libraries)",
        records.headers);
  if (records.probes > 1) return format("contradictory: {} inventories in one result", records.probes);
  if (records.validator != test.validator)
    return format("contradictory: a result of the validator '{}', but '{}' was started", shown(records.validator),
                  test.validator);
  return {};
}

}  // namespace

std::optional<Contradiction> contradiction_of(const ResultRecords& records, const SuiteTest& test,
                                              const std::string& node, const std::vector<std::string>& nodes) {
  const auto wrong = [](const MeasurementRecord& m) { return !m.data_verified || m.wrong > 0; };
  if (records.done && (!records.told_verified || records.told_wrong > 0) &&
      std::none_of(records.measurements.begin(), records.measurements.end(), wrong))
    return Contradiction{
        Verdict::fail, format("the data is wrong: the end record reports {} wrong values, but none of the figures does",
                              records.told_wrong)};
  for (std::string why :
       {wrong_header(records, test), wrong_host(records, test, node, nodes), two_teams_of_a_node(records, test),
        wrong_back_end(records, test), smaller_world(records, test, nodes), told_twice(records), records.damaged})
    if (!why.empty()) return Contradiction{Verdict::error, std::move(why)};
  if (const auto there = static_cast<std::int64_t>(records.measurements.size());
      records.done && records.told_measurements != there)
    return Contradiction{Verdict::error, format("incomplete: the end record counts {} figures, the result has {}",
                                                records.told_measurements, there)};
  return std::nullopt;
}

}  // namespace clusterc
