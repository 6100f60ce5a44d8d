// The sections `accept` and `thresholds` of a spec: findings that are accepted, limits that the site sets itself.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

struct Acceptance {
  SourceSpan span;
  Value<std::string> rule, at, reason;
  Value<Date> until;
  static constexpr std::string_view type_name = "acceptance";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rule", s.rule, {.required = true, .doc = "rule to accept"});
    v("at", s.at, {.required = true, .doc = "place: path of the key (networks.oob) or name of the object (rack/r07)"});
    v("reason", s.reason, {.required = true, .doc = "why; it stays in the report"});
    v("until", s.until, {.required = true, .doc = "last day: 2027-03-31"});
  }
};

// A limit as it was written; the rule that it belongs to says whether that is a share, a count or a quantity.
struct WrittenLimit {
  std::string as_written;
  static constexpr std::string_view type_name = "figure", example = "30 kg", pattern = "^[0-9].*$";
  static std::optional<WrittenLimit> parse(std::string_view text, std::string& error);
  std::string text() const { return as_written; }
  bool operator==(const WrittenLimit&) const = default;
};

}  // namespace clusterc
