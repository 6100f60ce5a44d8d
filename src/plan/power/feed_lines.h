// On which line of a three-phase feed, or between which two of its lines, each single-phase PDU hangs, and what the
// fullest line then carries. PDUs are dealt to the lines in turn: rack by rack in the order of the plan, in a rack by
// letter; each panel, and each feed that PDUs hang on without one, has a turn of its own, a panel beginning one line
// further than the panel before it on its feed. PDUs of three phases, power shelves and what else hangs on a feed take
// as much from each line. Example: four racks with one such PDU on the feed: L1, L2, L3, L1. At 5 kVA each L1 carries
// 10 kVA, as much as 30 kVA of balanced load would.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/power/power_chain.h"

namespace clusterc {

std::string_view line_name(bool between, int way);  // "L1"; "L1-L2", "L2-L3", "L3-L1" where loads lie between lines

// VA of single-phase PDUs, by line and by pair of lines.
struct OnLines {
  std::array<double, 3> line{}, pair{};
  // The balanced load that would fill every line as much as the fullest is, when `all` VA hang on the same breaker.
  double fullest(double all) const;
  OnLines operator+(const OnLines& o) const;
};

class FeedLines {
 public:
  explicit FeedLines(const Cluster&);
  bool any() const { return any_; }
  // 0 to 2; -1: it takes as much from each line.
  int way(std::int64_t group, std::int64_t rack, std::size_t pdu) const;
  bool between(std::int64_t group, std::size_t pdu) const {
    return groups_[static_cast<std::size_t>(group)][pdu].between;
  }

  using Counts = std::vector<std::array<double, 3>>;  // by position: racks with that PDU on each line
  Counts racks_on_lines(const PowerClass&) const;
  void add(const PowerClass&, std::size_t position, const std::array<double, 3>& racks, double va_each, OnLines&) const;

 private:
  struct Place {
    bool single = false, between = false;
    std::int64_t first = 0, step = 0;
  };  // turn of the group's first rack, and from one rack to the next
  std::vector<std::vector<Place>> groups_;
  std::vector<std::int64_t> first_rack_;
  bool any_ = false;
};

// By place in Cluster::feeds and Cluster::panels: the balanced load that would fill every line as much as the fullest
// is, with all feeds and after the loss of the one that is worst for it. Behind a UPS, which draws evenly, a feed
// carries what it carries.
struct LineLoad {
  VoltAmperes normal{0}, worst{0};
  int worst_lost_feed = -1;
};
std::vector<LineLoad> feed_line_loads(const Plan&);
std::vector<LineLoad> panel_line_loads(const Plan&);

}  // namespace clusterc
