#include "system/slurm_power.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/each_address.h"

namespace clusterc {
namespace {

// Planning defaults: an instance with eight GPUs answers after some ten minutes; what waits idle is paid for.
constexpr double kIdle = 600, kStart = 900, kStop = 300;

const PowerSaving* power_of(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return s && s->kind && *s->kind == SchedulerKind::slurm && s->power_saving ? &*s->power_saving : nullptr;
}

std::int64_t seconds(const Value<Seconds>& said, double standard) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(said.value_or(Seconds(standard)).value));
}

// Why the compiled programs cannot start the instances of a group; empty: they can.
std::string why_not(const System& in, int group) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (aws_instance_type(g).empty()) return "its nodes are no instances of AWS";
  for (const NetworkModel& n : c.networks)
    for (const EndPoints& e : n.ends)
      if (e.group == group && n.kind == LinkKind::efa)
        return "its instances have several network interfaces (EFA), and the compiled program starts instances with "
               "one";
  if (home_of(c, in.plan, group).network < 0) return "its nodes have no addresses in the plan";
  return {};
}

}  // namespace

bool starts_on_demand(const Cluster& c, const NodeGroupModel& g) {
  const PowerSaving* power = power_of(c);
  return power && std::any_of(power->groups.begin(), power->groups.end(),
                              [&](const Value<std::string>& name) { return name && *name == g.name; });
}

std::string aws_instance_type(const NodeGroupModel& g) {
  constexpr std::string_view kMaker = "aws-";
  if (!g.server.instance || !g.server.id.starts_with(kMaker)) return {};
  std::string out = g.server.id.substr(kMaker.size());
  if (const std::size_t dash = out.find('-'); dash != out.npos) out[dash] = '.';
  return out;
}

SlurmPower slurm_power(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  SlurmPower out;
  const PowerSaving* spec = power_of(c);
  if (!spec) return out;
  for (const Value<std::string>& name : spec->groups) {
    if (!name) continue;
    const int group = c.find_node_group(*name);
    if (group >= 0 && runs_slurmd(c, c.nodes[static_cast<std::size_t>(group)])) {
      if (c.nodes[static_cast<std::size_t>(group)].count > 0) out.groups.push_back(group);
      continue;
    }
    findings
        .error(
            "slurm-power-group-unscheduled", name.span,
            "'" + one_line(*name) +
                "' is in `power_saving`, which starts nodes when jobs need them, but Slurm runs no jobs on this group")
        .help("name a group of nodes that run jobs");
  }
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && runs_slurmd(c, g) && !starts_on_demand(c, g)) out.always.push_back(g.name);
  if (out.groups.empty()) return out;
  out.spec = spec;
  out.idle = seconds(spec->idle, kIdle), out.start = seconds(spec->start, kStart),
  out.stop = seconds(spec->stop, kStop);
  if (spec->resume && spec->suspend) {
    out.resume = *spec->resume, out.suspend = *spec->suspend;
    return out;
  }
  out.compiled = true;
  out.resume = format("{}/power/resume.sh", kSlurmFolder);
  out.suspend = format("{}/power/suspend.sh", kSlurmFolder);
  for (const int group : out.groups)
    if (const std::string why = why_not(in, group); !why.empty()) {
      findings
          .error("slurm-power-program-missing", spec->span,
                 "no program is compiled that starts the nodes of '" + c.nodes[static_cast<std::size_t>(group)].name +
                     "': " + why)
          .help("write `resume` and `suspend`: programs of your own, such as /usr/local/sbin/start-nodes");
      return out;
    }
  if (!spec->launch_template || !spec->region)
    findings
        .error("slurm-power-program-missing", spec->span,
               std::string("the program that starts instances needs ") +
                   (spec->launch_template ? "their region" : "the launch template of AWS") +
                   ", which the spec does not have")
        .help(
            "write `launch_template: NAME` and `region: us-east-1` in 'power_saving', or programs of your own in "
            "`resume` and `suspend`");
  return out;
}

}  // namespace clusterc
