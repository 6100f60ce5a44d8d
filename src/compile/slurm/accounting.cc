// slurmdbd.conf, and a script of sacctmgr commands that makes the database say what the spec says of teams.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "compile/slurm/conf_file.h"
#include "compile/slurm/slurm.h"
#include "model/slurm_lines.h"
#include "spec/software.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kAccountsScript = R"sh(
# Sets the teams of the spec in Slurm's accounting: accounts, shares, quotas, limits, users. Run it as root or
# SlurmUser where sacctmgr reaches slurmdbd, when slurmctld is up, and again after each change of the spec. A second
# run changes nothing. It does not remove what the spec no longer has.
#   accounts.sh                all teams and users of the spec
#   accounts.sh TEAM USER...   further users of a team that the spec does not name
set -eu

sacct() { sacctmgr --immediate --quiet "$@"; }
have() { [ -n "$(sacctmgr --noheader --parsable2 list "$@")" ]; }
# quota QOS TRES
quota() {
  have qos where name="$1" format=name || sacct add qos "$1"
  sacct modify qos where name="$1" set GrpTRES="$2"
}
# team ACCOUNT SHARE: job limits apply to each association of a user; there is one for each partition
team() {
  have account where name="$1" format=account || sacct add account "$1"
  have association where cluster="$cluster" account="$1" user= format=account || sacct add account "$1" cluster="$cluster"
  sacct modify account where name="$1" cluster="$cluster" set fairshare="$2" MaxSubmitJobs="$submit" MaxJobs="$running"
}
# member ACCOUNT USER: one association for each partition, with the quota of the team there
member() {
  rights "$1" | while read -r partition qos; do
    have association where cluster="$cluster" account="$1" user="$2" partition="$partition" format=user ||
      sacct add user "$2" account="$1" cluster="$cluster" partition="$partition" < /dev/null
    sacct modify user where name="$2" account="$1" cluster="$cluster" partition="$partition" set qos="$qos" defaultqos="${qos%%,*}" < /dev/null
  done
}
)sh";

// The QOS that users of a team have in a partition, the first of them by default.
std::string qos_of(const SlurmPartition& p, const SlurmTeam& t) {
  for (const SlurmQuota& q : t.quotas)
    if (std::ranges::find(p.groups, q.group) != p.groups.end()) return q.qos;
  std::vector<std::string> allowed;
  if (p.spec)
    for (const Value<std::string>& name : p.spec->allow_qos)
      if (name) allowed.push_back(*name);
  return allowed.empty() ? "normal" : join(allowed, ",");
}

void accounts_script(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle) {
  const auto& scheduler = in.cluster.spec.software->scheduler;
  bundle.open("slurm/accounts.sh", "slurm", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in, "slurm");
  out += kAccountsScript;
  ShellWriter w(out);
  w.blank().assign("cluster", to_lower(in.cluster.spec.name.value_or("cluster")));
  const JobLimits* limits = scheduler->limits ? &*scheduler->limits : nullptr;
  w.assign("submit", limits && limits->submit ? *limits->submit : -1);
  w.assign("running", limits && limits->running ? *limits->running : -1);
  w.comment("rights ACCOUNT: partition and QOS, a line each");
  out += "rights() {\n  case $1 in\n";
  for (const SlurmTeam& t : facts.teams) {
    out += "    ";
    append_shell_word(out, t.account);
    if (std::ranges::none_of(facts.partitions, [&](const SlurmPartition& p) { return slurm_lets_in(p, t); })) {
      out += ") ;;\n";
      continue;
    }
    out += ") printf '%s %s\\n'";
    for (const SlurmPartition& p : facts.partitions) {
      if (!slurm_lets_in(p, t)) continue;
      out += ' ';
      append_shell_word(out, p.name);
      out += ' ';
      append_shell_word(out, qos_of(p, t));
    }
    out += " ;;\n";
  }
  out += "    *) echo \"accounts.sh: the spec has no team '$1'\" >&2; return 1 ;;\n  esac\n}\n\n";
  out +=
      "if [ $# -gt 0 ]; then\n  account=$1\n  shift\n  rights \"$account\" > /dev/null\n  for user in \"$@\"; do "
      "member \"$account\" \"$user\"; done\n  exit 0\nfi\n";
  for (const SlurmTeam& t : facts.teams) {
    w.blank();
    for (const SlurmQuota& q : t.quotas) w.command({"quota", q.qos, q.tres});
    w.command({"team", t.account, std::to_string(t.share)});
    for (const std::string& user : t.users) w.command({"member", t.account, user});
  }
  bundle.close();
}

// The first setting of a partition line that slurmctld holds only with AccountingStorageEnforce.
std::string needs_enforcement(const SlurmLine& line) {
  for (const std::string_view key : {"qos", "allowqos", "denyqos", "allowaccounts", "denyaccounts"})
    if (const std::string* v = line.value(key); v && to_lower(*v) != "all")
      return std::string(key) + "=" + one_line(*v);
  return {};
}

// slurm.conf(5), AccountingStorageEnforce: without it jobs of any account and QOS run, and no limit holds. Teams of the
// spec bring it with them.
void check_enforcement(const CompileInput& in, const SlurmFacts& facts, Findings& findings) {
  if (!facts.teams.empty()) return;
  const std::vector<SlurmLine> extra = extra_slurm_lines(in.cluster, "slurm.conf");
  if (std::ranges::any_of(extra, [](const SlurmLine& l) { return l.value("accountingstorageenforce") != nullptr; }))
    return;
  const auto report = [&](SourceSpan at, std::string_view partition, std::string_view what) {
    findings
        .warning("slurm-limits-unenforced", at,
                 format("'{}' of partition '{}' has no effect: slurmctld enforces limits, accounts and QOS only with "
                        "AccountingStorageEnforce, which the spec does not set",
                        what, partition))
        .help(
            "add the accounts and users with sacctmgr, then write `AccountingStorageEnforce=associations,limits,qos` "
            "in "
            "outputs.slurm.extra, slurm.conf; or write `teams` in the spec");
  };
  for (const SlurmPartition& p : facts.partitions) {
    if (!p.spec) continue;
    if (p.spec->qos) return report(p.spec->qos.span, p.name, "qos: " + *p.spec->qos);
    for (const Value<std::string>& name : p.spec->allow_qos)
      if (name) return report(name.span, p.name, "allow_qos");
    for (const Value<std::string>& setting : p.spec->extra)
      if (setting)
        if (const std::string what = needs_enforcement(read_slurm_line(*setting, setting.span)); !what.empty())
          return report(setting.span, p.name, *setting);
  }
  for (const SlurmLine& line : extra)
    if (const std::string* name = line.value("partitionname"))
      if (const std::string what = needs_enforcement(line); !what.empty()) return report(line.span, *name, what);
}

}  // namespace

void emit_accounting(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings& findings) {
  if (facts.databases.empty()) return;
  check_enforcement(in, facts, findings);
  const auto& scheduler = in.cluster.spec.software->scheduler;
  SlurmFile f(in, "slurmdbd.conf", 0600);  // slurmdbd refuses to read anything wider, and it belongs to SlurmUser
  f.set("AuthType", "auth/munge");
  f.derived("DbdHost", facts.databases[0]);
  if (facts.databases.size() > 1) f.derived("DbdBackupHost", facts.databases[1]);
  f.set("SlurmUser", "slurm");
  f.set("LogFile", "/var/log/slurm/slurmdbd.log");
  f.set("PidFile", "/run/slurmdbd.pid");
  f.blank();
  f.derived("StorageType", "accounting_storage/mysql");
  f.derived("StorageHost", facts.database_host);
  f.set("StorageUser", "slurm");
  f.set("StorageLoc", "slurm_acct_db");
  if (scheduler->accounting && scheduler->accounting->password) {
    const SecretRef& secret = *scheduler->accounting->password;
    f.comment(
        "the password is in a separate file (mode 0600, owned by SlurmUser) with the single line StoragePass=...");
    if (secret.env) f.comment("created from the environment variable " + *secret.env);
    if (secret.vault) f.comment("created from Vault, " + *secret.vault);
    f.include(secret.file ? std::string_view(*secret.file) : "/etc/slurm/slurmdbd.password.conf");
  }
  f.finish(bundle, findings);
  if (!facts.teams.empty()) accounts_script(in, facts, bundle);
}

}  // namespace clusterc
