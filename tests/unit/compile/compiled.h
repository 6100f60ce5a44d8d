// A spec in text, resolved, planned and compiled, without the rules and without a disk.
#pragma once
#include <gtest/gtest.h>

#include "compile/compile.h"
#include "spec/sections.h"
#include "unit/model/examples.h"
#include "yaml/document.h"

namespace clusterc::test {

struct Compiled : Resolved {
  std::optional<Plan> plan;
  std::optional<System> system;
  Bundle bundle;
  std::vector<Finding> accepted;
  std::vector<std::string_view> uncalled;

  // What is refused before anything could be compiled is in `findings`; the bundle is empty then.
  void spec(std::string yaml, std::set<std::string, std::less<>> only = {}) {
    const FileId file = sources.add("cluster.yaml", std::move(yaml));
    const auto document = parse_yaml(sources, file, findings);
    if (!document) return;
    auto read = read_spec(*document, sources, findings);
    if (!read) return;
    cluster = resolve_cluster(std::move(*read), catalog, findings);
    if (!cluster || findings.count(Severity::error)) return;
    plan = plan_cluster(*cluster);
    const CompileWish wish{accepted, std::move(only)};
    system.emplace(deploy(*cluster, *plan, output_kinds(), nullptr, "d1ge57"));
    Findings judged;  // what `check` says of the outputs is what writing them says
    judge_outputs(*system, wish, judged);
    const std::size_t before = findings.all().size();
    uncalled = compile_outputs(*system, wish, bundle, findings);
    ASSERT_EQ(judged.all().size(), findings.all().size() - before);
    for (std::size_t i = 0; i < judged.all().size(); ++i) {
      EXPECT_EQ(judged.all()[i].rule, findings.all()[before + i].rule);
      EXPECT_EQ(judged.all()[i].message, findings.all()[before + i].message);
    }
  }
  std::string file(std::string_view path) const {
    for (const Bundle::File& f : bundle.files())
      if (f.path == path) return std::string(bundle.bytes(f));
    return "no file " + std::string(path);
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const Bundle::File& f : bundle.files()) out.push_back(f.path);
    std::sort(out.begin(), out.end());
    return out;
  }
};

// Text between two places of a file; the whole rest where `to` is not there.
inline std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "no '" + std::string(from) + "' in " + text;
  return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

// Sections that every cluster of these tests has in front.
inline const std::string kHead = "clusterc: 1\nrules: 2026.11\nname: case\nsite: { kind: cloud, provider: local }\n";

// A head of two GB and 600 machines beside it, all virtual.
inline const std::string kVms =
    kHead +
    "nodes:\n  head: { names: ctl, virtual_machine: { cpus: 2, memory: 8 GiB }, roles: "
    "[scheduler] }\n  cpu: { names: \"n[1-600]\", virtual_machine: { cpus: 2, memory: 2 GiB } }\n"
    "networks:\n  lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.7.0.0/16, carries: [compute, "
    "inband], connects: { head: 1, cpu: 1 } }\n";

}  // namespace clusterc::test
