// Feeds, panels, cooling zones, racks and assemblies.
#include "model/power.h"
#include "model/resolution.h"
#include "model/rounding.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// A pattern that does not parse was reported by the reader; its group is empty here.
HostPattern pattern_of(const Value<std::string>& names) {
  HostPattern::Error error;
  if (names)
    if (auto pattern = HostPattern::parse(*names, error)) return *pattern;
  return {};
}

Value<VoltAmperes> feed_capacity(Resolution& r, const Named<Feed>& feed, const Site& site) {
  const Feed& f = feed.value;
  if (f.continuous && !f.breaker)
    r.missing(f.continuous.span,
              format("`continuous` of feed '{}' is a share of its breaker, but the feed has no `breaker`", feed.name),
              "write `breaker: 250 A`, or leave `continuous` out: `capacity` already states the continuous load");
  if (f.capacity || f.capacity.unknown) return f.capacity;
  if (!f.breaker) {
    if (!was_written(f.breaker) && !was_written(f.capacity))
      r.missing(feed.name_span, format("feed '{}' has neither capacity nor breaker", feed.name),
                "write `capacity: 500 kVA`, or `breaker: 250 A`");
    return {};
  }
  if (!site.supply || !site.supply->voltage || !site.supply->phases || r.cluster.continuous_factor == 0)
    return {};  // the reader asked for them
  const double share = continuous_share(r.cluster, f.continuous);
  const std::int64_t phases = *site.supply->phases;
  const Volts v = *site.supply->voltage;
  return Value<VoltAmperes>::derived(continuous_rating(phases, v, *f.breaker, share),
                                     format("{}{} x {} x {:.2f} (continuous load)", phases >= 3 ? "sqrt(3) x " : "",
                                            to_text(v), to_text(*f.breaker), share),
                                     f.breaker.span);
}

// `units - spare` of something: what still runs when the spares have failed.
template <class Q>
Value<Q> of_running(const Value<Q>& each, std::int64_t units, std::int64_t spare, SourceSpan at) {
  Value<Q> total;
  if (!each) {
    total.unknown = each.unknown;
    total.source = each.source;
    total.span = each.span;
    return total;
  }
  const std::int64_t running = std::max<std::int64_t>(0, units - spare);
  total = Value<Q>::derived(*each * static_cast<double>(running),
                            spare > 0 ? format("({} - {} spare) x {}", units, spare, to_text(*each))
                                      : format("{} x {}", units, to_text(*each)),
                            at);
  total.confirmed = each.confirmed;
  return total;
}

void resolve_zone(Resolution& r, Named<CoolingZone>& entry, std::int64_t racks_in_zone) {
  CoolingZone& z = entry.value;
  ZoneModel m{entry.name, entry.name_span, &z, r.part(z.model, PartKind::cooling, &Catalog::cooling), nullptr, {}, {}};
  for (const auto& feed : z.feeds) r.find(feed, r.cluster.feeds, "feed");
  if (z.method.value == CoolingMethod::liquid && z.cdus) {
    m.cdu = r.part(z.cdus->model, PartKind::cooling, &Catalog::cooling);
    for (const auto& feed : z.cdus->feeds) r.find(feed, r.cluster.feeds, "feed");
    if (m.cdu) m.heat = of_running(m.cdu->heat, z.cdus->count.value_or(1), z.cdus->spare.value_or(0), z.cdus->span);
  } else {
    if (z.method.value == CoolingMethod::rear_door && z.units.origin != Origin::spec)
      z.units = Value<std::int64_t>::derived(racks_in_zone, "one door for each rack of the zone", entry.name_span);
    const std::int64_t units = z.units.value_or(1), spare = z.spare.value_or(0);
    Value<Watts> heat = m.part ? m.part->heat : Value<Watts>{};
    Value<AirFlow> air = m.part ? m.part->airflow : Value<AirFlow>{};
    if (z.each) {
      heat = z.each->heat.or_else(heat);
      air = z.each->airflow.or_else(air);
    }
    if (!was_written(z.model) && !z.each)
      r.missing(entry.name_span, format("cooling zone '{}' has neither model nor figures of one unit", entry.name),
                "write `model: …`, or `each: { heat: 60 kW, airflow: 8000 CFM }`");
    m.heat = of_running(heat, units, spare, entry.name_span);
    m.airflow = (z.airflow || z.airflow.unknown) ? z.airflow : of_running(air, units, spare, entry.name_span);
  }
  r.cluster.zones.push_back(std::move(m));
}

// Zones take air or coolant, not both.
int find_zone(Resolution& r, const Value<std::string>& name, bool liquid) {
  const int z = r.find(name, r.cluster.zones, "cooling zone");
  if (z < 0) return -1;
  const bool is_liquid = r.cluster.zones[z].spec->method.value == CoolingMethod::liquid;
  if (is_liquid == liquid) return z;
  if (Finding* f =
          r.error("spec-zone-kind", name.span,
                  format("'{}' is {}, {} is asked for here", *name, is_liquid ? "a liquid loop" : "a zone of air",
                         liquid ? "a liquid loop" : "a zone of air")))
    f->note(r.cluster.zones[z].span, "declared here");
  return -1;
}

// An unknown feed of a PDU, where one feed alone is on no other PDU of these racks: it is the one that is meant.
void offer_free_feed(Resolution& r, const RackGroup& g, const RackPdu& pdu) {
  if (!pdu.feed || r.index_of(*pdu.feed, r.cluster.feeds) >= 0) return;
  std::vector<std::string_view> known, unused;
  for (const FeedModel& feed : r.cluster.feeds) {
    known.push_back(feed.name);
    if (std::ranges::none_of(g.pdus, [&](const RackPdu& other) { return other.feed && *other.feed == feed.name; }))
      unused.push_back(feed.name);
  }
  if (unused.size() != 1 || !nearest_names(*pdu.feed, known).empty()) return;
  if (Finding* f = r.error("spec-unknown-name", pdu.feed.span, format("no feed is named '{}'", *pdu.feed))) {
    list_known(*f, *pdu.feed, known);
    f->help(format("write `feed: {}`: no other PDU of these racks is on it", unused.front()));
  }
}

// A feed, or a panel with the feed behind it.
void resolve_source(Resolution& r, const Value<std::string>& name, int& feed, int& panel) {
  panel = name ? r.index_of(*name, r.cluster.panels) : -1;
  feed = panel >= 0 ? r.cluster.panels[panel].feed : r.find(name, r.cluster.feeds, "feed or panel");
}

void resolve_transfer(Resolution& r, TransferModel& t) {
  // Nobody's supplies bridge more: ITI (CBEMA) application note of 2000, "dropout: … for up to 20 ms".
  constexpr Seconds kHoldUp{0.02};
  const TransferSwitch& s = *t.spec;
  if (s.sources.size() != 2)
    r.missing(t.span,
              format("transfer switch '{}' has {} source{}, but must have two", t.name, s.sources.size(),
                     s.sources.size() == 1 ? "" : "s"),
              "write `sources: [A, B]`, the preferred one first");
  for (std::size_t i = 0; i < 2 && i < s.sources.size(); ++i) resolve_source(r, s.sources[i], t.feeds[i], t.panels[i]);
  const bool quick = s.time ? !above(s.time->value, kHoldUp.value) : s.kind.value == TransferKind::static_switch;
  t.bridges = quick && !s.time.unknown;
}

// What a PDU, or a panel, has from the transfer switch that it names.
void feed_by(const TransferModel& t, int& feed, int& panel, int& other_feed, int& other_panel) {
  feed = t.feeds[0];
  panel = t.panels[0];
  if (!t.bridges) return;
  other_feed = t.feeds[1];
  other_panel = t.panels[1];
}

// What stands behind a transfer switch names no feed or panel beside it.
void beside_transfer(Resolution& r, const Value<std::string>& transfer, const Value<std::string>& other,
                     const std::string& what) {
  if (!was_written(transfer) || !was_written(other)) return;
  if (Finding* f = r.error("spec-feed-contradicts-panel", other.span,
                           format("{} is supplied by transfer switch '{}', but also by '{}'", what,
                                  transfer.value_or(""), other.value_or(""))))
    f->help(format("leave '{}' out: the feed follows from the transfer switch", other.value_or("")));
}

void resolve_panel(Resolution& r, const Named<Panel>& p) {
  PanelModel m{p.name, p.name_span, &p.value, r.find(p.value.feed, r.cluster.feeds, "feed")};
  m.transfer = r.find(p.value.transfer, r.cluster.transfers, "transfer switch");
  if (!was_written(p.value.feed) && !was_written(p.value.transfer))
    r.missing(p.name_span, format("panel '{}' has no feed", p.name), "write `feed: …`, or `transfer: …`");
  beside_transfer(r, p.value.transfer, p.value.feed, format("panel '{}'", p.name));
  r.cluster.panels.push_back(std::move(m));
}

// Behind a transfer switch, once its sources are known: a panel is one source of it, or stands behind it, not both.
void feed_panel(Resolution& r, PanelModel& p) {
  if (p.transfer < 0) return;
  const TransferModel& t = r.cluster.transfers[p.transfer];
  for (std::size_t i = 0; i < 2 && i < t.spec->sources.size(); ++i)
    if (t.panels[i] >= 0)
      if (Finding* f = r.error("spec-feed-contradicts-panel", p.spec->transfer.span,
                               format("panel '{}' is behind transfer switch '{}', whose source '{}' is a panel", p.name,
                                      t.name, *t.spec->sources[i])))
        f->note(t.spec->sources[i].span, "this source")
            .help("write feeds, not panels, as the sources of a transfer switch that supplies panels");
  int panel = -1, other_panel = -1;
  feed_by(t, p.feed, panel, p.other_feed, other_panel);
}

// The shelves of a busbar by feed.
void resolve_busbar(Resolution& r, const RackGroup& g, RackGroupModel& m) {
  if (!g.busbar) return;
  for (const auto& on : g.busbar->feeds)
    if (const int feed = r.find(on.name, on.name_span, r.cluster.feeds, "feed"); feed >= 0)
      m.shelves.emplace_back(feed, on.value.shelves.value_or(0));
  if (g.busbar->feeds.empty())
    r.missing(g.busbar->span, format("the busbar of rack group '{}' has no power shelves", m.name),
              "write `feeds: { A: 1 shelf, B: 1 shelf }`");
}

void resolve_rack_group(Resolution& r, const Named<RackGroup>& entry) {
  const RackGroup& g = entry.value;
  RackGroupModel m;
  m.name = entry.name;
  m.span = entry.name_span;
  m.spec = &g;
  m.names = pattern_of(g.names);
  m.first = r.cluster.rack_count;
  m.count = m.names.count();
  m.part = r.part(g.model, PartKind::rack, &Catalog::rack);
  m.model = g.model.value_or("");
  m.cooling = find_zone(r, g.cooling, false);
  m.liquid = find_zone(r, g.liquid, true);
  for (const RackPdu& pdu : g.pdus) {
    offer_free_feed(r, g, pdu);
    PduModel p{r.part(pdu.model, PartKind::pdu, &Catalog::pdu), pdu.model.value_or(""), pdu.span,
               r.find(pdu.feed, r.cluster.feeds, "feed"), r.find(pdu.panel, r.cluster.panels, "panel")};
    if (!was_written(pdu.feed) && !was_written(pdu.panel) && !was_written(pdu.transfer))
      r.missing(pdu.model.span.valid() ? pdu.model.span : pdu.span,
                format("a PDU of rack group '{}' has no feed", entry.name), "write `feed: …`, or `panel: …`");
    p.transfer = r.find(pdu.transfer, r.cluster.transfers, "transfer switch");
    beside_transfer(r, pdu.transfer, was_written(pdu.panel) ? pdu.panel : pdu.feed,
                    format("a PDU of rack group '{}'", entry.name));
    if (p.transfer >= 0) {
      feed_by(r.cluster.transfers[p.transfer], p.feed, p.panel, p.other_feed, p.other_panel);
    } else if (p.panel >= 0) {
      p.other_feed = r.cluster.panels[p.panel].other_feed;
      if (p.other_feed >= 0) p.other_panel = p.panel;
      const int behind = r.cluster.panels[p.panel].feed;
      if (p.feed >= 0 && behind >= 0 && p.feed != behind) {
        if (Finding* f = r.error("spec-feed-contradicts-panel", pdu.feed.span,
                                 format("panel '{}' is supplied by feed '{}', not '{}'", *pdu.panel,
                                        r.cluster.feeds[behind].name, *pdu.feed)))
          f->note(r.cluster.panels[p.panel].span, "declared here").help("leave `feed` out: it follows from the panel");
      }
      p.feed = behind;
    }
    m.pdus.push_back(std::move(p));
  }
  resolve_busbar(r, g, m);
  const auto unknown_rack = [&](std::string_view name, SourceSpan at) {
    r.error("spec-unknown-name", at, format("rack group '{}' has no rack '{}' ({})", entry.name, name, m.names.text()));
  };
  for (const Occupied& o : g.occupied)
    for (const auto& racks : o.racks) {
      const HostPattern some = pattern_of(racks);
      for (std::int64_t i = 0; m.count > 0 && i < some.count(); ++i)
        if (m.names.index_of(some.name(i)) < 0) {
          unknown_rack(some.name(i), racks.span);  // the first of them shows what is wrong
          break;
        }
    }
  for (const auto& place : g.floor)
    if (m.count > 0 && m.names.index_of(place.name) < 0) unknown_rack(place.name, place.name_span);
  r.cluster.rack_count += m.count;
  r.cluster.racks.push_back(std::move(m));
}

void resolve_assembly_group(Resolution& r, const Named<AssemblyGroup>& entry) {
  const AssemblyGroup& g = entry.value;
  AssemblyGroupModel m;
  m.name = entry.name;
  m.span = entry.name_span;
  m.spec = &g;
  m.names = pattern_of(g.names);
  m.first = r.cluster.rack_count;
  m.count = m.names.count();
  m.part = r.part(g.model, PartKind::assembly, &Catalog::assembly);
  m.model = g.model.value_or("");
  std::int64_t shelves = 0;
  for (const auto& on : g.feeds) {
    const int feed = r.find(on.name, on.name_span, r.cluster.feeds, "feed");
    const std::int64_t n = on.value.shelves.value_or(0);
    shelves += n;
    if (feed >= 0) m.shelves.emplace_back(feed, n);
  }
  if (m.part && m.part->power_shelves && !g.feeds.empty() && shelves != *m.part->power_shelves) {
    if (Finding* f =
            r.error("spec-count-mismatch", g.feeds.entries.front().name_span,
                    format("{} power shelves are on feeds, '{}' has {}", shelves, m.model, *m.part->power_shelves)))
      f->note(m.part->power_shelves.span, "the catalogue says");
  }
  if (g.cooling) {
    m.liquid = find_zone(r, g.cooling->liquid, true);
    m.air = find_zone(r, g.cooling->air, false);
  }
  r.cluster.rack_count += m.count;
  r.cluster.assemblies.push_back(std::move(m));
}

// A zone whose own feeds it is given by name needs the racks that stand in it before the racks are resolved: counted
// straight from the spec.
std::int64_t racks_in_zone(const Spec& spec, std::string_view zone) {
  std::int64_t n = 0;
  for (const auto& g : spec.racks)
    if (g.value.cooling.value == zone) n += pattern_of(g.value.names).count();
  for (const auto& a : spec.assemblies)
    if (a.value.cooling && a.value.cooling->air.value == zone) n += pattern_of(a.value.names).count();
  return n;
}

}  // namespace

void resolve_site(Resolution& r) {
  Cluster& c = r.cluster;
  if (c.spec.site) {
    Site& site = *c.spec.site;
    c.own_site = site.kind.value_or(SiteKind::own) == SiteKind::own;
    // Continuous load: at most 80 % of the overcurrent device. NFPA 70, 210.20(A) and 215.3, quoted in Schneider
    // Electric, "Conductor ampacity tables": rating not less than the other load plus 125 % of the continuous one,
    // unless listed for 100 %. IEC 60364-4-43, 433.1, asks for design current <= rated current <= capacity of the
    // conductor (as manuals of the trade quote it; the standard itself was not read), and has no such factor.
    if (site.region) c.continuous_factor = *site.region == Region::na ? 0.80 : 1.00;
    for (const auto& g : site.generators) c.generators.push_back({g.name, g.name_span, &g.value});
    for (auto& f : site.feeds) {
      FeedModel m{f.name, f.name_span, &f.value, nullptr, feed_capacity(r, f, site)};
      if (!was_written(f.value.capacity)) f.value.capacity = m.capacity;
      if (f.value.ups) m.ups = r.part(f.value.ups->model, PartKind::ups, &Catalog::ups);
      if (!site.generators.empty()) m.generator = r.find(f.value.generator, c.generators, "generator");
      c.feeds.push_back(std::move(m));
    }
    for (const auto& t : site.transfer_switches) c.transfers.push_back({t.name, t.name_span, &t.value});
    for (const auto& p : site.panels) resolve_panel(r, p);
    for (TransferModel& t : c.transfers) resolve_transfer(r, t);
    for (PanelModel& p : c.panels) feed_panel(r, p);
    for (auto& z : site.cooling) resolve_zone(r, z, racks_in_zone(c.spec, z.name));
  }
  for (const auto& g : c.spec.racks) resolve_rack_group(r, g);
  for (const auto& g : c.spec.assemblies) resolve_assembly_group(r, g);
}

}  // namespace clusterc
