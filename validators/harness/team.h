// Threads bound to processors that start together: all wait at a barrier, stamp their own start, work, stamp their end.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace clusterc::harness {

// Throws CouldNotRun(system) that names `who` ("thread 11 of 16") where the system gives no thread: a limit of
// processes or of memory.
std::thread start_thread(std::function<void()> work, std::string_view who);

class Team {
 public:
  explicit Team(std::vector<int> cpus);  // one thread for each; a refused binding is not an error (bound() tells), a
                                         // refused thread is (start_thread)
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const { return static_cast<unsigned>(cpus_.size()); }
  bool bound() const { return bound_.load() == static_cast<int>(cpus_.size()); }

  // Runs `work(rank)` on every thread; returns the seconds from the first start to the last end. `work` throws nothing.
  double run(const std::function<void(unsigned rank)>& work);

 private:
  void serve(unsigned rank);
  void end();

  std::vector<int> cpus_;
  std::vector<std::thread> threads_;
  std::vector<double> begin_, end_;
  const std::function<void(unsigned)>* work_ = nullptr;  // of the current run
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> finished_{0};
  std::atomic<int> bound_{0};
  bool stop_ = false;
};

// The part of `count` elements that `rank` of `ranks` owns, in whole cache lines of `line` elements.
struct Slice {
  std::size_t begin, end;
};
constexpr Slice slice_of(std::size_t count, unsigned rank, unsigned ranks, std::size_t line = 8) {
  const std::size_t lines = (count + line - 1) / line;
  const std::size_t begin = lines * rank / ranks * line, end = lines * (rank + 1) / ranks * line;
  return {begin < count ? begin : count, end < count ? end : count};
}

}  // namespace clusterc::harness
