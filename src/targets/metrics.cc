#include "targets/metrics.h"

#include <algorithm>
#include <array>

namespace clusterc {
namespace {

constexpr auto kBytes = Dimension::byte_rate, kFlops = Dimension::flop_rate, kTime = Dimension::time,
               kOps = Dimension::op_rate;
constexpr auto kTarget = JudgedBy::target, kFinder = JudgedBy::finder, kLink = JudgedBy::link,
               kNobody = JudgedBy::nobody;
constexpr auto kNone = GpuShare::none, kEach = GpuShare::each, kAll = GpuShare::all;
constexpr std::string_view kHigher = "higher", kLower = "lower";
// Where expected figures come from.
constexpr std::string_view kMemory = "memory channels, or the data sheet of the GPU",
                           kTriad = "memory channels, or the data sheet of the GPU; published triad",
                           kProducts = "cores and clock, or the dense peak of the GPU; published figures",
                           kLinpack = "FP64 peak of all nodes; published figures",
                           kMixed = "FP16 peak of all nodes; one published run",
                           kAlgorithms = "the algorithms over the planned links; published figures",
                           kSlowestPorts = "the ports of the slowest node",
                           kStorage = "the ports of both sides, and what the system is bought to give",
                           kPcie = "lanes and generation, less packet headers; published figures",
                           kGpuLink = "`gpu_link` of the GPU", kNvlink = "`gpu_link` of the GPU; published figures",
                           kPorts = "rates of the planned ports",
                           kRdma = "the rate of a port, less headers; published figures";

// name, unit, direction, validator, options, scope, judged by, share of the GPUs, of a GPU alone, a peak, collective,
// key in `targets`, origin
constexpr auto kMetrics = std::to_array<Metric>({
    {"memory.copy", kBytes, kHigher, "memory", "", "gpu", kTarget, kEach, false, true, "", "", kMemory},
    {"memory.scale", kBytes, kHigher, "memory", "", "gpu", kTarget, kEach, false, true, "", "", kMemory},
    {"memory.add", kBytes, kHigher, "memory", "", "gpu", kTarget, kEach, false, true, "", "", kMemory},
    {"memory.triad", kBytes, kHigher, "memory", "", "gpu", kTarget, kEach, false, true, "", "memory", kTriad},
    {"gemm.fp64", kFlops, kHigher, "gemm", "--precisions fp64", "gpu", kTarget, kEach, false, true, "", "gemm",
     kProducts},
    {"gemm.fp32", kFlops, kHigher, "gemm", "--precisions fp32", "gpu", kTarget, kEach, false, true, "", "", kProducts},
    {"gemm.tf32", kFlops, kHigher, "gemm", "--precisions tf32", "gpu", kTarget, kEach, false, true, "", "", kProducts},
    {"gemm.bf16", kFlops, kHigher, "gemm", "--precisions bf16", "gpu", kTarget, kEach, false, true, "", "gemm",
     kProducts},
    {"gemm.fp16", kFlops, kHigher, "gemm", "--precisions fp16", "gpu", kTarget, kEach, false, true, "", "", kProducts},
    {"gemm.fp8", kFlops, kHigher, "gemm", "--precisions fp8", "gpu", kTarget, kEach, false, true, "", "", kProducts},
    {"gemm.int8", kFlops, kHigher, "gemm", "--precisions int8", "gpu", kNobody, kEach, false, true, "", "", ""},
    {"hpl.score", kFlops, kHigher, "hpl", "", "group", kTarget, kAll, false, true, "", "hpl", kLinpack},
    {"hpl.dgemm", kFlops, kHigher, "hpl", "", "group", kNobody, kAll, false, true, "", "", ""},
    {"hpl.mxp", kFlops, kHigher, "hpl", "--precision fp16", "group", kTarget, kAll, false, true, "", "", kMixed},
    {"hpl.mxp_gemm", kFlops, kHigher, "hpl", "--precision fp16", "group", kNobody, kAll, false, true, "", "", ""},
    {"nccl.all_reduce.time", kTime, kLower, "nccl", "--collectives all_reduce", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_reduce.algbw", kBytes, kHigher, "nccl", "--collectives all_reduce", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_reduce.busbw", kBytes, kHigher, "nccl", "--collectives all_reduce", "group", kTarget, kAll, false, false,
     "all_reduce", "all_reduce", kAlgorithms},
    {"nccl.all_gather.time", kTime, kLower, "nccl", "--collectives all_gather", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_gather.algbw", kBytes, kHigher, "nccl", "--collectives all_gather", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_gather.busbw", kBytes, kHigher, "nccl", "--collectives all_gather", "group", kTarget, kAll, false, false,
     "all_gather", "all_gather", kAlgorithms},
    {"nccl.reduce_scatter.time", kTime, kLower, "nccl", "--collectives reduce_scatter", "group", kNobody, kAll, false,
     false, "", "", ""},
    {"nccl.reduce_scatter.algbw", kBytes, kHigher, "nccl", "--collectives reduce_scatter", "group", kNobody, kAll,
     false, false, "", "", ""},
    {"nccl.reduce_scatter.busbw", kBytes, kHigher, "nccl", "--collectives reduce_scatter", "group", kNobody, kAll,
     false, false, "reduce_scatter", "", ""},
    {"nccl.all_to_all.time", kTime, kLower, "nccl", "--collectives all_to_all", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_to_all.algbw", kBytes, kHigher, "nccl", "--collectives all_to_all", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.all_to_all.busbw", kBytes, kHigher, "nccl", "--collectives all_to_all", "group", kTarget, kAll, false, false,
     "all_to_all", "all_to_all", kAlgorithms},
    {"nccl.broadcast.time", kTime, kLower, "nccl", "--collectives broadcast", "group", kNobody, kAll, false, false, "",
     "", ""},
    {"nccl.broadcast.algbw", kBytes, kHigher, "nccl", "--collectives broadcast", "group", kNobody, kAll, false, false,
     "", "", ""},
    {"nccl.broadcast.busbw", kBytes, kHigher, "nccl", "--collectives broadcast", "group", kNobody, kAll, false, false,
     "broadcast", "", ""},
    {"nccl.reduce.time", kTime, kLower, "nccl", "--collectives reduce", "group", kNobody, kAll, false, false, "", "",
     ""},
    {"nccl.reduce.algbw", kBytes, kHigher, "nccl", "--collectives reduce", "group", kNobody, kAll, false, false, "", "",
     ""},
    {"nccl.reduce.busbw", kBytes, kHigher, "nccl", "--collectives reduce", "group", kNobody, kAll, false, false,
     "reduce", "", ""},
    {"nccl.sendrecv.time", kTime, kLower, "nccl", "--collectives sendrecv", "group", kNobody, kAll, false, false, "",
     "", ""},
    {"nccl.sendrecv.algbw", kBytes, kHigher, "nccl", "--collectives sendrecv", "group", kNobody, kAll, false, false, "",
     "", ""},
    {"nccl.sendrecv.busbw", kBytes, kHigher, "nccl", "--collectives sendrecv", "group", kNobody, kAll, false, false,
     "sendrecv", "", ""},
    {"mpi.pingpong.time", kTime, kLower, "mpi", "--tests pingpong", "pair", kNobody, kNone, false, false, "", "", ""},
    {"mpi.pingpong.bandwidth", kBytes, kHigher, "mpi", "--tests pingpong", "pair", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.bandwidth", kBytes, kHigher, "mpi", "--tests bandwidth", "pair", kNobody, kNone, false, false, "", "", ""},
    {"mpi.bidirectional", kBytes, kHigher, "mpi", "--tests bidirectional", "pair", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.multi_pair", kBytes, kHigher, "mpi", "--tests multi-pair", "whole", kNobody, kNone, false, false, "", "", ""},
    {"mpi.message_rate", kOps, kHigher, "mpi", "--tests message-rate", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.barrier.time", kTime, kLower, "mpi", "--tests barrier", "whole", kNobody, kNone, false, false, "", "", ""},
    {"mpi.barrier.delay", kTime, kLower, "mpi", "--tests barrier", "whole", kNobody, kNone, false, false, "", "", ""},
    {"mpi.allreduce.time", kTime, kLower, "mpi", "--tests allreduce", "whole", kTarget, kNone, false, false, "", "",
     ""},
    {"mpi.allreduce.algbw", kBytes, kHigher, "mpi", "--tests allreduce", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.allreduce.busbw", kBytes, kHigher, "mpi", "--tests allreduce", "whole", kTarget, kNone, false, false, "", "",
     kSlowestPorts},
    {"mpi.allgather.time", kTime, kLower, "mpi", "--tests allgather", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.allgather.algbw", kBytes, kHigher, "mpi", "--tests allgather", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.allgather.busbw", kBytes, kHigher, "mpi", "--tests allgather", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.alltoall.time", kTime, kLower, "mpi", "--tests alltoall", "whole", kNobody, kNone, false, false, "", "", ""},
    {"mpi.alltoall.algbw", kBytes, kHigher, "mpi", "--tests alltoall", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"mpi.alltoall.busbw", kBytes, kHigher, "mpi", "--tests alltoall", "whole", kNobody, kNone, false, false, "", "",
     ""},
    {"storage.write", kBytes, kHigher, "storage", "", "storage", kTarget, kNone, false, false, "", "storage_write",
     kStorage},
    {"storage.read", kBytes, kHigher, "storage", "", "storage", kTarget, kNone, false, false, "", "storage_read",
     kStorage},
    {"storage.random_write", kOps, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.random_read", kOps, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.gds_write", kBytes, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.gds_read", kBytes, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.create", kOps, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.stat", kOps, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.unlink", kOps, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.checkpoint_write", kBytes, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"storage.checkpoint_read", kBytes, kHigher, "storage", "", "storage", kNobody, kNone, false, false, "", "", ""},
    {"memtest.solid", kBytes, kHigher, "memtest", "--tests solid", "node", kFinder, kAll, false, false, "", "", ""},
    {"memtest.walking", kBytes, kHigher, "memtest", "--tests walking", "node", kFinder, kAll, false, false, "", "", ""},
    {"memtest.address", kBytes, kHigher, "memtest", "--tests address", "node", kFinder, kAll, false, false, "", "", ""},
    {"memtest.random", kBytes, kHigher, "memtest", "--tests random", "node", kFinder, kAll, false, false, "", "", ""},
    {"memtest.inversions", kBytes, kHigher, "memtest", "--tests inversions", "node", kFinder, kAll, false, false, "",
     "", ""},
    {"memtest.hold", kBytes, kHigher, "memtest", "--tests hold", "node", kFinder, kAll, false, false, "", "", ""},
    {"burn.flops", kFlops, kHigher, "burn", "", "node", kFinder, kAll, false, false, "", "", ""},
    {"burn.slowest", kFlops, kHigher, "burn", "", "node", kFinder, kAll, false, false, "", "", ""},
    {"pcie.link.gpu", kBytes, kHigher, "pcie", "--device host", "node", kLink, kNone, false, false, "", "", ""},
    {"pcie.link.nic", kBytes, kHigher, "pcie", "--device host", "node", kLink, kNone, false, false, "", "", ""},
    {"pcie.link.nvme", kBytes, kHigher, "pcie", "--device host", "node", kLink, kNone, false, false, "", "", ""},
    {"pcie.copy", kBytes, kHigher, "pcie", "--device cuda", "gpu", kTarget, kEach, true, false, "", "pcie", kPcie},
    {"pcie.copy.to_host", kBytes, kHigher, "pcie", "--device cuda", "gpu", kTarget, kEach, true, false, "", "", kPcie},
    {"pcie.copy.both", kBytes, kHigher, "pcie", "--device cuda", "gpu", kTarget, kEach, true, false, "", "", kPcie},
    {"pcie.copy.far", kBytes, kHigher, "pcie", "--device cuda", "gpu", kNobody, kEach, true, false, "", "", ""},
    {"pcie.copy.far_to_host", kBytes, kHigher, "pcie", "--device cuda", "gpu", kNobody, kEach, true, false, "", "", ""},
    {"pcie.copy.far_both", kBytes, kHigher, "pcie", "--device cuda", "gpu", kNobody, kEach, true, false, "", "", ""},
    {"nvlink.links", kBytes, kHigher, "nvlink", "", "gpu", kLink, kAll, true, false, "", "", kGpuLink},
    {"nvlink.copy", kBytes, kHigher, "nvlink", "", "gpu", kTarget, kAll, true, false, "", "nvlink", kNvlink},
    {"nvlink.copy.both", kBytes, kHigher, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"nvlink.latency", kTime, kLower, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"nvlink.part.copy", kBytes, kHigher, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"nvlink.part.copy.both", kBytes, kHigher, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"nvlink.part.latency", kTime, kLower, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"peer.copy", kBytes, kHigher, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"peer.copy.both", kBytes, kHigher, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"peer.latency", kTime, kLower, "nvlink", "", "gpu", kNobody, kAll, true, false, "", "", ""},
    {"fabric.link", kBytes, kHigher, "fabric", "", "node", kLink, kNone, false, false, "", "", ""},
    {"fabric.links", kBytes, kHigher, "fabric", "--ports", "node", kLink, kNone, false, false, "", "", kPorts},
    {"rdma.write", kBytes, kHigher, "fabric", "--hosts", "pair", kTarget, kNone, false, false, "", "rdma", kRdma},
    {"rdma.write_latency", kTime, kLower, "fabric", "--hosts", "pair", kNobody, kNone, false, false, "", "", ""},
    {"rdma.gpu_write", kBytes, kHigher, "fabric", "--gpudirect", "pair", kTarget, kAll, false, false, "", "", kRdma},
    {"rdma.gpu_write.both", kBytes, kHigher, "fabric", "--gpudirect", "pair", kNobody, kAll, false, false, "", "", ""},
    {"container.start", kTime, kLower, "container", "", "node", kFinder, kNone, false, false, "", "", ""},
    {"container.all_reduce", kBytes, kHigher, "container", "", "node", kFinder, kNone, false, false, "", "", ""},
});

}  // namespace

std::span<const Metric> all_metrics() { return kMetrics; }

const Metric* find_metric(std::string_view name) {
  const auto at = std::ranges::find(kMetrics, name, &Metric::name);
  return at == kMetrics.end() ? nullptr : &*at;
}

std::string_view unit_name(Dimension dimension) {
  switch (dimension) {
    case Dimension::byte_rate:
      return "B/s";
    case Dimension::flop_rate:
      return "FLOP/s";
    case Dimension::time:
      return "s";
    case Dimension::op_rate:
      return "1/s";
    default:
      return {};
  }
}

std::string_view judged_by_name(JudgedBy judged) {
  switch (judged) {
    case JudgedBy::target:
      return "target";
    case JudgedBy::finder:
      return "faults found";
    case JudgedBy::link:
      return "link";
    case JudgedBy::nobody:
      return "not judged";
  }
  return "?";
}

std::string_view collective_of(std::string_view metric) {
  const Metric* m = find_metric(metric);
  return m ? m->collective : std::string_view();
}

GpuShare gpu_share_of(std::string_view metric) {
  const Metric* m = find_metric(metric);
  return m ? m->gpus : GpuShare::none;
}

}  // namespace clusterc
