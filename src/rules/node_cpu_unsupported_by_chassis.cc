#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void node_cpu_unsupported_by_chassis(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.cpu || s.cpu_count == 0 || !s.part.cpus) continue;
    const ServerPart& p = s.part;
    const SourceSpan at = first_place(in_spec(first_place(written(p.cpus->model), p.cpus->span), g), s.span);
    // `unconfirmed`: the values that decide and that nobody has confirmed, in words.
    const auto report = [&](std::string message, std::string_view limit, SourceSpan of,
                            const std::vector<std::string>& unconfirmed) -> Finding& {
      Finding& f = findings.add(rule.severity, rule.id, at, std::move(message));
      if (of.valid() && !(of == at)) f.note(of, std::string(limit));
      if (!unconfirmed.empty())
        f.note(s.span,
               format("{} {} not confirmed", join(unconfirmed, " and "), unconfirmed.size() == 1 ? "is" : "are"));
      f.help("use another processor, or another chassis");
      f.object("nodes." + g.name);
      f.unconfirmed = !unconfirmed.empty();
      return f;
    };
    const auto unconfirmed = [](bool chassis, std::string of_chassis, bool cpu, std::string of_cpu) {
      std::vector<std::string> out;
      if (!chassis) out.push_back(std::move(of_chassis));
      if (!cpu) out.push_back(std::move(of_cpu));
      return out;
    };
    if (p.arch && s.cpu->arch && *p.arch != *s.cpu->arch) {
      report(
          format("'{}' is {}, but '{}' is made for {}", s.cpu_model, enum_text(*s.cpu->arch), s.id, enum_text(*p.arch)),
          "the architecture of the chassis", p.arch.span,
          unconfirmed(p.arch.confirmed, format("the architecture of '{}'", s.id), s.cpu->arch.confirmed,
                      format("the architecture of '{}'", s.cpu_model)));
      continue;  // nothing else fits either
    }
    if (p.cpu_socket && !s.cpu->socket)
      findings.note(
          rule.id, at,
          format("'{}' states no `socket`, so it was not checked whether it fits into '{}'", s.cpu_model, s.id));
    if (p.cpu_socket && s.cpu->socket && *p.cpu_socket != *s.cpu->socket) {
      report(format("'{}' is for socket {}, but '{}' has {}", s.cpu_model, *s.cpu->socket, s.id, *p.cpu_socket),
             "the sockets of the chassis", p.cpu_socket.span,
             unconfirmed(p.cpu_socket.confirmed, format("the `cpu_socket` of '{}'", s.id), s.cpu->socket.confirmed,
                         format("the `socket` of '{}'", s.cpu_model)));
      continue;
    }
    if (p.sockets && s.cpu_count > *p.sockets)
      report(format("{} processors are asked for in each node of '{}', but '{}' has {}", s.cpu_count, g.name, s.id,
                    plural(*p.sockets, "socket")),
             "the sockets of the chassis", p.sockets.span,
             unconfirmed(p.sockets.confirmed, format("the number of sockets of '{}'", s.id), true, {}));
    if (p.cpu_tdp && s.cpu->tdp && above(s.cpu->tdp->value, p.cpu_tdp->value))
      report(format("'{}' draws {}, but '{}' cools {} for each processor", s.cpu_model, to_text(*s.cpu->tdp), s.id,
                    to_text(*p.cpu_tdp)),
             "the cooling of the chassis", p.cpu_tdp.span,
             unconfirmed(p.cpu_tdp.confirmed, format("the `cpu_tdp` of '{}'", s.id), s.cpu->tdp.confirmed,
                         format("the `tdp` of '{}'", s.cpu_model)));
  }
}

}  // namespace

extern const Rule kNodeCpuUnsupportedByChassis;  // registry.cc names it
const Rule kNodeCpuUnsupportedByChassis = {
    .id = "node-cpu-unsupported-by-chassis",
    .code = "NODE-007",
    .severity = Severity::error,
    .physics = true,
    .summary = "a processor does not fit its chassis",
    .explanation = R"(## What it checks

The processors match the chassis in instruction set, socket and number, and the chassis cools what they draw.

## Why it matters

A processor for another socket cannot be installed. One that draws more than the chassis cools runs slower than its data
sheet, or not at all.

## Formula

```
arch and socket of the processor = those of the chassis
processors <= sockets;  design power <= cpu_tdp
```

Unit: processors, and W of each; instruction sets and sockets are compared by name.

Source: data sheets of processor and chassis (catalogue).

Error: none beyond its inputs.

## Example

`cpus: 2 x epyc-9654` in a chassis for Xeon (LGA 4677).

## How to fix

Another processor, or another chassis.

## When to accept

Never for figures from a data sheet.
)",
    .check = node_cpu_unsupported_by_chassis,
};

}  // namespace clusterc
