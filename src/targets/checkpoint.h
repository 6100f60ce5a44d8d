// How large a checkpoint of training is: weights in two bytes, and the optimizer's state in FP32 (master weights and
// two moments of Adam, four bytes each). Source: S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 (2 + 12 bytes a
// parameter; gradients are not saved).
#pragma once
#include <optional>

#include "model/storage_path.h"

namespace clusterc {

constexpr double kCheckpointBytesPerParameter = 2 + 3 * 4;
// 8 with adam-8bit (two moments of one byte), 10 with sgd (one moment).
double checkpoint_bytes_per_parameter(const Workload&);
constexpr Bytes checkpoint_bytes(double parameters, double each = kCheckpointBytesPerParameter) {
  return Bytes(each * parameters);
}

// How long a workload saves: its checkpoint / what the storage takes. `checkpoint_within` is the limit that this is
// held against (storage-checkpoint-exceeds-time-budget); where nobody states size or rate it is the most that a save
// may take, and counts as that.
struct CheckpointTime {
  std::optional<Bytes> size;  // absent: the model's parameters are not written
  double each = kCheckpointBytesPerParameter;
  double parameters = 0;  // that are saved: all, of fine-tuning those that are trained
  int storage = -1;       // none whose rate is known
  std::optional<StorageRate> gives;
  std::optional<Seconds> takes;
  bool is_limit = false;  // takes: the limit
};
CheckpointTime checkpoint_time(const Cluster&, const Workload&);

}  // namespace clusterc
