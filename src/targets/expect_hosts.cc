#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "spec/ha.h"
#include "spec/target.h"
#include "targets/expect.h"
#include "targets/paths.h"
#include "targets/published.h"

namespace clusterc {

std::optional<HostChannels> host_channels(const ServerModel& server) {
  const CpuPart* cpu = server.cpu;
  if (!cpu || !cpu->memory_channels || !server.part.memory || !server.part.memory->count) return std::nullopt;
  const std::int64_t channels = *cpu->memory_channels * server.cpu_count, modules = *server.part.memory->count;
  // Modules that are faster than the processor's memory run at its rate.
  const bool modules_decide =
      server.part.memory->rate && !(cpu->memory_rate && *cpu->memory_rate < *server.part.memory->rate);
  return HostChannels{std::min(channels, modules), modules_decide ? &server.part.memory->rate : &cpu->memory_rate};
}

void Expect::host_group(const NodeGroupModel& group) {
  host_memory(group);
  host_products(group);
  if (wish(group.name, &TestTargets::rdma)) rdma_paths(group);
}

void Expect::host_memory(const NodeGroupModel& group) {
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
                           "0.72 of the peak, the pass limit of Azure/azurehpc-health-checks for two-socket Genoa-X"};
  if (server.virtual_machine || server.instance) {
    memory.missing = "a virtual machine does not say which memory channels it gets: set targets.memory.floor";
  } else if (!cpu || !cpu->memory_channels) {
    memory.missing =
        "the memory channels of the processor are not known: name cpus in " + where + " (memory_channels of the part)";
  } else if (!server.part.memory || !server.part.memory->count) {
    memory.missing = "the memory modules are not known: write " + where + ".memory, for example 24 x 32 GiB";
  } else {
    const HostChannels channels = *host_channels(server);
    const std::int64_t populated = channels.populated;
    const Value<TransfersPerSecond>& rate = *channels.rate;
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
    if (!triad) one.missing = "only triad is judged: healthy figures are published for no other kernel";
    slow(one, row, slowed);
    if (triad)
      finish(std::move(one), row, wish(group.name, &TestTargets::memory));
    else
      finish(std::move(one), nullptr, std::nullopt);
  }
}

void Expect::host_products(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const std::string slowed = slowed_by(group);
  const CpuPart* cpu = server.cpu;
  const std::string where = "nodes." + group.name;
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

// LINPACK over the hosts of a group: the FP64 ceiling of a node times its nodes. Shares of that peak are published
// for whole machines of the TOP500, none of them for one part and one size of system, so there is no floor but the
// spec's own.
void Expect::linpack(const ExpectedFigure& node, const NodeGroupModel& group) {
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

}  // namespace clusterc
