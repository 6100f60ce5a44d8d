#include "system/notebooks.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "model/named_hosts.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/containers.h"
#include "system/each_address.h"
#include "system/kubernetes.h"
#include "system/kubernetes_jobs.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Planning defaults of a session that states nothing: a part of a node, and a working day.
constexpr std::int64_t kPartOfNode = 8;
constexpr std::int64_t kMinutes = 8 * 60;

std::int64_t minutes_of(Seconds time) { return std::max<std::int64_t>(1, static_cast<std::int64_t>(time.value / 60)); }

// The nodes of a group as a session gets them.
struct SessionNodes {
  int group = -1;
  std::int64_t cpus = 0, gpus = 0, memory_mib = 0;
  std::string partition, gres;  // gres: without the number
};

class Sizes {
 public:
  Sizes(const Cluster& c, std::string_view scheduler, std::vector<SessionNodes> nodes, Findings& findings)
      : c_(c), scheduler_(scheduler), nodes_(std::move(nodes)), findings_(findings) {}

  void all_of(const Notebooks& spec) {
    for (const auto& [name, at, profile] : spec.profiles) named(name, profile);
    if (spec.profiles.begin() == spec.profiles.end())
      for (const SessionNodes& n : nodes_)
        if (n.cpus > 0 && n.memory_mib > 0) add(c_.nodes[static_cast<std::size_t>(n.group)].name, n, nullptr);
  }

  std::vector<NotebookSize> all;

 private:
  // Of one group, with what the profile says.
  void add(const std::string& name, const SessionNodes& nodes, const NotebookProfile* of) {
    NotebookSize size{.name = name, .partition = nodes.partition, .gres = {}, .group = nodes.group};
    const bool gpus_asked = of && of->gpus;
    size.gpus = gpus_asked ? *of->gpus : std::min<std::int64_t>(1, nodes.gpus);
    const auto share = [&](std::int64_t whole) {
      return std::max<std::int64_t>(
          1, size.gpus > 0 && nodes.gpus > 0 ? whole * size.gpus / nodes.gpus : whole / kPartOfNode);
    };
    size.cpus = of && of->cpus ? *of->cpus : share(nodes.cpus);
    size.memory_mib = of && of->memory ? static_cast<std::int64_t>(of->memory->value / kMiB) : share(nodes.memory_mib);
    const Value<Seconds>* longest = slurm_time_limit(c_, nodes.group);
    size.minutes = of && of->time ? minutes_of(*of->time)
                   : longest      ? std::min(kMinutes, minutes_of(**longest))
                                  : kMinutes;
    if (size.gpus > 0) size.gres = nodes.gres + std::to_string(size.gpus);
    if (of && !fits(size, nodes, *of)) return;
    all.push_back(std::move(size));
  }

  void named(const std::string& name, const NotebookProfile& of) {
    if (!of.group) return;
    const int group = c_.find_node_group(*of.group);
    const auto nodes = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const SessionNodes& n) { return group >= 0 && n.group == group; });
    if (nodes == nodes_.end()) {
      findings_
          .error("notebooks-group-unscheduled", of.group.span,
                 "sessions of size '" + name + "' run on '" + one_line(*of.group) + "', but " + scheduler_ +
                     " runs no " + (scheduler_ == "Slurm" ? "jobs" : "pods") + " on the nodes of this group")
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

  std::string groups() const {
    std::vector<std::string> names;
    for (const SessionNodes& n : nodes_) names.push_back("'" + c_.nodes[static_cast<std::size_t>(n.group)].name + "'");
    return join(names, ", ");
  }

  bool fits(const NotebookSize& size, const SessionNodes& nodes, const NotebookProfile& of) {
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
    if (size.memory_mib > nodes.memory_mib)
      too_large(of.memory.span, std::to_string(size.memory_mib) + " MiB of memory",
                std::to_string(nodes.memory_mib) + " MiB for jobs",
                "write `memory: " + std::to_string(nodes.memory_mib / 1024) + " GiB` or less");
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
  std::string scheduler_;
  std::vector<SessionNodes> nodes_;
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

void unused_key(Findings& findings, std::string_view key, SourceSpan at, std::string_view scheduler) {
  if (at.valid())
    findings
        .warning("notebooks-key-unused", at,
                 "'" + std::string(key) + "' of notebooks is only for sessions of " + std::string(scheduler))
        .help("remove the key");
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
  std::vector<SessionNodes> nodes;
  for (const SlurmNodes& n : slurm.nodes)
    nodes.push_back({n.group, n.cpus, n.gpus, n.memory.jobs, slurm_partition_name(c, n.group), "gpu:" + n.type + ":"});
  Sizes sizes(c, "Slurm", std::move(nodes), findings);
  sizes.all_of(*out.spec);
  unused_key(findings, "image", out.spec->image.span, "Kubernetes");
  if (out.spec->oidc) unused_key(findings, "groups_claim", out.spec->oidc->groups_claim.span, "Kubernetes");
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

bool makes_kubernetes_notebooks(const Cluster& c) {
  const auto& n = c.spec.software->notebooks;
  return n && n->kind && runs_kubernetes(c) && n->users.value_or("pam") == "oidc" && n->oidc && n->name;
}

KubernetesNotebooks kubernetes_notebooks(const System& in, const KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  KubernetesNotebooks out;
  out.spec = &*c.spec.software->notebooks;
  const Notebooks& spec = *out.spec;
  unused_key(findings, "version", spec.version.span, "Slurm");
  unused_key(findings, "node", spec.node.span, "Slurm");
  unused_key(findings, "port", spec.port.span, "Slurm");
  unused_key(findings, "folder", spec.folder.span, "Slurm");
  std::vector<SessionNodes> nodes;
  for (const JobNodes& n : kubernetes_nodes(c, facts))
    nodes.push_back({n.group, n.cpus, n.gpus, n.pod_memory_mib, c.nodes[static_cast<std::size_t>(n.group)].name,
                     n.gres.empty() ? std::string() : n.gres + ":"});
  Sizes sizes(c, "Kubernetes", std::move(nodes), findings);
  sizes.all_of(spec);
  out.sizes = std::move(sizes.all);
  out.everybody = c.spec.teams.begin() == c.spec.teams.end();
  std::vector<std::string> without;
  SourceSpan at;
  for (const auto& team : c.spec.teams)
    if (team.value.users.empty() && !spec.oidc->groups_claim) {
      if (without.empty()) at = team.name_span;
      without.push_back("'" + one_line(team.name) + "'");
    }
  if (!without.empty())
    findings
        .warning("notebooks-team-without-users", at,
                 "no user can start a notebook for " + std::string(without.size() == 1 ? "team " : "teams ") +
                     join(without, ", ") + ": the spec names no users of it, and no claim that lists groups")
        .help("write `users` of the team, or `groups_claim: groups` of the provider");
  if (std::none_of(facts.storage.begin(), facts.storage.end(), [](const KubernetesStorage& s) { return s.many; }))
    findings
        .warning("notebooks-without-home", spec.span,
                 "sessions of notebooks lose their files when they end, and the hub forgets its sessions when it "
                 "starts again: no storage is offered to pods of several nodes")
        .help("write `kubernetes: { class: home, access: many }` of the storage that keeps home directories");
  return out;
}

std::string words_of(const NotebookSize& s) {
  std::string out = std::to_string(s.cpus) + (s.cpus == 1 ? " thread, " : " threads, ");
  if (s.gpus > 0) out += std::to_string(s.gpus) + (s.gpus == 1 ? " GPU, " : " GPUs, ");
  return out + std::to_string(s.memory_mib) + " MiB, " + std::to_string(s.minutes) + " min on '" + s.partition + "'";
}

}  // namespace clusterc
