// Messages between pairs of ranks: rank i of the first half with rank i of the second. One repetition of each pattern,
// and its check.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mpi/job.h"

namespace clusterc::mpi {

enum class Pattern : std::uint8_t { pingpong, bandwidth, bidirectional, multi_pair, message_rate };

struct PatternFacts {
  Pattern pattern;
  std::string_view name;  // in options
  std::string_view metric;
  bool all_pairs;  // otherwise the first pair alone: rank 0 and the first of the second half
  bool both_ways;
};
inline constexpr PatternFacts kPatterns[] = {
    {Pattern::pingpong, "pingpong", "mpi.pingpong", false, false},
    {Pattern::bandwidth, "bandwidth", "mpi.bandwidth", false, false},
    {Pattern::bidirectional, "bidirectional", "mpi.bidirectional", false, true},
    {Pattern::multi_pair, "multi-pair", "mpi.multi_pair", true, false},
    {Pattern::message_rate, "message-rate", "mpi.message_rate", true, false}};

// Messages under way at once: 64, as osu_bw (OSU micro-benchmarks), fewer where they would take more than 64 MiB, at
// least 4.
constexpr unsigned window_for(std::uint64_t bytes) {
  const std::uint64_t fit = bytes == 0 ? 64 : (64ull << 20) / bytes;
  return static_cast<unsigned>(fit > 64 ? 64 : fit < 4 ? 4 : fit);
}
// Round trips timed together, so that a clock of some 30 ns does not count: the mean of them is one sample.
constexpr unsigned trips_for(std::uint64_t bytes) { return bytes <= 8192 ? 50 : bytes <= 262144 ? 10 : 1; }

class Pairs {
 public:
  // Every rank makes one; who takes no part waits. Needs two ranks.
  Pairs(const PatternFacts&, const Job&, std::uint64_t bytes, std::uint64_t seed);

  void poison();
  double once();                  // seconds of one repetition on this rank; 0 where it takes no part
  std::uint64_t count_wrong();    // bytes that are not what the partner sent; flips one first in fault builds
  std::uint64_t checked() const;  // bytes that count_wrong compares
  unsigned pairs() const { return pairs_; }
  unsigned window() const { return window_; }
  unsigned trips() const { return trips_; }
  std::uint64_t bytes_moved()
      const;  // by all pairs in one repetition, of the direction or directions that the pattern counts

 private:
  enum class Role : std::uint8_t { first, second, none };
  void ping_pong();
  void stream();

  const PatternFacts& facts_;
  Role role_ = Role::none;
  int partner_ = -1;
  unsigned pairs_ = 1, window_ = 1, trips_ = 1;
  std::uint64_t bytes_;
  bool receives_ = false, flips_ = false;
  std::vector<std::byte> out_, want_,
      in_;  // want_: what the partner sends; in_: one slot for each message of the window
  std::vector<MPI_Request> requests_;
};

}  // namespace clusterc::mpi
