#include "validate/run_verdict.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

std::size_t culprits_of(const Report& report) {
  std::size_t out = 0;
  for (const SearchReport& s : report.searches) out += s.culprits.size();
  return out;
}

std::size_t unmet_of(const Report& report) {
  return static_cast<std::size_t>(std::ranges::count_if(report.demands, [](const Demand& d) { return !d.met; }));
}

bool has_failed(const Report& report) {
  return report.count(Verdict::fail) || report.count(Verdict::error) || report.count(Verdict::degraded) ||
         unmet_of(report) || !report.left_out.empty() || culprits_of(report);
}

std::string why_failed(const Report& report) {
  std::vector<std::string> why;
  for (const Verdict v : {Verdict::fail, Verdict::error, Verdict::degraded})
    if (const std::size_t n = report.count(v)) why.push_back(format("{} {}", n, verdict_name(v)));
  if (const std::size_t n = culprits_of(report)) why.push_back(format("{} culprit{}", n, n == 1 ? "" : "s"));
  if (const std::size_t n = unmet_of(report))
    why.push_back(format("{} of {} figures that the spec demands not met", n, report.demands.size()));
  if (!report.left_out.empty()) why.push_back("left out for want of time: " + join(report.left_out, ", "));
  return join(why, "; ");
}

std::string why_only_nothing_wrong(const Report& report) {
  const std::size_t open = report.count(Verdict::unjudged) + report.count(Verdict::skipped);
  std::string out = "the spec demands no figure";
  if (open) out += format(", and {} of {} verdicts are unjudged or skipped", open, report.verdicts.size());
  return report.whole ? out : out + (open ? "; " : ", and ") + "a part of the suite did not run";
}

}  // namespace

std::vector<RunVerdict> all_run_verdicts() {
  return {RunVerdict::could_not_run,  RunVerdict::interrupted,   RunVerdict::failed,
          RunVerdict::nothing_judged, RunVerdict::nothing_wrong, RunVerdict::passed};
}

RunVerdict run_verdict(const Report& report) {
  if (!report.error.empty()) return RunVerdict::could_not_run;
  if (report.interrupted) return RunVerdict::interrupted;
  if (has_failed(report)) return RunVerdict::failed;
  const std::size_t passed = report.count(Verdict::pass);
  if (passed == 0) return RunVerdict::nothing_judged;
  const bool everything = report.whole && passed == report.verdicts.size();
  return everything || !report.demands.empty() ? RunVerdict::passed : RunVerdict::nothing_wrong;
}

std::string_view run_verdict_name(RunVerdict v) {
  switch (v) {
    case RunVerdict::could_not_run:
      return "could not run";
    case RunVerdict::interrupted:
      return "interrupted";
    case RunVerdict::failed:
      return "not passed";
    case RunVerdict::nothing_judged:
      return "nothing was judged";
    case RunVerdict::nothing_wrong:
      return "nothing wrong was found";
    case RunVerdict::passed:
      return "passed";
  }
  return "?";
}

std::string why_run_verdict(const Report& report) {
  switch (run_verdict(report)) {
    case RunVerdict::could_not_run:
      return report.error;
    case RunVerdict::interrupted:
      return "the rest of the suite did not run";
    case RunVerdict::failed:
      return why_failed(report);
    case RunVerdict::nothing_judged:
      return report.ran_something() ? "no figure can be judged: every verdict is unjudged or skipped"
                                    : "nothing was run";
    case RunVerdict::nothing_wrong:
      return why_only_nothing_wrong(report);
    case RunVerdict::passed:
      break;
  }
  return {};
}

bool is_good(RunVerdict v) { return v == RunVerdict::passed || v == RunVerdict::nothing_wrong; }

}  // namespace clusterc
