// The rules by name, each in a file of its own.
#pragma once
#include "rules/rule.h"

namespace clusterc {

extern const Rule kPowerBranchOverContinuousRating;
extern const Rule kPowerFeedLossOverloadsSurvivor;
extern const Rule kPowerSuppliesBelowNodeDraw;
extern const Rule kPowerUpsOverKwRating;
extern const Rule kPowerOutletMissingOrReused;
extern const Rule kCoolHeatRejectionUndersized;
extern const Rule kCoolAirflowBelowDemand;
extern const Rule kCoolInletOutOfRange;
extern const Rule kPcieLanesBeyondSockets;
extern const Rule kPcieNicFasterThanSlot;
extern const Rule kPcieGpuNicAcrossSockets;
extern const Rule kNodeGpuWrongFormFactor;
extern const Rule kNodeMemoryChannelsUneven;
extern const Rule kNodeImageWrongArchitecture;
extern const Rule kRackUnitsOverlapOrOverflow;
extern const Rule kRackDeviceDeeperThanRack;
extern const Rule kRackStaticLoadExceeded;
extern const Rule kNetSwitchPortsExceeded;
extern const Rule kNetFabricExceedsTiers;
extern const Rule kNetLeafOversubscribed;
extern const Rule kNetAddressPlanCollides;
extern const Rule kNetLinkEndsMismatched;
extern const Rule kStoragePathNarrowerThanPromise;
extern const Rule kStorageFaultToleranceImpossible;
extern const Rule kStorageScratchAbsentOrSmall;
extern const Rule kSoftwareCudaNewerThanDriver;
extern const Rule kSoftwareGpuUnknownToToolkit;
extern const Rule kSoftwareWrongKernelModuleFlavour;

}  // namespace clusterc
