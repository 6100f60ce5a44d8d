#include "report/workload_report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/digits.h"
#include "base/format.h"
#include "model/availability.h"
#include "report/serving_report.h"
#include "report/table.h"
#include "report/workload_words.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

using workload_words::bytes;
using workload_words::count;
using workload_words::percent_of;
using workload_words::seconds;

// As `split` takes it.
std::string split_text(const Layout& l) {
  std::string out = format("tensor {}, pipeline {}, data {}", l.tensor, l.pipeline, l.data);
  if (l.context > 1) out += format(", context {}", l.context);
  if (l.expert > 1) out += format(", expert {}", l.expert);
  if (l.interleave > 1) out += format(", interleave {}", l.interleave);
  out += format(", micro_batch {}, sharded {}, recompute {}", l.micro_batch, sharding_word(l.sharded),
                recompute_word(l.recompute));
  if (l.recompute_layers > 0) out += format(", recompute_layers {}", l.recompute_layers);
  if (l.schedule != PipelineSchedule::one_f_one_b) out += format(", schedule {}", schedule_word(l.schedule));
  if (l.offload_optimizer || l.offload_activations) out += format(", offload {}", offload_word(l));
  return out + (l.fused_loss ? "; loss: fused" : "");
}

// "matrices 71.2 %, attention 8.1 %", of the terms that there are.
std::string shares(const std::vector<std::pair<const char*, double>>& terms, double total) {
  std::string out;
  for (const auto& [what, t] : terms)
    if (t > 0.0005 * total) out += format("{}{} {}", out.empty() ? "" : ", ", what, percent_of(t, total));
  return out;
}

std::vector<std::pair<const char*, double>> terms_of(const StepTime& t) {
  return {{"matrices", t.matrices},
          {"attention", t.attention},
          {"memory", t.memory},
          {"start of kernels", t.start},
          {"optimizer", t.optimizer},
          {"tensor", t.tensor},
          {"experts", t.experts},
          {"context", t.context},
          {"pipeline bubble", t.pipeline},
          {"pipeline transfers", t.transfers},
          {"gradients and weights", t.data},
          {"offload", t.offload}};
}

std::vector<std::pair<const char*, double>> terms_of(const TrainingMemory& m) {
  return {{"weights", m.weights},         {"gradients", m.gradients},       {"optimizer", m.optimizer},
          {"activations", m.activations}, {"gathered weights", m.gathered}, {"logits", m.logits}};
}

std::string memory_text(const TrainingMemory& m) {
  std::string out;
  for (const auto& [what, b] : terms_of(m))
    if (b > 0) out += format("{}{} {}", out.empty() ? "" : ", ", what, bytes(b));
  if (m.host > 0) out += format("; {} for each GPU in the memory of the node", bytes(m.host));
  return out;
}

// What the search over splits found: label and text.
std::vector<std::pair<std::string_view, std::string>> search_lines(const WorkloadPlan& p) {
  std::vector<std::pair<std::string_view, std::string>> out;
  const auto line = [&](std::string_view what, std::string text) { out.emplace_back(what, std::move(text)); };
  if (p.written && !p.written->best && p.written->smallest)
    line("as written", format("does not fit: it needs {} of the {} that can be used on each GPU (at least {}: {})",
                              bytes(p.written->smallest->memory.total()), bytes(p.memory.value * kUsableMemory),
                              split_text(p.written->smallest->layout), memory_text(p.written->smallest->memory)));
  else if (p.written && !p.written->smallest)
    line("as written", "needs more GPUs than it has, or a larger batch");
  if (p.free->best) {
    const LayoutChoice& best = *p.free->best;
    line("fits", format("{} of {} splits that were tried", p.free->fitting, p.free->tried));
    line("fastest", format("{}: {} a step{}", split_text(best.layout), seconds(best.time.total()),
                           p.unconnected.empty() || best.layout.gpus() <= p.machine.unit.gpus
                               ? ""
                               : ", without the exchange between nodes, which no network carries"));
    for (std::size_t i = 1; i < p.free->fastest.size(); ++i)
      line(i == 1 ? "next" : "",
           format("{}: {}", split_text(p.free->fastest[i].layout), seconds(p.free->fastest[i].time.total())));
  } else if (p.free->smallest) {
    line("fits", format("no: the smallest of {} splits needs {} of the {} that can be used on each GPU ({}: {})",
                        p.free->tried, bytes(p.free->smallest->memory.total()), bytes(p.memory.value * kUsableMemory),
                        split_text(p.free->smallest->layout), memory_text(p.free->smallest->memory)));
  } else {
    line("fits", "no split divides layers, batch and GPUs");
  }
  return out;
}

// What the fullest GPU holds, and how far that is from what `fits` allows.
std::string filled_text(const WorkloadPlan& p, const TrainingMemory& m) {
  const double limit = p.memory.value * kUsableMemory, reserved = m.reserved();
  const std::string tight =
      reserved > p.memory.value
          ? format(
                " (tight: more than the GPU has. `fits` counts what is alive, at most {} of the memory; use "
                "expandable segments, a smaller `micro_batch` or more recomputation)",
                percent_of(kUsableMemory, 1))
          : std::string();
  return format("{} of {} on each GPU{}{}, {} below the limit of {}: {}; the allocator holds about {}{}",
                bytes(m.total()), bytes(p.memory.value), m.last_stage ? " of the last stage" : "",
                m.gradients_replace ? " (gradients replace activations)" : "", bytes(std::max(0.0, limit - m.total())),
                percent_of(kUsableMemory, 1), memory_text(m), bytes(reserved), tight);
}

void training_text(const WorkloadPlan& p, std::string& out) {
  const auto line = [&](std::string_view what, const std::string& text) {
    out += format("    {:<11} {}\n", what, text);
  };
  if (p.job) {
    const Transformer& m = p.job->model;
    for (const auto& [what, text] : search_lines(p)) line(what, text);
    if (p.used) {
      const LayoutChoice& u = *p.used;
      if (p.used_written)
        line("as written", format("{}: {} a step, {:.3g} x the fastest", split_text(u.layout), seconds(u.time.total()),
                                  p.free->best ? u.time.total() / p.free->best->time.total() : 1.0));
      line("memory", filled_text(p, u.memory));
      line("step", format("{} for {} sequences of {} tokens in {} micro batches: {}", seconds(u.time.total()),
                          p.job->batch, m.sequence, u.time.micro_batches, shares(terms_of(u.time), u.time.total())));
      line("waits",
           format("exposed communication {}, pipeline bubble {}", percent_of(u.time.communication(), u.time.total()),
                  percent_of(u.time.pipeline, u.time.total())));
      line("rate",
           format("{} tokens/s, {} on each {}GPU; {} of the dense peak of {} ({} operations per token, causal "
                  "attention, without recomputation{})",
                  count(p.tokens_per_second), count(p.tokens_per_second / u.layout.gpus()), p.idle() > 0 ? "busy " : "",
                  percent_of(p.mfu, 1), to_text(p.machine.peak), count(p.job->flops_per_token()),
                  p.job->trained_share() < 1 ? ", 4 for each frozen parameter" : ""));
      line("reckoned", format("matrices at {} ({}) x {:.3g} ({}); memory at {} ({})", to_text(p.machine.matrices),
                              p.machine.matrices_from, p.machine.share, p.machine.share_from,
                              to_text(p.machine.bandwidth), p.machine.bandwidth_from));
      if (p.idle() > 0)
        line("idle",
             format("{} of {} GPUs: layers and batch do not divide over all of them", p.idle(), p.machine.gpus));
      std::string assumed;
      const auto assume = [&](bool is, const std::string& text) {
        if (is) assumed += (assumed.empty() ? "" : "; ") + text;
      };
      assume(m.ffn_assumed && m.experts == 0, format("`ffn` {}", m.ffn));
      assume(m.heads_assumed, format("`heads` {}", m.heads));
      assume(m.vocabulary_assumed, "`vocabulary` 0: without the output layer's logits");
      for (const std::string& text : p.assumed) assume(true, text);
      if (!assumed.empty()) line("assumed", assumed);
    }
    if (p.scaling.size() > 1) {
      Table table({">GPUs", ">step", ">tokens/s/GPU", ">efficiency", ">waits", "split"});
      for (const ScalePoint& s : p.scaling)
        table.row({s.choice.layout.gpus() < s.gpus ? format("{} of {}", count(s.choice.layout.gpus()), count(s.gpus))
                                                   : count(s.gpus),
                   seconds(s.choice.time.total()), count(s.tokens_per_gpu), percent_of(s.efficiency, 1),
                   percent_of(s.choice.time.communication() + s.choice.time.pipeline, s.choice.time.total()),
                   split_text(s.choice.layout)});
      out += table.text(6);
    }
  }
  if (p.checkpoint) {
    const CheckpointPlan& c = *p.checkpoint;
    line("checkpoint",
         format("{}{}", bytes(c.size.value),
                c.rate ? format(" to '{}' at {} ({})", c.storage, to_text(*c.rate), c.rate_from)
                       : std::string("; the write rate of its shared storage is not stated")) +
             (c.save ? format(", {}{}", seconds(c.save->value), c.save_is_limit ? " at most (`checkpoint_within`)" : "")
                     : std::string()));
    line("interrupted",
         format("every {} ({} GPU-hours / {} GPUs)", seconds(c.between.value), count(c.gpu_hours), p.gpus));
    if (c.young)
      line("interval",
           format("{} (Young), {} (Daly){}", seconds(c.young->value), seconds(c.daly->value),
                  c.every && c.every->value != c.young->value ? format("; written {}", seconds(c.every->value))
                                                              : std::string()));
    if (c.goodput)
      line("goodput", format("{}: 1 - {}/{} - ({}/2 + {})/{}{}", percent_of(*c.goodput, 1), seconds(c.save->value),
                             seconds(c.every->value), seconds(c.every->value), seconds(c.restart.value),
                             seconds(c.between.value), c.restart_assumed ? ", a restart of 10 min assumed" : ""));
    if (c.goodput_least)
      line("", format("{} to {} with the rates of interruptions that others publish ({} and {} GPU-hours); yours is "
                      "`gpu_hours_per_interruption`",
                      percent_of(std::max(0.0, *c.goodput_least), 1), percent_of(std::max(0.0, *c.goodput_most), 1),
                      count(std::round(kFewestGpuHours)), count(std::round(kMostGpuHours))));
  }
  if (p.run) {
    const RunPlan& r = *p.run;
    const auto at_least = [](bool known) { return std::string_view(known ? "" : "at least "); };
    const std::string_view product = at_least(r.power_known && r.time_known);
    line("training", format("{}{}, {} GPU-hours", at_least(r.time_known), to_text(r.time, 3), count(r.gpu_hours)));
    line("energy", format("{}{} ({}{} of the nodes with their parts at rated power, {} at maximum power{})", product,
                          to_text(r.energy, 3), at_least(r.power_known), to_text(r.power, 4), to_text(r.highest, 4),
                          r.pue_known ? format(" x PUE {}", r.pue) : std::string("; without cooling: no `pue`")));
    if (p.deadline_gpus)
      line("deadline",
           format("{} GPUs of this kind are the fewest in time of the counts that were tried ({}powers of two of "
                  "a node)",
                  count(*p.deadline_gpus), *p.deadline_gpus <= p.machine.gpus ? "these, and " : ""));
    if (r.carbon) line("carbon", format("{}{:.4g} t of CO2 equivalent", product, r.carbon->value / 1000));
  }
}

void choice_json(JsonWriter& json, const LayoutChoice& c) {
  const Layout& l = c.layout;
  json.object("split", kLine)
      .field("tensor", l.tensor)
      .field("pipeline", l.pipeline)
      .field("data", l.data)
      .field("context", l.context)
      .field("expert", l.expert)
      .field("interleave", l.interleave)
      .field("micro_batch", l.micro_batch)
      .field("sharded", sharding_word(l.sharded))
      .field("recompute", recompute_word(l.recompute))
      .field("recompute_layers", l.recompute_layers)
      .field("fused_loss", l.fused_loss)
      .field("schedule", schedule_word(l.schedule))
      .field("offload", offload_word(l))
      .end_object();
  const StepTime& t = c.time;
  json.object("step_s", kLine)
      .field("total", t.total())
      .field("matrices", t.matrices)
      .field("attention", t.attention)
      .field("memory", t.memory)
      .field("start", t.start)
      .field("optimizer", t.optimizer)
      .field("tensor", t.tensor)
      .field("experts", t.experts)
      .field("context", t.context)
      .field("bubble", t.pipeline)
      .field("transfers", t.transfers)
      .field("data", t.data)
      .field("offload", t.offload)
      .field("communication_share", t.total() > 0 ? t.communication() / t.total() : 0)
      .field("micro_batches", t.micro_batches)
      .end_object();
  const TrainingMemory& m = c.memory;
  json.object("memory_bytes", kLine)
      .field("total", m.total())
      .field("reserved", m.reserved())
      .field("weights", m.weights)
      .field("gradients", m.gradients)
      .field("optimizer", m.optimizer)
      .field("activations", m.activations)
      .field("gathered", m.gathered)
      .field("logits", m.logits)
      .field("host", m.host)
      .end_object();
}

void search_json(JsonWriter& json, std::string_view key, const std::optional<LayoutSearch>& s) {
  if (!s) return;
  json.object(key).field("tried", s->tried).field("fitting", s->fitting).field("fits", s->best.has_value());
  if (const auto& c = s->best ? s->best : s->smallest) choice_json(json, *c);
  if (s->fastest.size() > 1) {
    json.array("next");
    for (std::size_t i = 1; i < s->fastest.size(); ++i) {
      json.begin_object(kLine);
      choice_json(json, s->fastest[i]);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

template <class Q>
std::optional<double> si(const std::optional<Q>& q) {
  return q ? std::optional<double>(q->value) : std::nullopt;
}

void one_json(JsonWriter& json, const WorkloadPlan& p) {
  json.begin_object()
      .field("name", p.name)
      .field("kind", p.kind)
      .field("precision", p.precision)
      .field("gpus", p.gpus)
      .field("nodes", p.nodes)
      .field("gpu", p.gpu);
  json.array("gpu_kinds", kLine);
  for (const GpuKind& k : p.kinds) json.begin_object(kLine).field("gpu", k.gpu).field("count", k.count).end_object();
  json.end_array();
  json.array("missing", kLine);
  for (const std::string& m : p.missing) json.value(m);
  json.end_array();
  if (!p.assumed.empty()) {
    json.array("assumed", kLine);
    for (const std::string& a : p.assumed) json.value(a);
    json.end_array();
  }
  if (p.job || p.serving)
    json.object("rates", kLine)
        .field("peak_flops", p.machine.peak.value)
        .field("matrices_flops", p.machine.matrices.value)
        .field("matrices_from", p.machine.matrices_from)
        .field("layer_share", p.machine.share)
        .field("layer_share_from", p.machine.share_from)
        .field("attention_flops", p.machine.attention.value)
        .field("memory_bandwidth", p.machine.bandwidth.value)
        .field("memory_bandwidth_from", p.machine.bandwidth_from)
        .field("memory_bytes", p.machine.memory.value)
        .end_object();
  if (p.job) {
    json.field("flops_per_token", p.job->flops_per_token()).field("sequences", p.job->batch);
    search_json(json, "as_written", p.written);
    search_json(json, "fastest", p.free);
    if (p.used)
      json.field("reckoned_with", p.used_written ? "as_written" : "fastest")
          .field("tokens_per_second", p.tokens_per_second)
          .field("model_flops_utilisation", p.mfu);
    json.array("scaling");
    for (const ScalePoint& s : p.scaling) {
      json.begin_object(kLine)
          .field("gpus", s.gpus)
          .field("tokens_per_second_per_gpu", s.tokens_per_gpu)
          .field("efficiency", s.efficiency);
      choice_json(json, s.choice);
      json.end_object();
    }
    json.end_array();
  }
  if (const auto& c = p.checkpoint)
    json.object("checkpoint", kLine)
        .field("bytes", c->size.value)
        .field("storage", c->storage)
        .field("write_rate", si(c->rate))
        .field("save_s", si(c->save))
        .field("interruption_s", c->between.value)
        .field("gpu_hours_per_interruption", c->gpu_hours)
        .field("young_s", si(c->young))
        .field("daly_s", si(c->daly))
        .field("every_s", si(c->every))
        .field("restart_s", c->restart.value)
        .field("restart_assumed", c->restart_assumed)
        .field("goodput", c->goodput)
        .field("goodput_least", c->goodput_least)
        .field("goodput_most", c->goodput_most)
        .end_object();
  if (const auto& r = p.run)
    json.object("run", kLine)
        .field("time_s", r->time.value)
        .field("gpu_hours", r->gpu_hours)
        .field("power_w", r->power.value)
        .field("time_complete", r->time_known)
        .field("power_complete", r->power_known)
        .field("pue", r->pue_known ? std::optional<double>(r->pue) : std::nullopt)
        .field("energy_j", r->energy.value)
        .field("carbon_kg", si(r->carbon))
        .field("deadline_gpus", p.deadline_gpus)
        .end_object();
  if (p.serving) serving_json(json, p);
  json.end_object();
}

}  // namespace

std::string render_workloads_text(const std::vector<WorkloadPlan>& plans) {
  std::string out;
  for (const WorkloadPlan& p : plans) {
    out += format("  {}: {}, {}", p.name, p.kind, p.precision);
    for (const GpuKind& k : p.kinds)
      out += format("{}{} x {}", &k == &p.kinds.front() ? ", " : " + ", k.count, k.gpu.empty() ? "GPU" : k.gpu);
    if (p.gpus > 0) out += format(" in {} node{}", p.nodes, p.nodes == 1 ? "" : "s");
    out += "\n";
    for (const std::string& m : p.missing) out += format("    {:<11} {}\n", "unknown", m);
    for (const std::string& a : p.assumed) out += format("    {:<11} {}\n", "assumed", a);
    if (p.serving)
      out += serving_text(p);
    else
      training_text(p, out);
  }
  return out;
}

void workloads_json(JsonWriter& json, const std::vector<WorkloadPlan>& plans) {
  if (plans.empty()) return;
  json.array("workloads");
  for (const WorkloadPlan& p : plans) one_json(json, p);
  json.end_array();
}

}  // namespace clusterc
