// What the ranks of one node know of each other: which GPU each takes, and which of them is behind. Pure.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clusterc::harness {

struct GpuChoice {
  int gpu = 0;    // as CUDA numbers them in this rank
  int ranks = 1;  // of this node that take it
};

// `visible[r]`: the UUIDs of the GPUs that rank r of the node sees, in CUDA's order, at least one each. A launcher may
// show each rank one GPU, and then the GPU that every rank calls 0 is another one for each. Ranks that see the fewest
// choose first; each takes the first GPU that the fewest have taken.
std::vector<GpuChoice> share_gpus(std::span<const std::vector<std::string>> visible);

// How far a rank is: the beats of its pulse, and what it does.
struct RankPlace {
  int rank = -1;  // of the job
  std::uint64_t beats = 0;
  std::string doing;
};

// The ranks with the fewest beats, where some have more: "rank 3 is behind: all_reduce of 8 B". All ranks must beat at
// the same points of their work. Empty: all are equally far.
std::string ranks_behind(std::span<const RankPlace>);

}  // namespace clusterc::harness
