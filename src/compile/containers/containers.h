#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"

namespace clusterc {
extern const Output kContainersOutput;

// The files of a group's container runtimes, and where they go on a node.
struct ContainerFile {
  std::string name, installed;
};
std::vector<ContainerFile> container_files(const Cluster&, int group);
// The folder on local scratch below which each user's images and containers lie; empty: no Enroot here, or no scratch.
std::string enroot_folder(const Cluster&, int group);
}  // namespace clusterc
