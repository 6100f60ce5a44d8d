#include "launch/srun_output.h"

#include <algorithm>

#include "base/host_pattern.h"
#include "base/quantity.h"
#include "base/text.h"

namespace clusterc {

// The nodes in the order in which `folded`, a host list of fold_names, names them.
std::vector<std::string> in_order(const std::string& folded, std::vector<std::string> nodes) {
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(folded, error);
  if (!pattern || pattern->count() != static_cast<std::int64_t>(nodes.size())) {
    std::sort(nodes.begin(), nodes.end(), natural_less);
    return nodes;
  }
  for (std::int64_t i = 0; i < pattern->count(); ++i) nodes[static_cast<std::size_t>(i)] = pattern->name(i);
  return nodes;
}

void SrunOutput::take(std::string_view piece) {
  labelled_.take(piece, [&](std::uint64_t number, std::string_view line) { take_line(number, line); });
}

void SrunOutput::take_line(std::uint64_t number, std::string_view line) {
  Running& task = by_task_[number];
  TaskOutput& into = task.output;
  if (into.node.empty() && number < tasks_) into.node = order_[number / ranks_];
  if (into.claims.empty() && line.starts_with("node ")) {
    into.claims = line.substr(5, kLongestReason);
    return;
  }
  const bool was_over = task.lines.over(), had_ended = task.lines.ended();
  task.lines.take(line, into);
  over_ += task.lines.over() && !was_over;
  ended_ += task.lines.ended() && !had_ended;
  if (!task.lines.over()) bytes_ += line.size();
}

// One that prints without end keeps no other from ending; then all of it is over.
std::string SrunOutput::end_because() const {
  const std::size_t most = most_of_launch(order_.size());
  if (bytes_ > most) return "its tasks printed more than " + to_text(Bytes(static_cast<double>(most)));
  if (over_ == 0 || (!mpi_ && ended_ + over_ < tasks_)) return {};
  return "a task printed more than its limit";
}

// One result for the world: rank 0 prints it, or, where rank 0 is stuck, another one its end.
TaskOutput SrunOutput::world(const SubprocessResult& ended) {
  std::string stray;
  TaskOutput world = by_task_.begin()->second.output;
  for (auto at = by_task_.begin(); at != by_task_.end(); ++at) {
    TaskOutput& rank = at->second.output;
    if (at != by_task_.begin()) {
      world.lines.insert(world.lines.end(), rank.lines.begin(), rank.lines.end());
      if (world.broken.empty()) world.broken = rank.broken;
    }
    // Ranks are Slurm's to place, on the nodes that were asked for and no other: one that is elsewhere speaks for
    // all.
    if (!rank.claims.empty() && std::find(order_.begin(), order_.end(), rank.claims) == order_.end())
      stray = rank.claims;
  }
  if (!stray.empty()) world.claims = stray;
  if (!world.broken.empty())
    world.lines.clear();
  else if (world.lines.empty())
    world.lines = last_lines(ended.err);
  else if (!ended.ok())
    world.complaints = last_lines(ended.err);
  return world;
}

std::vector<TaskOutput> SrunOutput::each_task(const SubprocessResult& ended) {
  std::map<std::uint64_t, std::vector<std::string>> complaints;
  LabelledLines errors(tasks_, OutputLimit{}.line);
  for (const std::string_view whole : split(ended.err, '\n'))
    errors.take(whole, [&](std::uint64_t task, std::string_view line) { complaints[task].emplace_back(line); });
  std::vector<TaskOutput> out;
  for (auto& [number, running] : by_task_) {
    TaskOutput& task = running.output;
    if (number >= tasks_) task.broken = "the launcher did not start this task";
    // What printed nothing speaks through its standard error: a program or a library that is not there.
    if (task.lines.empty() && task.broken.empty())
      task.lines = std::move(complaints[number]);
    else if (!ended.ok())
      task.complaints = last_lines(join(complaints[number], "\n"));
    out.push_back(std::move(task));
  }
  return out;
}

std::vector<TaskOutput> SrunOutput::results(const SubprocessResult& ended) {
  if (mpi_ && !by_task_.empty()) return {world(ended)};
  return each_task(ended);
}

}  // namespace clusterc
