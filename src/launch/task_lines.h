// What a task prints, as it comes, up to the limit of a task: beyond it nothing is kept, and the task is broken.
#pragma once
#include <string>
#include <string_view>

#include "launch/launcher.h"

namespace clusterc {

class TaskLines {
 public:
  explicit TaskLines(OutputLimit limit) : limit_(limit) {}
  // A whole line, or one that was cut when it had grown to limit.line bytes.
  void take(std::string_view line, TaskOutput& into);
  bool over() const { return over_; }
  bool ended() const { return ended_; }  // it printed an end record: nothing more is to come

 private:
  OutputLimit limit_;
  std::size_t bytes_ = 0;
  bool over_ = false, ended_ = false;
};

std::string too_many_complaints();  // "it printed more than 64 MiB on standard error"

}  // namespace clusterc
