#include "targets/targets.h"

#include <algorithm>

#include "base/format.h"
#include "spec/ha.h"
#include "spec/target.h"
#include "targets/expect.h"
#include "targets/metrics.h"
#include "targets/published.h"

namespace clusterc {
namespace {

// Only some metrics have a key below `targets`, where a floor can stand.
std::string or_a_floor(const std::string& why, std::string_view test, std::string_view mark = ": ") {
  const Metric* metric = find_metric(test);
  return metric && metric->target.empty() ? why : format("{}{}set a floor in targets", why, mark);
}

// A lone discount for the spread of measurements; the spec may set another.
constexpr double kGuard = 0.97;

}  // namespace

const ExpectedFigure* ExpectedFigures::find(std::string_view test, std::string_view group) const {
  for (const ExpectedFigure& f : figures)
    if (f.test == test && f.group == group) return &f;
  return nullptr;
}

ExpectedFigures Expect::all() {
  constexpr std::size_t kOfHosts = 6, kOfStorage = 2;  // of a group without GPUs, of a system
  out_.figures.reserve(kOfHosts * cluster_.nodes.size() + kOfStorage * cluster_.storage.size());
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

// Of GPUs that MIG cuts: data sheets and published results are of whole ones, so there is neither a ceiling of an
// instance nor a healthy figure. The links themselves are as ever: pcie.link, and the ports of the network.
void Expect::take_back_of_cut(ExpectedFigure& figure) const {
  const GpuShare share = gpu_share_of(figure.test);
  if (!cut_ || share == GpuShare::none) return;
  figure.ceiling = figure.floor = {};
  figure.algorithm.clear();
  figure.cut_by_mig = true;
  figure.missing = share == GpuShare::all ? why_not_all_gpus(cut_->software)
                                          : format(
                                                "`mig: {}` divides the GPUs: the known figures of '{}' are for whole "
                                                "GPUs; run acceptance with `mig: off`",
                                                cut_by_mig(cut_->software), cut_->server.gpu_model);
}

void Expect::slow(ExpectedFigure& figure, const PublishedRow*& row, const std::string& why) {
  if (why.empty() || !figure.missing.empty()) return;
  figure.missing = or_a_floor(why + ": healthy figures are published at full power", figure.test, "; ");
  row = nullptr;
}

void Expect::finish(ExpectedFigure figure, const PublishedRow* row, const std::optional<Wished>& wished) {
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
    // A floor holds for the hardware and the scale on which it was seen.
    const bool seen = row->basis != "transferred";
    if (!seen && figure.missing.empty())
      figure.missing =
          or_a_floor(format("no published figure is of this hardware at this scale ({})", row->source), figure.test);
    if (const auto floor = seen ? floor_of(*row, guard) : std::nullopt)
      figure.floor = {
          *floor,
          row->lowest && *floor == *row->lowest * guard
              ? format("lowest healthy figure {} x guard {}", to_text(*row->lowest, figure.dimension), guard)
              : "highest published pass limit that healthy systems meet",
          std::string(row->source), true};
  }
  if (wished) {
    if (wished->skip) figure.skip = *wished->skip;
    figure.demanded = !wished->skip;
    figure.wish_place = wished->span;
    figure.floor_place = wished->floor_span;
    figure.size = wished->size;
    if (wished->floor) {
      figure.derived_floor = figure.floor;
      figure.floor = {*wished->floor, "set in the spec", "the spec", true};
      figure.floor_by_user = true;
    }
  }
  if (!figure.floor.value && figure.missing.empty())
    figure.missing = or_a_floor("clusterc knows no published figure of a healthy system of this hardware", figure.test);
  out_.figures.push_back(std::move(figure));
}

void Expect::path(const NodeGroupModel& group, std::string test, std::string scope, Figure ceiling, std::string missing,
                  const PublishedRow* row, const std::optional<Wished>& wished, const std::string& unlike,
                  bool measured) {
  if (!wished && !unnamed_ && !measured) return;
  ExpectedFigure f{
      .test = std::move(test), .group = group.name, .scope = std::move(scope), .ceiling = std::move(ceiling)};
  f.missing = f.ceiling.value ? unlike : std::move(missing);
  finish(std::move(f), row, wished);
}

ExpectedFigures expect_figures(const Cluster& cluster, const Plan& plan, bool unnamed) {
  return Expect(cluster, plan, unnamed).all();
}

}  // namespace clusterc
