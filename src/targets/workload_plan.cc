#include "targets/workload_plan.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/availability.h"
#include "model/mig.h"
#include "model/power.h"
#include "model/power_cap.h"
#include "model/rdma.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "spec/site.h"
#include "spec/workload.h"
#include "targets/checkpoint.h"

namespace clusterc {
namespace {

CheckpointPlan plan_checkpoint(const Cluster& c, const Workload& w, const WorkloadPlan& p) {
  CheckpointPlan out;
  const CheckpointTime time = checkpoint_time(c, w);
  out.size = time.size.value_or(Bytes(0));
  if (time.gives) {
    out.storage = c.storage[static_cast<std::size_t>(time.storage)].name;
    out.rate = time.gives->rate;
    out.rate_from = time.gives->from;
  }
  out.save = time.takes;
  out.save_is_limit = time.is_limit;
  out.gpu_hours = gpu_hours_of_interruptions(c, w);
  out.between = time_between_interruptions(static_cast<double>(p.gpus), out.gpu_hours);
  out.restart = w.resume_within.value_or(kRestart);
  out.restart_assumed = !w.resume_within;
  if (out.save) {
    out.young = best_checkpoint_interval(*out.save, out.between);
    out.daly = daly_checkpoint_interval(*out.save, out.between);
  }
  if (w.checkpoint_every)
    out.every = *w.checkpoint_every;
  else if (out.young)
    out.every = out.young;
  if (out.save && out.every) {
    const auto with = [&](double gpu_hours) {
      return goodput(*out.save, *out.every, out.restart,
                     time_between_interruptions(static_cast<double>(p.gpus), gpu_hours));
    };
    out.goodput = with(out.gpu_hours);
    if (!w.gpu_hours_per_interruption) {
      // Spot instances that are taken away come on top, as in `gpu_hours`.
      const double taken = 1 / out.gpu_hours - 1 / kGpuHoursPerInterruption;
      out.goodput_least = with(1 / (1 / kFewestGpuHours + taken));
      out.goodput_most = with(1 / (1 / kMostGpuHours + taken));
    }
  }
  return out;
}

RunPlan plan_run(const Cluster& c, const Workload& w, const WorkloadPlan& p) {
  RunPlan out;
  const double kept = p.checkpoint && p.checkpoint->goodput ? *p.checkpoint->goodput : 1;
  out.time = Seconds(static_cast<double>(*w.train->tokens) / p.tokens_per_second / kept);
  out.gpu_hours = out.time.value / 3600 * static_cast<double>(p.gpus);
  for (const auto& on : w.on) {
    const int at = c.find_node_group(on.name);
    if (at < 0 || !on.value) continue;
    const NodeGroupModel& group = c.nodes[static_cast<std::size_t>(at)];
    const ServerModel& server = group.server;
    out.power += power_at_load(server) * static_cast<double>(*on.value);
    out.highest += server.power.value_or(Watts(0)) * static_cast<double>(*on.value);
    out.power_known = out.power_known && server.power && power_lacks(group).empty();
  }
  if (c.spec.site && c.spec.site->pue) {
    out.pue = *c.spec.site->pue;
    out.pue_known = true;
  }
  out.energy = Joules(out.power.value * out.time.value * out.pue);
  if (c.spec.site && c.spec.site->carbon && c.spec.site->carbon->grams_per_kwh)
    out.carbon = Kilograms(out.energy.value / 3.6e6 * *c.spec.site->carbon->grams_per_kwh / 1000);
  return out;
}

void plan_scaling(WorkloadPlan& p) {
  // Halves of the GPUs, down to the fewest that fit; at most eight points, the full count last.
  constexpr int kPoints = 8;
  std::vector<double> counts;
  for (double n = p.machine.gpus; n >= 1 && static_cast<int>(counts.size()) < kPoints; n = std::floor(n / 2))
    counts.push_back(n);
  std::reverse(counts.begin(), counts.end());
  for (const double gpus : counts) {
    TrainingMachine machine = p.machine;
    machine.gpus = gpus;
    const auto best = gpus == p.machine.gpus ? p.searched : search_layouts(*p.job, machine, nullptr).best;
    if (!best) continue;
    ScalePoint point{gpus, *best};
    point.tokens_per_gpu = p.job->batch * p.job->model.sequence / best->time.total() / best->layout.gpus();
    p.scaling.push_back(std::move(point));
  }
  double best = 0;
  for (const ScalePoint& s : p.scaling) best = std::max(best, s.tokens_per_gpu);
  for (ScalePoint& s : p.scaling) s.efficiency = s.tokens_per_gpu / best;
}

void plan_training(const Cluster& c, const Workload& w, const WorkloadGpus& g, WorkloadPlan& p) {
  std::string_view missing;
  const auto model = read_transformer(*w.model, missing);
  if (!model) {
    p.missing.push_back(format("`model.{}` is not written: neither layouts nor a step time", missing));
  } else if (!w.batch || !w.batch->tokens) {
    p.missing.push_back("`batch` is not written: a step has no length");
  } else if (!g.missing.empty()) {
    p.missing.push_back(format("{} is not in the catalogue", g.missing));
  } else {
    TrainingJob job{
        .model = *model, .precision = p.precision, .optimizer_bytes = optimizer_bytes(w.optimizer.value_or("adam"))};
    job.batch = std::max(1.0, std::round(static_cast<double>(*w.batch->tokens) / model->sequence));
    job.trained = trained_parameters(w);
    job.imbalance = w.imbalance.value_or(1);
    job.frozen_bytes = frozen_bytes(w);
    if (w.kind.value_or("training") == "fine-tuning" && w.lora && !w.trained_parameters)
      job.adapters_moved = adapters_of(*model, *w.lora).moved;
    if (w.loss) job.fused_loss = *w.loss == "fused";
    if (w.gradient_precision && *w.gradient_precision == "fp32") job.gradient_bytes = 4;
    if (w.expert_kernels) job.fused_experts = *w.expert_kernels == "fused";
    if (w.attention)
      job.attention = *w.attention == "unfused"   ? AttentionKernel::unfused
                      : *w.attention == "flash-2" ? AttentionKernel::flash2
                                                  : AttentionKernel::native;
    p.job = job;
    p.machine = training_machine(c, g, w);
    p.free = search_layouts(job, p.machine, nullptr);
    p.searched = p.free->best;
    if (w.split && w.split->offload) {
      if (p.machine.host_link.value <= 0)
        p.missing.push_back(
            "the rate between processor and GPU is not in the catalogue: `offload` without its transfers");
      if (*w.split->offload != "activations" && p.machine.host_memory.value <= 0)
        p.missing.push_back(
            "the node's memory channels are not known (`cpus`, `memory`): `offload` without the update");
    }
    if (model->experts > 0 && !w.expert_kernels && is_narrow(p.precision) && p.machine.unit.sm >= 100)
      p.assumed.push_back(
          "separate kernels of experts: write `expert_kernels: fused` for Transformer Engine's fused grouped products");
    if (w.split) p.written = search_layouts(job, p.machine, &*w.split);
    p.used_written = p.written && p.written->best;
    // What is written may lie outside the bounds of the search: nothing slower is called the fastest.
    if (p.used_written && (!p.free->best || p.written->best->time.total() < p.free->best->time.total())) {
      p.free->best = p.written->best;
      p.free->fastest.insert(p.free->fastest.begin(), *p.written->best);
      if (p.free->fastest.size() > 5) p.free->fastest.pop_back();
      ++p.free->tried, ++p.free->fitting;
    }
    p.used = p.used_written ? p.written->best : p.free->best;
    if (p.used) {
      p.tokens_per_second = job.batch * model->sequence / p.used->time.total();
      p.mfu = p.tokens_per_second * job.flops_per_token() / (p.used->layout.gpus() * p.machine.peak.value);
    }
  }
  if (w.model->parameters) p.checkpoint = plan_checkpoint(c, w, p);
  const bool ends = !p.checkpoint || !p.checkpoint->goodput || *p.checkpoint->goodput > 0;
  if (!ends)
    p.missing.push_back("when it ends: saves, lost work and restarts take all of its time, so it makes no progress");
  else if (w.train && w.train->tokens && p.tokens_per_second > 0)
    p.run = plan_run(c, w, p);
}

void plan_inference(const Cluster& c, const Workload& w, const WorkloadGpus& g, WorkloadPlan& p) {
  std::string_view missing;
  ModelShape shape = *w.model;
  if (!shape.sequence)  // the longest request, where its lengths are written
    if (const ServingLoad l = serving_load(w, 0); !l.assumed)
      shape.sequence.value = static_cast<std::int64_t>(l.longest);
  const auto model = read_transformer(shape, missing);
  if (!model) {
    p.missing.push_back(format("`model.{}` is not written: keys, values and rates are not known", missing));
    return;
  }
  if (!g.missing.empty()) {
    p.missing.push_back(format("{} is not in the catalogue", g.missing));
    return;
  }
  p.machine = training_machine(c, g, w);
  for (const NodeGroupModel* group : g.groups)
    if (const auto& vector = group->server.gpu->fp32;
        vector && (p.machine.vector.value <= 0 || *vector < p.machine.vector))
      p.machine.vector = *vector;
  const ServingNeeds needs = serving_needs(*model, w);
  if (needs.load.assumed)
    p.assumed.push_back(
        format("prompts of {} and answers of {} tokens, half of `sequence` each: write `requests: {{ "
               "input: {}, output: {} }}` with the lengths of your own",
               needs.load.input, needs.load.output, needs.load.input, needs.load.output));
  if (needs.tokens_held > 0 && needs.tokens_held < needs.load.longest)
    p.missing.push_back(
        format("its rate: `batch: {} tokens` is less than one request of {}", needs.tokens_held, needs.load.longest));
  p.serving = plan_serving(needs, p.machine, serving_split(w));
}

}  // namespace

Watts power_at_load(const ServerModel& s) {
  const PowerSum sum = server_power_sum(s);
  if (!s.power) return sum.wall;
  return sum.complete && sum.wall < *s.power ? sum.wall : *s.power;
}

std::string unconnected_group(const Cluster& c, const WorkloadGpus& g) {
  for (const NodeGroupModel* group : g.groups)
    if (const CollectiveUnit u = collective_unit(c, *group); u.nics <= 0 && static_cast<double>(g.gpus) > u.gpus)
      return group->name;
  return {};
}

WorkloadPlan plan_workload(const Cluster& c, const Named<Workload>& named) {
  Workload w = named.value;
  std::string stored;
  if (w.kind.value_or("training") == "inference") {
    // Weights of fewer bits than the GPUs compute in are widened on the way to the products.
    if (const std::string precision = serving_arithmetic(c, w); precision != w.precision.value_or("bf16")) {
      stored = *w.precision;
      if (!w.weight_precision) w.weight_precision = w.precision;
      w.precision.value = precision;
    }
  }
  WorkloadPlan p{.name = named.name,
                 .kind = w.kind.value_or("training"),
                 .precision = w.precision.value_or("bf16"),
                 .span = named.name_span};
  if (const auto g = gpus_of(c, w)) {
    p.gpus = g->gpus;
    p.nodes = g->nodes;
    p.kinds = g->kinds;
    const NodeGroupModel* group = g->slowest ? g->slowest : g->smallest;
    if (group) p.gpu = group->server.gpu_model;
    if (g->memory) p.memory = *g->memory;
    if (p.kind == "hpc")
      p.missing.push_back("`kind: hpc` has no model: see the expected figures");
    else if (!w.model)
      p.missing.push_back("`model` is not written");
    else if (const auto wrong = contradictions(*w.model); !wrong.empty())
      p.missing.push_back(
          format("all of it, since its figures contradict one another: its model {}", wrong.front().says));
    else if (!g->slowest || !g->smallest)
      p.missing.push_back(format("{} is not in the catalogue", g->missing));
    else if (p.kind == "inference")
      plan_inference(c, w, *g, p);
    else
      plan_training(c, w, *g, p);
    if (!stored.empty())
      p.assumed.push_back(format("weights stored in {} and matrix products in {}: '{}' has no {} arithmetic", stored,
                                 p.precision, p.gpu, stored));
    if (p.kinds.size() > 1 && (p.job || p.serving))
      p.missing.push_back(
          format("what its faster GPUs would do alone: a step waits for the slowest, so all {} count with the lowest "
                 "peak ('{}'), rates and memory of all kinds",
                 p.gpus, p.gpu));
    const auto at_best = [&](std::string why) {
      p.missing.push_back(std::move(why));
      if (p.run) p.run->time_known = false;
    };
    for (const auto& on : w.on)
      if (const int at = c.find_node_group(on.name); at >= 0)
        if (const std::string slowed = slowed_by(c.nodes[static_cast<std::size_t>(at)]); !slowed.empty())
          at_best(format("how much slower the GPUs of '{}' are ({}): {}", on.name, slowed,
                         p.serving ? "all times and rates are those of full power, at best"
                                   : "rates of matrix products go with the square root of a `gpu_power_limit`, all "
                                     "other times are those of full power"));
    for (const auto& on : w.on)
      if (const int at = c.find_node_group(on.name); at >= 0)
        if (const std::string_view mig = cut_by_mig(c.nodes[static_cast<std::size_t>(at)].software); !mig.empty())
          at_best(
              format("what instances of the GPUs of '{}' hold and do (`mig: {}`): memory, times and rates are those of "
                     "whole ones, at best",
                     on.name, mig));
    const double spread = p.used ? p.used->layout.gpus() : p.serving ? p.serving->used.split.gpus() : 0;
    if (spread > p.machine.unit.gpus) p.unconnected = unconnected_group(c, *g);
    if (!p.unconnected.empty())
      at_best(
          format("how long the exchange between nodes takes: no network connects the nodes of '{}', so the "
                 "exchange is not in the {}",
                 p.unconnected, p.serving ? "step of the engine" : "step time"));
    if (group && p.nodes > 1)
      if (const ComputePorts ports = compute_ports(c, *group);
          ports.nics > 0 && !is_rdma(c.networks[static_cast<std::size_t>(ports.network)]))
        at_best(format(
            "how fast NCCL is over TCP (network '{}' has no `rdma`): all times and rates are those of RDMA, at best",
            c.networks[static_cast<std::size_t>(ports.network)].name));
  } else {
    p.missing.push_back("`on` names no group with GPUs");
  }
  return p;
}

namespace {

// The fewest GPUs of those tried that train all tokens within the time that the spec allows, with the goodput of the
// plan: powers of two of a node, and the GPUs of the workload where these are in time.
std::optional<double> deadline_gpus(const Workload& w, const WorkloadPlan& p) {
  if (!w.within || !w.train || !w.train->tokens || !p.job || !p.run || p.nodes < 1) return std::nullopt;
  const double tokens = static_cast<double>(*w.train->tokens),
               kept = p.checkpoint && p.checkpoint->goodput ? *p.checkpoint->goodput : 1,
               node = static_cast<double>(p.gpus) / static_cast<double>(p.nodes);
  const bool in_time = p.run->time <= *w.within;
  const double most = in_time ? p.machine.gpus : 16 * p.machine.gpus;
  for (double gpus = node; gpus <= most; gpus *= 2) {
    // Fewer GPUs than this would need a higher rate of each than all of them reach together now.
    if (tokens / (gpus * 2 * p.tokens_per_second / p.machine.gpus) / kept > w.within->value) continue;
    TrainingMachine machine = p.machine;
    machine.gpus = gpus;
    const LayoutSearch found = search_layouts(*p.job, machine, nullptr);
    if (!found.best) continue;
    const double rate = p.job->batch * p.job->model.sequence / found.best->time.total();
    if (tokens / rate / kept <= w.within->value) return gpus;
  }
  return in_time ? std::optional<double>(p.machine.gpus) : std::nullopt;
}

}  // namespace

std::vector<WorkloadPlan> plan_workloads(const Cluster& c, const Plan&) {
  std::vector<WorkloadPlan> out;
  for (const auto& named : c.spec.workloads) {
    out.push_back(plan_workload(c, named));
    if (out.back().used) plan_scaling(out.back());
    out.back().deadline_gpus = deadline_gpus(named.value, out.back());
  }
  return out;
}

}  // namespace clusterc
