// The collectives: how much each moves, what each rank gives and must get. Pure; shared by all back ends and tested by
// hand.
//
// Sizes and bandwidths as nccl-tests counts them (NVIDIA/nccl-tests, doc/PERFORMANCE.md): algbw = bytes / time, busbw =
// algbw x factor, where `bytes` is one rank's vector for all_reduce, broadcast, reduce and sendrecv, and the whole
// array of all ranks for the others.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpi/reduction.h"

namespace clusterc::nccl {

enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  sendrecv
};

struct CollectiveFacts {
  Collective collective;
  std::string_view name;  // in options and metrics
  bool by_all;            // its bytes count the parts of all ranks
  bool sums;
};
inline constexpr std::array<CollectiveFacts, 7> kCollectives = {
    {{Collective::all_reduce, "all_reduce", false, true},
     {Collective::all_gather, "all_gather", true, false},
     {Collective::reduce_scatter, "reduce_scatter", true, true},
     {Collective::all_to_all, "all_to_all", true, false},
     {Collective::broadcast, "broadcast", false, false},
     {Collective::reduce, "reduce", false, true},
     {Collective::sendrecv, "sendrecv", false, false}}};
inline constexpr std::string_view kCollectiveNames =
    "all_reduce|all_gather|reduce_scatter|all_to_all|broadcast|reduce|sendrecv";
constexpr const CollectiveFacts& facts_of(Collective c) { return kCollectives[static_cast<std::size_t>(c)]; }

// busbw / algbw among n ranks (doc/PERFORMANCE.md of nccl-tests).
constexpr double bus_factor(Collective c, unsigned n) {
  switch (c) {
    case Collective::all_reduce:
      return 2.0 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return 1.0 * (n - 1) / n;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::sendrecv:
      return 1;
  }
  return 0;
}

// A collective among `ranks`, seen by `rank`; `count` elements are the smallest part that it deals in. Root of
// broadcast and reduce is rank 0.
struct Shape {
  Collective collective = Collective::all_reduce;
  unsigned rank = 0, ranks = 1;
  std::size_t count = 0;

  std::size_t counted() const {
    return facts_of(collective).by_all ? count * ranks : count;
  }                            // elements that algbw counts
  std::size_t given() const {  // elements that this rank puts in
    switch (collective) {
      case Collective::reduce_scatter:
      case Collective::all_to_all:
        return count * ranks;
      case Collective::broadcast:
        return rank == 0 ? count : 0;
      default:
        return count;
    }
  }
  std::size_t got() const {  // elements that this rank gets
    switch (collective) {
      case Collective::all_gather:
      case Collective::all_to_all:
        return count * ranks;
      case Collective::reduce:
        return rank == 0 ? count : 0;
      default:
        return count;
    }
  }
  CLUSTERC_BOTH constexpr unsigned next() const { return (rank + 1) % ranks; }
  CLUSTERC_BOTH constexpr unsigned previous() const { return (rank + ranks - 1) % ranks; }
};

// The part of `count` elements that a vector of `bytes` means: at least one, rounded down, as nccl-tests does.
constexpr std::size_t count_for(Collective c, std::uint64_t bytes, unsigned ranks, std::size_t element) {
  const std::size_t count = bytes / element / (facts_of(c).by_all ? ranks : 1);
  return count > 0 ? count : 1;
}

// What the elements of a collective are drawn from.
struct Draw {
  std::uint64_t seed = 0;
  unsigned bits = 1;  // of magnitude
};
template <class T>
constexpr Draw draw_of(std::uint64_t seed, unsigned ranks) {
  return {seed, mpi::magnitude_bits<T>(ranks)};
}

// Element `index` of what `rank` gives: whole numbers so small that every sum over the ranks is exact in T, in any
// order.
template <class T>
CLUSTERC_BOTH constexpr T given_at(const Draw& draw, unsigned rank, std::uint64_t index) {
  return mpi::summand<T>(draw.seed, rank, index, draw.bits);
}

// Element `index` of what this rank must get: four random numbers at most, however many ranks there are.
template <class T>
CLUSTERC_BOTH constexpr T expected_at(const Draw& draw, const Shape& s, std::uint64_t index) {
  switch (s.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      return mpi::expected_sum<T>(draw.seed, s.ranks, index, draw.bits);
    case Collective::reduce_scatter:
      return mpi::expected_sum<T>(draw.seed, s.ranks, s.rank * s.count + index, draw.bits);
    case Collective::all_gather:
      return given_at<T>(draw, static_cast<unsigned>(index / s.count), index % s.count);
    case Collective::all_to_all:
      return given_at<T>(draw, static_cast<unsigned>(index / s.count), s.rank * s.count + index % s.count);
    case Collective::broadcast:
      return given_at<T>(draw, 0, index);
    case Collective::sendrecv:
      return given_at<T>(draw, s.previous(), index);
  }
  return T{};
}

// The answer of a check on whichever back end: how many elements were looked at, and how many of them were wrong.
struct Checked {
  std::uint64_t elements = 0, wrong = 0;
};

}  // namespace clusterc::nccl
