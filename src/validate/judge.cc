#include "validate/judge.h"

#include <optional>

#include "base/format.h"
#include "targets/metrics.h"

namespace clusterc {

std::string_view verdict_name(Verdict v) {
  switch (v) {
    case Verdict::pass:
      return "pass";
    case Verdict::degraded:
      return "degraded";
    case Verdict::fail:
      return "fail";
    case Verdict::error:
      return "error";
    case Verdict::skipped:
      return "skipped";
    case Verdict::unjudged:
      return "unjudged";
  }
  return "?";
}

namespace {

// The dimension that a record's unit is of; none: no figure has such a unit.
std::optional<Dimension> dimension_of(std::string_view unit) {
  for (const Dimension d : {Dimension::byte_rate, Dimension::flop_rate, Dimension::time, Dimension::op_rate})
    if (unit_name(d) == unit) return d;
  return std::nullopt;
}

// What a figure is measured in: as it is expected, else as the table of metrics has it. Of a metric that is not in the
// table the unit is the program's own.
Dimension wanted_dimension(const MeasurementRecord& m, const ExpectedFigure* expected, const Metric* metric) {
  if (expected) return expected->dimension;
  return metric ? metric->unit : dimension_of(m.unit).value_or(Dimension::byte_rate);
}

// What is contradictory in a figure, whatever is expected of it; empty: nothing.
std::string contradiction_in(const MeasurementRecord& m, Dimension wanted) {
  if (!m.damaged.empty()) return m.damaged;
  const std::optional<Dimension> dimension = dimension_of(m.unit);
  if (!dimension) return format("damaged record: '{}' is not a unit of a figure", m.unit.substr(0, 20));
  if (*dimension != wanted)
    return format("contradictory: measured in {}, the unit of {} is {}", m.unit, m.metric, unit_name(wanted));
  if (m.value < 0 || (m.value == 0 && wanted == Dimension::time))
    return format("damaged record: 'value' is {:.6g}", m.value);
  if (m.data_verified && m.checked == 0) return "contradictory: the data is marked as verified, but none was checked";
  return {};
}
}  // namespace

Judged judge(const MeasurementRecord& m, const ExpectedFigure* expected) {
  Judged out;
  out.metric = m.metric;
  out.device = m.device;
  out.value = m.value;
  const Metric* metric = find_metric(m.metric);
  const JudgedBy judged = metric ? metric->judged : JudgedBy::target;
  out.dimension = wanted_dimension(m, expected, metric);
  // That the data is verified is believed of nobody who counted wrong values.
  const bool verified = m.data_verified && m.wrong == 0;
  out.data_verified = verified;
  out.busy = m.busy;
  out.page_cache = m.page_cache;
  out.size = m.size;
  out.lower_is_better = m.lower_is_better;
  out.samples = m.count;
  if (m.p05 > 0 && m.p95 >= m.p05) out.p05 = m.p05, out.p95 = m.p95;
  const auto say = [&](double v) { return to_text(v, out.dimension); };
  if (expected) {
    out.ceiling = expected->ceiling.value;
    out.typical = expected->typical.value;
    out.floor = expected->floor.value;
  }
  const auto end = [&](Verdict v, std::string reason) {
    out.verdict = v;
    out.reason = std::move(reason);
    return out;
  };
  if (const std::string why = contradiction_in(m, out.dimension); !why.empty()) {
    out.value.reset();  // whatever it is, it is no figure
    out.data_verified = false;
    return end(m.wrong > 0 ? Verdict::fail : Verdict::error, why);
  }
  // Of containers what is compared are the devices that they see: a finder that checked says what is wrong.
  if (!verified && judged == JudgedBy::finder && !m.slow.empty()) return end(Verdict::fail, m.slow);
  if (!verified)
    return end(Verdict::fail, m.checked == 0
                                  ? "the data was not checked"
                                  : format("the data is wrong: {} of {} values checked", m.wrong, m.checked));
  if (expected && !expected->skip.empty()) return end(Verdict::skipped, expected->skip);
  if (m.page_cache)
    return end(Verdict::unjudged, "the page cache may have answered: the figure is not one of the storage");
  // The host in a GPU's place shows that the validator works.
  if (metric && metric->gpu_only && m.backend != "cuda")
    return end(Verdict::unjudged, "copied between the memory of processors: the figure is not one of a GPU");
  // These find faults; their speed is a by-product. Other work slows processors, and says nothing of the hardware.
  // A link is held against both of its ends, and where the spec tells what it should be, against that, too (below).
  const bool link = judged == JudgedBy::link;
  const bool below = out.floor && m.value < *out.floor;
  if (judged == JudgedBy::finder || (link && !below && (!m.slow.empty() || !expected))) {
    if (m.slow.empty()) return end(Verdict::pass, "");
    return m.busy ? end(Verdict::error, "busy: " + m.slow + " beside other work: run it again when the machine is idle")
                  : end(Verdict::degraded, m.slow);
  }
  if (!expected) return end(Verdict::unjudged, "no expected figure is known for this hardware");
  const bool lower = m.lower_is_better;
  const auto worse = [&](double a, double b) { return lower ? a > b : a < b; };
  if (out.ceiling && (lower ? m.value * kAboveCeiling < *out.ceiling : m.value > *out.ceiling * kAboveCeiling))
    return end(Verdict::error, format("measured {}, more than the {} that the hardware allows ({}): measured wrongly, "
                                      "or the spec does not describe this machine",
                                      say(m.value), say(*out.ceiling), expected->ceiling.derivation));
  if (!expected->missing.empty() && !expected->floor_by_user) return end(Verdict::unjudged, expected->missing);
  if (!out.ceiling && !expected->floor_by_user) return end(Verdict::unjudged, "no ceiling is known");
  if (!out.floor)
    return end(Verdict::unjudged,
               "clusterc knows no published figure of a healthy system of this hardware, and targets has no floor");
  // Other work makes nothing faster: what reaches its figure beside it has passed, what does not says nothing of the
  // hardware.
  if (m.busy && worse(m.value, out.typical ? (lower ? *out.typical / expected->guard : *out.typical * expected->guard)
                                           : *out.floor))
    return end(
        Verdict::error,
        format("busy: measured {} beside other work, {} is {}: run it again when the machine is idle", say(m.value),
               out.typical ? "typical"
               : lower     ? "the limit"
                           : "the floor",
               say(out.typical ? *out.typical : *out.floor)));
  // What the validator saw of a link, or of what held a GPU's clocks back, says why.
  const std::string seen = m.slow.empty() ? "" : ": " + m.slow;
  const bool may_fail = expected->floor_by_user || (expected->basis != "transferred" && expected->basis != "stated");
  if (worse(m.value, *out.floor)) {
    const std::string reason =
        format("measured {}, {} of {}{}", say(m.value), lower ? "above the limit" : "below the floor", say(*out.floor),
               expected->floor_by_user ? " that the spec sets" : "");
    return end(may_fail ? Verdict::fail : Verdict::degraded,
               !may_fail ? reason + " (a floor from other hardware gives degraded, not fail)" + seen : reason + seen);
  }
  if (out.typical && worse(m.value, lower ? *out.typical / expected->guard : *out.typical * expected->guard))
    return end(Verdict::degraded, format("measured {}, typical is {}{}", say(m.value), say(*out.typical), seen));
  return end(Verdict::pass, "");
}

}  // namespace clusterc
