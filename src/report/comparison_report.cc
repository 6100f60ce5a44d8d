#include "report/comparison_report.h"

#include <algorithm>
#include <span>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/table.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostShown = 100;  // single figures in the text

std::string percent(double gain) { return format("{:+.1f} %", gain * 100); }

std::string meaning(const ComparedMetric& m) {
  if (!m.probability) return format("{} pairs: too few to tell", m.pairs);
  return m.change == Change::same ? "within the noise" : std::string(change_name(m.change));
}

}  // namespace

std::string render_comparison_text(const Comparison& c) {
  std::string out = format("compared with the run of {}: {} verdicts in both, {} only then, {} only now\n",
                           utc_text(c.before_started), c.pairs, c.only_before, c.only_now);
  if (!c.differs.empty()) out += "not the same in both runs: " + join(c.differs, ", ") + "\n";
  Table metrics({"test", "metric", ">pairs", ">change", ">p", "meaning"});
  for (const ComparedMetric& m : c.metrics)
    metrics.row({m.test, m.metric, format("{}", m.pairs), percent(m.gain),
                 m.probability ? format("{:.2g}", *m.probability) : "-", meaning(m)});
  if (!metrics.empty())
    out += "\n" + metrics.text() +
           format(
               "\n  change: median over the pairs, positive is better; p: Wilcoxon's signed-rank test; of what is "
               "called better or worse\n  at most {:.0f} % is expected to be chance (Benjamini-Hochberg)\n",
               kCompareRate * 100);
  Table figures({"metric", "node", "device", ">before", ">now", ">change", "meaning", "verdict"});
  for (const ComparedFigure& f : std::span(c.figures).first(std::min(kMostShown, c.figures.size()))) {
    const bool measured = f.before > 0;
    figures.row({f.metric, f.node, f.device.empty() ? "-" : f.device, measured ? to_text(f.before, f.dimension) : "-",
                 measured ? to_text(f.now, f.dimension) : "-", measured ? percent(f.gain) : "-",
                 !measured                     ? "-"
                 : f.change == Change::unknown ? "unknown: no quantiles"
                 : f.change == Change::same    ? "within the noise"
                                               : std::string(change_name(f.change)),
                 f.verdict_before == f.verdict_now
                     ? std::string(verdict_name(f.verdict_now))
                     : format("{} -> {}", verdict_name(f.verdict_before), verdict_name(f.verdict_now))});
  }
  if (!figures.empty()) out += "\n" + figures.text();
  if (c.figures.size() > kMostShown)
    out += format("  and {} more: the JSON has all of them\n", c.figures.size() - kMostShown);
  const auto worse = [](const auto& list) {
    return std::ranges::count_if(list, [](const auto& x) { return x.change == Change::worse; });
  };
  const auto metrics_worse = worse(c.metrics), figures_worse = worse(c.figures);
  out += metrics_worse + figures_worse > 0
             ? format("\nworse than noise explains: {} metrics, {} single figures\n", metrics_worse, figures_worse)
             : std::string("\nno figure got worse than noise explains\n");
  if (const std::size_t verdicts = c.verdicts_worse()) out += format("verdicts that got worse: {}\n", verdicts);
  return out;
}

void write_comparison(JsonWriter& json, const Comparison& c) {
  json.object("comparison").field("before_started", utc_text(c.before_started));
  json.array("differs", JsonWriter::Layout::line);
  for (const std::string& what : c.differs) json.value(what);
  json.end_array()
      .field("pairs", c.pairs)
      .field("only_before", c.only_before)
      .field("only_now", c.only_now)
      .field("got_worse", c.got_worse())
      .array("metrics");
  for (const ComparedMetric& m : c.metrics)
    json.begin_object(JsonWriter::Layout::line)
        .field("test", m.test)
        .field("metric", m.metric)
        .field("pairs", m.pairs)
        .field("gain", m.gain)
        .field("probability", m.probability)
        .field("change", change_name(m.change))
        .end_object();
  json.end_array().array("figures");
  for (const ComparedFigure& f : c.figures) {
    const auto figure = [&](double v) { return f.before > 0 ? std::optional(v) : std::nullopt; };
    json.begin_object(JsonWriter::Layout::line)
        .field("test", f.test)
        .field("metric", f.metric)
        .field("node", f.node)
        .field("device", f.device)
        .field("before", figure(f.before))
        .field("now", figure(f.now))
        .field("gain", f.gain)
        .field("change", change_name(f.change))
        .field("verdict_before", verdict_name(f.verdict_before))
        .field("verdict_now", verdict_name(f.verdict_now))
        .end_object();
  }
  json.end_array().end_object();
}

}  // namespace clusterc
