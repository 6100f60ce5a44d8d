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
extern const Rule kSoftwareFabricManagerMismatched;
extern const Rule kSoftwareGpudirectMechanismAbsent;
extern const Rule kSoftwareVersionsDifferInClass;
extern const Rule kSoftwareMemlockLimitTooLow;
extern const Rule kSoftwareProcessLimitsTooLow;
extern const Rule kSoftwareContainersLoseGpusOnReload;
extern const Rule kSoftwareRdmaStackKernelMismatch;
extern const Rule kSoftwareUnsignedModuleSecureBoot;
extern const Rule kSoftwareDriverInstalledTwice;
extern const Rule kSoftwareMigLayoutMismatched;
extern const Rule kSoftwareNodeHygieneUnset;
extern const Rule kSoftwareOneStackMixedGenerations;
extern const Rule kTargetAllReduceAboveCeiling;
extern const Rule kTargetAlltoallAboveCeiling;
extern const Rule kTargetRdmaAboveLineRate;
extern const Rule kTargetHostCopyAboveCeiling;
extern const Rule kTargetGemmAbovePeak;
extern const Rule kTargetHplBeyondMemoryOrPeak;
extern const Rule kTargetMessageTooSmall;
extern const Rule kTargetFromAnotherConfiguration;
extern const Rule kTargetAboveBestPublished;
extern const Rule kTargetFarTooLoose;
extern const Rule kTargetWithoutKnownCeiling;
extern const Rule kWorkTrainingStateExceedsMemory;
extern const Rule kWorkServingStateExceedsMemory;
extern const Rule kWorkGoodputLowAtScale;
extern const Rule kWorkRunTimeClaimImpossible;
extern const Rule kWorkParallelLayoutLeavesNvlink;
extern const Rule kWorkLongRunWithoutCheckpoints;
extern const Rule kSecurityLiteralSecretInSpec;
extern const Rule kSecurityManagementNetworkReachable;
extern const Rule kSecuritySoftwareUnpinned;

}  // namespace clusterc
