#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Releases of the stack are numbered as DOCA (2.10) or, from the years before, as OFED by year and month (25.01):
// DOCA 2.9 is 24.10, 2.10 is 25.01 (release notes of DOCA 2.9.0 and 2.10.0, components).
constexpr int kFirstOfedNumber = 20;
constexpr std::string_view kDoca210AsOfed = "25.01";

// When a kernel series was released: a stack that is older cannot have been built for it (kernel.org, releases).
struct KernelMonth {
  std::string_view series;
  int year, month;
};
constexpr std::array kKernelMonths = {
    KernelMonth{"5.15", 21, 10}, KernelMonth{"5.17", 22, 3}, KernelMonth{"5.19", 22, 7}, KernelMonth{"6.0", 22, 10},
    KernelMonth{"6.1", 22, 12},  KernelMonth{"6.2", 23, 2},  KernelMonth{"6.3", 23, 4},  KernelMonth{"6.4", 23, 6},
    KernelMonth{"6.5", 23, 8},   KernelMonth{"6.6", 23, 10}, KernelMonth{"6.7", 24, 1},  KernelMonth{"6.8", 24, 3},
    KernelMonth{"6.9", 24, 5},   KernelMonth{"6.10", 24, 7}, KernelMonth{"6.11", 24, 9}, KernelMonth{"6.12", 24, 11},
    KernelMonth{"6.13", 25, 1},  KernelMonth{"6.14", 25, 3}, KernelMonth{"6.15", 25, 5}, KernelMonth{"6.16", 25, 7},
    KernelMonth{"6.17", 25, 9},
};
// The OFED number (year and month) of releases that are numbered as DOCA: 2.9 is 24.10, 2.10 is 25.01, and one follows
// each quarter (release notes of DOCA, components).
struct DocaMonth {
  std::string_view doca;
  int year, month;
};
constexpr std::array kDocaMonths = {
    DocaMonth{"2.2", 23, 7}, DocaMonth{"2.5", 23, 10}, DocaMonth{"2.6", 24, 1},  DocaMonth{"2.7", 24, 4},
    DocaMonth{"2.8", 24, 7}, DocaMonth{"2.9", 24, 10}, DocaMonth{"2.10", 25, 1}, DocaMonth{"3.0", 25, 4},
    DocaMonth{"3.1", 25, 7}, DocaMonth{"3.2", 25, 10},
};

bool of_series(std::string_view release, std::string_view series) {
  return release.starts_with(series) &&
         (release.size() == series.size() || release[series.size()] == '.' || release[series.size()] == '-');
}

// Months since 2000; nullopt: not known.
std::optional<int> month_of_kernel(std::string_view kernel) {
  for (const KernelMonth& k : kKernelMonths)
    if (of_series(kernel, k.series)) return k.year * 12 + k.month;
  return std::nullopt;
}
std::optional<int> month_of_stack(const Version& v) {
  for (const DocaMonth& d : kDocaMonths)
    if (of_series(v.as_written, d.doca)) return d.year * 12 + d.month;
  const std::string_view text = v.as_written;  // 24.10
  if (v.major() < kFirstOfedNumber || v.major() > 99 || text.size() < 5 || text[2] != '.') return std::nullopt;
  const int month = (text[3] - '0') * 10 + (text[4] - '0');
  if (month < 1 || month > 12) return std::nullopt;
  return v.major() * 12 + month;
}

// A stack that is older than the kernel that its modules are built for. Distributions take parts of newer kernels back
// into older series, so that only the series of the upstream kernel counts.
void check_kernel(const Rule& rule, Findings& findings, const NodeGroupModel& g, Once& once) {
  const FabricSoftware& stack = *g.software->fabric;
  const std::string_view kernel = kernel_of(*g.software);
  if (!stack.version || kernel.empty()) return;
  const std::optional<int> built = month_of_stack(*stack.version), made = month_of_kernel(kernel);
  const SourceSpan here = first_place(stack.version.span, stack.kind.span, stack.span);
  if (!built || !made || *made <= *built || !once.first(here)) return;
  const auto text = [](int month) { return format("20{}-{:02}", (month - 1) / 12, (month - 1) % 12 + 1); };
  findings
      .warning(
          rule.id, here,
          format(
              "{} {} was released in {}, but kernel {} of '{}' in {}: the stack cannot have been built for this kernel",
              *stack.kind, stack.version->text(), text(*built), kernel, g.name, text(*made)))
      .note(first_place(g.software->kernel.span, g.software->os.span),
            g.software->kernel ? "the kernel" : "the kernel of this operating system")
      .help("use a newer release of the stack, or a kernel that its release notes list")
      .object("nodes." + g.name);
}

void software_rdma_stack_kernel_mismatch(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  std::vector<std::pair<SourceSpan, std::string_view>> told;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    if (g.count == 0 || !is_ours(g) || !g.software->fabric || !g.software->fabric->kind) continue;
    const FabricSoftware& stack = *g.software->fabric;
    check_kernel(rule, findings, g, once);
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
          say(format("no standalone mlnx-ofed supports {}, which group '{}' has", adapter->family, g.name),
              "write `fabric: doca-ofed`");
        else if (stack.version && *stack.version > Version{std::string(adapter->last_mlnx_ofed)} &&
                 stack.version->as_written.substr(0, adapter->last_mlnx_ofed.size()) != adapter->last_mlnx_ofed)
          say(format("mlnx-ofed {} does not exist: the last standalone release is {}", stack.version->text(),
                     adapter->last_mlnx_ofed),
              "write `fabric: doca-ofed`");
        else if (stack.version && !mlnx_ofed_drives(*adapter, *stack.version))
          say(format("mlnx-ofed {} does not support {}; the first release that does is {}{}", stack.version->text(),
                     adapter->family, adapter->first_mlnx_ofed,
                     adapter->first_of_long_term.empty()
                         ? std::string()
                         : format(", or {} in its long-term branch", adapter->first_of_long_term)),
              "write `fabric: doca-ofed`");
      } else if (*stack.kind == "doca-ofed" && stack.version && !adapter->first_doca.empty()) {
        const std::string_view first =
            stack.version->major() >= kFirstOfedNumber ? kDoca210AsOfed : adapter->first_doca;
        if (*stack.version < Version{std::string(first)})
          say(format("doca-ofed {} does not support {}; the first release that does is {}", stack.version->text(),
                     adapter->family, first),
              format("write `fabric: doca-ofed {}` or newer", first));
      }
    }
  }
}

}  // namespace

extern const Rule kSoftwareRdmaStackKernelMismatch;  // registry.cc names it
const Rule kSoftwareRdmaStackKernelMismatch = {
    .id = "software-rdma-stack-kernel-mismatch",
    .code = "SW-012",
    .severity = Severity::error,
    .physics = false,
    .summary = "the RDMA stack does not support the adapters",
    .explanation = R"(## What it checks

The RDMA stack of each group (`fabric`) has a release that drives the adapters that the group has.

## Why it matters

The module loads and finds no device, or the installer refuses; the adapter then has no port, on every node at once.

## Formula

```
                ConnectX-5, 6, BlueField-2   ConnectX-7                                        BlueField-3     ConnectX-8
mlnx-ofed       24.10 and before             5.6-1.0.3.3 to 24.10, 5.4 from 5.4-3.5.8.0 on     none            none
doca-ofed       any                          any                                               any             DOCA 2.10 (numbered as OFED: 25.01) and newer
```

Unit: none. Releases are compared.

Source: NVIDIA, DOCA profiles; DOCA 2.9.0 installation guide; MLNX_OFED release notes (ConnectX-7 came with 5.6-1.0.3.3, and with 5.4-3.5.8.0 of the long-term branch); catalog/compatibility/adapter-stack.yaml. A release that is older than the kernel (kernel.org, release dates) is a warning: it cannot have been built for it. The vendor's table of kernels was not read.

## Example

`fabric: mlnx-ofed 24.10` for nodes with BlueField-3.

## How to fix

`fabric: doca-ofed` of a release that lists the adapter. Hold the kernel package, and build nvidia-peermem after the stack.

## When to accept

Where the vendor of the server ships a build of its own.
)",
    .check = software_rdma_stack_kernel_mismatch,
};

}  // namespace clusterc
