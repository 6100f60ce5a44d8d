// What clusterc-hpl is to reach on GPUs. It never ran on one: this is a model of its order of work (validators/hpl,
// device.cc): panels are factored by the host's BLAS while the GPU updates, rows and panels travel by MPI through the
// memory of the host. Published results, and so all floors, are of the vendors' programs.
#pragma once
#include <optional>
#include <string>

#include "model/cluster.h"

namespace clusterc {

struct LinpackMachine {
  double order = 0, block = 0;    // N and NB
  double rows = 1, columns = 1;   // P x Q, a GPU for each rank
  double update = 0;              // FLOP/s of a GPU's DGEMM
  double panel = 0;               // FLOP/s at which the host's cores of a rank factor a panel
  double copy = 0, messages = 0;  // B/s between host and GPU, and of a rank's messages in the host's memory
};

// Seconds of the factorisation, and of the update alone: what the GPU is busy with.
struct LinpackTime {
  double total = 0, update = 0;
};
LinpackTime linpack_time(const LinpackMachine&);

// Of all GPUs of a group together, FLOP/s. `low`: one core for each GPU factors panels; `high`: all of its share of the
// cores, each as fast as one alone.
struct LinpackPrediction {
  double low = 0, high = 0;
  std::string terms;  // what went in, for a reader
};
// nullopt: a fact is not in the catalogue (FP64 peak, memory, link, processor), or the group has no GPUs of NVIDIA.
std::optional<LinpackPrediction> predict_linpack(const NodeGroupModel&);

// Why a figure of clusterc-hpl on GPUs is not judged, with what the model says.
std::string why_linpack_unjudged(const NodeGroupModel&);

// P of P x Q: the largest divisor of the ranks up to their root (netlib HPL FAQ: P <= Q, near a square).
std::int64_t linpack_rows(std::int64_t ranks);

}  // namespace clusterc
