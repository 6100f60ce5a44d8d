#include "mpi/point_to_point.h"

#include <algorithm>
#include <cstring>

#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/loop.h"

namespace clusterc::mpi {
using namespace harness;
namespace {

std::vector<std::byte> random_bytes(std::uint64_t seed, int rank, std::uint64_t count) {
  std::vector<std::byte> out(count);
  const std::uint64_t stream = stream_seed(seed, static_cast<std::uint64_t>(rank));
  for (std::uint64_t i = 0; i < count; i += 8) {
    const std::uint64_t bits = random_bits(stream, i / 8);
    std::memcpy(out.data() + i, &bits, std::min<std::uint64_t>(8, count - i));
  }
  return out;
}

}  // namespace

Pairs::Pairs(const PatternFacts& facts, const Job& job, std::uint64_t bytes, std::uint64_t seed)
    : facts_(facts), bytes_(bytes) {
  const int half = job.ranks / 2, second = (job.ranks + 1) / 2;  // with an odd number the one in the middle waits
  pairs_ = facts.all_pairs ? static_cast<unsigned>(half) : 1;
  const int taking_part = static_cast<int>(pairs_);
  if (job.rank < taking_part)
    role_ = Role::first, partner_ = job.rank + second;
  else if (job.rank >= second && job.rank - second < taking_part)
    role_ = Role::second, partner_ = job.rank - second;
  const bool pingpong = facts.pattern == Pattern::pingpong;
  window_ = pingpong ? 1 : window_for(bytes);
  trips_ = pingpong ? trips_for(bytes) : 1;
  receives_ = role_ == Role::second || (role_ == Role::first && (facts.both_ways || pingpong));
  flips_ = role_ == Role::second && partner_ == 0;
  if (role_ == Role::none) return;
  out_ = random_bytes(seed, job.rank, bytes_);
  if (receives_) {
    want_ = random_bytes(seed, partner_, bytes_);
    in_.resize(bytes_ * window_);
  }
  poison();
}

// The complement of what shall come: no byte of it is right.
void Pairs::poison() {
  if (in_.empty()) return;
  for (std::size_t i = 0; i < bytes_; ++i) in_[i] = ~want_[i];
  for (unsigned slot = 1; slot < window_; ++slot) std::memcpy(in_.data() + slot * bytes_, in_.data(), bytes_);
}

double Pairs::once() {
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  if (role_ == Role::none) return 0;
  const double begin = now_seconds();
  if (facts_.pattern == Pattern::pingpong)
    ping_pong();
  else
    stream();
  return now_seconds() - begin;
}

void Pairs::ping_pong() {
  const int count = static_cast<int>(bytes_);
  for (unsigned trip = 0; trip < trips_; ++trip) {
    if (role_ == Role::first) {
      check(MPI_Send(out_.data(), count, MPI_BYTE, partner_, 1, MPI_COMM_WORLD), "MPI_Send");
      check(MPI_Recv(in_.data(), count, MPI_BYTE, partner_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    } else {
      check(MPI_Recv(in_.data(), count, MPI_BYTE, partner_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
      check(MPI_Send(out_.data(), count, MPI_BYTE, partner_, 1, MPI_COMM_WORLD), "MPI_Send");
    }
  }
}

// A window of messages, then a short answer: the clock stops when all have arrived, not when all have left.
void Pairs::stream() {
  const int count = static_cast<int>(bytes_);
  const bool sends = role_ == Role::first || facts_.both_ways;
  requests_.clear();
  if (receives_) {
    for (unsigned i = 0; i < window_; ++i) {
      check(MPI_Irecv(in_.data() + i * bytes_, count, MPI_BYTE, partner_, 2, MPI_COMM_WORLD, &requests_.emplace_back()),
            "MPI_Irecv");
    }
  }
  if (sends) {
    for (unsigned i = 0; i < window_; ++i)
      check(MPI_Isend(out_.data(), count, MPI_BYTE, partner_, 2, MPI_COMM_WORLD, &requests_.emplace_back()),
            "MPI_Isend");
  }
  check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  char answer = 0;
  if (role_ == Role::second)
    check(MPI_Send(&answer, 1, MPI_CHAR, partner_, 3, MPI_COMM_WORLD), "MPI_Send");
  else
    check(MPI_Recv(&answer, 1, MPI_CHAR, partner_, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
}

std::uint64_t Pairs::checked() const { return in_.size(); }

std::uint64_t Pairs::count_wrong() {
  if (flips_) fault_flip_bit(in_.data(), in_.size() / 2);
  if (in_.empty()) return 0;
  std::uint64_t wrong = 0;
  for (unsigned slot = 0; slot < window_; ++slot) {
    const std::byte* const got = in_.data() + slot * bytes_;
    if (std::memcmp(got, want_.data(), bytes_) == 0) continue;
    for (std::size_t i = 0; i < bytes_; ++i) wrong += got[i] != want_[i];
  }
  return wrong;
}

std::uint64_t Pairs::bytes_moved() const {
  return facts_.pattern == Pattern::pingpong ? bytes_ : bytes_ * window_ * pairs_ * (facts_.both_ways ? 2 : 1);
}

}  // namespace clusterc::mpi
