#include "spec/edition.h"

#include "base/format.h"

namespace clusterc {

std::string Edition::text() const { return format("{:04}.{:02}", year, month); }

std::optional<Edition> find_edition(std::string_view text) {
  for (const Edition& e : kEditions)
    if (e.text() == text) return e;
  return std::nullopt;
}

std::string edition_list() {
  std::string all;
  for (const Edition& e : kEditions) all += (all.empty() ? "" : ", ") + e.text();
  return all;
}

}  // namespace clusterc
