// The log of a pod, which is what its shell made of the output of a program (kubernetes_objects.cc):
//   node g1            where it runs
//        1<tab>{…}     lines of standard output, counted: repeated ones are dropped, absent ones are seen
//   e sh: not found    the end of standard error
//   end 0              the exit status: nothing follows
// All else was printed by others (the runtime, kubectl) and does not count.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launcher.h"
#include "launch/task_lines.h"

namespace clusterc {

class PodLog {
 public:
  explicit PodLog(OutputLimit limit) : lines_(limit) {}
  void take(std::string_view line, TaskOutput& into);
  bool is_whole() const { return status_ >= 0; }
  int status() const { return status_; }  // -1: its end is not there
  const std::string& node() const { return node_; }
  std::vector<std::string> errors() const { return errors_; }

 private:
  TaskLines lines_;
  std::uint64_t last_ = 0;  // number of the last line
  int status_ = -1;
  std::string node_;
  std::vector<std::string> errors_;
};

}  // namespace clusterc
