#include "compile/slurm/conf_keys.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::string_view kKeys[] = {
    "AccountingStorageBackupHost", "AccountingStorageEnforce", "AccountingStorageExternalHost", "AccountingStorageHost", "AccountingStorageLoc", "AccountingStorageParameters",
    "AccountingStoragePass", "AccountingStoragePort", "AccountingStorageTRES", "AccountingStorageType", "AccountingStorageUser", "AccountingStoreFlags",
    "AccountingStoreJobComment", "AcctGatherEnergyType", "AcctGatherFilesystemType", "AcctGatherInfinibandType", "AcctGatherInterconnectType", "AcctGatherNodeFreq",
    "AcctGatherProfileType", "AllowSpecResourcesUsage", "AuthAltParameters", "AuthAltTypes", "AuthInfo", "AuthType", "BackupAddr", "BackupController", "BatchStartTimeout",
    "BcastExclude", "BcastParameters", "BurstBufferParameters", "BurstBufferType", "CertmgrParameters", "CertmgrType", "CliFilterPlugins", "ClusterName",
    "CommunicationParameters", "CompleteWait", "ControlAddr", "ControlMachine", "CoreSpecPlugin", "CpuFreqDef", "CpuFreqGovernors", "CredType", "CryptoType",
    "DataParserParameters", "DebugFlags", "DefCPUPerGPU", "DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode", "DependencyParameters", "DisableRootJobs", "DownNodes", "EioTimeout",
    "EnforcePartLimits", "Epilog", "EpilogMsgTime", "EpilogSlurmctld", "ExtSensorsFreq", "ExtSensorsType", "FairShareDampeningFactor", "FastSchedule", "FederationParameters",
    "FirstJobId", "FrontendName", "GetEnvTimeout", "GpuFreqDef", "GresTypes", "GroupUpdateForce", "GroupUpdateTime", "HashPlugin", "HealthCheckInterval",
    "HealthCheckNodeState", "HealthCheckProgram", "InactiveLimit", "InteractiveStepOptions", "JobAcctGatherFrequency", "JobAcctGatherParams", "JobAcctGatherType",
    "JobCompHost", "JobCompLoc", "JobCompParams", "JobCompPass", "JobCompPort", "JobCompType", "JobCompUser", "JobContainerType", "JobCredentialPrivateKey",
    "JobCredentialPublicCertificate", "JobFileAppend", "JobRequeue", "JobSubmitPlugins", "KeepAliveTime", "KillOnBadExit", "KillWait", "LaunchParameters", "LaunchType",
    "Licenses", "LogTimeFormat", "MailDomain", "MailProg", "MaxArraySize", "MaxBatchRequeue", "MaxDBDMsgs", "MaxJobCount", "MaxJobId", "MaxMemPerCPU", "MaxMemPerNode",
    "MaxNodeCount", "MaxStepCount", "MaxTasksPerNode", "MCSParameters", "MCSPlugin", "MessageTimeout", "MinJobAge", "MpiDefault", "MpiParams", "NodeFeaturesPlugins",
    "NodeName", "NodeSet", "OverTimeLimit", "PartitionName", "PluginDir", "PlugStackConfig", "PowerParameters", "PowerPlugin", "PreemptExemptTime", "PreemptMode",
    "PreemptParameters", "PreemptType", "PrEpParameters", "PrEpPlugins", "PriorityCalcPeriod", "PriorityDecayHalfLife", "PriorityFavorSmall", "PriorityFlags", "PriorityMaxAge",
    "PriorityParameters", "PrioritySiteFactorParameters", "PrioritySiteFactorPlugin", "PriorityType", "PriorityUsageResetPeriod", "PriorityWeightAge", "PriorityWeightAssoc",
    "PriorityWeightFairShare", "PriorityWeightJobSize", "PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightTRES", "PrivateData", "ProcTrackType", "Prolog",
    "PrologEpilogTimeout", "PrologFlags", "PrologSlurmctld", "PropagatePrioProcess", "PropagateResourceLimits", "PropagateResourceLimitsExcept", "RebootProgram",
    "ReconfigFlags", "RequeueExit", "RequeueExitHold", "ResumeFailProgram", "ResumeProgram", "ResumeRate", "ResumeTimeout", "ResvEpilog", "ResvOverRun", "ResvProlog",
    "ReturnToService", "RoutePlugin", "SallocDefaultCommand", "SbcastParameters", "SchedulerAuth", "SchedulerParameters", "SchedulerTimeSlice", "SchedulerType",
    "ScronParameters", "SelectType", "SelectTypeParameters", "SlurmctldAddr", "SlurmctldDebug", "SlurmctldHost", "SlurmctldLogFile", "SlurmctldParameters", "SlurmctldPidFile",
    "SlurmctldPlugstack", "SlurmctldPort", "SlurmctldPrimaryOffProg", "SlurmctldPrimaryOnProg", "SlurmctldSyslogDebug", "SlurmctldTimeout", "SlurmdDebug", "SlurmdLogFile",
    "SlurmdParameters", "SlurmdPidFile", "SlurmdPort", "SlurmdSpoolDir", "SlurmdSyslogDebug", "SlurmdTimeout", "SlurmdUser", "SlurmSchedLogFile", "SlurmSchedLogLevel",
    "SlurmUser", "SrunEpilog", "SrunPortRange", "SrunProlog", "StateSaveLocation", "SuspendExcNodes", "SuspendExcParts", "SuspendExcStates", "SuspendProgram", "SuspendRate",
    "SuspendTime", "SuspendTimeout", "SwitchParameters", "SwitchType", "TaskEpilog", "TaskPlugin", "TaskPluginParam", "TaskProlog", "TCPTimeout", "TLSParameters", "TLSType",
    "TmpFS", "TopologyParam", "TopologyPlugin", "TrackWCKey", "TreeWidth", "UnkillableStepProgram", "UnkillableStepTimeout", "UsePAM", "VSizeFactor", "WaitTime",
    "X11Parameters",
};

constexpr std::string_view kNodeKeys[] = {
    "Boards", "BcastAddr", "CoreSpecCount", "CoresPerSocket", "CpuBind", "CPUs", "CpuSpecList", "Feature", "Features", "Gres", "MemSpecLimit", "NodeAddr", "NodeHostname",
    "Port", "Procs", "RealMemory", "Reason", "RestrictedCoresPerGPU", "Sockets", "SocketsPerBoard", "State", "ThreadsPerCore", "TmpDisk", "Topology", "TRESWeights",
    "Weight",
};
constexpr std::string_view kPartitionKeys[] = {
    "AllocNodes", "AllowAccounts", "AllowGroups", "AllowQOS", "Alternate", "CpuBind", "Default", "DefaultTime", "DefCpuPerGPU", "DefMemPerCPU", "DefMemPerGPU",
    "DefMemPerNode", "DenyAccounts", "DenyQOS", "DisableRootJobs", "ExclusiveTopo", "ExclusiveUser", "GraceTime", "Hidden", "LLN", "MaxCPUsPerNode", "MaxCPUsPerSocket",
    "MaxMemPerCPU", "MaxMemPerNode", "MaxNodes", "MaxTime", "MinNodes", "Nodes", "OverSubscribe", "OverTimeLimit", "PowerDownOnIdle", "PreemptMode", "Priority",
    "PriorityJobFactor", "PriorityTier", "QOS", "ReqResv", "ResumeTimeout", "RootOnly", "SelectTypeParameters", "Shared", "State", "SuspendTime", "SuspendTimeout",
    "Topology", "TRESBillingWeights",
};
constexpr std::string_view kNodeSetKeys[] = {"Feature", "Nodes"}, kDownNodesKeys[] = {"Reason", "State"};

}  // namespace

std::span<const std::string_view> slurm_line_keys(std::string_view first) {
  const std::string key = to_lower(first);
  if (key == "nodename") return kNodeKeys;
  if (key == "partitionname") return kPartitionKeys;
  if (key == "nodeset") return kNodeSetKeys;
  if (key == "downnodes") return kDownNodesKeys;
  return {};
}

std::span<const std::string_view> slurm_conf_keys() { return kKeys; }

bool is_slurm_conf_key(std::string_view key) {
  const std::string lower = to_lower(key);
  const auto at = std::ranges::lower_bound(kKeys, lower, {}, [](std::string_view k) { return to_lower(k); });
  return at != std::end(kKeys) && to_lower(*at) == lower;
}

}  // namespace clusterc
