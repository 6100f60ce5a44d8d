#include "report/fit_report.h"

#include "base/format.h"
#include "spec/prices.h"

namespace clusterc {

std::string render_fit_text(const FitReport& r) {
  const FitOutcome& o = r.outcome;
  std::string out = format("{}: {}: ", r.cluster, r.of);
  if (o.largest == 0)
    out += format("not even one fits (the spec has {})\n", r.asked);
  else if (!o.limited)
    out += format("nothing limits it up to {} (the spec has {})\n", o.largest, r.asked);
  else
    out += format("{} fit{} (the spec has {})\n", o.largest, o.largest == 1 ? "s" : "", r.asked);
  if (r.figures) {
    const PlanFigures& f = *r.figures;
    out += "  " + figures_line(f);
    if (f.cost) out += ", " + cost_line(*f.cost);
    out += "\n";
    if (!f.powerless.empty())
      out += format("  the power and heat of {} are unknown: they count as 0 W and did not limit the count\n",
                    names_text(f.powerless));
  }
  const auto limits = [&](const std::vector<FitLimit>& list) {
    for (const FitLimit& l : list) out += format("  at {}: {} [{}]\n", l.at, l.error.message, l.error.rule);
  };
  if (!o.first.empty()) {
    out += "first limits\n";
    limits(o.first);
  }
  if (!o.next.empty()) {
    out += "next limits" + (r.relaxed.empty() ? std::string() : ", " + r.relaxed) + "\n";
    limits(o.next);
  }
  if (!o.standing.empty()) {
    out += "errors that occur at a count of 1 already and do not limit it\n";
    for (const FitError& e : o.standing) out += format("  {} [{}]\n", e.message, e.rule);
  }
  return out;
}

std::string render_fit_json(const FitReport& r) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", "clusterc-fit")
      .field("version", 1)
      .field("cluster", r.cluster)
      .field("of", r.of)
      .field("in_spec", r.asked)
      .field("largest", r.outcome.largest)
      .field("limited", r.outcome.limited)
      .field("tried_up_to", r.outcome.tried)
      .field("relaxed", r.relaxed);
  const auto limits = [&](std::string_view key, const std::vector<FitLimit>& list) {
    json.array(key);
    for (const FitLimit& l : list)
      json.begin_object(kLine)
          .field("at", l.at)
          .field("rule", l.error.rule)
          .field("message", l.error.message)
          .end_object();
    json.end_array();
  };
  limits("first_limits", r.outcome.first);
  limits("next_limits", r.outcome.next);
  json.array("standing_errors");
  for (const FitError& e : r.outcome.standing)
    json.begin_object(kLine).field("rule", e.rule).field("message", e.message).end_object();
  json.end_array();
  json.array("power_unknown");
  if (r.figures)
    for (const PowerlessPart& p : r.figures->powerless)
      json.begin_object(kLine).field("part", p.part).field("count", p.count).field("why", p.why).end_object();
  json.end_array();
  if (r.figures) {
    json.object("figures");
    figures_json(json, *r.figures);
    json.end_object();
  }
  json.end_object();
  return out + "\n";
}

}  // namespace clusterc
