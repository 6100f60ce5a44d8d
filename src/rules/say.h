// What the rules share when they speak: lists of names, the terms of a rack's power, where a value was written.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "model/cluster.h"
#include "model/rounding.h"
#include "rules/rule.h"

namespace clusterc {

std::string plural(std::int64_t count, std::string_view word);  // "1 node", "40 nodes"
// "'r01'", "'r01', 'r02' and 'r03'", "'r01', 'r02', 'r03' and 37 more"
std::string name_list(const std::vector<std::string>& first_names, std::int64_t count);
std::string rack_list(const std::vector<std::string>& first_names, std::int64_t count);  // "racks 'r01' and 'r02'"
std::string percent(double share);                                                       // 0.667 -> "67 %"

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

// An unconfirmed catalogue figure that decides: the finding says so, and can be accepted.
template <class T>
void mention_unconfirmed(Finding& f, const Value<T>& v, std::string_view what) {
  if (v.confirmed) return;
  f.unconfirmed = true;
  f.note(v.span, format("{} is not confirmed{}{}", what, v.source.empty() ? "" : "; its source: ", v.source));
}

// Whether a set of devices is the maker's own: the part came with it, and the spec changes neither number nor model.
template <class Set>
bool as_sold(const std::optional<Set>& set) {
  if (!set) return false;
  if constexpr (requires { set->size; })
    return !written(set->count).valid() && !written(set->size).valid();
  else
    return !written(set->count).valid() && !written(set->model).valid();
}

// A place that the user can edit: of a value that came with a catalogue part there is none.
inline SourceSpan in_spec(SourceSpan at, const NodeGroupModel& g) { return at.file == g.span.file ? at : SourceSpan{}; }

struct Term {  // "4 x 10.2 kW (nvidia-dgx-h100)"
  std::string what;
  std::int64_t count = 0;
  double each = 0;
  DeviceKind kind = DeviceKind::node;
  int group = -1;  // as in RackedDevice
};
std::vector<Term> power_terms(const RuleInput&, std::int64_t rack);
std::vector<Term> weight_terms(const RuleInput&, std::int64_t rack);
// Unconfirmed power and weight of the devices in a rack, or in all racks (-1).
Watts unconfirmed_power(const RuleInput&, std::int64_t rack);
Kilograms unconfirmed_weight(const RuleInput&, std::int64_t rack);
// A load of which this much is not confirmed: the finding can be accepted where the rest alone would hold.
inline void mention_unconfirmed_load(Finding& f, double load, double limit, double unconfirmed, std::string text) {
  if (unconfirmed <= 0 || above(load - unconfirmed, limit)) return;
  f.unconfirmed = true;
  f.note({}, format("{} of it is of parts whose figure is not confirmed", text));
}
std::string sum_text(const std::vector<Term>&,
                     Dimension);  // "4 x 10.2 kW (nvidia-dgx-h100) + 2 x 400 W (nvidia-qm9700)"
// The node group that has the largest part in it, -1 when no node has.
int heaviest_node_group(const std::vector<Term>&);
// The value to change when a rack has too much of a group: per_rack, else racks, else the group's name.
SourceSpan load_place(const NodeGroupModel&);

// The PDUs of a rack group that fail: in how many racks, the first names, and the one that fails most.
struct FailingPdus {
  std::vector<const PduLoad*> by_rack;  // the one that fails most in each rack
  std::vector<double> excess;           // of these
  const PduLoad* worst = nullptr;
  double most = 0;
  std::int64_t racks = 0;
  std::vector<std::string> names, objects;
  bool uniform() const {  // all racks fail by the same share
    return std::ranges::all_of(excess, [&](double e) { return e > most * (1 - kRounding); });
  }
};
std::span<const PduLoad> pdus_of(const RuleInput&, const RackGroupModel&);  // of all racks of the group
// `excess` says how much too much a PDU has, 0 for one that is right.
template <class Excess>
FailingPdus failing_pdus(const RuleInput& in, const RackGroupModel& g, Excess excess) {
  FailingPdus found;
  std::int64_t last_rack = -1;
  for (const PduLoad& load : pdus_of(in, g)) {
    const double e = excess(load);
    if (!(e > 0)) continue;
    if (e > found.most * (1 + kRounding)) {
      found.most = e;
      found.worst = &load;
    }
    if (load.rack == last_rack) {
      if (e > found.excess.back() * (1 + kRounding)) {
        found.excess.back() = e;
        found.by_rack.back() = &load;
      }
      continue;
    }
    last_rack = load.rack;
    found.by_rack.push_back(&load);
    found.excess.push_back(e);
    ++found.racks;
    const std::string name = in.cluster.rack_name(load.rack);
    if (found.names.size() < 3) found.names.push_back(name);
    found.objects.push_back("rack/" + name);
  }
  return found;
}
bool draws_power(const RuleInput&, const RackGroupModel&);  // anything stands in the group's racks that draws power

// What stands nowhere: "2 nodes of 'gpu'", its path for acceptances, the rack group that was to take it (-1: none).
std::string unplaced_name(const RuleInput&, const Unplaced&);
std::string unplaced_object(const RuleInput&, const Unplaced&);
int unplaced_racks(const RuleInput&, const Unplaced&);

bool is_ours(const NodeGroupModel&);  // a machine of our own that is known: no instance, no virtual machine, no part
                                      // that was not found

}  // namespace clusterc
