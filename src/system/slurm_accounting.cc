// Who may use how much: the accounts, shares and quotas of teams.
//
// A team is an account; its share is the account's fair share. A quota of a team on a node group is a QOS of its own:
//
//     physics: { quota: { h100: 32 gpus } }   ->   QOS physics.h100 with GrpTRES=gres/gpu=32, of GPUs in 4 shards each
//     billing=128
//
// Users of the team have that QOS, as the default and the only one, in their association with the partition of the
// group. A limit of the account with the GPU's type (GrpTRES=gres/gpu:h100=32) would hold only those jobs that name the
// type (Slurm, resource limits, "Specific limits over GRES"); counted in a QOS that is used on one partition, every GPU
// of it counts.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Each of them is written, so that a quota that was counted otherwise before leaves nothing behind; -1 takes a limit
// away. A GPU that is handed out in shards is counted in them, whole or not: slurm.conf weighs both as billing.
std::string tres_of(const SlurmNodes& n, const Cluster& c, const QuotaAmount& quota) {
  std::int64_t billing = -1, cpus = -1, gpus = -1, nodes = -1;
  if (*quota.of == "gpus" && n.shards > 0) {
    billing = *quota.amount * n.shards * n.billing.shard;
  } else if (*quota.of == "gpus") {
    const std::int64_t fitted = c.nodes[n.group].server.gpu_count;
    gpus = *quota.amount * (fitted > 0 ? n.gpus / fitted : 1);  // Slurm counts instances where MIG cuts the GPUs
  } else if (*quota.of == "cores") {
    cpus = *quota.amount * n.threads_per_core;  // Slurm's CPUs are threads
  } else {
    nodes = *quota.amount;
  }
  return "billing=" + std::to_string(billing) + ",cpu=" + std::to_string(cpus) + ",gres/gpu=" + std::to_string(gpus) +
         ",node=" + std::to_string(nodes);
}

// A job is billed the largest of the shares of a node that it takes (PriorityFlags=MAX_TRES): of its threads, its
// memory and its GPUs. So a job of all GPUs, or of all memory, is billed the whole node, which nobody else can use
// then. Only where teams have shares, and some node has GPUs or the spec says what nodes count; Slurm counts threads
// elsewhere, which are what nodes without GPUs differ in. Shards of GPUs are billed alone: their quotas are counted in
// them.
void bill(const Cluster& c, SlurmFacts& facts, Findings& findings) {
  std::int64_t largest = 0;  // threads of a node
  bool weighed = false, others = false;
  for (SlurmNodes& n : facts.nodes) {
    const bool given = static_cast<bool>(c.nodes[static_cast<std::size_t>(n.group)].spec->billing);
    largest = std::max(largest, n.cpus);
    weighed |= n.gpus > 0 || given;
    others |= n.gpus == 0;
    if (n.shards > 0) n.billing.shard = 1, n.billing.gpu = static_cast<double>(n.shards);
  }
  if (!facts.shares || !weighed) return;
  facts.weighs_nodes = true;
  for (SlurmNodes& n : facts.nodes) {
    const Value<double>& given = c.nodes[static_cast<std::size_t>(n.group)].spec->billing;
    const double node = given.value_or(static_cast<double>(n.gpus > 0 ? largest : n.cpus));
    const auto share = [&](std::int64_t of) { return of > 0 ? node / static_cast<double>(of) : 0; };
    if (n.shards > 0) {
      n.billing.shard = std::max<std::int64_t>(1, std::llround(share(n.gpus * n.shards)));
      n.billing.gpu = static_cast<double>(n.billing.shard * n.shards);
      continue;
    }
    n.billing = {.cpu = share(n.cpus), .memory_gib = share(n.memory.jobs) * 1024, .gpu = share(n.gpus)};
  }
  const auto assumed = std::ranges::find_if(facts.nodes, [&](const SlurmNodes& n) {
    return n.gpus > 0 && !c.nodes[static_cast<std::size_t>(n.group)].spec->billing;
  });
  if (assumed == facts.nodes.end() || (!others && std::ranges::all_of(facts.nodes, [&](const SlurmNodes& n) {
        return n.type == assumed->type && n.gpus == assumed->gpus;
      })))
    return;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(assumed->group)];
  findings
      .note("slurm-billing-assumed", g.span,
            "'" + g.name + "' has no `billing`, so a node-hour counts as " + std::to_string(largest) +
                " thread-hours in the shares of the teams: the largest node has " + std::to_string(largest) +
                " threads")
      .help("write in `billing` as how many thread-hours a node-hour counts, for example by its price: `billing: " +
            std::to_string(4 * largest) + "`");
}

void teams_of(const System& in, SlurmFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  std::set<std::string> accounts{"root"};
  for (const auto& entry : c.spec.teams) {
    const Team& team = entry.value;
    SlurmTeam t;
    t.account = to_lower(entry.name);
    if (!accounts.insert(t.account).second) {
      findings
          .error("slurm-account-name", entry.name_span,
                 "Slurm writes accounts in lower case, and already has an account '" + t.account + "'")
          .help("give the team another name");
      continue;
    }
    if (team.share) t.share = std::max<std::int64_t>(1, std::llround(*team.share * 1000));
    for (const auto& quota : team.quota) {
      const auto n = std::find_if(facts.nodes.begin(), facts.nodes.end(),
                                  [&](const SlurmNodes& s) { return c.nodes[s.group].name == quota.name; });
      if (!quota.value.amount || !quota.value.of) continue;
      if (n == facts.nodes.end()) {
        findings
            .warning("slurm-quota-unused", quota.name_span,
                     "team '" + entry.name + "' has a quota on '" + quota.name + "', which Slurm does not schedule")
            .help("remove the quota, or name the group in `scheduler.schedules`");
        continue;
      }
      t.quotas.push_back({n->group, t.account + "." + to_lower(quota.name), tres_of(*n, c, quota.value)});
    }
    for (const auto& user : team.users) {
      if (!user) continue;
      if (!is_account_name(*user)) {
        findings.error("slurm-account-name", user.span, account_name_error(*user));
        continue;
      }
      t.users.push_back(*user);
    }
    facts.teams.push_back(std::move(t));
  }
}

}  // namespace

// What useradd of Linux takes (shadow, NAME_REGEX), capitals besides: directories have them. sacctmgr writes names
// small.
bool is_account_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 32 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

std::string account_name_error(std::string_view name) {
  return "'" + one_line(name) +
         "' is not a valid account name: it begins with a letter or _, then has letters, digits, _ - and ., and has at "
         "most 32 characters";
}

void slurm_accounting(const System& in, SlurmFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler) return;
  const Accounting* accounting = scheduler->accounting ? &*scheduler->accounting : nullptr;
  if (scheduler->limits && (scheduler->limits->submit || scheduler->limits->running) &&
      c.spec.teams.begin() == c.spec.teams.end())
    findings
        .error("slurm-limits-without-teams", scheduler->limits->span,
               "limits apply to the jobs of a user in a team, but the spec has no teams")
        .help("write teams: { everybody: {} }");
  if (!accounting && c.spec.teams.begin() == c.spec.teams.end()) return;
  const bool elsewhere = accounting && accounting->database && *accounting->database != "localhost";
  if (elsewhere && !std::all_of(accounting->database->begin(), accounting->database->end(), [](char ch) {
        return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '.' ||
               ch == '-' || ch == ':';
      })) {
    findings.error("slurm-accounting-nodes", accounting->database.span,
                   "'" + one_line(*accounting->database) + "' is not a host name or address");
    return;
  }
  facts.database_host = elsewhere ? *accounting->database : "localhost";
  if (accounting && accounting->nodes) {
    HostPattern::Error error;
    if (const auto pattern = HostPattern::parse(*accounting->nodes, error))
      for (std::int64_t i = 0; i < std::min<std::int64_t>(3, pattern->count()); ++i)
        facts.databases.push_back(pattern->name(i));
    if (facts.databases.size() > 2)
      findings.error(
          "slurm-accounting-nodes", accounting->nodes.span,
          "'" + *accounting->nodes + "' names more than 2 nodes, slurmdbd runs on 2 at most: one and its backup");
    else if (facts.databases.size() == 2 && !elsewhere)
      findings
          .error("slurm-accounting-nodes", accounting->nodes.span,
                 "2 nodes run slurmdbd, and each would use its own database")
          .help("write database: with a host that both reach, or name one node");
  } else {
    for (std::size_t i = 0; i < facts.controllers.size() && i < (elsewhere ? 2u : 1u); ++i)
      facts.databases.push_back(facts.controllers[i]);
  }
  facts.shares = std::any_of(c.spec.teams.begin(), c.spec.teams.end(), [](const auto& t) { return t.value.share; });
  bill(c, facts, findings);
  teams_of(in, facts, findings);
}

}  // namespace clusterc
