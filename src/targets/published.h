// Published results of healthy systems, by test and hardware: what typical and floor are taken from. Nothing here is
// our own measurement.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace clusterc {

struct PublishedRow {
  std::string_view test;          // "memory.triad"
  std::string_view hardware;      // catalogue id of the GPU, or a CPU memory layout "2x8xDDR5-4800"
  std::optional<double> typical;  // SI
  std::optional<double> lowest;   // lowest result of a system that its owner calls healthy
  std::optional<double> gate;     // highest published acceptance gate that healthy systems meet
  std::string_view basis;         // measured, single, gate, transferred
  std::string_view source;
  std::optional<double> best = std::nullopt;   // highest healthy result, where it is above `typical`
  std::optional<double> nodes = std::nullopt;  // of the largest system that shows it; beyond it there is no floor
};

const PublishedRow* find_published(std::string_view test, std::string_view hardware);
std::span<const PublishedRow> published_rows();

// floor = max(lowest * guard, gate); a gate is not discounted again: it has its margin already. nullopt: neither is
// known.
std::optional<double> floor_of(const PublishedRow&, double guard);

}  // namespace clusterc
