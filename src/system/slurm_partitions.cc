// Partitions: one for each node group, or those of `scheduler.partitions`. A partition whose nodes differ has what the
// smallest of them can give (memory for each CPU, CPUs for each GPU), and bills what the dearest of them counts.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "model/slurm_lines.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

constexpr std::string_view kRule = "slurm-partition-unmade";

const JobLimits* limits_of(const Cluster& c) {
  const auto& scheduler = c.spec.software->scheduler;
  return scheduler && scheduler->limits ? &*scheduler->limits : nullptr;
}

// Sorted numbers of the nodes that a partition names; of those that it names wrongly the finding, if somebody listens.
std::vector<std::int64_t> nodes_of(const Cluster& c, const Named<Partition>& named, Findings* findings) {
  const Partition& p = named.value;
  std::set<std::int64_t> nodes;
  const auto take = [&](const NodeGroupModel& g, SourceSpan at) {
    if (!runs_slurmd(c, g)) {
      if (findings)
        findings
            ->error(kRule, at,
                    format("partition '{}' has nodes of '{}', which Slurm does not schedule", named.name, g.name))
            .help("name the group in `scheduler.schedules`, or leave it out of the partition");
      return;
    }
    for (std::int64_t i = 0; i < g.count; ++i) nodes.insert(nodes.end(), g.first + i);
  };
  for (const auto& name : p.groups)
    if (const int g = name ? c.find_node_group(*name) : -1; g >= 0)
      take(c.nodes[static_cast<std::size_t>(g)], name.span);
  if (p.nodes) {
    const SlurmNames named_nodes = slurm_names_of(c, *p.nodes);
    bool scheduled = true;
    for (const std::int64_t node : named_nodes.nodes) {
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(c.node_group_of(node))];
      scheduled = scheduled && runs_slurmd(c, g);
      nodes.insert(node);
    }
    if (!scheduled && findings)
      findings->error(kRule, p.nodes.span, format("partition '{}' has nodes that Slurm does not schedule", named.name))
          .help("name their group in `scheduler.schedules`, or leave them out of the partition");
  }
  if (p.groups.empty() && !p.nodes)
    for (const NodeGroupModel& g : c.nodes)
      if (g.count > 0 && runs_slurmd(c, g)) take(g, named.name_span);
  return {nodes.begin(), nodes.end()};
}

// What nodes of several groups have in common.
void take_in(SlurmPartition& p, const SlurmNodes& n) {
  const bool first = p.groups.empty();
  p.groups.push_back(n.group);
  const std::int64_t memory = n.cpus > 0 ? n.memory.jobs : 0;
  if (n.cpus > 0 && (first || memory * p.memory_cpus < p.memory * n.cpus)) p.memory = memory, p.memory_cpus = n.cpus;
  if (n.gpus > 0 && n.cpus >= n.gpus)
    p.cpus_per_gpu = p.cpus_per_gpu > 0 ? std::min(p.cpus_per_gpu, n.cpus / n.gpus) : n.cpus / n.gpus;
  p.billing.cpu = std::max(p.billing.cpu, n.billing.cpu);
  p.billing.memory_gib = std::max(p.billing.memory_gib, n.billing.memory_gib);
  p.billing.gpu = std::max(p.billing.gpu, n.billing.gpu);
  p.billing.shard = std::max(p.billing.shard, n.billing.shard);
}

// The limits of the partition itself, else those of all.
void set_times(SlurmPartition& p, const JobLimits* all) {
  const Partition* own = p.spec;
  p.longest = own && own->time ? &own->time : all && all->time ? &all->time : nullptr;
  p.usual = own && own->default_time ? &own->default_time : all && all->default_time ? &all->default_time : nullptr;
  // slurmctld does not start with a DefaultTime beyond MaxTime
  if (p.longest && p.usual && **p.longest < **p.usual) p.usual = p.longest;
}

void add_written(const Cluster& c, SlurmFacts& facts, Findings& findings) {
  const Value<bool>* default_at = nullptr;
  for (const auto& named : c.spec.software->scheduler->partitions) {
    SlurmPartition p;
    p.name = named.name, p.spec = &named.value, p.span = named.name_span;
    if (to_lower(named.name) == "default")
      findings
          .error("slurm-name-reserved", named.name_span,
                 "'" + named.name +
                     "' cannot be the name of a partition: Slurm reads it as the defaults of the lines that follow")
          .help("give the partition another name");
    const std::vector<std::int64_t> nodes = nodes_of(c, named, &findings);
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const SlurmNodes& n : facts.nodes) {
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(n.group)];
      const auto from = std::ranges::lower_bound(nodes, g.first),
                 to = std::ranges::lower_bound(nodes, g.first + g.count);
      if (from == to) continue;
      take_in(p, n);
      for (auto node = from; node != to; ++node) names.push_back(g.names.name(*node - g.first));
    }
    p.nodes = fold_names(names);
    if (names.empty() && named.value.nodes && !slurm_names_of(c, *named.value.nodes).unknown)
      findings.error(kRule, named.name_span, format("partition '{}' has no nodes", named.name))
          .help("write `groups: [gpu]`, or `nodes: \"n[1-4]\"`");
    if (named.value.standard && *named.value.standard) {
      p.standard = true;
      if (default_at)
        findings
            .error(kRule, named.value.standard.span, format("partition '{}' is a second default partition", named.name))
            .note(default_at->span, "the first one")
            .help("leave out one `default: true`");
      default_at = &named.value.standard;
    }
    facts.partitions.push_back(std::move(p));
  }
  if (!default_at && !facts.partitions.empty()) facts.partitions.front().standard = true;
}

// A QOS holds the jobs of a team in all partitions where they have it: a partition with nodes of other groups would
// count these, too.
void check_quotas(const Cluster& c, const SlurmFacts& facts, Findings& findings) {
  for (const SlurmPartition& p : facts.partitions) {
    if (!p.spec || p.groups.size() < 2) continue;
    for (const SlurmTeam& t : facts.teams)
      for (const SlurmQuota& q : t.quotas) {
        if (std::ranges::find(p.groups, q.group) == p.groups.end() || !slurm_lets_in(p, t)) continue;
        findings
            .error(kRule, p.span,
                   format("partition '{}' has nodes of {}, and team '{}' has a quota on '{}' alone: in a partition a "
                          "quota counts all nodes",
                          p.name, format("{} groups", p.groups.size()), t.account,
                          c.nodes[static_cast<std::size_t>(q.group)].name))
            .help("give each group with a quota a partition of its own");
        return;
      }
  }
}

void check_limits(const Cluster& c, const SlurmFacts& facts, Findings& findings) {
  // A DEFAULT line of the site can have the limit.
  for (const SlurmLine& line : extra_slurm_lines(c, "slurm.conf"))
    if (const std::string* name = line.value("partitionname");
        name && to_lower(*name) == "default" && line.value("maxtime"))
      return;
  std::vector<std::string_view> unlimited;
  SourceSpan at = c.spec.software->scheduler->span;
  for (const SlurmPartition& p : facts.partitions)
    if (!p.longest) {
      if (unlimited.empty() && p.spec) at = p.span;
      unlimited.push_back(p.name);
    }
  if (unlimited.empty()) return;
  const std::size_t shown = std::min<std::size_t>(unlimited.size(), 4);
  const std::string names = join(std::vector<std::string>(unlimited.begin(), unlimited.begin() + shown), "', '");
  findings
      .warning("slurm-time-unlimited", at,
               format("jobs in partition{} '{}'{} have no time limit: a job that hangs holds its nodes until an "
                      "administrator ends it, and backfill cannot plan around it",
                      unlimited.size() > 1 ? "s" : "", names,
                      unlimited.size() > shown ? format(" and {} more", unlimited.size() - shown) : ""))
      .help("write `limits: { time: 7 days, default_time: 1 h }` in 'scheduler'");
}

}  // namespace

void slurm_partitions(const Cluster& c, SlurmFacts& facts, Findings& findings) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler) return;
  if (scheduler->partitions.empty()) {
    for (const SlurmNodes& n : facts.nodes) {
      SlurmPartition p;
      p.name = c.nodes[static_cast<std::size_t>(n.group)].name, p.nodes = n.names;
      p.standard = facts.partitions.empty();
      take_in(p, n);
      facts.partitions.push_back(std::move(p));
    }
  } else {
    add_written(c, facts, findings);
  }
  const JobLimits* limits = limits_of(c);
  for (SlurmPartition& p : facts.partitions) {
    set_times(p, limits);
    p.topology = slurm_topology_of(c, facts, p.groups);
  }
  check_quotas(c, facts, findings);
  check_limits(c, facts, findings);
}

bool slurm_lets_in(const SlurmPartition& p, const SlurmTeam& t) {
  return !p.spec || p.spec->teams.empty() || std::ranges::any_of(p.spec->teams, [&](const Value<std::string>& name) {
    return name && to_lower(*name) == t.account;
  });
}

const Named<Partition>* slurm_partition_of(const Cluster& c, int group) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->partitions.empty()) return nullptr;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const Named<Partition>* found = nullptr;
  std::int64_t most = 0;
  bool standard = false;
  for (const auto& named : scheduler->partitions) {
    const std::vector<std::int64_t> nodes = nodes_of(c, named, nullptr);
    const std::int64_t here =
        std::ranges::lower_bound(nodes, g.first + g.count) - std::ranges::lower_bound(nodes, g.first);
    const bool is_default = named.value.standard.value_or(false);
    if (here > most || (here > 0 && here == most && is_default && !standard))
      found = &named, most = here, standard = is_default;
  }
  return found;
}

std::string slurm_partition_name(const Cluster& c, int group) {
  const auto* partition = slurm_partition_of(c, group);
  return partition ? partition->name : c.nodes[static_cast<std::size_t>(group)].name;
}

const Value<Seconds>* slurm_time_limit(const Cluster& c, int group) {
  const auto* partition = slurm_partition_of(c, group);
  if (partition && partition->value.time) return &partition->value.time;
  const JobLimits* all = limits_of(c);
  return all && all->time ? &all->time : nullptr;
}

}  // namespace clusterc
