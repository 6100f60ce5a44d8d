#include "plan/power/feed_lines.h"

#include <algorithm>
#include <cmath>

#include "model/rounding.h"
#include "spec/site.h"

namespace clusterc {

std::string_view line_name(bool between, int way) {
  static constexpr std::string_view kPairs[] = {"L1-L2", "L2-L3", "L3-L1"}, kSingle[] = {"L1", "L2", "L3"};
  return between ? kPairs[way] : kSingle[way];
}

// Currents as phasors, in the direction of the line's own voltage x and across it y. Times sqrt(3) x V they are VA of a
// balanced load: what is spread evenly counts as it is, a load from line to neutral three times, one between lines (30
// degrees off) sqrt(3) x cos 30 = 1.5 times along and sqrt(3) x sin 30 across.
double OnLines::fullest(double all) const {
  double even = all, most = all;
  for (std::size_t l = 0; l < 3; ++l) even -= line[l] + pair[l];
  for (std::size_t l = 0; l < 3; ++l) {
    const double next = pair[l], before = pair[(l + 2) % 3];  // L1: L1-L2 and L3-L1
    most = std::max(
        most, std::hypot(std::max(0.0, even) + 3 * line[l] + 1.5 * (next + before), kSqrt3 / 2 * (next - before)));
  }
  return most;
}

OnLines OnLines::operator+(const OnLines& o) const {
  OnLines sum = *this;
  for (std::size_t l = 0; l < 3; ++l) {
    sum.line[l] += o.line[l];
    sum.pair[l] += o.pair[l];
  }
  return sum;
}

FeedLines::FeedLines(const Cluster& c) {
  const std::optional<Supply>* supply = c.spec.site ? &c.spec.site->supply : nullptr;
  const bool three = supply && *supply && (*supply)->phases.value_or(1) >= 3 && (*supply)->voltage;
  constexpr double kBetween =
      0.8;  // of the voltage between lines: above it a PDU hangs between two; line to neutral is 0.58 of it
  std::vector<std::int64_t> on_panel(c.panels.size(), 0), on_feed(c.feeds.size(), 0), turn_panel(c.panels.size(), 0);
  for (std::size_t p = 0; p < c.panels.size(); ++p)
    if (c.panels[p].feed >= 0) turn_panel[p] = on_feed[static_cast<std::size_t>(c.panels[p].feed)]++;
  for (const RackGroupModel& g : c.racks) {
    std::vector<Place>& places = groups_.emplace_back(g.pdus.size() + g.shelves.size());
    first_rack_.push_back(g.first);
    const auto turn = [&](const PduModel& m) -> std::int64_t& {
      return m.panel >= 0 ? turn_panel[static_cast<std::size_t>(m.panel)] : on_feed[static_cast<std::size_t>(m.feed)];
    };
    const auto same = [](const PduModel& a, const PduModel& b) {
      return a.panel == b.panel && (a.panel >= 0 || a.feed == b.feed);
    };
    for (std::size_t p = 0; p < g.pdus.size(); ++p) {
      const PduModel& m = g.pdus[p];
      if (!three || m.feed < 0 || !m.part || !m.part->phases || *m.part->phases >= 3 || !m.part->voltage) continue;
      any_ = places[p].single = true;
      places[p].between = *m.part->voltage > *(*supply)->voltage * kBetween;
      places[p].first = turn(m);
      for (std::size_t q = 0; q < p; ++q) places[p].first += places[q].single && same(g.pdus[q], m);
    }
    for (std::size_t p = 0; p < g.pdus.size(); ++p)
      for (std::size_t q = 0; q < g.pdus.size(); ++q)
        places[p].step += places[p].single && places[q].single && same(g.pdus[q], g.pdus[p]);
    for (std::size_t p = 0; p < g.pdus.size(); ++p)
      if (places[p].single) turn(g.pdus[p]) += g.count;
  }
}

int FeedLines::way(std::int64_t group, std::int64_t rack, std::size_t pdu) const {
  const Place& at = groups_[static_cast<std::size_t>(group)][pdu];
  return at.single ? static_cast<int>((at.first + (rack - first_rack_[static_cast<std::size_t>(group)]) * at.step) % 3)
                   : -1;
}

FeedLines::Counts FeedLines::racks_on_lines(const PowerClass& k) const {
  Counts out(k.rack.positions.size());
  if (!any_ || k.assembly) return out;
  for (std::size_t p = 0; p < out.size(); ++p)
    for (const std::int32_t rack : k.racks)
      if (const int w = way(k.group, rack, p); w >= 0) ++out[p][static_cast<std::size_t>(w)];
  return out;
}

void FeedLines::add(const PowerClass& k, std::size_t position, const std::array<double, 3>& racks, double va_each,
                    OnLines& out) const {
  if (!any_ || k.assembly) return;
  std::array<double, 3>& to = between(k.group, position) ? out.pair : out.line;
  for (std::size_t w = 0; w < 3; ++w) to[w] += racks[w] * va_each;
}

}  // namespace clusterc
