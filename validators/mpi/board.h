// How far each rank of a node is, in memory that the ranks share: what a guard reads to name the rank that is behind
// when nothing moves. A guard makes no MPI call, and a rank that hangs answers none.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/ranks.h"
#include "mpi/job.h"

namespace clusterc::mpi {
using harness::RankPlace;

class Board {
 public:
  // Every rank of the job must call it. Where the ranks of a node share no memory (containers of their own) the board
  // holds this rank alone.
  explicit Board(const Job&);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // This rank's place; by its guard's thread.
  void write(std::uint64_t beats, const std::string& doing);

  std::vector<RankPlace> places() const;

 private:
  struct Slot;
  Slot* slots_ = nullptr;
  std::size_t count_ = 1, mine_ = 0;
};

}  // namespace clusterc::mpi
