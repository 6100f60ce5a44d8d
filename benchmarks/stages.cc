// The stages alone, without the start of a process: loading YAML, reading it into a Spec, resolving, planning, judging.
// The specs come from benchmarks/specs.py: bench_stages 2048.yaml 16384.yaml [--benchmark_…]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "base/file.h"
#include "diag/finding.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "spec/sections.h"
#include "spec/spec.h"
#include "targets/targets.h"
#include "yaml/document.h"

namespace {
using namespace clusterc;

void load(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    Sources sources;
    Findings findings;
    const FileId file = sources.add("spec.yaml", text);
    benchmark::DoNotOptimize(parse_yaml(sources, file, findings));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void read(benchmark::State& state, const std::string& text) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("spec.yaml", text);
  const auto document = parse_yaml(sources, file, findings);
  for (auto _ : state) benchmark::DoNotOptimize(read_spec(*document, sources, findings));
}

void resolve(benchmark::State& state, const std::string& text) {
  Sources sources;
  Findings findings;
  const auto document = parse_yaml(sources, sources.add("spec.yaml", text), findings);
  const auto spec = read_spec(*document, sources, findings);
  for (auto _ : state) {
    Catalog catalog(sources, findings);  // reads each part that is named anew, as a fresh process does
    benchmark::DoNotOptimize(resolve_cluster(*spec, catalog, findings));
  }
}

// What stands from `plan` on needs the cluster that it points at.
struct Resolved {
  explicit Resolved(const std::string& text) {
    const auto document = parse_yaml(sources, sources.add("spec.yaml", text), findings);
    cluster = resolve_cluster(*read_spec(*document, sources, findings), catalog, findings);
  }
  Sources sources;
  Findings findings;
  Catalog catalog{sources, findings};
  std::unique_ptr<Cluster> cluster;
};

void plan(benchmark::State& state, const std::string& text) {
  const Resolved r(text);
  for (auto _ : state) benchmark::DoNotOptimize(plan_cluster(*r.cluster));
  state.SetItemsProcessed(state.iterations() * r.cluster->node_count);
}

void judge(benchmark::State& state, const std::string& text) {
  const Resolved r(text);
  const Plan made = plan_cluster(*r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, made);
  for (auto _ : state) {
    Findings findings;
    check_rules({*r.cluster, made, expected, r.sources}, findings);
    benchmark::DoNotOptimize(findings);
  }
}

void cables(benchmark::State& state, const std::string& text) {
  const Resolved r(text);
  const Plan made = plan_cluster(*r.cluster);
  std::int64_t count = 0;
  for (auto _ : state)
    for (std::size_t f = 0; f < made.fabrics.size(); ++f)
      made.each_cable(static_cast<int>(f), [&](const Cable&) { return ++count, true; });
  state.SetItemsProcessed(count);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) return std::fputs("usage: bench_stages SPEC.yaml... [--benchmark_filter=...]\n", stderr), 2;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    FileError error;
    const auto text = read_file(path, 64u << 20, error);
    if (!text) return std::fprintf(stderr, "%s\n", error.message.c_str()), 2;
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::pair<const char*, void (*)(benchmark::State&, const std::string&)> stages[] = {
        {"load", load}, {"read", read}, {"resolve", resolve}, {"plan", plan}, {"rules", judge}, {"cables", cables}};
    for (const auto& [stage, function] : stages)
      benchmark::RegisterBenchmark((std::string(stage) + "/" + name).c_str(), function, *text)
          ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
