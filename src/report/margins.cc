#include "report/margins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "model/rounding.h"
#include "plan/plan.h"
#include "plan/power/cords.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power.h"
#include "plan/power/rack_limits.h"
#include "report/table.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {
namespace {

class Margins {
 public:
  Margins(const Cluster& cluster, const Plan& plan) : c_(cluster), p_(plan) {}

  std::vector<Margin> all() {
    if (c_.own_site) {
      margins_of_pdus();
      margins_of_racks();
    }
    margins_of_site();
    std::stable_sort(all_.begin(), all_.end(), [](const Margin& a, const Margin& b) { return a.share() > b.share(); });
    return std::move(all_);
  }

 private:
  std::string lost(int feed) const {
    return feed < 0 ? std::string() : format(" if feed '{}' fails", c_.feeds[at(feed)].name);
  }
  void add(Margin m) {
    if (m.limit > 0 && std::isfinite(m.limit) && std::isfinite(m.load)) all_.push_back(std::move(m));
  }

  void margins_of_pdus() {
    const std::vector<PduCurrents>& currents = p_.pdu_currents();
    for (std::size_t i = 0; i < p_.pdus.size(); ++i) {
      const PduLoad& load = p_.pdus[i];
      const PduModel& m = c_.racks[at(c_.rack_group_of(load.rack))].pdus[at(load.pdu)];
      if (!m.part) continue;
      const std::string name = format("pdu/{}/{}", c_.rack_name(load.rack), static_cast<char>('a' + load.pdu));
      add({name, "load" + lost(load.worst_lost_feed), load.worst.value, pdu_breaker(c_, *m.part).continuous,
           Dimension::apparent, ""});
      const auto rating = line_rating(c_, *m.part);
      if (!rating || i >= currents.size()) continue;
      const PduCurrents& now = currents[i];
      const std::array<double, 3>& lines = now.worst_lost_feed < 0 ? now.lines : now.worst_lines;
      const auto fullest = std::max_element(lines.begin(), lines.end());
      add({name, format("line {}{}", fullest - lines.begin() + 1, lost(now.worst_lost_feed)), *fullest, *rating,
           Dimension::current, ""});
    }
  }

  void margins_of_site() {
    for (std::size_t i = 0; i < c_.feeds.size() && i < p_.feeds.size(); ++i)
      add({"feed/" + c_.feeds[i].name, "load" + lost(p_.feeds[i].worst_lost_feed),
           at_breaker(c_.feeds[i], p_.feeds[i].worst).value, feed_breaker(c_, c_.feeds[i]).continuous,
           Dimension::apparent, ""});
    const std::vector<FeedLoad> panels = panel_loads(p_);
    for (std::size_t i = 0; i < c_.panels.size() && i < panels.size(); ++i)
      add({"panel/" + c_.panels[i].name, "load" + lost(panels[i].worst_lost_feed), panels[i].worst.value,
           panel_breaker(c_, c_.panels[i]).continuous, Dimension::apparent, ""});
    for (std::size_t i = 0; i < c_.zones.size() && i < p_.zones.size(); ++i) {
      if (c_.zones[i].heat)
        add({"zone/" + c_.zones[i].name, "heat", p_.zones[i].heat.value, c_.zones[i].heat->value, Dimension::power,
             ""});
      if (!c_.zones[i].spec) continue;
      if (const CoolingUnits units = cooling_units(c_.zones[i]); units.airflow > 0)
        add({"zone/" + c_.zones[i].name, "air flow", p_.zones[i].airflow.value,
             units.airflow * static_cast<double>(units.units), Dimension::air_flow, ""});
    }
    for (const AddressPlan& a : p_.addresses)
      add({"network/" + c_.networks[at(a.network)].name, "addresses of " + a.subnet.text(),
           static_cast<double>(a.needed), static_cast<double>(a.usable), Dimension::power, "addresses"});
  }

  void margins_of_racks() {
    for (const RackGroupModel& g : c_.racks) {
      const RackLimits limits = rack_limits(c_, g);
      for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
        const RackPlan& rack = p_.racks[at(r)];
        const std::string name = "rack/" + c_.rack_name(r);
        if (g.part && g.part->static_load)
          add({name, "weight", rack.load.value, g.part->static_load->value, Dimension::mass, ""});
        if (budget_decides(c_, g))
          add({name, "power budget", rack.power.value, limits.normal.value, Dimension::power, ""});
        std::int64_t units = 0;
        for (const RackedDevice& d : rack.devices) units += d.units;
        if (g.part && g.part->units && units > 0)
          add({name, "rack units", static_cast<double>(units), static_cast<double>(*g.part->units), Dimension::power,
               "U"});
      }
    }
  }

  const Cluster& c_;
  const Plan& p_;
  std::vector<Margin> all_;
};

// Limits of one kind: "pdu" of "pdu/r07/b", and what is limited without names of feeds, lines and subnets.
std::string kind_of(const Margin& m) {
  return m.object.substr(0, m.object.find('/') + 1) + m.what.substr(0, m.what.find_first_of("0123456789'"));
}

}  // namespace

std::string Margin::text(double value) const {
  return unit.empty() ? to_text(value, dimension) : format("{:.0f} {}", value, unit);
}

std::vector<Margin> margins_of(const Cluster& cluster, const Plan& plan) { return Margins(cluster, plan).all(); }

std::string render_margins_text(const Cluster& cluster, const Plan& plan) {
  struct Kind {
    const Margin* tightest;
    std::size_t limits = 0;
  };
  const std::vector<Margin> all = margins_of(cluster, plan);
  std::vector<Kind> kinds;
  std::map<std::string, std::size_t> known;
  for (const Margin& m : all) {
    const auto [at, fresh] = known.try_emplace(kind_of(m), kinds.size());
    if (fresh) kinds.push_back({&m});
    ++kinds[at->second].limits;
  }
  if (kinds.empty()) return {};
  Table table({"object", ">tightest of", "limit", ">uses", ">of", ">share"});
  bool over = false;
  for (const Kind& kind : kinds) {
    const Margin& m = *kind.tightest;
    const bool too_much = above(m.load, m.limit);
    over = over || too_much;
    table.row({m.object, std::to_string(kind.limits), m.what, (too_much ? "! " : "") + m.load_text(), m.limit_text(),
               format("{:.0f} %", m.share() * 100)});
  }
  return table.text() + (over ? "  ! above the limit\n" : "");
}

}  // namespace clusterc
