// How large a checkpoint of training is: weights in two bytes, and the optimizer's state in FP32 (master weights and two moments of Adam, four bytes each).
// Source: S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 (2 + 12 bytes a parameter; gradients are not saved).
#pragma once
#include "spec/spec.h"

namespace clusterc {

constexpr double kCheckpointBytesPerParameter = 2 + 3 * 4;
constexpr Bytes checkpoint_bytes(double parameters) { return Bytes(kCheckpointBytesPerParameter * parameters); }

}  // namespace clusterc
