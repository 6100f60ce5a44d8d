// The tables of the spec's types (fields/shape.h) are filled in types.cc alone: every file that filled them anew would
// take the compiler half a minute more. Whoever asks for one of them, and be it through read_fields or show_yaml,
// includes this.
#pragma once
#include "fields/shape.h"
#include "spec/sections.h"

// clang-format lays this list out differently at each run.
// clang-format off
#define CLUSTERC_SPEC_TYPES(X) \
  X(Spec) X(Acceptance) X(AssemblyCooling) X(AssemblyGroup) X(CduSet) X(Connection) X(Connects) X(CoolingZone) \
  X(Network) X(NodeGroup) X(NvlinkDomain) X(Panel) X(PortGroup) X(Prices) X(RackGroup) X(RackPdu) X(Scheduler) \
  X(Storage) X(StorageServers) X(Targets) X(Team) X(UpsSet) X(VirtualMachine) X(Workload)
// clang-format on

namespace clusterc {
#define CLUSTERC_TYPE(T) extern template const Type& type_of<T>();
CLUSTERC_SPEC_TYPES(CLUSTERC_TYPE)
#undef CLUSTERC_TYPE
}  // namespace clusterc
