#include "compile/job_settings.h"

#include <algorithm>

#include "base/json_writer.h"
#include "model/cluster.h"
#include "spec/workload.h"
#include "write/writers.h"

namespace clusterc {
namespace {

int zero_stage(Sharding s) {
  return s == Sharding::none ? 0 : s == Sharding::optimizer ? 1 : s == Sharding::gradients ? 2 : 3;
}

class Arguments {
 public:
  explicit Arguments(std::string& out) : out_(out) {}
  Arguments& word(std::string_view name) {
    (out_ += name) += '\n';
    return *this;
  }
  Arguments& pair(std::string_view name, std::string_view value) { return word(name).word(value); }
  Arguments& pair(std::string_view name, std::int64_t value) { return pair(name, std::to_string(value)); }
  Arguments& comment(std::string_view text) {
    ((out_ += "# ").append(text)) += '\n';
    return *this;
  }

 private:
  std::string& out_;
};

void megatron_model(const Job& j, Arguments& a) {
  const Transformer& m = *j.model;
  const auto whole = [](double n) { return static_cast<std::int64_t>(n); };
  a.pair("--num-layers", whole(m.layers)).pair("--hidden-size", whole(m.hidden));
  a.pair("--ffn-hidden-size", whole(m.ffn)).pair("--num-attention-heads", whole(m.heads));
  a.pair("--kv-channels", whole(m.head_size));
  if (m.kv_heads != m.heads) a.word("--group-query-attention").pair("--num-query-groups", whole(m.kv_heads));
  a.pair("--seq-length", j.split->sequence).pair("--max-position-embeddings", j.split->sequence);
  if (m.gated) a.word("--swiglu");
  if (!m.tied) a.word("--untie-embeddings-and-output-weights");
  if (m.experts > 0) {
    a.pair("--num-experts", whole(m.experts)).pair("--moe-router-topk", whole(m.experts_per_token));
    a.pair("--moe-token-dispatcher-type", "alltoall");
  }
}

void megatron_split(const Job& j, Arguments& a) {
  const JobSplit& s = *j.split;
  a.pair("--tensor-model-parallel-size", s.tensor).pair("--pipeline-model-parallel-size", s.pipeline);
  a.pair("--context-parallel-size", s.context);
  if (j.model->experts > 0) a.pair("--expert-model-parallel-size", s.expert);
  if (s.pipeline > 1 && s.interleave > 1) a.pair("--num-virtual-stages-per-pipeline-rank", s.interleave);
  if (s.tensor > 1) a.word("--sequence-parallel");
  a.pair("--micro-batch-size", s.micro_batch).pair("--global-batch-size", s.batch);
  if (s.sharded == Sharding::optimizer)
    a.word("--use-distributed-optimizer").word("--overlap-grad-reduce").word("--overlap-param-gather");
  if (j.shards_in_megatron())
    a.word("--use-megatron-fsdp")
        .word("--use-distributed-optimizer")
        .pair("--data-parallel-sharding-strategy", s.sharded == Sharding::all ? "optim_grads_params" : "optim_grads")
        .pair("--ckpt-format", "fsdp_dtensor");
  if (s.recompute == Recompute::selective) a.word("--recompute-activations");
  if (s.recompute == Recompute::alternate)
    a.comment("Megatron-LM has no `recompute: alternate`: full needs less memory and more time than planned");
  if (s.recompute == Recompute::full && s.recompute_layers > 0)
    // `block` recomputes that many layers of each chunk of a stage, so of each of `interleave` chunks its part.
    a.pair("--recompute-granularity", "full")
        .pair("--recompute-method", "block")
        .pair("--recompute-num-layers", (s.recompute_layers + s.interleave - 1) / s.interleave);
  else if (s.recompute == Recompute::full || s.recompute == Recompute::alternate)
    a.pair("--recompute-granularity", "full").pair("--recompute-method", "uniform").pair("--recompute-num-layers", 1);
}

void split_settings(const Job& j, ShellWriter& w) {
  const JobSplit& s = *j.split;
  w.comment(
      "tensor x pipeline x context x data = processes; data x micro batch x accumulation = batch, in sequences. Rank = "
      "tensor + TENSOR x (context + CONTEXT x (data + DATA x pipeline))");
  w.export_("PLAN_TENSOR", s.tensor).export_("PLAN_PIPELINE", s.pipeline).export_("PLAN_CONTEXT", s.context);
  w.export_("PLAN_DATA", s.data).export_("PLAN_EXPERT", s.expert).export_("PLAN_INTERLEAVE", s.interleave);
  w.export_("PLAN_MICRO_BATCH", s.micro_batch).export_("PLAN_ACCUMULATION", s.accumulation);
  w.export_("PLAN_BATCH", s.batch).export_("PLAN_SEQUENCE", s.sequence);
  w.export_("PLAN_SHARDED", sharding_word(s.sharded)).export_("PLAN_RECOMPUTE", recompute_word(s.recompute));
  if (s.recompute_layers > 0) w.export_("PLAN_RECOMPUTE_LAYERS", s.recompute_layers);
  if (j.steps) w.export_("PLAN_STEPS", *j.steps);
  if (j.checkpoint_steps) w.export_("PLAN_CHECKPOINT_STEPS", *j.checkpoint_steps);
}

}  // namespace

void plan_settings(const NodeGroupModel& g, const Job& j, ShellWriter& w) {
  w.export_("PLAN_NODES", j.nodes).export_("PLAN_PROCESSES", j.processes);
  w.export_("PLAN_GPUS", std::min(j.processes, j.gres.empty() ? std::int64_t{0} : g.server.gpu_count));
  w.export_("PLAN_CPUS", j.cpus * j.processes).export_("PLAN_WORLD", j.world());
  if (j.split) split_settings(j, w);
  if (j.checkpoint_every) w.export_("PLAN_CHECKPOINT_SECONDS", static_cast<std::int64_t>(j.checkpoint_every->value));
  if (const auto& keep = j.workload->keep_checkpoints) w.export_("PLAN_KEEP_CHECKPOINTS", *keep);
}

void launcher_settings(const Job& j, ShellWriter& w) {
  // Overlap of tensor and context parallelism needs one queue on GPUs before Blackwell; Megatron-FSDP refuses it
  // (Megatron-LM, megatron/training/arguments.py, validate_args).
  if (j.launcher == JobLauncher::megatron && !j.shards_in_megatron()) w.export_("CUDA_DEVICE_MAX_CONNECTIONS", 1);
}

std::int64_t openmp_threads(const NodeGroupModel& g, const Job& j) {
  return std::max<std::int64_t>(1, j.cpus / std::max<std::int64_t>(1, g.server.threads_per_core));
}

// Batch and copies as DeepSpeedConfig checks them: train_batch_size = micro batch x accumulation x copies.
void append_deepspeed_config(const Job& j, std::string& out) {
  JsonWriter json(out, {.indent = 2});
  json.begin_object();
  const std::string precision = j.workload->precision.value_or("bf16");
  if (j.split) {
    json.field("train_batch_size", j.split->batch);
    json.field("train_micro_batch_size_per_gpu", j.split->micro_batch);
    json.field("gradient_accumulation_steps", j.split->accumulation);
    json.object("zero_optimization").field("stage", zero_stage(j.split->sharded)).end_object();
    if (j.split->context > 1)
      json.field("sequence_parallel_size", j.split->context).field("data_parallel_size", j.split->data);
    if (j.split->tensor > 1) json.object("tensor_parallel").field("autotp_size", j.split->tensor).end_object();
  } else {
    json.field("train_micro_batch_size_per_gpu", 1);
  }
  if (precision == "bf16" || precision == "fp8" || precision == "fp4")
    json.object("bf16").field("enabled", true).end_object();
  if (precision == "fp16") json.object("fp16").field("enabled", true).end_object();
  json.end_object();
  out += '\n';
}

// One word a line, as launch.sh reads it. Tokenizer, data and learning rate are the script's: they follow as arguments
// of sbatch.
void append_megatron_arguments(const Job& j, std::string& out) {
  Arguments a(out);
  if (j.split && j.model) {
    megatron_model(j, a);
    megatron_split(j, a);
    const std::string precision = j.workload->precision.value_or("bf16"),
                      optimizer = j.workload->optimizer.value_or("adam");
    if (precision == "fp16") a.word("--fp16");
    if (precision == "bf16" || precision == "fp8" || precision == "fp4") a.word("--bf16");
    if (precision == "fp8") a.pair("--fp8-format", "hybrid");
    if (precision == "fp4") a.pair("--fp4-format", "e2m1");
    if (optimizer == "adam-8bit") a.comment("Megatron-LM has no Adam with 8-bit states: 12 bytes a parameter, not 6");
    a.pair("--optimizer", optimizer == "sgd" ? "sgd" : "adam");
    if (j.steps) a.pair("--train-iters", *j.steps);
    if (j.checkpoint_steps) a.pair("--save-interval", *j.checkpoint_steps);
  }
  a.word("--exit-signal-handler");
}

}  // namespace clusterc
