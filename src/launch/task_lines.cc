#include "launch/task_lines.h"

#include "base/format.h"
#include "base/quantity.h"

namespace clusterc {

void TaskLines::take(std::string_view line, TaskOutput& into) {
  if (over_) return;
  bytes_ += line.size() + 1;
  const auto text = [](std::size_t bytes) { return to_text(Bytes(static_cast<double>(bytes))); };
  if (line.size() >= limit_.line)
    into.broken = format("it printed a line of {} or more, the limit of a line", text(limit_.line));
  else if (bytes_ > limit_.bytes)
    into.broken = format("it printed more than {}, the limit of a task", text(limit_.bytes));
  else if (into.lines.size() >= limit_.lines)
    into.broken = format("it printed more than {} lines, the limit of a task", limit_.lines);
  if (!into.broken.empty()) {
    over_ = true;
    into.lines = {};
    return;
  }
  ended_ = ended_ || line.starts_with(R"({"record":"end")");
  into.lines.emplace_back(line);
}

std::string too_many_complaints() {
  return "it printed more than " + to_text(Bytes(static_cast<double>(kMostComplaints))) + " on standard error";
}

}  // namespace clusterc
