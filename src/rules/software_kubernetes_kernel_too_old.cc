#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// kubeadm's check of the system (kubernetes/system-validators, kernel) takes 4.19 and newer from Kubernetes 1.32 on:
// kubernetes/kubernetes issue 129462; EKS Anywhere 0.25 dropped RHEL 8 for it.
constexpr std::string_view kFirstKubernetes = "1.32", kLeastKernel = "4.19";

void software_kubernetes_kernel_too_old(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::kubernetes || !scheduler->version ||
      *scheduler->version < Version{std::string(kFirstKubernetes)})
    return;
  std::vector<std::string> names;
  const NodeGroupModel* first = nullptr;
  for (const NodeGroupModel& g : c.nodes) {
    const bool scheduled = scheduler->schedules.empty()
                               ? g.computes
                               : std::any_of(scheduler->schedules.begin(), scheduler->schedules.end(),
                                             [&](const auto& name) { return name && *name == g.name; });
    if (g.count == 0 || (!scheduled && !g.has_role(Role::control_plane))) continue;
    const std::string_view kernel = kernel_of(g.software);
    if (kernel.empty() || !(Version{std::string(kernel)} < Version{std::string(kLeastKernel)})) continue;
    first = first ? first : &g;
    names.push_back(g.name);
  }
  if (!first) return;
  Finding& f = findings.error(
      rule.id, first_place(first->software->kernel.span, first->software->os.span, first->span),
      format("kubeadm of Kubernetes {} needs kernel {} or newer, but nodes of {} have {}", scheduler->version->text(),
             kLeastKernel, name_list(names, static_cast<std::int64_t>(names.size())), kernel_of(first->software)));
  f.note(scheduler->version.span, "the release of Kubernetes");
  f.help("use a system with a newer kernel, for example `os: rocky-9`; or Kubernetes 1.31");
  for (const std::string& name : names) f.object("nodes." + name);
}

}  // namespace

extern const Rule kSoftwareKubernetesKernelTooOld;  // registry.cc names it
const Rule kSoftwareKubernetesKernelTooOld = {
    .id = "software-kubernetes-kernel-too-old",
    .code = "SW-024",
    .severity = Severity::error,
    .physics = false,
    .summary = "nodes of Kubernetes have a kernel that kubeadm rejects",
    .explanation = R"(## What it checks

The kernel of the nodes that join a Kubernetes cluster is one that kubeadm of the release in `scheduler: { version }`
accepts: the one written in `software` (`kernel`), or the default kernel of the operating system.

## Why it matters

`kubeadm init` and `kubeadm join` check the kernel first. With an older one they end with "unsupported kernel release",
and the nodes never join.

## Formula

```
Kubernetes >= 1.32: kernel >= 4.19
```

Unit: none. Releases are compared.

Source: kubernetes/system-validators (kernel versions) and kubernetes/kubernetes issue 129462: RHEL 8 and its kin have 4.18.

## Example

`scheduler: { kind: kubernetes, version: 1.33 }` with `os: rocky-8`.

## How to fix

Use a release of the operating system with a newer kernel, or an older release of Kubernetes.

## When to accept

Where another installer than kubeadm is used, or `--ignore-preflight-errors=SystemVerification` and you tested it.
)",
    .check = software_kubernetes_kernel_too_old,
};

}  // namespace clusterc
