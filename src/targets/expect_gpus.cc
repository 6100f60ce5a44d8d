#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "spec/ha.h"
#include "spec/target.h"
#include "targets/expect.h"
#include "targets/published.h"

namespace clusterc {

// A figure of a GPU, whose ceiling the catalogue knows or not.
ExpectedFigure Expect::of_gpu(const NodeGroupModel& group, std::string test, Dimension dimension, Figure ceiling,
                              std::string_view key, std::string scope) {
  ExpectedFigure f{.test = std::move(test),
                   .group = group.name,
                   .scope = std::move(scope),
                   .dimension = dimension,
                   .ceiling = std::move(ceiling)};
  if (!f.ceiling.value) f.missing = format("{} of {} is not in the catalogue", key, group.server.gpu_model);
  return f;
}

void Expect::gpu_group(const NodeGroupModel& group) {
  if (!group.server.gpu) return;
  gpu_memory(group);
  gpu_products(group);
  gpu_linpack(group);
  all_reduce(group);
  pcie_paths(group, *group.server.gpu);
  nvlink_paths(group);
  network_paths(group);
}

void Expect::gpu_memory(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const GpuPart* gpu = server.gpu;
  const std::string slowed = slowed_by(group);
  for (const char* test : {"memory.copy", "memory.scale", "memory.add", "memory.triad"}) {
    ExpectedFigure f = of_gpu(group, test, Dimension::byte_rate, from(gpu->memory_bandwidth, 1, "data sheet bandwidth"),
                              "memory_bandwidth");
    const bool triad = std::string_view(test) == "memory.triad";
    if (!triad && f.missing.empty())
      f.missing = "only triad is judged: healthy figures are published for no other kernel";
    const PublishedRow* row = triad ? find_published(test, server.gpu_model) : nullptr;
    slow(f, row, slowed);
    finish(std::move(f), row, triad ? wish(group.name, &TestTargets::memory) : std::nullopt);
  }
}

void Expect::gpu_products(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const GpuPart* gpu = server.gpu;
  const std::string slowed = slowed_by(group);
  const Value<FlopsPerSecond>& fp64 = gpu->fp64_tensor.or_else(gpu->fp64);
  const struct {
    const char* test;
    const Value<FlopsPerSecond>* peak;
    const char* key;
    bool wished;
  } formats[] = {{"gemm.fp64", &fp64, "fp64", false},
                 {"gemm.fp32", &gpu->fp32, "fp32", false},
                 {"gemm.tf32", &gpu->tf32, "tf32", false},
                 {"gemm.bf16", &gpu->bf16, "bf16", true},
                 {"gemm.fp16", &gpu->bf16, "bf16 (FP16 has the same peak)", false},
                 {"gemm.fp8", &gpu->fp8, "fp8", false}};
  for (const auto& f : formats) {
    if (std::string_view(f.test) == "gemm.fp8" && !gpu->fp8) continue;  // GPUs before Ada have none
    ExpectedFigure gemm = of_gpu(group, f.test, Dimension::flop_rate,
                                 from(*f.peak, 1, "dense peak at the power limit as shipped"), f.key);
    const PublishedRow* row = find_published(f.test, server.gpu_model);
    slow(gemm, row, slowed);
    finish(std::move(gemm), row, f.wished ? wish(group.name, &TestTargets::gemm) : std::nullopt);
  }
}

// HPL over the whole group: per-GPU shares times GPUs.
void Expect::gpu_linpack(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const GpuPart* gpu = server.gpu;
  const std::string slowed = slowed_by(group);
  const Value<FlopsPerSecond>& fp64 = gpu->fp64_tensor.or_else(gpu->fp64);
  const double gpus = static_cast<double>(server.gpu_count * group.count);
  ExpectedFigure hpl = of_gpu(group, "hpl.score", Dimension::flop_rate,
                              from(fp64, gpus, format("{} GPUs x FP64 peak", gpus)), "fp64", "group");
  const PublishedRow* one = find_published("hpl.score", server.gpu_model);
  slow(hpl, one, slowed);
  // The rate per GPU falls with the number of nodes: Eos, 3,328 H100 in 416 nodes, has 36.5 TFLOP/s each where 128
  // nodes have 44.7 (TOP500, November 2024).
  if (one && one->nodes && static_cast<double>(group.count) > *one->nodes) {
    if (hpl.missing.empty())
      hpl.missing = format(
          "published healthy results are of at most {} of this hardware, and the share falls with "
          "more: set a floor in targets",
          *one->nodes == 1 ? "one node" : format("{} nodes", *one->nodes));
    one = nullptr;
  }
  if (one) {
    PublishedRow row = *one;
    if (row.typical) row.typical = *row.typical * gpus;
    if (row.lowest) row.lowest = *row.lowest * gpus;
    if (row.best) row.best = *row.best * gpus;
    finish(std::move(hpl), &row, wish(group.name, &TestTargets::hpl));
  } else {
    finish(std::move(hpl), nullptr, wish(group.name, &TestTargets::hpl));
  }
  if (unnamed_) {  // the suite does not start HPL-MxP
    ExpectedFigure mxp =
        of_gpu(group, "hpl.mxp", Dimension::flop_rate, from(gpu->bf16, gpus, format("{} GPUs x FP16 peak", gpus)),
               "bf16 (FP16 has the same peak)", "group");
    if (mxp.missing.empty()) mxp.missing = "the suite does not start it; what is published is of NVIDIA's program";
    PublishedRow row{"hpl.mxp", "", std::nullopt, std::nullopt, std::nullopt, "none", ""};
    if (const PublishedRow* each = find_published("hpl.mxp", server.gpu_model); each && slowed.empty()) {
      row = *each;
      row.typical = *row.typical * gpus;
    }
    finish(std::move(mxp), row.typical ? &row : nullptr, std::nullopt);
  }
}

}  // namespace clusterc
