#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

void check_one(const Rule& rule, Findings& findings, const StorageModel& s, const std::vector<StorageSide>& paths,
               const Value<BytesPerSecond>& promise, const Value<BytesPerSecond>* of_part, std::string_view verb) {
  if (!promise) return;
  const StorageSide* narrowest = nullptr;
  for (const StorageSide& p : paths)
    if (above(promise->value, p.carries.value) && (!narrowest || p.carries < narrowest->carries)) narrowest = &p;
  const bool part_short =
      of_part && *of_part && above(promise->value, (*of_part)->value * static_cast<double>(s.count));
  if (!narrowest && !part_short) return;
  const BytesPerSecond systems = part_short ? **of_part * static_cast<double>(s.count) : BytesPerSecond{0};
  const bool by_part = part_short && (!narrowest || systems < narrowest->carries);
  Finding& f =
      by_part
          ? findings.error(rule.id, promise.span,
                           format("'{2}' promises {0} of {1}, but its {3} {4}", to_text(*promise), verb, s.name,
                                  s.count == 1 ? "system gives" : format("{} systems give", s.count), to_text(systems)))
          : findings.error(rule.id, promise.span,
                           format("'{2}' promises {0} of {1}, but {3} carry at most {4}", to_text(*promise), verb,
                                  s.name, narrowest->what, to_text(narrowest->carries)));
  if (by_part) {
    f.label(format("{} x {} ('{}')", s.count, to_text(**of_part), s.model));
    f.note(s.spec->servers->model.span, "the systems are named here");
    mention_unconfirmed(f, *of_part, format("the {} rate of '{}'", verb, s.model));
  } else {
    f.label(narrowest->formula);
    f.note(narrowest->span, format("{} are connected here", narrowest->what));
    f.physics = true;  // more than the wire carries; what a system gives is its maker's figure
  }
  const double each = by_part ? (*of_part)->value : 0;
  f.help(by_part ? format("write `count: {}`, or a promise of {}",
                          static_cast<std::int64_t>(promise->value / each) +
                              (above(promise->value,
                                     each * static_cast<double>(static_cast<std::int64_t>(promise->value / each)))
                                   ? 1
                                   : 0),
                          to_text(systems))
                 : format("use more or faster ports, or promise {}", to_text(narrowest->carries)));
  f.object("storage." + s.name);
}

void storage_path_narrower_than_promise(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (!s.spec->demand || s.spec->kind.value == StorageKind::local) continue;
    const StorageDemand& d = *s.spec->demand;
    if (!d.read && !d.write) continue;
    std::vector<StorageSide> paths;
    if (auto side = storage_servers_side(c, static_cast<int>(i))) paths.push_back(std::move(*side));
    const bool knows_servers = !paths.empty();
    if (auto side = storage_clients_side(c, static_cast<int>(i))) paths.push_back(std::move(*side));
    if (!knows_servers)
      findings.note(
          rule.id, s.span,
          s.spec->servers && s.spec->servers->external
              ? format("the servers of '{}' are not part of this spec, so its promised rate was checked for the "
                       "clients only",
                       s.name)
              : format(
                    "no network `connects` the servers of '{}', so its promised rate was not checked for the servers",
                    s.name));
    check_one(rule, findings, s, paths, d.read, s.part ? &s.part->read : nullptr, "reading");
    check_one(rule, findings, s, paths, d.write, s.part ? &s.part->write : nullptr, "writing");
    if (s.part && ((d.read && !s.part->read) || (d.write && !s.part->write)))
      findings.note(rule.id, first_place(s.spec->servers->model.span, s.span),
                    format("'{}' states no `{}` rate, so it was not compared with what '{}' promises", s.model,
                           d.read && !s.part->read ? "read" : "write", s.name));
  }
}

}  // namespace

extern const Rule kStoragePathNarrowerThanPromise;  // registry.cc names it
const Rule kStoragePathNarrowerThanPromise = {
    .id = "storage-path-narrower-than-promise",
    .code = "STOR-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "storage promises a higher rate than its network path carries",
    .explanation = R"(## What it checks

The rate that a storage system promises (`demand`) fits through its servers' ports and its clients' ports, and the
purchased systems deliver it.

## Why it matters

The slowest part of the path sets the rate. Usually this is noticed only when the first large job loads its checkpoint.

## Formula

```
demand <= ports of the servers x rate x 0.98 / 8
demand <= ports of the clients x rate x 0.98 / 8
demand <= systems x data sheet rate of one
```

Unit: B/s on both sides; rate in bit/s.

0.98: 4,096 bytes of payload in 4,178 on the wire. Of servers with `ha: active-passive` one of each pair serves: half of the ports count.

Source: arithmetic over RoCE v2 headers; the highest published figures lie at it.

Error: an upper bound of the path: 0.98 holds for RoCE v2 with 4,096 bytes. By how much other protocols and smaller
packets carry less is not known.

## Example

200 GB/s promised by 4 servers with 2 x 200 Gb/s: 1,600 Gb/s x 0.98 / 8 = 196 GB/s.

## How to fix

Use more servers, faster or more ports, or promise less.

## When to accept

Where the data sheet's rate of a system is too low for this workload. Give the measurement as the reason. A rate above
that of the wire cannot be accepted.
)",
    .check = storage_path_narrower_than_promise,
};

}  // namespace clusterc
