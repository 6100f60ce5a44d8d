// Every rule, in the order in which users see them. One line a rule.
#include <array>

#include "rules/rule.h"

// clang-format off
#define CLUSTERC_RULES(X) \
  X(kPowerBranchOverContinuousRating) \
  X(kPowerPduRatingMiscomputed) \
  X(kPowerPhaseOverloadedOrUnbalanced) \
  X(kPowerFeedLossOverloadsSurvivor) \
  X(kPowerSuppliesBelowNodeDraw) \
  X(kPowerSuppliesUnevenOverFeeds) \
  X(kPowerSupplyVoltageOutOfRange) \
  X(kPowerDcUsedAsWall) \
  X(kPowerUpsOverKwRating) \
  X(kPowerGeneratorOverloaded) \
  X(kPowerNodeBelowPartSum) \
  X(kPowerBreakerSizedOnTypical) \
  X(kPowerCordOverOutletRating) \
  X(kPowerPlugOutletMismatch) \
  X(kPowerOutletMissingOrReused) \
  X(kPowerBankBreakerOverloaded) \
  X(kPowerBankBreakerUnstated) \
  X(kPowerSiteOverCapacity) \
  X(kPowerTransientPeakUncovered) \
  X(kPowerSynchronisedLoadSwing) \
  X(kPowerRestartInrushTripsBreaker) \
  X(kPowerAltitudeDeratingIgnored) \
  X(kPowerShelvesBelowRackDraw) \
  X(kPowerShelfInputMismatched) \
  X(kPowerGpuLimitOutOfRange) \
  X(kPowerRackOverBudget) \
  X(kPowerCapBelowParts) \
  X(kPowerEquipmentOnNoFeed) \
  X(kPowerWallCircuitOverloaded) \
  X(kPowerPartLossTripsRest) \
  X(kPowerTransferSwitchOverloaded) \
  X(kCoolHeatRejectionUndersized) \
  X(kCoolAirflowBelowDemand) \
  X(kCoolDensityBeyondMethod) \
  X(kCoolInletOutOfRange) \
  X(kCoolInletAboveAltitudeLimit) \
  X(kCoolCoolantFlowTooSmall) \
  X(kCoolCduUndersizedAtApproach) \
  X(kCoolCoolantTooWarmOrCondensing) \
  X(kCoolLiquidRackWithoutAir) \
  X(kCoolLiquidPartInAir) \
  X(kCoolOpposedAirflowInRack) \
  X(kCoolPassiveCardWithoutAirflow) \
  X(kCoolLoopSinglePointFailure) \
  X(kCoolHumidityOutOfRange) \
  X(kCoolFacilityWaterShort) \
  X(kCoolRearDoorUndersized) \
  X(kPcieLanesBeyondSockets) \
  X(kPcieTwoSocketLanesDoubled) \
  X(kPcieNicFasterThanSlot) \
  X(kPcieSwitchUplinkOversubscribed) \
  X(kPcieGpuNicAcrossSockets) \
  X(kPcieGpuRailPairingBroken) \
  X(kPcieNicsShareUpstreamLink) \
  X(kPcieAcsRedirectsPeerTraffic) \
  X(kPcieIommuTranslatesOnBareMetal) \
  X(kPcieNumaSettingUnsuited) \
  X(kPcieBifurcationUnsupportedBySlot) \
  X(kPcieCardBeyondSlotLimits) \
  X(kPcieLinkTrainedBelowCapability) \
  X(kPcieBarSpaceExhausted) \
  X(kPcieReadRequestsUntuned) \
  X(kNodeGpuWrongFormFactor) \
  X(kNodeImpossibleNvlinkTopology) \
  X(kNodeHostMemoryBelowGpu) \
  X(kNodeMemoryChannelsUneven) \
  X(kNodeMemoryFasterThanProcessor) \
  X(kNodeFewCoresPerGpu) \
  X(kNodeImageWrongArchitecture) \
  X(kNodeCpuUnsupportedByChassis) \
  X(kNodeBootOrBmcLacking) \
  X(kNodePartsBeyondPlaces) \
  X(kNodeVirtualMachineTooLarge) \
  X(kNodeSmtContradictory) \
  X(kNodeProcessorsCutByKernel) \
  X(kRackUnitsOverlapOrOverflow) \
  X(kRackDeviceDeeperThanRack) \
  X(kRackStaticLoadExceeded) \
  X(kRackRolledAboveDynamicRating) \
  X(kRackFloorLoadExceeded) \
  X(kRackHeavyDevicePlacedHigh) \
  X(kRackPortsFaceWrongSide) \
  X(kRackDeliveryPathTooSmall) \
  X(kRackLiquidPartsUnplaced) \
  X(kRackFewerNodesThanAsked) \
  X(kRackPdusWithoutPlace) \
  X(kNetSwitchPortsExceeded) \
  X(kNetFabricExceedsTiers) \
  X(kNetLeafOversubscribed) \
  X(kNetRailsUnjoinedButCrossed) \
  X(kNetLeavesUnjoined) \
  X(kNetSingleSpine) \
  X(kNetTopologyNotFollowed) \
  X(kNetDomainReserved) \
  X(kNetSubnetOverlapsContainers) \
  X(kNetSingleSwitchUnderHa) \
  X(kNetBreakoutUnconfirmed) \
  X(kNetLinkEndsMismatched) \
  X(kNetModuleCageMismatched) \
  X(kNetLinkBeyondMediumReach) \
  X(kNetMtuDiffersAlongPath) \
  X(kNetAddressPlanCollides) \
  X(kNetBgpNumbersClashOrExhausted) \
  X(kNetSubnetManagerOrLidsShort) \
  X(kNetRoceLosslessPlanBroken) \
  X(kNetPfcHeadroomTooSmall) \
  X(kNetRoceGidWrong) \
  X(kNetOobIncompleteOrDependent) \
  X(kNetNicSetsDiffer) \
  X(kNetServiceUnreachable) \
  X(kNetCloudNetworkMismatched) \
  X(kNetSettingOfOtherFabric) \
  X(kStorageReadBelowGpuNeed) \
  X(kStorageCheckpointExceedsTimeBudget) \
  X(kStorageRestartReadTooSlow) \
  X(kStoragePathNarrowerThanPromise) \
  X(kStorageUsableCapacityShort) \
  X(kStorageFaultToleranceImpossible) \
  X(kStorageMetadataOnSingleServer) \
  X(kStorageScratchAbsentOrSmall) \
  X(kStorageClientUnsupportedByKernel) \
  X(kStorageMetadataServerAbsent) \
  X(kStorageTakeoverWithoutData) \
  X(kSoftwareCudaNewerThanDriver) \
  X(kSoftwareFrameworkNewerThanDriver) \
  X(kSoftwareGpuUnknownToToolkit) \
  X(kSoftwareWrongKernelModuleFlavour) \
  X(kSoftwareFabricManagerMismatched) \
  X(kSoftwareGpudirectMechanismAbsent) \
  X(kSoftwareVersionsDifferInClass) \
  X(kSoftwareMemlockLimitTooLow) \
  X(kSoftwareProcessLimitsTooLow) \
  X(kSoftwareContainersLoseGpusOnReload) \
  X(kSoftwareKubernetesWithoutRuntime) \
  X(kSoftwareKubernetesKernelTooOld) \
  X(kSoftwareDriverBelowValidators) \
  X(kSoftwareDriverUnbuildableOnKernel) \
  X(kSoftwareRdmaStackKernelMismatch) \
  X(kSoftwareUnsignedModuleSecureBoot) \
  X(kSoftwareDriverInstalledTwice) \
  X(kSoftwareMigLayoutMismatched) \
  X(kSoftwareMigUnderCollectives) \
  X(kSoftwareNodeHygieneUnset) \
  X(kSoftwareOneStackMixedGenerations) \
  X(kSoftwareReleaseUnheardOf) \
  X(kSoftwareReleaseEnded) \
  X(kSoftwareKernelNotOfDistribution) \
  X(kSoftwareOfAnotherVendor) \
  X(kSchedGresDiffersFromNode) \
  X(kSchedGresFileMalformed) \
  X(kSchedGpusUnconfined) \
  X(kSchedCgroupV2PrerequisiteAbsent) \
  X(kSchedTopologyDiffersFromFabric) \
  X(kSchedBlockSplitsNvlinkDomain) \
  X(kSchedNodeMemoryOverstated) \
  X(kSchedGpuCoresBeyondNode) \
  X(kSchedGangSchedulingAbsent) \
  X(kSchedQuotaBeyondCapacity) \
  X(kSchedControllerAbsent) \
  X(kHaServiceSingleInstance) \
  X(kHaQuorumEvenOrSplit) \
  X(kHaStoreOnHardDisks) \
  X(kHaSparesTooFew) \
  X(kHaCommonCauseGroupLarge) \
  X(kHaSparesTakeAll) \
  X(kTargetAllReduceAboveCeiling) \
  X(kTargetAlltoallAboveCeiling) \
  X(kTargetRdmaAboveLineRate) \
  X(kTargetHostCopyAboveCeiling) \
  X(kTargetGemmAbovePeak) \
  X(kTargetHplBeyondMemoryOrPeak) \
  X(kTargetMessageTooSmall) \
  X(kTargetFromAnotherConfiguration) \
  X(kTargetBurnInTooShort) \
  X(kTargetAboveBestPublished) \
  X(kTargetFarTooLoose) \
  X(kTargetWithoutKnownCeiling) \
  X(kTargetScopeUnmeasured) \
  X(kTargetWithoutTest) \
  X(kWorkTrainingStateExceedsMemory) \
  X(kWorkServingStateExceedsMemory) \
  X(kWorkGoodputLowAtScale) \
  X(kWorkRunTimeClaimImpossible) \
  X(kWorkParallelLayoutLeavesNvlink) \
  X(kWorkLongRunWithoutCheckpoints) \
  X(kWorkRunLongerThanAsked) \
  X(kWorkServingRateShort) \
  X(kWorkSplitImpossible) \
  X(kWorkPrecisionNotOnGpu) \
  X(kWorkModelContradictory) \
  X(kWorkGpusLeftIdle) \
  X(kWorkNodesUnconnected) \
  X(kWorkKeyUnread) \
  X(kCostPartsMissingFromBill) \
  X(kCostEnergyOrSupportUnpriced) \
  X(kCostOfChoiceUnstated) \
  X(kCostOverBudget) \
  X(kCostPriceWithoutPart) \
  X(kSecurityLiteralSecretInSpec) \
  X(kSecurityManagementNetworkReachable) \
  X(kSecuritySoftwareUnpinned)
// clang-format on

namespace clusterc {

#define CLUSTERC_RULE(name) extern const Rule name;
CLUSTERC_RULES(CLUSTERC_RULE)
#undef CLUSTERC_RULE

namespace {

#define CLUSTERC_RULE(name) &name,
constexpr auto kRules = std::to_array<const Rule*>({CLUSTERC_RULES(CLUSTERC_RULE)});
#undef CLUSTERC_RULE

}  // namespace

std::span<const Rule* const> all_rules() { return kRules; }

const Rule* find_rule(std::string_view name) {
  for (const Rule* r : kRules)
    if (r->id == name || r->code == name) return r;
  return nullptr;
}

}  // namespace clusterc
