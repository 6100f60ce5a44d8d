// The table of findings: files that are no specs (audit/files/), by id.
#include "rules/finding_rows.h"

namespace clusterc {
namespace {

constexpr std::string_view kFiles = kFileReporter;

constexpr FindingRow kFileRows[] = {
    {"file-dcgm-failed", Severity::error, kFiles, Standing::must_mend, "a test of `dcgmi diag` failed, or warns"},
    {"file-dcgm-unread", Severity::error, kFiles, Standing::must_mend,
     "a log of `dcgmi diag` has no test that passed, a result that is unknown, or no end"},
    {"file-hpl-grid", Severity::error, kFiles, Standing::must_mend,
     "the process grid P x Q of an HPL.dat has another number of ranks than there are GPUs"},
    {"file-hpl-malformed", Severity::error, kFiles, Standing::must_mend,
     "HPL cannot read the sizes of an HPL.dat, or they contradict each other"},
    {"file-hpl-size", Severity::error, kFiles, Standing::must_mend,
     "the matrix of an HPL.dat does not fit into the GPUs, uses little of them, or is no multiple of its block"},
    {"file-hpl-unchecked", Severity::warning, kFiles, Standing::must_mend,
     "the threshold of an HPL.dat is negative: HPL does not check the result"},
    {"file-hpl-unjudged", Severity::note, kFiles, Standing::must_mend,
     "the sizes of an HPL.dat were not compared with GPUs: --gpus or --gpu-memory is missing"},
    {"file-lspci-acs", Severity::warning, kFiles, Standing::must_mend,
     "bridges of a machine with GPUs have PCIe access control (ACS), which sends transfers between devices up to the "
     "processor"},
    {"file-lspci-device-lost", Severity::error, kFiles, Standing::must_mend,
     "a device in a list of lspci does not answer: it is off the bus"},
    {"file-lspci-link-degraded", Severity::error, kFiles, Standing::must_mend,
     "a PCIe link of a GPU, network adapter or drive is down, or has fewer lanes or a lower speed than its two ends "
     "can "
     "do"},
    {"file-lspci-unread", Severity::error, kFiles, Standing::must_mend,
     "a list of lspci lacks the link of a GPU, network adapter or drive, or was made without the rights of root"},
    {"file-lstopo-adapter-far", Severity::warning, kFiles, Standing::must_mend,
     "GPUs and RDMA adapters of a machine are on different sockets"},
    {"file-lstopo-gpus-differ", Severity::warning, kFiles, Standing::must_mend,
     "the sockets of a machine have different numbers of GPUs, or a GPU has another PCIe rate than the others"},
    {"file-lstopo-unread", Severity::error, kFiles, Standing::must_mend,
     "what lstopo wrote is cut, has no PCI devices, or does not place them"},
    {"file-nccl-alone", Severity::error, kFiles, Standing::must_mend,
     "the bus bandwidth of a test of NCCL is 0: each process ran alone"},
    {"file-nccl-collapse", Severity::warning, kFiles, Standing::must_mend,
     "the bus bandwidth of a test of NCCL falls below half of that of a smaller size"},
    {"file-nccl-failed", Severity::error, kFiles, Standing::must_mend, "a test of NCCL ended with a failure"},
    {"file-nccl-unchecked", Severity::note, kFiles, Standing::must_mend, "a test of NCCL did not check its results"},
    {"file-nccl-unread", Severity::error, kFiles, Standing::must_mend,
     "the log of a test of NCCL has no figures, or is not whole"},
    {"file-nccl-wrong", Severity::error, kFiles, Standing::must_mend, "the results of a collective are wrong"},
    {"file-slurm-cpus-differ", Severity::error, kFiles, Standing::must_mend,
     "CPUs of a node in a slurm.conf is neither its sockets nor its cores nor its threads"},
    {"file-slurm-gpus-unconfined", Severity::error, kFiles, Standing::must_mend,
     "a slurm.conf and its cgroup.conf do not confine jobs to the GPUs that they were allocated"},
    {"file-slurm-gres-differs", Severity::error, kFiles, Standing::must_mend,
     "gres.conf gives a node other GPUs than slurm.conf promises"},
    {"file-slurm-gres-unmanaged", Severity::error, kFiles, Standing::must_mend,
     "a slurm.conf gives nodes GPUs, but Slurm does not manage them, or not with all options of jobs"},
    {"file-slurm-memory-overstated", Severity::error, kFiles, Standing::must_mend,
     "RealMemory of a slurm.conf is all the memory that is fitted: slurmctld drains the nodes"},
    {"file-slurm-node-twice", Severity::error, kFiles, Standing::must_mend,
     "two lines of a slurm.conf define one node: slurmctld does not start"},
    {"file-slurm-node-unknown", Severity::error, kFiles, Standing::must_mend,
     "a partition or a switch of Slurm names nodes that slurm.conf does not define"},
    {"file-slurm-time-unlimited", Severity::note, kFiles, Standing::must_mend,
     "jobs of a partition of Slurm have no time limit"},
    {"file-slurm-topology-unknown", Severity::error, kFiles, Standing::must_mend,
     "topology.conf names a switch that it does not define"},
    {"file-slurm-unkillable-short", Severity::warning, kFiles, Standing::must_mend,
     "UnkillableStepTimeout of a slurm.conf is below its default: slow processes drain the node"},
    {"file-slurm-unread", Severity::error, kFiles, Standing::must_mend,
     "a line of a file of Slurm cannot be read, or a file that it includes is not there"},
    {"file-smi-gpus-differ", Severity::warning, kFiles, Standing::must_mend,
     "GPUs of one machine differ in model, VBIOS, ECC mode or MIG mode"},
    {"file-smi-link-degraded", Severity::error, kFiles, Standing::must_mend,
     "the PCIe link of a GPU has fewer lanes, or a lower generation, than card and slot can do"},
    {"file-smi-memory-errors", Severity::error, kFiles, Standing::must_mend,
     "a GPU has uncorrectable memory errors, or faulty memory to remap"},
    {"file-smi-power-capped", Severity::warning, kFiles, Standing::must_mend,
     "the power limit of a GPU is below its default"},
    {"file-smi-slowed", Severity::error, kFiles, Standing::must_mend,
     "a GPU has lowered its clocks because of heat or power"},
    {"file-smi-unread", Severity::error, kFiles, Standing::must_mend, "what nvidia-smi printed is not whole"},
    {"file-topo-adapter-far", Severity::warning, kFiles, Standing::must_mend,
     "GPUs and network adapters of a machine are on different sockets"},
    {"file-topo-nvlink-missing", Severity::error, kFiles, Standing::must_mend,
     "a GPU has no NVLink, or fewer than the others of its machine"},
};

}  // namespace

std::span<const FindingRow> file_finding_rows() { return kFileRows; }

}  // namespace clusterc
