// The power chain, cooling and wiring scheme in plan.json: all that a reader needs to recompute what a failure does
// (tests/what_if_brute_force.py).
#pragma once
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "plan/power/feed_lines.h"

namespace clusterc {

class PowerJson {
 public:
  explicit PowerJson(const Plan&);
  void site(JsonWriter&) const;                                           // "site": power factor, altitude
  void loads(JsonWriter&) const;                                          // "loads": what draws power, each kind once
  void device(JsonWriter&, std::int64_t rack, std::size_t device) const;  // fields of one device: load, cords
  void rack(JsonWriter&, std::int64_t rack)
      const;  // fields of one rack: group, zones, what already stands there, shelves, cords to come
  void pdu(JsonWriter&, const PduLoad&) const;     // fields: panel, line of the feed, continuous_va, breaker_va
  void feed(JsonWriter&, std::size_t feed) const;  // fields: continuous, breaker, in use, UPS
  void generators(JsonWriter&) const;
  void transfers(JsonWriter&) const;
  void panels(JsonWriter&) const;                             // "panels"
  void zone(JsonWriter&, std::size_t zone) const;             // fields: units, figures of one, feeds
  void node_group(JsonWriter&, const NodeGroupModel&) const;  // fields: roles, ha, highest inlet temperature
  void storage(JsonWriter&) const;                            // "storage"
  void fabric(JsonWriter&, const Fabric&) const;              // fields: pods, links, blocks of members

 private:
  std::size_t load_of(const SupplyLoad&) const;
  const PowerRack& rack_of(std::int64_t rack) const {
    return classes_[static_cast<std::size_t>(class_of_[static_cast<std::size_t>(rack)])].rack;
  }

  const Plan& plan_;
  const Cluster& c_;
  const std::vector<PowerClass>& classes_;
  std::vector<std::int32_t> class_of_;
  FeedLines lines_;
  std::vector<SupplyLoad> loads_;
};

}  // namespace clusterc
