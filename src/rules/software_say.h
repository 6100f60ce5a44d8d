// What the rules of the software family share: which groups they are about, what a group runs where the spec leaves it
// open.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "model/gpu_software.h"
#include "model/rdma.h"
#include "rules/rule.h"

namespace clusterc {

// One declaration for the whole cluster is one finding.
class Once {
 public:
  bool told(SourceSpan at) const { return std::find(told_.begin(), told_.end(), at) != told_.end(); }
  bool first(SourceSpan at) {
    if (told(at)) return false;
    told_.push_back(at);
    return true;
  }

 private:
  std::vector<SourceSpan> told_;
};

// The kernel as written, else the one that the operating system came with; empty when not known.
inline std::string_view kernel_of(const Software& s) {
  if (s.kernel) return s.kernel->as_written;
  if (s.os)
    for (const OsKernel& k : kOsKernels)
      if (k.os == *s.os) return k.kernel;
  return {};
}

}  // namespace clusterc
