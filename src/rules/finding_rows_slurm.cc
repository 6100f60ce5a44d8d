// The table of findings: Slurm, by id.
#include "rules/finding_rows.h"

namespace clusterc {
namespace {

constexpr std::string_view kSlurm = "output slurm", kDeployed = kSystemReporter;

constexpr FindingRow kSlurmRows[] = {
    {"slurm-account-name", Severity::error, kSlurm, Standing::must_mend,
     "a user name is not valid in Slurm, or a team would have the account of another team or of root"},
    {"slurm-accounting-nodes", Severity::error, kSlurm, Standing::must_mend,
     "`accounting` names more than two nodes, two nodes without a common database, or an invalid database host"},
    {"slurm-authentication-off", Severity::error, kSlurm, Standing::acceptable,
     "an extra line of slurm.conf or slurmdbd.conf switches authentication off"},
    {"slurm-billing-assumed", Severity::note, kSlurm, Standing::acceptable,
     "teams have shares and nodes differ, but the spec has no `billing` of nodes with GPUs: it is assumed"},
    {"slurm-controller-missing", Severity::error, kSlurm, Standing::must_mend, "no node runs the Slurm controller"},
    {"slurm-controller-unknown", Severity::error, kSlurm, Standing::must_mend,
     "a controller is not a node of the cluster"},
    {"slurm-extra-node-unknown", Severity::warning, kSlurm, Standing::acceptable,
     "an extra line gives a partition nodes that slurm.conf does not define"},
    {"slurm-feature-malformed", Severity::error, kSlurm, Standing::must_mend,
     "a feature of nodes has characters that Slurm reads as signs"},
    {"slurm-gpu-devices-unsaid", Severity::warning, kSlurm, Standing::acceptable,
     "the part of an AMD GPU does not state its number of render nodes, so gres.conf may list the wrong devices"},
    {"slurm-job-memory-beyond-installed", Severity::error, kSlurm, Standing::must_mend,
     "`job_memory` of nodes is more than the memory that they have"},
    {"slurm-limits-unenforced", Severity::warning, kSlurm, Standing::acceptable,
     "a partition has a QOS or accounts, slurmdbd runs, and AccountingStorageEnforce is not set"},
    {"slurm-limits-without-teams", Severity::error, kSlurm, Standing::must_mend,
     "`limits` is set without teams, but limits apply to the users of a team"},
    {"slurm-mig-unknown", Severity::error, kSlurm, Standing::must_mend,
     "slurm.conf cannot be written for this MIG layout"},
    {"slurm-name-reserved", Severity::error, kSlurm, Standing::must_mend,
     "a node or node group has a name that is reserved in Slurm: DEFAULT, ALL"},
    {"slurm-node-facts-missing", Severity::error, kSlurm, Standing::must_mend,
     "slurm.conf needs the cores and memory of a node group, which are not known"},
    {"slurm-node-in-no-block", Severity::warning, kSlurm, Standing::acceptable,
     "with block topology, nodes outside of every NVLink domain never run a job together"},
    {"slurm-partition-unmade", Severity::error, kSlurm, Standing::must_mend,
     "a partition has no nodes, nodes that Slurm does not schedule, or a quota that it cannot hold; or there are two "
     "default partitions"},
    {"slurm-password-unreadable", Severity::note, kDeployed, Standing::acceptable,
     "the user of slurmdbd cannot read the file with its password"},
    {"slurm-power-group-unscheduled", Severity::error, kDeployed, Standing::must_mend,
     "a group that is to be started when jobs need it is none that Slurm hands out"},
    {"slurm-power-program-missing", Severity::error, kDeployed, Standing::must_mend,
     "no program starts the nodes that Slurm is to start when jobs need them"},
    {"slurm-program-overwritten", Severity::error, kSlurm, Standing::must_mend,
     "an extra line names a program of the site where the plays write a compiled one"},
    {"slurm-program-replaced", Severity::warning, kSlurm, Standing::acceptable,
     "an extra line replaces or disables the compiled prolog, epilog or health check"},
    {"slurm-pyxis-unbuilt", Severity::note, kSlurm, Standing::acceptable,
     "the spec names Pyxis, but the plays do not build it: they are not compiled, or know no source for this release "
     "or system"},
    {"slurm-quota-unused", Severity::warning, kSlurm, Standing::acceptable,
     "a quota is set on nodes that Slurm does not schedule"},
    {"slurm-range-too-long", Severity::error, kSlurm, Standing::must_mend,
     "a group has more nodes in one range of names than Slurm reads"},
    {"slurm-releases-differ", Severity::error, kSlurm, Standing::must_mend,
     "the spec names no release of Slurm, and the distributions of the groups have different releases"},
    {"slurm-reservation-unmade", Severity::error, kSlurm, Standing::must_mend,
     "slurmctld would refuse a reservation: its time, nodes that Slurm does not schedule, or no user who may use it"},
    {"slurm-shards-of-instances", Severity::error, kSlurm, Standing::must_mend,
     "GPUs are divided into shards and also by MIG"},
    {"slurm-state-not-shared", Severity::warning, kSlurm, Standing::acceptable,
     "two controllers without a shared file system for their state: the second cannot take over"},
    {"slurm-time-unlimited", Severity::warning, kSlurm, Standing::acceptable,
     "jobs in a partition of Slurm have no time limit"},
    {"slurm-topology-switch-unsaid", Severity::warning, kSlurm, Standing::acceptable,
     "the inventory names the switches of some nodes of a fabric, and none for others"},
    {"slurm-topology-unmade", Severity::error, kSlurm, Standing::must_mend,
     "an extra line selects a plugin of topology or routes whose topology.conf is not compiled"},
    {"slurm-topology-without-domains", Severity::error, kSlurm, Standing::must_mend,
     "block topology is set, but no NVLink domain spans nodes"},
    {"slurm-value-unwritable", Severity::error, kSlurm, Standing::must_mend,
     "Slurm's files cannot hold a text of the spec"},
    {"slurm-version-unsupported", Severity::error, kSlurm, Standing::must_mend,
     "the release of Slurm is too old to read the compiled files"},
    {"slurm-version-untried", Severity::warning, kSlurm, Standing::acceptable,
     "a release of Slurm is newer than those that the compiled files were tested with"},
};

}  // namespace

std::span<const FindingRow> slurm_finding_rows() { return kSlurmRows; }

}  // namespace clusterc
