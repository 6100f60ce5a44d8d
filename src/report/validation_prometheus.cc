#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/printable.h"
#include "report/validation_report.h"
#include "targets/metrics.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

// Of a label's value the format escapes three characters.
std::string label(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

void family(std::string& out, std::string_view name, std::string_view help) {
  out += format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
}

std::string labels(const Report& report, const Judged& j) {
  return format(R"(cluster="{}",test="{}",metric="{}",node="{}",device="{}")", label(report.cluster), label(j.test),
                label(j.metric), label(j.node), label(j.device));
}

// The places of verdicts without those whose labels, with `also`, are those of an earlier one: a scrape that has a
// series twice is refused as a whole. Nodes that contradict themselves make such verdicts.
template <class Also>
std::vector<std::size_t> each_once(const Report& report, const Also& also) {
  const auto key = [&](std::size_t i) {
    const Judged& j = report.verdicts[i];
    return std::tuple(std::string_view(j.test), std::string_view(j.metric), std::string_view(j.node),
                      std::string_view(j.device), also(j));
  };
  std::vector<std::size_t> out(report.verdicts.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, key);
  const auto equal = [&](std::size_t a, std::size_t b) { return key(a) == key(b); };
  out.erase(std::unique(out.begin(), out.end(), equal), out.end());
  std::ranges::sort(out);
  return out;
}

// A sample of each of these verdicts for which `of` gives one.
template <class F>
void samples(std::string& out, const Report& report, const std::vector<std::size_t>& places, std::string_view name,
             std::string_view help, F&& of) {
  family(out, name, help);
  for (const std::size_t i : places)
    if (const std::optional<double> v = of(report.verdicts[i]))
      out += format("{}{{{},unit=\"{}\"}} {}\n", name, labels(report, report.verdicts[i]),
                    unit_name(report.verdicts[i].dimension), *v);
}

}  // namespace

std::string render_validation_prometheus(const Report& report) {
  std::string out;
  const std::string cluster = format("{{cluster=\"{}\"}}", label(report.cluster));
  family(out, "clusterc_validation_passed",
         "1: all that the spec demands was measured and passed, and nothing was found.");
  const RunVerdict verdict = run_verdict(report);
  out += format("clusterc_validation_passed{} {}\n", cluster, verdict == RunVerdict::passed ? 1 : 0);
  family(out, "clusterc_validation_verdict", "1 for the verdict of the run, 0 for the others.");
  for (const RunVerdict v : all_run_verdicts())
    out += format("clusterc_validation_verdict{{cluster=\"{}\",verdict=\"{}\"}} {}\n", label(report.cluster),
                  run_verdict_name(v), v == verdict ? 1 : 0);
  family(out, "clusterc_validation_start_timestamp_seconds", "When the run began.");
  out += format("clusterc_validation_start_timestamp_seconds{} {}\n", cluster, report.started);
  family(out, "clusterc_validation_end_timestamp_seconds", "When the run ended.");
  out += format("clusterc_validation_end_timestamp_seconds{} {}\n", cluster, report.ended);
  family(out, "clusterc_validation_verdicts", "Verdicts of the run by kind.");
  for (const Verdict v :
       {Verdict::pass, Verdict::degraded, Verdict::fail, Verdict::error, Verdict::skipped, Verdict::unjudged})
    out += format("clusterc_validation_verdicts{{cluster=\"{}\",verdict=\"{}\"}} {}\n", label(report.cluster),
                  verdict_name(v), report.count(v));
  family(out, "clusterc_validation_demands", "Figures that the spec demands.");
  std::size_t met = 0;
  for (const Demand& d : report.demands) met += d.met;
  out += format(
      "clusterc_validation_demands{{cluster=\"{0}\",met=\"yes\"}} {1}\n"
      "clusterc_validation_demands{{cluster=\"{0}\",met=\"no\"}} {2}\n",
      label(report.cluster), met, report.demands.size() - met);
  const std::vector<std::size_t> figures =
      each_once(report, [](const Judged& j) { return std::pair(!j.value.has_value(), j.dimension); });
  samples(out, report, figures, "clusterc_validation_figure", "A measured figure, in the SI unit of the label.",
          [](const Judged& j) { return j.value; });
  samples(out, report, figures, "clusterc_validation_figure_floor",
          "The figure below (of a time: above) which it fails.",
          [](const Judged& j) { return j.value ? j.floor : std::nullopt; });
  family(out, "clusterc_validation_figure_verdict", "1 for the verdict on a figure.");
  for (const std::size_t i : each_once(report, [](const Judged& j) { return j.verdict; }))
    out += format("clusterc_validation_figure_verdict{{{},verdict=\"{}\"}} 1\n", labels(report, report.verdicts[i]),
                  verdict_name(report.verdicts[i].verdict));
  return out;
}

}  // namespace clusterc
