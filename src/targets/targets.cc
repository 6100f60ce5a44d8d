#include "targets/targets.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/merge.h"
#include "model/mig.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "model/power_cap.h"
#include "model/rdma.h"
#include "model/storage_path.h"
#include "plan/routing.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/paths.h"
#include "targets/published.h"
#include "targets/rdma_ports.h"

namespace clusterc {

const ExpectedFigure* ExpectedFigures::find(std::string_view test, std::string_view group) const {
  for (const ExpectedFigure& f : figures)
    if (f.test == test && f.group == group) return &f;
  return nullptr;
}

namespace {

// A lone discount for the spread of measurements; the spec may set another.
constexpr double kGuard = 0.97;
// STREAM share of the peak on hosts without a published figure: 665.5 of 921.6 GB/s (gate of
// Azure/azurehpc-health-checks, two-socket Genoa-X).
constexpr double kHostStreamShare = 0.72;

class Expect {
 public:
  Expect(const Cluster& c, const Plan& p, bool unnamed) : cluster_(c), plan_(p), unnamed_(unnamed) {}

  ExpectedFigures all() {
    for (const NodeGroupModel& group : cluster_.nodes)
      if (group.computes) {
        cut_ = group.server.gpu_count > 0 && !cut_by_mig(group.software).empty() ? &group : nullptr;
        group.server.gpu_count > 0 ? gpu_group(group) : host_group(group);
        cut_ = nullptr;
        links(group);
      }
    storage();
    whole();
    return std::move(out_);
  }

 private:
  const Cluster& cluster_;
  const Plan& plan_;
  bool unnamed_;
  const NodeGroupModel* cut_ = nullptr;  // the group whose figures are made, where MIG cuts its GPUs
  ExpectedFigures out_;

  // The cluster's wish with what the group says of its own laid over it, key by key.
  template <class M>
  auto wish(std::string_view group, M member) const {
    auto wished = cluster_.spec.targets.*member;
    if (const auto* own = cluster_.spec.targets.groups.find(group))
      if (const auto& above = own->value.*member) {
        if (wished)
          lay_over(*wished, *above);
        else
          wished = above;
      }
    return wished;
  }
  using NoWish = std::optional<TargetWish<BytesPerSecond>>;

  // Of GPUs that MIG cuts: data sheets and published results are of whole ones, so there is neither a ceiling of an
  // instance nor a healthy figure. The links themselves are as ever: pcie.link, and the ports of the network.
  void take_back_of_cut(ExpectedFigure& figure) const {
    const GpuShare share = gpu_share_of(figure.test);
    const bool all = share == GpuShare::all;
    if (!cut_ || share == GpuShare::none) return;
    figure.ceiling = figure.floor = {};
    figure.algorithm.clear();
    figure.missing =
        all ? why_not_all_gpus(cut_->software)
            : format("`mig: {}` cuts the GPUs: what is known of '{}' is of whole ones; run acceptance with `mig: off`",
                     cut_by_mig(cut_->software), cut_->server.gpu_model);
  }

  template <class W>
  void finish(ExpectedFigure figure, const PublishedRow* row, const std::optional<W>& wished) {
    take_back_of_cut(figure);
    const double guard = figure.guard = wished && wished->guard ? *wished->guard : kGuard;
    figure.basis = "none";
    if (row && figure.ceiling.value) {
      figure.basis = row->basis;
      // What is transferred from other hardware or stated without a log was not seen on this one.
      if (row->basis == "measured" || row->basis == "single")
        if (const auto best = row->best ? row->best : std::max(row->typical, row->lowest))
          figure.best = {*best, "highest published healthy result", std::string(row->source), true};
      if (row->typical)
        figure.typical = {*row->typical, "median of the published healthy results", std::string(row->source), true};
      if (const auto floor = floor_of(*row, guard))
        figure.floor = {
            *floor,
            row->lowest && *floor == *row->lowest * guard
                ? format("lowest healthy figure {} x guard {}", to_text(*row->lowest, figure.dimension), guard)
                : "highest published gate that healthy systems meet",
            std::string(row->source), true};
    }
    if (wished) {
      if (wished->skip) figure.skip = *wished->skip;
      figure.demanded = !wished->skip;
      figure.wish_place = wished->span;
      figure.floor_place = wished->floor.span;
      figure.size = wished->size;
      if (wished->floor) {
        figure.derived_floor = figure.floor;
        figure.floor = {wished->floor->value, "set in the spec", "the spec", true};
        figure.floor_by_user = true;
      }
    }
    if (!figure.floor.value && figure.missing.empty())
      figure.missing = "no published figure of a healthy system of this hardware: set a floor in targets";
    out_.figures.push_back(std::move(figure));
  }

  template <class T>
  static Figure from(const Value<T>& fact, double times, std::string derivation) {
    if (!fact) return {};
    return {fact->value * times, std::move(derivation), fact.source, fact.confirmed};
  }

  // Healthy figures are published of parts at full power: of what a limit slows there is none.
  static void slow(ExpectedFigure& figure, const PublishedRow*& row, const std::string& why) {
    if (why.empty() || !figure.missing.empty()) return;
    figure.missing = why + ": healthy figures are published at full power; set a floor in targets";
    row = nullptr;
  }

  void host_group(const NodeGroupModel& group) {
    const ServerModel& server = group.server;
    const std::string slowed = slowed_by(group);
    const CpuPart* cpu = server.cpu;
    const std::string where = "nodes." + group.name;
    // Memory: populated channels x transfer rate x 8 bytes.
    ExpectedFigure memory{.group = group.name, .scope = "node", .dimension = Dimension::byte_rate};
    const PublishedRow* row = nullptr;
    PublishedRow transferred{"memory.triad",
                             "",
                             std::nullopt,
                             std::nullopt,
                             std::nullopt,
                             "transferred",
                             "0.72 of the peak, the gate of Azure/azurehpc-health-checks for two-socket Genoa-X"};
    if (server.virtual_machine || server.instance) {
      memory.missing = "a virtual machine does not say which memory channels it gets: set targets.memory.floor";
    } else if (!cpu || !cpu->memory_channels) {
      memory.missing = "the memory channels of the processor are not known: name cpus in " + where +
                       " (memory_channels of the part)";
    } else if (!server.part.memory || !server.part.memory->count) {
      memory.missing = "the memory modules are not known: write " + where + ".memory, for example 24 x 32 GiB";
    } else {
      const std::int64_t channels = *cpu->memory_channels * server.cpu_count;
      const std::int64_t modules = *server.part.memory->count, populated = std::min(channels, modules);
      // Modules that are faster than the processor's memory run at its rate.
      const bool modules_decide =
          server.part.memory->rate && !(cpu->memory_rate && *cpu->memory_rate < *server.part.memory->rate);
      const Value<TransfersPerSecond>& rate = modules_decide ? server.part.memory->rate : cpu->memory_rate;
      if (!rate) {
        memory.missing = "the transfer rate of the memory is not known: write " + where + ".memory.rate";
      } else {
        memory.ceiling =
            from(rate, static_cast<double>(populated) * 8, format("{} channels x {} x 8 B", populated, to_text(*rate)));
        const std::string layout =
            format("{}x{}x{}", server.cpu_count, populated / std::max<std::int64_t>(1, server.cpu_count),
                   std::llround(rate->value / 1e6));
        row = find_published("memory.triad", layout);
        if (!row) {
          transferred.gate = kHostStreamShare * *memory.ceiling.value;
          row = &transferred;
        }
      }
    }
    for (const char* test : {"memory.copy", "memory.scale", "memory.add", "memory.triad"}) {
      memory.test = test;
      // The four operations move the same bytes a second at best; the published figures are of triad.
      ExpectedFigure one = memory;
      const bool triad = std::string_view(test) == "memory.triad";
      if (!triad) one.missing = "healthy figures are published for triad only: it is judged";
      slow(one, row, slowed);
      if (triad)
        finish(std::move(one), row, wish(group.name, &TestTargets::memory));
      else
        finish(std::move(one), nullptr, NoWish());
    }
    // Matrix multiplication: cores x clock x FP64 operations a cycle; FP32 has twice the lanes.
    for (const auto& [test, factor] : {std::pair{"gemm.fp64", 1.0}, std::pair{"gemm.fp32", 2.0}}) {
      ExpectedFigure gemm{.test = test, .group = group.name, .scope = "node", .dimension = Dimension::flop_rate};
      if (server.virtual_machine || server.instance) {
        gemm.missing = std::string("a virtual machine does not say at which clock it runs") +
                       (factor == 1.0 ? ": set targets.gemm.floor" : ", and targets.gemm.floor is of FP64");
      } else if (!cpu || !cpu->clock || !cpu->flop_per_cycle) {
        gemm.missing = "the clock or the operations per cycle of the processor are not known: name cpus in " + where +
                       " (clock, flop_per_cycle of the part)";
      } else {
        const double per_cycle = static_cast<double>(*cpu->flop_per_cycle) * factor;
        gemm.ceiling = from(cpu->clock, static_cast<double>(server.cores) * per_cycle,
                            format("{} cores x {} x {} FLOP a cycle", server.cores, to_text(*cpu->clock), per_cycle));
        gemm.ceiling.confirmed = cpu->clock.confirmed && cpu->flop_per_cycle.confirmed;
      }
      const bool fp64 = factor == 1.0;
      if (fp64) linpack(gemm, group);
      const PublishedRow* none = nullptr;
      slow(gemm, none, slowed);
      finish(std::move(gemm), nullptr, fp64 ? wish(group.name, &TestTargets::gemm) : std::nullopt);
    }
  }

  // The InfiniBand and RoCE ports of a node together: they are there or not, so a plan does not show them.
  void links(const NodeGroupModel& group) {
    if (unnamed_) return;
    const RdmaPortsOfNode ports = rdma_ports(cluster_, static_cast<int>(&group - cluster_.nodes.data()));
    if (ports.ports.empty() && ports.missing.empty()) return;
    ExpectedFigure f{.test = "fabric.links", .group = group.name, .scope = "node", .missing = ports.missing};
    if (!ports.ports.empty()) {
      std::string sum;
      for (const RdmaPorts& p : ports.ports)
        sum += format("{}{} x {}", sum.empty() ? "" : " + ", p.count, to_text(p.rate));
      constexpr double kRounding = 0.999;
      f.ceiling = {ports.all().value, sum + " / 8", "arithmetic", true};
      f.floor = {ports.all().value * kRounding, "a port that is absent, down or slower is not what was bought",
                 "arithmetic", true};
    }
    finish(std::move(f), nullptr, NoWish());
  }

  // LINPACK over the hosts of a group: the FP64 ceiling of a node times its nodes. Shares of that peak are published
  // for whole machines of the TOP500, none of them for one part and one size of system, so there is no floor but the
  // spec's own.
  void linpack(const ExpectedFigure& node, const NodeGroupModel& group) {
    ExpectedFigure hpl{.test = "hpl.score", .group = group.name, .scope = "group", .dimension = Dimension::flop_rate};
    if (node.ceiling.value) {
      hpl.ceiling = node.ceiling;
      *hpl.ceiling.value *= static_cast<double>(group.count);
      hpl.ceiling.derivation = format("{} nodes x {}", group.count, node.ceiling.derivation);
      hpl.missing = "no published share of the peak for hosts of this kind: set targets.hpl.floor";
    } else if (group.server.virtual_machine || group.server.instance) {
      hpl.missing = "a virtual machine does not say at which clock it runs: set targets.hpl.floor";
    } else {
      hpl.missing = node.missing;
    }
    finish(std::move(hpl), nullptr, wish(group.name, &TestTargets::hpl));
  }

  void gpu_group(const NodeGroupModel& group) {
    const ServerModel& server = group.server;
    const GpuPart* gpu = server.gpu;
    if (!gpu) return;
    const std::string slowed = slowed_by(group);
    const auto figure = [&](std::string test, Dimension dimension, Figure ceiling, std::string_view key) {
      ExpectedFigure f{.test = std::move(test),
                       .group = group.name,
                       .scope = "gpu",
                       .dimension = dimension,
                       .ceiling = std::move(ceiling)};
      if (!f.ceiling.value) f.missing = format("{} of {} is not in the catalogue", key, server.gpu_model);
      return f;
    };
    for (const char* test : {"memory.copy", "memory.scale", "memory.add", "memory.triad"}) {
      ExpectedFigure f = figure(test, Dimension::byte_rate, from(gpu->memory_bandwidth, 1, "data sheet bandwidth"),
                                "memory_bandwidth");
      const bool triad = std::string_view(test) == "memory.triad";
      if (!triad && f.missing.empty()) f.missing = "healthy figures are published for triad only: it is judged";
      const PublishedRow* row = triad ? find_published(test, server.gpu_model) : nullptr;
      slow(f, row, slowed);
      finish(std::move(f), row, triad ? wish(group.name, &TestTargets::memory) : std::nullopt);
    }
    const Value<FlopsPerSecond>& fp64 = gpu->fp64_tensor.or_else(gpu->fp64);
    const struct {
      const char* test;
      const Value<FlopsPerSecond>* peak;
      const char* key;
      bool wished;
    } formats[] = {{"gemm.fp64", &fp64, "fp64", false},
                   {"gemm.fp32", &gpu->fp32, "fp32", false},
                   {"gemm.tf32", &gpu->tf32, "tf32", false},
                   {"gemm.bf16", &gpu->bf16, "bf16", true},
                   {"gemm.fp16", &gpu->bf16, "bf16 (FP16 has the same peak)", false},
                   {"gemm.fp8", &gpu->fp8, "fp8", false}};
    for (const auto& f : formats) {
      if (std::string_view(f.test) == "gemm.fp8" && !gpu->fp8) continue;  // GPUs before Ada have none
      ExpectedFigure gemm =
          figure(f.test, Dimension::flop_rate, from(*f.peak, 1, "dense peak at the power limit as shipped"), f.key);
      const PublishedRow* row = find_published(f.test, server.gpu_model);
      slow(gemm, row, slowed);
      finish(std::move(gemm), row, f.wished ? wish(group.name, &TestTargets::gemm) : std::nullopt);
    }

    // HPL over the whole group: per-GPU shares times GPUs.
    const double gpus = static_cast<double>(server.gpu_count * group.count);
    ExpectedFigure hpl =
        figure("hpl.score", Dimension::flop_rate, from(fp64, gpus, format("{} GPUs x FP64 peak", gpus)), "fp64");
    hpl.scope = "group";
    const PublishedRow* one = find_published("hpl.score", server.gpu_model);
    slow(hpl, one, slowed);
    if (one) {
      PublishedRow row = *one;
      if (row.typical) row.typical = *row.typical * gpus;
      if (row.lowest) row.lowest = *row.lowest * gpus;
      if (row.best) row.best = *row.best * gpus;
      finish(std::move(hpl), &row, wish(group.name, &TestTargets::hpl));
    } else {
      finish(std::move(hpl), nullptr, wish(group.name, &TestTargets::hpl));
    }
    if (unnamed_) {  // the suite does not start HPL-MxP
      ExpectedFigure mxp =
          figure("hpl.mxp", Dimension::flop_rate, from(gpu->bf16, gpus, format("{} GPUs x FP16 peak", gpus)),
                 "bf16 (FP16 has the same peak)");
      mxp.scope = "group";
      if (mxp.missing.empty()) mxp.missing = "the suite does not start it; what is published is of NVIDIA's program";
      PublishedRow row{"hpl.mxp", "", std::nullopt, std::nullopt, std::nullopt, "none", ""};
      if (const PublishedRow* each = find_published("hpl.mxp", server.gpu_model); each && slowed.empty()) {
        row = *each;
        row.typical = *row.typical * gpus;
      }
      finish(std::move(mxp), row.typical ? &row : nullptr, NoWish());
    }
    all_reduce(group);
    paths(group, *gpu);
  }

  // Why the published figures, all of them of RDMA, say nothing of a group's compute network; empty: they do.
  std::string over_tcp(const ComputePorts& ports) const {
    if (ports.nics == 0) return "";
    const NetworkModel& network = cluster_.networks[static_cast<std::size_t>(ports.network)];
    return is_rdma(network)
               ? ""
               : format("network '{}' has no `rdma`: NCCL runs over TCP, healthy figures are published of RDMA only",
                        network.name);
  }

  // The slower of GPU and processor sets the generation of a GPU's link; nothing where a fact is missing. A superchip's
  // own link is no PCIe.
  static std::optional<std::int64_t> gpu_link_generation(const ServerModel& server) {
    const GpuPart& gpu = *server.gpu;
    if ((gpu.form && *gpu.form == GpuForm::superchip) || !gpu.pcie_generation || !gpu.pcie_lanes) return std::nullopt;
    return server.cpu && server.cpu->pcie_generation ? std::min(*gpu.pcie_generation, *server.cpu->pcie_generation)
                                                     : *gpu.pcie_generation;
  }

  // Tests of single paths, of all-to-all and of storage: expected where the spec names them, or where all that can be
  // said is asked for.
  void paths(const NodeGroupModel& group, const GpuPart& gpu) {
    const ServerModel& server = group.server;
    const auto add = [&](std::string test, std::string scope, Figure ceiling, std::string missing,
                         const PublishedRow* row, const auto& wished, const std::string& unlike = "",
                         bool measured = false) {
      if (!wished && !unnamed_ && !measured) return;
      ExpectedFigure f{
          .test = std::move(test), .group = group.name, .scope = std::move(scope), .ceiling = std::move(ceiling)};
      f.missing = f.ceiling.value ? unlike : std::move(missing);
      finish(std::move(f), row, wished);
    };
    // The link itself, which is there or is not: a plan shows what it carries.
    if (!unnamed_ && !server.virtual_machine && !server.instance) {
      ExpectedFigure f{.test = "pcie.link.gpu", .group = group.name, .scope = "gpu"};
      if (const auto generation = gpu_link_generation(server)) {
        constexpr double kRounding = 0.999;
        const double rate = pcie_link_rate(*generation, *gpu.pcie_lanes).value;
        f.ceiling = {rate, format("PCIe generation {} x{}", *generation, *gpu.pcie_lanes), gpu.pcie_generation.source,
                     gpu.pcie_generation.confirmed && gpu.pcie_lanes.confirmed};
        f.floor = {rate * kRounding, "a link that negotiates less is not the one that was bought", "arithmetic", true};
      } else {
        f.missing = format("pcie_generation or pcie_lanes of {} is not in the catalogue", server.gpu_model);
      }
      finish(std::move(f), nullptr, NoWish());
    }
    Figure copy;
    std::string copy_missing = format("pcie_generation or pcie_lanes of {} is not in the catalogue", server.gpu_model),
                copy_row;
    if (gpu.form && *gpu.form == GpuForm::superchip) {
      copy_missing =
          format("the rate between processor and {} is not in the catalogue: they are one module", server.gpu_model);
    } else if (const auto known = gpu_link_generation(server)) {
      const std::int64_t generation = *known;
      copy = {pcie_copy_ceiling(generation, *gpu.pcie_lanes).value,
              format("PCIe generation {} x{}, {} of {} bytes are payload", generation, *gpu.pcie_lanes, kPciePayload,
                     kPciePayload + kPcieOverhead),
              gpu.pcie_generation.source, gpu.pcie_generation.confirmed && gpu.pcie_lanes.confirmed};
      if (*gpu.pcie_lanes == 16)
        copy_row = format("gen{} {}", generation, server.instance || server.virtual_machine ? "virtual" : "bare");
    }
    add("pcie.copy", "gpu", std::move(copy), std::move(copy_missing), find_published("pcie.copy", copy_row),
        wish(group.name, &TestTargets::pcie), "", true);
    const Value<BytesPerSecond>& link = gpu_link_of(server);
    Figure nvlink;
    const bool linked = link && link->value > 0, joined = gpus_joined_by_nvlink(cluster_, group) > 1;
    if (linked && joined) nvlink = from(link, 1, "all links of one GPU, one way");
    std::string no_nvlink = !link ? format("gpu_link of {} is not in the catalogue", server.gpu_model)
                                  : format("{} has no links to other GPUs", server.gpu_model);
    if (linked && !joined)
      no_nvlink = server.gpu_count > 1
                      ? format("no bridge joins the {} cards of {}: `nvlink_bridge` says what it joins",
                               server.gpu_count, server.gpu_model)
                      : format("{} is alone in its node", server.gpu_model);
    const bool measured = has_nvlink_pairs(server);
    add("nvlink.copy", "gpu", std::move(nvlink), std::move(no_nvlink), find_published("nvlink.copy", server.gpu_model),
        wish(group.name, &TestTargets::nvlink), "", measured);
    if (measured && !unnamed_) {  // the links themselves, as above
      ExpectedFigure f{.test = "nvlink.links", .group = group.name, .scope = "gpu"};
      if (const auto wished = wish(group.name, &TestTargets::nvlink); wished && wished->skip) f.skip = *wished->skip;
      if (const auto links = nvlinks_of_gpu(server)) {
        constexpr double kRounding = 0.999;
        f.ceiling = {
            link->value,
            format("{} NVLinks of {}", *links, to_text(BytesPerSecond(link->value / static_cast<double>(*links)))),
            link.source, link.confirmed};
        f.floor = {link->value * kRounding, "a link that is down is missing", "arithmetic", true};
      } else {
        f.missing =
            format("how many NVLinks a {} has is not known: gpu_link or sm is not in the catalogue", server.gpu_model);
      }
      finish(std::move(f), nullptr, NoWish());
    }

    const ComputePorts ports = compute_ports(cluster_, group);
    const CollectiveUnit unit = collective_unit(cluster_, group);
    const double g = unit.gpus, n = static_cast<double>(server.gpu_count * group.count),
                 units = std::ceil(static_cast<double>(group.count) / unit.nodes);
    const std::string no_network = "no network carries compute traffic of " + group.name;
    Figure rdma, gather, alltoall;
    PublishedRow gather_row{"nccl.all_gather.busbw", "", std::nullopt, std::nullopt, std::nullopt, "none", ""},
        alltoall_row = gather_row;
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
      if (units > 1) {
        const double ring =
            unit.link.value > 0 && unit.gpus > 1 ? std::min(unit.link.value, unit.network.value) : unit.network.value;
        gather = {ring,
                  format("ring: {} x {} / 8 x {}, or {} where that is less", ports.nics, to_text(ports.rate),
                         kPayloadShare, unit.nvlink ? "NVLink" : "PCIe"),
                  "arithmetic", true};
        // Shares of the ring ceiling of healthy systems: 0.892 typical, 0.825 lowest, 0.959 best.
        gather_row = {
            "nccl.all_gather.busbw",
            "",
            0.892 * ring,
            0.825 * ring,
            std::nullopt,
            unit.nvidia && unit.nvlink && ports.nics == 8 && ports.rate.value == 400e9 ? "measured" : "transferred",
            "shares of the ring ceiling: aigatech/vpbenchmarking, NVIDIA/aicr",
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
    // Plain Ethernet has no RDMA to measure: it is named where the spec asks for it, or where no network is known.
    const std::string tcp = over_tcp(ports);
    if (const auto wished = wish(group.name, &TestTargets::rdma); wished || tcp.empty())
      add("rdma.write", "pair", std::move(rdma), tcp.empty() ? no_network : tcp,
          tcp.empty() ? find_published("rdma.write", rdma_row) : nullptr, wished, "",
          group.count > 1 && !rdma_compute_ports(cluster_, static_cast<int>(&group - cluster_.nodes.data())).empty());
    const std::string one_node = ports.nics > 0 ? "one node: there is no other to send to" : no_network;
    add("nccl.all_gather.busbw", "whole", std::move(gather), one_node, tcp.empty() ? &gather_row : nullptr,
        wish(group.name, &TestTargets::all_gather), tcp);
    add("nccl.all_to_all.busbw", "whole", std::move(alltoall), one_node, tcp.empty() ? &alltoall_row : nullptr,
        wish(group.name, &TestTargets::all_to_all), tcp);
  }

  // All-reduce inside one node, inside an NVLink domain of several, and across the group: the ceiling is the best of
  // the algorithms that are available.
  void all_reduce(const NodeGroupModel& group) {
    const auto wished = wish(group.name, &TestTargets::all_reduce);
    const TargetScope asked =
        wished && wished->scope ? *wished->scope : TargetScope::whole;  // else it is of the widest scope that there is
    const CollectiveUnit unit = collective_unit(cluster_, group);
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
        if (const auto healthy = healthy_all_reduce(u, k);
            f.missing.empty() && healthy && (k >= 2 || healthy->basis != "transferred"))
          row =
              PublishedRow{f.test,
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
    const bool mine = asked != TargetScope::node && (asked != TargetScope::nvlink_domain || unit.nodes <= 1);
    of("whole", unit, units, mine,
       unit.network.value > 0
           ? format("gpu_link and pcie_generation of {} are not in the catalogue", group.server.gpu_model)
           : "no network carries compute traffic of " + group.name);
  }

  // What a storage system gives all of its clients together: what it is sold (or asked) to give, and what the ports of
  // both sides carry. Expected wherever the suite measures it: on systems that nodes mount.
  void storage() {
    for (std::size_t i = 0; i < cluster_.storage.size(); ++i) {
      const StorageModel& s = cluster_.storage[i];
      const std::vector<int> mounts = groups_that_mount(cluster_, static_cast<int>(i));
      for (const bool read : {true, false}) {
        const auto& wished = read ? cluster_.spec.targets.storage_read : cluster_.spec.targets.storage_write;
        const auto rate =
            storage_rate(cluster_, static_cast<int>(i), read ? StorageDirection::read : StorageDirection::write);
        if (!unnamed_)  // a plan shows the systems as wholes
          for (const int group : mounts) storage_of_node(static_cast<int>(i), group, read, rate);
        if (!wished && !unnamed_ && mounts.empty()) continue;
        ExpectedFigure f{.test = read ? "storage.read" : "storage.write", .group = s.name, .scope = "storage"};
        std::optional<PublishedRow> row;
        if (rate) {
          f.ceiling = {rate->rate.value, rate->from, "the spec, the catalogue and the ports on both sides",
                       rate->confirmed};
          if (rate->from.find("ports") != std::string::npos)
            row = port_share(f.test, rate->rate);
          else
            f.missing = format("no published result of '{}': set targets.{}.floor", s.name,
                               read ? "storage_read" : "storage_write");
        } else {
          f.missing = format("neither the parts nor a demand say what it gives: write storage.{}.demand", s.name);
        }
        finish(std::move(f), row ? &*row : nullptr, wished);
      }
    }
  }
  static PublishedRow port_share(std::string_view test, BytesPerSecond payload) {
    // One node on a network file system over 400 GbE: 46.6 of 49 GB/s (gds-bench report).
    constexpr double kPortShare = 0.951;
    return {test,
            "",
            kPortShare * payload.value,
            kPortShare * payload.value,
            std::nullopt,
            "transferred",
            "0.951 of the payload of its port, one node on 400 GbE (gds-bench report)"};
  }

  // One node while all that mount the system use it: its own ports, or the system where that is less. A node has its
  // ports' figure to itself only where the system can fill the ports of all.
  void storage_of_node(int system, int group, bool read, const std::optional<StorageRate>& rate) {
    const StorageModel& s = cluster_.storage[static_cast<std::size_t>(system)];
    const NodeGroupModel& nodes = cluster_.nodes[static_cast<std::size_t>(group)];
    const auto side =
        s.spec->kind && *s.spec->kind == StorageKind::local ? std::nullopt : storage_node_side(cluster_, system, group);
    ExpectedFigure f{
        .test = read ? "storage.read" : "storage.write", .group = nodes.name + "/" + s.name, .scope = "node"};
    std::optional<PublishedRow> row;
    const bool ports = side && (!rate || side->carries <= rate->rate);
    if (ports)
      f.ceiling = {side->carries.value, side->formula, "arithmetic", true};
    else if (rate)
      f.ceiling = {rate->rate.value, rate->from, "the spec, the catalogue and the ports on both sides",
                   rate->confirmed};
    if (!rate) {
      f.missing = format("neither the parts nor a demand say what '{}' gives: write storage.{}.demand", s.name, s.name);
    } else if (const auto all = storage_clients_side(cluster_, system); ports && all && all->carries <= rate->rate) {
      row = port_share(f.test, side->carries);
    } else {
      f.missing = format("the nodes share '{}': their sum is judged", s.name);
    }
    finish(std::move(f), row ? &*row : nullptr, NoWish());
  }

  // MPI all-reduce over all computing nodes, one rank a node: what the slowest node's ports carry. A node sends and
  // receives at once, so a ring's bus bandwidth is the payload rate of one direction.
  void whole() {
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
      finish(std::move(f), nullptr, NoWish());
    }
  }
};

}  // namespace

ExpectedFigures expect_figures(const Cluster& cluster, const Plan& plan, bool unnamed) {
  return Expect(cluster, plan, unnamed).all();
}

}  // namespace clusterc
