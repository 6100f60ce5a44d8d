// What srun --label prints, task by task, within the limits of a task and of a launch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/subprocess.h"
#include "base/text.h"
#include "launch/launcher.h"
#include "launch/task_lines.h"

namespace clusterc {

// What a launch on so many nodes may print on standard output, beside the limit of each task: a probe of each node is
// far below.
inline std::size_t most_of_launch(std::size_t nodes) {
  return (std::size_t{256} << 20) + nodes * (std::size_t{512} << 10);
}

inline constexpr std::size_t kLongestReason = 400;  // characters shown of what an administrator wrote

// What srun --label prints, put together again: srun cuts lines into messages of 1,024 bytes (SLURM_IO_MAX_MSG_LEN,
// src/common/io_hdr.h) and labels each as if it were a line; a line of 1,023 bytes and its end still fit into one. So a
// piece of 1,024 bytes goes on in the next.
inline constexpr std::size_t kLargestPiece = 1024;

class LabelledLines {
 public:
  LabelledLines(std::uint64_t tasks, std::size_t longest) : tasks_(tasks), longest_(longest) {}
  // "3: {…}", the number as wide as the largest. `use` gets the task and the whole line, or what there is of it when it
  // has grown to the longest; or nothing is called. Tasks that were not started are all one, the last.
  template <class F>
  void take(std::string_view piece, F&& use) {
    const auto colon = piece.find(':');
    auto task = colon == std::string_view::npos ? std::nullopt : parse_uint(trim(piece.substr(0, colon)));
    if (!task) return;
    task = std::min(*task, tasks_);
    const std::string_view text = piece.substr(std::min(piece.size(), colon + 2));
    Begun& begun = begun_[*task];
    if (!begun.cut) {
      begun.line += text.substr(0, longest_ - begun.line.size());
      begun.cut = begun.line.size() >= longest_;
      if (begun.cut || text.size() < kLargestPiece) {
        use(*task, std::string_view(begun.line));
        begun.line.clear();
      }
    }
    if (text.size() < kLargestPiece) begun.cut = false;
  }

 private:
  struct Begun {
    std::string line;
    bool cut = false;  // handed over before its end
  };
  std::uint64_t tasks_;
  std::size_t longest_;
  std::map<std::uint64_t, Begun> begun_;
};

// The nodes in the order in which `folded`, a host list of fold_names, names them.
std::vector<std::string> in_order(const std::string& folded, std::vector<std::string> nodes);

// What the tasks of one srun print. `order`: the hosts, task after task, `ranks` of each.
class SrunOutput {
 public:
  SrunOutput(std::vector<std::string> order, std::uint64_t ranks, bool mpi)
      : order_(std::move(order)), ranks_(ranks), tasks_(order_.size() * ranks), mpi_(mpi) {}

  void take(std::string_view piece);                            // of standard output, as srun labels it
  void take_line(std::uint64_t number, std::string_view line);  // a whole line of a task
  std::string end_because() const;                              // as Subprocess has it
  bool is_empty() const { return by_task_.empty(); }
  bool has_task_over_limit() const { return over_ > 0; }
  std::vector<TaskOutput> results(const SubprocessResult& ended);

 private:
  struct Running {
    TaskOutput output;
    TaskLines lines{OutputLimit{}};
  };

  TaskOutput world(const SubprocessResult& ended);
  std::vector<TaskOutput> each_task(const SubprocessResult& ended);

  std::vector<std::string> order_;
  std::uint64_t ranks_, tasks_;
  bool mpi_;
  LabelledLines labelled_{tasks_, OutputLimit{}.line};
  std::map<std::uint64_t, Running> by_task_;
  std::uint64_t over_ = 0, ended_ = 0;  // tasks
  std::size_t bytes_ = 0;
};

}  // namespace clusterc
