// slurm.conf, gres.conf, cgroup.conf and topology.conf or topology.yaml. Every decision about keys is here;
// docs/outputs.md tells people. Keys are those that Slurm 22.05 to 25.05 read alike; where releases differ,
// scheduler.version decides (check_version, since).
#include "compile/slurm/slurm.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "compile/slurm/conf_file.h"
#include "compile/template_text.h"
#include "model/slurm_lines.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/software.h"

namespace clusterc {
namespace {

bool wants_slurm(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return s && s->kind && *s->kind == SchedulerKind::slurm;
}

const Value<Version>* release(const CompileInput& in) { return slurm_release(in.cluster); }

Version version(std::string_view text) {
  std::string error;
  return *Version::parse(text, error);
}

// Without a release in the spec only what the oldest one reads is written.
bool since(const CompileInput& in, std::string_view first) {
  const Value<Version>* v = release(in);
  return v && !(**v < version(first));
}

void check_version(const CompileInput& in, SlurmFacts& facts, Findings& findings) {
  const Value<Version>* v = release(in);
  if (!v) return;
  if (**v < version("22.05"))
    findings
        .error("slurm-version-unsupported", v->span,
               "Slurm " + (*v)->text() + " is older than 22.05, the oldest release that the compiled files support")
        .help("write version: 22.05 or newer; older releases cannot read the compiled cgroup.conf");
  // 25.05.8 is still 25.05: compare by the first two numbers. What scheduler.version says is the rule
  // software-release-unheard-of's business.
  else if (in.wish && v == &in.wish->version && **v >= version("25.06"))
    findings.warning(
        "slurm-version-untried", v->span,
        "Slurm " + (*v)->text() + " is newer than 25.05, the newest release that the compiled files support");
  if (facts.topology == SlurmTopology::block && **v < version("23.11"))
    findings
        .error("slurm-version-unsupported", v->span,
               "block topology needs Slurm 23.11 or newer, but the spec has " + (*v)->text())
        .help("write version: 23.11 or newer, or topology: tree");
}

// Without a release in the spec each group gets its distribution's own. slurmd may be older than slurmctld by two
// releases, never newer (https://slurm.schedmd.com/upgrades.html, "Version Compatibility"); of a distribution without
// one nobody knows which comes.
void check_releases(const CompileInput& in, Findings& findings) {
  if (release(in)) return;
  const Cluster& c = in.cluster;
  const NodeGroupModel* first = nullptr;
  for (const NodeGroupModel& g : c.nodes) {
    if (g.count == 0 || !g.software->os || !(runs_slurmd(c, g) || runs_slurmctld(c, g))) continue;
    if (!first) first = &g;
    const std::string_view a = distribution_slurm(*first->software->os), b = distribution_slurm(*g.software->os);
    if (a == b) continue;
    findings
        .error("slurm-releases-differ", g.span,
               format("the spec names no release of Slurm, and the groups would get different releases: {} of '{}' has "
                      "{}, {} of '{}' has {}",
                      *first->software->os, first->name, a.empty() ? "no Slurm" : a, *g.software->os, g.name,
                      b.empty() ? "no Slurm" : b))
        .help(
            "write the release in `scheduler.version`, and build its packages for each of these systems "
            "(https://slurm.schedmd.com/quickstart_admin.html)");
    return;
  }
}

// slurm.conf(5): a node or partition DEFAULT, in any case, is none but what the lines behind it have; Nodes=ALL of a
// partition are all of the cluster.
void check_reserved_names(const CompileInput& in, const SlurmFacts& facts, Findings& findings) {
  for (const SlurmNodes& n : facts.nodes) {
    const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(n.group)];
    if (to_lower(g.name) == "default")
      findings
          .error("slurm-name-reserved", g.span,
                 "group '" + g.name +
                     "' cannot be a partition: Slurm reads its name as the defaults of the partitions that follow")
          .help("give the group another name");
    const std::string pattern = to_lower(g.names.text());
    if (pattern.find("default") == std::string::npos && pattern.find("all") == std::string::npos) continue;
    for (std::int64_t i = 0; i < g.count; ++i)
      if (const std::string name = g.names.name(i), low = to_lower(name); low == "default" || low == "all") {
        findings
            .error("slurm-name-reserved", g.spec ? g.spec->names.span : g.span,
                   "'" + name + "' cannot be the name of a node: Slurm reads it as " +
                       (low == "all" ? "all nodes" : "the defaults of the nodes that follow"))
            .help("give the node another name");
        break;
      }
  }
}

bool hands_out_gpus(const SlurmFacts& facts) {
  return std::any_of(facts.nodes.begin(), facts.nodes.end(), [](const SlurmNodes& n) { return n.gpus > 0; });
}
bool hands_out_shards(const SlurmFacts& facts) {
  return std::any_of(facts.nodes.begin(), facts.nodes.end(), [](const SlurmNodes& n) { return n.shards > 0; });
}

// What usage is recorded of besides CPUs and memory: GPUs, those of each type, and shards.
std::string tracked(const SlurmFacts& facts) {
  std::string out = "gres/gpu";
  std::vector<std::string_view> types;
  for (const SlurmNodes& n : facts.nodes)
    if (n.gpus > 0 && std::ranges::find(types, n.type) == types.end())
      types.push_back(n.type), out += ",gres/gpu:" + n.type;
  return hands_out_shards(facts) ? out + ",gres/shard" : out;
}

void accounting(const SlurmFacts& facts, SlurmFile& f) {
  if (facts.databases.empty()) return;  // without a database slurmctld calls gathering what nobody stores an error
  f.blank();
  f.comment("slurmdbd records usage (slurmdbd.conf); accounts.sh sets the limits of teams");
  f.derived("AccountingStorageType", "accounting_storage/slurmdbd");
  f.derived("AccountingStorageHost", facts.databases[0]);
  if (facts.databases.size() > 1) f.derived("AccountingStorageBackupHost", facts.databases[1]);
  if (hands_out_gpus(facts)) f.derived("AccountingStorageTRES", tracked(facts));
  f.set("JobAcctGatherType", "jobacct_gather/cgroup");
  if (facts.teams.empty()) return;
  f.derived("AccountingStorageEnforce", "associations,limits,qos");
  if (!facts.shares) return;
  f.set("PriorityType", "priority/multifactor",
        "users who used less of their team's share go first, then jobs that wait longer");
  f.set("PriorityWeightFairshare",
        "10000");  // both factors lie between 0 and 1: waiting decides where shares differ by less than a tenth
  f.set("PriorityWeightAge", "1000");
  if (facts.weighs_nodes)
    f.set("PriorityFlags", "MAX_TRES",
          "a job is billed the largest part that it takes of a node: of its threads, its memory or its GPUs");
}

std::string gres_of(const SlurmNodes& n) {
  if (n.gpus == 0) return {};
  const std::string whole = "gpu:" + n.type + ":" + std::to_string(n.gpus);
  return n.shards > 0 ? whole + ",shard:" + std::to_string(n.gpus * n.shards) : whole;
}

// MiB that an extra DEFAULT line takes from the jobs of each node (slurm.conf(5), MemSpecLimit): a job on all CPUs of a
// node must fit beside them.
std::int64_t spec_memory(const Cluster& c) {
  std::int64_t out = 0;
  for (const SlurmLine& line : extra_slurm_lines(c, "slurm.conf")) {
    const std::string *node = line.value("nodename"), *limit = line.value("memspeclimit");
    if (!node || !limit || to_lower(*node) != "default") continue;
    if (const auto mib = parse_uint(*limit)) out = static_cast<std::int64_t>(*mib);
  }
  return out;
}

void controllers(const CompileInput& in, const SlurmFacts& facts, SlurmFile& f) {
  const Value<Version>* v = release(in);
  f.comment("for Slurm " + (v ? (*v)->text() : std::string("22.05 to 25.05")));
  f.derived("ClusterName", to_lower(in.cluster.spec.name.value_or("cluster")));
  for (const std::string& c : facts.controllers) f.derived("SlurmctldHost", c);
  f.set("AuthType", "auth/munge");
  f.set("SlurmUser", "slurm");
  f.set("StateSaveLocation", facts.state);
  f.set("SlurmdSpoolDir", "/var/spool/slurmd");
  f.set("SlurmctldPidFile", "/run/slurmctld.pid");
  f.set("SlurmdPidFile", "/run/slurmd.pid");
  f.set("SlurmctldLogFile", "/var/log/slurm/slurmctld.log");
  f.set("SlurmdLogFile", "/var/log/slurm/slurmd.log");
}

// The limits that a job has from its nodes, not from the login node.
std::string own_limits(const CompileInput& in, const SlurmFacts& facts) {
  const auto says = [&](auto limit) {
    return std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](const SlurmNodes& n) {
      const auto& l = in.cluster.nodes[static_cast<std::size_t>(n.group)].software->limits;
      return l && limit(*l);
    });
  };
  std::string own = "MEMLOCK";
  if (says([](const auto& l) { return static_cast<bool>(l.nofile); })) own += ",NOFILE";
  if (says([](const auto& l) { return static_cast<bool>(l.nproc); })) own += ",NPROC";
  return own;
}

void jobs(const CompileInput& in, const SlurmFacts& facts, SlurmFile& f) {
  f.comment("jobs get cores, memory and GPUs, and cannot use others: cgroup.conf");
  f.derived("SelectType", "select/cons_tres");
  f.set("SelectTypeParameters", "CR_Core_Memory");
  f.derived("ProctrackType", "proctrack/cgroup");
  f.derived("TaskPlugin", "task/affinity,task/cgroup");
  f.set("MpiDefault", facts.mpi);
  f.set("PropagateResourceLimitsExcept", own_limits(in, facts),
        "jobs have the limits of their nodes (RDMA locks memory), not those of the login node");
  f.set("ReturnToService", "1",
        "a node that did not answer returns to service when it registers with its configured resources");
  f.set("LaunchParameters", "use_interactive_step", "salloc opens its shell on the first node of the job");
  f.set("UnkillableStepTimeout", "180",
        "processes of a large job take longer than 60 s to end: they free pinned memory and write to file servers");
  f.set("JobRequeue", in.cluster.spec.software->scheduler->requeue.value_or(true) ? "1" : "0",
        "whether a batch job is requeued when its node fails, unless the job itself says");
}

// slurm.conf(5), "SuspendTime" and the other keys of power saving.
void power_saving(const CompileInput& in, const SlurmFacts& facts, const SlurmPower& power, SlurmFile& f) {
  if (!power.spec) return;
  f.blank();
  f.comment("nodes with State=CLOUD run only while jobs need them");
  f.derived("ResumeProgram", power.resume);
  f.derived("SuspendProgram", power.suspend);
  f.derived("SuspendTime", std::to_string(power.idle));
  f.derived("ResumeTimeout", std::to_string(power.start));
  f.derived("SuspendTimeout", std::to_string(power.stop));
  if (power.spec->at_once) {
    f.derived("ResumeRate", std::to_string(*power.spec->at_once));
    f.derived("SuspendRate", std::to_string(*power.spec->at_once));
  }
  if (power.always.empty()) return;
  if (in.cluster.spec.software->scheduler->partitions.empty()) {
    f.derived("SuspendExcParts", join(power.always, ","));
    return;
  }
  std::vector<std::string> nodes;  // a partition of the spec may have others, too
  for (const SlurmNodes& n : facts.nodes)
    if (std::ranges::find(power.always, in.cluster.nodes[static_cast<std::size_t>(n.group)].name) != power.always.end())
      nodes.push_back(n.names);
  f.derived("SuspendExcNodes", join(nodes, ","));
}

void node_checks(const CompileInput& in, const SlurmFacts& facts, const SlurmPower& power, SlurmFile& f,
                 Findings& findings) {
  f.comment("each node is checked against the spec before and after each job, and every five minutes");
  f.program("Prolog", format("{}/prolog.sh", kSlurmFolder),
            "checks the node before each job and creates the scratch folder of the job");
  f.set("PrologEpilogTimeout", "300", "a file server or driver that does not answer must not hold a node forever");
  f.program("Epilog", format("{}/epilog.sh", kSlurmFolder),
            "removes the scratch folder of each job and checks the node");
  const bool private_tmp = in.cluster.spec.software->scheduler->private_tmp.value_or(false);
  if (private_tmp) {
    f.comment("each job has a /tmp and a /dev/shm of its own: job_container.conf");
    f.derived("JobContainerType", "job_container/tmpfs");
  } else if (has_scratch(in, facts))
    f.program("TaskProlog", format("{}/taskprolog.sh", kSlurmFolder), "sets TMPDIR to the scratch folder of the job",
              false);
  // Alloc: on all nodes of a job before its first task. A prolog that fails drains the node; from 23.02 on every batch
  // job goes back into the queue then (ForceRequeueOnFail: NEWS of 23.02), before that those that may be requeued.
  // Contain: the step `extern`, in whose mounts the others run (slurm.conf(5), JobContainerType).
  const std::string flags =
      std::string("Alloc") + (private_tmp ? ",Contain" : "") + (since(in, "23.02") ? ",ForceRequeueOnFail" : "");
  if (private_tmp)
    f.derived("PrologFlags", flags);
  else
    f.set("PrologFlags", flags);
  f.set("SchedulerParameters", "nohold_on_prolog_fail",
        "a job that a broken node returned is not held: it starts on other nodes");
  f.option("SlurmctldParameters", "node_reg_mem_percent", std::to_string(kLeastMemoryPercent),
           "nodes register with this percentage of RealMemory or more: memory that firmware or a hypervisor keeps "
           "beyond the sums below does not drain them",
           power.spec ? "cloud_dns,idle_on_node_suspend" : "");
  constexpr std::string_view kHealthDoes =
      "drains a node on which something is missing; when nothing is missing any more, it resumes the node, also if the "
      "prolog drained it";
  f.program("HealthCheckProgram", format("{}/healthcheck.sh", kSlurmFolder), kHealthDoes, false);
  f.set("HealthCheckInterval", "300");
  for (const SlurmLine& line : extra_slurm_lines(in.cluster, "slurm.conf"))
    if (const std::string* interval = line.value("healthcheckinterval"); interval && *interval == "0")
      findings
          .warning("slurm-program-replaced", line.span,
                   format("'HealthCheckInterval=0' disables {}/healthcheck.sh, which {}", kSlurmFolder, kHealthDoes))
          .help("use a longer interval, in seconds: `HealthCheckInterval=1800`");
  f.program("RebootProgram", "/sbin/reboot",
            "restarts nodes without jobs: scontrol reboot ASAP nextstate=RESUME reason=kernel NODES", false);
  f.set(
      "SlurmdTimeout", "300",
      "a node without an answer for five minutes is down, and its jobs are requeued; a restart that slurmctld knows of "
      "may take as long as ResumeTimeout");
  if (!power.spec) f.set("ResumeTimeout", "1200", "servers with eight GPUs and 2 TiB of memory start for ten minutes");
  f.set("HealthCheckNodeState", "ANY,CYCLE",
        "busy and idle nodes, spread over the five minutes: a check of all nodes at once would disturb jobs that run "
        "on all of them");
}

void devices_and_topology(const CompileInput& in, const SlurmFacts& facts, SlurmFile& f, Findings& findings) {
  if (hands_out_gpus(facts)) f.derived("GresTypes", hands_out_shards(facts) ? "gpu,shard" : "gpu");
  if (facts.topology == SlurmTopology::tree) f.derived("TopologyPlugin", "topology/tree");
  if (facts.topology == SlurmTopology::block) f.derived("TopologyPlugin", "topology/block");
  for (const SlurmLine& line : extra_slurm_lines(in.cluster, "slurm.conf"))
    if (const std::string* plugin = line.value("topologyplugin");
        plugin && facts.topology == SlurmTopology::none && (*plugin == "topology/tree" || *plugin == "topology/block"))
      findings
          .error("slurm-topology-unmade", line.span,
                 "'" + *plugin +
                     "' needs topology.conf, which is not compiled for this cluster: slurmctld does not run without it")
          .help("remove the line: topology.conf is compiled only if the nodes of a network are on several switches");
  for (const SlurmLine& line : extra_slurm_lines(in.cluster, "slurm.conf"))
    if (const std::string* route = line.value("routeplugin");
        route && to_lower(*route) == "route/topology" && facts.topology != SlurmTopology::tree)
      findings
          .error("slurm-topology-unmade", line.span,
                 "'route/topology' needs the switches of topology.conf, which are not compiled for this cluster: "
                 "slurmctld does not start (\"route/topology requires topology/tree\")")
          .help(
              "remove the line, or describe in the spec the network over whose switches Slurm shall route its "
              "messages");
}

std::string weight_of(const NodeGroupModel& g) {
  return g.spec && g.spec->weight ? std::to_string(*g.spec->weight) : std::string();
}

void nodes(const CompileInput& in, const SlurmFacts& facts, SlurmFile& f, Findings& findings) {
  f.comment("RealMemory in MiB: installed memory less that of firmware, kernel, daemons and a crash kernel");
  for (const SlurmNodes& n : facts.nodes) {
    if (const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(n.group)]; !slurm_reads_ranges(n.names))
      findings
          .error("slurm-range-too-long", g.span,
                 "'" + g.name + "' has a range of more than " + std::to_string(kLongestSlurmRange) +
                     " nodes, the most that Slurm reads: slurmctld does not start")
          .help("use several ranges or groups: names: \"n[1-50000],n[50001-90000]\"");
    f.comment(format("{}: {}", in.cluster.nodes[static_cast<std::size_t>(n.group)].name, n.memory.formula));
    f.line(
        {{"NodeName", n.names},
         {"CPUs", std::to_string(n.cpus)},
         {"Sockets", std::to_string(n.sockets)},
         {"CoresPerSocket", std::to_string(n.cores_per_socket)},
         {"ThreadsPerCore", std::to_string(n.threads_per_core)},
         {"RealMemory", std::to_string(n.memory.jobs)},
         {"Gres", gres_of(n)},
         {"Feature", join(n.features, ",")},
         {"Weight", weight_of(in.cluster.nodes[static_cast<std::size_t>(n.group)])},
         {"State", starts_on_demand(in.cluster, in.cluster.nodes[static_cast<std::size_t>(n.group)]) ? "CLOUD" : ""}});
  }
}

// "CPU=3,Mem=0.516G,GRES/gpu=96"
std::string billing_of(const SlurmBilling& b) {
  std::string out;
  const auto add = [&](std::string_view what, double weight, std::string_view unit) {
    if (weight <= 0) return;
    std::string number = format("{:.3f}", weight);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    out += (out.empty() ? "" : ",") + std::string(what) + "=" + number + std::string(unit);
  };
  add("CPU", b.cpu, "");
  add("Mem", b.memory_gib, "G");
  add("GRES/gpu", b.gpu, "");
  add("GRES/shard", static_cast<double>(b.shard), "");
  return out;
}

std::string minutes(Seconds time) {
  return std::to_string(std::max<std::int64_t>(1, static_cast<std::int64_t>(time.value / 60)));
}

// "AllowAccounts=a,b"
std::string list_of(const std::vector<Value<std::string>>& words, bool lower) {
  std::vector<std::string> out;
  for (const Value<std::string>& word : words)
    if (word) out.push_back(lower ? to_lower(*word) : *word);
  return join(out, ",");
}

// Whether the files that are compiled define a topology of this name.
bool has_topology(const SlurmFacts& facts, std::string_view name) {
  if (!facts.topology_yaml) return true;  // a release that clusterc does not judge by
  return (name == kSlurmTree && !facts.switches.empty()) || (name == kSlurmBlocks && !facts.blocks.empty());
}

// The settings in `extra` of a partition: Key=Value each. Those that stand in the line already are refused; the share
// of memory and of CPUs is a default that they replace.
void add_settings(const SlurmFacts& facts, const SlurmPartition& p, SlurmFile::Pairs& line,
                  std::vector<std::pair<std::string, std::string>>& kept, Findings& findings) {
  for (const Value<std::string>& text : p.spec->extra) {
    if (!text) continue;
    const SlurmLine read = read_slurm_line("PartitionName=x " + *text, text.span);
    if (!read.rest.empty() || read.pairs.size() < 2) {
      findings
          .error("output-extra-malformed", text.span,
                 "'" + one_line(text->substr(0, 60)) + "' is no Key=Value of a partition")
          .help("write it as Slurm does: GraceTime=600");
      continue;
    }
    if (!check_slurm_line(read, "PartitionName", findings)) continue;
    for (std::size_t i = 1; i < read.pairs.size(); ++i) {
      const auto& [key, value] = read.pairs[i];
      const bool share = key == "defmempercpu" || key == "defmempernode" || key == "defmempergpu";
      if (key == "topology" && !has_topology(facts, value)) {
        findings
            .error("output-extra-malformed", text.span,
                   format("topology.yaml has no topology '{}': slurmctld does not start", one_line(value)))
            .help(facts.two_topologies() ? format("write Topology={} or Topology={}", kSlurmTree, kSlurmBlocks)
                                         : std::string("leave the setting out: the cluster has one topology at most"));
        continue;
      }
      std::erase_if(line, [&, k = std::string_view(key)](const auto& at) {
        const std::string low = to_lower(at.first);
        return (k == "topology" && low == k) || (share && low == "defmempercpu") || (k == "defcpupergpu" && low == k) ||
               (k == "state" && low == k);
      });
      if (std::ranges::any_of(line, [&, k = std::string_view(key)](
                                        const auto& at) { return to_lower(at.first) == k && !at.second.empty(); }) ||
          key == "partitionname" || key == "nodes") {
        findings
            .error("output-extra-contradicts-spec", text.span,
                   "an extra line sets '" + key + "' of partition '" + p.name + "', which is already set from the spec")
            .help("change the spec instead");
        continue;
      }
      kept.emplace_back(text->substr(read.places[i].begin - std::string_view("PartitionName=x ").size(), key.size()),
                        value);
    }
  }
  // A default above the limit would take more CPUs than a job requested (slurm.conf(5), MaxMemPerCPU).
  for (const auto& [key, value] : kept)
    if (const auto most = parse_uint(value); to_lower(key) == "maxmempercpu" && most && *most > 0)
      for (auto& [ours, share] : line)
        if (ours == "DefMemPerCPU" && parse_uint(share).value_or(0) > *most) share = value;
}

void partitions(const CompileInput& in, const SlurmFacts& facts, SlurmFile& f, Findings& findings) {
  f.comment("default share of a job that requests nothing else: memory for each CPU, CPUs for each GPU");
  const std::int64_t kept_memory = spec_memory(in.cluster);
  for (const SlurmPartition& p : facts.partitions) {
    const auto number = [](const Value<std::int64_t>& v) { return v ? std::to_string(*v) : std::string(); };
    SlurmFile::Pairs line = {
        {"PartitionName", p.name},
        {"Nodes", p.nodes},
        {"Default", p.standard ? "YES" : "NO"},
        {"State", "UP"},
        {"MaxTime", p.longest ? minutes(**p.longest) : std::string()},
        {"DefaultTime", p.usual ? minutes(**p.usual) : std::string()},
        {"DefMemPerCPU", std::to_string(std::max<std::int64_t>(1, p.memory - kept_memory) / p.memory_cpus)},
        {"DefCpuPerGPU", p.cpus_per_gpu > 0 ? std::to_string(p.cpus_per_gpu) : std::string()},
        {"TRESBillingWeights", billing_of(p.billing)},
        {"Topology", facts.two_topologies()
                         ? std::string(p.topology == SlurmTopology::block ? kSlurmBlocks : kSlurmTree)
                         : std::string()}};
    std::vector<std::pair<std::string, std::string>> settings;
    if (const Partition* s = p.spec) {
      line.insert(line.end(), {{"PriorityJobFactor", number(s->priority)},
                               {"PriorityTier", number(s->tier)},
                               {"OverSubscribe", s->exclusive.value_or(false) ? "EXCLUSIVE" : ""},
                               {"QOS", s->qos.value_or("")},
                               {"AllowQos", list_of(s->allow_qos, false)},
                               {"AllowAccounts", list_of(s->teams, true)}});
      add_settings(facts, p, line, settings, findings);
      for (const auto& [key, value] : settings) line.emplace_back(key, value);
    }
    f.line(line);
  }
}

void slurm_conf(const CompileInput& in, const SlurmFacts& facts, const SlurmPower& power, Bundle& bundle,
                Findings& findings) {
  SlurmFile f(in, "slurm.conf");
  controllers(in, facts, f);
  f.blank();
  jobs(in, facts, f);
  f.blank();
  node_checks(in, facts, power, f, findings);
  power_saving(in, facts, power, f);
  accounting(facts, f);
  f.blank();
  devices_and_topology(in, facts, f, findings);
  f.blank();
  nodes(in, facts, f, findings);
  f.blank();
  partitions(in, facts, f, findings);
  f.finish(bundle, findings);
}

void gres_conf(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings& findings) {
  SlurmFile f(in, "gres.conf");
  f.comment(
      "Every build of slurmd reads File= lines. If a device is missing, slurmd waits 20 s and exits; its unit restarts "
      "it (slurmd.service.d/90-cluster.conf).");
  f.comment(
      "AutoDetect=nvml needs slurmd built with NVML, and cannot be combined with them (sched-gres-file-malformed)");
  for (const SlurmNodes& n : facts.nodes) {
    if (n.mig) {
      f.comment("MIG instances have no fixed device files: these nodes need slurmd built with NVML");
      f.line({{"NodeName", n.names}, {"AutoDetect", "nvml"}});
    }
    for (const GpuDevices& d : n.devices)
      f.line({{"NodeName", n.names},
              {"Name", "gpu"},
              {"Type", n.type},
              {"File", d.file},
              {"Cores", d.cores},
              {"Links", d.links}});
    // Without File= slurmd gives each of the node's GPUs as many (gres.conf(5), gres/shard).
    if (n.shards > 0) f.line({{"NodeName", n.names}, {"Name", "shard"}, {"Count", std::to_string(n.gpus * n.shards)}});
  }
  f.finish(bundle, findings);
}

void cgroup_conf(const CompileInput& in, Bundle& bundle, Findings& findings) {
  SlurmFile f(in, "cgroup.conf");
  f.set("CgroupPlugin", "autodetect");
  f.derived("ConstrainCores", "yes");
  f.derived("ConstrainDevices", "yes");
  f.derived("ConstrainRAMSpace", "yes");
  f.set("ConstrainSwapSpace", "yes");
  f.finish(bundle, findings);
}

// job_container.conf(5). The folder is made where it is missing; it must be on a disk of the node, and not below /tmp.
void job_container_conf(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings& findings) {
  SlurmFile f(in, "job_container.conf");
  f.comment("/tmp and /dev/shm of a job: folders below BasePath, which are removed after the job");
  for (const SlurmNodes& n : facts.nodes) {
    const std::string scratch = scratch_of(in, n);
    f.line({{"NodeName", n.names},
            {"AutoBasePath", "true"},
            {"BasePath", (scratch.empty() ? std::string("/var/lib") : scratch) + "/slurm-job-tmp"}});
  }
  f.finish(bundle, findings);
}

void plugstack_conf(const CompileInput& in, Bundle& bundle) {
  if (std::none_of(in.cluster.nodes.begin(), in.cluster.nodes.end(),
                   [&](const NodeGroupModel& g) { return pyxis_of(in.cluster, g); }))
    return;
  bundle.open("slurm/plugstack.conf", "slurm");
  std::string& out = bundle.text();
  out += made_by(in, "slurm");
  out +=
      "# srun --container-image: Pyxis, which the plays build for this release of Slurm on every machine that runs "
      "jobs "
      "or starts them.\n# By hand: make install, and ln -s /usr/local/share/pyxis/pyxis.conf "
      "/etc/slurm/plugstack.conf.d/\n"
      "# plugins of your own: files there\ninclude /etc/slurm/plugstack.conf.d/*.conf\n";
  bundle.close();
}

void team_usage(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle) {
  if (facts.teams.empty()) return;
  bundle.add("slurm/team-usage.sh", "slurm",
             "#!/bin/sh\n" + made_by(in, "") + std::string(template_text("slurm/team-usage.sh")), 0755);
}

void emit_slurm(const CompileInput& in, Bundle& bundle, Findings& findings) {
  SlurmFacts facts = slurm_facts(in.system, findings);
  check_version(in, facts, findings);
  check_releases(in, findings);
  check_reserved_names(in, facts, findings);
  std::vector<std::string_view> files{"slurm.conf", "cgroup.conf"};
  const SlurmPower power = slurm_power(in.system, findings);
  slurm_conf(in, facts, power, bundle, findings);
  check_extra_nodes(in, facts, findings);
  cgroup_conf(in, bundle, findings);
  if (hands_out_gpus(facts)) files.push_back("gres.conf"), gres_conf(in, facts, bundle, findings);
  if (emit_topology(in, facts, bundle, findings)) files.push_back("topology.conf");
  if (in.cluster.spec.software->scheduler->private_tmp.value_or(false))
    files.push_back("job_container.conf"), job_container_conf(in, facts, bundle, findings);
  if (!facts.databases.empty()) files.push_back("slurmdbd.conf"), emit_accounting(in, facts, bundle, findings);
  emit_reservations(in, facts, bundle);
  emit_spares(in, facts, bundle);
  emit_power(in, power, bundle);
  plugstack_conf(in, bundle);
  emit_node_scripts(in, facts, bundle, findings);
  team_usage(in, facts, bundle);
  check_extra_files(in, "slurm", files, findings);
}

}  // namespace

extern const Output kSlurmOutput;  // registry.cc names it
const Output kSlurmOutput{
    .id = "slurm",
    .summary =
        "slurm.conf, gres.conf, cgroup.conf, topology.conf or topology.yaml, slurmdbd.conf; prolog, epilog, health "
        "check; accounts and "
        "quotas of teams; reservations; power saving for cloud instances: start for a job, termination when idle",
    .consumers = "slurmctld, slurmd and slurmdbd 22.05 to 25.05",
    .wanted = wants_slurm,
    .emit = emit_slurm,
};

}  // namespace clusterc
