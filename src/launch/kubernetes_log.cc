#include "launch/kubernetes_log.h"

#include "base/format.h"
#include "base/text.h"
#include "launch/srun_output.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostErrors = 200;  // lines of standard error that are kept; the pod prints its last 64 KiB

}  // namespace

void PodLog::take(std::string_view line, TaskOutput& into) {
  if (is_whole()) return;  // read again, after a connection that broke at its end
  if (line.starts_with("node ")) {
    node_ = std::string(line.substr(5, kLongestReason));
    return;
  }
  if (line.starts_with("e ")) {
    if (errors_.size() == kMostErrors) errors_.erase(errors_.begin());
    errors_.emplace_back(line.substr(2, kLongestReason));
    return;
  }
  if (line.starts_with("end ")) {
    if (const auto status = parse_uint(line.substr(4)); status && *status <= 255) status_ = static_cast<int>(*status);
    return;
  }
  const auto tab = line.find('\t');
  if (tab == std::string_view::npos) return;
  const auto number = parse_uint(trim(line.substr(0, tab)));
  if (!number || *number <= last_) return;
  if (*number != last_ + 1 && into.broken.empty()) {
    into.broken = format("its log lacks lines {} to {} of what it printed", last_ + 1, *number - 1);
    into.lines.clear();
  }
  last_ = *number;
  if (into.broken.empty()) lines_.take(line.substr(tab + 1), into);
}

}  // namespace clusterc
