#include "model/power.h"

#include <algorithm>

#include "base/format.h"
#include "model/rounding.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void add_term(PowerSum& sum, std::string what, std::int64_t count, Watts each, bool confirmed = true) {
  if (count <= 0) return;
  sum.parts += each * static_cast<double>(count);
  sum.confirmed = sum.confirmed && confirmed;
  sum.terms.push_back({std::move(what), count, each, confirmed});
}

// GPUs and CPUs decide the sum: without their figure there is none.
template <class Part>
void add_processors(PowerSum& sum, const Part* part, const std::string& model, std::int64_t count) {
  if (count <= 0) return;
  if (part && part->tdp) return add_term(sum, model, count, *part->tdp, part->tdp.confirmed);
  sum.complete = false;
  sum.missing.push_back({format("tdp of '{}'", model), model, count});
}

}  // namespace

Watts gpu_power(const ServerModel& server, Watts tdp) {
  return server.gpu_limit ? std::min(tdp, *server.gpu_limit) : tdp;
}

namespace {

// What a sum counts: GPUs at their limit, and which kinds of part.
struct Counted {
  bool limit = true, cpus = true, nics = true, memory = true, drives = true;
};

PowerSum power_sum(const ServerModel& server, const Counted& counted) {
  PowerSum sum;
  if (counted.limit && server.gpu && server.gpu->tdp && server.gpu_limit && server.gpu_count > 0)
    add_term(sum, server.gpu_model, server.gpu_count, gpu_power(server, *server.gpu->tdp), server.gpu->tdp.confirmed);
  else
    add_processors(sum, server.gpu, server.gpu_model, server.gpu_count);
  const std::int64_t cpus = counted.cpus ? server.cpu_count : 0;
  add_processors(sum, server.cpu, server.cpu_model, cpus);
  if (cpus == 0) {
    sum.complete = false;
    sum.missing.push_back({"power of its processors", "", 1});
  }
  sum.stated = sum.parts;
  if (counted.memory && server.part.memory)
    add_term(sum, "memory module", server.part.memory->count.value_or(0), kDimmPower);
  if (counted.drives)
    for (const auto& drives : server.part.drives) {
      const bool disks = drives.value.kind && *drives.value.kind == DriveKind::hdd;
      add_term(sum, disks ? "hard disk" : "drive", drives.value.count.value_or(1), disks ? kDiskPower : kDrivePower);
    }
  for (const NicSet& nics : server.nics) {
    if (!counted.nics) break;
    if (nics.part && nics.part->power) {
      add_term(sum, nics.model, nics.count, *nics.part->power, nics.part->power.confirmed);
      sum.stated += *nics.part->power * static_cast<double>(nics.count);
    } else if (nics.count > 0) {
      sum.missing.push_back({format("power of '{}'", nics.model), nics.model, nics.count,
                             false});  // tens of watts in thousands: the sum stands, unconfirmed
      sum.confirmed = false;
    }
  }
  sum.fan_share = server.part.liquid_cooled.value_or(false) ? kLiquidFanShare : kAirFanShare;
  sum.fans = sum.parts * sum.fan_share;
  if (server.part.psus && server.part.psus->efficiency) {
    sum.efficiency = *server.part.psus->efficiency;
    sum.confirmed = sum.confirmed && server.part.psus->efficiency.confirmed;
  }
  sum.wall = (sum.parts + sum.fans) / sum.efficiency;
  return sum;
}

}  // namespace

PowerSum server_power_sum(const ServerModel& server) { return power_sum(server, {}); }

std::string PowerSum::formula() const {
  std::string text = "(";
  for (const PowerTerm& t : terms)
    text += format("{}{} x {} {}", text.size() > 1 ? " + " : "", t.count, to_text(t.each), t.what);
  text += format(") x {:.2f} fans / {:.4g} supply efficiency", 1 + fan_share, efficiency);
  for (const PowerGap& m : missing) text += format("; without the {}", m.fact);
  return text;
}

namespace {

// What the parts of a server take beyond those that its power was stated for; direct current.
struct FitChange {
  Watts parts{0};
  std::string text;                        // "4 x 400 W nvidia-h100-nvl-94 - 4 x 350 W nvidia-l40s"
  std::string missing;                     // "; without the power of 'cx8-800'"
  std::vector<PowerGap> lacks;             // of those, what is fitted beyond
  bool complete = true, confirmed = true;  // complete: false where a GPU or CPU that differs has no figure
};

template <class Part>
std::int64_t count_of(const std::vector<Part>& parts, const std::string& what) {
  std::int64_t n = 0;
  for (const Part& p : parts)
    if (p.what == what) n += p.count;
  return n;
}

// Calls `differs(part, fitted - stated for)` once for each kind of part whose count differs.
template <class Part, class F>
void for_each_difference(const std::vector<Part>& fitted, const std::vector<Part>& stated, F&& differs) {
  std::vector<std::string_view> seen;
  for (const auto* parts : {&fitted, &stated})
    for (const Part& p : *parts) {
      if (std::find(seen.begin(), seen.end(), p.what) != seen.end()) continue;
      seen.push_back(p.what);
      if (const std::int64_t more = count_of(fitted, p.what) - count_of(stated, p.what); more != 0) differs(p, more);
    }
}

FitChange change_of_fit(const ServerModel& server, const ServerModel& stated_for) {
  // The limit is taken off afterwards; what was not stated then is in the stated power.
  const Counted counted{.limit = false,
                        .cpus = stated_for.cpu_count > 0,
                        .nics = !stated_for.nics.empty(),
                        .memory = stated_for.part.memory.has_value(),
                        .drives = !stated_for.part.drives.empty()};
  const PowerSum now = power_sum(server, counted), then = server_power_sum(stated_for);
  FitChange change;
  for_each_difference(now.terms, then.terms, [&](const PowerTerm& t, std::int64_t more) {
    change.parts += t.each * static_cast<double>(more);
    change.confirmed = change.confirmed && t.confirmed;
    const std::string_view sign = change.text.empty() ? (more < 0 ? "-" : "") : more < 0 ? " - " : " + ";
    change.text += format("{}{} x {} {}", sign, std::abs(more), to_text(t.each), t.what);
  });
  for_each_difference(now.missing, then.missing, [&](const PowerGap& gap, std::int64_t more) {
    change.missing += format("; without the {}", gap.fact);
    if (more > 0) change.lacks.push_back({gap.fact, gap.what, more, gap.decides});
    change.complete = change.complete && !gap.decides;
    change.confirmed = false;
  });
  return change;
}

// Whether a figure came with the stated power; one that was written later, over it, is of the parts that were fitted
// then, and is left as it is.
template <class Quantity>
bool is_of(const Value<Quantity>& figure, const Value<Quantity>& stated) {
  return figure.span == stated.span && figure.origin == stated.origin && figure.value == stated.value;
}

template <class Quantity>
void keep_share(Value<Quantity>& figure, const Value<Quantity>& stated, Watts was, Watts now) {
  if (!figure || !is_of(figure, stated)) return;
  const std::string how =
      format("{} x {} / {}: the same share of the highest power", to_text(*figure), to_text(now), to_text(was));
  figure = Value<Quantity>::derived(*figure * (now / was), how, figure.span);
  figure.confirmed = false;
}

// The stated figures as the parts have them that the spec fits. An absent power afterwards: the sum is to tell. What
// they count as nothing.
std::vector<PowerGap> follow_fit(ServerModel& server, const PowerSum& sum) {
  if (!server.stated_for || !server.power || server.power->value <= 0) return {};
  const FitChange change = change_of_fit(server, *server.stated_for);
  // What the supplies give stays what it was where only their losses differ.
  const double rated = server_power_sum(*server.stated_for).efficiency;
  if (change.parts.value == 0 && change.missing.empty() && rated == sum.efficiency) return {};
  const Watts was = *server.power,
              now = was * (rated / sum.efficiency) + change.parts * ((1 + sum.fan_share) / sum.efficiency);
  const ServerPart& stated = server.stated_for->part;
  if (!change.complete || now.value <= 0) {
    server.power = {};
    if (is_of(server.power_typical, stated.power_typical)) server.power_typical = {};
    if (is_of(server.power_idle, stated.power_idle)) server.power_idle = {};
    if (is_of(server.airflow, stated.airflow)) server.airflow = {};
    return {};
  }
  const bool confirmed = server.power.confirmed && change.confirmed && rated == sum.efficiency;
  const std::string supplies =
      rated == sum.efficiency ? "" : format(" x {:.4g} / {:.4g} supply efficiency", rated, sum.efficiency);
  const std::string more = change.text.empty() ? ""
                                               : format(" + ({}) x {:.2f} fans / {:.4g} supply efficiency", change.text,
                                                        1 + sum.fan_share, sum.efficiency);
  server.power = Value<Watts>::derived(
      now, format("{} in the catalogue{}{}{}", to_text(was), supplies, more, change.missing), server.span);
  server.power.confirmed = confirmed;
  server.refitted = true;
  keep_share(server.power_typical, stated.power_typical, was, now);
  keep_share(server.power_idle, stated.power_idle, was, now);
  keep_share(server.airflow, stated.airflow, was, now);
  return change.lacks;
}

// As fill_server_power; what the power counts as nothing.
std::vector<PowerGap> fill(ServerModel& server, const Value<Watts>& cap) {
  std::vector<PowerGap> lacks;
  server.power = server.part.power;
  server.power_typical = server.part.power_typical;
  server.power_idle = server.part.power_idle;
  server.airflow = server.part.airflow;
  server.refitted = false;
  if (server.virtual_machine) {
    server.power = Value<Watts>::derived(Watts{0}, "a virtual machine's power is its host's", server.span);
    return {};
  }
  const PowerSum sum = server_power_sum(server);
  bool is_sum = false;
  if (!server.instance) {
    lacks = follow_fit(server, sum);
    const bool stated = server.refitted || server.power.origin == Origin::catalog;
    if (server.power && stated && sum.complete && *server.power < sum.stated) {
      // A catalogue's figure below what the parts alone take is of another fit than it lists.
      server.power = Value<Watts>::derived(
          sum.wall, format("{}; {} in the catalogue is of another fit", sum.formula(), to_text(*server.part.power)),
          server.span);
      server.power.confirmed = sum.confirmed;
      is_sum = true;
    } else if (!server.power && !server.power.unknown) {
      is_sum = sum.complete;
      if (sum.complete) {
        server.power = Value<Watts>::derived(sum.wall, sum.formula(), server.span);
        server.power.confirmed = sum.confirmed;
      } else {
        server.power.unknown = true;
        server.power.origin = Origin::derived;
        server.power.span = server.span;
        server.power.source = format("the {} is not known", sum.missing.front().fact);
      }
    }
  }
  if (is_sum) lacks = sum.missing;
  // A stated power is that of GPUs at their TDP: the limit takes the difference away, and what fans and supplies took
  // for it. The sum has it already, and so has a power that the group states beside its limit: it is of the machine as
  // it runs there.
  if (server.power && !is_sum && server.power.origin != Origin::spec && server.gpu_limit && server.gpu &&
      server.gpu->tdp && gpu_power(server, *server.gpu->tdp) < *server.gpu->tdp) {
    const Watts less = (*server.gpu->tdp - *server.gpu_limit) * static_cast<double>(server.gpu_count) *
                       ((1 + sum.fan_share) / sum.efficiency);
    if (less < *server.power) {
      const bool confirmed = server.power.confirmed && server.gpu->tdp.confirmed;
      const std::string from = server.refitted ? format("{}; ", server.power.source) : std::string();
      server.power =
          Value<Watts>::derived(*server.power - less,
                                format("{}{} - {} x ({} - {}) x {:.2f} fans / {:.4g} supply efficiency", from,
                                       to_text(*server.power), server.gpu_count, to_text(*server.gpu->tdp),
                                       to_text(*server.gpu_limit), 1 + sum.fan_share, sum.efficiency),
                                server.gpu_limit.span);
      server.power.confirmed = confirmed;
      if (server.power_typical && *server.power < *server.power_typical) server.power_typical = server.power;
    }
  }
  if (!cap) return lacks;
  if (server.power && *cap < *server.power) lacks.clear();
  for (Value<Watts>* p : {&server.power, &server.power_typical}) {
    const bool highest = p == &server.power;
    if (*p ? *cap < **p : highest) {
      const std::string was = *p ? format(", not {}", to_text(**p)) : "";
      const bool confirmed = cap.confirmed;
      *p = Value<Watts>::derived(*cap, format("power_cap {}{}", to_text(*cap), was), cap.span);
      p->confirmed = confirmed;
    }
  }
  return lacks;
}

}  // namespace

void fill_server_power(ServerModel& server, const Value<Watts>& cap) { fill(server, cap); }

std::vector<PowerGap> power_lacks(const NodeGroupModel& group) {
  if (!group.server.power || group.server.power.origin != Origin::derived) return {};
  ServerModel server = group.server;
  std::vector<PowerGap> lacks = fill(server, group.spec ? group.spec->power_cap : Value<Watts>());
  // Of a part that does not exist something else is said.
  std::erase_if(lacks, [&](const PowerGap& gap) {
    return std::ranges::none_of(server.nics, [&](const NicSet& n) { return n.part && n.model == gap.what; });
  });
  return lacks;
}

Value<Watts> switch_power(const SwitchPart& part) {
  if (part.power) return part.power;
  Value<Watts> fallback;
  if (part.psus && part.psus->power && part.psus->count) {
    const std::int64_t spare = part.psus->spare.value_or(0);
    const std::int64_t running = std::max<std::int64_t>(1, *part.psus->count - spare);
    fallback = Value<Watts>::derived(
        *part.psus->power * static_cast<double>(running),
        format("no maximum is published; {} x {} is what its supplies deliver", running, to_text(*part.psus->power)),
        part.psus->power.span);
  } else if (part.power_typical) {
    fallback = Value<Watts>::derived(*part.power_typical,
                                     format("no maximum is published; {} is typical", to_text(*part.power_typical)),
                                     part.power_typical.span);
  } else {
    fallback.unknown = true;
    fallback.origin = Origin::derived;
    fallback.source = "the catalogue gives no power";
  }
  fallback.confirmed = false;
  return fallback;
}

double efficiency_form(double share) {
  constexpr double kLow = 0.90 / 0.94, kFull = 0.91 / 0.94;
  if (share <= 0.2) return kLow;
  if (share <= 0.5) return kLow + (1 - kLow) * (share - 0.2) / 0.3;
  if (share <= 1) return 1 + (kFull - 1) * (share - 0.5) / 0.5;
  return kFull;
}

SupplyResult on_supplies(const SupplyLoad& d, std::int64_t alive) {
  if (alive <= 0) return {SupplyState::dead, 0};
  const double dc = d.watts * d.efficiency, n = static_cast<double>(d.supplies), a = static_cast<double>(alive);
  if (alive >= d.supplies)
    return {SupplyState::runs, d.watts};  // too small for it as built: power-supplies-below-node-draw says so
  if (d.output <= 0) {
    if (d.spare >= 0 && alive >= d.supplies - d.spare) return {SupplyState::runs, d.watts};
    return {SupplyState::unjudged, d.watts};
  }
  const double given = a * d.output;
  const double wall = d.watts * std::max(1.0, efficiency_form(dc / (n * d.output)) / efficiency_form(dc / given));
  const auto covers = [&](double need) { return !above(need, given); };
  if (covers(dc)) {
    if (d.spare < 0 || alive >= d.supplies - d.spare) return {SupplyState::runs, wall};
    return {d.throttles ? SupplyState::throttled : SupplyState::unjudged, wall};
  }
  if (!d.throttles) return {SupplyState::dead, 0};
  const double most = given / (d.efficiency * efficiency_form(1));
  if (d.idle < 0) return {SupplyState::unjudged, most};
  return covers(d.idle * d.efficiency) ? SupplyResult{SupplyState::throttled, most}
                                       : SupplyResult{SupplyState::dead, 0};
}

Volts load_voltage(std::int64_t phases, Volts v) {
  // Supplies take 100 V to 250 V (C13/C19 are rated 250 V): a line voltage within that is used between lines, a higher
  // one to neutral.
  constexpr double kAppliance = 250;
  return phases >= 3 && v.value > kAppliance ? v / kSqrt3 : v;
}

Value<Volts> supply_voltage(const Site& site) {
  if (!site.supply || !site.supply->voltage || !site.supply->phases) return {};
  const Volts line = *site.supply->voltage;
  const Volts load = load_voltage(*site.supply->phases, line);
  const std::string how = load < line ? format("{} / sqrt(3), line to neutral", to_text(line))
                                      : format("{} across the load", to_text(line));
  return Value<Volts>::derived(load, how, site.supply->voltage.span);
}

double continuous_share(const Cluster& c, const Value<double>& written) {
  return written.value_or(c.continuous_factor);
}

VoltAmperes continuous_rating(std::int64_t phases, Volts v, Amperes breaker, double factor) {
  return VoltAmperes((phases >= 3 ? kSqrt3 : 1.0) * v.value * breaker.value * factor);
}

}  // namespace clusterc
