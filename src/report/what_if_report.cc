#include "report/what_if_report.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "plan/power/power_gaps.h"
#include "report/table.h"
#include "spec/site.h"

namespace clusterc {

std::vector<std::string> fold_objects(const std::vector<std::string>& names) {
  // What stands behind the last '/' by what stands before it; then all that have the same behind it as one.
  std::map<std::string, std::vector<std::string>> tails_of;
  std::vector<std::string> order;
  for (const std::string& name : names) {
    const auto slash = name.rfind('/');
    const std::string stem = slash == std::string::npos ? "" : name.substr(0, slash);
    const auto [at, fresh] = tails_of.try_emplace(stem);
    if (fresh) order.push_back(stem);
    at->second.push_back(slash == std::string::npos ? name : name.substr(slash + 1));
  }
  std::vector<std::pair<std::string, std::vector<std::string>>>
      by_stems;  // folded stems -> what is behind each of them
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::string>> stems_of;
  for (const std::string& stem : order) {
    std::vector<std::string>& tails = tails_of[stem];
    const auto [at, fresh] = known.try_emplace(join(tails, "/"), by_stems.size());
    if (fresh) {
      by_stems.push_back({"", std::move(tails)});
      stems_of.emplace_back();
    }
    stems_of[at->second].push_back(stem);
  }
  for (std::size_t i = 0; i < by_stems.size(); ++i)
    if (!(stems_of[i].size() == 1 && stems_of[i].front().empty())) by_stems[i].first = fold_names(stems_of[i]);
  std::vector<std::string> out;
  for (const auto& [stems, with] : by_stems) {
    std::string folded = fold_names(with);
    int depth = 0;
    bool several = false;
    for (const char ch : folded) {
      depth += (ch == '[') - (ch == ']');
      several = several || (ch == ',' && depth == 0);
    }
    if (several) folded = "{" + folded + "}";
    if (stems.empty()) {
      out.push_back(folded);
      continue;
    }
    std::size_t begin = 0;
    depth = 0;
    for (std::size_t i = 0; i <= stems.size(); ++i) {
      if (i < stems.size()) depth += (stems[i] == '[') - (stems[i] == ']');
      if (i < stems.size() && !(stems[i] == ',' && depth == 0)) continue;
      out.push_back(stems.substr(begin, i - begin) + "/" + folded);
      begin = i + 1;
    }
  }
  return out;
}

namespace {

// What no load below holds, where there is such a thing.
std::string unknown_loads(const PowerGaps& gaps) {
  return gaps.power_known() ? std::string()
                            : format(
                                  "The power and heat of {} are unknown: they count as 0 W, so that more may trip or "
                                  "throttle than shown\n",
                                  names_text(gaps.equipment));
}

std::string percent_text(double share) { return format("{:.4g} %", share * 100); }
std::string one_or_many(std::int64_t n, std::string_view word) { return format("{} {}{}", n, word, n == 1 ? "" : "s"); }

class Words {
 public:
  explicit Words(const WhatIfEngine& e) : e_(e), p_(e.plan()), c_(*p_.cluster) {}

  std::string nodes(const std::vector<std::int64_t>& numbers) const {
    std::vector<std::string> names;
    for (const std::int64_t n : numbers) names.push_back(c_.node_name(n));
    return fold_names(names);
  }
  std::vector<std::string> switches(const std::vector<std::pair<int, std::int64_t>>& list) const {
    std::vector<std::string> names;
    for (const auto& [fabric, index] : list) names.push_back(p_.switch_name(fabric, p_.switch_ref(fabric, index)));
    return fold_objects(names);
  }
  std::vector<std::string> storage(const std::vector<std::pair<int, std::int64_t>>& list) const {
    std::vector<std::string> names;
    for (const auto& [system, index] : list)
      names.push_back("storage/" + c_.storage[static_cast<std::size_t>(system)].name + "/" + std::to_string(index + 1));
    return fold_objects(names);
  }
  std::vector<std::string> pdus(const std::vector<std::int32_t>& racks, std::int32_t part) const {
    std::vector<std::string> names;
    for (const std::int32_t r : racks) names.push_back("pdu/" + c_.rack_name(r) + "/" + static_cast<char>('a' + part));
    return fold_objects(names);
  }
  // Feed, panel, UPS or zone.
  std::string object(ComponentKind kind, std::int32_t of) const {
    const auto i = static_cast<std::size_t>(of);
    if (kind == ComponentKind::panel) return "panel/" + c_.panels[i].name;
    if (kind == ComponentKind::cooling) return "zone/" + c_.zones[i].name;
    if (kind == ComponentKind::generator) return "generator/" + c_.generators[i].name;
    if (kind == ComponentKind::transfer) return "transfer/" + c_.transfers[i].name;
    return std::string(component_word(kind)) + "/" + c_.feeds[i].name;
  }

  std::string trip(const TripEvent& t) const {
    const Dimension d = t.in_watts ? Dimension::power : Dimension::apparent;
    const std::string numbers = format("{} of {}", to_text(t.load, d), to_text(t.limit, d));
    switch (t.kind) {
      case ComponentKind::pdu: {
        const std::string who = join(pdus(t.racks, t.part), ", ");
        return t.racks.size() == 1 ? format("{} trips: {}", who, numbers) : format("{} trip: up to {}", who, numbers);
      }
      case ComponentKind::ups:
        return format("{} is overloaded ({}) and drops its feed", object(t.kind, t.of), numbers);
      default:
        return format("{} trips: {}", object(t.kind, t.of), numbers);
    }
  }
  std::string limit(const LimitExceeded& l) const {
    const std::string numbers = format("{} of {}", to_text(l.load, l.dimension), to_text(l.limit, l.dimension));
    if (l.kind == ComponentKind::pdu)
      return format("{} at {} {} continuous", join(pdus(l.racks, l.part), ", "), l.racks.size() > 1 ? "up to" : "",
                    numbers);
    if (l.kind == ComponentKind::cooling)
      return format("{} {} {}", object(l.kind, l.of),
                    l.dimension == Dimension::air_flow ? "needs air:" : "has to remove", numbers);
    if (l.kind == ComponentKind::generator)
      return format("{} must supply {}, and stops", object(l.kind, l.of), numbers);
    return format("{} at {} continuous", object(l.kind, l.of), numbers);
  }

  // What becomes of a feed when the mains fail.
  std::string mains(const MainsLeft& m) const {
    const FeedModel& feed = c_.feeds[static_cast<std::size_t>(m.feed)];
    const auto time = [](const Value<Seconds>& t) { return t ? to_text(*t) : std::string("an unknown time"); };
    const Value<Seconds> runtime = feed.spec && feed.spec->ups ? feed.spec->ups->runtime : Value<Seconds>();
    if (m.state == MainsLeft::State::lost) {
      const std::string why = feed.generator < 0 ? std::string("no generator")
                                                 : format("generator/{} does not run",
                                                          c_.generators[static_cast<std::size_t>(feed.generator)].name);
      return format("feed/{} is dark{}: {}", feed.name, runtime ? " after " + to_text(*runtime) : "", why);
    }
    const GeneratorModel& g = c_.generators[static_cast<std::size_t>(m.generator)];
    const std::string takes = format("generator/{} takes the load after {}", g.name, time(g.spec->start));
    if (m.state == MainsLeft::State::bridged)
      return format("feed/{}: {}, its UPS lasts {}", feed.name, takes, time(runtime));
    if (m.state == MainsLeft::State::unjudged)
      return format("feed/{} not judged: {}, its UPS lasts {}", feed.name, takes, time(runtime));
    return format("feed/{} is dark until {}{}", feed.name, takes,
                  runtime ? format(", its UPS lasts {}", to_text(*runtime)) : std::string(", without a UPS"));
  }

  // What happened besides the failure itself, in the order of what weighs most. `named`: one row stands for one
  // failure, so names may be told.
  std::vector<std::string> effects(const WhatIf& w, bool named) const {
    std::vector<std::string> out;
    const auto is_failed = [&](ComponentKind kind, std::int32_t of, std::int64_t index) {
      return std::ranges::any_of(
          w.failed, [&](const Component& f) { return f.kind == kind && (of < 0 || f.of == of) && f.index == index; });
    };
    for (const MainsLeft& m : w.mains) out.push_back(mains(m));
    for (const TripEvent& t : w.trips) {
      if (named || t.kind != ComponentKind::pdu)
        out.push_back(trip(t));
      else
        out.push_back(format("{} {}: up to {} of {}", one_or_many(static_cast<std::int64_t>(t.racks.size()), "PDU"),
                             t.racks.size() == 1 ? "trips" : "trip", to_text(VoltAmperes(t.load)),
                             to_text(VoltAmperes(t.limit))));
    }
    std::vector<std::int64_t> dead;
    for (const std::int64_t n : w.dead_nodes)
      if (!is_failed(ComponentKind::node, -1, n)) dead.push_back(n);
    const auto some = [&](const std::vector<std::int64_t>& list, std::string_view what) {
      if (!list.empty())
        out.push_back(
            named ? format("{} {}: {}", one_or_many(static_cast<std::int64_t>(list.size()), "node"), what, nodes(list))
                  : format("{} {}", one_or_many(static_cast<std::int64_t>(list.size()), "node"), what));
    };
    some(dead, "down");
    some(w.throttled_nodes, list_word(w.throttled_nodes, "throttles", "throttle"));
    some(w.unjudged_nodes, "not judged");
    std::vector<std::pair<int, std::int64_t>> off;
    for (const auto& s : w.dead_switches) {
      const SwitchRef r = p_.switch_ref(s.first, s.second);
      bool itself = false;
      for (const Component& f : w.failed)
        itself = itself || ((f.kind == ComponentKind::leaf || f.kind == ComponentKind::spine ||
                             f.kind == ComponentKind::core || f.kind == ComponentKind::switch_) &&
                            f.of == s.first && f.index == r.index && e_.name(f) == p_.switch_name(s.first, r));
      if (!itself) off.push_back(s);
    }
    if (!off.empty())
      out.push_back(
          named ? format("{} down: {}", off.size() == 1 ? std::string("1 switch") : format("{} switches", off.size()),
                         join(switches(off), ", "))
                : format("{} down", off.size() == 1 ? std::string("1 switch") : format("{} switches", off.size())));
    if (!w.unjudged_switches.empty())
      out.push_back(format(
          "{} not judged{}",
          w.unjudged_switches.size() == 1 ? std::string("1 switch") : format("{} switches", w.unjudged_switches.size()),
          named ? ": " + join(switches(w.unjudged_switches), ", ") : std::string()));
    std::vector<std::pair<int, std::int64_t>> gone;
    for (const auto& s : w.dead_storage)
      if (!is_failed(ComponentKind::storage, s.first, s.second)) gone.push_back(s);
    if (!gone.empty()) out.push_back("down: " + join(storage(gone), ", "));
    for (const NetworkLeft& n : w.networks) {
      const std::string& name = c_.networks[static_cast<std::size_t>(n.network)].name;
      if (!n.cut_off_nodes.empty())
        out.push_back(named ? format("cut off from {}: {}", name, nodes(n.cut_off_nodes))
                            : format("{} cut off from {}",
                                     one_or_many(static_cast<std::int64_t>(n.cut_off_nodes.size()), "node"), name));
      if (n.cut_off_storage > 0)
        out.push_back(format("{} cut off from {}", one_or_many(n.cut_off_storage, "storage system"), name));
      if (n.degraded > 0) out.push_back(format("{} with fewer ports in {}", one_or_many(n.degraded, "member"), name));
    }
    for (const NetworkLeft& n : w.networks)
      if (n.switches_dead > 0 && c_.networks[static_cast<std::size_t>(n.network)].everything)
        out.push_back("equipment in this network cannot be managed");
    for (const ServiceLeft& s : w.services)
      out.push_back(s.data_gone && s.left > 0
                        ? format("{}: {} of {} left, the data of the others cannot be reached", s.name, s.left, s.of)
                    : s.lost ? format("{} is lost", s.name)
                             : format("{}: {} of {} left", s.name, s.left, s.of));
    for (const ZoneLeft& z : w.zones)
      if (z.inlet_rise.value > 0)
        out.push_back(
            format("inlets of {} warm by {:.3g} K", object(ComponentKind::cooling, z.zone), z.inlet_rise.value));
    for (const LimitExceeded& l : w.limits) {
      const bool tripped = std::ranges::any_of(
          w.trips, [&](const TripEvent& t) { return t.kind == l.kind && t.of == l.of && t.part == l.part; });
      if (tripped && l.kind != ComponentKind::pdu) continue;
      if (named || l.kind != ComponentKind::pdu)
        out.push_back(format("over its limit: {} [{}]", limit(l), l.rule));
      else
        out.push_back(format("over its limit: {} at up to {} of {} continuous [{}]",
                             one_or_many(static_cast<std::int64_t>(l.racks.size()), "PDU"),
                             to_text(VoltAmperes(l.load)), to_text(VoltAmperes(l.limit)), l.rule));
    }
    return out;
  }

  void state_json(JsonWriter& json, const WhatIf& w) const {
    const auto list = [&](std::string_view key, const std::vector<std::string>& texts) {
      json.array(key, kLine);
      for (const std::string& t : texts) json.value(t);
      json.end_array();
    };
    json.array("trips");
    for (const TripEvent& t : w.trips) {
      json.begin_object(kLine).field("round", t.round).field("kind", component_word(t.kind));
      list("objects",
           t.kind == ComponentKind::pdu ? pdus(t.racks, t.part) : std::vector<std::string>{object(t.kind, t.of)});
      json.field("load", t.load).field("limit", t.limit).field("unit", t.in_watts ? "W" : "VA").end_object();
    }
    json.end_array();
    json.object("nodes", kLine)
        .field("dead", nodes(w.dead_nodes))
        .field("dead_count", w.dead_nodes.size())
        .field("throttled", nodes(w.throttled_nodes))
        .field("throttled_count", w.throttled_nodes.size())
        .field("unjudged", nodes(w.unjudged_nodes))
        .field("unjudged_count", w.unjudged_nodes.size())
        .field("cut_off_count", w.cut_off_nodes)
        .end_object();
    json.object("gpus", kLine)
        .field("dead", w.dead_gpus)
        .field("throttled", w.throttled_gpus)
        .field("cut_off", w.cut_off_gpus)
        .end_object();
    list("switches_dead", switches(w.dead_switches));
    list("switches_unjudged", switches(w.unjudged_switches));
    list("storage_dead", storage(w.dead_storage));
    json.array("networks");
    for (const NetworkLeft& n : w.networks) {
      json.begin_object(kLine)
          .field("network", c_.networks[static_cast<std::size_t>(n.network)].name)
          .field("switches_dead", n.switches_dead)
          .field("links_dead", n.links_dead)
          .field("cut_off", nodes(n.cut_off_nodes))
          .field("cut_off_count", n.cut_off_nodes.size())
          .field("cut_off_storage", n.cut_off_storage)
          .field("degraded", n.degraded)
          .field("bisection_share", n.bisection)
          .field("bisection_bit_s", n.bisection_rate.value)
          .field("all_reduce_share", n.all_reduce)
          .end_object();
    }
    json.end_array();
    json.array("services");
    for (const ServiceLeft& s : w.services)
      json.begin_object(kLine)
          .field("name", s.name)
          .field("left", s.left)
          .field("of", s.of)
          .field("lost", s.lost)
          .end_object();
    json.end_array();
    json.array("zones");
    for (const ZoneLeft& z : w.zones)
      json.begin_object(kLine)
          .field("zone", c_.zones[static_cast<std::size_t>(z.zone)].name)
          .field("units", z.units)
          .field("units_left", z.units_left)
          .field("heat_w", z.heat.value)
          .field("removed_w", z.removed_known ? std::optional<double>(z.removed.value) : std::nullopt)
          .field("inlet_rise_k", z.inlet_rise.value)
          .end_object();
    json.end_array();
    json.array("limits");
    for (const LimitExceeded& l : w.limits) {
      json.begin_object(kLine).field("rule", l.rule).field("kind", component_word(l.kind));
      list("objects",
           l.kind == ComponentKind::pdu ? pdus(l.racks, l.part) : std::vector<std::string>{object(l.kind, l.of)});
      json.field("load", l.load).field("limit", l.limit).field("dimension", dimension_name(l.dimension)).end_object();
    }
    json.end_array();
    if (!w.mains.empty()) {
      json.array("mains");
      for (const MainsLeft& m : w.mains)
        json.begin_object(kLine)
            .field("feed", c_.feeds[static_cast<std::size_t>(m.feed)].name)
            .field("generator",
                   m.generator < 0 ? std::string() : c_.generators[static_cast<std::size_t>(m.generator)].name)
            .field("state", m.state == MainsLeft::State::bridged    ? "bridged"
                            : m.state == MainsLeft::State::restarts ? "restarts"
                            : m.state == MainsLeft::State::lost     ? "lost"
                                                                    : "unjudged")
            .end_object();
      json.end_array();
    }
    json.object("feeds_va", kLine);
    for (std::size_t f = 0; f < w.feeds.size(); ++f) json.field(c_.feeds[f].name, w.feeds[f].value);
    json.end_object();
  }

 private:
  static std::string_view list_word(const std::vector<std::int64_t>& list, std::string_view one,
                                    std::string_view many) {
    return list.size() == 1 ? one : many;
  }

  const WhatIfEngine& e_;
  const Plan& p_;
  const Cluster& c_;
};

// The worst of the networks' bisections, and which.
std::string bisection_text(const Cluster& c, const WhatIf& w) {
  const NetworkLeft* worst = nullptr;
  for (const NetworkLeft& n : w.networks)
    if (n.bisection < 1 && (!worst || n.bisection < worst->bisection)) worst = &n;
  return worst ? format("{} {}", percent_text(worst->bisection),
                        c.networks[static_cast<std::size_t>(worst->network)].name)
               : "-";
}
std::string all_reduce_text(const WhatIf& w) {
  for (const NetworkLeft& n : w.networks)
    if (n.all_reduce && *n.all_reduce < 1) return percent_text(*n.all_reduce);
  return "-";
}

// Folded names, cut where a line would never end.
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > kMost) out += format(" and {} more", names.size() - kMost);
  return out;
}

}  // namespace

std::vector<WhatIfRow> single_failures(const WhatIfEngine& engine) {
  const Words words(engine);
  std::vector<WhatIfRow> rows;
  std::vector<std::vector<std::string>> members;
  std::map<std::string, std::size_t> known;
  for (const WhatIfEngine::Single& s : engine.singles()) {
    WhatIf w = engine.run({&s.component, 1});
    // Rows are one where everything but the names is the same.
    std::string key = std::to_string(static_cast<int>(s.component.kind));
    const auto add = [&](const auto&... numbers) { (..., (key += ' ', key += format("{}", numbers))); };
    add(w.dead_gpus, w.dead_nodes.size(), w.throttled_gpus, w.throttled_nodes.size(), w.unjudged_nodes.size(),
        w.cut_off_nodes, w.cut_off_gpus, w.dead_storage.size(), w.unjudged_switches.size());
    for (const std::string& effect : words.effects(w, false)) add(effect);
    for (const NetworkLeft& n : w.networks)
      add(n.network, n.switches_dead, n.links_dead, n.degraded, n.bisection, n.all_reduce.value_or(-1));
    const auto [at, fresh] = known.try_emplace(std::move(key), rows.size());
    if (fresh) {
      rows.push_back({.first = std::move(w), .kind = s.component.kind});
      members.emplace_back();
    }
    WhatIfRow& row = rows[at->second];
    row.count += s.times;
    members[at->second].push_back(engine.unit_range(s));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool plain = rows[i].kind == ComponentKind::ups || rows[i].kind == ComponentKind::cooling ||
                       rows[i].kind == ComponentKind::cdu;
    rows[i].names = plain ? members[i] : fold_objects(members[i]);  // those are ranges already
  }
  std::ranges::stable_sort(rows, [](const WhatIfRow& a, const WhatIfRow& b) { return worse(a.first, b.first); });
  return rows;
}

std::string render_what_if_each_text(const WhatIfEngine& engine, const std::vector<WhatIfRow>& rows) {
  const Cluster& c = *engine.plan().cluster;
  const Words words(engine);
  std::int64_t all = 0;
  for (const WhatIfRow& r : rows) all += r.count;
  std::string out = format("{}: single failures of {}, {}; worst first\n", *c.spec.name, one_or_many(all, "component"),
                           one_or_many(static_cast<std::int64_t>(rows.size()), "kind") + " of outcome");
  out += unknown_loads(power_gaps(engine.plan()));
  const std::vector<std::string> normal = words.effects(engine.normal(), true);
  if (!normal.empty()) {
    out += "\nWithout a failure\n";
    for (const std::string& e : normal) out += "  " + e + "\n";
  }
  Table table(
      {"fails", ">times", ">nodes lost", ">GPUs lost", ">throttled", ">all-reduce", ">bisection", "other effects"});
  std::map<ComponentKind, std::pair<std::int64_t, bool>> harmless;
  for (const WhatIfRow& r : rows) {
    const WhatIf& w = r.first;
    const auto number = [](std::int64_t n) { return n ? std::to_string(n) : std::string("-"); };
    const std::vector<std::string> effects = words.effects(w, r.count == 1);
    const bool slower = std::ranges::any_of(
        w.networks, [](const NetworkLeft& n) { return n.bisection < 1 || n.all_reduce.value_or(1) < 1; });
    if (w.nothing() || (effects.empty() && !slower)) {
      harmless[r.kind].first += r.count;
      continue;
    }
    table.row({names_text(r.names), std::to_string(r.count),
               number(static_cast<std::int64_t>(w.dead_nodes.size()) + w.cut_off_nodes),
               number(w.dead_gpus + w.cut_off_gpus), number(static_cast<std::int64_t>(w.throttled_nodes.size())),
               all_reduce_text(w), bisection_text(c, w), effects.empty() ? "-" : join(effects, "; ")});
  }
  if (!table.empty()) out += "\n" + table.text();
  if (!harmless.empty()) {
    out += "\nComponents whose failure loses nothing\n";
    Table list({"kind", ">of them"});
    for (const auto& [kind, n] : harmless) list.row({std::string(component_word(kind)), std::to_string(n.first)});
    out += list.text();
  }
  return out;
}

std::string render_what_if_each_json(const WhatIfEngine& engine, const std::vector<WhatIfRow>& rows,
                                     std::string_view spec_digest) {
  const Words words(engine);
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", "clusterc-what-if")
      .field("version", 1)
      .field("cluster", *engine.plan().cluster->spec.name)
      .field("spec_sha256", spec_digest)
      .field("power_complete", power_gaps(engine.plan()).power_known());
  json.object("normal");
  words.state_json(json, engine.normal());
  json.end_object();
  json.array("single_failures");
  for (const WhatIfRow& r : rows) {
    json.begin_object().field("kind", component_word(r.kind)).field("count", r.count).array("components", kLine);
    for (const std::string& n : r.names) json.value(n);
    json.end_array()
        .field("example", engine.name(r.first.failed.front()))
        .object("state");  // names and loads are those of the example
    words.state_json(json, r.first);
    json.end_object().end_object();
  }
  json.end_array().end_object();
  out += '\n';
  return out;
}

std::string render_what_if_text(const WhatIfEngine& engine, const WhatIf& w) {
  const Plan& plan = engine.plan();
  const Cluster& c = *plan.cluster;
  const Words words(engine);
  std::vector<std::string> failed;
  for (std::size_t i = 0; i < w.failed.size(); ++i) {
    if (std::find(w.failed.begin(), w.failed.begin() + static_cast<std::ptrdiff_t>(i), w.failed[i]) !=
        w.failed.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    const ComponentKind kind = w.failed[i].kind;
    const auto times = std::count(w.failed.begin(), w.failed.end(), w.failed[i]);
    const std::string_view unit = kind == ComponentKind::ups ? "module" : kind == ComponentKind::link ? "link" : "unit";
    const bool units = kind == ComponentKind::ups || kind == ComponentKind::cooling || kind == ComponentKind::cdu ||
                       (kind == ComponentKind::link && times > 1);
    failed.push_back(units ? format("{} of {}", one_or_many(times, unit), engine.name(w.failed[i]))
                           : engine.name(w.failed[i]));
  }
  std::string out =
      format("{}: what if {} fail{}\n", *c.spec.name, join(failed, " and "), w.failed.size() == 1 ? "s" : "");
  const PowerGaps gaps = power_gaps(plan);
  out += unknown_loads(gaps);
  out += "\nSteps\n";
  int step = 1;
  for (const std::string& f : failed) out += format("  {}. fails: {}\n", step, f);
  if (!w.mains.empty()) ++step;
  for (const MainsLeft& m : w.mains) out += format("  {}. {}\n", step, words.mains(m));
  int round = 0;
  for (const TripEvent& t : w.trips) {
    if (t.round != round) ++step;
    round = t.round;
    out += format("  {}. {}\n", step, words.trip(t));
  }
  WhatIf rest = w;
  rest.trips.clear();
  rest.mains.clear();
  const std::vector<std::string> effects = words.effects(rest, true);
  for (const std::string& e : effects) out += format("  {}. {}\n", step + 1, e);
  if (effects.empty() && w.trips.empty() && w.mains.empty())
    out += w.dead_nodes.empty() && w.cut_off_nodes == 0 ? "  2. nothing is lost\n" : "  2. nothing else is lost\n";
  out += format("\nLost: {} ({}); throttled: {} ({})\n",
                one_or_many(static_cast<std::int64_t>(w.dead_nodes.size()) + w.cut_off_nodes, "node"),
                one_or_many(w.dead_gpus + w.cut_off_gpus, "GPU"),
                one_or_many(static_cast<std::int64_t>(w.throttled_nodes.size()), "node"),
                one_or_many(w.throttled_gpus, "GPU"));
  if (!c.feeds.empty()) {
    Table table({"feed", ">normal", ">now", ">may carry"});
    for (std::size_t f = 0; f < c.feeds.size(); ++f) {
      const std::string more = gaps.feeds[f] ? " +?" : "";
      const bool dead = std::ranges::any_of(w.failed,
                                            [&](const Component& one) {
                                              return one.kind == ComponentKind::feed && one.of == static_cast<int>(f);
                                            }) ||
                        std::ranges::any_of(w.mains, [&](const MainsLeft& m) {
                          return m.feed == static_cast<int>(f) &&
                                 (m.state == MainsLeft::State::lost || m.state == MainsLeft::State::restarts);
                        });
      table.row({c.feeds[f].name, to_text(engine.normal().feeds[f]) + more,
                 to_text(w.feeds[f]) + (dead ? std::string() : more),
                 c.feeds[f].capacity ? to_text(*c.feeds[f].capacity) : "not stated"});
    }
    out += "\nPower\n" + table.text();
    if (!gaps.others.empty()) out += format("  +?: plus the unknown power of {}\n", names_text(gaps.others));
  }
  if (!w.zones.empty()) {
    Table table({"zone", ">units left", ">heat", ">removes", ">inlets warmer by"});
    for (const ZoneLeft& z : w.zones)
      table.row({c.zones[static_cast<std::size_t>(z.zone)].name, format("{} of {}", z.units_left, z.units),
                 to_text(z.heat) + (gaps.zones[static_cast<std::size_t>(z.zone)] ? " +?" : ""),
                 z.removed_known ? to_text(z.removed) : "not stated",
                 z.inlet_rise.value > 0 ? format("{:.3g} K", z.inlet_rise.value) : "-"});
    out += "\nCooling\n" + table.text();
  }
  if (!w.networks.empty()) {
    Table table({"network", ">switches out", ">links out", ">cut off", ">fewer ports", ">bisection", ">of normal",
                 ">all-reduce"});
    for (const NetworkLeft& n : w.networks)
      table.row({c.networks[static_cast<std::size_t>(n.network)].name, std::to_string(n.switches_dead),
                 std::to_string(n.links_dead),
                 std::to_string(static_cast<std::int64_t>(n.cut_off_nodes.size()) + n.cut_off_storage),
                 std::to_string(n.degraded),
                 c.networks[static_cast<std::size_t>(n.network)].everything ? "-" : to_text(n.bisection_rate),
                 c.networks[static_cast<std::size_t>(n.network)].everything ? "-" : percent_text(n.bisection),
                 n.all_reduce ? percent_text(*n.all_reduce) : "-"});
    out += "\nNetworks\n" + table.text();
  }
  return out;
}

std::string render_what_if_json(const WhatIfEngine& engine, const WhatIf& w, std::string_view spec_digest) {
  const Words words(engine);
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", "clusterc-what-if")
      .field("version", 1)
      .field("cluster", *engine.plan().cluster->spec.name)
      .field("spec_sha256", spec_digest)
      .field("power_complete", power_gaps(engine.plan()).power_known());
  json.object("normal");
  words.state_json(json, engine.normal());
  json.end_object().array("failed", JsonWriter::Layout::line);
  for (const Component& f : w.failed) json.value(engine.name(f));
  json.end_array().object("state");
  words.state_json(json, w);
  json.end_object().end_object();
  out += '\n';
  return out;
}

}  // namespace clusterc
