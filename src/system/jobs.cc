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
#include "system/job_parts.h"
#include "system/kubernetes_jobs.h"
#include "system/slurm.h"
#include "targets/hpl_dat.h"
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

bool divides_batch_alone(const Layout& l) {
  return l.tensor == 1 && l.pipeline == 1 && l.context == 1 && l.expert <= 1;
}

bool is_slurm(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return s && s->kind && *s->kind == SchedulerKind::slurm;
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
std::int64_t fewest_switches(const Cluster& c, const SlurmFacts& facts, int group, std::int64_t nodes) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const auto partition = std::ranges::find(facts.partitions, slurm_partition_name(c, group), &SlurmPartition::name);
  if ((partition == facts.partitions.end() ? facts.topology : partition->topology) != SlurmTopology::tree) return 0;
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

std::int64_t whole(double n) { return std::llround(n); }

JobNodes job_nodes(const SlurmNodes& n) {
  JobNodes out{.group = n.group,
               .cpus = n.cpus,
               .sockets = n.sockets,
               .cores_per_socket = n.cores_per_socket,
               .threads_per_core = n.threads_per_core,
               .gpus = n.gpus,
               .mig = n.mig,
               .memory = n.memory};
  if (n.gpus > 0) out.gres = "gpu:" + n.type + ":" + std::to_string(n.gpus);
  return out;
}

// Of so many ranks on a node, each with the next `cpus` hardware threads.
RankPlaces places_of(const PcieTree& tree, const JobNodes& n, std::int64_t ranks, std::int64_t cpus) {
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
    Findings said;  // the outputs slurm and kubernetes report them
    if (is_slurm(c_)) {
      slurm_ = slurm_facts(in, said);
      for (const SlurmNodes& n : slurm_.nodes) nodes_.push_back(job_nodes(n));
    } else {
      kubernetes_ = kubernetes_facts(in, said);
      nodes_ = kubernetes_nodes(c_, *kubernetes_);
    }
  }

  JobFacts facts() {
    for (const auto& w : c_.spec.workloads) workload(w);
    if (!kubernetes_)
      for (const JobNodes& n : nodes_) first(n);
    return std::move(out_);
  }

 private:
  void leave(const Named<Workload>& w, std::string why, std::string help) {
    out_.left.push_back({w.name, w.name_span, std::move(why), std::move(help)});
  }
  const JobNodes* nodes_of(int group) const {
    for (const JobNodes& n : nodes_)
      if (n.group == group) return &n;
    return nullptr;
  }

  void workload(const Named<Workload>& named) {
    const Workload& w = named.value;
    const std::string kind = w.kind.value_or("training");
    if (kind == "inference" && !kubernetes_)
      return leave(named, "it serves requests (`kind: inference`)",
                   "start your serving engine by hand; `clusterc plan` has the GPUs of each copy of the model");
    int group = -1;
    for (const auto& on : w.on) {
      const int at = c_.find_node_group(on.name);
      if (at < 0 || !on.value) continue;
      if (group >= 0)
        return leave(named,
                     kubernetes_ ? "its nodes are in several groups, and its pods are alike"
                                 : "its nodes are in several groups, and a job of Slurm has nodes of one partition",
                     kubernetes_ ? "name one group in `on`, or write its objects by hand"
                                 : "name one group in `on`, or write its job script by hand");
      group = at;
    }
    if (group < 0) return leave(named, "it names no nodes (`on`)", "the nodes of one group: `on: { gpu: 4 }`");
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    const JobNodes* nodes = nodes_of(group);
    if (!nodes || nodes->cpus <= 0)
      return leave(named, (kubernetes_ ? "Kubernetes" : "Slurm") + (" does not schedule '" + g.name + "'"),
                   "name the group in `scheduler.schedules`");
    if (nodes->mig)
      return leave(named, "the GPUs of '" + g.name + "' are cut into instances (`mig`)",
                   "processes of one job cannot join instances of a GPU: run it on GPUs without `mig`");
    std::int64_t asked = 0;
    for (const auto& on : w.on)
      if (c_.find_node_group(on.name) == group && on.value) asked = *on.value;
    if (kind == "inference")
      service(named, *nodes, asked);
    else
      job(named, kind, g, *nodes, asked);
  }

  void service(const Named<Workload>& named, const JobNodes& nodes, std::int64_t asked) {
    ServedModel m{.name = named.name, .workload = &named.value, .group = nodes.group};
    if (auto left = plan_service(c_, *kubernetes_, named, nodes, asked, m))
      leave(named, std::move(left->why), std::move(left->help));
    else
      out_.served.push_back(std::move(m));
  }

  void job(const Named<Workload>& named, std::string_view kind, const NodeGroupModel& g, const JobNodes& nodes,
           std::int64_t asked) {
    const Workload& w = named.value;
    Job j{.name = named.name, .workload = &w, .group = nodes.group};
    j.asked = j.nodes = asked;
    const std::int64_t cores = nodes.sockets * nodes.cores_per_socket;
    j.processes = nodes.gpus > 0 ? nodes.gpus : kind == "hpc" ? std::max<std::int64_t>(1, cores) : 1;
    j.gres = nodes.gres;
    j.memory_mib = nodes.pod_memory_mib;
    j.node_gpus = nodes.gpus;
    j.node_cores = nodes.cpus / nodes.threads_per_core;
    const WorkloadPlan plan = plan_workload(c_, named);
    j.launcher = launcher(w, kind, g, plan);
    if (kind != "hpc") split(plan, j);
    const bool each =
        j.launcher == JobLauncher::jax || j.launcher == JobLauncher::horovod || j.launcher == JobLauncher::mpi;
    j.tasks = each ? j.processes : 1;
    j.cpus = std::max<std::int64_t>(1, nodes.cpus / j.processes);
    if (w.launcher && w.launcher->image) j.image = *w.launcher->image;
    if (!kubernetes_) of_slurm(w, g, nodes, j);
    j.limit = w.launcher ? minutes_of(w.launcher->time) : std::nullopt;
    if (!j.limit) j.limit = limit_of(c_, j.group);
    j.saves = kind != "hpc" || w.checkpoint_every || w.checkpoint_to;
    j.requeues = c_.spec.software->scheduler->requeue.value_or(true);
    warn(plan, j);
    if (kubernetes_) {
      j.restarts = j.requeues ? restarts(plan) : 0;
      if (auto left = place_job(c_, *kubernetes_, j)) return leave(named, std::move(left->why), std::move(left->help));
    } else if (j.saves) {
      j.checkpoints = checkpoint_mount(c_, w, nodes.group);
    }
    out_.jobs.push_back(std::move(j));
  }

  void of_slurm(const Workload& w, const NodeGroupModel& g, const JobNodes& nodes, Job& j) const {
    j.places = places_of(in_.plan.pcie_tree(static_cast<std::size_t>(nodes.group)), nodes, j.processes, j.cpus);
    if (j.launcher == JobLauncher::horovod || j.launcher == JobLauncher::mpi) j.mpi = slurm_.mpi;
    j.switches = fewest_switches(c_, slurm_, nodes.group, j.nodes);
    if (w.launcher && w.launcher->team) j.account = to_lower(*w.launcher->team);
    if (!j.image.empty()) j.container = container_of(c_, g);
    for (const StorageModel* s : shared_storage(c_, nodes.group)) j.mounts.push_back(*s->spec->mount);
  }

  // Twice the interruptions to expect until its end, as the plan has them: time of the run / time between
  // interruptions. Three more are for what the plan does not know.
  static std::int64_t restarts(const WorkloadPlan& plan) {
    constexpr std::int64_t kMore = 3, kMost = 1000;
    if (!plan.run || !plan.checkpoint || plan.checkpoint->between.value <= 0) return kMore;
    const double expected = plan.run->time.value / plan.checkpoint->between.value;
    return std::min(kMost, kMore + whole(std::ceil(2 * expected)));
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
               .recompute = l.recompute,
               .recompute_layers = whole(l.recompute_layers)};
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

  void first(const JobNodes& n) {
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(n.group)];
    const std::int64_t spares = g.spec ? g.spec->spares.value_or(0) : 0;
    FirstJob f{.group = n.group, .nodes = g.count - spares};
    if (f.nodes <= 0 || n.cpus <= 0 || n.mig) return;
    f.gpus = n.gpus;
    const std::int64_t cores = std::max<std::int64_t>(1, n.sockets * n.cores_per_socket);
    f.ranks = f.gpus > 0 ? f.gpus : cores;
    f.cpus = std::max<std::int64_t>(1, n.cpus / f.ranks);
    f.gres = n.gres;
    f.mpi = slurm_.mpi;
    f.places = places_of(in_.plan.pcie_tree(static_cast<std::size_t>(n.group)), n, f.ranks, f.cpus);
    f.limit = limit_of(c_, n.group);
    size(g, n, f);
    for (const auto& team : c_.spec.teams)
      if (const QuotaAmount* quota = quota_on(team.value, g.name))
        if (const auto fits = nodes_within(*quota, n.gpus, n.cpus / n.threads_per_core); fits && *fits < f.nodes)
          f.too_small.push_back({team.name, *fits});
    out_.first.push_back(std::move(f));
  }

  static void size(const NodeGroupModel& g, const JobNodes& n, FirstJob& f) {
    const LinpackSizes sizes = linpack_sizes(f.gpus == 0                   ? LinpackProgram::netlib
                                             : has_gpus_of(g, Vendor::amd) ? LinpackProgram::amd
                                                                           : LinpackProgram::nvidia);
    double bytes = 0;
    const double percent = 100 * sizes.share;
    if (f.gpus > 0 && g.server.gpu && g.server.gpu->memory) {
      bytes = sizes.share * g.server.gpu->memory->value * static_cast<double>(f.nodes * f.gpus);
      f.order_sum =
          format("{:.0f} % of {} x {} of GPU memory", percent, f.nodes * f.gpus, to_text(*g.server.gpu->memory));
    } else if (f.gpus == 0 && n.memory.jobs > 0) {
      bytes = sizes.share * static_cast<double>(n.memory.jobs) * 1048576 * static_cast<double>(f.nodes);
      f.order_sum = format("{:.0f} % of {} x {} MiB of memory", percent, f.nodes, n.memory.jobs);
    }
    const LinpackInput in = linpack_input(bytes, sizes.block, f.nodes * f.ranks);
    f.rows = in.rows;
    f.columns = in.columns;
    f.order = in.order;
    f.block = in.order > 0 ? in.block : 0;
  }

  const System& in_;
  const Cluster& c_;
  SlurmFacts slurm_;
  std::optional<KubernetesFacts> kubernetes_;
  std::vector<JobNodes> nodes_;
  JobFacts out_;
};

JobFacts compute(const System& in) {
  if (is_slurm(in.cluster) || runs_kubernetes(in.cluster)) return JobPlanner(in).facts();
  JobFacts out;
  for (const auto& w : in.cluster.spec.workloads)
    out.left.push_back({w.name, w.name_span,
                        "jobs are compiled only for Slurm and Kubernetes, and the spec has neither",
                        "write its job by hand; `clusterc plan` has nodes, split and step time"});
  return out;
}

}  // namespace

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

std::optional<std::int64_t> minutes_of(const Value<Seconds>& time) {
  if (!time) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(time->value / 60));
}
std::optional<std::int64_t> limit_of(const Cluster& c, int group) {
  const Value<Seconds>* limit = slurm_time_limit(c, group);
  return limit ? minutes_of(*limit) : std::nullopt;
}

std::optional<std::int64_t> nodes_within(const QuotaAmount& quota, std::int64_t gpus, std::int64_t cores) {
  if (!quota.amount || !quota.of) return std::nullopt;
  const std::int64_t of_node = *quota.of == "gpus" ? gpus : *quota.of == "cores" ? cores : 1;
  return of_node > 0 ? std::optional(*quota.amount / of_node) : std::nullopt;
}
const QuotaAmount* quota_on(const Team& team, std::string_view group) {
  const auto* found = team.quota.find(group);
  return found ? &found->value : nullptr;
}

std::string_view launcher_word(JobLauncher launcher) {
  for (const Word& w : kLaunchers)
    if (w.launcher == launcher) return w.word;
  return {};
}

const JobFacts& job_facts(const System& in) {
  return in.memo.get("jobs", [&] { return compute(in); });
}

}  // namespace clusterc
