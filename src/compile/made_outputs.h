// Which outputs are made of a spec, whatever --only asks for today.
#pragma once
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

bool is_made(const Cluster&, std::string_view output_id);

// Of all outputs, as `is_made` says: each looks at every group, which is too much to ask for each group again.
class MadeOutputs {
 public:
  explicit MadeOutputs(const Cluster&);
  bool operator()(std::string_view output_id) const;

 private:
  std::vector<std::string_view> made_;
};

}  // namespace clusterc
