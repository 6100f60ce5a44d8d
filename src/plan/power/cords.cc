// Lines of a three-phase PDU. Loads between lines: I_A = sqrt(I_AB^2 + I_CA^2 + I_AB x I_CA), the sum of two phasors 60
// degrees apart; loads from line to neutral add up as they are. One power factor for all loads, so that phasors of one
// pair add up as numbers. Example: four cords of 10 A on AB, BC, CA, AB: pairs carry 20, 10 and 10 A, lines sqrt(400 +
// 100 + 200) = 26.5, 26.5 and 17.3 A. Balanced, each line would carry 4/3 x 10 A x sqrt(3) = 23.1 A.
#include "plan/power/cords.h"

#include <cmath>
#include <optional>

#include "base/format.h"
#include "model/rounding.h"
#include "plan/power/rack_limits.h"

namespace clusterc {

const RackedDevice* device_of(const Plan& plan, const PowerClass& k, std::size_t device) {
  const std::vector<RackedDevice>& devices = plan.racks[static_cast<std::size_t>(k.racks.front())].devices;
  return !k.assembly && device < devices.size() ? &devices[device] : nullptr;
}

namespace {

const FabricTier& tier_of(const Plan& plan, const RackedDevice& d) {
  return plan.fabrics[d.group].tiers[plan.switch_ref(d.group, d.index).tier];
}

}  // namespace

const PsuSet* supplies_of(const Plan& plan, const RackedDevice& d) {
  const std::optional<PsuSet>* psus = nullptr;
  if (d.kind == DeviceKind::node) psus = &plan.cluster->nodes[d.group].server.part.psus;
  if (d.kind == DeviceKind::storage) psus = &plan.cluster->storage[d.group].part->psus;
  if (d.kind == DeviceKind::switch_) psus = &tier_of(plan, d).part->psus;
  return psus && *psus && (*psus)->count ? &**psus : nullptr;
}

std::string device_owner(const Plan& plan, const RackedDevice& d) {
  const Cluster& c = *plan.cluster;
  if (d.kind == DeviceKind::storage) return "storage." + c.storage[d.group].name;
  if (d.kind == DeviceKind::switch_) return "networks." + c.networks[plan.fabrics[d.group].network].name;
  return "nodes." + c.nodes[d.group].name;
}

std::string device_model(const Plan& plan, const RackedDevice& d) {
  const Cluster& c = *plan.cluster;
  if (d.kind == DeviceKind::storage) return c.storage[d.group].model;
  if (d.kind == DeviceKind::switch_) return tier_of(plan, d).model;
  return c.nodes[d.group].server.id;
}

Outlets outlets_of(const PduPart& part) {
  Outlets o;
  for (const OutletGroup& g : part.outlets) {
    if (!g.kind || !g.count) continue;
    o.known = true;
    o.confirmed = o.confirmed && g.count.confirmed;
    if (*g.kind == OutletKind::c13) o.c13 += *g.count;
    if (*g.kind == OutletKind::c19) o.c19 += *g.count;
    if (*g.kind == OutletKind::c13_c19) o.either += *g.count;
  }
  return o;
}

std::int64_t* next_outlet(Outlets& left, InletKind inlet) {
  if (inlet != InletKind::c14 && inlet != InletKind::c20) return nullptr;
  std::int64_t& plain = inlet == InletKind::c14 ? left.c13 : left.c19;
  return plain > 0 ? &plain : left.either > 0 ? &left.either : nullptr;
}

std::string Outlets::text() const {
  std::string text;
  const auto add = [&](std::int64_t n, std::string_view kind) {
    if (n > 0) text += format("{}{} x {}", text.empty() ? "" : " + ", n, kind);
  };
  add(c13, "C13");
  add(c19, "C19");
  add(either, "C13/C19");
  return text.empty() ? "none" : text;
}

Value<Volts> outlet_voltage(const PduPart& p) {
  if (!p.voltage || !p.phases) return {};
  Value<Volts> v =
      Value<Volts>::derived(load_voltage(*p.phases, *p.voltage), "the PDU's voltage across one load", p.voltage.span);
  v.confirmed = p.voltage.confirmed;
  return v;
}

Amperes cord_current(const Cluster& c, const SupplyLoad& load, Watts power, std::int64_t alive, Volts v) {
  if (alive <= 0 || v.value <= 0) return Amperes(0);
  const double pf = load.power_factor > 0 ? load.power_factor : power_factor(c);
  const double amps = power.value / pf / static_cast<double>(alive) / v.value;
  return Amperes(load.input_amps > 0 ? std::min(amps, load.input_amps) : amps);
}

namespace {

// On the lines, of what is on the pairs (or on each line) in the same unit: currents, or watts at one voltage.
std::array<double, 3> line_loads(const std::array<double, 3>& pairs, bool single, bool between_lines) {
  if (single) return {pairs[0], 0, 0};
  if (!between_lines) return pairs;
  const auto sum = [](double a, double b) { return std::sqrt(a * a + b * b + a * b); };
  return {sum(pairs[0], pairs[2]), sum(pairs[0], pairs[1]), sum(pairs[1], pairs[2])};  // pairs AB, BC, CA
}

}  // namespace

bool lose_feed(const PowerRack& rack, int lost, PowerFailure& failure) {
  failure = {};
  std::size_t dead = 0;
  for (std::size_t p = 0; p < rack.positions.size(); ++p)
    if (lost >= 0 && rack.positions[p].dies_with(lost)) {
      failure.positions |= std::uint64_t{1} << p;
      ++dead;
    }
  return dead > 0 && dead < rack.positions.size();
}

namespace {

// Cords of one PDU of three phases: what each draws in every state that is looked at, and the pair of lines (or the
// line) that it is on.
struct OnePdu {
  bool between = false;
  std::vector<std::vector<double>> milliwatts;  // by cord, the largest first, and state: whole ones, so that what is on
                                                // a line does not depend on the way there
  std::vector<std::uint8_t> way;                // by cord
};

// Of the squares of what the lines carry in all states.
struct Fullness {
  double most = 0, sum = 0;
};

// With cord i on another way, and j in its old place where there is one.
Fullness fullness(const OnePdu& pdu, const std::vector<std::array<double, 3>>& on, std::size_t i, std::size_t to,
                  std::optional<std::size_t> j) {
  Fullness f;
  for (std::size_t s = 0; s < on.size(); ++s) {
    std::array<double, 3> w = on[s];
    const double more = pdu.milliwatts[i][s] - (j ? pdu.milliwatts[*j][s] : 0);
    w[pdu.way[i]] -= more;
    w[to] += more;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const double square = pdu.between ? w[a] * w[a] + w[b] * w[b] + w[a] * w[b] : w[a] * w[a];
      f.most = std::max(f.most, square);
      f.sum += square;
    }
  }
  return f;
}

// The first exchange that makes it better; false where there is none. Better is less, exactly: with a tolerance a row
// of changes could end where it began.
bool exchange(OnePdu& pdu, std::vector<std::array<double, 3>>& on) {
  const Fullness now = fullness(pdu, on, 0, pdu.way[0], std::nullopt);
  const auto better = [&](const Fullness& f) { return f.most < now.most || (f.most == now.most && f.sum < now.sum); };
  const auto move = [&](std::size_t i, std::size_t to) {
    for (std::size_t s = 0; s < on.size(); ++s) {
      on[s][pdu.way[i]] -= pdu.milliwatts[i][s];
      on[s][to] += pdu.milliwatts[i][s];
    }
    pdu.way[i] = static_cast<std::uint8_t>(to);
  };
  for (std::size_t i = 0; i < pdu.way.size(); ++i) {
    const std::size_t from = pdu.way[i];
    for (std::size_t to = 0; to < 3; ++to) {
      if (to == from || !better(fullness(pdu, on, i, to, std::nullopt))) continue;
      move(i, to);
      return true;
    }
    for (std::size_t j = i + 1; j < pdu.way.size(); ++j) {
      const std::size_t to = pdu.way[j];
      if (to == from || !better(fullness(pdu, on, i, to, j))) continue;
      move(i, to);
      move(j, from);
      return true;
    }
  }
  return false;
}

void even_out(OnePdu& pdu) {
  constexpr std::size_t kMostCords = 96;    // no strip has as many outlets: what is beyond stays as dealt
  constexpr std::size_t kMostChanges = 16;  // for each cord: the worst of half a million random PDUs took 2.7
  if (pdu.way.empty() || pdu.way.size() > kMostCords) return;
  std::vector<std::array<double, 3>> on(pdu.milliwatts[0].size());
  for (std::size_t k = 0; k < pdu.way.size(); ++k)
    for (std::size_t s = 0; s < on.size(); ++s) on[s][pdu.way[k]] += pdu.milliwatts[k][s];
  for (std::size_t changes = 0; changes < kMostChanges * pdu.way.size() && exchange(pdu, on); ++changes) {
  }
}

// The rack as it will be: behind its cords those to come.
PowerRack completed(const PowerRack& rack) {
  PowerRack full = rack;
  for (std::size_t k = 0; k < rack.to_come.size(); ++k) {
    const CordToCome& one = rack.to_come[k];
    if (k == 0 || rack.to_come[k - 1].device != one.device) full.devices.push_back(one.load);
    full.cords.push_back({static_cast<std::int16_t>(full.devices.size() - 1), 0, one.position});
  }
  return full;
}

// Watts on each cord when nothing has failed, then after the loss of each feed.
std::vector<std::vector<double>> watts_by_state(const PowerRack& rack) {
  std::vector<int> lost{-1};
  for (const PowerPosition& p : rack.positions)
    if (p.feed >= 0 && std::ranges::find(lost, p.feed) == lost.end()) lost.push_back(p.feed);
  std::vector<std::vector<double>> out;
  PowerState state;
  CordWatts watts;
  for (const int feed : lost) {
    PowerFailure failure;
    if (!lose_feed(rack, feed, failure) && feed >= 0) continue;
    evaluate(rack, failure, state);
    cord_watts(rack, failure, state, watts);
    out.push_back(watts.cord);
  }
  return out;
}

}  // namespace

RackWiring wire_rack(const RackGroupModel* group, const PowerRack& rack) {
  RackWiring w;
  for (std::size_t p = 0; p < rack.positions.size(); ++p) {
    RackWiring::Position& at = w.positions.emplace_back();
    const PduPart* part = group && p < group->pdus.size() ? group->pdus[p].part : nullptr;
    const Value<Volts> v = part ? outlet_voltage(*part) : Value<Volts>();
    if (!v) continue;
    const bool single = *part->phases < 3;
    at = {.known = true,
          .between = !single && *v == *part->voltage,
          .ways = static_cast<std::uint8_t>(single ? 1 : 3),
          .banks = part->banks.value_or(0),
          .voltage = *v};
  }
  const PowerRack full = completed(rack);
  const std::vector<std::vector<double>> watts = watts_by_state(full);
  std::vector<std::size_t> order;
  for (std::size_t k = 0, next = 0; k <= rack.cords.size(); ++k) {
    for (; next < rack.to_come.size() && static_cast<std::size_t>(rack.to_come[next].before) == k; ++next)
      order.push_back(rack.cords.size() + next);
    if (k < rack.cords.size()) order.push_back(k);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return watts[0][k]; });
  w.way.assign(full.cords.size(), 0);
  w.bank.assign(full.cords.size(), 0);
  const auto least = [](const std::vector<double>& on) {
    return static_cast<std::size_t>(std::ranges::min_element(on) - on.begin());
  };
  for (std::size_t p = 0; p < rack.positions.size(); ++p) {
    const std::size_t ways = w.positions[p].ways, banks = static_cast<std::size_t>(w.positions[p].banks);
    const bool by_banks = banks > 0 && banks % ways == 0;
    std::vector<double> on_bank(std::max<std::size_t>(1, banks), 0), on_way(ways, 0);
    OnePdu pdu{.between = w.positions[p].between};
    std::vector<std::size_t> here;
    for (const std::size_t k : order) {
      if (static_cast<std::size_t>(full.cords[k].position) != p) continue;
      const std::size_t bank = least(on_bank), way = by_banks ? bank % ways : least(on_way);
      on_bank[bank] += watts[0][k];
      on_way[way] += watts[0][k];
      w.bank[k] = static_cast<std::int16_t>(bank);
      w.way[k] = static_cast<std::uint8_t>(way);
      if (by_banks || ways < 3) continue;
      here.push_back(k);
      pdu.way.push_back(w.way[k]);
      std::vector<double>& states = pdu.milliwatts.emplace_back();
      for (const std::vector<double>& state : watts) states.push_back(std::floor(state[k] * 1000 + 0.5));
    }
    even_out(pdu);
    for (std::size_t i = 0; i < here.size(); ++i) w.way[here[i]] = pdu.way[i];
  }
  w.way.resize(rack.cords.size());
  w.bank.resize(rack.cords.size());
  return w;
}

void cord_watts(const PowerRack& rack, const PowerFailure& failure, const PowerState& state, CordWatts& out) {
  out.cord.assign(rack.cords.size(), 0);
  out.spread = state.position_watts;
  const auto works = [&](std::size_t k) {
    return (failure.positions >> rack.cords[k].position & 1) == 0 &&
           std::ranges::find(failure.cords, static_cast<std::int32_t>(k)) == failure.cords.end();
  };
  for (std::size_t first = 0; first < rack.cords.size();) {
    std::size_t end = first;
    std::int64_t alive = 0;
    for (; end < rack.cords.size() && rack.cords[end].device == rack.cords[first].device; ++end) alive += works(end);
    const double each =
        alive > 0 ? state.devices[static_cast<std::size_t>(rack.cords[first].device)].watts / static_cast<double>(alive)
                  : 0;
    for (std::size_t k = first; k < end && each > 0; ++k)
      if (works(k)) {
        out.cord[k] = each;
        out.spread[static_cast<std::size_t>(rack.cords[k].position)] -= each;
      }
    first = end;
  }
}

void fullest_lines(const PowerRack& rack, const RackWiring& wiring, const PowerFailure& failure,
                   const PowerState& state, CordWatts& watts, std::vector<double>& out) {
  cord_watts(rack, failure, state, watts);
  const std::size_t n = rack.positions.size();
  auto& on = watts.ways;
  on.assign(n, {});
  for (std::size_t k = 0; k < rack.cords.size(); ++k)
    on[static_cast<std::size_t>(rack.cords[k].position)][wiring.way[k]] += watts.cord[k];
  out.assign(n, 0);
  for (std::size_t p = 0; p < n; ++p) {
    const RackWiring::Position& at = wiring.positions[p];
    out[p] = state.position_watts[p];
    if (at.ways < 3) continue;
    const double even = std::max(0.0, watts.spread[p]) / 3;
    for (double& w : on[p]) w += even;
    const std::array<double, 3> lines = line_loads(on[p], false, at.between);
    const double fullest = std::max({lines[0], lines[1], lines[2]});
    out[p] = std::max(out[p], at.between ? std::sqrt(3.0) * fullest : 3 * fullest);
  }
}

bool pdus_hold(const Plan& plan, const PowerRack& rack, const RackGroupModel& g, int lost, const RackWiring& wiring) {
  PowerFailure failure;
  if (lost >= 0 && !lose_feed(rack, lost, failure)) return true;
  PowerState state;
  evaluate(rack, failure, state);
  CordWatts cords;
  std::vector<double> fullest;
  fullest_lines(rack, wiring, failure, state, cords, fullest);
  for (std::size_t p = 0; p < g.pdus.size() && p < fullest.size(); ++p) {
    const Value<VoltAmperes> rating =
        g.pdus[p].part ? pdu_rating(*plan.cluster, *g.pdus[p].part) : Value<VoltAmperes>();
    if (rating && above(plan.apparent(Watts(fullest[p])).value, rating->value)) return false;
  }
  return true;
}

namespace {

PduCurrents currents_of(const Plan& plan, const PowerRack& rack, const RackWiring& wiring, std::size_t position) {
  const Cluster& c = *plan.cluster;
  PduCurrents out;
  const RackWiring::Position& at = wiring.positions[position];
  if (!at.known) return out;
  const auto state = [&](const PowerFailure& failure, std::array<double, 3>& lines, double& bank) {
    PowerState power;
    evaluate(rack, failure, power);
    CordWatts watts;
    cord_watts(rack, failure, power, watts);
    const auto amps = [&](const SupplyLoad& load, double w) {
      return cord_current(c, load, Watts(w), 1, at.voltage).value;
    };
    std::array<double, 3> ways{};
    for (std::size_t w = 0; w < at.ways; ++w) ways[w] = amps({}, std::max(0.0, watts.spread[position]) / at.ways);
    std::vector<double> in_bank(static_cast<std::size_t>(std::max<std::int64_t>(1, at.banks)), 0);
    for (std::size_t k = 0; k < rack.cords.size(); ++k) {
      if (static_cast<std::size_t>(rack.cords[k].position) != position) continue;
      const double a = amps(rack.devices[static_cast<std::size_t>(rack.cords[k].device)], watts.cord[k]);
      ways[wiring.way[k]] += a;
      if (at.banks > 0) in_bank[static_cast<std::size_t>(wiring.bank[k])] += a;
    }
    lines = line_loads(ways, at.ways < 3, at.between);
    bank = std::ranges::max(in_bank);
  };
  state({}, out.lines, out.bank);
  out.worst_lines = out.lines;
  out.worst_bank = out.bank;
  for (int f = 0; f < static_cast<int>(c.feeds.size()); ++f) {
    PowerFailure failure;
    if (rack.positions[position].dies_with(f) || !lose_feed(rack, f, failure)) continue;
    PduCurrents then;
    state(failure, then.lines, then.bank);
    if (then.highest() > out.worst_highest()) {
      out.worst_lines = then.lines;
      out.worst_lost_feed = f;
    }
    if (then.bank > out.worst_bank) {
      out.worst_bank = then.bank;
      out.bank_lost_feed = f;
    }
  }
  return out;
}

}  // namespace

std::vector<PduCurrents> pdu_currents_of(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  std::vector<PduCurrents> all(plan.pdus.size());
  std::vector<std::size_t> first(plan.racks.size(), 0);
  std::size_t next = 0;
  for (const RackGroupModel& g : c.racks)
    for (std::int64_t r = g.first; r < g.first + g.count; ++r, next += g.pdus.size())
      first[static_cast<std::size_t>(r)] = next;
  for (const PowerClass& k : plan.power_classes()) {
    if (k.assembly) continue;
    const RackGroupModel& g = c.racks[static_cast<std::size_t>(k.group)];
    const RackWiring wiring = wire_rack(&g, k.rack);
    for (std::size_t p = 0; p < g.pdus.size(); ++p) {
      if (!g.pdus[p].part) continue;
      const PduCurrents currents = currents_of(plan, k.rack, wiring, p);
      for (const std::int32_t rack : k.racks) all[first[static_cast<std::size_t>(rack)] + p] = currents;
    }
  }
  return all;
}

std::optional<double> line_rating(const Cluster& c, const PduPart& part) {
  const Value<VoltAmperes> rating = pdu_rating(c, part);
  if (!rating || !part.voltage || !part.phases || part.voltage->value <= 0) return std::nullopt;
  return rating->value / (part.voltage->value * (*part.phases >= 3 ? kSqrt3 : 1));
}

}  // namespace clusterc
