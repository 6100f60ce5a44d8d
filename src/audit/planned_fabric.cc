#include "audit/planned_fabric.h"

#include <algorithm>
#include <unordered_map>

#include "base/format.h"
#include "base/index.h"
#include "plan/equipment.h"
#include "plan/fabric/links.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostPods = 1 << 20;  // so that pods of several planes have different numbers

class Collector {
 public:
  Collector(const Plan& plan, int fabric)
      : plan_(plan), number_(fabric), fabric_(plan.fabrics[at(fabric)]), links_(plan) {}

  PlannedFabric collect() {
    out_.network = fabric_.name;
    out_.rails = fabric_.rail_optimised;
    links_.each(number_, [&](const PluggedLink& l) {
      if (l.far_block < 0 && l.far_fabric == number_) add(l);
      return true;
    });
    return std::move(out_);
  }

  std::vector<std::pair<std::string, std::string>> pairs() {
    std::vector<std::pair<std::string, std::string>> out;
    links_.each(number_, [&](const PluggedLink& l) {
      std::string near, far;
      if (l.block >= 0) {
        links_.near_end(l, end_);
        near = host_of(l.block, l.member);
      } else {
        near = host_name_of(plan_.switch_name(number_, l.near));
      }
      if (l.far_block >= 0) {
        links_.far_end(l, end_);
        far = host_of(l.far_block, l.far_member);
      } else {
        far = host_name_of(plan_.switch_name(l.far_fabric, l.far));
      }
      out.emplace_back(std::move(near), std::move(far));
      return true;
    });
    return out;
  }

 private:
  void add(const PluggedLink& l) {
    PlannedCable cable;
    cable.rate = links_.rate(l);
    if (l.block >= 0) {
      links_.near_end(l, end_);
      cable.near = device(end_.object, l.near_at, -1, 0);
      cable.port = end_.port;
      if (PlannedDevice& d = out_.devices[at(cable.near)]; d.host.empty()) d.host = host_of(l.block, l.member);
      cable.near_port = out_.devices[at(cable.near)].ports++;
    } else {
      cable.near = of_switch(l.near, l.near_at);
      cable.near_port = l.near_port;
    }
    cable.far = of_switch(l.far, l.far_at);
    cable.far_port = l.far_port;
    out_.cables.push_back(cable);
  }

  std::int32_t of_switch(SwitchRef r, const CableSpot& spot) {
    std::int64_t pod = 0;
    const std::int64_t in_plane = r.index % fabric_.per_plane(r.tier), plane = r.index / fabric_.per_plane(r.tier);
    if (fabric_.tiers.size() > 2 && fabric_.leaves_per_pod > 0 && fabric_.spines_per_pod > 0)
      pod = r.tier == 0   ? in_plane / fabric_.leaves_per_pod
            : r.tier == 1 ? in_plane / fabric_.spines_per_pod
                          : in_plane / std::max<std::int64_t>(1, fabric_.cores_per_group);
    return device(plan_.switch_name(number_, r), spot, r.tier, plane * kMostPods + pod);
  }

  std::int32_t device(const std::string& object, const CableSpot& spot, int tier, std::int64_t pod) {
    const auto [found, fresh] = by_object_.try_emplace(object, static_cast<std::int32_t>(out_.devices.size()));
    if (fresh) {
      PlannedDevice d;
      d.object = object;
      if (tier >= 0) d.host = host_name_of(object);
      d.tier = tier;
      d.pod = static_cast<std::int32_t>(pod);
      out_.devices.push_back(std::move(d));
      out_.places.push_back(spot.rack < 0 ? std::string()
                                          : format("rack {}, unit {}", plan_.cluster->rack_name(spot.rack), spot.unit));
    }
    return found->second;
  }

  // Of the end that was named last.
  std::string host_of(int block, std::int64_t member) const {
    const FabricBlock& b = fabric_.blocks[at(block)];
    const Cluster& c = *plan_.cluster;
    if (b.what == FabricBlock::What::ends)
      if (const int group = c.networks[at(b.network)].ends[at(b.end)].group; group >= 0)
        return c.node_name(c.nodes[at(group)].first + member);
    return host_name_of(end_.object);
  }

  const Plan& plan_;
  int number_;
  const Fabric& fabric_;
  Links links_;
  CableEnd end_;
  PlannedFabric out_;
  std::unordered_map<std::string, std::int32_t> by_object_;
};

}  // namespace

PlannedFabric planned_fabric(const Plan& plan, int fabric) { return Collector(plan, fabric).collect(); }

std::vector<std::pair<std::string, std::string>> planned_pairs(const Plan& plan, int fabric) {
  return Collector(plan, fabric).pairs();
}

}  // namespace clusterc
