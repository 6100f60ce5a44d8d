// Doing something again whenever a file changes.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace clusterc::cli {

struct WatchRound {
  std::vector<std::string> files;    // what the result depends on; they need not exist
  std::vector<std::string> folders;  // where further ones may appear: watched with what is below them
};

// Calls `once` now and after each change of what it named, until SIGINT, SIGTERM or SIGHUP; gives 128 and the signal's
// number, as a shell tells it (Ctrl-C: 130). Several changes in a row are one (editors write a file in steps). Where
// the kernel tells nothing (a network file system, no watch left) a look every two seconds finds them, too.
int watch(const std::function<WatchRound()>& once);

}  // namespace clusterc::cli
