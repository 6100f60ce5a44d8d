#include "system/jobs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/mig.h"
#include "model/pcie.h"
#include "model/storage_path.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "spec/workload.h"
#include "system/containers.h"
#include "system/file_systems.h"
#include "system/slurm.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

// Between the signal and the limit, beside a step and a checkpoint: Slurm sends it up to 60 s late or early
// (sbatch(1), --signal), and processes need time to end.
constexpr std::int64_t kSignalMargin = 120;
// A checkpoint whose time is not known.
constexpr std::int64_t kUnknownCheckpoint = 300;
// Between checkpoints, where the spec does not say and the time of a save is not known: an interruption then takes a
// quarter of an hour of work on average.
constexpr Seconds kCheckpointEvery{1800};
constexpr std::int64_t kLongestSignal = 65535;  // seconds (sbatch(1), --signal)

struct Word {
  std::string_view word;
  JobLauncher launcher;
};
constexpr Word kLaunchers[] = {{"torchrun", JobLauncher::torchrun},
                               {"deepspeed", JobLauncher::deepspeed},
                               {"megatron", JobLauncher::megatron},
                               {"ray", JobLauncher::ray},
                               {"jax", JobLauncher::jax},
                               {"horovod", JobLauncher::horovod},
                               {"mpi", JobLauncher::mpi}};
// Frameworks of `software.frameworks` by whose own programs jobs are started.
constexpr Word kFrameworks[] = {{"deepspeed", JobLauncher::deepspeed},
                                {"megatron", JobLauncher::megatron},
                                {"megatron-lm", JobLauncher::megatron},
                                {"megatron-core", JobLauncher::megatron},
                                {"ray", JobLauncher::ray},
                                {"jax", JobLauncher::jax},
                                {"horovod", JobLauncher::horovod}};

bool is_slurm(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return s && s->kind && *s->kind == SchedulerKind::slurm;
}

bool divides_batch_alone(const Layout& l) {
  return l.tensor == 1 && l.pipeline == 1 && l.context == 1 && l.expert <= 1;
}

// Why this launcher cannot do what the plan has; empty: it can.
std::string cannot_split(JobLauncher launcher, const Layout& l, const Transformer& model) {
  switch (launcher) {
    case JobLauncher::horovod:
      if (!divides_batch_alone(l))
        return format("Horovod divides the batch alone, and the plan has tensor {} x pipeline {} x context {}",
                      l.tensor, l.pipeline, l.context);
      if (l.sharded != Sharding::none)
        return format(
            "with Horovod each process holds the whole model and the states of its optimizer, and the plan "
            "divides them among the processes (`sharded: {}`)",
            sharding_word(l.sharded));
      return {};
    case JobLauncher::deepspeed:
      // deepspeed/runtime/pipe/engine.py asserts it.
      if (l.pipeline > 1 && (l.sharded == Sharding::gradients || l.sharded == Sharding::all))
        return format("DeepSpeed has no ZeRO-2 or ZeRO-3 with a pipeline, and the plan has {} stages", l.pipeline);
      return {};
    case JobLauncher::megatron:
      if (std::fmod(model.layers, l.pipeline * l.interleave) != 0)
        return format("Megatron-LM needs as many layers on each stage, and {} layers are not divisible by {}",
                      model.layers, l.pipeline * l.interleave);
      return {};
    default:
      return {};
  }
}

JobLauncher by_frameworks(const NodeGroupModel& g) {
  for (const NamedVersion& v : g.software->frameworks)
    for (const Word& w : kFrameworks)
      if (v.kind && to_lower(*v.kind) == w.word) return w.launcher;
  return JobLauncher::torchrun;
}

JobContainer container_of(const Cluster& c, const NodeGroupModel& g) {
  if (pyxis_of(c, g)) return JobContainer::pyxis;
  return runs_containers(g, {"apptainer", "singularity"}) ? JobContainer::apptainer : JobContainer::none;
}

// Pyxis and Apptainer divide their lists of mounts at commas and colons.
bool is_plain_mount(std::string_view path) { return path.find_first_of(",:") == std::string_view::npos; }

// File systems that all nodes of the group see at one place.
std::vector<const StorageModel*> shared_storage(const Cluster& c, int group) {
  std::vector<const StorageModel*> out;
  for (const int i : storage_of_group(c, group)) {
    const StorageModel& s = c.storage[static_cast<std::size_t>(i)];
    if (s.spec && s.spec->kind && s.spec->mount && *s.spec->kind != StorageKind::local &&
        *s.spec->kind != StorageKind::object && mounts(s, c.nodes[static_cast<std::size_t>(group)]))
      out.push_back(&s);
  }
  return out;
}

std::string checkpoint_mount(const Cluster& c, const Workload& w, int group) {
  const std::vector<const StorageModel*> all = shared_storage(c, group);
  const auto named = [&](std::string_view name) -> std::string {
    for (const StorageModel* s : all)
      if (s->name == name) return *s->spec->mount;
    return {};
  };
  if (w.checkpoint_to) return named(*w.checkpoint_to);
  if (const int at = checkpoint_storage(c, w, {group}, StorageDirection::write); at >= 0)
    if (const std::string mount = named(c.storage[static_cast<std::size_t>(at)].name); !mount.empty()) return mount;
  return all.empty() ? std::string() : *all.front()->spec->mount;
}

// The fewest leaves that have so many nodes of the group: the fullest first.
std::int64_t fewest_switches(const SlurmFacts& facts, const NodeGroupModel& g, std::int64_t nodes) {
  if (facts.topology != SlurmTopology::tree) return 0;
  std::vector<std::int64_t> counts;
  for (const SlurmSwitch& s : facts.switches) {
    if (s.nodes.empty()) continue;
    HostPattern::Error error;
    const auto names = HostPattern::parse(s.nodes, error);
    if (!names) return 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < names->count(); ++i) count += g.names.index_of(names->name(i)) >= 0;
    if (count > 0) counts.push_back(count);
  }
  std::sort(counts.rbegin(), counts.rend());
  std::int64_t have = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if ((have += counts[i]) >= nodes) return i + 1 < counts.size() ? static_cast<std::int64_t>(i) + 1 : 0;
  return 0;
}

std::optional<std::int64_t> minutes_of(const Value<Seconds>& time) {
  if (!time) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(time->value / 60));
}
std::optional<std::int64_t> limit_of(const Cluster& c) {
  const Scheduler& s = *c.spec.software->scheduler;
  return s.limits ? minutes_of(s.limits->time) : std::nullopt;
}

std::int64_t whole(double n) { return std::llround(n); }

// Nodes of the group that fit into a quota on it, of jobs that have whole nodes (`--exclusive`); nullopt: it says
// nothing of what these nodes have.
std::optional<std::int64_t> nodes_within(const QuotaAmount& quota, std::int64_t gpus, std::int64_t cores) {
  if (!quota.amount || !quota.of) return std::nullopt;
  const std::int64_t of_node = *quota.of == "gpus" ? gpus : *quota.of == "cores" ? cores : 1;
  return of_node > 0 ? std::optional(*quota.amount / of_node) : std::nullopt;
}
const QuotaAmount* quota_on(const Team& team, std::string_view group) {
  const auto* found = team.quota.find(group);
  return found ? &found->value : nullptr;
}

// Of so many ranks on a node, each with the next `cpus` hardware threads.
RankPlaces places_of(const PcieTree& tree, const SlurmNodes& n, std::int64_t ranks, std::int64_t cpus) {
  if (n.gpus == 0) return RankPlaces::no_gpus;
  if (n.cores_per_socket <= 0) return RankPlaces::unknown;
  const std::int64_t cores = (cpus + n.threads_per_core - 1) / n.threads_per_core;
  bool near = true;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const int socket = socket_of_gpu(tree, rank);
    if (socket < 0) return RankPlaces::unknown;
    near &= rank * cores / n.cores_per_socket == socket && ((rank + 1) * cores - 1) / n.cores_per_socket == socket;
  }
  return near ? RankPlaces::near : RankPlaces::elsewhere;
}

class JobPlanner {
 public:
  explicit JobPlanner(const System& in) : in_(in), c_(in.cluster) {
    Findings said;  // the output slurm reports them
    slurm_ = slurm_facts(in, said);
  }

  JobFacts facts() {
    for (const auto& w : c_.spec.workloads) workload(w);
    for (const SlurmNodes& n : slurm_.nodes) first(n);
    return std::move(out_);
  }

 private:
  void leave(const Named<Workload>& w, std::string why, std::string help) {
    out_.left.push_back({w.name, w.name_span, std::move(why), std::move(help)});
  }
  const SlurmNodes* slurm_nodes(int group) const {
    for (const SlurmNodes& n : slurm_.nodes)
      if (n.group == group) return &n;
    return nullptr;
  }

  void workload(const Named<Workload>& named) {
    const Workload& w = named.value;
    const std::string kind = w.kind.value_or("training");
    if (kind == "inference")
      return leave(named, "it serves requests (`kind: inference`)",
                   "start your serving engine by hand; `clusterc plan` has the GPUs of each copy of the model");
    int group = -1;
    for (const auto& on : w.on) {
      const int at = c_.find_node_group(on.name);
      if (at < 0 || !on.value) continue;
      if (group >= 0)
        return leave(named, "its nodes are in several groups, and a job of Slurm has nodes of one partition",
                     "name one group in `on`, or write its job script by hand");
      group = at;
    }
    if (group < 0) return leave(named, "it names no nodes (`on`)", "the nodes of one group: `on: { gpu: 4 }`");
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    const SlurmNodes* nodes = slurm_nodes(group);
    if (!nodes || nodes->cpus <= 0)
      return leave(named, "Slurm does not schedule '" + g.name + "'", "name the group in `scheduler.schedules`");
    if (nodes->mig)
      return leave(named, "the GPUs of '" + g.name + "' are cut into instances (`mig`)",
                   "processes of one job cannot join instances of a GPU: run it on GPUs without `mig`");
    job(named, kind, g, *nodes);
  }

  void job(const Named<Workload>& named, std::string_view kind, const NodeGroupModel& g, const SlurmNodes& nodes) {
    const Workload& w = named.value;
    Job j{.name = named.name, .workload = &w, .group = nodes.group};
    j.asked = j.nodes = *w.on.begin()->value;
    for (const auto& on : w.on)
      if (c_.find_node_group(on.name) == nodes.group && on.value) j.asked = j.nodes = *on.value;
    const std::int64_t cores = nodes.sockets * nodes.cores_per_socket;
    j.processes = nodes.gpus > 0 ? nodes.gpus : kind == "hpc" ? std::max<std::int64_t>(1, cores) : 1;
    if (nodes.gpus > 0) j.gres = "gpu:" + nodes.type + ":" + std::to_string(nodes.gpus);
    j.node_gpus = nodes.gpus;
    j.node_cores = nodes.cpus / nodes.threads_per_core;
    const WorkloadPlan plan = plan_workload(c_, named);
    j.launcher = launcher(w, kind, g, plan);
    if (kind != "hpc") split(plan, j);
    const bool each =
        j.launcher == JobLauncher::jax || j.launcher == JobLauncher::horovod || j.launcher == JobLauncher::mpi;
    j.tasks = each ? j.processes : 1;
    j.cpus = std::max<std::int64_t>(1, nodes.cpus / j.processes);
    j.places = places_of(in_.plan.pcie_tree(static_cast<std::size_t>(nodes.group)), nodes, j.processes, j.cpus);
    if (j.launcher == JobLauncher::horovod || j.launcher == JobLauncher::mpi) j.mpi = slurm_.mpi;
    j.switches = fewest_switches(slurm_, g, j.nodes);
    if (w.launcher && w.launcher->team) j.account = to_lower(*w.launcher->team);
    if (w.launcher && w.launcher->image) {
      j.image = *w.launcher->image;
      j.container = container_of(c_, g);
    }
    for (const StorageModel* s : shared_storage(c_, nodes.group)) j.mounts.push_back(*s->spec->mount);
    j.limit = w.launcher ? minutes_of(w.launcher->time) : std::nullopt;
    if (!j.limit) j.limit = limit_of(c_);
    j.saves = kind != "hpc" || w.checkpoint_every || w.checkpoint_to;
    j.requeues = c_.spec.software->scheduler->requeue.value_or(true);
    if (j.saves) j.checkpoints = checkpoint_mount(c_, w, nodes.group);
    warn(plan, j);
    out_.jobs.push_back(std::move(j));
  }

  static JobLauncher launcher(const Workload& w, std::string_view kind, const NodeGroupModel& g,
                              const WorkloadPlan& plan) {
    if (w.launcher && w.launcher->kind)
      for (const Word& word : kLaunchers)
        if (word.word == *w.launcher->kind) return word.launcher;
    if (kind == "hpc") return JobLauncher::mpi;
    const JobLauncher found = by_frameworks(g);
    // A launcher that the spec does not name has to work: torchrun starts whatever the script then divides.
    const bool able = !plan.used || !plan.job || cannot_split(found, plan.used->layout, plan.job->model).empty();
    return able ? found : JobLauncher::torchrun;
  }

  static void split(const WorkloadPlan& plan, Job& j) {
    if (!plan.used || !plan.job) {
      j.unknown =
          plan.missing.empty() ? "no split that was tried fits into the memory of the GPUs" : plan.missing.front();
      return;
    }
    const Layout& l = plan.used->layout;
    JobSplit s{.tensor = whole(l.tensor),
               .pipeline = whole(l.pipeline),
               .context = whole(l.context),
               .data = whole(l.data),
               .expert = whole(std::max(1.0, l.expert)),
               .interleave = whole(l.interleave),
               .micro_batch = whole(l.micro_batch),
               .batch = whole(plan.job->batch),
               .sequence = whole(plan.job->model.sequence),
               .sharded = l.sharded,
               .recompute = l.recompute};
    if (s.batch % (s.data * s.micro_batch) != 0) {
      j.unknown = format("{} sequences of a step are not divisible by {} copies x {} in a micro batch", s.batch, s.data,
                         s.micro_batch);
      return;
    }
    s.accumulation = s.batch / (s.data * s.micro_batch);
    // As many processes as the split has work for, alike on each node.
    std::int64_t each = std::min(j.processes, s.processes());
    while (each > 1 && (s.processes() % each != 0 || s.processes() / each > j.asked)) --each;
    if (s.processes() % each != 0 || s.processes() / each > j.asked) {
      j.unknown = format("the split has work for {} GPUs, which are not the same number on each node", s.processes());
      return;
    }
    j.processes = each;
    j.nodes = s.processes() / each;
    j.split = s;
    j.model = plan.job->model;
    j.step = Seconds(plan.used->time.total());
    if (const auto& train = j.workload->train; train && train->tokens)
      j.steps = whole(std::ceil(static_cast<double>(*train->tokens) / (static_cast<double>(s.batch * s.sequence))));
  }

  static void warn(const WorkloadPlan& plan, Job& j) {
    if (plan.checkpoint && plan.checkpoint->every) j.checkpoint_every = *plan.checkpoint->every;
    if (!j.checkpoint_every && j.workload->checkpoint_every) j.checkpoint_every = *j.workload->checkpoint_every;
    if (!j.checkpoint_every && j.saves) {
      j.checkpoint_every = kCheckpointEvery;
      j.every_assumed = true;
    }
    if (j.checkpoint_every && j.step && j.step->value > 0)
      j.checkpoint_steps = std::max<std::int64_t>(1, whole(std::floor(j.checkpoint_every->value / j.step->value)));
    // The limit that the spec sets for a save counts where it is longer than what the storage takes.
    std::optional<double> save;
    if (plan.checkpoint && plan.checkpoint->save) save = plan.checkpoint->save->value;
    if (const auto& within = j.workload->checkpoint_within) save = std::max(save.value_or(0), within->value);
    const std::int64_t seconds = save ? whole(std::ceil(*save)) : kUnknownCheckpoint,
                       step = j.step ? whole(std::ceil(j.step->value)) : 0;
    j.warning = std::min(kLongestSignal, seconds + step + kSignalMargin);
    j.warning_sum = format("checkpoint {} s{}{} + {} s", seconds, save ? "" : " (not known)",
                           step > 0 ? format(" + step {} s", step) : std::string(), kSignalMargin);
  }

  void first(const SlurmNodes& n) {
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(n.group)];
    const std::int64_t spares = g.spec ? g.spec->spares.value_or(0) : 0;
    FirstJob f{.group = n.group, .nodes = g.count - spares};
    if (f.nodes <= 0 || n.cpus <= 0 || n.mig) return;
    f.gpus = n.gpus;
    const std::int64_t cores = std::max<std::int64_t>(1, n.sockets * n.cores_per_socket);
    f.ranks = f.gpus > 0 ? f.gpus : cores;
    f.cpus = std::max<std::int64_t>(1, n.cpus / f.ranks);
    if (f.gpus > 0) f.gres = "gpu:" + n.type + ":" + std::to_string(f.gpus);
    f.mpi = slurm_.mpi;
    f.places = places_of(in_.plan.pcie_tree(static_cast<std::size_t>(n.group)), n, f.ranks, f.cpus);
    f.limit = limit_of(c_);
    const std::int64_t ranks = f.nodes * f.ranks;
    for (std::int64_t p = 1; p * p <= ranks; ++p)
      if (ranks % p == 0) f.rows = p;
    f.columns = ranks / f.rows;
    size(g, n, f);
    for (const auto& team : c_.spec.teams)
      if (const QuotaAmount* quota = quota_on(team.value, g.name))
        if (const auto fits = nodes_within(*quota, n.gpus, n.cpus / n.threads_per_core); fits && *fits < f.nodes)
          f.too_small.push_back({team.name, *fits});
    out_.first.push_back(std::move(f));
  }

  // Hosts: 80 % of the memory, blocks of 192 (netlib.org/benchmark/hpl/faqs.html: "80 % of the total amount of memory";
  // NB of 32 to 256). GPUs: 90 % of theirs and blocks of 1,024 (NVIDIA HPC Benchmarks, sample-dat).
  static void size(const NodeGroupModel& g, const SlurmNodes& n, FirstJob& f) {
    double bytes = 0;
    if (f.gpus > 0 && g.server.gpu && g.server.gpu->memory) {
      f.block = 1024;
      bytes = 0.9 * g.server.gpu->memory->value * static_cast<double>(f.nodes * f.gpus);
      f.order_sum = format("90 % of {} x {} of GPU memory", f.nodes * f.gpus, to_text(*g.server.gpu->memory));
    } else if (f.gpus == 0 && n.memory.jobs > 0) {
      f.block = 192;
      bytes = 0.8 * static_cast<double>(n.memory.jobs) * 1048576 * static_cast<double>(f.nodes);
      f.order_sum = format("80 % of {} x {} MiB of memory", f.nodes, n.memory.jobs);
    }
    f.order = f.block > 0 ? hpl_order(bytes, f.block) : 0;
    if (f.order <= 0) f.order = f.block = 0;
  }

  const System& in_;
  const Cluster& c_;
  SlurmFacts slurm_;
  JobFacts out_;
};

JobFacts compute(const System& in) {
  if (is_slurm(in.cluster)) return JobPlanner(in).facts();
  JobFacts out;
  for (const auto& w : in.cluster.spec.workloads)
    out.left.push_back({w.name, w.name_span, "job scripts are compiled for Slurm alone",
                        "write its job by hand; `clusterc plan` has nodes, split and step time"});
  return out;
}

void check_split(const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  if (!w.launcher || !w.launcher->kind || !j.split || !j.model) return;
  const JobSplit& s = *j.split;
  const Layout l{.tensor = static_cast<double>(s.tensor),
                 .pipeline = static_cast<double>(s.pipeline),
                 .data = static_cast<double>(s.data),
                 .context = static_cast<double>(s.context),
                 .expert = static_cast<double>(s.expert),
                 .interleave = static_cast<double>(s.interleave),
                 .micro_batch = static_cast<double>(s.micro_batch),
                 .sharded = s.sharded,
                 .recompute = s.recompute};
  const std::string why = cannot_split(j.launcher, l, *j.model);
  if (why.empty()) return;
  Finding& f =
      findings.error("jobs-split-not-launched", w.launcher->kind.span,
                     format("launcher '{}' cannot start workload '{}' as planned", launcher_word(j.launcher), j.name));
  f.label(why).object("workloads." + j.name);
  if (w.split)
    f.note(w.split->span, "the split is set here");
  else
    f.note(w.span, "the spec has no `split`: the plan chose the fastest that fits into the memory of the GPUs");
  f.help(j.launcher == JobLauncher::horovod ? "write `split: { sharded: none }` if the model fits on one GPU, or "
                                              "`launcher: torchrun`"
                                            : "write a `split` that it can do, or `launcher: torchrun`");
}

void check_mounts(const Cluster& c, const Job& j, Findings& findings) {
  if (j.image.empty() || j.container == JobContainer::none) return;
  for (const StorageModel* s : shared_storage(c, j.group))
    if (!is_plain_mount(*s->spec->mount))
      findings
          .error("jobs-mount-malformed", s->spec->mount.span,
                 format("'{}' cannot be mounted in the container of workload '{}': commas and colons end a mount",
                        one_line(*s->spec->mount), j.name))
          .help("use a mount point without commas and colons");
}

// The limit that holds for a job: its own, or that of all jobs; null: none.
const Value<Seconds>* time_of(const Cluster& c, const Workload& w) {
  if (w.launcher && w.launcher->time) return &w.launcher->time;
  const auto& limits = c.spec.software->scheduler->limits;
  return limits && limits->time ? &limits->time : nullptr;
}

void check_time(const Cluster& c, const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  const Value<Seconds>* limit = time_of(c, w);
  if (!limit) return;
  const Value<Seconds>& time = *limit;
  const bool own = w.launcher && w.launcher->time;
  if (const auto most = limit_of(c); own && most && *minutes_of(time) > *most)
    findings
        .error(
            "jobs-time-over-limit", time.span,
            format(
                "each job of workload '{}' asks for {}, but a job may run for at most {}: Slurm would never start it",
                j.name, to_text(*time), to_text(*c.spec.software->scheduler->limits->time)))
        .note(c.spec.software->scheduler->limits->time.span, "the limit of all jobs")
        .help(format("write `time: {}`: {}", to_text(*c.spec.software->scheduler->limits->time),
                     j.requeues ? "the job is requeued and goes on from its checkpoint"
                                : "submitted again, the job goes on from its checkpoint"))
        .object("workloads." + j.name);
  else if (j.is_warned() && time->value < 2 * static_cast<double>(j.warning))
    findings
        .error(
            "jobs-time-too-short", time.span,
            format(
                "each job of workload '{}' runs for {}, but needs {} to save: at most half of its time may be for that",
                j.name, to_text(*time), to_text(Seconds(static_cast<double>(j.warning)))))
        .label(own ? j.warning_sum : "the limit of all jobs; to save: " + j.warning_sum)
        .help("write a longer `time`, or save faster: `checkpoint_within`")
        .object("workloads." + j.name);
}

// Slurm holds a job that needs more than the quota of its account's QOS, whatever the other jobs have.
void check_quota(const Cluster& c, const Job& j, Findings& findings) {
  if (j.account.empty()) return;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(j.group)];
  for (const auto& team : c.spec.teams) {
    const QuotaAmount* quota = to_lower(team.name) == j.account ? quota_on(team.value, g.name) : nullptr;
    if (!quota) continue;
    const auto fits = nodes_within(*quota, j.node_gpus, j.node_cores);
    if (!fits || *fits >= j.nodes) continue;
    const std::int64_t need = j.nodes * (*quota->of == "gpus" ? j.node_gpus : *quota->of == "cores" ? j.node_cores : 1);
    findings
        .error("jobs-quota-too-small", j.workload->launcher->team.span,
               format("workload '{}' needs {} {} of '{}', and team '{}' may use {}: Slurm would never start it", j.name,
                      need, *quota->of, g.name, team.name, *quota->amount))
        .label(format("{} whole {}", j.nodes, j.nodes == 1 ? "node" : "nodes"))
        .note(quota->span, "the quota of the team")
        .help(format(
            "write `quota: {{ {}: {} {} }}` or more, or run it on {}", g.name, need, *quota->of,
            *fits > 0 ? format("{} {}", *fits, *fits == 1 ? "node" : "nodes") : std::string("nodes of another group")))
        .object("workloads." + j.name);
  }
}

void check_checkpoints(const Cluster& c, const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  if (!w.checkpoint_to || !j.saves || !j.checkpoints.empty()) return;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(j.group)];
  for (const StorageModel& s : c.storage) {
    if (s.name != *w.checkpoint_to || !s.spec || !s.spec->kind || mounts(s, g)) continue;
    if (*s.spec->kind == StorageKind::local || *s.spec->kind == StorageKind::object) continue;
    Finding& f = findings.error(
        "jobs-checkpoints-unmounted", w.checkpoint_to.span,
        format("workload '{}' saves its checkpoints to '{}', which '{}' does not mount", j.name, s.name, g.name));
    f.note(s.spec->span, "the storage")
        .help(format("add '{}' to `on` of the storage and connect it to a network of the storage, or name storage that "
                     "the group mounts",
                     g.name))
        .object("workloads." + j.name);
  }
}

}  // namespace

std::string_view launcher_word(JobLauncher launcher) {
  for (const Word& w : kLaunchers)
    if (w.launcher == launcher) return w.word;
  return {};
}

std::int64_t hpl_order(double bytes, std::int64_t block) {
  return static_cast<std::int64_t>(std::sqrt(bytes / 8)) / block * block;
}

const JobFacts& job_facts(const System& in) {
  return in.memo.get("jobs", [&] { return compute(in); });
}

void check_jobs(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!is_slurm(c)) {
    for (const auto& w : c.spec.workloads)
      if (w.value.launcher && w.value.launcher->kind)
        findings
            .warning("jobs-launcher-without-slurm", w.value.launcher->span,
                     format("workload '{}' names the launcher '{}', and the scheduler is not Slurm: nothing starts it",
                            w.name, one_line(*w.value.launcher->kind)))
            .help("write its job by hand, or `scheduler: slurm`")
            .object("workloads." + w.name);
    return;
  }
  for (const Job& j : job_facts(in).jobs) {
    check_split(j, findings);
    check_time(c, j, findings);
    check_quota(c, j, findings);
    check_checkpoints(c, j, findings);
    check_mounts(c, j, findings);
    if (!j.image.empty() && j.container == JobContainer::none)
      findings
          .error("jobs-image-without-runtime", j.workload->launcher->image.span,
                 format("workload '{}' runs in a container image, and '{}' has no runtime that srun can start it with",
                        j.name, c.nodes[static_cast<std::size_t>(j.group)].name))
          .help("write `containers: [enroot, pyxis]` or `containers: [apptainer]`")
          .object("workloads." + j.name);
  }
}

}  // namespace clusterc
