// How long the judging of a large acceptance takes, and how much memory: judge_results SPEC [RESULTS].
// Every node test of the suite gets a result from every node, with a figure of every GPU in each of its metrics, in
// lines of the length that the validators print, until there are RESULTS of them (default 2,000,000). Counted is the
// CPU time of judging, of the comparison of peers and demands, and of the JSON report; not that of making the lines up.
// The spec: benchmarks/specs.py 16384.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/json_writer.h"
#include "pipeline.h"
#include "report/validation_report.h"
#include "targets/metrics.h"
#include "validate/run.h"

namespace {
using namespace clusterc;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}

// As validators/harness prints it: 560 to 600 bytes.
std::string line_of(const Metric& metric, const std::string& host, std::int64_t gpu, double value) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("record", "measurement").field("metric", metric.name).field("unit", unit_name(metric.unit));
  json.field("better", metric.better).field("value", value).field("count", 50).field("warmup", 5);
  json.object("quantiles").field("p05", value * 0.99).field("p50", value).field("p95", value * 1.01).end_object();
  json.field("min", value * 0.98).field("max", value * 1.02).field("size", std::int64_t{4294967296});
  json.object("device")
      .field("backend", "cuda")
      .field("label", format("gpu{}", gpu))
      .field("name", "NVIDIA H100 80GB HBM3")
      .field("uuid", "GPU-8f6e2f6a-1b1e-4d86-8d8e-6f3a5f0c1d2e")
      .end_object();
  json.field("host", host).field("data_verified", true).field("checked", 536870912).field("wrong", 0);
  json.field("other_load", 0.0125).field("busy", false);
  json.object("parameters").field("elements", 536870912).field("order", 16384).field("clock_hz", 1980000000.0);
  json.end_object().end_object();
  return line;
}

// Answers for every node of a node test.
class MadeUp final : public Launcher {
 public:
  MadeUp(const std::vector<SuiteTest>& suite, const ExpectedFigures& expected) : suite_(suite), expected_(expected) {}
  mutable std::size_t results = 0;
  mutable double seconds = 0;  // of CPU, for making them up

  std::string_view id() const override { return "made-up"; }
  bool available(std::string&) const override { return true; }
  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    return std::vector<NodeState>(nodes.size(), NodeState{true, ""});
  }
  std::vector<std::string> command(const Launch& launch) const { return launch.argv; }
  LaunchResult run(const Launch& launch) const override {
    const double begin = cpu_seconds();
    const std::string validator = launch.argv.front().substr(launch.argv.front().rfind('-') + 1);
    const auto test = std::find_if(suite_.begin(), suite_.end(), [&](const SuiteTest& t) {
      return t.validator == validator && t.nodes.front() == launch.nodes.front();
    });
    LaunchResult out{.started = true};
    for (std::size_t n = 0; n < launch.nodes.size(); ++n) out.tasks.push_back(answer(*test, launch.nodes[n], n));
    seconds += cpu_seconds() - begin;
    return out;
  }

 private:
  TaskOutput answer(const SuiteTest& test, const std::string& node, std::size_t number) const {
    TaskOutput task{.node = node, .lines = {}};
    task.lines.push_back(
        format(R"({{"record":"header","format":"clusterc-result","version":1,"validator":"{}","host":"{}"}})",
               test.validator, node));
    std::size_t figures = 0;
    for (const std::string& name : test.metrics) {
      const Metric* const metric = find_metric(name);
      const ExpectedFigure* const figure = expected_.find(name, test.group);
      const double typical = figure && figure->typical.value   ? *figure->typical.value
                             : figure && figure->ceiling.value ? *figure->ceiling.value * 0.9
                                                               : 1e12;
      for (std::int64_t gpu = 0; metric && gpu < std::max<std::int64_t>(1, test.gpus_per_node); ++gpu, ++figures) {
        const auto scatter = static_cast<double>((number * 7 + static_cast<std::size_t>(gpu)) % 11);
        // Copied, as launchers keep it: what it was written into has room to grow.
        task.lines.emplace_back(std::string_view(line_of(*metric, node, gpu, typical * (1 + 0.001 * scatter))));
      }
    }
    task.lines.push_back(
        format(R"({{"record":"end","status":"done","measurements":{},"wrong":0,"data_verified":true}})", figures));
    results += figures;
    return task;
  }

  const std::vector<SuiteTest>& suite_;
  const ExpectedFigures& expected_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: judge_results SPEC\n", stderr);
    return 2;
  }
  const auto run = run_pipeline(argv[1], Stage::planned, {});
  if (!run->plan) return 2;
  const ExpectedFigures expected = expect_figures(*run->cluster, *run->plan);
  std::vector<SuiteTest> suite = plan_suite(*run->cluster, expected);
  std::erase_if(suite, [](const SuiteTest& t) {
    return t.mpi || t.stage != SuiteStage::node || !t.system.empty() || !t.skip.empty() || t.metrics.empty();
  });
  const MadeUp launcher(suite, expected);
  std::printf("%.0f MB before the first result\n", peak_megabytes());
  double begin = cpu_seconds();
  const Report report = run_suite(*run->cluster, expected, suite, launcher, {});
  const double judged = cpu_seconds() - begin - launcher.seconds;
  std::printf("%zu results, %zu verdicts (%zu pass): judged in %.2f s of CPU, peak %.0f MB\n", launcher.results,
              report.verdicts.size(), report.count(Verdict::pass), judged, peak_megabytes());
  begin = cpu_seconds();
  std::size_t bytes = 0;
  write_validation_json(report, "", nullptr, [&](std::string_view piece) { bytes += piece.size(); });
  std::printf("JSON report: %.2f s, %.0f MB, peak %.0f MB\n", cpu_seconds() - begin, static_cast<double>(bytes) / 1e6,
              peak_megabytes());
  return judged <= 5 ? 0 : 1;
}
