// Every metric that a validator brings: one table. Suite, judge, targets, documents and a test of each validator's
// `--list` read it; nothing recognises a metric by how its name begins or ends.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/quantity.h"

namespace clusterc {

// What decides about a figure whose data is right.
enum class JudgedBy : std::uint8_t {
  target,  // ceiling, typical and floor that are expected of the hardware
  finder,  // the validator looks for faults: what it found degrades, its speed is a by-product
  link,    // a link as negotiated: what its two ends can do, and the target where there is one
  nobody   // kept in the journal, for comparison
};

// Whose share of a node's GPUs it needs: none is measured as published where MIG cuts them.
enum class GpuShare : std::uint8_t { none, each, all };

struct Metric {
  std::string_view name;       // "memory.triad"
  Dimension unit;              // its SI unit is the record's: B/s, FLOP/s, s, 1/s
  std::string_view better;     // "higher", "lower"
  std::string_view validator;  // "memory": clusterc-memory brings it
  std::string_view options;    // with which the validator brings it without the others, or at all; empty: always
  std::string_view scope;      // gpu or node (each alone), pair, group, whole, storage
  JudgedBy judged = JudgedBy::target;
  GpuShare gpus = GpuShare::none;
  bool gpu_only = false;        // a figure of the host's back end shows that the validator works, and nothing of a GPU
  bool peak = false;            // its ceiling is a peak of arithmetic or memory, which nothing exceeds
  std::string_view collective;  // the bus bandwidth of this collective: published figures are of large messages
  std::string_view target;      // key below `targets` of a spec; empty: none
  std::string_view origin;      // where its expected figure comes from; empty: none is expected
  bool lower_is_better() const { return better == "lower"; }
};

std::span<const Metric> all_metrics();  // by validator, in the order in which it measures
const Metric* find_metric(std::string_view name);
std::string_view unit_name(Dimension);  // "B/s"; empty: no record has it
std::string_view judged_by_name(JudgedBy);

// The collective that a metric is the bus bandwidth of; empty: another metric.
std::string_view collective_of(std::string_view metric);
// Whose share of the GPUs a metric needs; none for an unknown one.
GpuShare gpu_share_of(std::string_view metric);

}  // namespace clusterc
