#include "validate/suite.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/text.h"
#include "model/mig.h"
#include "model/nvlink.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "targets/collective_figures.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/rdma_ports.h"

namespace clusterc {
namespace {

// What LINPACK takes in the suite: its order is chosen for so long. One that fills the memory of a large node takes
// hours; that is a run by hand (validators/hpl/README.md).
constexpr double kHplSeconds = 120;

std::vector<std::string> names_of(const NodeGroupModel& group) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(group.count));
  for (std::int64_t i = 0; i < group.count; ++i) names.push_back(group.names.name(i));
  return names;
}

std::string skip_reason(const ExpectedFigures& expected, std::string_view group,
                        const std::vector<std::string>& metrics, std::string_view scope = {}) {
  std::string reason;
  for (const std::string& metric : metrics) {
    const ExpectedFigure* figure = figure_in_scope(expected, metric, group, scope);
    if (!figure) continue;  // measured beside the others, and judged by nothing
    if (figure->skip.empty()) return {};
    if (reason.empty()) reason = figure->skip;
  }
  return reason;
}

// What needs all GPUs of a node, or would pass for having seen one instance of many.
bool needs_all_gpus(const SuiteTest& test) {
  return test.gpus_per_node > 0 && std::ranges::any_of(test.metrics, [](const std::string& metric) {
           return gpu_share_of(metric) == GpuShare::all;
         });
}

// As clusterc-fabric takes it: "infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000".
std::string ports_argument(const std::vector<RdmaPorts>& ports) {
  std::string out;
  for (const RdmaPorts& p : ports) {
    out += format("{}{}:{}x{}Gb/s", out.empty() ? "" : ",", p.kind == LinkKind::infiniband ? "infiniband" : "ethernet",
                  p.count, p.rate.value / 1e9);
    if (p.mtu > 0) out += format(":{}", p.mtu);
  }
  return out;
}

// The largest message, a power of two: three buffers of it on each GPU, and three on the host for each rank, which
// makes and compares the data: half of the host's memory, four fifths of the GPU's. Published figures are of 8 GiB and
// more.
std::string largest_message(const ServerModel& server) {
  double mib = 8192;
  const double gpus = static_cast<double>(std::max<std::int64_t>(server.gpu_count, 1));
  const auto holds = [&](double buffers, const Value<Bytes>& memory, double share) {
    return !memory || buffers * mib * 1048576 <= memory->value * share;
  };
  while (mib > 1 &&
         !(holds(3 * gpus, server.memory, 0.5) && holds(3, server.gpu ? server.gpu->memory : Value<Bytes>(), 0.8)))
    mib /= 2;
  return format("{:.0f}MiB", mib);
}

// Collectives of the GPUs of a group in one scope: what figures there are for it. Nothing where there are none.
std::optional<SuiteTest> collectives(const Cluster& cluster, const ExpectedFigures& expected,
                                     const NodeGroupModel& group, std::string_view scope, const SuiteOptions& options) {
  const CollectiveUnit unit = collective_unit(cluster, group);
  if (scope == "whole" && unit.network.value <= 0) return std::nullopt;  // nothing to send over
  SuiteTest test{.validator = "nccl",
                 .arguments = {"--device", "cuda"},
                 .group = group.name,
                 .nodes = names_of(group),
                 .ranks_per_node = static_cast<int>(group.server.gpu_count),
                 .gpus_per_node = group.server.gpu_count,
                 .mpi = true,
                 .scope = std::string(scope)};
  if (scope == "node")
    test.team_nodes = 1;
  else if (scope != "whole")
    test.team_nodes = static_cast<std::int64_t>(unit.nodes);
  std::string wanted, largest = options.max_size.empty() ? largest_message(group.server) : options.max_size;
  for (const ExpectedFigure& f : expected.figures) {
    const std::string_view collective = collective_of(f.test);
    if (f.group != group.name || f.scope != scope || collective.empty()) continue;
    test.metrics.push_back(f.test);
    wanted += (wanted.empty() ? "" : ",") + std::string(collective);
    if (f.size && options.max_size.empty()) largest = format("{:.0f}B", f.size->value);
  }
  if (test.metrics.empty()) return std::nullopt;
  if (test.team_nodes > 0) test.arguments.insert(test.arguments.end(), {"--teams", format("{}", test.team_nodes)});
  test.arguments.insert(test.arguments.end(), {"--collectives", wanted, "--max-size", largest});
  return test;
}

// One test for each container runtime of a group, so that each has a verdict of its own.
std::vector<SuiteTest> containers(const NodeGroupModel& group, const SuiteOptions& options) {
  std::vector<SuiteTest> out;
  const bool gpus = group.server.gpu_count > 0;
  for (const NamedVersion& named : group.software->containers) {
    if (!named.kind) continue;
    const std::string spelled = to_lower(*named.kind), runtime = spelled == "singularity" ? "apptainer" : spelled,
                      id = format("node/{}/container-{}", group.name, spelled);
    if (std::any_of(out.begin(), out.end(), [&](const SuiteTest& t) { return t.id == id; })) continue;  // named twice
    SuiteTest test{.id = id,
                   .stage = SuiteStage::node,
                   .validator = "container",
                   .arguments = {"--device", gpus ? "cuda" : "host", "--runtimes", runtime},
                   .group = group.name,
                   .nodes = names_of(group),
                   .gpus_per_node = group.server.gpu_count,
                   .metrics = {"container.start", "container.all_reduce"}};
    // As the validator has them (validators/container/runtimes.h).
    constexpr std::string_view kStarted[] = {"podman", "docker", "containerd", "enroot", "apptainer"};
    if (std::find(std::begin(kStarted), std::end(kStarted), runtime) == std::end(kStarted))
      test.skip = format("no program starts a container of '{}' by hand", spelled);
    if (group.software->container_gpus.value_or("cdi") == "hook")
      test.arguments.insert(test.arguments.end(), {"--gpus", "hook"});
    if (!options.image.empty()) test.arguments.insert(test.arguments.end(), {"--image", options.image});
    if (options.allow_busy) test.arguments.emplace_back("--allow-busy");
    out.push_back(std::move(test));
  }
  return out;
}

// Every pair of a node's GPUs: five figures each. A GPU takes part in all pairs with the others, and `seconds` are
// shared among them.
SuiteTest nvlinks(const NodeGroupModel& group, const SuiteOptions& options) {
  const auto gpus = static_cast<double>(group.server.gpu_count);
  SuiteTest test{.id = "node/" + group.name + "/nvlink",
                 .stage = SuiteStage::node,
                 .validator = "nvlink",
                 .arguments = {"--device", "cuda"},
                 .group = group.name,
                 .nodes = names_of(group),
                 .gpus_per_node = group.server.gpu_count,
                 .metrics = {"nvlink.copy", "nvlink.links"}};
  test.timeout += std::chrono::milliseconds(std::llround(options.seconds * 5 * gpus / 2 * 1500));
  if (const auto links = nvlinks_of_gpu(group.server))
    test.arguments.insert(test.arguments.end(), {"--links", format("{}", *links)});
  if (options.seconds > 0)
    test.arguments.insert(test.arguments.end(), {"--seconds", format("{}", options.seconds / (gpus - 1))});
  if (options.allow_busy) test.arguments.emplace_back("--allow-busy");
  return test;
}

// Appends the tests of each stage, in the order in which they run.
class SuitePlanner {
 public:
  SuitePlanner(const Cluster& cluster, const ExpectedFigures& expected, const SuiteOptions& options)
      : cluster_(cluster), expected_(expected), options_(options) {
    if (options.seconds > 0) lasting_ = {"--seconds", format("{}", options.seconds)};
    if (options.allow_busy) lasting_.emplace_back("--allow-busy");
  }

  // The probe of a group, and what one node of it measures alone.
  void add_inventory_and_node_tests(const NodeGroupModel& group);
  // Neighbours write to each other through the ports of the compute network.
  void add_pairs(const NodeGroupModel& group);
  void add_collectives(const NodeGroupModel& group, SuiteStage stage, std::string_view scope, std::string_view id);
  void add_hpl(const NodeGroupModel& group);
  // MPI over the nodes of all groups that compute.
  void add_mpi();
  // A file system on all nodes that mount it, at once: what each gets beside the others, and what all get together.
  void add_storage(int index);

  std::vector<SuiteTest> take() { return std::move(suite_); }

 private:
  void add(SuiteTest test);
  void add_lasting(SuiteTest test);
  void add_on_node(const NodeGroupModel& group, const char* validator, bool gpu, std::vector<std::string> metrics,
                   std::chrono::milliseconds more = {});
  void add_probe(const NodeGroupModel& group);
  void add_pcie_links(const NodeGroupModel& group);
  void add_rdma_ports(const NodeGroupModel& group);
  void add_matrix_products(const NodeGroupModel& group);
  void add_pairs_of(const NodeGroupModel& group, const char* id, const std::vector<RdmaPorts>& ports,
                    std::vector<std::string> nodes);

  // Beside what it measures a program takes at most this long; it measures so many figures (mpi: 24 sizes, two types,
  // in place and not).
  std::chrono::milliseconds patience(double figures) const {
    return std::chrono::milliseconds(std::chrono::minutes(10)) +
           std::chrono::milliseconds(std::llround(options_.seconds * figures * 1500));
  }
  int index_of(const NodeGroupModel& group) const { return static_cast<int>(&group - cluster_.nodes.data()); }

  const Cluster& cluster_;
  const ExpectedFigures& expected_;
  const SuiteOptions& options_;
  std::vector<std::string> lasting_;  // arguments of how long a program measures, and whether beside other work
  std::vector<SuiteTest> suite_;
};

// Adds the reason why a test is skipped, and the instances of its GPUs.
void SuitePlanner::add(SuiteTest test) {
  if (test.skip.empty())
    test.skip = test.system.empty() ? skip_reason(expected_, test.group, test.metrics, test.scope)
                                    : skip_reason(expected_, test.system, {"storage.read", "storage.write"});
  if (const int group = cluster_.find_node_group(test.group); group >= 0) {
    const Software& software = cluster_.nodes[static_cast<std::size_t>(group)].software;
    if (const auto layout = mig_layout(software)) test.gpu_instances = layout->count;
    if (test.skip.empty() && needs_all_gpus(test)) test.skip = why_not_all_gpus(software);
  }
  suite_.push_back(std::move(test));
}

void SuitePlanner::add_lasting(SuiteTest test) {
  test.arguments.insert(test.arguments.end(), lasting_.begin(), lasting_.end());
  add(std::move(test));
}

void SuitePlanner::add_on_node(const NodeGroupModel& group, const char* validator, bool gpu,
                               std::vector<std::string> metrics, std::chrono::milliseconds more) {
  add_lasting({.id = "node/" + group.name + "/" + validator + (gpu ? "-gpu" : ""),
               .stage = SuiteStage::node,
               .validator = validator,
               .arguments = {"--device", gpu ? "cuda" : "host"},
               .group = group.name,
               .nodes = names_of(group),
               .gpus_per_node = gpu ? group.server.gpu_count : 0,
               .timeout = patience(8 * std::max<double>(1, static_cast<double>(group.server.gpu_count))) + more,
               .metrics = std::move(metrics)});
}

void SuitePlanner::add_inventory_and_node_tests(const NodeGroupModel& group) {
  add_probe(group);
  // A group with GPUs is measured on its GPUs: a host figure says nothing about them.
  const bool gpus = group.server.gpu_count > 0;
  add_on_node(group, "memory", gpus, {"memory.copy", "memory.scale", "memory.add", "memory.triad"});
  add_pcie_links(group);
  if (gpus) add_on_node(group, "pcie", true, {"pcie.copy", "pcie.copy.to_host", "pcie.copy.both"});
  if (has_nvlink_pairs(group.server)) add(nvlinks(group, options_));
  add_rdma_ports(group);
  for (SuiteTest& test : containers(group, options_)) add(std::move(test));
  // 128 sweeps of the walking bits over a terabyte at 20 GB/s take 3.6 hours.
  if (options_.memtest)
    add_on_node(
        group, "memtest", gpus,
        {"memtest.solid", "memtest.walking", "memtest.address", "memtest.random", "memtest.inversions", "memtest.hold"},
        std::chrono::hours(4));
  if (options_.burn) add_on_node(group, "burn", gpus, {"burn.flops", "burn.slowest"});
  add_matrix_products(group);
  if (group.server.gpu_count > 1) add_collectives(group, SuiteStage::node, "node", "nccl");
}

void SuitePlanner::add_probe(const NodeGroupModel& group) {
  add({.id = "inventory/" + group.name + "/probe",
       .stage = SuiteStage::inventory,
       .validator = "probe",
       .arguments = {},
       .group = group.name,
       .nodes = names_of(group),
       .gpus_per_node = group.server.gpu_count});
}

// Links are read, not loaded; virtual machines and instances show others than the host has.
void SuitePlanner::add_pcie_links(const NodeGroupModel& group) {
  if (group.server.virtual_machine || group.server.instance) return;
  SuiteTest links{.id = "node/" + group.name + "/pcie",
                  .stage = SuiteStage::node,
                  .validator = "pcie",
                  .arguments = {"--device", "host"},
                  .group = group.name,
                  .nodes = names_of(group),
                  .metrics = {"pcie.link.gpu", "pcie.link.nic", "pcie.link.nvme"}};
  if (group.server.gpu_count <= 0) std::erase(links.metrics, "pcie.link.gpu");
  add(std::move(links));
}

void SuitePlanner::add_rdma_ports(const NodeGroupModel& group) {
  const RdmaPortsOfNode rdma = rdma_ports(cluster_, index_of(group));
  if (rdma.ports.empty()) return;
  add({.id = "node/" + group.name + "/fabric",
       .stage = SuiteStage::node,
       .validator = "fabric",
       .arguments = {"--ports", ports_argument(rdma.ports)},
       .group = group.name,
       .nodes = names_of(group),
       .metrics = {"fabric.link", "fabric.links"}});
}

void SuitePlanner::add_matrix_products(const NodeGroupModel& group) {
  const bool gpus = group.server.gpu_count > 0;
  std::vector<std::string> products = {"gemm.fp64", "gemm.fp32"};
  if (gpus) products.insert(products.end(), {"gemm.tf32", "gemm.bf16", "gemm.fp16"});
  if (gpus && group.server.gpu && group.server.gpu->fp8) products.emplace_back("gemm.fp8");
  // Five seconds of each precision, and every result is checked, one GPU after the other.
  add_on_node(group, "gemm", gpus, std::move(products), std::chrono::minutes(2 * group.server.gpu_count));
}

void SuitePlanner::add_collectives(const NodeGroupModel& group, SuiteStage stage, std::string_view scope,
                                   std::string_view id) {
  auto test = collectives(cluster_, expected_, group, scope, options_);
  if (!test) return;
  test->id = format("{}/{}/{}", stage_name(stage), group.name, id);
  test->stage = stage;
  // Thirty sizes in two places; the data of the largest is made and compared on the hosts, minutes each.
  test->timeout =
      patience(60.0 * static_cast<double>(test->metrics.size())) + std::chrono::minutes(20) * test->metrics.size();
  add_lasting(std::move(*test));
}

// Of an odd number of nodes the last writes to the first, after the others.
void SuitePlanner::add_pairs(const NodeGroupModel& group) {
  if (group.count < 2) return;
  const std::vector<RdmaPorts> ports = rdma_compute_ports(cluster_, index_of(group));
  if (ports.empty()) return;
  const std::vector<std::string> nodes = names_of(group);
  add_pairs_of(group, "fabric", ports, {nodes.begin(), nodes.end() - static_cast<std::ptrdiff_t>(nodes.size() % 2)});
  if (nodes.size() % 2 == 1) add_pairs_of(group, "fabric-last", ports, {nodes.front(), nodes.back()});
}

void SuitePlanner::add_pairs_of(const NodeGroupModel& group, const char* id, const std::vector<RdmaPorts>& ports,
                                std::vector<std::string> nodes) {
  add_lasting({.id = "group/" + group.name + "/" + id,
               .stage = SuiteStage::group,
               .validator = "fabric",
               .arguments = {"--ports", ports_argument(ports), "--hosts", fold_names(nodes)},
               .group = group.name,
               .nodes = std::move(nodes),
               .timeout = patience(4.0 * static_cast<double>(ports.front().count)),
               .metrics = {"rdma.write", "rdma.write_latency"}});
}

void SuitePlanner::add_hpl(const NodeGroupModel& group) {
  // A rank for each GPU. Without GPUs one rank a node, with a BLAS thread for each core; one node alone: its cores
  // are the ranks, at most 16, as for mpi.
  const std::int64_t gpus = group.server.gpu_count;
  const int ranks = gpus > 0          ? static_cast<int>(gpus)
                    : group.count > 1 ? 1
                                      : static_cast<int>(std::clamp<std::int64_t>(group.server.cores, 1, 16));
  SuiteTest test{.id = "group/" + group.name + "/hpl",
                 .stage = SuiteStage::group,
                 .validator = "hpl",
                 .arguments = {"--device", gpus > 0 ? "cuda" : "host"},
                 .group = group.name,
                 .nodes = names_of(group),
                 .ranks_per_node = ranks,
                 .gpus_per_node = gpus,
                 .timeout = patience(4),
                 .mpi = true,
                 .metrics = {"hpl.score"}};
  test.arguments.insert(test.arguments.end(),
                        {"--seconds", format("{}", options_.seconds > 0 ? options_.seconds : kHplSeconds)});
  if (options_.allow_busy) test.arguments.emplace_back("--allow-busy");
  add(std::move(test));
}

void SuitePlanner::add_mpi() {
  std::vector<std::string> everybody;
  std::optional<std::int64_t> fewest_cores;
  for (const NodeGroupModel& group : cluster_.nodes) {
    if (!group.computes) continue;
    const std::vector<std::string> nodes = names_of(group);
    everybody.insert(everybody.end(), nodes.begin(), nodes.end());
    if (group.server.cores > 0) fewest_cores = std::min(fewest_cores.value_or(group.server.cores), group.server.cores);
  }
  if (everybody.empty()) return;
  // One node: its cores are the ranks, at most 16. More: one rank a node, so that every transfer crosses the network.
  const int ranks =
      everybody.size() > 1 ? 1 : static_cast<int>(std::clamp<std::int64_t>(fewest_cores.value_or(2), 2, 16));
  SuiteTest test{.id = "whole/mpi",
                 .stage = SuiteStage::whole,
                 .validator = "mpi",
                 .arguments = {"--tests", "allreduce"},
                 .group = "",
                 .nodes = std::move(everybody),
                 .ranks_per_node = ranks,
                 .timeout = patience(96),
                 .mpi = true,
                 .metrics = {"mpi.allreduce.busbw", "mpi.allreduce.time"}};
  test.arguments.insert(test.arguments.end(), lasting_.begin(), lasting_.end());
  if (!options_.max_size.empty()) test.arguments.insert(test.arguments.end(), {"--max-size", options_.max_size});
  add(std::move(test));
}

void SuitePlanner::add_storage(int index) {
  const StorageModel& system = cluster_.storage[static_cast<std::size_t>(index)];
  std::vector<std::string> nodes;
  for (const int group : groups_that_mount(cluster_, index)) {
    const std::vector<std::string> names = names_of(cluster_.nodes[static_cast<std::size_t>(group)]);
    nodes.insert(nodes.end(), names.begin(), names.end());
  }
  if (nodes.empty()) return;
  add_lasting(
      {.id = "whole/" + system.name + "/storage",
       .stage = SuiteStage::whole,
       .validator = "storage",
       .arguments = {"--path", *system.spec->mount, "--mounted"},
       .group = "",
       .nodes = std::move(nodes),
       .timeout = patience(9),
       .metrics = {"storage.read", "storage.write", "storage.random_read", "storage.random_write", "storage.create",
                   "storage.stat", "storage.unlink", "storage.checkpoint_read", "storage.checkpoint_write"},
       .system = system.name});
}

}  // namespace

std::string_view stage_name(SuiteStage s) {
  switch (s) {
    case SuiteStage::inventory:
      return "inventory";
    case SuiteStage::node:
      return "node";
    case SuiteStage::group:
      return "group";
    case SuiteStage::whole:
      return "whole";
  }
  return "?";
}

std::vector<std::string_view> suite_validators() {
  return {"probe",   "memory", "gemm", "hpl",    "nccl",   "mpi",      "storage",
          "memtest", "burn",   "pcie", "nvlink", "fabric", "container"};
}

std::vector<SuiteTest> plan_suite(const Cluster& cluster, const ExpectedFigures& expected,
                                  const SuiteOptions& options) {
  std::vector<const NodeGroupModel*> groups;  // those that compute
  for (const NodeGroupModel& group : cluster.nodes)
    if (group.computes) groups.push_back(&group);
  SuitePlanner planner(cluster, expected, options);
  for (const NodeGroupModel* group : groups) planner.add_inventory_and_node_tests(*group);
  for (const NodeGroupModel* group : groups) planner.add_pairs(*group);
  for (const NodeGroupModel* group : groups) {
    if (group->server.gpu_count == 0 || group->count < 2) continue;
    planner.add_collectives(*group, SuiteStage::group, "nvlink-domain", "nccl-domain");
    planner.add_collectives(*group, SuiteStage::group, "whole", "nccl");
  }
  for (const NodeGroupModel* group : groups) planner.add_hpl(*group);
  planner.add_mpi();
  for (std::size_t i = 0; i < cluster.storage.size(); ++i) planner.add_storage(static_cast<int>(i));
  return planner.take();
}

}  // namespace clusterc
