#include "targets/published.h"

#include <algorithm>
#include <array>

namespace clusterc {
namespace {

constexpr double kG = 1e9, kT = 1e12;
constexpr std::nullopt_t none = std::nullopt;

constexpr std::array kRows{
    // Device memory, STREAM triad. superbench: microsoft/superbench-results v0.4.0; Azure: Azure/AI-benchmarking-guide
    // Azure_Results.
    PublishedRow{"memory.triad", "nvidia-a100-sxm4-80", 1700 * kG, 1700 * kG, 1173 * kG, "single",
                 "Azure/AI-benchmarking-guide, A100; pass limit: NVIDIA/DCGM diag-skus 4.6.0"},
    PublishedRow{"memory.triad", "nvidia-h100-sxm5-80", 2970 * kG, 2970 * kG, 1905 * kG, "single",
                 "Azure/AI-benchmarking-guide, H100; pass limit: NVIDIA/DCGM diag-skus 4.6.0"},
    PublishedRow{"memory.triad", "nvidia-h200-sxm5-141", 4150 * kG, 4150 * kG, 2333 * kG, "single",
                 "Azure/AI-benchmarking-guide, H200; pass limit: NVIDIA/DCGM diag-skus 4.6.0"},
    PublishedRow{"memory.triad", "nvidia-gb200-gpu", 7350 * kG, 7350 * kG, none, "single",
                 "Azure HPC blog, ND GB200 v6"},
    PublishedRow{"memory.triad", "nvidia-b200-sxm-180", none, 7075.0 * kG, none, "transferred",
                 "0.919 of the data sheet, as GB200 reaches (Azure HPC blog, ND GB200 v6)"},
    // Host memory, STREAM triad.
    PublishedRow{"memory.triad", "2x8x4800", 486.7 * kG, 486.7 * kG, none, "single",
                 "aigatech/vpbenchmarking, hosts with 2 x 8 channels DDR5-4800"},
    PublishedRow{"memory.triad", "2x12x4800", none, none, 665.5 * kG, "gate",
                 "Azure/azurehpc-health-checks, two-socket Genoa-X"},
    // Matrix multiplication, square 16384 where a size is stated, random data.
    PublishedRow{"gemm.fp64", "nvidia-a100-sxm4-80", 18.95 * kT, 18.95 * kT, none, "single",
                 "microsoft/superbench-results v0.4.0, A100 FP64 tensor"},
    PublishedRow{"gemm.fp32", "nvidia-a100-sxm4-80", 18.36 * kT, 18.36 * kT, none, "single",
                 "microsoft/superbench-results v0.4.0, A100"},
    PublishedRow{"gemm.tf32", "nvidia-a100-sxm4-80", 127.4 * kT, 127.4 * kT, none, "single",
                 "microsoft/superbench-results v0.4.0, A100"},
    PublishedRow{"gemm.fp16", "nvidia-a100-sxm4-80", 265.9 * kT, 256.5 * kT, none, "measured",
                 "Azure/AI-benchmarking-guide A100, 16384, random; microsoft/superbench-results v0.4.0", 275.4 * kT},
    PublishedRow{"gemm.bf16", "nvidia-a100-sxm4-80", none, 265.8 * kT, none, "transferred",
                 "0.98 of the best shape, 271.2 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"gemm.bf16", "nvidia-h100-sxm5-80", none, 778.6 * kT, none, "transferred",
                 "0.98 of the best shape, 794.5 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"gemm.bf16", "nvidia-h200-sxm5-141", none, 778.6 * kT, none, "transferred",
                 "0.98 of the best shape, 794.5 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"gemm.bf16", "nvidia-b200-sxm-180", none, 1710.1 * kT, none, "transferred",
                 "0.98 of the best shape, 1,745 TFLOP/s (stas00/ml-engineering)"},
    // Matrices as step times of workloads are made from: the best of all shapes in a search (stas00/ml-engineering,
    // compute/accelerator, mamf-finder), times
    // 0.98, what a large square reaches of it (1,377 of 1,402.6 TFLOP/s, H100 with FP8).
    PublishedRow{"matrices.bf16", "nvidia-a100-sxm4-80", 0.98 * 271.2 * kT, none, none, "single",
                 "0.98 of the best shape, 271.2 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.bf16", "nvidia-a100-sxm4-40", 0.98 * 271.2 * kT, none, none, "transferred",
                 "0.98 of the best shape of the chip with 80 GB, 271.2 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.bf16", "nvidia-h100-sxm5-80", 0.98 * 794.5 * kT, none, none, "single",
                 "0.98 of the best shape, 794.5 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.bf16", "nvidia-h200-sxm5-141", 0.98 * 794.5 * kT, none, none, "single",
                 "0.98 of the best shape, 794.5 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.bf16", "nvidia-b200-sxm-180", 0.98 * 1745 * kT, none, none, "single",
                 "0.98 of the best shape, 1,745 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.fp8", "nvidia-h100-sxm5-80", 0.98 * 1402.6 * kT, none, none, "single",
                 "0.98 of the best shape, 1,402.6 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.fp8", "nvidia-h200-sxm5-141", 0.98 * 1453 * kT, none, none, "single",
                 "0.98 of the best shape, 1,453 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.fp8", "nvidia-b200-sxm-180", 0.98 * 3432 * kT, none, none, "single",
                 "0.98 of the best shape, 3,432 TFLOP/s (stas00/ml-engineering)"},
    PublishedRow{"matrices.fp8", "nvidia-gb200-gpu", 0.98 * 3615 * kT, none, none, "single",
                 "0.98 of the best shape, 3,615 TFLOP/s (stas00/ml-engineering)"},
    // All-reduce in one node of eight GPUs, NVLink SHARP.
    PublishedRow{"nccl.all_reduce.busbw", "node:nvidia-a100-sxm4-80", 235.4 * kG, 231.6 * kG, 228 * kG, "measured",
                 "microsoft/superbench-results; Azure/AI-benchmarking-guide A100, ring; pass limits: oci-hpc, "
                 "azurehpc-health-checks",
                 235.7 * kG},
    PublishedRow{
        "nccl.all_reduce.busbw", "node:nvidia-h100-sxm5-80", 477.4 * kG, 476 * kG, 460 * kG, "measured",
        "Azure/AI-benchmarking-guide H100, NVIDIA/nccl-tests issue 290; pass limits: oci-hpc, azurehpc-health-checks",
        478.9 * kG},
    PublishedRow{
        "nccl.all_reduce.busbw", "node:nvidia-h200-sxm5-141", 481.1 * kG, 480 * kG, 440 * kG, "measured",
        "Azure/AI-benchmarking-guide H200, stas00/ml-engineering; pass limits: azurehpc-health-checks, oci-hpc",
        482.3 * kG},
    PublishedRow{"nccl.all_reduce.busbw", "node:nvidia-b200-sxm-180", 841.9 * kG, 838 * kG, 440 * kG, "measured",
                 "stas00/ml-engineering; pass limit: oci-hpc", 845.7 * kG},
    // B300 and MI300X: gates only, the lowest of conflicting ones. NVL72: a whole rack.
    PublishedRow{"nccl.all_reduce.busbw", "node:nvidia-b300-sxm-288", none, none, 800 * kG, "gate",
                 "oracle-quickstart/oci-hpc"},
    PublishedRow{"nccl.all_reduce.busbw", "node:amd-mi300x", none, none, 310 * kG, "gate",
                 "oracle-quickstart/oci-hpc (310, 350), ROCm/cvs (330, 350)"},
    PublishedRow{"nccl.all_reduce.busbw", "rack:nvidia-gb200-gpu", 840.7 * kG, 834.6 * kG, none, "measured",
                 "coreweave/nccl-tests, one rack of 72, one site", 846.8 * kG},
    // Host to device copies over x16, on virtual machines and bare metal.
    PublishedRow{"pcie.copy", "gen3 bare", 12.8 * kG, 12.4 * kG, none, "measured", "microsoft/superbench-results, V100",
                 13.2 * kG},
    PublishedRow{"pcie.copy", "gen4 bare", 25.9 * kG, 25.9 * kG, 21 * kG, "measured",
                 "microsoft/superbench-results v0.4.0, Azure/AI-benchmarking-guide A100; pass limit: "
                 "Azure/azurehpc-health-checks",
                 26.3 * kG},
    PublishedRow{"pcie.copy", "gen5 virtual", 52 * kG, 51 * kG, 48 * kG, "measured",
                 "Azure/AI-benchmarking-guide H100 and H200; pass limit: Azure/azurehpc-health-checks", 52 * kG},
    PublishedRow{"pcie.copy", "gen5 bare", 55.2 * kG, 55.1 * kG, 52 * kG, "single",
                 "stas00/ml-engineering; pass limit: oci-hpc", 55.4 * kG},
    // From one GPU to another over NVLink, one way.
    PublishedRow{"nvlink.copy", "nvidia-a100-sxm4-80", 276 * kG, 276 * kG, 238 * kG, "single",
                 "NVIDIA/nvbandwidth; pass limit: Azure/azurehpc-health-checks"},
    PublishedRow{"nvlink.copy", "nvidia-h100-sxm5-80", 396.4 * kG, 396.4 * kG, 335 * kG, "single",
                 "stas00/ml-engineering, H200 with the same links; pass limit: Azure/azurehpc-health-checks"},
    PublishedRow{"nvlink.copy", "nvidia-h200-sxm5-141", 396.4 * kG, 396.4 * kG, 335 * kG, "single",
                 "stas00/ml-engineering; pass limit: Azure/azurehpc-health-checks"},
    PublishedRow{"nvlink.copy", "nvidia-gb200-gpu", 770 * kG, 770 * kG, none, "single",
                 "Azure/AI-benchmarking-guide issue 7"},
    // RDMA writes between two adapters, host memory, by kind and rate of the network; gates and results are in Gb/s.
    PublishedRow{"rdma.write", "roce 100", none, none, 96 * kG / 8, "gate", "oci-hpc, 100 Gb/s RoCE"},
    PublishedRow{"rdma.write", "infiniband 200", 192.6 * kG / 8, 191.2 * kG / 8, 180 * kG / 8, "measured",
                 "microsoft/superbench-results v0.4.0; Azure/azurehpc-health-checks issue 46; pass limit: "
                 "Azure/azurehpc-health-checks",
                 194 * kG / 8},
    PublishedRow{"rdma.write", "roce 200", none, none, 192 * kG / 8, "gate", "oci-hpc, ConnectX-7 at 200 Gb/s"},
    PublishedRow{"rdma.write", "roce 400", 392 * kG / 8, 392 * kG / 8, 384 * kG / 8, "single",
                 "NVIDIA/nccl issue 2409; pass limit: oci-hpc"},
    PublishedRow{"rdma.write", "infiniband 400", none, none, 390 * kG / 8, "gate",
                 "Azure/azurehpc-health-checks, NDR with host memory"},
    // The same from the memory of a GPU to that of another.
    PublishedRow{"rdma.gpu_write", "infiniband 200", none, none, 180 * kG / 8, "gate",
                 "Azure/azurehpc-health-checks, check_ib_bw_gdr of A100 with HDR"},
    PublishedRow{"rdma.gpu_write", "infiniband 400", none, none, 380 * kG / 8, "gate",
                 "Azure/azurehpc-health-checks, check_ib_bw_gdr of H100 with NDR"},
    // HPL, per GPU.
    PublishedRow{"hpl.score", "nvidia-a100-sxm4-80", 13.7 * kT, 13.7 * kT, none, "single",
                 "NVIDIA/deepops workloads/bit/hpl, one DGX A100 80 GB", none, 1},
    PublishedRow{"hpl.score", "nvidia-h100-sxm5-80", 44.7 * kT, 41.4 * kT, none, "measured",
                 "TOP500 November 2024, three H100 systems of 20 to 128 nodes; best: eight GPUs of one node, "
                 "aigatech/vpbenchmarking",
                 45.7 * kT, 128},
    PublishedRow{"hpl.score", "nvidia-h200-sxm5-141", none, 45.7 * kT, none, "transferred",
                 "from eight H100 in one node (aigatech/vpbenchmarking)", none, 1},
    // HPL-MxP with FP16, per GPU. No floor: it is of NVIDIA's program, and ours has never run on a GPU.
    PublishedRow{"hpl.mxp", "nvidia-h100-sxm5-80", 317.1 * kT, none, none, "single",
                 "NVIDIA's HPL-MxP on eight GPUs of one node (aigatech/vpbenchmarking)"},
};

}  // namespace

std::span<const PublishedRow> published_rows() { return kRows; }

const PublishedRow* find_published(std::string_view test, std::string_view hardware) {
  const auto found = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const PublishedRow& r) { return r.test == test && r.hardware == hardware; });
  return found == kRows.end() ? nullptr : &*found;
}

std::optional<double> floor_of(const PublishedRow& row, double guard) {
  std::optional<double> floor;
  if (row.lowest) floor = *row.lowest * guard;
  if (row.gate && (!floor || *row.gate > *floor)) floor = *row.gate;
  return floor;
}

}  // namespace clusterc
