#include "launch/world.h"

#include <unistd.h>

#include <algorithm>

#include "base/stacks.h"
#include "launch/task_lines.h"

namespace clusterc {

LaunchResult run_in_one_stream(Subprocess process, const Launch& launch, std::size_t ranks, const std::string& node,
                               bool here) {
  LaunchResult result;
  process.timeout = launch.timeout;
  process.interrupted = launch.interrupted;
  TaskOutput task{.node = node};
  OutputLimit limit;
  limit.bytes *= ranks, limit.lines *= ranks;
  TaskLines output(limit);
  process.max_out = 0;
  process.max_line = limit.line;
  process.most_err = kMostComplaints;
  process.on_line = [&](std::string_view line) { output.take(line, task); };
  // Just before it is ended: afterwards there is nothing to look at.
  const auto look = std::chrono::steady_clock::now() + launch.timeout -
                    std::min<std::chrono::milliseconds>(std::chrono::milliseconds(200), launch.timeout / 4);
  bool looked = !here;
  process.end_because = [&] {
    if (!looked && std::chrono::steady_clock::now() >= look) {
      looked = true;
      task.stacks = stacks_of(descendants_of(::getpid()));
    }
    return task.broken;
  };
  const SubprocessResult ended = clusterc::run(process);
  result.started = ended.outcome != SubprocessResult::Outcome::not_started;
  result.interrupted = ended.outcome == SubprocessResult::Outcome::interrupted;
  if (ended.outcome == SubprocessResult::Outcome::stopped && task.broken.empty()) task.broken = too_many_complaints();
  if (!task.broken.empty())
    task.lines.clear();
  else if (ended.outcome != SubprocessResult::Outcome::exited)
    result.error = ended.reason;
  if (ended.outcome != SubprocessResult::Outcome::timed_out) task.stacks.clear();
  result.messages = ended.err;
  // What printed nothing speaks through its standard error: a library that is not there.
  if (task.lines.empty() && task.broken.empty())
    task.lines = last_lines(ended.err);
  else if (!ended.ok())
    task.complaints = last_lines(ended.err);
  result.tasks.push_back(std::move(task));
  return result;
}

}  // namespace clusterc
