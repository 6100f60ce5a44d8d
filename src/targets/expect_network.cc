#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/nvlink.h"
#include "model/rdma.h"
#include "plan/fabric/routing.h"
#include "spec/ha.h"
#include "spec/target.h"
#include "targets/collectives.h"
#include "targets/expect.h"
#include "targets/paths.h"
#include "targets/published.h"
#include "targets/rdma_ports.h"

namespace clusterc {

// Why the published figures, all of them of RDMA, say nothing of a group's compute network; empty: they do.
std::string Expect::over_tcp(const ComputePorts& ports) const {
  if (ports.nics == 0) return "";
  const NetworkModel& network = cluster_.networks[static_cast<std::size_t>(ports.network)];
  return is_rdma(network)
             ? ""
             : format("network '{}' has no `rdma`: NCCL runs over TCP, healthy figures are published of RDMA only",
                      network.name);
}

// Writes from the memory of one node into that of another.
void Expect::rdma_paths(const NodeGroupModel& group) {
  const ComputePorts ports = compute_ports(cluster_, group);
  const std::string no_network = "no network carries compute traffic of " + group.name;
  Figure rdma;
  std::string rdma_row;
  if (ports.nics > 0) {
    const NetworkModel& network = cluster_.networks[static_cast<std::size_t>(ports.network)];
    if (is_rdma(network))
      rdma = {rdma_ceiling(ports.rate).value, format("{} / 8 x {}", to_text(ports.rate), kPayloadShare), "arithmetic",
              true};
    rdma_row = format("{} {:.0f}",
                      network.kind == LinkKind::infiniband ? "infiniband"
                      : network.kind == LinkKind::ethernet ? "roce"
                                                           : "other",
                      ports.rate.value / 1e9);
  }
  // Plain Ethernet has no RDMA to measure: it is named where the spec asks for it, or where no network is known.
  const std::string tcp = over_tcp(ports);
  const bool pairs =
      group.count > 1 && !rdma_compute_ports(cluster_, static_cast<int>(&group - cluster_.nodes.data())).empty();
  if (pairs && asks_for_gpudirect(group))
    path(group, "rdma.gpu_write", "pair", rdma, no_network, find_published("rdma.gpu_write", rdma_row), std::nullopt,
         "", true);
  if (const auto wished = wish(group.name, &TestTargets::rdma); wished || tcp.empty())
    path(group, "rdma.write", "pair", std::move(rdma), tcp.empty() ? no_network : tcp,
         tcp.empty() ? find_published("rdma.write", rdma_row) : nullptr, wished, "", pairs);
}

// Writes between two nodes, all-gather and all-to-all over the network of the compute ports.
void Expect::network_paths(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const ComputePorts ports = compute_ports(cluster_, group);
  const CollectiveUnit unit = collective_unit(cluster_, group);
  const double g = unit.gpus, n = static_cast<double>(server.gpu_count * group.count),
               units = std::ceil(static_cast<double>(group.count) / unit.nodes);
  const std::string no_network = "no network carries compute traffic of " + group.name;
  Figure gather, alltoall;
  PublishedRow gather_row{"nccl.all_gather.busbw", "", std::nullopt, std::nullopt, std::nullopt, "none", ""},
      alltoall_row = gather_row;
  if (ports.nics > 0) {
    if (units > 1) {
      const double ring =
          unit.link.value > 0 && unit.gpus > 1 ? std::min(unit.link.value, unit.network.value) : unit.network.value;
      gather = {ring,
                format("ring: {} x {} / 8 x {}, or {} where that is less", ports.nics, to_text(ports.rate),
                       kPayloadShare, unit.nvlink ? "NVLink" : "PCIe"),
                "arithmetic", true};
      // Shares of the ring ceiling of healthy systems: 0.892 typical, 0.825 lowest, 0.959 best; of two nodes
      // (NVIDIA/aicr) and four (aigatech/vpbenchmarking) of H100, whose links and ports H200 has as well. Nothing shows
      // what more nodes lose.
      constexpr double kSeenGather = 4;
      constexpr int kHopper = 90;
      gather_row = {
          "nccl.all_gather.busbw",
          "",
          0.892 * ring,
          0.825 * ring,
          std::nullopt,
          unit.nvidia && unit.nvlink && ports.nics == 8 && ports.rate.value == 400e9 && unit.sm == kHopper &&
                  units <= kSeenGather
              ? "measured"
              : "transferred",
          "bus bandwidth of healthy systems, as a share of the ring ceiling: aigatech/vpbenchmarking, NVIDIA/aicr",
          0.959 * ring};
      if (unnamed_ || wish(group.name, &TestTargets::all_to_all)) {
        const double each = unit.network.value / g, most = all_to_all_ceiling(BytesPerSecond(each), n, g).value;
        std::string formula =
            format("{} of each GPU's adapters x (n-1)/(n-g), n = {}, g = {}", to_text(BytesPerSecond(each)), n, g);
        double fullest = 1;
        const std::vector<PatternLoad>& loads = plan_.loads(ports.network, true);
        if (!loads.empty() && loads.front().worst > 1 + 1e-9) {
          fullest = loads.front().worst;
          formula +=
              format(", / {:.3g}: the fullest link of the planned routing carries that much of an end port", fullest);
        }
        alltoall = {most / fullest, std::move(formula), "arithmetic", true};
        // 48 to 49 GB/s of a 400 Gb/s adapter, in the words of a maintainer.
        alltoall_row = {"nccl.all_to_all.busbw",      "", std::nullopt, 0.98 * most / fullest, std::nullopt, "stated",
                        "NVIDIA/nccl-tests issue 267"};
      }
    }
  }
  const std::string tcp = over_tcp(ports);
  rdma_paths(group);
  const std::string one_node = ports.nics > 0 ? "one node: there is no other to send to" : no_network;
  path(group, "nccl.all_gather.busbw", "whole", std::move(gather), one_node, tcp.empty() ? &gather_row : nullptr,
       wish(group.name, &TestTargets::all_gather), tcp);
  path(group, "nccl.all_to_all.busbw", "whole", std::move(alltoall), one_node, tcp.empty() ? &alltoall_row : nullptr,
       wish(group.name, &TestTargets::all_to_all), tcp);
}

// All-reduce inside one node, inside an NVLink domain of several, and across the group: the ceiling is the best of
// the algorithms that are available.
void Expect::all_reduce(const NodeGroupModel& group) {
  const auto wished = wish(group.name, &TestTargets::all_reduce);
  TargetScope asked =
      wished && wished->scope ? *wished->scope : TargetScope::whole;  // else it is of the widest scope that there is
  const CollectiveUnit unit = collective_unit(cluster_, group);
  // Where NVLink joins the GPUs of one node and no more, the node is its domain.
  if (asked == TargetScope::nvlink_domain && unit.nodes <= 1) asked = TargetScope::node;
  const double units = std::ceil(static_cast<double>(group.count) / unit.nodes);
  const std::string tcp = over_tcp(compute_ports(cluster_, group));
  const auto of = [&](const char* scope, const CollectiveUnit& u, double k, bool mine, const std::string& missing) {
    ExpectedFigure f{.test = "nccl.all_reduce.busbw", .group = group.name, .scope = scope};
    std::optional<PublishedRow> row;
    if (const std::vector<Algorithm> algorithms = all_reduce_algorithms(u, k); !algorithms.empty()) {
      f.algorithm = algorithms.front().name;
      f.ceiling = {algorithms.front().ceiling, algorithms.front().formula, "arithmetic", true};
      if (k < 2 && u.nvlink) {
        const Value<BytesPerSecond>& link = gpu_link_of(group.server);
        f.ceiling.source = link.source;
        f.ceiling.confirmed = link.confirmed;
      }
      // Inside a node a share that other parts show is no figure of this hardware.
      if (k >= 2) f.missing = tcp;
      // Twenty NVL72 racks, 1,440 GPUs: 405 GB/s at 16 GiB and still rising (coreweave/nccl-tests), which no share of a
      // bandwidth explains: nothing is typical of three racks and more.
      const bool racks = u.nodes > 1 && k > 2;
      if (racks && f.missing.empty())
        f.missing =
            "published results of more than two NVLink domains follow from no bandwidth: set a floor in targets";
      if (const auto healthy = healthy_all_reduce(u, k);
          f.missing.empty() && healthy && (k >= 2 || healthy->basis != "transferred"))
        row = PublishedRow{f.test,
                           "",
                           healthy->lowest || healthy->basis != "gate" ? std::optional(healthy->typical) : std::nullopt,
                           healthy->lowest,
                           healthy->gate,
                           healthy->basis,
                           healthy->source,
                           healthy->best};
    } else {
      f.missing = missing;
    }
    finish(std::move(f), row ? &*row : nullptr, mine ? wished : std::nullopt);
  };
  CollectiveUnit node = unit;
  node.gpus = static_cast<double>(group.server.gpu_count);
  node.nodes = 1;
  const bool one_unit = group.count > 1 && units < 2;
  if (node.gpus > 1 && node.link.value > 0) of("node", node, 1, group.count < 2 || asked == TargetScope::node, "");
  if (unit.nodes > 1)
    of("nvlink-domain", unit, 1, one_unit ? asked != TargetScope::node : asked == TargetScope::nvlink_domain, "");
  if (group.count < 2 || one_unit) return;
  const bool mine = asked != TargetScope::node && asked != TargetScope::nvlink_domain;
  of("whole", unit, units, mine,
     unit.network.value > 0
         ? format("gpu_link and pcie_generation of {} are not in the catalogue", group.server.gpu_model)
         : "no network carries compute traffic of " + group.name);
}

// MPI all-reduce over all computing nodes, one rank a node: what the slowest node's ports carry. A node sends and
// receives at once, so a ring's bus bandwidth is the payload rate of one direction.
void Expect::whole() {
  double slowest = 1e300;
  std::int64_t nodes = 0;
  std::string derivation;
  for (const NodeGroupModel& group : cluster_.nodes) {
    if (!group.computes) continue;
    nodes += group.count;
    const ComputePorts ports = compute_ports(cluster_, group);
    if (ports.nics == 0) {
      slowest = 0;
      continue;
    }
    const double b = static_cast<double>(ports.nics) * ports.rate.value / 8 * kPayloadShare;
    if (b < slowest) {
      slowest = b;
      derivation =
          format("{} x {} / 8 x {} on each node of {}", ports.nics, to_text(ports.rate), kPayloadShare, group.name);
    }
  }
  if (nodes == 0) return;
  for (const char* test : {"mpi.allreduce.busbw", "mpi.allreduce.time"}) {
    const bool latency = std::string_view(test) == "mpi.allreduce.time";
    ExpectedFigure f{.test = test,
                     .scope = "whole",
                     .dimension = latency ? Dimension::time : Dimension::byte_rate,
                     .lower_is_better = latency};
    if (latency)
      f.missing = "no published latency of this hardware and MPI: it is kept for comparison";
    else if (nodes < 2)
      f.missing = "one node: its ranks meet in memory, for which no ceiling is known";
    else if (slowest <= 0)
      f.missing = "a computing node is in no network that carries compute";
    else
      f.ceiling = {slowest, derivation, "arithmetic", true};
    finish(std::move(f), nullptr, std::nullopt);
  }
}

}  // namespace clusterc
