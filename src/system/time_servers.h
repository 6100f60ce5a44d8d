// Which of the cluster's own machines serve the time.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

// The nodes among the time servers of the spec, by name or by address.
struct OwnTimeServer {
  std::string_view server;
  int group;
  std::int64_t member;
};
std::vector<OwnTimeServer> own_time_servers(const System&);

}  // namespace clusterc
