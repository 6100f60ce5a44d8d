// `accept:` of a spec: findings that it takes out of the way, by id and place, with a reason and a date.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/finding_table.h"

namespace clusterc {

struct Acceptance;
struct Date;
struct Spec;
class Document;

// The day that an offered acceptance ends: half a year, long enough for a purchase, short enough that somebody looks
// again.
Date accepted_until(const Date& today);
// What accepts a finding: an entry of `accept:` for its place, or one for each object that it is about. Empty: it
// cannot be accepted, or stands in no place that an entry can name.
std::vector<std::string> accepting_entries(const Spec&, const Finding&, const Date& until);
// The edit that puts the entries into a spec: behind the last entry of `accept:`, or at the end of the text. Nothing
// where the spec is written in brackets as a whole, or `accept:` is not a list.
std::optional<Edit> accepting_edit(const Document&, const Sources&, const std::vector<std::string>& entries);

// Reports entries with unknown ids, of what cannot be accepted, and those whose day is over (`today` is given by the
// caller: rules know no clock; null: no entry ends).
class Acceptances {
 public:
  Acceptances(const Spec&, const Sources&, const Date* today, Findings&);
  ~Acceptances();
  Acceptances(const Acceptances&) = delete;
  Acceptances& operator=(const Acceptances&) = delete;

  // Marks what is found so far and accepted. Called again after later stages: what is marked stays marked.
  void apply(Findings&);
  // Reports the entries that no finding met. `judged`: whether all stages ran that report findings; where the outputs
  // were not judged, an entry with an id of theirs is not called unused. One of an audit never is.
  void report_unused(bool judged, Findings&);

 private:
  struct Open;
  struct OfKind;
  const Open* accepting(const Finding&);

  const Sources& sources_;
  std::vector<Open> open_;
  std::map<std::string_view, OfKind> by_id_;
};

}  // namespace clusterc
