#include "targets/linpack_model.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/mig.h"
#include "targets/published.h"

namespace clusterc {
namespace {

constexpr double kWord = 8;  // bytes of an element
// NB of clusterc-hpl on GPUs, and its share of their free memory (validators/hpl/README.md, Sizes).
constexpr double kBlock = 512, kMemoryShare = 0.90;
// Of the FP64 peak, what DGEMM reaches: 18.95 of 19.5 TFLOP/s on an A100 (microsoft/superbench-results v0.4.0). Of
// other GPUs nothing is published.
constexpr double kProductShare = 18.95 / 19.5;
// Of a core's FP64 peak, what factoring a panel reaches: 90,000 x 512 took 0.44 s on one core whose DGEMM makes 83
// GFLOP/s: 90,000 x 512^2 / 0.44 s / 83e9 (our own measurement, OpenBLAS 0.3.21).
constexpr double kPanelShare = 90000.0 * 512 * 512 / 0.44 / 83e9;
// Messages of 64 MiB between two ranks of a machine (benchmarks/results/validators-2026-11-25-mpi-triad.md).
constexpr double kMessages = 9.0e9;

// Copies between host and GPU by generation of the link: published, else nothing.
std::optional<double> copy_rate(const ServerModel& server) {
  if (!server.gpu->pcie_generation) return std::nullopt;
  std::int64_t generation = *server.gpu->pcie_generation;
  if (server.cpu && server.cpu->pcie_generation) generation = std::min(generation, *server.cpu->pcie_generation);
  const PublishedRow* row = find_published("pcie.copy", format("gen{} bare", generation));
  return row ? row->typical : std::nullopt;
}

}  // namespace

std::int64_t linpack_rows(std::int64_t ranks) {
  std::int64_t rows = 1;
  for (std::int64_t p = 1; p * p <= ranks; ++p)
    if (ranks % p == 0) rows = p;
  return rows;
}

LinpackTime linpack_time(const LinpackMachine& m) {
  LinpackTime out;
  for (double done = 0; done < m.order; done += m.block) {
    const double left = m.order - done, rows = left / m.rows, columns = left / m.columns;
    const double update = 2 * rows * columns * m.block / m.update;
    // To the host and back, and the factorisation itself.
    const double panel = rows * m.block * m.block / m.panel + 2 * rows * m.block * kWord / m.copy;
    const double ring = m.columns > 1 ? rows * m.block * kWord * (1 / m.messages + 1 / m.copy) : 0;
    // The exchanged rows twice through MPI, and three times over the link of the GPU.
    const double swapped = m.rows > 1 ? m.block * columns * kWord * (2 / m.messages + 3 / m.copy) : 0;
    out.total += std::max(update, swapped + panel + ring);
    out.update += update;
  }
  return out;
}

std::optional<LinpackPrediction> predict_linpack(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  if (!cut_by_mig(*group.software).empty()) return {};
  if (server.gpu_count <= 0 || group.count <= 0 || !server.gpu || server.gpu->vendor.value != Vendor::nvidia) return {};
  const Value<FlopsPerSecond>& peak = server.gpu->fp64_tensor.or_else(server.gpu->fp64);
  const std::optional<double> copy = copy_rate(server);
  const CpuPart* cpu = server.cpu;
  if (!peak || !server.gpu->memory || !copy || !cpu || !cpu->clock || !cpu->flop_per_cycle || server.cores <= 0)
    return {};
  const std::int64_t ranks = server.gpu_count * group.count;
  const double gpus = static_cast<double>(ranks), rows = static_cast<double>(linpack_rows(ranks));
  const double core = cpu->clock->value * static_cast<double>(*cpu->flop_per_cycle) * kPanelShare;
  const double share = std::max(1.0, static_cast<double>(server.cores / server.gpu_count));
  LinpackMachine m{
      .order = std::floor(std::sqrt(kMemoryShare * server.gpu->memory->value * gpus / kWord) / kBlock) * kBlock,
      .block = kBlock,
      .rows = rows,
      .columns = gpus / rows,
      .update = peak->value * kProductShare,
      .panel = core,
      .copy = *copy,
      .messages = kMessages};
  const double work = 2.0 / 3 * m.order * m.order * m.order;
  LinpackPrediction out{.low = work / linpack_time(m).total, .high = 0, .terms = {}};
  m.panel = core * share;
  out.high = work / linpack_time(m).total;
  out.terms = format("N {:.0f}, {:.0f} x {:.0f} ranks, 1 to {:.0f} cores a GPU factor panels", m.order, m.rows,
                     m.columns, share);
  return out;
}

std::string why_linpack_unjudged(const NodeGroupModel& group) {
  std::string out =
      "clusterc-hpl factors panels on the host and has never run on a GPU; published figures are of the vendor's "
      "program: name that with --hpl";
  if (const auto p = predict_linpack(group))
    out += format("; a model predicts {} to {} ({})", to_text(FlopsPerSecond(p->low)), to_text(FlopsPerSecond(p->high)),
                  p->terms);
  return out;
}

}  // namespace clusterc
