#include "validate/selection.h"

#include <algorithm>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/quantity.h"
#include "base/text.h"
#include "validate/expected_time.h"

namespace clusterc {
namespace {

std::string stage_names() {
  std::string out;
  for (const SuiteStage stage : all_stages()) out += (out.empty() ? "" : ", ") + std::string(stage_name(stage));
  return out;
}

std::optional<SuiteStage> stage_of(std::string_view name) {
  for (const SuiteStage stage : all_stages())
    if (stage_name(stage) == name) return stage;
  return std::nullopt;
}

std::optional<HostPattern> parse_list(std::string_view list, std::string& error) {
  HostPattern::Error wrong;
  auto pattern = HostPattern::parse(list, wrong);
  if (!pattern) error = wrong.message;
  return pattern;
}

}  // namespace

std::optional<std::set<SuiteStage>> parse_stages(std::string_view text, std::string& error) {
  std::set<SuiteStage> out;
  const bool up_to = text.starts_with("..");
  if (up_to) text.remove_prefix(2);
  for (const std::string_view name : split(text, ',')) {
    const auto stage = stage_of(name);
    if (!stage || (up_to && name.size() != text.size())) {
      error = format("must be stages ({}), or ..STAGE, not '{}'", stage_names(),
                     up_to ? ".." + std::string(text) : std::string(name));
      return std::nullopt;
    }
    for (const SuiteStage each : all_stages())
      if (each == *stage || (up_to && each < *stage)) out.insert(each);
  }
  return out;
}

std::optional<std::set<std::string>> nodes_named(const Cluster& cluster, std::string_view list, std::string& error) {
  const auto pattern = parse_list(list, error);
  if (!pattern) return std::nullopt;
  std::set<std::string> out;
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    const std::string name = pattern->name(i);
    const bool known = std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                   [&](const NodeGroupModel& g) { return g.computes && g.names.index_of(name) >= 0; });
    if (!known) {
      error = format("'{}' is no computing node of this cluster", name);
      return std::nullopt;
    }
    out.insert(name);
  }
  return out;
}

std::optional<std::set<std::string>> nodes_in_racks(const Cluster& cluster, const Plan& plan, std::string_view list,
                                                    std::string& error) {
  const auto pattern = parse_list(list, error);
  if (!pattern) return std::nullopt;
  std::set<std::string> out, racks;
  for (const NodeGroupModel& group : cluster.nodes)
    for (std::int64_t i = 0; i < group.count; ++i) {
      const std::int32_t rack = plan.node_rack[static_cast<std::size_t>(group.first + i)];
      if (rack < 0) continue;
      const std::string name = cluster.rack_name(rack);
      racks.insert(name);
      if (group.computes && pattern->index_of(name) >= 0) out.insert(group.names.name(i));
    }
  for (std::int64_t i = 0; i < pattern->count(); ++i)
    if (!racks.contains(pattern->name(i))) {
      error = format("'{}' is no rack with nodes", pattern->name(i));
      return std::nullopt;
    }
  if (out.empty()) {
    error = "there is no computing node in these racks";
    return std::nullopt;
  }
  return out;
}

int group_of_node(const Cluster& cluster, std::string_view node) {
  const auto at =
      std::ranges::find_if(cluster.nodes, [&](const NodeGroupModel& group) { return group.names.index_of(node) >= 0; });
  return at == cluster.nodes.end() ? -1 : static_cast<int>(at - cluster.nodes.begin());
}

std::vector<std::string> nodes_of_verdict(const SuiteTest& test, const std::string& named) {
  if (std::ranges::find(test.nodes, named) != test.nodes.end()) return {named};
  std::vector<std::string> out;
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(named, error);
  if (!pattern) return out;
  for (const std::string& node : test.nodes)
    if (pattern->index_of(node) >= 0) out.push_back(node);
  return out;
}

Budgeted fit_budget(const std::function<std::vector<SuiteTest>(double seconds)>& plan_for, double longest,
                    double budget) {
  // Below a tenth of a second a measurement is one repetition, and the start of the program is most of the time.
  constexpr double kLengths[] = {0, 10, 5, 2, 1, 0.5, 0.2, 0.1};
  Budgeted out;
  const auto leave_out = [&](SuiteTest& test, const std::string& why) {
    test.skip = format("left out: --time-budget {} {}", to_text(Seconds(budget)), why);
    test.left_out = true;
    out.left_out.push_back(test.id);
  };
  for (const double length : kLengths) {
    if (length > 0 && longest > 0 && length >= longest) continue;
    out.seconds = length;
    out.left_out.clear();
    out.suite = plan_for(length > 0 ? length : longest);
    for (SuiteTest& test : out.suite)
      if (test.length_unknown && test.skip.empty())
        leave_out(test, "has room for no test of which nobody knows how long it takes");
    if (expected_seconds(out.suite) <= budget) return out;
  }
  while (expected_seconds(out.suite) > budget) {
    const auto longest_test = std::max_element(out.suite.begin(), out.suite.end(), [](const auto& a, const auto& b) {
      const auto weight = [](const SuiteTest& t) {
        return t.stage == SuiteStage::inventory || !t.skip.empty() ? -1.0 : t.expected_s;
      };
      return weight(a) < weight(b);
    });
    if (longest_test == out.suite.end() || longest_test->stage == SuiteStage::inventory || !longest_test->skip.empty())
      break;
    leave_out(*longest_test, "has no room for its " + to_text(Seconds(longest_test->expected_s)));
  }
  return out;
}

}  // namespace clusterc
