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
#include "spec/network.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "targets/collective_figures.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/rdma_ports.h"
#include "validate/expected_time.h"
#include "validate/node_tests.h"
#include "validate/pair_search.h"
#include "validate/rdma_tests.h"
#include "validate/rounds.h"
#include "validate/vendor_hpl.h"

namespace clusterc {
namespace {

// What LINPACK takes in the suite: its order is chosen for so long. One that fills the memory of a large node takes
// hours; that is a run by hand (validators/hpl/README.md).
constexpr double kHplSeconds = 120;

// Rounds of the pair stage without a plan of the switches. A node with three partners is told apart from them: where
// only its own pairs are bad, it is to blame.
constexpr std::size_t kRounds = 3;

// Of teams of nodes that follow each other only those that are whole.
std::vector<std::string> whole_teams(const NodeGroupModel& group, std::int64_t size, const SuiteOptions& options) {
  if (size <= 1 || options.nodes.empty()) return names_of(group, options);
  std::vector<std::string> out;
  for (std::int64_t first = 0; first < group.count; first += size) {
    std::vector<std::string> team;
    for (std::int64_t i = first; i < std::min(first + size, group.count); ++i) team.push_back(group.names.name(i));
    if (std::all_of(team.begin(), team.end(), [&](const std::string& n) { return options.nodes.contains(n); }))
      out.insert(out.end(), team.begin(), team.end());
  }
  return out;
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
                 .ranks_per_node = static_cast<int>(group.server.gpu_count),
                 .gpus_per_node = group.server.gpu_count,
                 .mpi = true,
                 .scope = std::string(scope)};
  if (scope == "node")
    test.team_nodes = 1;
  else if (scope != "whole")
    test.team_nodes = static_cast<std::int64_t>(unit.nodes);
  test.nodes = whole_teams(group, test.team_nodes, options);
  if (test.nodes.empty() || (scope == "whole" && test.nodes.size() < 2)) return std::nullopt;
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

// Appends the tests of each stage, in the order in which they run.
class SuitePlanner {
 public:
  SuitePlanner(const Cluster& cluster, const ExpectedFigures& expected, const SuiteOptions& options)
      : cluster_(cluster), expected_(expected), options_(options) {
    if (options.seconds > 0) lasting_ = {"--seconds", format("{}", options.seconds)};
    if (options.allow_busy) lasting_.emplace_back("--allow-busy");
  }

  void add_probe(const NodeGroupModel& group);
  // What one node of a group measures alone.
  void add_node_tests(const NodeGroupModel& group);
  // Two nodes at a time: they write to each other through each port of the compute network; without RDMA a collective.
  void add_pairs(const NodeGroupModel& group);
  // Collectives of nodes that share a leaf, or stand in one rack, all leaves or racks at the same time.
  void add_parts(const NodeGroupModel& group);
  void add_soak(const NodeGroupModel& group);
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
  SuiteTest on_node(const NodeGroupModel& group, SuiteStage stage, const char* validator, bool gpu,
                    std::vector<std::string> metrics, std::chrono::milliseconds more = {}) const;
  void add_pcie_links(const NodeGroupModel& group);
  void add_rdma_ports(const NodeGroupModel& group);
  void add_matrix_products(const NodeGroupModel& group);
  void add_pairs_of_ports(const NodeGroupModel& group, const std::vector<RdmaPorts>& ports);
  void add_pairs_of_ranks(const NodeGroupModel& group);
  void add_teams(const NodeGroupModel& group, SuiteStage stage, std::string id, std::string scope,
                 std::vector<std::string> nodes, std::int64_t team_nodes);
  void add_part(const NodeGroupModel& group, const std::string& scope,
                const std::vector<std::pair<std::int64_t, std::string>>& places);

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
  if (test.expected_s == 0 && !test.length_unknown) test.expected_s = expected_seconds(test, options_.seconds);
  suite_.push_back(std::move(test));
}

void SuitePlanner::add_lasting(SuiteTest test) {
  test.arguments.insert(test.arguments.end(), lasting_.begin(), lasting_.end());
  add(std::move(test));
}

SuiteTest SuitePlanner::on_node(const NodeGroupModel& group, SuiteStage stage, const char* validator, bool gpu,
                                std::vector<std::string> metrics, std::chrono::milliseconds more) const {
  SuiteTest test{.id = format("{}/{}/{}{}", stage_name(stage), group.name, validator, gpu ? "-gpu" : ""),
                 .stage = stage,
                 .validator = validator,
                 .arguments = {"--device", gpu ? "cuda" : "host"},
                 .group = group.name,
                 .nodes = names_of(group, options_),
                 .gpus_per_node = gpu ? group.server.gpu_count : 0,
                 .timeout = patience(8 * std::max<double>(1, static_cast<double>(group.server.gpu_count))) + more,
                 .metrics = std::move(metrics)};
  test.figures = static_cast<double>(test.metrics.size()) *
                 std::max<double>(1, gpu ? static_cast<double>(group.server.gpu_count) : 1);
  return test;
}

void SuitePlanner::add_node_tests(const NodeGroupModel& group) {
  // A group with GPUs is measured on its GPUs: a host figure says nothing about them.
  const bool gpus = group.server.gpu_count > 0;
  add_lasting(
      on_node(group, SuiteStage::node, "memory", gpus, {"memory.copy", "memory.scale", "memory.add", "memory.triad"}));
  add_pcie_links(group);
  if (gpus)
    add_lasting(on_node(group, SuiteStage::node, "pcie", true, {"pcie.copy", "pcie.copy.to_host", "pcie.copy.both"}));
  if (has_nvlink_pairs(group.server)) add(nvlinks(group, options_));
  add_rdma_ports(group);
  for (SuiteTest& test : containers(group, options_)) add(std::move(test));
  add_matrix_products(group);
  if (group.server.gpu_count > 1) add_collectives(group, SuiteStage::node, "node", "nccl");
}

// memtest and burn load every node, or its GPUs, for a long time; both share the length of the stage.
void SuitePlanner::add_soak(const NodeGroupModel& group) {
  const bool gpus = group.server.gpu_count > 0;
  const double each = options_.soak_seconds / (options_.memtest && options_.burn ? 2 : 1);
  const auto add_one = [&](SuiteTest test) {
    test.figures = 1;
    if (each > 0) {
      test.arguments.insert(test.arguments.end(), {"--seconds", format("{}", each)});
      if (options_.allow_busy) test.arguments.emplace_back("--allow-busy");
      test.timeout += std::chrono::milliseconds(std::llround(each * 1500));
      test.expected_s = expected_seconds(test, each);
      add(std::move(test));
    } else {
      add_lasting(std::move(test));
    }
  };
  if (options_.memtest) {
    SuiteTest test = on_node(group, SuiteStage::soak, "memtest", gpus,
                             {"memtest.solid", "memtest.walking", "memtest.address", "memtest.random",
                              "memtest.inversions", "memtest.hold"});
    if (each == 0 && options_.seconds == 0) {
      const double round = memtest_round_seconds(group, expected_);
      test.expected_s = expected_seconds(test, 0) + round;
      test.timeout += std::chrono::hours(4) + std::chrono::milliseconds(std::llround(round * 3000));
    }
    add_one(std::move(test));
  }
  if (options_.burn) add_one(on_node(group, SuiteStage::soak, "burn", gpus, {"burn.flops", "burn.slowest"}));
}

void SuitePlanner::add_probe(const NodeGroupModel& group) {
  add({.id = "inventory/" + group.name + "/probe",
       .stage = SuiteStage::inventory,
       .validator = "probe",
       .arguments = {},
       .group = group.name,
       .nodes = names_of(group, options_),
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
                  .nodes = names_of(group, options_),
                  .metrics = {"pcie.link.gpu", "pcie.link.nic", "pcie.link.nvme"}};
  if (group.server.gpu_count <= 0) std::erase(links.metrics, "pcie.link.gpu");
  // What a GPU and an adapter of one switch exchange must not go through the processor. A superchip's GPU has no switch
  // with its adapter, and hosts of virtual machines, whose spec says `acs: true`, need what keeps the machines apart.
  const bool superchip = group.server.gpu && group.server.gpu->form.value == GpuForm::superchip;
  if (asks_for_gpudirect(group) && !superchip && !group.software->acs.value_or(false))
    links.arguments.insert(links.arguments.end(), {"--acs", "off"});
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
       .nodes = names_of(group, options_),
       .metrics = {"fabric.link", "fabric.links"}});
}

void SuitePlanner::add_matrix_products(const NodeGroupModel& group) {
  const bool gpus = group.server.gpu_count > 0;
  std::vector<std::string> products = {"gemm.fp64", "gemm.fp32"};
  if (gpus) products.insert(products.end(), {"gemm.tf32", "gemm.bf16", "gemm.fp16"});
  if (gpus && group.server.gpu && group.server.gpu->fp8) products.emplace_back("gemm.fp8");
  // Five seconds of each precision, and every result is checked, one GPU after the other.
  add_lasting(on_node(group, SuiteStage::node, "gemm", gpus, std::move(products),
                      std::chrono::minutes(2 * group.server.gpu_count)));
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
  test->figures = 60.0 * static_cast<double>(test->metrics.size());
  add_lasting(std::move(*test));
}

void SuitePlanner::add_pairs(const NodeGroupModel& group) {
  if (names_of(group, options_).size() < 2) return;
  const std::vector<RdmaPorts> ports = rdma_compute_ports(cluster_, index_of(group));
  if (!ports.empty()) {
    add_pairs_of_ports(group, ports);
    for (SuiteTest& test : gpudirect_tests(group, ports, options_)) {
      test.timeout = patience(test.figures);
      add_lasting(std::move(test));
    }
    return;
  }
  if (rdma_ports(cluster_, index_of(group)).missing.empty()) add_pairs_of_ranks(group);
}

// The pairs of a round measure at the same time, the ports of a pair one after the other: each port of a node is a
// rail.
void SuitePlanner::add_pairs_of_ports(const NodeGroupModel& group, const std::vector<RdmaPorts>& ports) {
  const std::vector<std::string> nodes = names_of(group, options_);
  std::int64_t rails = 0;
  for (const RdmaPorts& p : ports) rails += p.count;
  // A host's partner is its neighbour in --hosts. Where the plan knows the switches, the search for culprits chooses.
  std::vector<std::vector<std::string>> orders;
  if (options_.plan) orders = search_rounds(*options_.plan, index_of(group), nodes, rails);
  const bool search = !orders.empty();
  if (!search)
    for (const Round& round : rounds(nodes.size(), kRounds)) {
      orders.emplace_back();
      for (const auto& [first, second] : round.pairs)
        orders.back().insert(orders.back().end(), {nodes[first], nodes[second]});
    }
  int number = 0;
  for (const std::vector<std::string>& order : orders) {
    add_lasting({.id = format("pair/{}/fabric-{}", group.name, ++number),
                 .stage = SuiteStage::pair,
                 .validator = "fabric",
                 .arguments = {"--ports", ports_argument(ports), "--hosts", join(order, ",")},
                 .group = group.name,
                 .nodes = order,
                 .timeout = patience(4.0 * static_cast<double>(rails)),
                 .figures = 4.0 * static_cast<double>(rails),  // bandwidth and latency, in both directions
                 .metrics = {"rdma.write", "rdma.write_latency"},
                 .team_nodes = 2,
                 .ports = rails,
                 .search_round = search ? number : 0});
  }
}

// Schedulers place the ranks of a world in the order of the nodes: pairs are neighbours.
void SuitePlanner::add_pairs_of_ranks(const NodeGroupModel& group) {
  const std::vector<std::string> nodes = names_of(group, options_);
  std::size_t number = 0;
  for (const Round& round : neighbour_rounds(nodes.size())) {
    std::vector<std::string> order;
    for (const auto& [first, second] : round.pairs) order.insert(order.end(), {nodes[first], nodes[second]});
    add_teams(group, SuiteStage::pair, format("pair/{}/collective-{}", group.name, ++number), "pair", std::move(order),
              2);
  }
}

// All-reduce in each team at the same time. Nobody has published figures of such parts: the data is checked, and the
// figures are kept.
void SuitePlanner::add_teams(const NodeGroupModel& group, SuiteStage stage, std::string id, std::string scope,
                             std::vector<std::string> nodes, std::int64_t team_nodes) {
  const bool gpus = group.server.gpu_count > 0;
  SuiteTest test{.id = std::move(id),
                 .stage = stage,
                 .validator = "nccl",
                 .arguments = {"--device", gpus ? "cuda" : "host", "--teams", format("{}", team_nodes), "--collectives",
                               "all_reduce", "--max-size",
                               !options_.max_size.empty() ? options_.max_size
                               : gpus                     ? largest_message(group.server)
                                                          : std::string("64MiB")},
                 .group = group.name,
                 .nodes = std::move(nodes),
                 .ranks_per_node = gpus ? static_cast<int>(group.server.gpu_count) : 1,
                 .gpus_per_node = group.server.gpu_count,
                 .timeout = patience(60) + std::chrono::minutes(20),
                 .figures = 60,  // thirty sizes, in place and not
                 .mpi = true,
                 .metrics = {"nccl.all_reduce.busbw"},
                 .scope = std::move(scope),
                 .team_nodes = team_nodes};
  add_lasting(std::move(test));
}

void SuitePlanner::add_parts(const NodeGroupModel& group) {
  if (!options_.plan || group.server.gpu_count == 0) return;
  const Plan& plan = *options_.plan;
  int fabric = -1;
  for (std::size_t i = 0; i < plan.fabrics.size() && fabric < 0; ++i)
    if (const int network = plan.fabrics[i].network;
        network >= 0 && cluster_.networks[static_cast<std::size_t>(network)].carries_traffic(Traffic::compute))
      fabric = static_cast<int>(i);
  std::vector<std::pair<std::int64_t, std::string>> leaves, racks;
  for (std::int64_t i = 0; i < group.count; ++i) {
    std::string name = group.names.name(i);
    if (!options_.nodes.empty() && !options_.nodes.contains(name)) continue;
    const std::int64_t node = group.first + i;
    if (fabric >= 0 && !plan.fabrics[static_cast<std::size_t>(fabric)].tiers.empty())
      leaves.emplace_back(plan.leaf_of_node(fabric, node), name);
    racks.emplace_back(plan.node_rack[static_cast<std::size_t>(node)], std::move(name));
  }
  add_part(group, "leaf", leaves);
  add_part(group, "rack", racks);
}

// Teams of a world follow each other and have one size: parts that do not are not measured apart.
void SuitePlanner::add_part(const NodeGroupModel& group, const std::string& scope,
                            const std::vector<std::pair<std::int64_t, std::string>>& places) {
  if (places.empty()) return;
  std::vector<std::size_t> sizes;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].first < 0) return;
    if (i == 0 || places[i].first != places[i - 1].first) {
      if (!seen.insert(places[i].first).second) return;
      sizes.push_back(0);
    }
    ++sizes.back();
  }
  const std::size_t size = sizes.front();
  const bool even = std::all_of(sizes.begin(), sizes.end() - 1, [&](std::size_t s) { return s == size; });
  if (sizes.size() < 2 || size < 2 || !even || sizes.back() > size || sizes.back() < 2) return;
  std::vector<std::string> nodes;
  for (const auto& [place, name] : places) nodes.push_back(name);
  const auto same = std::find_if(suite_.begin(), suite_.end(), [&](const SuiteTest& t) {
    return t.stage == SuiteStage::group && t.group == group.name && t.team_nodes == static_cast<std::int64_t>(size);
  });
  if (same != suite_.end()) return;  // these very teams are measured already: the NVLink domain, or the leaf
  add_teams(group, SuiteStage::group, format("group/{}/nccl-{}", group.name, scope), scope, std::move(nodes),
            static_cast<std::int64_t>(size));
}

void SuitePlanner::add_hpl(const NodeGroupModel& group) {
  // A rank for each GPU. Without GPUs one rank a node, with a BLAS thread for each core; one node alone: its cores
  // are the ranks, at most 16, as for mpi.
  const std::int64_t gpus = group.server.gpu_count;
  std::vector<std::string> nodes = names_of(group, options_);
  if (nodes.empty()) return;
  const int ranks = gpus > 0           ? static_cast<int>(gpus)
                    : nodes.size() > 1 ? 1
                                       : static_cast<int>(std::clamp<std::int64_t>(group.server.cores, 1, 16));
  SuiteTest test{.id = "group/" + group.name + "/hpl",
                 .stage = SuiteStage::group,
                 .validator = "hpl",
                 .arguments = {"--device", gpus > 0 ? "cuda" : "host"},
                 .group = group.name,
                 .nodes = std::move(nodes),
                 .ranks_per_node = ranks,
                 .gpus_per_node = gpus,
                 .timeout = patience(4),
                 .mpi = true,
                 .metrics = {"hpl.score"}};
  test.arguments.insert(test.arguments.end(),
                        {"--seconds", format("{}", options_.seconds > 0 ? options_.seconds : kHplSeconds)});
  if (options_.allow_busy) test.arguments.emplace_back("--allow-busy");
  // Where there are GPUs the program is one for GPUs, and hosts keep ours.
  const bool any_gpus =
      std::ranges::any_of(cluster_.nodes, [](const auto& g) { return g.computes && g.server.gpu_count > 0; });
  if (!options_.hpl.empty() && any_gpus == (gpus > 0))
    take_vendor_hpl(test, group, figure_in_scope(expected_, "hpl.score", group.name, ""), options_.hpl);
  add(std::move(test));
}

void SuitePlanner::add_mpi() {
  std::vector<std::string> everybody;
  std::optional<std::int64_t> fewest_cores;
  for (const NodeGroupModel& group : cluster_.nodes) {
    if (!group.computes) continue;
    const std::vector<std::string> nodes = names_of(group, options_);
    if (nodes.empty()) continue;
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
                 .figures = 96,
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
    const std::vector<std::string> names = names_of(cluster_.nodes[static_cast<std::size_t>(group)], options_);
    nodes.insert(nodes.end(), names.begin(), names.end());
  }
  if (nodes.empty()) return;
  const double files = storage_file_seconds(cluster_, expected_, index, nodes.size());
  SuiteTest test{
      .id = "whole/" + system.name + "/storage",
      .stage = SuiteStage::whole,
      .validator = "storage",
      .arguments = {"--path", *system.spec->mount, "--mounted"},
      .group = "",
      .nodes = std::move(nodes),
      .timeout = patience(9),
      .figures = 9,
      .metrics = {"storage.read", "storage.write", "storage.random_read", "storage.random_write", "storage.create",
                  "storage.stat", "storage.unlink", "storage.checkpoint_read", "storage.checkpoint_write"},
      .system = system.name};
  test.expected_s = expected_seconds(test, options_.seconds) + files;
  test.timeout += std::chrono::milliseconds(std::llround(files * 3000));
  add_lasting(std::move(test));
}

}  // namespace

std::string_view stage_name(SuiteStage s) {
  switch (s) {
    case SuiteStage::inventory:
      return "inventory";
    case SuiteStage::node:
      return "node";
    case SuiteStage::pair:
      return "pair";
    case SuiteStage::group:
      return "group";
    case SuiteStage::whole:
      return "whole";
    case SuiteStage::soak:
      return "soak";
  }
  return "?";
}

std::vector<SuiteStage> all_stages() {
  return {SuiteStage::inventory, SuiteStage::node,  SuiteStage::pair,
          SuiteStage::group,     SuiteStage::whole, SuiteStage::soak};
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
  if (!options.nodes.empty())
    std::erase_if(groups, [&](const NodeGroupModel* group) { return names_of(*group, options).empty(); });
  SuitePlanner planner(cluster, expected, options);
  for (const NodeGroupModel* group : groups) planner.add_probe(*group);
  for (const NodeGroupModel* group : groups) planner.add_node_tests(*group);
  for (const NodeGroupModel* group : groups) planner.add_pairs(*group);
  for (const NodeGroupModel* group : groups) {
    if (group->server.gpu_count == 0 || group->count < 2) continue;
    planner.add_collectives(*group, SuiteStage::group, "nvlink-domain", "nccl-domain");
    planner.add_parts(*group);
    planner.add_collectives(*group, SuiteStage::group, "whole", "nccl");
  }
  for (const NodeGroupModel* group : groups) planner.add_hpl(*group);
  planner.add_mpi();
  for (std::size_t i = 0; i < cluster.storage.size(); ++i) planner.add_storage(static_cast<int>(i));
  for (const NodeGroupModel* group : groups) planner.add_soak(*group);
  return planner.take();
}

}  // namespace clusterc
