#include "validate/pair_search.h"

#include <algorithm>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "validate/culprits/pair_records.h"
#include "validate/record.h"

namespace clusterc {
namespace {

std::vector<std::int64_t> members_named(const NodeGroupModel& group, const std::vector<std::string>& nodes) {
  std::vector<std::int64_t> out;
  out.reserve(nodes.size());
  for (const std::string& node : nodes)
    if (const std::int64_t member = group.names.index_of(node); member >= 0) out.push_back(member);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// What it measured says nothing of the network: other work ran there, or there was nothing to measure.
bool says_nothing(const TaskOutput& task) {
  const ResultRecords records = read_records(task.lines);
  return records.not_applicable || records.error.starts_with("busy") ||
         std::ranges::any_of(records.measurements, &MeasurementRecord::busy);
}

}  // namespace

std::string confirmations_of(std::string_view group) { return format("pair/{}/confirm-", group); }

std::vector<std::vector<std::string>> search_rounds(const Plan& plan, int group, const std::vector<std::string>& nodes,
                                                    std::int64_t rails) {
  std::vector<std::vector<std::string>> out;
  const PairFabric fabric = pair_fabric(plan, group, members_named(plan.cluster->nodes[at(group)], nodes));
  if (at(fabric.nodes) != nodes.size() || fabric.rails != rails) return out;
  const CulpritSearch search(fabric);
  for (const PairRound& round : search.base())
    if (!round.empty()) out.push_back(hosts_of(fabric, round));
  return out;
}

PairSearch::PairSearch(const Plan& plan, int group, const std::vector<std::string>& nodes)
    : plan_(plan),
      group_(group),
      members_(members_named(plan.cluster->nodes[at(group)], nodes)),
      fabric_(pair_fabric(plan, group, members_)),
      search_(fabric_) {}

void PairSearch::take(const SuiteTest& test, std::vector<std::string> order, std::span<const TaskOutput> tasks) {
  std::set<std::string> silent;
  for (const TaskOutput& task : tasks)
    if (says_nothing(task)) silent.insert(task.node);
  std::vector<std::string> heard;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    if (silent.contains(order[i]) || silent.contains(order[i + 1]))
      ++left_out_;
    else
      heard.insert(heard.end(), {std::move(order[i]), std::move(order[i + 1])});
  }
  std::vector<PairValue> values = pair_values(fabric_, heard, tasks);
  pairs_ += values.size() / std::max<std::size_t>(1, 2 * at(fabric_.rails));
  ++rounds_;
  if (static_cast<std::size_t>(test.search_round) > search_.base().size()) ++confirmations_;
  search_.take(std::move(values), static_cast<std::size_t>(test.search_round));
  latest_ = test;
}

std::optional<SuiteTest> PairSearch::confirmation() {
  if (!latest_) return std::nullopt;
  const PairRound round = search_.confirmation();
  if (round.empty()) return std::nullopt;
  SuiteTest test = *latest_;
  test.id = confirmations_of(test.group) + std::to_string(search_.rounds() - search_.base().size());
  test.nodes = hosts_of(fabric_, round);
  test.search_round = static_cast<int>(search_.rounds());
  const auto hosts = std::ranges::find(test.arguments, "--hosts");
  if (hosts != test.arguments.end() && hosts + 1 != test.arguments.end()) *(hosts + 1) = join(test.nodes, ",");
  return test;
}

void PairSearch::add_notes(const Decoded& found, SearchReport& out) const {
  if (left_out_ > 0)
    out.notes.push_back(
        format("pairs left out, because other work ran there or there was nothing to measure: {}", left_out_));
  if (!found.untested.empty())
    out.notes.push_back(
        format("directions of ports that were slow in every pair for another reason, so that nothing shows what they "
               "can do: {}",
               found.untested.size()));
  if (!found.hidden_links.empty())
    out.notes.push_back(
        format("links between switches that were slow only together with a culprit: {}", found.hidden_links.size()));
}

SearchReport PairSearch::report(const NamingHelp& help) const {
  const Decoded found = search_.result();
  SearchReport out{.group = plan_.cluster->nodes[at(group_)].name,
                   .rounds = rounds_,
                   .confirmations = confirmations_,
                   .pairs = pairs_,
                   .measurements = found.measurements,
                   .slow = found.slow,
                   .unexplained = found.unexplained,
                   .notes = notes_};
  add_notes(found, out);
  out.culprits = name_culprits(plan_, group_, members_, fabric_, found.culprits, help);
  out.open = name_culprits(plan_, group_, members_, fabric_, found.open, help);
  return out;
}

std::map<std::string, std::string> PairSearch::blamed(const SearchReport& report) const {
  std::map<std::string, std::string> out;
  for (const NamedCulprit& c : report.culprits)
    if (!c.node.empty()) out.emplace(c.node, format("its pair stage failed: {}: {}", c.what, c.verdict));
  return out;
}

std::set<std::string> PairSearch::explained() const {
  std::set<std::string> out;
  const Decoded found = search_.result();
  for (const Found& c : found.culprits) {
    if (c.node >= 0) out.insert(fabric_.node_name(c.node));
    for (const PairValue& v : c.evidence)
      if (c.kind == CulpritKind::link) out.insert({fabric_.node_name(v.path.from), fabric_.node_name(v.path.to)});
    if (c.leaf < 0) continue;
    for (std::int32_t node = 0; node < fabric_.nodes; ++node) {
      if (c.kind == CulpritKind::rack_rail && fabric_.rack[at(node)] != c.rack) continue;
      for (std::int32_t rail = 0; rail < fabric_.rails; ++rail)
        if (fabric_.leaf_of(node, rail) == c.leaf) out.insert(fabric_.node_name(node));
    }
  }
  return out;
}

}  // namespace clusterc
