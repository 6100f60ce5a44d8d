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
  // Container runtimes and NVIDIA's toolkit (add_runtimes)
  std::vector<std::string> runtimes, runtime_files;  // packages; URLs of packages that no repository has
  std::string pyxis;                                 // URL of its sources; empty: not built here
  std::vector<std::string> mpi;                      // packages of it, or what it is built with
  std::string mpi_source, mpi_release;               // URL of sources; empty: packages
  std::vector<std::string> uninstalled;              // runtimes that no source is known for
  bool unsupported = false;  // GPU software is asked for, and no repository for this operating system is known here
};

NodePackages node_packages(const Cluster&, int group);

}  // namespace clusterc
