// Names of packages, and where they come from, of what a group's GPUs and adapters need. Every name with the document
// that it is from.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

struct PackageSource {  // a repository; for apt with suite and components, for dnf by its base URL
  std::string name, url, suite, components, key;  // key: URL of its signing key
};

struct NodePackages {
  std::vector<PackageSource> sources;
  std::vector<std::string> rdma, driver, fabric_manager, imex, cuda, rocm;
  std::string nvidia_release;        // of the driver and its daemons; empty: the spec names a branch
  std::vector<std::string> modules;  // of the kernel, to be loaded at every start
  bool unsupported = false;  // GPU software is asked for, and no repository for this operating system is known here
};

NodePackages node_packages(const Cluster&, int group);

}  // namespace clusterc
