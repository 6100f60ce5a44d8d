// Workers, each a process of its own: one that is stopped, killed or stuck in a driver can be seen from outside and
// ended. What they tell lies in memory that they share with the one who watches.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "burn/backend.h"

namespace clusterc::burn {

struct alignas(64) Told {
  std::atomic<std::uint64_t> rounds{0}, wrong{0}, processor_nanoseconds{0};
  std::atomic<std::uint64_t> finished{0};    // nanoseconds on the monotonic clock, when the last round did
  std::atomic<double> flop{0};               // of a round
  std::atomic<int> failed{-1};               // the Cause that ended the worker, `why` in words
  char first_wrong[64] = {}, why[448] = {};  // written before `wrong` and `failed` say that they are
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<double>::is_always_lock_free);  // else processes could not share it

struct Seen {  // of one worker, at one moment
  std::uint64_t rounds = 0, processor_nanoseconds = 0, finished = 0;
};

class Crew {
 public:
  // Starts a worker for each place of the bench, which must stay. `damage`: the first worker's first round is (fault
  // build).
  Crew(const Bench&, bool damage);
  ~Crew();  // ends them all
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t size() const { return ids_.size(); }
  const Told& told(std::size_t i) const { return told_[i]; }
  std::vector<Seen> seen() const;
  // Throws where one is gone, could not go on, or finished nothing for `seconds`.
  void look(double seconds);

 private:
  std::string who(std::size_t i) const;
  void end();

  const Bench& bench_;
  std::vector<pid_t> ids_;
  std::vector<std::pair<std::uint64_t, double>> moved_;  // rounds, and since when they are so many
  Told* told_ = nullptr;
};

// What `ask` gives, found out in a process of its own: what a driver opens does not survive the fork of the workers.
// Throws what `ask` throws, and CouldNotRun(timeout) naming `what` after `seconds`.
std::string ask_elsewhere(const std::function<std::string()>& ask, double seconds, const char* what);

}  // namespace clusterc::burn
