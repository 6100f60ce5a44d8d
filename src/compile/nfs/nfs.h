#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kNfsOutput;

// Do nodes of the spec serve it over NFS? Then there may be an exports file for it.
bool served_by_nodes(const Cluster&, const StorageModel&);
}  // namespace clusterc
