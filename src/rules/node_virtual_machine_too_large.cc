#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

std::optional<Bytes> memory_of(const ServerModel& s) { return s.memory ? std::optional(*s.memory) : std::nullopt; }

void node_virtual_machine_too_large(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  struct Used {
    double bytes = 0;
    const NodeGroupModel* last = nullptr;
    bool said = false;
  };
  std::vector<Used> used(c.nodes.size());
  for (const NodeGroupModel& g : c.nodes) {
    const auto& vm = g.spec->virtual_machine;
    if (!vm || !vm->host || g.count == 0) continue;
    const int at = c.find_node_group(*vm->host);
    if (at < 0 || !c.nodes[static_cast<std::size_t>(at)].server.known)
      continue;  // an outside host, of which nothing is known
    const NodeGroupModel& host = c.nodes[static_cast<std::size_t>(at)];
    const std::int64_t threads = host.server.cores * std::max<std::int64_t>(1, host.server.threads_per_core);
    Used& u = used[static_cast<std::size_t>(at)];
    const auto say = [&](SourceSpan place, std::string needs, std::string has, std::string formula) {
      u.said = true;
      Finding& f = findings.error(
          rule.id, place,
          format("each virtual machine of '{}' has {}, but a host of '{}' has {}", g.name, needs, host.name, has));
      f.label(std::move(formula));
      f.note(vm->host.span, "the host is named here");
      if (host.server.cpu)
        mention_unconfirmed(f, host.server.cpu->cores, format("the number of cores of '{}'", host.server.cpu_model));
      mention_unconfirmed(f, host.server.memory, format("the memory of '{}'", host.server.id));
      f.help("use smaller virtual machines, or larger hosts");
      f.object("nodes." + g.name);
    };
    if (vm->cpus && threads > 0 && *vm->cpus > threads)
      say(vm->cpus.span, plural(*vm->cpus, "processor"), format("{}", threads),
          format("{} cores x {} threads", host.server.cores, std::max<std::int64_t>(1, host.server.threads_per_core)));
    const std::optional<Bytes> memory = memory_of(host.server);
    if (!vm->memory || !memory) continue;
    if (above(vm->memory->value, memory->value))
      say(vm->memory.span, format("{} of memory", to_text(*vm->memory)), to_text(*memory), "");
    u.bytes += vm->memory->value * static_cast<double>(g.count);
    u.last = &g;
  }
  // Processors are shared by turns, memory is not.
  for (std::size_t h = 0; h < used.size(); ++h) {
    const NodeGroupModel& host = c.nodes[h];
    const std::optional<Bytes> memory = memory_of(host.server);
    if (used[h].said || !used[h].last || !memory) continue;
    const Bytes all = *memory * static_cast<double>(host.count);
    if (!above(used[h].bytes, all.value)) continue;
    Finding& f = findings.error(rule.id, used[h].last->spec->virtual_machine->memory.span,
                                format("the virtual machines on '{}' have {} of memory together, but its hosts have {}",
                                       host.name, to_text(Bytes(used[h].bytes)), to_text(all)));
    f.label(format("{} x {}", plural(host.count, "host"), to_text(*memory)));
    mention_unconfirmed(f, host.server.memory, format("the memory of '{}'", host.server.id));
    f.help("use fewer or smaller virtual machines, or more hosts");
    f.object("nodes." + host.name);
  }
}

}  // namespace

extern const Rule kNodeVirtualMachineTooLarge;  // registry.cc names it
const Rule kNodeVirtualMachineTooLarge = {
    .id = "node-virtual-machine-too-large",
    .code = "NODE-011",
    .severity = Severity::error,
    .physics = true,
    .summary = "virtual machines are larger than the hosts that run them",
    .explanation = R"(## What it checks

A virtual machine with a `host` among the cluster's own groups has no more processors than that host has threads, and no
more memory than it has. All virtual machines together have no more memory than the hosts.

## Why it matters

A virtual machine larger than its host does not start. If more memory is promised than exists, the host runs out of
memory under load and stops virtual machines.

## Formula

```
cpus of one           <= cores x threads of a core of one host
memory of one         <= memory of one host
sum of their memories <= hosts x memory of one host
```

Unit: processors on both sides, bytes on both sides.

Source: arithmetic. More processors than threads in all is usual (they take turns) and is not judged.

Error: none beyond its inputs. What the host's own system takes is not subtracted.

## Example

`virtual_machine: { cpus: 400, memory: 64 GiB, host: infra }` on hosts of 64 cores.

## How to fix

Use smaller virtual machines, larger hosts, or more of them.

## When to accept

Never: the virtual machine does not start.
)",
    .check = node_virtual_machine_too_large,
};

}  // namespace clusterc
