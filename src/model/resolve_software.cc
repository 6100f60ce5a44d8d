// Names in parts of the spec that have no model of their own, the scheduler's defaults, and the software of each group.
#include "model/merge.h"
#include "model/resolution.h"
#include "model/smt.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/target.h"
#include "spec/team.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void check_groups(Resolution& r, const std::vector<Value<std::string>>& groups) {
  for (const auto& g : groups) r.find(g, r.cluster.nodes, "node group");
}

// A pattern of node names, each of which must be a node.
void check_node_pattern(Resolution& r, const Value<std::string>& names) {
  if (!names) return;
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(*names, error);
  if (!pattern) return;  // reported by the reader
  std::int64_t missing = 0;
  std::string first, name;
  std::size_t in = 0;  // the group of the node before: neighbours are most often of one
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    name.clear();
    pattern->append_name(i, name);
    const auto has = [&](const NodeGroupModel& g) { return g.names.index_of(name) >= 0; };
    bool found = in < r.cluster.nodes.size() && has(r.cluster.nodes[in]);
    if (!found) {
      const auto group = std::find_if(r.cluster.nodes.begin(), r.cluster.nodes.end(), has);
      found = group != r.cluster.nodes.end();
      if (found) in = static_cast<std::size_t>(group - r.cluster.nodes.begin());
    }
    if (!found && missing++ == 0) first = name;
  }
  if (missing == 0) return;
  if (Finding* f = r.error("spec-unknown-name", names.span,
                           missing == 1 ? format("no node is named '{}'", first)
                                        : format("{} of these names are not names of nodes: '{}' and {} more", missing,
                                                 first, missing - 1)))
    for (const NodeGroupModel& g : r.cluster.nodes)
      if (g.name == first) f->help(format("'{}' is a node group; its nodes are {}", first, g.names.text()));
}

// Where all ports fit one switch there are no leaves and spines for a scheduler to see.
bool fits_one_switch(const NetworkModel& net) {
  if (!net.switch_part || !net.switch_part->ports) return false;
  std::int64_t ports = 0;
  for (const EndPoints& e : net.ends) ports += e.built_for * e.ports_each;
  return ports <= *net.switch_part->ports * net.spec->breakout.value_or(1);
}

void fill_scheduler(Resolution& r, Scheduler& s) {
  Cluster& c = r.cluster;
  if (!s.kind || *s.kind == SchedulerKind::none) return;
  if (!was_written(s.controllers)) {
    const Role role = *s.kind == SchedulerKind::kubernetes ? Role::control_plane : Role::scheduler;
    std::vector<const NodeGroupModel*> groups;
    for (const NodeGroupModel& g : c.nodes)
      if (g.has_role(role) && g.count > 0) groups.push_back(&g);
    // Two patterns are not one: with several groups the roles speak for themselves.
    if (groups.size() == 1)
      s.controllers = Value<std::string>::derived(
          groups[0]->names.text(), format("group '{}' has the role {}", groups[0]->name, enum_text(role)),
          groups[0]->span);
  }
  if (s.schedules.empty())
    for (const NodeGroupModel& g : c.nodes)
      if (g.computes)
        s.schedules.push_back(Value<std::string>::derived(
            g.name, g.spec->roles.empty() ? "a group without a role" : "it has the role compute", g.span));
  if (!was_written(s.topology)) {
    const bool assembly = std::any_of(c.nodes.begin(), c.nodes.end(),
                                      [](const NodeGroupModel& g) { return g.assembly >= 0 && g.computes; });
    const int net = c.first_network_carrying(Traffic::compute);
    if (assembly || !c.spec.nvlink.empty())
      s.topology = Value<TopologyPlugin>::derived(TopologyPlugin::block, "NVLink domains span nodes", s.span);
    else if (net >= 0 && c.networks[net].switch_part &&
             c.networks[net].spec->topology.value_or(NetworkTopology::fat_tree) != NetworkTopology::single &&
             !fits_one_switch(c.networks[net]))
      s.topology = Value<TopologyPlugin>::derived(
          TopologyPlugin::tree, format("network '{}' has leaves and spines", c.networks[net].name), s.span);
    else
      s.topology =
          Value<TopologyPlugin>::derived(TopologyPlugin::none,
                                         net >= 0 && c.networks[net].switch_part ? "one switch carries the jobs"
                                                                                 : "no switches of ours carry the jobs",
                                         s.span);
  }
}

// The images follow the processors where the spec does not say.
void fill_arch(NodeGroupModel& g) {
  if (g.software->arch) return;
  const Value<Arch>& arch = g.server.cpu && g.server.cpu->arch ? g.server.cpu->arch : g.server.part.arch;
  if (arch) g.software->arch = Value<Arch>::derived(*arch, format("processors of '{}'", g.server.id), g.server.span);
}

}  // namespace

void resolve_references(Resolution& r) {
  const Cluster& c = r.cluster;
  const Spec& s = c.spec;
  for (const auto& d : s.nvlink) check_groups(r, d.value.nodes);
  for (const auto& t : s.teams) {
    for (const auto& q : t.value.quota) r.find(q.name, q.name_span, c.nodes, "node group");
    for (const auto& q : t.value.storage) r.find(q.name, q.name_span, c.storage, "storage system");
  }
  for (const auto& w : s.workloads) {
    if (w.value.checkpoint_to) r.find(w.value.checkpoint_to, c.storage, "storage system");
    if (const auto& launcher = w.value.launcher; launcher && launcher->team && !s.teams.find(*launcher->team))
      r.error("spec-unknown-name", launcher->team.span, format("there is no team '{}'", *launcher->team));
    for (const auto& on : w.value.on) {
      const int g = r.find(on.name, on.name_span, c.nodes, "node group");
      if (g >= 0 && on.value && *on.value.value > c.nodes[g].count && c.nodes[g].count > 0)
        r.error("spec-count-mismatch", on.value.span,
                format("workload '{}' runs on {} nodes of '{}', which has {}", w.name, *on.value.value, on.name,
                       c.nodes[g].count));
    }
  }
  for (const auto& t : s.targets->groups) r.find(t.name, t.name_span, c.nodes, "node group");
  if (s.software->scheduler) {
    check_node_pattern(r, s.software->scheduler->controllers);
    if (s.software->scheduler->accounting) check_node_pattern(r, s.software->scheduler->accounting->nodes);
    check_groups(r, s.software->scheduler->schedules);
    for (const auto& partition : s.software->scheduler->partitions) {
      check_groups(r, partition.value.groups);
      check_node_pattern(r, partition.value.nodes);
      for (const auto& team : partition.value.teams)
        if (team && !s.teams.find(*team))
          r.error("spec-unknown-name", team.span, format("there is no team '{}'", *team));
    }
    for (const auto& reservation : s.software->scheduler->reservations) {
      check_node_pattern(r, reservation.value.nodes);
      for (const auto& team : reservation.value.teams)
        if (team && !s.teams.find(*team))
          r.error("spec-unknown-name", team.span, format("there is no team '{}'", *team));
    }
  }
}

void resolve_software(Resolution& r) {
  Cluster& c = r.cluster;
  if (c.spec.software->scheduler) fill_scheduler(r, *c.spec.software->scheduler);
  // There is one scheduler: a group is told its kind and release. The lists of groups and reservations in each of them
  // would take memory with the square of the groups.
  Software common = *c.spec.software;
  if (common.scheduler) {
    common.scheduler->schedules.clear();
    common.scheduler->partitions.entries.clear();
    common.scheduler->reservations.entries.clear();
  }
  for (NodeGroupModel& g : c.nodes) {
    *g.software = common;
    if (g.spec->software) lay_over(*g.software, *g.spec->software);
    fill_arch(g);
    apply_smt(g);
  }
}

}  // namespace clusterc
