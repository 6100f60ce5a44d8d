// Expected figures: ceiling (what physics allows), typical (healthy published systems), floor (below it fails), each
// with its derivation. A target is never taken from the run that it judges; where a ceiling or a published figure is
// missing the target says which, and is unjudged.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct Figure {
  std::optional<double> value;  // in the SI unit of the figure's dimension: B/s, FLOP/s, s
  std::string derivation;       // "12 channels x 4800 MT/s x 8 B x 2 sockets"
  std::string source;           // document, or "arithmetic"
  bool confirmed = true;
};

struct ExpectedFigure {
  std::string test;   // metric as the validator names it: "memory.triad", "gemm.fp64", "mpi.allreduce.busbw"
  std::string group;  // node group; empty: the whole cluster
  std::string scope;  // node, whole, nvlink-domain …
  Dimension dimension = Dimension::byte_rate;
  bool lower_is_better = false;
  Figure ceiling, best, typical, floor;  // best: the highest published healthy result
  double guard = 0.97;  // of the floor, and below typical times this a result is degraded; the spec may set another
  bool floor_by_user = false;  // the spec set it; derived_floor keeps the other
  Figure derived_floor;
  std::string basis;        // measured, single, gate, transferred, stated, none (reference/targets)
  std::string missing;      // why it cannot be judged: the key or fact that would make it judgeable; empty: judgeable
  bool cut_by_mig = false;  // `missing` says so
  bool demanded = false;    // the spec names this test in its targets: anything but a pass is not passed
  std::string skip;         // the reason the spec gives for skipping
  std::string algorithm;    // which algorithm set the ceiling
  SourceSpan wish_place, floor_place;  // in `targets` of the spec, where it names this test, and the floor that it sets
  Value<Bytes> size;                   // message or problem size that the spec asks for
};

struct ExpectedFigures {
  std::vector<ExpectedFigure> figures;  // by group in spec order, then test
  const ExpectedFigure* find(std::string_view test, std::string_view group) const;
};

// What a spec does not name in `targets` is expected of every node and group where the suite measures it; `unnamed`
// adds single paths, all-to-all and storage, which a plan shows.
ExpectedFigures expect_figures(const Cluster&, const Plan&, bool unnamed = false);

}  // namespace clusterc
