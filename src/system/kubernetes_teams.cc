// Which part of each group of workers a team has.
//
// A team's share is what it surely gets (Kueue: nominalQuota); what others leave idle it may borrow. A quota of the
// spec is the most that it may use, so that it ends what may be borrowed:
//
//     physics: { share: 60 %, quota: { h100: 32 gpus } }, 64 GPUs    ->   32 (38 less 6), nothing to borrow
//     nlp:     { share: 40 % }                                       ->   25, and all that is idle
//
// What the rounding leaves, and what quotas keep teams from, is nobody's: all may borrow it.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "model/mig.h"
#include "spec/team.h"
#include "system/kubernetes.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

struct Total {
  std::int64_t gpus = 0, cpus = 0, memory_mib = 0;
};

Total total_of(const KubernetesWorkers& w) {
  const std::int64_t nodes = static_cast<std::int64_t>(w.nodes.size()) - w.spares;
  return {w.gpus * nodes, (w.cpus - w.reserved_cpus) * nodes, w.memory_mib * nodes};
}

struct Cap {
  std::optional<std::int64_t> gpus, cpus, memory_mib;
};

Cap cap_of(const Cluster& c, const KubernetesWorkers& w, const Team& team) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(w.group)];
  Cap cap;
  for (const auto& quota : team.quota) {
    if (quota.name != g.name || !quota.value.amount || !quota.value.of) continue;
    const std::int64_t amount = *quota.value.amount;
    if (*quota.value.of == "gpus") {
      cap.gpus = amount * (g.server.gpu_count > 0 ? w.gpus / g.server.gpu_count : 1);
    } else if (*quota.value.of == "cores") {
      cap.cpus = amount * std::max<std::int64_t>(1, g.server.threads_per_core);
    } else {
      if (w.gpus > 0) cap.gpus = amount * w.gpus;
      cap.cpus = amount * (w.cpus - w.reserved_cpus), cap.memory_mib = amount * w.memory_mib;
    }
  }
  return cap;
}

// What a team surely gets of so much, and what it may borrow besides.
std::int64_t part(double share, std::int64_t total, const std::optional<std::int64_t>& cap, std::int64_t& left,
                  std::optional<std::int64_t>& more) {
  // 60 % of 40 is 24, which is 23.999… in floating point.
  std::int64_t nominal =
      std::min(left, static_cast<std::int64_t>(std::floor(share * static_cast<double>(total) + 1e-6)));
  if (cap) nominal = std::min(nominal, *cap), more = *cap - nominal;
  left -= nominal;
  return nominal;
}

std::vector<double> shares_of(const Cluster& c) {
  std::vector<double> shares;
  double said = 0;
  std::size_t unsaid = 0;
  for (const auto& entry : c.spec.teams)
    if (entry.value.share)
      said += *entry.value.share;
    else
      ++unsaid;
  const double scale = said > 1 ? 1 / said : 1;
  for (const auto& entry : c.spec.teams)
    shares.push_back(entry.value.share ? *entry.value.share * scale
                                       : std::max(0.0, 1 - said) / static_cast<double>(unsaid));
  return shares;
}

// A limit of the namespace holds over all groups: it is made where the team has a quota on each that has the resource.
void limit_namespace(const KubernetesFacts& facts, const std::vector<Cap>& caps, KubernetesTeam& team) {
  std::set<std::string> free;
  for (std::size_t w = 0; w < facts.workers.size(); ++w) {
    if (const std::string& gpu = facts.workers[w].gpu; !gpu.empty()) {
      if (caps[w].gpus)
        team.limits["requests." + gpu] += *caps[w].gpus;
      else
        free.insert("requests." + gpu);
    }
    if (caps[w].cpus)
      team.limits["requests.cpu"] += *caps[w].cpus;
    else
      free.insert("requests.cpu");
  }
  for (const std::string& f : free) team.limits.erase(f);
}

void check_team(const Cluster& c, std::string_view name, SourceSpan at, const Team& team, const KubernetesFacts& facts,
                Findings& findings) {
  static constexpr std::string_view kTaken[] = {
      "default",    "gpu-operator",    "nvidia-network-operator", "kueue-system",    "mpi-operator",
      "monitoring", "cluster-gateway", "cluster-notebooks",       "kubeflow-system", "keda"};
  if (!is_kubernetes_label_name(name) || name.starts_with("kube-") ||
      std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken))
    findings
        .error("kubernetes-name-malformed", at,
               "team '" + one_line(name) + "' cannot be a namespace of Kubernetes: " +
                   (is_kubernetes_label_name(name) ? "the name is taken"
                                                   : "it has 63 lower-case letters, digits and "
                                                     "inner hyphens at most"))
        .help("give the team another name");
  for (const auto& quota : team.quota)
    if (std::none_of(facts.workers.begin(), facts.workers.end(), [&](const KubernetesWorkers& w) {
          return c.nodes[static_cast<std::size_t>(w.group)].name == quota.name;
        }))
      findings
          .warning("kubernetes-quota-unused", quota.name_span,
                   "team '" + one_line(name) + "' has a quota on '" + one_line(quota.name) +
                       "', which Kubernetes does not schedule")
          .help("remove the quota, or name the group in scheduler.schedules");
}

}  // namespace

void kubernetes_teams(const System& in, KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  std::vector<Total> left;
  for (const KubernetesWorkers& w : facts.workers) left.push_back(total_of(w));
  const std::vector<double> shares = shares_of(c);
  std::size_t number = 0;
  for (const auto& entry : c.spec.teams) {
    KubernetesTeam team;
    team.name = entry.name;
    check_team(c, entry.name, entry.name_span, entry.value, facts, findings);
    for (const auto& user : entry.value.users) {
      if (!user) continue;
      if (!is_account_name(*user))
        findings.error("kubernetes-name-malformed", user.span, account_name_error(*user))
            .help("write the name as the directory has it");
      team.users.push_back(*user);
    }
    std::vector<Cap> caps;
    for (std::size_t w = 0; w < facts.workers.size(); ++w) {
      const Total total = total_of(facts.workers[w]);
      const Cap& cap = caps.emplace_back(cap_of(c, facts.workers[w], entry.value));
      KubernetesAmount a;
      a.workers = static_cast<int>(w);
      a.gpus = part(shares[number], total.gpus, cap.gpus, left[w].gpus, a.more_gpus);
      a.cpus = part(shares[number], total.cpus, cap.cpus, left[w].cpus, a.more_cpus);
      a.memory_mib = part(shares[number], total.memory_mib, cap.memory_mib, left[w].memory_mib, a.more_memory_mib);
      team.amounts.push_back(a);
    }
    limit_namespace(facts, caps, team);
    facts.teams.push_back(std::move(team));
    ++number;
  }
  if (facts.teams.empty()) {  // everybody is one team
    KubernetesTeam team;
    team.name = "jobs";
    for (std::size_t w = 0; w < facts.workers.size(); ++w) {
      KubernetesAmount a;
      a.workers = static_cast<int>(w);
      a.gpus = left[w].gpus, a.cpus = left[w].cpus, a.memory_mib = left[w].memory_mib;
      team.amounts.push_back(a);
      left[w] = {};
    }
    facts.teams.push_back(std::move(team));
  }
  for (std::size_t w = 0; w < facts.workers.size(); ++w) {
    KubernetesAmount a;
    a.workers = static_cast<int>(w);
    a.gpus = left[w].gpus, a.cpus = left[w].cpus, a.memory_mib = left[w].memory_mib;
    facts.spare_amounts.push_back(a);
  }
}

}  // namespace clusterc
