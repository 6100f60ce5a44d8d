// The constants of the training model that no data sheet gives. They are fitted to published runs; everything else of
// a step follows from hardware and algorithm. `docs/predictions.md` shows the publications behind each, and what is
// left of the agreement when a publication judges a model that was fitted without it (tests/fit_training.cc refits).
#pragma once
#include <span>
#include <string_view>

namespace clusterc {

struct TrainingFit {
  double sustained_ampere, sustained_hopper, sustained_blackwell;
  double four_bit;
  double attention_ampere, attention_hopper, attention_hopper_flash2, attention_blackwell;
  double layer_passes, operand_passes, layer_start;
  double mixer_passes;
  double expert_width_passes, expert_fused_passes, expert_start, expert_exchange;
};

struct FittedConstant {
  std::string_view name;
  double TrainingFit::*at;
  double value, least, most;  // least and most: the limits of what is plausible
  std::string_view unit, means, rows;
};
std::span<const FittedConstant> fitted_constants();
const TrainingFit& training_fit();  // the values of the table

}  // namespace clusterc
