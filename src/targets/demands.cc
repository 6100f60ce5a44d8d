#include "targets/demands.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "model/nvlink.h"
#include "model/storage_path.h"
#include "spec/spec.h"
#include "spec/target.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/rdma_ports.h"

namespace clusterc {
namespace {

const NodeGroupModel* group_named(const Cluster& cluster, std::string_view name) {
  const auto at = std::ranges::find(cluster.nodes, name, &NodeGroupModel::name);
  return at == cluster.nodes.end() ? nullptr : &*at;
}

const Metric* metric_of_target(std::string_view key) {
  const auto all = all_metrics();
  const auto at = std::ranges::find(all, key, &Metric::target);
  return at == all.end() ? nullptr : &*at;
}

// Why nothing is expected where a target names it.
std::string why_nothing_expected(const Cluster& cluster, const Metric& metric, const NodeGroupModel* group) {
  const std::string who = group ? "group '" + group->name + "'" : std::string("the cluster");
  if (metric.validator == "storage")
    return group                     ? "storage is measured for all groups together: write it into `targets` itself"
           : cluster.storage.empty() ? "the spec has no storage"
                                     : "no figure of its storage is expected";
  const auto counts = [&](const NodeGroupModel& g) { return g.computes && (!group || &g == group); };
  if (std::ranges::none_of(cluster.nodes, counts)) return who + " has no computing nodes";
  const bool gpus =
      std::ranges::any_of(cluster.nodes, [&](const NodeGroupModel& g) { return counts(g) && g.server.gpu_count > 0; });
  if (!gpus && (!metric.collective.empty() || metric.gpu_only)) return who + " has no GPUs";
  return metric.collective.empty() ? "no figure of " + who + " is expected"
                                   : "the GPUs of " + who + " have no others to exchange data with in this scope";
}

}  // namespace

std::string why_no_test(const Cluster& cluster, const ExpectedFigure& figure) {
  const std::string none = "this release has no validator for it";
  const Metric* metric = find_metric(figure.test);
  if (!metric) return none;
  const NodeGroupModel* group = group_named(cluster, figure.group);
  if (metric->validator == "fabric" && metric->scope == "pair") {
    if (!group) return none;
    if (group->count < 2) return "group '" + group->name + "' has one node, and it is measured between two";
    return rdma_compute_ports(cluster, static_cast<int>(group - cluster.nodes.data())).empty()
               ? "group '" + group->name + "' has no RDMA port in a network that carries compute"
               : "";
  }
  if (metric->validator == "nvlink")
    return !group                            ? none
           : has_nvlink_pairs(group->server) ? ""
                                             : "no GPUs of a node of '" + group->name + "' are joined by NVLink";
  if (metric->validator == "nccl") {
    if (group && (figure.scope != "whole" || collective_unit(cluster, *group).network.value > 0)) return "";
    return !figure.missing.empty() ? figure.missing : none;
  }
  // A file system is measured where nodes mount it; the parts of its sum are "GROUP/SYSTEM".
  if (metric->validator == "storage") {
    for (std::size_t i = 0; i < cluster.storage.size(); ++i)
      if (cluster.storage[i].name == figure.group)
        return groups_that_mount(cluster, static_cast<int>(i)).empty()
                   ? "no computing node mounts '" + figure.group + "'"
                   : "";
    return figure.group.find('/') != std::string::npos ? "" : none;
  }
  return {};
}

std::vector<DemandWithoutTest> demands_without_test(const Cluster& cluster, const ExpectedFigures& expected) {
  std::vector<DemandWithoutTest> out;
  const auto look = [&](std::string_view key, const SourceSpan& place, const NodeGroupModel* group) {
    const Metric* metric = metric_of_target(key);
    if (!metric) return;
    DemandWithoutTest none{.key = std::string(key),
                           .metric = std::string(metric->name),
                           .group = group ? group->name : std::string(),
                           .place = place};
    for (const ExpectedFigure& f : expected.figures) {
      const Metric* brings = find_metric(f.test);
      if (!brings || brings->target != key || (group && f.group != group->name)) continue;
      if (!f.skip.empty()) return;
      if (!f.demanded) continue;
      none.expected = true;
      none.why = why_no_test(cluster, f);
      if (none.why.empty()) return;
    }
    if (!none.expected) none.why = why_nothing_expected(cluster, *metric, group);
    out.push_back(std::move(none));
  };
  const auto look_at_all = [&](const TestTargets& targets, const NodeGroupModel* group) {
    TestTargets::describe(targets, [&](std::string_view key, const auto& wish, const FieldOptions&) {
      if (wish && !wish->skip) look(key, wish->span, group);
    });
  };
  look_at_all(*cluster.spec.targets, nullptr);
  for (const auto& own : cluster.spec.targets->groups)
    if (const NodeGroupModel* group = group_named(cluster, own.name)) look_at_all(own.value, group);
  return out;
}

}  // namespace clusterc
