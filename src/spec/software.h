// Software of a spec: what runs on the nodes, for the whole cluster and, where it differs, for one group.
#pragma once
#include "catalog/parts.h"
#include "spec/notebooks.h"

namespace clusterc {

enum class KernelModules { open, proprietary };
template <>
struct EnumNames<KernelModules> {
  static constexpr auto names =
      enum_table<KernelModules>({{KernelModules::open, "open"}, {KernelModules::proprietary, "proprietary"}});
};
// Several hardware threads a core: on; off in the firmware; on there, and switched off by the kernel argument nosmt.
enum class Smt { on, off, nosmt };
template <>
struct EnumNames<Smt> {
  static constexpr auto names = enum_table<Smt>({{Smt::on, "true"}, {Smt::off, "false"}, {Smt::nosmt, "nosmt"}});
};
enum class SchedulerKind { slurm, kubernetes, none };
template <>
struct EnumNames<SchedulerKind> {
  static constexpr auto names = enum_table<SchedulerKind>(
      {{SchedulerKind::slurm, "slurm"}, {SchedulerKind::kubernetes, "kubernetes"}, {SchedulerKind::none, "none"}});
};
enum class TopologyPlugin { tree, block, none };
template <>
struct EnumNames<TopologyPlugin> {
  static constexpr auto names = enum_table<TopologyPlugin>(
      {{TopologyPlugin::tree, "tree"}, {TopologyPlugin::block, "block"}, {TopologyPlugin::none, "none"}});
};
struct Accounting {  // slurmdbd: who used what, and what teams may use
  SourceSpan span;
  Value<std::string> nodes, database;
  std::optional<SecretRef> password;
  static constexpr std::string_view type_name = "accounting";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("nodes", s.nodes,
      {.doc = "nodes that run slurmdbd, one or two: a name pattern; left out: the first controller, and the second "
              "where the database is on another host"});
    v("database", s.database,
      {.standard = "localhost", .why = "beside slurmdbd, through its socket", .doc = "host of MariaDB or MySQL"});
    v("password", s.password,
      {.doc = "reference to a file with the line StoragePass=…; left out: the database knows the account slurm by its "
              "socket"});
  }
};
struct JobLimits {
  SourceSpan span;
  Value<std::int64_t> submit, running;
  Value<Seconds> time, default_time;
  static constexpr std::string_view type_name = "job limits";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("submit", s.submit,
      {.doc = "jobs that one user may have queued and running in a team, in each partition", .least = 1, .most = 1e9});
    v("running", s.running,
      {.doc = "jobs of one user in a team that run at a time, in each partition", .least = 1, .most = 1e9});
    v("time", s.time, {.doc = "longest time that a job may run: 2 days"});
    v("default_time", s.default_time,
      {.doc = "time limit of a job that requests none, `time` at most: 1 h; left out: `time`"});
  }
};

struct Partition {  // a queue of Slurm: which nodes, and what jobs may do on them
  SourceSpan span;
  std::vector<Value<std::string>> groups, teams, allow_qos, extra;
  Value<std::string> nodes, qos;
  Value<bool> standard, exclusive;
  Value<Seconds> time, default_time;
  Value<std::int64_t> priority, tier;
  static constexpr std::string_view type_name = "partition";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("groups", s.groups, {.doc = "node groups whose nodes it has"});
    v("nodes", s.nodes,
      {.doc = "nodes that it has: a name pattern; left out, with `groups`: all that Slurm hands out"});
    v("default", s.standard,
      {.doc = "whether jobs that name no partition run here; left out: those of the first partition do"});
    v("time", s.time, {.doc = "longest time that a job may run: 2 days; left out: `limits.time`"});
    v("default_time", s.default_time,
      {.doc = "time limit of a job that requests none, `time` at most: 1 h; left out: `limits.default_time`"});
    v("priority", s.priority,
      {.doc = "PriorityJobFactor: its part in the priority of jobs", .least = 0, .most = 65533});
    v("tier", s.tier,
      {.doc = "PriorityTier: jobs of a higher tier start first, and may preempt where `PreemptType` says so",
       .least = 0,
       .most = 65533});
    v("qos", s.qos, {.doc = "QOS whose limits hold for the partition"});
    v("allow_qos", s.allow_qos, {.doc = "QOS that jobs may have here; left out: all"});
    v("teams", s.teams, {.doc = "teams whose jobs may run here; left out: all"});
    v("exclusive", s.exclusive, {.doc = "whether a job has whole nodes"});
    v("extra", s.extra,
      {.doc = "further settings of the line: `GraceTime=600`; keys that follow from the spec are refused"});
  }
};

struct Reservation {  // nodes that are kept for some at a time that is known
  SourceSpan span;
  Value<Moment> start;
  Value<std::string> nodes, repeat;
  Value<Seconds> length;
  Value<bool> maintenance;
  std::vector<Value<std::string>> users, teams;
  static constexpr std::string_view type_name = "reservation";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("start", s.start,
      {.required = true, .doc = "when it begins, in the time zone of the controller: 2026-12-01T08:00"});
    v("length", s.length, {.required = true, .doc = "how long it lasts: 8 h"});
    v("nodes", s.nodes, {.doc = "which nodes: a name pattern; left out: all that the scheduler hands out"});
    v("users", s.users, {.doc = "accounts that may use them"});
    v("teams", s.teams, {.doc = "teams that may use them; with users too: these users, in jobs of these teams"});
    v("repeat", s.repeat, {.doc = "it comes again", .words = "daily|weekly"});
    v("maintenance", s.maintenance,
      {.doc = "whether it is for maintenance: Slurm makes it even where jobs run or other reservations are, and it is "
              "root's where "
              "nobody is named"});
  }
};

struct PowerSaving {  // Slurm starts nodes when jobs need them, and stops them when they are idle
  SourceSpan span;
  std::vector<Value<std::string>> groups;
  Value<Seconds> idle, start, stop;
  Value<std::int64_t> at_once;
  Value<std::string> resume, suspend, launch_template, region;
  static constexpr std::string_view type_name = "power saving";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("groups", s.groups, {.required = true, .doc = "node groups that are started and stopped, such as instances"});
    v("idle", s.idle, {.doc = "a node without jobs is stopped after: 10 min"});
    v("start", s.start, {.doc = "longest time from the start of a node until slurmd answers: 15 min"});
    v("stop", s.stop, {.doc = "time after which a node that is being stopped may be started again: 5 min"});
    v("at_once", s.at_once,
      {.doc = "nodes that are started or stopped in a minute; left out: 300 are started, 60 stopped",
       .least = 1,
       .most = 10000});
    v("resume", s.resume,
      {.doc = "program on the controllers that starts the nodes of its first argument, a host list; left out: one that "
              "starts instances at AWS is compiled"});
    v("suspend", s.suspend, {.doc = "program that stops them; left out: likewise"});
    v("launch_template", s.launch_template,
      {.doc = "AWS: name of the launch template with image, subnet, security groups and key pair of the instances"});
    v("region", s.region, {.doc = "AWS: region of the instances: us-east-1"});
  }
};

struct Scheduler {
  SourceSpan span;
  Value<SchedulerKind> kind;
  Value<Version> version;
  Value<std::string> controllers, queue, endpoint, pod_network, service_network;
  std::vector<Value<std::string>> schedules;
  Value<TopologyPlugin> topology;
  std::optional<Accounting> accounting;
  std::optional<JobLimits> limits;
  Value<bool> requeue;
  NamedMap<Partition> partitions;
  NamedMap<Reservation> reservations;
  Value<bool> private_tmp;
  std::optional<PowerSaving> power_saving;
  static constexpr std::string_view type_name = "scheduler";
  static bool from_text(std::string_view, Scheduler&, std::string& error);  // "slurm"
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "slurm, kubernetes or none"});
    v("version", s.version, {.doc = "release, as text: 24.11"});
    v("controllers", s.controllers,
      {.doc =
           "nodes that run the controller, where no group has the role scheduler (or control-plane): a name pattern"});
    v("schedules", s.schedules, {.doc = "node groups that it hands out; left out: every group without a role"});
    v("topology", s.topology,
      {.doc = "how the scheduler sees the fabric; left out: tree where there is a fabric of leaves and spines, block "
              "where NVLink domains span nodes"});
    v("accounting", s.accounting, {.doc = "Slurm's accounting database; left out: where teams share the cluster"});
    v("limits", s.limits, {.doc = "Slurm: what each user may have queued and running, and for how long"});
    v("requeue", s.requeue, {.doc = "Slurm: whether batch jobs start again when their node fails; left out: they do"});
    v("partitions", s.partitions, {.doc = "Slurm: partitions, by name; left out: one for each node group"});
    v("private_tmp", s.private_tmp,
      {.standard = "false",
       .why = "as Slurm does without job_container.conf",
       .doc =
           "Slurm: whether each job has a /tmp and a /dev/shm of its own, on `local` storage where the node has it"});
    v("reservations", s.reservations, {.doc = "Slurm: nodes that are kept for some at a time, by name"});
    v("power_saving", s.power_saving, {.doc = "Slurm: nodes that run only while jobs need them, such as instances"});
    v("queue", s.queue, {.doc = "queueing system in Kubernetes", .words = "kueue|volcano|kai"});
    v("endpoint", s.endpoint,
      {.doc = "Kubernetes: host or address, and port, that stands for all nodes of the control plane: of a load "
              "balancer; left out: the first of these nodes"});
    v("pod_network", s.pod_network, {.doc = "Kubernetes: network of the pods; left out: a free private one"});
    v("service_network", s.service_network,
      {.doc = "Kubernetes: network of the services; left out: a free private one"});
  }
};

struct MpiStack {
  SourceSpan span;
  Value<std::string> kind;
  Value<Version> version;
  static constexpr std::string_view type_name = "mpi";
  static bool from_text(std::string_view, MpiStack&, std::string& error);  // "openmpi", "openmpi 4.1"
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "MPI library", .words = "openmpi|mpich|mvapich|intel-mpi"});
    v("version", s.version, {.doc = "release, as text"});
  }
};

struct NamedVersion {  // "docker", "docker 27.3", or { kind: docker, version: 27.3 }
  SourceSpan span;
  Value<std::string> kind;
  Value<Version> version;
  static constexpr std::string_view type_name = "name and version";
  static bool from_text(std::string_view, NamedVersion&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "name"});
    v("version", s.version, {.doc = "release, as text"});
  }
};

struct Identity {
  SourceSpan span;
  Value<std::string> kind, server, base, bind_dn;
  std::optional<SecretRef> bind_password;
  std::vector<Value<std::string>> administrators;
  static constexpr std::string_view type_name = "identity";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "kind of directory", .words = "ldap|ad|local"});
    v("server", s.server, {.doc = "URL of the directory"});
    v("base", s.base, {.doc = "search base"});
    v("bind_dn", s.bind_dn, {.doc = "account that reads the directory"});
    v("bind_password", s.bind_password, {.doc = "reference to its password"});
    v("administrators", s.administrators,
      {.doc = "groups of the directory whose members may log in to every node; other users of the directory log in to "
              "login nodes, and reach nodes of jobs through the scheduler"});
  }
};

struct FabricSoftware {
  SourceSpan span;
  Value<std::string> kind;
  Value<Version> version;
  static constexpr std::string_view type_name = "fabric software";
  static bool from_text(std::string_view, FabricSoftware&, std::string& error);  // "doca-ofed 24.10"
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "RDMA stack", .words = "doca-ofed|mlnx-ofed|inbox"});
    v("version", s.version, {.doc = "release, as text"});
  }
};

struct Mirror {  // of packages and container images, for sites without internet
  SourceSpan span;
  Value<std::string> server, folder, ca;
  std::vector<Value<std::string>> images;
  static constexpr std::string_view type_name = "mirror";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("server", s.server,
      {.required = true, .doc = "host that serves it over HTTPS: a node of this spec, or any other"});
    v("folder", s.folder,
      {.standard = "/srv/mirror",
       .why = "beside what others are installed from",
       .doc = "where it lies, on the server and on the machine with internet that fills it"});
    v("ca", s.ca,
      {.doc = "certificate of the site's own authority, a file where the plays run: they let every node trust it; left "
              "out: the nodes trust who signed the server's certificate"});
    v("images", s.images,
      {.doc = "container images that it holds, with registry and tag or digest: nvcr.io/nvidia/pytorch:25.09-py3"});
  }
};

struct Limits {
  SourceSpan span;
  Value<std::string> memlock;
  Value<std::int64_t> nofile, nproc;
  Value<Bytes> shared_memory;
  static constexpr std::string_view type_name = "limits";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("memlock", s.memlock, {.doc = "locked memory: unlimited, or a size"});
    v("nofile", s.nofile, {.doc = "open files", .least = 1024, .most = 1e9});
    v("nproc", s.nproc, {.doc = "processes", .least = 1, .most = 1e9});
    v("shared_memory", s.shared_memory, {.doc = "size of /dev/shm in a container"});
  }
};

struct GpuOperator {  // NVIDIA GPU Operator in Kubernetes
  SourceSpan span;
  Value<Version> version;
  Value<bool> driver, toolkit;
  static constexpr std::string_view type_name = "gpu operator";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("version", s.version, {.doc = "release, as text"});
    v("driver", s.driver,
      {.standard = "true",
       .why = "what its chart does where nothing is asked for",
       .doc = "it installs the GPU driver on the nodes"});
    v("toolkit", s.toolkit,
      {.standard = "true",
       .why = "what its chart does where nothing is asked for",
       .doc = "it installs the container toolkit on the nodes"});
  }
};

struct Software {
  SourceSpan span;
  Value<std::string> os;
  Value<Arch> arch;
  Value<Version> kernel, gpu_driver, cuda, nccl, fabric_manager;
  Value<KernelModules> kernel_modules;
  Value<Smt> smt;
  std::optional<MpiStack> mpi;
  std::optional<FabricSoftware> fabric;
  std::vector<NamedVersion> containers, monitoring, frameworks;
  std::optional<Scheduler> scheduler;
  std::optional<Identity> identity;
  std::vector<Value<std::string>> kernel_arguments, time_servers, name_servers;
  Value<std::string> domain, time_zone, iommu, mig, container_gpus;
  Value<bool> acs, secure_boot, signed_modules, gpudirect_rdma, persistence;
  Value<std::int64_t> gpu_shards, nodes_per_socket, huge_pages;
  Value<Bytes> max_read_request;
  std::optional<Limits> limits;
  std::optional<GpuOperator> gpu_operator;
  std::optional<Mirror> mirror;
  std::optional<Notebooks> notebooks;
  static constexpr std::string_view type_name = "software";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("os", s.os, {.doc = "operating system and release: ubuntu-22.04, rocky-9, debian-12"});
    v("arch", s.arch, {.doc = "instruction set of the images"});
    v("kernel", s.kernel, {.doc = "kernel release"});
    v("kernel_arguments", s.kernel_arguments, {.doc = "further kernel arguments"});
    v("gpu_driver", s.gpu_driver, {.doc = "driver branch or release"});
    v("kernel_modules", s.kernel_modules, {.doc = "flavour of the GPU kernel modules"});
    v("cuda", s.cuda, {.doc = "CUDA toolkit"});
    v("nccl", s.nccl, {.doc = "NCCL release"});
    v("fabric_manager", s.fabric_manager, {.doc = "NVSwitch fabric manager; left out: the driver's release"});
    v("mpi", s.mpi, {.doc = "MPI library"});
    v("fabric", s.fabric, {.doc = "RDMA stack: doca-ofed 24.10, inbox"});
    v("containers", s.containers, {.doc = "container runtimes"});
    v("container_gpus", s.container_gpus,
      {.doc =
           "how a container gets its GPUs: cdi (named in its configuration) or hook (added behind the runtime's back)",
       .words = "cdi|hook"});
    v("gpu_operator", s.gpu_operator, {.doc = "NVIDIA GPU Operator, where Kubernetes runs it"});
    v("scheduler", s.scheduler, {.doc = "workload manager"});
    v("monitoring", s.monitoring, {.doc = "monitoring programs"});
    v("notebooks", s.notebooks, {.doc = "notebooks in the browser, whose sessions are jobs"});
    v("identity", s.identity, {.doc = "where users come from"});
    v("frameworks", s.frameworks, {.doc = "frameworks that users expect: pytorch 2.8"});
    v("domain", s.domain, {.doc = "DNS domain of the nodes"});
    v("name_servers", s.name_servers, {.doc = "DNS servers"});
    v("time_servers", s.time_servers, {.doc = "NTP servers"});
    v("mirror", s.mirror, {.doc = "where packages and container images come from at a site without internet"});
    v("time_zone", s.time_zone, {.standard = "UTC", .why = "one clock for all logs", .doc = "time zone of the nodes"});
    v("iommu", s.iommu, {.doc = "how the IOMMU is set", .words = "off|passthrough|translate"});
    v("acs", s.acs, {.doc = "PCIe access control services enabled"});
    v("gpudirect_rdma", s.gpudirect_rdma, {.doc = "NICs are to read and write GPU memory"});
    v("secure_boot", s.secure_boot, {.doc = "firmware checks signatures of kernel modules"});
    v("signed_modules", s.signed_modules,
      {.doc = "GPU and RDMA modules are signed with a key that the firmware knows"});
    v("persistence", s.persistence, {.doc = "GPU persistence mode"});
    v("mig", s.mig, {.doc = "MIG layout: off, or a profile for every GPU such as 7x1g.10gb"});
    v("gpu_shards", s.gpu_shards,
      {.doc = "Slurm: parts in which a GPU is handed out to jobs that share it; left out: a GPU is one job's",
       .least = 2,
       .most = 1024});
    v("smt", s.smt,
      {.doc =
           "hardware threads of a core (SMT, Hyper-Threading): true: all that the processor has; false: one, switched "
           "off in the firmware (of an instance: one thread a core among its CPU options); nosmt: one, the firmware "
           "leaves them on and the kernel argument nosmt switches them off; left out: true, or nosmt where "
           "`kernel_arguments` has it. Of a virtual machine true and nosmt say that two of its processors are "
           "threads of one core"});
    v("nodes_per_socket", s.nodes_per_socket, {.doc = "NUMA nodes of each socket (NPS)", .least = 1, .most = 16});
    v("max_read_request", s.max_read_request,
      {.doc = "largest read request that network adapters send over PCIe (MaxReadReq): 4 KiB",
       .least = 128,
       .most = 4096});
    v("huge_pages", s.huge_pages, {.doc = "huge pages of 2 MiB reserved on each node", .least = 0, .most = 1e8});
    v("limits", s.limits, {.doc = "limits of user processes"});
  }
};

}  // namespace clusterc
