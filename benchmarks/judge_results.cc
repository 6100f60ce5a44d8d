// How long the judging of a large acceptance takes, and how much memory: judge_results SPEC [RESULTS].
// Every node test of the suite gets a result from every node, with a figure of every GPU in each of its metrics, in
// lines of the length that the validators print, until there are RESULTS of them (default 2,000,000). Counted is the
// CPU time of judging, of the comparison of peers and demands, and of the JSON report; not that of making the lines up.
// The spec: benchmarks/specs.py 16384.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/format.h"
#include "base/json_writer.h"
#include "pipeline.h"
#include "report/validation_report.h"
#include "targets/metrics.h"
#include "validate/conclude.h"
#include "validate/verdicts.h"

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

std::size_t fill(JournalTest& ran, const SuiteTest& test, const ExpectedFigures& expected) {
  std::size_t results = 0;
  for (std::size_t n = 0; n < test.nodes.size(); ++n) {
    TaskOutput task{.node = test.nodes[n], .lines = {}};
    task.lines.push_back(
        format(R"({{"record":"header","format":"clusterc-result","version":1,"validator":"{}","host":"{}"}})",
               test.validator, test.nodes[n]));
    std::size_t figures = 0;
    for (const std::string& name : test.metrics) {
      const Metric* const metric = find_metric(name);
      const ExpectedFigure* const figure = expected.find(name, test.group);
      const double typical = figure && figure->typical.value   ? *figure->typical.value
                             : figure && figure->ceiling.value ? *figure->ceiling.value * 0.9
                                                               : 1e12;
      for (std::int64_t gpu = 0; metric && gpu < std::max<std::int64_t>(1, test.gpus_per_node); ++gpu, ++figures)
        task.lines.push_back(
            line_of(*metric, test.nodes[n], gpu,
                    typical * (1 + 0.001 * static_cast<double>((n * 7 + static_cast<std::size_t>(gpu)) % 11))));
    }
    task.lines.push_back(
        format(R"({{"record":"end","status":"done","measurements":{},"wrong":0,"data_verified":true}})", figures));
    results += figures;
    ran.tasks.push_back(std::move(task));
  }
  return results;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: judge_results SPEC [RESULTS]\n", stderr);
    return 2;
  }
  const std::size_t wanted = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2'000'000;
  const auto run = run_pipeline(argv[1], Stage::planned, {});
  if (!run->plan) return 2;
  const ExpectedFigures expected = expect_figures(*run->cluster, *run->plan);
  const std::vector<SuiteTest> suite = plan_suite(*run->cluster, expected);
  std::printf("%.0f MB before the first result\n", peak_megabytes());
  Report report;
  std::size_t results = 0;
  double judging = 0;
  while (results < wanted) {
    const std::size_t before = results;
    for (const SuiteTest& test : suite) {
      if (test.mpi || test.stage != SuiteStage::node || !test.system.empty() || results >= wanted) continue;
      JournalTest ran{test.id, "", "", {}, 0};
      results += fill(ran, test, expected);
      const double begin = cpu_seconds();
      judge_test(*run->cluster, expected, test, ran, test.nodes, report);
      judging += cpu_seconds() - begin;
    }
    if (results == before) return 2;  // the suite has no such test
  }
  std::printf("%zu results, %zu verdicts: judged in %.2f s of CPU, peak %.0f MB\n", results, report.verdicts.size(),
              judging, peak_megabytes());
  double begin = cpu_seconds();
  conclude(report, *run->cluster, expected, suite, suite);
  const double concluding = cpu_seconds() - begin;
  std::printf("peers and demands: %.2f s, peak %.0f MB\n", concluding, peak_megabytes());
  begin = cpu_seconds();
  const std::size_t bytes = render_validation_json(report, "").size();
  std::printf("JSON: %.2f s, %.0f MB, peak %.0f MB\n", cpu_seconds() - begin, static_cast<double>(bytes) / 1e6,
              peak_megabytes());
  std::printf("judged in %.2f s (goal: 5 s)\n", judging + concluding);
  return judging + concluding <= 5 ? 0 : 1;
}
