#include "system/notebooks.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "model/named_hosts.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/each_address.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Planning defaults of a session that states nothing: a part of a node, and a working day.
constexpr std::int64_t kPartOfNode = 8;
constexpr std::int64_t kMinutes = 8 * 60;

std::int64_t minutes_of(Seconds time) { return std::max<std::int64_t>(1, static_cast<std::int64_t>(time.value / 60)); }

class Sizes {
 public:
  Sizes(const Cluster& c, const SlurmFacts& slurm, Findings& findings) : c_(c), slurm_(slurm), findings_(findings) {}

  // Of one group, with what the profile says.
  void add(const std::string& name, const SlurmNodes& nodes, const NotebookProfile* of) {
    NotebookSize size{.name = name, .partition = slurm_partition_name(c_, nodes.group), .gres = {}};
    const bool gpus_asked = of && of->gpus;
    size.gpus = gpus_asked ? *of->gpus : std::min<std::int64_t>(1, nodes.gpus);
    const auto share = [&](std::int64_t whole) {
      return std::max<std::int64_t>(
          1, size.gpus > 0 && nodes.gpus > 0 ? whole * size.gpus / nodes.gpus : whole / kPartOfNode);
    };
    size.cpus = of && of->cpus ? *of->cpus : share(nodes.cpus);
    size.memory_mib = of && of->memory ? static_cast<std::int64_t>(of->memory->value / kMiB) : share(nodes.memory.jobs);
    const Value<Seconds>* longest = slurm_time_limit(c_, nodes.group);
    size.minutes = of && of->time ? minutes_of(*of->time)
                   : longest      ? std::min(kMinutes, minutes_of(**longest))
                                  : kMinutes;
    if (size.gpus > 0) size.gres = "gpu:" + nodes.type + ":" + std::to_string(size.gpus);
    if (of && !fits(size, nodes, *of)) return;
    all.push_back(std::move(size));
  }

  void named(const std::string& name, const NotebookProfile& of) {
    if (!of.group) return;
    const int group = c_.find_node_group(*of.group);
    const auto nodes = std::find_if(slurm_.nodes.begin(), slurm_.nodes.end(),
                                    [&](const SlurmNodes& n) { return group >= 0 && n.group == group; });
    if (nodes == slurm_.nodes.end()) {
      findings_
          .error("notebooks-group-unscheduled", of.group.span,
                 "sessions of size '" + name + "' run on '" + one_line(*of.group) +
                     "', which is no group that Slurm hands out")
          .help("write one of " + groups());
      return;
    }
    if (of.memory && of.memory->value < kMiB) {
      findings_
          .error("notebooks-size-too-large", of.memory.span,
                 "sessions of size '" + name + "' have " + to_text(*of.memory) + " of memory, less than 1 MiB")
          .help("write `memory: 8 GiB`");
      return;
    }
    add(name, *nodes, &of);
  }

  std::vector<NotebookSize> all;

 private:
  std::string groups() const {
    std::vector<std::string> names;
    for (const SlurmNodes& n : slurm_.nodes)
      names.push_back("'" + c_.nodes[static_cast<std::size_t>(n.group)].name + "'");
    return join(names, ", ");
  }

  bool fits(const NotebookSize& size, const SlurmNodes& nodes, const NotebookProfile& of) {
    const std::size_t before = findings_.all().size();
    const auto too_large = [&](SourceSpan at, const std::string& asked, const std::string& has,
                               const std::string& help) {
      findings_
          .error("notebooks-size-too-large", at.valid() ? at : of.group.span,
                 "a session of size '" + size.name + "' asks for " + asked + ", but a node of '" + size.partition +
                     "' has " + has)
          .help(help);
    };
    if (size.gpus > nodes.gpus)
      too_large(of.gpus.span, std::to_string(size.gpus) + (size.gpus == 1 ? " GPU" : " GPUs"),
                std::to_string(nodes.gpus), "write `gpus: " + std::to_string(nodes.gpus) + "` or another group");
    // What follows from too many GPUs is too much, too, and not said.
    if (size.gpus > nodes.gpus) return false;
    if (size.cpus > nodes.cpus)
      too_large(of.cpus.span, std::to_string(size.cpus) + " hardware threads", std::to_string(nodes.cpus),
                "write `cpus: " + std::to_string(nodes.cpus) + "` or fewer");
    if (size.memory_mib > nodes.memory.jobs)
      too_large(of.memory.span, std::to_string(size.memory_mib) + " MiB of memory",
                std::to_string(nodes.memory.jobs) + " MiB for jobs",
                "write `memory: " + std::to_string(nodes.memory.jobs / 1024) + " GiB` or less");
    const Value<Seconds>* longest = slurm_time_limit(c_, nodes.group);
    if (longest && of.time && size.minutes > minutes_of(**longest))
      findings_
          .error("notebooks-time-over-limit", of.time.span,
                 "a session of size '" + size.name + "' runs for " + to_text(*of.time) + ", but a job may run for " +
                     to_text(**longest))
          .note(longest->span, "the limit of all jobs is set here")
          .help("write `time: " + to_text(**longest) + "` or less");
    return findings_.all().size() == before;
  }

  const Cluster& c_;
  const SlurmFacts& slurm_;
  Findings& findings_;
};

// The node of the hub: as named, else the first login node, else the first controller.
void place(const System& in, const SlurmFacts& slurm, NotebookFacts& out, Findings& findings) {
  const Cluster& c = in.cluster;
  const Notebooks& spec = *out.spec;
  if (spec.node) {
    out.node = *spec.node;
  } else {
    const auto login = std::find_if(c.nodes.begin(), c.nodes.end(),
                                    [](const NodeGroupModel& g) { return g.count > 0 && g.has_role(Role::login); });
    if (login != c.nodes.end())
      out.node = login->names.name(0);
    else if (!slurm.controllers.empty())
      out.node = slurm.controllers.front();
  }
  std::int64_t member = -1;
  for (std::size_t g = 0; g < c.nodes.size() && member < 0; ++g)
    if (const std::int64_t at = c.nodes[g].names.index_of(out.node); at >= 0 && at < c.nodes[g].count)
      out.group = static_cast<int>(g), member = at;
  if (out.group < 0) {
    if (spec.node)
      findings
          .error("notebooks-node-unknown", spec.node.span,
                 "the hub runs on '" + one_line(out.node) + "', which is not a node of the cluster")
          .help("write the name of a login node, or leave `node` out");
    return;
  }
  const Home home = home_of(c, in.plan, out.group);
  if (home.network >= 0)
    if (const std::uint32_t address = in.plan.address(home.network, home.end_points, member, 0); address != 0)
      out.address = ipv4_text(address);
  if (out.address.empty())
    findings
        .error("notebooks-node-without-address", spec.node ? spec.node.span : spec.span,
               "the hub runs on '" + out.node + "', which has no address in the plan: sessions could not reach it")
        .help("write `subnet` of a network that the node is in, or name another `node`");
  out.name = spec.name.value_or(out.node);
}

// Releases whose settings are written: 5.0 brought `allow_all`, which 4 does not have (JupyterHub's changelog); 6.1 is
// the newest one that ran in a test.
void check_version(const Notebooks& n, Findings& findings) {
  std::string error;
  if (!n.version) return;
  const auto oldest = Version::parse("5.0", error), beyond = Version::parse("6.2", error);
  if (*n.version < *oldest)
    findings
        .error("notebooks-version-unsupported", n.version.span,
               "JupyterHub " + n.version->text() +
                   " is older than 5.0, the oldest release that the compiled files support")
        .help("write `version: 6.1`");
  else if (!(*n.version < *beyond))
    findings
        .warning("notebooks-version-untried", n.version.span,
                 "JupyterHub " + n.version->text() +
                     " is newer than 6.1, the newest release that the compiled files support")
        .help("write `version: 6.1`");
}

}  // namespace

bool makes_notebooks(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return c.spec.software->notebooks && c.spec.software->notebooks->kind && s && s->kind &&
         *s->kind == SchedulerKind::slurm;
}

NotebookFacts notebook_facts(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  NotebookFacts out;
  out.spec = &*c.spec.software->notebooks;
  Findings of_slurm;  // the output slurm says it
  const SlurmFacts slurm = slurm_facts(in, of_slurm);
  check_version(*out.spec, findings);
  place(in, slurm, out, findings);
  Sizes sizes(c, slurm, findings);
  for (const auto& [name, at, profile] : out.spec->profiles) sizes.named(name, profile);
  if (out.spec->profiles.begin() == out.spec->profiles.end())
    for (const SlurmNodes& n : slurm.nodes)
      if (n.cpus > 0 && n.memory.jobs > 0) sizes.add(c.nodes[static_cast<std::size_t>(n.group)].name, n, nullptr);
  out.sizes = std::move(sizes.all);
  for (const auto& team : c.spec.teams) {
    if (team.value.users.empty()) out.groups.push_back(team.name);
    for (const auto& user : team.value.users)
      if (user) out.users.push_back(*user);
  }
  std::sort(out.users.begin(), out.users.end());
  out.users.erase(std::unique(out.users.begin(), out.users.end()), out.users.end());
  return out;
}

}  // namespace clusterc
