#include "targets/collectives.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "model/nvlink.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "targets/paths.h"
#include "targets/published.h"
#include "targets/sends.h"

namespace clusterc {
namespace {

constexpr double kGbit = 1e9;
// In-node all-reduce of healthy systems as a share of the ceiling, where no figure of the part itself is published:
// A100 and H200 rings (235.4 of 300, 366.6 of 450), H100 and B200 with NVLink SHARP (477.4 of 700, 841.9 of 1,400), two
// V100 over PCIe switches (11.7 of 14.6).
constexpr double kRingShare = 0.80, kSharpShare = 0.64, kPcieShare = 0.80;
// What a tree takes with next to no payload: a start, and twice a hop to each other GPU of the chain inside a node and
// to each level of nodes (NVIDIA/nccl src/graph/tuning.cc 2.30.7: baseLat of Tree, LL).
constexpr double kStart = 6.8e-6;
constexpr double kBoard = 8;  // GPUs that a chain joins at most; beyond it switches do, that add up themselves

// Shares of the ceiling that healthy systems show across units (reference: published results by system, each of them
// below its ceiling).
struct Share {
  double typical, lowest, best;
  std::string_view basis, source;
};
// Three units and more, eight ports of 400 Gb/s, of the ring: 330.9 (aigatech/vpbenchmarking), 350 (NVIDIA/nccl-tests
// issue 283), 381.8 (stas00/ml-engineering) of 392 GB/s.
constexpr Share kRing400{
    0.893, 0.844, 0.974, "measured",
    "bus bandwidth of healthy systems, as a share of the ring ceiling: aigatech/vpbenchmarking, NVIDIA/nccl-tests "
    "issue 283, stas00/ml-engineering"};
// Four ports of HDR: 93.5 to 97.5 of 98 GB/s.
constexpr Share kRing200{
    0.98, 0.954, 0.995, "measured",
    "bus bandwidth of healthy systems, as a share of the ring ceiling: NVIDIA/nccl-tests issues 252 and 119"};
// In-network reduction with a chain inside the node: 386.6 of 445.3 GB/s on twelve nodes of H100.
constexpr Share kInNetwork{0.868, 0.868, 0.868, "single",
                           "share of the ceiling with a chain inside the node: coreweave/nccl-tests"};
// Two units where the ports limit: 340 of 367.5 GB/s (8 x 200 Gb/s); where NVLink does: 471.2 of 477.4 GB/s.
constexpr Share kTwoPorts{0.925, 0.925, 0.925, "single", "share of the hierarchical ceiling on two nodes: NVIDIA/aicr"};
constexpr Share kTwoNvlink{0.987, 0.987, 0.987, "single",
                           "share of what one node shows, on two nodes: oracle-quickstart/oci-hpc"};

// Published bus bandwidth by message size; the last point is the plateau.
constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024;
struct Point {
  double bytes, rate;
};
struct Curve {
  double gpus, nodes;
  std::array<Point, 7> points;
};
constexpr Curve kA100{8,
                      1,
                      {{{32 * kKi, 1.37e9},
                        {256 * kKi, 10.1e9},
                        {kMi, 36.2e9},
                        {16 * kMi, 109e9},
                        {128 * kMi, 174e9},
                        {kGi, 228e9},
                        {8 * kGi, 231.6e9}}}};
constexpr Curve kH100{8,
                      1,
                      {{{32 * kKi, 1.71e9},
                        {256 * kKi, 10.9e9},
                        {kMi, 43.7e9},
                        {16 * kMi, 234e9},
                        {128 * kMi, 401e9},
                        {kGi, 466e9},
                        {8 * kGi, 478.9e9}}}};
constexpr Curve kB200{8,
                      1,
                      {{{32 * kKi, 1.20e9},
                        {256 * kKi, 9.5e9},
                        {kMi, 36.1e9},
                        {16 * kMi, 255e9},
                        {128 * kMi, 568e9},
                        {kGi, 723e9},
                        {8 * kGi, 839.1e9}}}};
constexpr Curve kAcross{8,
                        4,
                        {{{kMi, 5.4e9},
                          {16 * kMi, 64e9},
                          {128 * kMi, 198e9},
                          {512 * kMi, 327e9},
                          {kGi, 362e9},
                          {4 * kGi, 377e9},
                          {16 * kGi, 382e9}}}};

double bus_bytes(double ranks, double message) { return message * 2 * (ranks - 1) / ranks; }

double tree(double gpus, double nodes, Seconds hop) {
  return kStart + 2 * ((std::min(gpus, kBoard) - 1) * hop.value + std::log2(nodes) * kNetworkHop.value);
}

// What the curve's own system takes beyond the time of the same bytes at its plateau. Between the points straight over
// the size's logarithm.
double beyond_plateau(const Curve& c, double bytes) {
  const auto at = [&](const Point& p) {
    return bus_bytes(c.gpus * c.nodes, p.bytes) * (1 / p.rate - 1 / c.points.back().rate);
  };
  if (bytes >= c.points.back().bytes) return 0;
  if (bytes <= c.points.front().bytes) return at(c.points.front());
  std::size_t i = 1;
  while (c.points[i].bytes < bytes) ++i;
  const Point &a = c.points[i - 1], &b = c.points[i];
  return at(a) + (at(b) - at(a)) * std::log(bytes / a.bytes) / std::log(b.bytes / a.bytes);
}

// The same of another system: it does not shrink with bandwidth. With fewer hops than the curve's system it is less in
// proportion; each hop more costs what NCCL's tuner has (twelve nodes of H100 lose 311 us at 1 GiB,
// coreweave/nccl-tests, where four of B200 lose 301).
double latency(const CollectiveUnit& u, double gpus, double units, Bytes message) {
  const Curve& curve = units > 1 ? kAcross : u.sm >= 100 ? kB200 : u.sm >= 90 ? kH100 : kA100;
  const double here = tree(gpus, units, u.nvlink ? kNvlinkHop : kPcieHop),
               there = tree(curve.gpus, curve.nodes, kNvlinkHop);
  return beyond_plateau(curve, message.value) * std::min(1.0, here / there) + std::max(0.0, here - there);
}

std::string rate(double v) { return to_text(v, Dimension::byte_rate); }

// Of one unit: what its links allow, the best first.
std::vector<Algorithm> inside(const CollectiveUnit& u) {
  std::vector<Algorithm> out;
  if (u.gpus < 2 || u.link.value <= 0) return out;
  const double g = u.gpus, w = u.link.value;
  if (u.sharp)
    out.push_back(
        {"NVLink SHARP", 2 * w * (g - 1) / g * g / (g + 1), format("2 x {} x (n-1)/n x g/(g+1), g = {}", rate(w), g)});
  out.push_back(
      {"ring", w,
       u.nvlink ? format("ring over NVLink, {} one way", rate(w)) : format("ring over PCIe, {} one way", rate(w))});
  return out;
}

// N of the formulas above: the inside of a unit as part of n ranks.
double inside_term(const CollectiveUnit& u, double n) {
  if (u.gpus < 2) return 1e300;
  const double g = u.gpus, w = u.link.value, share = (n - 1) / n;
  return u.sharp ? std::max(2 * w * share * g / (g + 1), w * share * g / (g - 1)) : w * share * g / (g - 1);
}

}  // namespace

ComputePorts compute_ports(const Cluster& c, const NodeGroupModel& group) {
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    if (!c.networks[i].carries_traffic(Traffic::compute)) continue;
    for (const EndPoints& ends : c.networks[i].ends)
      if (ends.group >= 0 && &c.nodes[static_cast<std::size_t>(ends.group)] == &group)
        return {ends.rate, ends.ports_each, static_cast<int>(i)};
  }
  return {};
}

CollectiveUnit collective_unit(const Cluster& c, const NodeGroupModel& group) {
  const ServerModel& s = group.server;
  CollectiveUnit u;
  u.gpu = s.gpu_model;
  u.gpus = static_cast<double>(std::max<std::int64_t>(1, s.gpu_count));
  if (s.gpu && s.gpu->sm) u.sm = s.gpu->sm->major();
  u.nvidia = s.gpu && s.gpu->vendor.value_or(Vendor::other) == Vendor::nvidia;
  const std::int64_t joined = gpus_joined_by_nvlink(c, group);
  const Value<BytesPerSecond>& link = gpu_link_of(s);
  u.joined_all = joined >= s.gpu_count;
  if (u.joined_all && s.gpu_count > 1 && link && link->value > 0) {
    u.link = *link;
    u.nvlink = true;
    // A group that is smaller than the domain does not fill it.
    u.nodes = std::max<double>(1, std::floor(static_cast<double>(std::min(joined, s.gpu_count * group.count)) /
                                             static_cast<double>(s.gpu_count)));
    u.gpus *= u.nodes;
    // Boards of eight and racks have switches between their GPUs; boards of four and superchips of one node are wired
    // to each other.
    const bool switched =
        u.nodes > 1 ||
        (s.gpu->form && (*s.gpu->form == GpuForm::sxm5 || *s.gpu->form == GpuForm::sxm) && s.gpu_count == 8);
    u.sharp = switched && u.nvidia && u.sm >= 90;
  } else if (s.gpu && s.gpu->pcie_generation && s.gpu->pcie_lanes && s.gpu->form.value != GpuForm::superchip) {
    std::int64_t generation = *s.gpu->pcie_generation;
    if (s.cpu && s.cpu->pcie_generation) generation = std::min(generation, *s.cpu->pcie_generation);
    u.link = pcie_copy_ceiling(generation, *s.gpu->pcie_lanes);
  }
  const ComputePorts ports = compute_ports(c, group);
  if (ports.nics > 0) {
    u.nics = ports.nics;
    u.nic = ports.rate;
    u.network = rdma_ceiling(ports.rate) * (static_cast<double>(ports.nics) * u.nodes);
    const NetworkModel& n = c.networks[static_cast<std::size_t>(ports.network)];
    u.adds_in_network = n.spec && n.spec->sharp.value_or(false);
  }
  return u;
}

std::vector<Algorithm> all_reduce_algorithms(const CollectiveUnit& u, double k) {
  std::vector<Algorithm> out;
  if (k < 2) {
    out = inside(u);
  } else if (u.network.value > 0 && (u.link.value > 0 || u.gpus < 2)) {
    const double g = u.gpus, n = g * k, b = u.network.value, w = u.gpus < 2 ? 1e300 : u.link.value,
                 most = inside_term(u, n);
    const std::string ports =
        u.nodes > 1 ? format("{} nodes x {} x {} / 8 x {}", u.nodes, u.nics, to_text(u.nic), kPayloadShare)
                    : format("{} x {} / 8 x {}", u.nics, to_text(u.nic), kPayloadShare);
    const auto add = [&](std::string_view name, double network, double cap, std::string formula) {
      const bool capped = cap < network;
      out.push_back({name, std::min(network, cap),
                     capped ? format("{} inside the node is less than {}", rate(cap), formula) : std::move(formula)});
    };
    add("ring", b, w, ports);
    if (g > 1)
      add("hierarchical", b / g * (n - 1) / (k - 1), most, format("{} x (n-1)/(k-1)/g, n = {}, k = {}", ports, n, k));
    if (k > 2) add("tree", b * (n - 1) / n, most, format("{} x (n-1)/n, n = {}", ports, n));
    if (u.adds_in_network)
      add("in-network reduction", b * 2 * (n - 1) / n, most, format("{} x 2(n-1)/n, n = {}", ports, n));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Algorithm& a, const Algorithm& b) { return a.ceiling > b.ceiling; });
  return out;
}

std::optional<HealthyRate> healthy_all_reduce(const CollectiveUnit& u, double k) {
  const std::vector<Algorithm> algorithms = all_reduce_algorithms(u, k);
  if (algorithms.empty()) return std::nullopt;
  if (k < 2) {
    const PublishedRow* row = nullptr;
    if (u.nvlink && u.nodes > 1)
      row = find_published("nccl.all_reduce.busbw", "rack:" + u.gpu);
    else if (u.nvlink && u.gpus == 8)
      row = find_published("nccl.all_reduce.busbw", "node:" + u.gpu);
    if (row) {
      const double typical = row->typical ? *row->typical : row->lowest ? *row->lowest : row->gate.value_or(0);
      return HealthyRate{typical,
                         row->lowest,
                         row->best,
                         row->gate,
                         row->basis,
                         row->source,
                         "median of the published healthy results"};
    }
    const double share = !u.nvlink ? kPcieShare : u.sharp ? kSharpShare : kRingShare, most = algorithms.front().ceiling;
    return HealthyRate{share * most,
                       std::nullopt,
                       std::nullopt,
                       std::nullopt,
                       "transferred",
                       "share of the ceiling that other parts show in a node",
                       format("{} x {}", share, rate(most))};
  }
  const auto of = [](const Share& s, double base, bool same, std::string_view what) {
    return HealthyRate{s.typical * base,
                       s.lowest * base,
                       s.best * base,
                       std::nullopt,
                       same ? s.basis : "transferred",
                       s.source,
                       format("{} x {} of {}", s.typical, rate(base), what)};
  };
  const auto ceiling = [&](std::string_view name) {
    const auto a =
        std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& one) { return one.name == name; });
    return a == algorithms.end() ? 0.0 : a->ceiling;
  };
  // The hardware and the scale on which the shares were seen: boards of eight GPUs since Hopper (sm 90), up to 248
  // nodes without and 12 with in-network reduction; four adapters of 200 Gb/s on A100, three nodes.
  constexpr double kSeenRing = 248, kSeenInNetwork = 12, kSeenRing200 = 3;
  constexpr int kHopper = 90;
  const bool board = u.nvidia && u.nvlink, since_hopper = board && u.sm >= kHopper,
             eight400 = since_hopper && u.nodes == 1 && u.nics == 8 && u.nic.value == 400 * kGbit;
  if (k == 2) {
    const HealthyRate ports =
        of(kTwoPorts, u.network.value / u.gpus * (u.gpus * k - 1),
           since_hopper && u.nodes == 1 && u.nics == 8 && u.nic.value == 200 * kGbit, "the hierarchical ceiling");
    const auto one = healthy_all_reduce(u, 1);
    if (!one) return ports;
    HealthyRate links =
        of(kTwoNvlink, one->typical, since_hopper && one->basis != "transferred", "what one node shows");
    return links.typical < ports.typical ? links : ports;
  }
  if (u.adds_in_network) {
    const double n = u.gpus * k, chain = u.gpus < 2 ? 1e300 : u.link.value * (n - 1) / n;
    return of(kInNetwork, std::min(chain, u.network.value * 2 * (n - 1) / n), eight400 && k <= kSeenInNetwork,
              "in-network reduction, a chain inside the node");
  }
  if (u.nodes == 1 && u.nics == 4 && u.nic.value == 200 * kGbit)
    return of(kRing200, ceiling("ring"), board && !since_hopper && k <= kSeenRing200, "the ring ceiling");
  return of(kRing400, ceiling("ring"), eight400 && k <= kSeenRing, "the ring ceiling");
}

std::optional<Seconds> all_reduce_time(const CollectiveUnit& u, double k, Bytes message) {
  const auto healthy = healthy_all_reduce(u, k);
  if (!healthy || healthy->typical <= 0 || message.value <= 0) return std::nullopt;
  return Seconds(bus_bytes(u.gpus * k, message.value) / healthy->typical + latency(u, u.gpus, k, message));
}

std::optional<BytesPerSecond> all_reduce_rate(const CollectiveUnit& u, double k, Bytes message) {
  const auto t = all_reduce_time(u, k, message);
  if (!t) return std::nullopt;
  return BytesPerSecond(bus_bytes(u.gpus * k, message.value) / t->value);
}

std::optional<double> share_of_plateau(const CollectiveUnit& u, double k, Bytes message) {
  if (message.value >= kAcross.points.back().bytes || (k < 2 && message.value >= kA100.points.back().bytes)) return 1;
  const auto healthy = healthy_all_reduce(u, k);
  const auto rate = all_reduce_rate(u, k, message);
  if (!healthy || !rate) return std::nullopt;
  return rate->value / healthy->typical;
}

std::optional<Seconds> all_reduce_time_inside(const CollectiveUnit& u, double gpus, Bytes message) {
  if (gpus < 2) return Seconds(0);
  CollectiveUnit part = u;
  part.gpus = gpus;
  part.nodes = 1;
  // A part of a board: what its links allow, as the whole board shows it.
  const auto whole = healthy_all_reduce(u, 1);
  const auto all = inside(u), own = inside(part);
  if (!whole || all.empty() || own.empty()) return std::nullopt;
  double most = 0;
  for (const Algorithm& a : own)
    most = std::max(most, a.ceiling * (a.name == "ring" ? (u.nvlink ? kRingShare : kPcieShare)
                                                        : whole->typical / all.front().ceiling));
  return Seconds(bus_bytes(gpus, message.value) / most + latency(u, gpus, 1, message));
}

}  // namespace clusterc
