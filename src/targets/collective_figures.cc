#include "targets/collective_figures.h"

#include <algorithm>
#include <cmath>

#include "targets/collectives.h"

namespace clusterc {

const ExpectedFigure* figure_in_scope(const ExpectedFigures& figures, std::string_view test, std::string_view group,
                                      std::string_view scope) {
  if (scope.empty()) return figures.find(test, group);
  const auto at = std::find_if(figures.figures.begin(), figures.figures.end(), [&](const ExpectedFigure& f) {
    return f.test == test && f.group == group && f.scope == scope;
  });
  return at == figures.figures.end() ? nullptr : &*at;
}

std::optional<double> share_of_plateau(const Cluster& c, const ExpectedFigure& f, Bytes message) {
  const auto group =
      std::find_if(c.nodes.begin(), c.nodes.end(), [&](const NodeGroupModel& g) { return g.name == f.group; });
  if (f.test != "nccl.all_reduce.busbw" || group == c.nodes.end()) return std::nullopt;
  CollectiveUnit unit = collective_unit(c, *group);
  const double units = f.scope == "whole" ? std::ceil(static_cast<double>(group->count) / unit.nodes) : 1;
  if (f.scope == "node") unit.gpus = static_cast<double>(group->server.gpu_count), unit.nodes = 1;
  return share_of_plateau(unit, units, message);
}

}  // namespace clusterc
