#include "harness/team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/outcome.h"

namespace clusterc::harness {
namespace {

void bind_to(int cpu, std::atomic<int>& bound) {
  cpu_set_t* mask = CPU_ALLOC(cpu + 1);
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, mask);
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, mask);
  if (pthread_setaffinity_np(pthread_self(), bytes, mask) == 0) bound.fetch_add(1);
  CPU_FREE(mask);
}

// Spins for the microseconds that a fair start needs; on a crowded processor it makes room instead.
template <class Ready>
void spin_until(const Ready& ready) {
  for (unsigned turns = 0; !ready(); ++turns) {
    if (turns > 10'000) std::this_thread::yield();
  }
}

}  // namespace

std::thread start_thread(std::function<void()> work, std::string_view who) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& e) {
    throw CouldNotRun(Cause::system, format("{} could not be started: {}", who, e.code().message()));
  }
}

Team::Team(std::vector<int> cpus) : cpus_(std::move(cpus)), begin_(cpus_.size()), end_(cpus_.size()) {
  threads_.reserve(cpus_.size());
  try {
    for (unsigned rank = 0; rank < cpus_.size(); ++rank)
      threads_.push_back(
          start_thread([this, rank] { serve(rank); }, format("thread {} of {}", rank + 1, cpus_.size())));
  } catch (...) {
    end();  // those that did start wait for work
    throw;
  }
  run([](unsigned) {});  // every thread is bound and warm when the constructor returns
}

Team::~Team() { end(); }

void Team::end() {
  stop_ = true;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::serve(unsigned rank) {
  bind_to(cpus_[rank], bound_);
  for (std::uint32_t seen = 0;;) {
    generation_.wait(seen);
    ++seen;
    if (stop_) return;
    arrived_.fetch_add(1);
    spin_until([&] { return arrived_.load() == size(); });
    begin_[rank] = now_seconds();
    (*work_)(rank);
    end_[rank] = now_seconds();
    finished_.fetch_add(1);
    finished_.notify_one();
  }
}

double Team::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  arrived_ = 0;
  finished_ = 0;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::uint32_t done = finished_.load(); done != size(); done = finished_.load()) finished_.wait(done);
  return *std::ranges::max_element(end_) - *std::ranges::min_element(begin_);
}

}  // namespace clusterc::harness
