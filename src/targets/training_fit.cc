#include "targets/training_fit.h"

#include <array>

namespace clusterc {
namespace {

using F = TrainingFit;
constexpr std::array kConstants{
    FittedConstant{"sustained.ampere", &F::sustained_ampere, 0.88, 0.75, 1, "",
                   "share of the best matrix rate that lasts under load, A100",
                   "LLM Foundry on A100, Megatron-LM 2021, activation recomputation"},
    FittedConstant{"sustained.hopper", &F::sustained_hopper, 0.823, 0.7, 0.95, "", "the same, H100 and H200 at 700 W",
                   "DGX Cloud recipes, Megatron-Core, Llama 3, NeMo, LLM Foundry, torchtitan"},
    FittedConstant{"sustained.blackwell", &F::sustained_blackwell, 0.677, 0.55, 0.85, "", "the same, B200 at 1,000 W",
                   "Megatron Bridge on B200, B300, GB200, GB300"},
    FittedConstant{"four_bit", &F::four_bit, 0.7125, 0.5, 0.9, "",
                   "share of that rate with 4 bits: every sixth or so of the products stays in 16 bit",
                   "Megatron Bridge, NVFP4"},
    FittedConstant{"attention.ampere", &F::attention_ampere, 0.4, 0.3, 0.5, "",
                   "share of the 16-bit peak that fused attention reaches, A100", "LLM Foundry on A100"},
    FittedConstant{"attention.hopper", &F::attention_hopper, 0.599, 0.45, 0.75, "",
                   "the same, H100 with kernels made for it (FlashAttention-3, cuDNN)",
                   "DGX Cloud recipes, NeMo, Llama 3"},
    FittedConstant{"attention.hopper_flash2", &F::attention_hopper_flash2, 0.238, 0.15, 0.35, "",
                   "the same, H100 with kernels made for A100 (FlashAttention-2, PyTorch's own)",
                   "LLM Foundry on H100, torchtitan"},
    FittedConstant{"attention.blackwell", &F::attention_blackwell, 0.594, 0.45, 0.75, "", "the same, Blackwell",
                   "Megatron Bridge"},
    FittedConstant{"layer_passes", &F::layer_passes, 1.42, 0.8, 2, "", "times that memory moves 4 x what a layer keeps",
                   "all"},
    FittedConstant{"operand_passes", &F::operand_passes, 0.914, 0.4, 1.4, "",
                   "times that memory moves the operands of a matrix product, beyond what the product hides", "all"},
    FittedConstant{"layer_start", &F::layer_start, 103e-6, 0, 200e-6, "s",
                   "time of starting and ending the kernels of a layer, for one pass", "all"},
    FittedConstant{"mixer_passes", &F::mixer_passes, 5.28, 2, 8, "",
                   "layer_passes of state-space layers, whose scans are of many kernels",
                   "Megatron Bridge, Nemotron 3"},
    FittedConstant{
        "expert_width_passes", &F::expert_width_passes, 11.1, 4, 16, "",
        "times that memory moves what is inside an expert, for one pass: routing, sorting, nonlinearity, quantisation",
        "Megatron Bridge, DGX Cloud Grok-1, DeepSeek-V3"},
    FittedConstant{"expert_fused_passes", &F::expert_fused_passes, 3.83, 1, 6, "",
                   "the same with `expert_kernels: fused`",
                   "Megatron Bridge, the 11 runs whose recipes have such kernels"},
    FittedConstant{"expert_start", &F::expert_start, 37.7e-6, 10e-6, 60e-6, "s",
                   "time of starting one expert's products (fused: those of a layer), for one pass",
                   "as expert_width_passes"},
    FittedConstant{"expert_exchange", &F::expert_exchange, 0.8625, 0.4, 1.2, "",
                   "share of the all-to-all that computation does not hide, over the share of the link that it reaches",
                   "as expert_width_passes"},
};

TrainingFit from_table() {
  TrainingFit f{};
  for (const FittedConstant& c : kConstants) f.*c.at = c.value;
  return f;
}

}  // namespace

std::span<const FittedConstant> fitted_constants() { return kConstants; }

const TrainingFit& training_fit() {
  static const TrainingFit fit = from_table();
  return fit;
}

}  // namespace clusterc
