#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

void storage_fault_tolerance_impossible(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    const Value<std::string>& text = s.spec->protection;
    if (!text) continue;
    const std::optional<Protection> p = parse_protection(*text);
    if (!p) {
      findings.note(
          rule.id, text.span,
          format(
              "'{}' is not understood (raid6 8+2, erasure 8+2, replica 3), so the protection of '{}' was not checked",
              *text, s.name));
      continue;
    }
    const std::string object = "storage." + s.name;
    if (p->kind == Protection::Kind::raid) {
      // Within one server: its drives.
      if (s.nodes < 0) continue;  // a bought system's drives are its maker's business
      const std::int64_t drives = data_drives(c, s), needed = p->data + p->parity;
      if (drives == 0) {
        findings.note(
            rule.id, text.span,
            format("group '{}' has no `drives` besides boot, so '{}' was not checked", c.nodes[s.nodes].name, *text));
      } else if (drives < needed) {
        Finding& f = findings.error(rule.id, text.span,
                                    format("'{}' needs {} drives in one server, but each node of '{}' has {}", *text,
                                           needed, c.nodes[s.nodes].name, drives));
        f.label(format("{} + {} = {}", p->data, p->parity, needed))
            .note(c.nodes[s.nodes].span, "these are the servers");
        f.help("use more drives in each server, or narrower stripes").object(object);
      }
      continue;
    }
    const std::int64_t servers = s.part ? s.count * s.part->nodes.value_or(1) : s.count;
    if (servers == 0) {
      findings.note(
          rule.id, text.span,
          format("the number of servers of '{}' is not in this spec, so its protection was not checked", s.name));
      continue;
    }
    const SourceSpan place = s.nodes >= 0 ? c.nodes[s.nodes].span
                             : s.spec->servers
                                 ? first_place(written(s.spec->servers->count), s.spec->servers->model.span)
                                 : s.span;
    if (p->kind == Protection::Kind::replica) {
      if (p->parity + 1 <= servers) continue;
      Finding& f = findings.error(rule.id, text.span,
                                  format("{} copies on {} put two copies on one server of '{}'", p->parity + 1,
                                         plural(servers, "server"), s.name));
      f.label("if that server fails, both copies are lost")
          .note(place, format("{} of this storage", plural(servers, "server")));
      f.help(format("write `protection: replica {}`, or use {} servers", servers, p->parity + 1)).object(object);
      continue;
    }
    const std::int64_t shares = p->data + p->parity, on_one = (shares + servers - 1) / servers;
    if (on_one <= p->parity) continue;
    Finding& f = findings.error(rule.id, text.span,
                                format("{}+{} over {} puts {} shares of '{}' on one server, but only {} may be lost",
                                       p->data, p->parity, plural(servers, "server"), on_one, s.name, p->parity));
    f.label(format("({} + {}) / {} = {:.3g}, rounded up", p->data, p->parity, servers,
                   static_cast<double>(shares) / static_cast<double>(servers)));
    f.note(place, format("{} of this storage", plural(servers, "server")));
    f.help(p->parity > 0 ? format("use at least {}, or stripes of fewer chunks (data and parity)",
                                  plural((shares + p->parity - 1) / p->parity, "server"))
                         : std::string("use at least one share of redundancy"))
        .object(object);
  }
}

}  // namespace

extern const Rule kStorageFaultToleranceImpossible;  // registry.cc names it
const Rule kStorageFaultToleranceImpossible = {
    .id = "storage-fault-tolerance-impossible",
    .code = "STOR-006",
    .severity = Severity::error,
    .physics = true,
    .summary = "the declared redundancy does not survive the loss of a server",
    .explanation = R"(## What it checks

The redundancy that a storage system declares (`protection`) survives the loss of one server, and its stripes fit its
drives.

## Why it matters

With three of ten shares on one server, the loss of that server takes more shares than the code can rebuild: the data is
lost, although the code tolerates two failed drives.

## Formula

```
erasure k+m, n servers: ceil((k + m) / n) <= m
replica r:              r <= n
raid k+m:               k + m <= drives of one server
```

Unit: shares, servers and drives, all counted.

Source: arithmetic of erasure codes (any m shares may be lost).

Error: none beyond its inputs.

## Example

8+2 over four servers: three shares on one server, but only two may be lost.

## How to fix

Use more servers, or narrower stripes: 4+2 over three servers has two shares on each.

## When to accept

Never: it is arithmetic.
)",
    .check = storage_fault_tolerance_impossible,
};

}  // namespace clusterc
