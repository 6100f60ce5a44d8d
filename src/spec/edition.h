// Editions of the rule book: `rules: 2026.11` in a spec names the one that judges it. A rule says which edition brought
// it, so that a newer program adds no errors to a spec of an older edition. `check --edition newest` shows what the
// newest would say.
#pragma once
#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

struct Edition {
  int year = 0, month = 0;
  constexpr auto operator<=>(const Edition&) const = default;
  std::string text() const;
};

// Oldest first. A rule that is added after an edition was released belongs to a new one.
constexpr std::array kEditions = {Edition{2026, 11}};
constexpr Edition kFirstEdition = kEditions.front(), kNewestEdition = kEditions.back();

// "2026.11"; nullopt when there is no such edition.
std::optional<Edition> find_edition(std::string_view);
std::string edition_list();  // "2026.11, 2027.05"

}  // namespace clusterc
