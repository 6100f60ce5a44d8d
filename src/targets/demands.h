// What `targets` of a spec demands and no test of the suite measures on this cluster.
#pragma once
#include <string>
#include <vector>

#include "targets/targets.h"

namespace clusterc {

// Why no test of the suite brings the figure on this cluster, whatever part of it runs; empty: one does.
std::string why_no_test(const Cluster&, const ExpectedFigure&);

struct DemandWithoutTest {
  std::string key;     // below `targets`: "all_reduce"
  std::string metric;  // that would show it
  std::string group;   // whose own targets name it; empty: those of the cluster
  SourceSpan place;
  std::string why;
  bool expected = false;  // figures are expected of it, which no test brings
};
// What the spec names, with a floor or without, and does not skip.
std::vector<DemandWithoutTest> demands_without_test(const Cluster&, const ExpectedFigures&);

}  // namespace clusterc
