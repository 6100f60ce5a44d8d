#include "report/collective_report.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/mig.h"
#include "report/table.h"
#include "targets/collectives.h"

namespace clusterc {
namespace {

constexpr double kMi = 1024.0 * 1024, kGi = kMi * 1024;
constexpr std::pair<const char*, double> kSizes[] = {{"1 MiB", kMi}, {"16 MiB", 16 * kMi}, {"128 MiB", 128 * kMi},
                                                     {"1 GiB", kGi}, {"8 GiB", 8 * kGi},   {"16 GiB", 16 * kGi}};

// One unit, two, and on in fours to all of them.
std::vector<double> unit_counts(double all) {
  std::vector<double> out{1};
  if (all >= 2) out.push_back(2);
  for (double n = 4; n < all; n *= 4) out.push_back(n);
  if (all > 2) out.push_back(all);
  return out;
}

template <class Take>
void each_group(const Cluster& c, Take take) {
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.computes || g.server.gpu_count == 0 || g.count == 0 || !g.server.gpu || !cut_by_mig(*g.software).empty())
      continue;  // instances do not reach each other
    const CollectiveUnit unit = collective_unit(c, g);
    const double units = std::ceil(static_cast<double>(g.count) / unit.nodes);
    for (const double k : unit_counts(units)) {
      std::vector<Algorithm> algorithms = all_reduce_algorithms(unit, k);
      if (algorithms.empty()) continue;
      take(g, unit, k, algorithms);
    }
  }
}

}  // namespace

std::string render_all_reduce_text(const Cluster& c) {
  std::vector<std::string> headings{"group", ">nodes", ">GPUs", "algorithm", ">ceiling"};
  for (const auto& [word, bytes] : kSizes) headings.push_back(std::string(">") + word);
  headings.push_back("basis");
  Table table(headings);
  each_group(
      c, [&](const NodeGroupModel& g, const CollectiveUnit& u, double k, const std::vector<Algorithm>& algorithms) {
        std::vector<std::string> cells{
            g.name, format("{}", std::min<double>(k * u.nodes, static_cast<double>(g.count))), format("{}", k * u.gpus),
            std::string(algorithms.front().name), to_text(algorithms.front().ceiling, Dimension::byte_rate)};
        for (const auto& [word, bytes] : kSizes) {
          const auto rate = all_reduce_rate(u, k, Bytes(bytes));
          cells.push_back(rate ? to_text(*rate, 3) : "-");
        }
        const auto healthy = healthy_all_reduce(u, k);
        cells.emplace_back(!healthy ? "none" : healthy->basis == "gate" ? "pass limit" : healthy->basis);
        table.row(std::move(cells));
      });
  return table.empty() ? std::string() : table.text();
}

void all_reduce_json(JsonWriter& json, const Cluster& c) {
  bool open = false;
  each_group(c,
             [&](const NodeGroupModel& g, const CollectiveUnit& u, double k, const std::vector<Algorithm>& algorithms) {
               if (!open) json.array("all_reduce");
               open = true;
               json.begin_object()
                   .field("group", g.name)
                   .field("nodes", std::min<double>(k * u.nodes, static_cast<double>(g.count)))
                   .field("gpus", k * u.gpus);
               json.array("algorithms");
               for (const Algorithm& a : algorithms)
                 json.begin_object(kLine)
                     .field("algorithm", a.name)
                     .field("ceiling", a.ceiling)
                     .field("formula", a.formula)
                     .end_object();
               json.end_array();
               if (const auto h = healthy_all_reduce(u, k))
                 json.object("typical", kLine)
                     .field("value", h->typical)
                     .field("formula", h->formula)
                     .field("basis", h->basis)
                     .field("source", h->source)
                     .end_object();
               json.array("sizes");
               for (const auto& [word, bytes] : kSizes) {
                 const auto time = all_reduce_time(u, k, Bytes(bytes));
                 const auto rate = all_reduce_rate(u, k, Bytes(bytes));
                 json.begin_object(kLine)
                     .field("bytes", bytes)
                     .field("time_s", time ? std::optional<double>(time->value) : std::nullopt)
                     .field("busbw", rate ? std::optional<double>(rate->value) : std::nullopt)
                     .end_object();
               }
               json.end_array().end_object();
             });
  if (open) json.end_array();
}

}  // namespace clusterc
