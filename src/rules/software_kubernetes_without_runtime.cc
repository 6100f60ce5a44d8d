#include <algorithm>
#include <string>

#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// The first release whose kubelet does not speak to Docker Engine itself.
constexpr std::string_view kWithoutDockershim = "1.24";

bool one_of(const NamedVersion& runtime, std::initializer_list<std::string_view> names) {
  return runtime.kind && std::find(names.begin(), names.end(), to_lower(*runtime.kind)) != names.end();
}

void software_kubernetes_without_runtime(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::kubernetes) return;
  Once once;
  for (const NodeGroupModel& g : c.nodes) {
    const auto& runtimes = g.software->containers;
    const bool joins =
        g.has_role(Role::control_plane) || std::any_of(scheduler->schedules.begin(), scheduler->schedules.end(),
                                                       [&](const auto& name) { return name && *name == g.name; });
    if (!joins || g.count == 0 || runtimes.empty()) continue;
    if (std::any_of(runtimes.begin(), runtimes.end(), [](const NamedVersion& r) { return !r.kind; }))
      continue;  // what could not be read is told
    if (std::any_of(runtimes.begin(), runtimes.end(), [](const NamedVersion& r) {
          return one_of(r, {"containerd", "cri-o", "crio"});
        }))
      continue;
    const auto docker =
        std::find_if(runtimes.begin(), runtimes.end(), [](const NamedVersion& r) { return one_of(r, {"docker"}); });
    const bool has_docker = docker != runtimes.end();
    if (has_docker && scheduler->version && *scheduler->version < Version{std::string(kWithoutDockershim)}) continue;
    const SourceSpan at = has_docker ? docker->kind.span : runtimes.front().kind.span;
    if (!once.first(at)) continue;
    Finding& f =
        has_docker
            ? findings.warning(rule.id, at,
                               format("Kubernetes can use docker on '{}' only through cri-dockerd, which is part of "
                                      "neither Kubernetes nor Docker",
                                      g.name))
            : findings.error(rule.id, at,
                             format("Kubernetes runs containers with containerd or CRI-O, but nodes of '{}' have {}",
                                    g.name, *runtimes.front().kind));
    f.note(first_place(scheduler->kind.span, scheduler->span), "the scheduler")
        .help("write `containers: [containerd]`, and keep the other runtimes that jobs need")
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kSoftwareKubernetesWithoutRuntime;  // registry.cc names it
const Rule kSoftwareKubernetesWithoutRuntime = {
    .id = "software-kubernetes-without-runtime",
    .code = "SW-020",
    .severity = Severity::error,
    .physics = false,
    .summary = "nodes of Kubernetes have no container runtime that the kubelet can use",
    .explanation = R"(## What it checks

Nodes that Kubernetes runs on have a container runtime that speaks its Container Runtime Interface: containerd or CRI-O. Docker alone is a warning (it needs cri-dockerd beside it), another runtime
alone is an error. Where a group names no `containers` nothing is checked.

## Why it matters

kubelet does not start without such a runtime: the node never becomes ready.

## Formula

```
scheduler kubernetes:  containers has containerd or cri-o, or docker before 1.24
```

Unit: none. Names are compared.

Source: Kubernetes documentation, Container Runtimes (https://kubernetes.io/docs/setup/production-environment/container-runtimes/) and "Migrate Docker Engine nodes from dockershim to cri-dockerd";
kubernetes/kubernetes issue 106917 (dockershim was removed with 1.24). Enroot, Podman and Apptainer have no such interface.

## Example

`scheduler: { kind: kubernetes, version: 1.33 }` with `containers: [enroot]`.

## How to fix

`containers: [containerd]`, beside other runtimes that jobs need.

## When to accept

The warning, where cri-dockerd is installed on the nodes.
)",
    .check = software_kubernetes_without_runtime,
};

}  // namespace clusterc
