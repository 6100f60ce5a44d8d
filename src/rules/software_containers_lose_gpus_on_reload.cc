#include <string>

#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void software_containers_lose_gpus_on_reload(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& s = *g.software;
    if (!has_nvidia_gpus(g) || s.container_gpus.value_or("") != "hook") continue;
    // Runtimes that let systemd manage the cgroup of a container; enroot and apptainer run in the job's own.
    const auto runtime = std::find_if(s.containers.begin(), s.containers.end(), [](const NamedVersion& c) {
      const std::string kind = c.kind.value_or("");
      return kind == "docker" || kind == "containerd" || kind == "cri-o";
    });
    if (runtime == s.containers.end() || !once.first(s.container_gpus.span)) continue;
    write_instead(
        findings
            .error(rule.id, s.container_gpus.span,
                   format("running containers of {} on '{}' lose their GPUs at the next daemon-reload of systemd",
                          *runtime->kind, g.name))
            .note(runtime->kind.span, "this runtime lets systemd manage the cgroups of its containers")
            .help("write `container_gpus: cdi`")
            .object("nodes." + g.name),
        s.container_gpus, "cdi");
  }
}

}  // namespace

extern const Rule kSoftwareContainersLoseGpusOnReload;  // registry.cc names it
const Rule kSoftwareContainersLoseGpusOnReload = {
    .id = "software-containers-lose-gpus-on-reload",
    .code = "SW-011",
    .severity = Severity::error,
    .physics = false,
    .summary =
        "a hook gives containers their GPUs without the runtime's knowledge, and they lose them when systemd reloads",
    .explanation = R"(## What it checks

GPUs reach containers of docker, containerd and cri-o by the container device interface (`container_gpus: cdi`), and not by a hook that adds them after systemd has written the container's device rules.

## Why it matters

systemd applies the rules that it knows at every `daemon-reload`, and an update of any package does one. The hook's devices are not among them: "Failed to initialize NVML: Unknown Error" in every running container.

## Formula

```
container_gpus: hook  and  docker, containerd or cri-o (cgroups managed by systemd)
```

Unit: none. Settings are compared.

Source: NVIDIA/nvidia-container-toolkit issue 48 (notice), 251 and 1227.

## Example

`containers: [containerd]` with `container_gpus: hook`.

## How to fix

`container_gpus: cdi`: `nvidia-ctk cdi generate`, and CDI switched on in the runtime.

## When to accept

Where the runtime manages cgroups itself (`cgroupfs`), or links in `/dev/char` are created at boot.
)",
    .check = software_containers_lose_gpus_on_reload,
};

}  // namespace clusterc
