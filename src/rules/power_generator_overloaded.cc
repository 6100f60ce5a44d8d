#include <cmath>

#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void power_generator_overloaded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (std::size_t g = 0; g < c.generators.size(); ++g) {
    const GeneratorModel& generator = c.generators[g];
    const GeneratorLoad load = generator_load(in.plan, static_cast<int>(g));
    if (load.feeds.empty()) {
      findings.warning(rule.id, generator.span, format("no feed is supplied by generator '{}'", generator.name))
          .help(format("write `generator: {}` on the feeds that it supplies", generator.name))
          .object("generator/" + generator.name);
      continue;
    }
    const Value<Watts>& rating = generator.spec->rating;
    if (rating && above(load.power.value, rating->value)) {
      std::string names;
      for (const int f : load.feeds)
        names += (names.empty() ? "'" : ", '") + c.feeds[static_cast<std::size_t>(f)].name + "'";
      Finding& f = findings.error(rule.id, first_place(written(rating), generator.span),
                                  format("generator '{}' must supply {} but is rated for {}", generator.name,
                                         to_text(load.power), to_text(*rating)));
      f.label(format("feed{} {}, losses of their UPS included", load.feeds.size() == 1 ? "" : "s", names));
      if (load.lost >= 0)
        f.note(c.feeds[static_cast<std::size_t>(load.lost)].span,
               "this feed fails, and the other feeds take over its load");
      f.help(format("write `rating: {}` or more, or put fewer feeds behind it",
                    to_text(Watts(std::ceil(load.power.value / 1e4) * 1e4))));
      f.object("generator/" + generator.name);
    }
    const Value<Seconds>& start = generator.spec->start;
    for (const int i : load.feeds) {
      const FeedModel& feed = c.feeds[static_cast<std::size_t>(i)];
      const auto& ups = feed.spec->ups;
      if (!start || !ups || !ups->runtime || !above(start->value, ups->runtime->value)) continue;
      findings
          .error(rule.id, ups->runtime.span,
                 format("the UPS of feed '{}' lasts {}, but generator '{}' takes over the load after {}", feed.name,
                        to_text(*ups->runtime), generator.name, to_text(*start)))
          .note(start.span, "the generator starts within this time")
          .help("use more batteries (a longer `runtime`), or a generator that takes over the load sooner")
          .object("feed/" + feed.name);
    }
  }
}

}  // namespace

extern const Rule kPowerGeneratorOverloaded;  // registry.cc names it
const Rule kPowerGeneratorOverloaded = {
    .id = "power-generator-overloaded",
    .code = "PWR-029",
    .severity = Severity::error,
    .physics = false,
    .summary = "a generator is too small for its feeds, or starts after their UPS are empty",
    .explanation = R"(## What it checks

A generator (`site: { generators: … }`) supplies the feeds that name it, with the losses of their UPS: all of them at
once, or, where it has a single feed, after the loss of another. The UPS of each feed lasts until the generator has
taken the load.

## Why it matters

When the mains fail, all feeds fall on their generators at the same moment. A generator that is too small stalls; a UPS
that is empty sooner drops all racks behind it.

## Formula

```
sum over the feeds of load x power factor, at the input of the UPS  <= rating
start (with the transfer switch)                                    <= runtime of the UPS at this load
```

Unit: W on both sides, s on both sides; load in VA.

The draw of cooling units counts as far as it is on these feeds (`in_use`). `rating` is the power that the set supplies
without end at a constant load: its continuous rating (COP), or a rating for data centres that its maker states for that. A
prime (PRP) or standby rating (ESP) allows an average of 70 % over 24 hours; a standby set runs 200 hours a year.
Source: arithmetic; the ratings of ISO 8528-1 as Cummins, "Power topic #6240: Understanding ISO 8528-1 generator set
ratings", reports them (the standard itself was not read).

Error: none beyond its inputs. The steps in which the load returns are not computed.

## Example

Two feeds of 600 kW behind a generator of 1 MW; batteries for 10 s and a generator that takes the load after 15 s.

## How to fix

Use a larger generator or one for each feed. Use batteries that last longer.

## When to accept

Where a part of the load is switched off before the generator takes it.
)",
    .check = power_generator_overloaded,
};

}  // namespace clusterc
