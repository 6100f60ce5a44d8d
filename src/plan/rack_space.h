// What is free in each rack while everything is placed: units, power, weight, outlets.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "plan/placement.h"
#include "plan/power/line_room.h"
#include "plan/power/outlets.h"

namespace clusterc {

constexpr std::int64_t kMostUnits = 60;

struct DeviceNeeds {  // all that placing needs to know of one kind
  DeviceKind kind;
  std::int32_t group;
  std::int64_t units = 0;
  double watts = 0, typical = 0, kilograms = 0, airflow = 0, liquid_share = 0;
  double after_loss = 0;          // W at the wall with the supplies that the worst feed loss leaves
  std::int64_t c13 = 0, c19 = 0;  // outlets that its cords take
  bool power_known = false, weight_known = false, airflow_known = false, from_top = false;
  bool busbar = false;  // hangs on the busbar of its racks
};

class RackSpace {
 protected:
  explicit RackSpace(Plan& plan) : plan_(plan), c_(*plan.cluster) {}

  struct RackState {
    std::uint64_t free = 0;                        // bit u - 1: unit u is free
    double normal = 0, survives = 0, carries = 0;  // W, W, kg that are left
    double rated = 0;                              // kg that it carries; infinite where nobody states it
    std::int32_t c13 = 0, c19 = 0, either = 0;     // outlets that are left; C13, C19, and those that take both
  };
  // Beside them, W that the busbar of a rack has left; infinite where it has none.
  struct BusbarState {
    double normal = std::numeric_limits<double>::infinity(), survives = normal;
  };

  // bare: of weight and power only what the devices themselves have and draw, without outlets and what rails and cables
  // weigh; the rules say the rest.
  enum class Within { lines, after_loss, normal, bare, units };

  // All racks empty but for what is there already and for their PDUs.
  void set_up();
  // Weight of devices that the rack still takes beside their rails and its cables, as rack-static-load-exceeded weighs
  // it.
  static double takes(const RackState& s) {
    return (s.rated - kRackCables.value) / (1 + kRailShare) - (s.rated - s.carries);
  }
  // Units where `n` in a row are free, as the bit of the lowest.
  static std::uint64_t runs(std::uint64_t free, std::int64_t n) {
    for (std::int64_t i = 1; i < n && free; ++i)
      free &= free >> 1;  // each step drops the starts whose run ends one unit on
    return free;
  }
  // Lowest unit for the device, 0 where it does not fit.
  std::int64_t room(std::int64_t rack, const DeviceNeeds& d, Within limit) const {
    constexpr double kSumRounding = 1e-6;  // W, kg: sums of many devices
    const RackState& s = state_[rack];
    if (d.units <= 0) return 0;
    if (limit != Within::units && (d.watts > s.normal + kSumRounding || d.kilograms > s.carries + kSumRounding))
      return 0;
    const bool lost = limit == Within::lines || limit == Within::after_loss;
    if (lost && d.after_loss > s.survives + kSumRounding) return 0;
    if (d.busbar && limit != Within::units && d.watts > busbars_[rack].normal + kSumRounding) return 0;
    if (d.busbar && lost && d.watts > busbars_[rack].survives + kSumRounding) return 0;
    if (lost || limit == Within::normal) {
      if (std::isfinite(s.rated) && d.kilograms > takes(s) + kSumRounding) return 0;
      if (std::max<std::int64_t>(0, d.c13 - s.c13) + std::max<std::int64_t>(0, d.c19 - s.c19) > s.either) return 0;
    }
    const std::uint64_t r = runs(s.free, d.units);
    if (!r) return 0;
    return d.from_top ? 64 - __builtin_clzll(r) : __builtin_ctzll(r) + 1;
  }
  static RackedDevice racked(const DeviceNeeds& d, std::int64_t index, std::int64_t unit) {
    return {.kind = d.kind,
            .group = d.group,
            .index = index,
            .unit = static_cast<std::int16_t>(unit),
            .units = static_cast<std::int16_t>(d.units)};
  }
  // The device stands there from now on,
  void put(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d, std::int64_t index);
  // or its place stays free for it.
  void keep_place(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d);
  // Load and weight of each rack, when all devices stand.
  void weigh();

  Plan& plan_;
  const Cluster& c_;
  std::vector<RackState> state_;
  std::optional<LineRoom> lines_;
  std::map<std::pair<DeviceKind, std::int32_t>, std::vector<std::int32_t>>
      kept_rack_;  // racks of places kept free, in order

 private:
  void occupied(const RackGroupModel& g);
  // Horizontal PDUs take the highest units that nothing stands in.
  static void mount_pdus(const RackGroupModel& g, RackState& s);
  double& formula_air_watts(std::int64_t rack) { return plan_.racks[rack].unstated_airflow_power.value; }
  void add(std::int64_t rack, double watts, double typical, double kilograms);
  void keep_free(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d);

  std::vector<BusbarState> busbars_;
};

}  // namespace clusterc
