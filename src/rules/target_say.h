// What the rules of the target family share: floors that a spec sets, held against what is expected of the hardware.
#pragma once
#include <initializer_list>

#include "rules/say.h"
#include "rules/software_say.h"
#include "targets/metrics.h"
#include "targets/targets.h"

namespace clusterc {

// Smaller headers and rounding may lift a result over a ceiling of headers by this; a peak of arithmetic or of memory
// is met by nothing.
constexpr double kPathHeadroom = 1.02;
inline double headroom_of(std::string_view test) {
  const Metric* metric = find_metric(test);
  return metric && metric->peak ? 1.0 : kPathHeadroom;
}

inline std::string of_group(const ExpectedFigure& f) {
  return f.group.empty() ? std::string() : format(" on '{}'", f.group);
}
inline std::string target_object(const ExpectedFigure& f) {
  return f.group.empty() ? std::string("targets") : "nodes." + f.group;
}

// Calls say(figure) for each floor of the spec in one of these tests (all: none named); one floor for several groups is
// told once, for the first group that say() returns true for.
template <class Say>
void each_wished_floor(const RuleInput& in, std::initializer_list<std::string_view> tests, Say say) {
  Once once;
  for (const ExpectedFigure& f : in.targets.figures) {
    if (!f.floor_by_user || !f.floor.value || f.lower_is_better || !f.skip.empty()) continue;
    if (tests.size() > 0 && std::find(tests.begin(), tests.end(), std::string_view(f.test)) == tests.end()) continue;
    if (!once.told(f.floor_place) && say(f)) once.first(f.floor_place);
  }
}

// The way out of every target that is too high or too low.
inline std::string leave_it_out(const ExpectedFigure& f) {
  return f.derived_floor.value ? format("leave `floor` out: the derived one is {} ({})",
                                        to_text(*f.derived_floor.value, f.dimension, 4), f.derived_floor.derivation)
                               : "leave `floor` out, or set one below the ceiling";
}

inline void check_ceiling(const Rule& rule, const RuleInput& in, Findings& findings,
                          std::initializer_list<std::string_view> tests) {
  each_wished_floor(in, tests, [&](const ExpectedFigure& f) {
    if (!f.ceiling.value || !above(*f.floor.value, *f.ceiling.value * headroom_of(f.test))) return false;
    Finding& x = findings.error(
        rule.id, f.floor_place,
        format("the floor of {} for {}{} is above the ceiling of {}{}", to_text(*f.floor.value, f.dimension, 4), f.test,
               of_group(f), to_text(*f.ceiling.value, f.dimension, 4),
               f.algorithm.empty() ? std::string() : format(" ({})", f.algorithm)));
    x.label(f.ceiling.derivation);
    if (!f.ceiling.confirmed) {
      x.unconfirmed = true;
      x.note({}, format("a value from which the ceiling follows is not confirmed; its source: {}", f.ceiling.source));
    }
    if (f.dimension == Dimension::flop_rate &&
        *f.floor.value<2.02 * *f.ceiling.value&& * f.floor.value> 1.98 * *f.ceiling.value)
      x.note({}, "data sheets print twice the dense peak, for matrices that are half zeros");
    x.help(leave_it_out(f));
    x.object(target_object(f));
    return true;
  });
}

}  // namespace clusterc
