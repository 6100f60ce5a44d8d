// The tables of the catalogue's parts, filled in types.cc alone, as those of the spec (spec/types.h).
#pragma once
#include "catalog/server_parts.h"
#include "fields/shape.h"

// clang-format lays this list out differently at each run.
// clang-format off
#define CLUSTERC_PART_TYPES(X) \
  X(GpuPart) X(CpuPart) X(NicPart) X(SwitchPart) X(CablePart) X(PduPart) X(RackPart) X(CoolingPart) X(UpsPart) \
  X(ServerPart) X(StoragePart) X(AssemblyPart) X(PartCount) X(PcieSlot) X(PcieSocket) X(PcieSwitch)
// clang-format on

namespace clusterc {
#define CLUSTERC_TYPE(T) extern template const Type& type_of<T>();
CLUSTERC_PART_TYPES(CLUSTERC_TYPE)
#undef CLUSTERC_TYPE
}  // namespace clusterc
