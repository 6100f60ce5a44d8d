// What a back end does: make a rank's buffers, run one collective, time it, and compare the result. Where the data lies
// it is made and checked: neither crosses from a device to the host. Statistics are not its business.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/options.h"
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

  // Makes the buffers of one collective, and what this rank gives from `seed`.
  virtual void prepare(const Shape&, Type, bool in_place, std::uint64_t seed) = 0;
  // Fills the output with what nothing can result in and, in place, puts the input back.
  virtual void reset() = 0;
  // `batch` collectives, one behind the other, on every rank of the team; the seconds of each on this one. All ranks
  // have met at a barrier just before.
  virtual double run(unsigned batch) = 0;
  // Compares every element of what this rank got. `flip`: a fault build flips a bit of the result before.
  virtual Checked check_output(bool flip) = 0;

  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};

std::unique_ptr<Transport> open_mpi(MPI_Comm team);

// NCCL, found at run time, one GPU a rank. `alive` is called while a collective is waited for; it throws when the run
// is to end. Builds with CUDA only. Every rank must call it.
std::unique_ptr<Transport> open_nccl(const mpi::Job&, const Teams&, const harness::Options&,
                                     const std::function<void()>& alive);

}  // namespace clusterc::nccl
