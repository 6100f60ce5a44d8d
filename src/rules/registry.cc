// Every rule, in the order in which users see them. One line a rule.
#include <array>

#include "rules/rules.h"

namespace clusterc {
namespace {

constexpr std::array kRules = {
    &kPowerBranchOverContinuousRating,
    &kPowerPduRatingMiscomputed,
    &kPowerPhaseOverloadedOrUnbalanced,
    &kPowerFeedLossOverloadsSurvivor,
    &kPowerSuppliesBelowNodeDraw,
    &kPowerSuppliesUnevenOverFeeds,
    &kPowerSupplyVoltageOutOfRange,
    &kPowerDcUsedAsWall,
    &kPowerUpsOverKwRating,
    &kPowerNodeBelowPartSum,
    &kPowerBreakerSizedOnTypical,
    &kPowerCordOverOutletRating,
    &kPowerPlugOutletMismatch,
    &kPowerOutletMissingOrReused,
    &kPowerBankBreakerOverloaded,
    &kPowerSiteOverCapacity,
    &kPowerTransientPeakUncovered,
    &kPowerSynchronisedLoadSwing,
    &kPowerRestartInrushTripsBreaker,
    &kPowerAltitudeDeratingIgnored,
    &kPowerShelvesBelowRackDraw,
    &kPowerGpuLimitOutOfRange,
    &kPowerRackOverBudget,
    &kCoolHeatRejectionUndersized,
    &kCoolAirflowBelowDemand,
    &kCoolDensityBeyondMethod,
    &kCoolInletOutOfRange,
    &kCoolInletAboveAltitudeLimit,
    &kCoolCoolantFlowTooSmall,
    &kCoolCduUndersizedAtApproach,
    &kCoolCoolantTooWarmOrCondensing,
    &kCoolLiquidRackWithoutAir,
    &kCoolLiquidPartInAir,
    &kCoolOpposedAirflowInRack,
    &kCoolPassiveCardWithoutAirflow,
    &kCoolLoopSinglePointFailure,
    &kCoolHumidityOutOfRange,
    &kPcieLanesBeyondSockets,
    &kPcieNicFasterThanSlot,
    &kPcieGpuNicAcrossSockets,
    &kNodeGpuWrongFormFactor,
    &kNodeMemoryChannelsUneven,
    &kNodeImageWrongArchitecture,
    &kRackUnitsOverlapOrOverflow,
    &kRackDeviceDeeperThanRack,
    &kRackStaticLoadExceeded,
    &kNetSwitchPortsExceeded,
    &kNetFabricExceedsTiers,
    &kNetLeafOversubscribed,
    &kNetAddressPlanCollides,
    &kNetLinkEndsMismatched,
    &kStoragePathNarrowerThanPromise,
    &kStorageFaultToleranceImpossible,
    &kStorageScratchAbsentOrSmall,
    &kSoftwareCudaNewerThanDriver,
    &kSoftwareGpuUnknownToToolkit,
    &kSoftwareWrongKernelModuleFlavour,
    &kSoftwareFabricManagerMismatched,
    &kSoftwareGpudirectMechanismAbsent,
    &kSoftwareVersionsDifferInClass,
    &kSoftwareMemlockLimitTooLow,
    &kSoftwareProcessLimitsTooLow,
    &kSoftwareContainersLoseGpusOnReload,
    &kSoftwareRdmaStackKernelMismatch,
    &kSoftwareUnsignedModuleSecureBoot,
    &kSoftwareDriverInstalledTwice,
    &kSoftwareMigLayoutMismatched,
    &kSoftwareNodeHygieneUnset,
    &kSoftwareOneStackMixedGenerations,
    &kTargetAllReduceAboveCeiling,
    &kTargetAlltoallAboveCeiling,
    &kTargetRdmaAboveLineRate,
    &kTargetHostCopyAboveCeiling,
    &kTargetGemmAbovePeak,
    &kTargetHplBeyondMemoryOrPeak,
    &kTargetMessageTooSmall,
    &kTargetFromAnotherConfiguration,
    &kTargetAboveBestPublished,
    &kTargetFarTooLoose,
    &kTargetWithoutKnownCeiling,
    &kWorkTrainingStateExceedsMemory,
    &kWorkServingStateExceedsMemory,
    &kWorkGoodputLowAtScale,
    &kWorkRunTimeClaimImpossible,
    &kWorkParallelLayoutLeavesNvlink,
    &kWorkLongRunWithoutCheckpoints,
    &kSecurityLiteralSecretInSpec,
    &kSecurityManagementNetworkReachable,
    &kSecuritySoftwareUnpinned,
};

}  // namespace

std::span<const Rule* const> all_rules() { return kRules; }

const Rule* find_rule(std::string_view name) {
  for (const Rule* r : kRules)
    if (r->id == name || r->code == name) return r;
  return nullptr;
}

}  // namespace clusterc
