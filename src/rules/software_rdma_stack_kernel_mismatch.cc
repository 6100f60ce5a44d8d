#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"

namespace clusterc {
namespace {

// Releases of the stack are numbered as DOCA (2.10) or, from the years before, as OFED by year and month (25.01):
// DOCA 2.9 is 24.10, 2.10 is 25.01 (release notes of DOCA 2.9.0 and 2.10.0, components).
constexpr int kFirstOfedNumber = 20;
constexpr std::string_view kDoca210AsOfed = "25.01";

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  std::vector<std::pair<SourceSpan, std::string_view>> told;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (g.count == 0 || !is_ours(g) || !g.software.fabric || !g.software.fabric->kind) continue;
    const FabricSoftware& stack = *g.software.fabric;
    for (const NicSet& nic : g.server.nics) {
      const AdapterStack* adapter = nic.part && nic.part->name ? adapter_stack(*nic.part->name) : nullptr;
      if (!adapter) continue;
      const SourceSpan here = first_place(stack.kind.span, stack.span);
      if (std::find(told.begin(), told.end(), std::pair(here, adapter->family)) != told.end()) continue;
      const auto say = [&](std::string message, std::string help) {
        told.emplace_back(here, adapter->family);
        findings.error(rule.id, here, std::move(message))
            .note(in_spec(nic.span, g),
                  format("group '{}' has {} x {} as '{}'", g.name, nic.count, nic.model, nic.name))
            .help(std::move(help))
            .object("nodes." + g.name);
      };
      if (*stack.kind == "mlnx-ofed") {
        if (adapter->last_mlnx_ofed.empty())
          say(format("no standalone mlnx-ofed drives {}, group '{}' has it", adapter->family, g.name),
              "`fabric: doca-ofed`");
        else if (stack.version && *stack.version > Version{std::string(adapter->last_mlnx_ofed)} &&
                 stack.version->as_written.substr(0, adapter->last_mlnx_ofed.size()) != adapter->last_mlnx_ofed)
          say(format("mlnx-ofed {} does not exist, {} is the last standalone release", stack.version->text(),
                     adapter->last_mlnx_ofed),
              "`fabric: doca-ofed`");
        else if (stack.version && !mlnx_ofed_drives(*adapter, *stack.version))
          say(format("mlnx-ofed {} does not drive {}, {} is the first that does{}", stack.version->text(),
                     adapter->family, adapter->first_mlnx_ofed,
                     adapter->first_of_long_term.empty()
                         ? std::string()
                         : format(", {} of its long-term branch", adapter->first_of_long_term)),
              "`fabric: doca-ofed`");
      } else if (*stack.kind == "doca-ofed" && stack.version && !adapter->first_doca.empty()) {
        const std::string_view first =
            stack.version->major() >= kFirstOfedNumber ? kDoca210AsOfed : adapter->first_doca;
        if (*stack.version < Version{std::string(first)})
          say(format("doca-ofed {} does not drive {}, {} is the first that does", stack.version->text(),
                     adapter->family, first),
              format("`fabric: doca-ofed {}` or newer", first));
      }
    }
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

The RDMA stack of each group (`fabric`) has a release that drives the adapters that the group has.

## Why it matters

The module loads and finds no device, or the installer refuses; the adapter then has no port, on every node at once.

## Formula

```
                ConnectX-5, 6, BlueField-2   ConnectX-7                                        BlueField-3     ConnectX-8
mlnx-ofed       24.10 and before             5.6-1.0.3.3 to 24.10, 5.4 from 5.4-3.5.8.0 on     none            none
doca-ofed       any                          any                                               any             DOCA 2.10 (numbered as OFED: 25.01) and newer
```

Source: NVIDIA, DOCA profiles; DOCA 2.9.0 installation guide; MLNX_OFED release notes (ConnectX-7 came with 5.6-1.0.3.3, and with 5.4-3.5.8.0 of the long-term branch); catalog/compatibility/adapter-stack.yaml. Which kernels a release was built for is not checked: the vendor's table was not read.

## Example

`fabric: mlnx-ofed 24.10` for nodes with BlueField-3.

## How to fix

`fabric: doca-ofed` of a release that lists the adapter. Hold the kernel package, and build nvidia-peermem after the stack.

## When to accept

Where the vendor of the server ships a build of its own.
)";

extern const Rule kSoftwareRdmaStackKernelMismatch;  // registry.cc names it
const Rule kSoftwareRdmaStackKernelMismatch = {
    .id = "software-rdma-stack-kernel-mismatch",
    .code = "SW-012",
    .severity = Severity::error,
    .physics = false,
    .summary = "the RDMA stack does not drive the adapters",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
