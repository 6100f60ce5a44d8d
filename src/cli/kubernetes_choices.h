// What `clusterc validate --launcher kubernetes` needs to know: of its options, and of the spec.
#pragma once
#include <atomic>
#include <string>

#include "cli/command.h"
#include "launch/kubernetes.h"
#include "pipeline.h"

namespace clusterc::cli {

// UsageError where an option is not as Kubernetes takes it, or the spec runs no Kubernetes. `journal` tells the runs of
// one spec apart.
KubernetesOptions kubernetes_options(const po::variables_map&, const Run&, const std::string& journal,
                                     const std::atomic<bool>* interrupted);

// --bundle-in-image; empty: not given.
std::string image_folder(const po::variables_map&);

}  // namespace clusterc::cli
