#include "report/lifting.h"

#include <algorithm>
#include <cmath>

#include "plan/fabric/links.h"
#include "report/device_names.h"

namespace clusterc {
namespace {

constexpr double kKnuckles = 0.75, kPerMetre = 0.3;  // m and 1/m: VM of the equation
constexpr double kOfTwo = 2.0 / 3;

}  // namespace

std::string_view lifting_text(Lifting l) {
  switch (l) {
    case Lifting::one_person:
      return "one person";
    case Lifting::two_people:
      return "two people";
    case Lifting::lift:
      return "a lift, two people";
  }
  return {};
}

Kilograms one_person_lifts(Meters hands) {
  if (hands > kHighestHands) return Kilograms(0);
  return Kilograms(kOnePersonLifts.value * (1 - kPerMetre * std::abs(hands.value - kKnuckles)));
}

Lifting lifting_to(Kilograms weight, Meters hands) {
  const double one = one_person_lifts(hands).value;
  if (weight.value <= one) return Lifting::one_person;
  return weight.value <= kOfTwo * 2 * one ? Lifting::two_people : Lifting::lift;
}

std::optional<Lifting> lifting_of(const Cluster& c, const Plan& p, const RackedDevice& d) {
  const auto weight = device_weight(c, p, d);
  if (!weight) return std::nullopt;
  return lifting_to(*weight, height_of_unit(static_cast<double>(std::max<std::int64_t>(d.unit, 1))));
}

}  // namespace clusterc
