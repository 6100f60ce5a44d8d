// What a back end does: hold a rank's buffers, run one collective and time it. Inputs, checks and statistics are not
// its business.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/report.h"
#include "mpi/job.h"
#include "nccl/operation.h"
#include "nccl/teams.h"
#include "nccl/types.h"

namespace clusterc::nccl {

class Transport {
 public:
  virtual ~Transport() = default;
  virtual harness::Device device() const = 0;
  virtual bool has(Type) const = 0;
  virtual bool has(Collective, bool in_place) const = 0;

  // Makes the buffers of one collective. `input`: what this rank gives; `poison`: one element that nothing can result
  // in.
  virtual void prepare(const Shape&, Type, bool in_place, std::span<const std::byte> input,
                       std::span<const std::byte> poison) = 0;
  // Fills the output with poison and, in place, puts the input back.
  virtual void reset() = 0;
  // One collective, on every rank of the team; its seconds on this one. All ranks have met at a barrier just before.
  virtual double run() = 0;
  // What this rank got.
  virtual std::vector<std::byte> output() = 0;

  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};

std::unique_ptr<Transport> open_mpi(MPI_Comm team);

// NCCL, found at run time, one GPU a rank. `alive` is called while a collective is waited for; it throws when the run
// is to end. Builds with CUDA only. Every rank must call it.
std::unique_ptr<Transport> open_nccl(const mpi::Job&, const Teams&, const std::function<void()>& alive);

}  // namespace clusterc::nccl
