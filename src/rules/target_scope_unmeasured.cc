#include <algorithm>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "rules/say.h"
#include "spec/spec.h"
#include "spec/target.h"

namespace clusterc {
namespace {

void target_scope_unmeasured(const Rule& rule, const RuleInput& in, Findings& findings) {
  using enum TargetScope;
  const auto look = [&](std::string_view test, const auto& wish, std::vector<TargetScope> run) {
    if (!wish || !wish->scope || !wish->scope.span.valid() || std::ranges::find(run, *wish->scope) != run.end()) return;
    std::string known;
    for (const TargetScope s : run) known += format("{}`{}`", known.empty() ? "" : " or ", enum_text(s));
    findings
        .add(rule.severity, rule.id, wish->scope.span,
             format("'{}' does not run with `scope: {}`, but with {}", test, enum_text(*wish->scope), known))
        .help(format("leave `scope` out, or write `scope: {}`", enum_text(run.front())))
        .object("targets");
  };
  const auto all = [&](const TestTargets& t) {
    look("memory", t.memory, {node});
    look("gemm", t.gemm, {node});
    look("pcie", t.pcie, {node});
    look("nvlink", t.nvlink, {node});
    look("rdma", t.rdma, {pair});
    look("all_reduce", t.all_reduce, {whole, group, nvlink_domain, node});
    look("all_gather", t.all_gather, {whole, group});
    look("all_to_all", t.all_to_all, {whole, group});
    look("hpl", t.hpl, {group, whole});
    look("storage_read", t.storage_read, {whole, node});
    look("storage_write", t.storage_write, {whole, node});
  };
  all(in.cluster.spec.targets);
  for (const auto& g : in.cluster.spec.targets->groups) all(g.value);
}

}  // namespace

extern const Rule kTargetScopeUnmeasured;  // registry.cc names it
const Rule kTargetScopeUnmeasured = {
    .id = "target-scope-unmeasured",
    .code = "TEST-013",
    .severity = Severity::error,
    .physics = false,
    .summary = "a target names a scope in which its test is not run",
    .explanation = R"(## What it checks

`scope` of a target is one in which the suite runs that test.

## Why it matters

A floor for one node that is held against the figure of the whole group passes or fails by the factor of its nodes.

## Formula

```
memory, gemm, pcie, nvlink    node (each alone)
rdma                          pair
all_reduce                    node, nvlink-domain, group, whole
all_gather, all_to_all, hpl   group, whole
storage_read, storage_write   node, whole
```

Unit: none. Names are compared.

Source: the table of metrics (docs/validate.md).

## Example

`hpl: { scope: node, floor: 400 TFLOP/s }`: LINPACK runs over all nodes of a group.

## How to fix

Leave `scope` out, or write a scope that the finding lists.

## When to accept

It is not needed: leave `scope` out.
)",
    .check = target_scope_unmeasured,
};

}  // namespace clusterc
