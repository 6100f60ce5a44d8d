// How a device gets into its place: by one person, by two, or on a lift. Three published rules, none of ours:
//   one person   23 kg, the load constant of the revised NIOSH lifting equation (Waters et al., Ergonomics 36, 1993;
//                NIOSH 94-110, doi 10.26616/NIOSHPUB94110revised092021), times its vertical multiplier
//                1 - 0.003 |V - 75|, V the height of the hands in cm; nothing above 175 cm
//   two people   two thirds of the sum of what each of them lifts (HSE, L23: Manual handling, paragraph 120)
//   a lift       all else; two people work with it
// The other multipliers of the equation (reach, turn, frequency) only lower the figure: a maker's manual that asks for
// more people or for a lift is right.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

constexpr Kilograms kOnePersonLifts{23};
constexpr Meters kHighestHands{1.75};

enum class Lifting : std::uint8_t { one_person, two_people, lift };
std::string_view lifting_text(Lifting);  // "one person", "two people", "a lift, two people"

Kilograms one_person_lifts(Meters hands);
Lifting lifting_to(Kilograms, Meters hands);
// Hands are at the lower edge of a device. nullopt: the catalogue does not state its weight. Trays stand in their
// frame, and what is there already is not lifted: nullopt.
std::optional<Lifting> lifting_of(const Cluster&, const Plan&, const RackedDevice&);

}  // namespace clusterc
