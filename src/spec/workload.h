// The section `workloads` of a spec: jobs that the cluster is built for.
#pragma once
#include <optional>
#include <string>

#include "fields/fields.h"
#include "fields/scalars.h"
#include "spec/serving.h"

namespace clusterc {

struct ModelShape {  // "llama-3.3-70b": one that clusterc knows
  SourceSpan span;
  Value<double> parameters, active_parameters;
  Value<std::int64_t> layers, hidden, sequence, heads, kv_heads, head_size, ffn, vocabulary, experts, experts_per_token,
      expert_ffn, expert_hidden, expert_layers, shared_experts, shared_ffn, dense_layers, attention_layers, window,
      window_layers, residual_streams;
  Value<Bytes> kv_per_token;
  Value<std::string> preset, config;
  static constexpr std::string_view type_name = "model";
  static bool from_text(std::string_view, ModelShape&, std::string& error);  // "llama-3.3-70b": a preset
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("preset", s.preset,
      {.doc = "a public model whose figures clusterc has: llama-3.3-70b; keys beside it replace its"});
    v("config", s.config,
      {.doc = "config.json of the model from Hugging Face, beside the spec; keys beside it replace its"});
    v("parameters", s.parameters, {.doc = "parameters: 70e9", .least = 1, .most = 1e15});
    v("active_parameters", s.active_parameters,
      {.doc = "parameters used for one token (mixture of experts)", .least = 1, .most = 1e15});
    v("layers", s.layers, {.doc = "layers", .least = 1, .most = 100000});
    v("hidden", s.hidden, {.doc = "hidden size", .least = 1, .most = 1e7});
    v("heads", s.heads, {.doc = "attention heads", .least = 1, .most = 1e6});
    v("kv_heads", s.kv_heads, {.doc = "key-value heads", .least = 1, .most = 1e6});
    v("head_size", s.head_size, {.doc = "numbers of one head; left out: hidden / heads", .least = 1, .most = 1e6});
    v("ffn", s.ffn, {.doc = "width of the feed-forward layers; left out: 4 x hidden", .least = 1, .most = 1e8});
    v("vocabulary", s.vocabulary, {.doc = "tokens of the vocabulary", .least = 1, .most = 1e9});
    v("experts", s.experts, {.doc = "experts", .least = 1, .most = 1e6});
    v("experts_per_token", s.experts_per_token,
      {.doc = "experts that each token goes through", .least = 1, .most = 1e6});
    v("expert_ffn", s.expert_ffn,
      {.doc = "width of one expert, where `ffn` is that of the layers without experts; left out: by the parameters",
       .least = 1,
       .most = 1e8});
    v("expert_hidden", s.expert_hidden,
      {.doc = "numbers that an expert takes in (latent experts); left out: hidden", .least = 1, .most = 1e7});
    v("expert_layers", s.expert_layers,
      {.doc = "layers that have experts; left out: layers - dense_layers", .least = 1, .most = 100000});
    v("shared_experts", s.shared_experts,
      {.doc = "experts that every token goes through, each as wide as expert_ffn", .least = 1, .most = 1e4});
    v("shared_ffn", s.shared_ffn,
      {.doc = "width of all shared experts together; left out: shared_experts x expert_ffn", .least = 1, .most = 1e8});
    v("dense_layers", s.dense_layers,
      {.doc = "first layers that have a dense feed-forward part instead of experts", .least = 1, .most = 100000});
    v("attention_layers", s.attention_layers,
      {.doc = "layers that have attention, where the others have a state space (Mamba); left out: all",
       .least = 1,
       .most = 100000});
    v("window", s.window,
      {.doc = "tokens that a layer with sliding-window attention looks back on", .least = 1, .most = 1e9});
    v("window_layers", s.window_layers,
      {.doc = "layers that have a sliding window; left out: all that have attention", .least = 1, .most = 100000});
    v("residual_streams", s.residual_streams,
      {.doc = "streams of the hidden state beside one another (hyper-connections); left out: 1",
       .least = 1,
       .most = 64});
    v("kv_per_token", s.kv_per_token,
      {.doc = "keys and values of one token, where 2 x layers x kv_heads x head size x bytes does not hold (latent "
              "attention)"});
    v("sequence", s.sequence, {.doc = "tokens of one sequence", .least = 1, .most = 1e9});
  }
};
struct TokenCount {  // "4194304 tokens"
  SourceSpan span;
  Value<std::int64_t> tokens;
  static constexpr std::string_view type_name = "tokens";
  static bool from_text(std::string_view, TokenCount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("tokens", s.tokens, {.required = true, .doc = "tokens", .least = 1, .most = 1e18});
  }
};
struct ModelSplit {  // how one copy of the model lies over GPUs, and how many copies there are
  SourceSpan span;
  Value<std::int64_t> tensor, pipeline, data, context, expert, interleave, micro_batch, recompute_layers;
  Value<std::string> sharded, recompute, schedule, offload;
  static constexpr std::string_view type_name = "split";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("tensor", s.tensor,
      {.standard = "1",
       .why = "no tensor parallelism unless it is written",
       .doc = "GPUs that share each layer",
       .least = 1,
       .most = 1e6});
    v("pipeline", s.pipeline,
      {.standard = "1",
       .why = "one stage unless it is written",
       .doc = "stages of layers, one after the other",
       .least = 1,
       .most = 1e6});
    v("data", s.data, {.doc = "copies of the model; left out: what the GPUs give", .least = 1, .most = 1e6});
    v("context", s.context, {.doc = "GPUs that share each sequence (context parallelism)", .least = 1, .most = 1e6});
    v("expert", s.expert,
      {.doc = "expert parallelism: number of GPUs that share the experts of a layer", .least = 1, .most = 1e6});
    v("interleave", s.interleave,
      {.doc = "chunks of layers on each stage of the pipeline (virtual stages)", .least = 1, .most = 1e6});
    v("schedule", s.schedule,
      {.doc =
           "order of the micro batches in a pipeline: 1f1b (interleaved where `interleave` is above 1), or zero-bubble "
           "(ZB-H1: gradients of weights fill the bubble; the same memory), or dualpipe (DeepSeek-V3: from both ends, "
           "with "
           "two copies of the weights; the exchange of experts is hidden); left out: 1f1b",
       .words = "1f1b|zero-bubble|dualpipe"});
    v("micro_batch", s.micro_batch, {.doc = "sequences that go through the model at a time", .least = 1, .most = 1e6});
    v("recompute", s.recompute,
      {.doc = "what of the forward pass is done again instead of kept: none, selective (attention), alternate (all but "
              "attention and every second matrix product), full (each layer)",
       .words = "none|selective|alternate|full"});
    v("recompute_layers", s.recompute_layers,
      {.doc = "layers of each stage that `recompute: full` is done for; left out: all", .least = 1, .most = 1e6});
    v("offload", s.offload,
      {.doc =
           "training: what lies in the memory of the node and not of the GPU: optimizer (its state, and the update on "
           "the CPU: ZeRO-Offload), activations (what layers keep for the backward pass), all (both); left out: "
           "nothing",
       .words = "optimizer|activations|all"});
    v("sharded", s.sharded,
      {.standard = "none",
       .why = "each copy holds all of its state unless it is written",
       .doc = "what the copies divide among them: optimizer (ZeRO-1), gradients (ZeRO-2), all (ZeRO-3, FSDP)",
       .words = "none|optimizer|gradients|all"});
  }
};
struct LoraAdapters {  // "16": the rank
  SourceSpan span;
  Value<std::int64_t> rank;
  Value<std::string> matrices;
  static constexpr std::string_view type_name = "lora";
  static bool from_text(std::string_view, LoraAdapters&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rank", s.rank, {.required = true, .doc = "rank of the adapters", .least = 1, .most = 65536});
    v("matrices", s.matrices,
      {.standard = "all",
       .why = "QLoRA's finding: adapters on all linear layers reach full fine-tuning",
       .doc = "matrices that have adapters: attention (queries, keys, values, output), or all (the feed-forward layers "
              "and experts too)",
       .words = "attention|all"});
  }
};
struct WorkloadLauncher {  // "torchrun": the program that starts the processes of a job
  SourceSpan span;
  Value<std::string> kind, script, image, team, weights, job_operator, autoscaler;
  Value<std::int64_t> user, group;
  Value<Seconds> time;
  static constexpr std::string_view type_name = "launcher";
  static bool from_text(std::string_view, WorkloadLauncher&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind,
      {.required = true,
       .doc = "program that starts the processes; mpi: srun or mpirun, through the MPI library; vllm: of `kind: "
              "inference`",
       .words = "torchrun|deepspeed|megatron|ray|jax|horovod|mpi|vllm"});
    v("script", s.script,
      {.doc = "training script, a path on the nodes or in the image; left out: the variable TRAIN when the job is "
              "submitted to Slurm"});
    v("image", s.image,
      {.doc = "container image, as Pyxis or Apptainer names it: nvcr.io#nvidia/pytorch:25.09-py3, or as Kubernetes "
              "does: nvcr.io/nvidia/pytorch:25.09-py3; left out: the processes of a job of Slurm run on the nodes as "
              "they are"});
    v("team", s.team,
      {.doc = "team whose account, or whose namespace and queue in Kubernetes, the job has; left out: the default "
              "account of its user"});
    v("weights", s.weights,
      {.doc = "inference: folder of the model's weights, on storage of the team: /home/nlp/llama"});
    v("user", s.user,
      {.doc = "Kubernetes: number of the user that the processes run as; left out: 1000 for inference, else that of "
              "the image",
       .least = 1,
       .most = 4294967294});
    v("group", s.group,
      {.doc = "Kubernetes: number of the group that owns the team's folders; left out: none besides that of the user",
       .least = 1,
       .most = 4294967294});
    v("operator", s.job_operator,
      {.standard = "jobset",
       .why = "one operator and one object less",
       .doc =
           "Kubernetes: whose object a job of torchrun, DeepSpeed, Megatron-LM or JAX is: jobset, trainer (a TrainJob "
           "of Kubeflow Trainer 2, which makes the JobSet)",
       .words = "jobset|trainer"});
    v("autoscaler", s.autoscaler,
      {.standard = "hpa",
       .why = "a part of Kubernetes",
       .doc = "Kubernetes, inference: who sets the number of copies: hpa (HorizontalPodAutoscaler with "
              "prometheus-adapter), keda (ScaledObject)",
       .words = "hpa|keda"});
    v("time", s.time, {.doc = "time limit of one start of the job; left out: `scheduler.limits.time`"});
  }
};
struct Workload {
  SourceSpan span;
  Value<std::string> kind, precision, weight_precision, kv_precision, optimizer, checkpoint_to, attention,
      gradient_precision, loss, expert_kernels;
  std::optional<Requests> requests;
  std::optional<ServingEngine> engine;
  std::optional<ModelShape> model;
  std::optional<ModelSplit> split;
  std::optional<WorkloadLauncher> launcher;
  std::optional<LoraAdapters> lora;
  std::optional<TokenCount> batch, train;
  NamedMap<Value<std::int64_t>> on;
  Value<Seconds> within, checkpoint_every, checkpoint_within, resume_within;
  Value<std::int64_t> keep_checkpoints;
  Value<BytesPerSecond> read_per_gpu;
  Value<double> trained_parameters, tokens_per_second, efficiency, gpu_hours_per_interruption, imbalance;
  static constexpr std::string_view type_name = "workload";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind,
      {.standard = "training",
       .why = "the usual large job",
       .doc = "kind of job",
       .words = "training|fine-tuning|inference|hpc"});
    v("model", s.model, {.doc = "shape of the model"});
    v("precision", s.precision, {.doc = "arithmetic of the matrix products", .words = "bf16|fp16|fp8|fp4|fp32|fp64"});
    v("weight_precision", s.weight_precision,
      {.doc =
           "inference: in which weights are stored; left out: as `precision`. Fewer bits than the arithmetic has: "
           "fp4 on GPUs without 4-bit arithmetic. Fine-tuning: in which the weights are stored that are not trained; "
           "left out: bf16; fp4 is QLoRA",
       .words = "bf16|fp16|fp8|fp4"});
    v("kv_precision", s.kv_precision,
      {.doc = "inference: of keys and values that are kept; left out: bf16", .words = "bf16|fp16|fp8|fp4"});
    v("optimizer", s.optimizer,
      {.standard = "adam",
       .why = "what large models are trained with",
       .doc = "its state is 12 bytes a parameter (adam), 6 (adam-8bit) or 8 (sgd with momentum), FP32 master weights "
              "included",
       .words = "adam|adam-8bit|sgd"});
    v("attention", s.attention,
      {.doc =
           "training: kernels of attention; unfused: scores are written to memory; flash-2: made for A100 "
           "(FlashAttention-2, PyTorch's own); native: made for the GPU (FlashAttention-3, cuDNN); left out: flash-2 "
           "with `sharded: all`, else native",
       .words = "unfused|flash-2|native"});
    v("gradient_precision", s.gradient_precision,
      {.doc = "training: in which gradients are summed and sent; left out: bf16; fp32 is the default of Megatron-LM",
       .words = "bf16|fp32"});
    v("loss", s.loss,
      {.doc = "training with `sharded: all`: plain, PyTorch's with its copies of the logits in 32 bit, or fused "
              "(compiled, "
              "Liger, flash-attn); left out: plain where it fits",
       .words = "plain|fused"});
    v("expert_kernels", s.expert_kernels,
      {.doc = "training: products of experts; fused: nonlinearity and quantisation inside the grouped products, all "
              "experts of a layer in one kernel, the step as a CUDA graph; left out: separate",
       .words = "separate|fused"});
    v("imbalance", s.imbalance,
      {.doc = "experts: tokens of the fullest GPU over the mean; left out: 1, a balanced router",
       .least = 1,
       .most = 1000});
    v("trained_parameters", s.trained_parameters,
      {.doc = "fine-tuning: parameters that are trained (adapters); left out: all", .least = 1, .most = 1e15});
    v("lora", s.lora,
      {.doc = "fine-tuning: low-rank adapters are trained in place of the model, by rank: 16, or { rank: 16, matrices: "
              "attention }; `trained_parameters` follow from the shape"});
    v("split", s.split, {.doc = "how the model is divided over GPUs: { tensor: 8, pipeline: 2, sharded: optimizer }"});
    v("batch", s.batch,
      {.doc = "training: global batch, 4194304 tokens; inference: tokens whose keys and values one copy of the model "
              "holds at once"});
    v("train", s.train, {.doc = "tokens to train on in all"});
    v("within", s.within, {.doc = "time in which it is to be done"});
    v("on", s.on, {.doc = "nodes of each group: { gpu: 64 }"});
    v("requests", s.requests,
      {.doc = "inference: lengths and rate of requests, and limits of their times: { input: 2000, output: 500, "
              "per_second: 20, first_token_within: 2 s, token_within: 50 ms }"});
    v("engine", s.engine, {.doc = "inference: settings of the engine: { prefill_chunk: 8192, prefill: apart }"});
    v("launcher", s.launcher,
      {.doc =
           "program that starts its processes under Slurm or Kubernetes: torchrun, or { kind: megatron, script: … }; "
           "left out: by `software.frameworks`, else torchrun; of `kind: hpc` mpi; of `kind: inference` vllm"});
    v("checkpoint_every", s.checkpoint_every, {.doc = "time between checkpoints"});
    v("checkpoint_within", s.checkpoint_within, {.doc = "time that one may take"});
    v("checkpoint_to", s.checkpoint_to, {.doc = "storage that keeps them"});
    v("keep_checkpoints", s.keep_checkpoints,
      {.doc = "checkpoints that are kept on shared storage", .least = 1, .most = 1e6});
    v("resume_within", s.resume_within, {.doc = "time from an interruption to the next step of the job"});
    v("read_per_gpu", s.read_per_gpu, {.doc = "training data that each GPU reads while it computes: 0.5 GB/s"});
    v("tokens_per_second", s.tokens_per_second,
      {.doc = "inference: tokens that all copies of the model together are to generate each second",
       .least = 1,
       .most = 1e15});
    v("efficiency", s.efficiency,
      {.doc = "share of the GPU's best matrix rate that lasts under load, where it was measured; left out: that of "
              "published runs",
       .least = 0.01,
       .most = 1});
    v("gpu_hours_per_interruption", s.gpu_hours_per_interruption,
      {.doc = "from the logs of the cluster; left out: 50,677, what Llama 3 reports", .least = 1, .most = 1e12});
  }
};

}  // namespace clusterc
