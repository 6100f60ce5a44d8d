// What the rules share when they speak: lists of names, the terms of a rack's power, where a value was written.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "rules/rule.h"

namespace clusterc {

// Figures that differ by less than this are equal: sums of many rounded figures.
constexpr double kRounding = 1e-9;
inline bool above(double value, double limit) { return value > limit * (1 + kRounding) + kRounding; }

std::string plural(std::int64_t count, std::string_view word);                // "1 node", "40 nodes"
// "'r01'", "'r01', 'r02' and 'r03'", "'r01', 'r02', 'r03' and 37 more"
std::string name_list(const std::vector<std::string>& first_names, std::int64_t count);
std::string percent(double share);                                              // 0.667 -> "67 %"

// The first valid of these places.
template <class... Spans>
SourceSpan first_place(Spans... spans) {
  SourceSpan found;
  ((found.valid() ? void() : void(found = spans)), ...);
  return found;
}
// Where the spec wrote the value, when it did.
template <class T>
SourceSpan written(const Value<T>& v) {
  return v.origin == Origin::spec ? v.span : SourceSpan{};
}

// A catalogue figure that decides and that nobody has read in its source: the finding says so.
template <class T>
void mention_unconfirmed(Finding& f, const Value<T>& v, std::string_view what) {
  if (!v.confirmed) f.note(v.span, format("{} is not confirmed{}{}", what, v.source.empty() ? "" : ": ", v.source));
}

// A place that the user can edit: of a value that came with a catalogue part there is none.
inline SourceSpan in_spec(SourceSpan at, const NodeGroupModel& g) { return at.file == g.span.file ? at : SourceSpan{}; }

struct Term {                        // "4 x 10.2 kW (nvidia-dgx-h100)"
  std::string what;
  std::int64_t count = 0;
  double each = 0;
  DeviceKind kind = DeviceKind::node;
  int group = -1;                    // as in RackedDevice
};
std::vector<Term> power_terms(const RuleInput&, std::int64_t rack);
std::vector<Term> weight_terms(const RuleInput&, std::int64_t rack);
std::string sum_text(const std::vector<Term>&, Dimension);                      // "4 x 10.2 kW (nvidia-dgx-h100) + 2 x 400 W (nvidia-qm9700)"
// The node group that has the largest part in it, -1 when no node has.
int heaviest_node_group(const std::vector<Term>&);
// The value to change when a rack has too much of a group: per_rack, else racks, else the group's name.
SourceSpan load_place(const NodeGroupModel&);

// What stands nowhere: "2 nodes of 'gpu'", its path for acceptances, the rack group that was to take it (-1: none).
std::string unplaced_name(const RuleInput&, const Unplaced&);
std::string unplaced_object(const RuleInput&, const Unplaced&);
int unplaced_racks(const RuleInput&, const Unplaced&);

bool is_ours(const NodeGroupModel&);                                            // a machine of our own: no instance, no virtual machine

}  // namespace clusterc
