// Electricity, heat, air and floor positions of a placed plan.
#pragma once
#include <optional>

#include "plan/plan.h"

namespace clusterc {

enum class Fluid;

// Air at sea level and 20 degC: density and specific heat (ISA; dry air). V = P / (rho cp dT).
constexpr double kAirDensity = 1.20;     // kg/m3
constexpr double kAirHeat = 1005;        // J/(kg K)
constexpr double kUnstatedAirRise = 20;  // K over a device that states no airflow (planning default)
// rho(h) / rho(0), indoors at the same temperature: (1 - 2.25577e-5 h)^5.2559, h in metres (ISA).
double air_density_ratio(Meters altitude);
AirFlow air_for(Watts, double rise_kelvin, double density_ratio);

// One cooling unit, or coolant distribution unit, of a zone, and how many there are; -1: not stated.
struct CoolingUnits {
  std::int64_t units = 0;
  double heat = -1, airflow = -1;  // W, m3/s
  bool cdu = false;
  const std::vector<Value<std::string>>& feeds(const ZoneModel&) const;  // that supply them
};
CoolingUnits cooling_units(const ZoneModel&);

void plan_floor(Plan&);  // x, y of racks and frames
void plan_power(Plan&);  // PDUs, feeds, heat, air, zones, totals; needs placement

// What the breaker of a feed carries for a load behind its UPS: the load, and what the UPS loses on it. Without a UPS,
// or one that states no efficiency, the load itself. Loads of feeds (Plan::feeds) are what hangs on them, so everything
// that holds one to the feed's breaker asks here.
VoltAmperes at_breaker(const FeedModel&, VoltAmperes load);

// What a generator supplies when the mains fail: all of its feeds, with the losses of their UPS. Where it has one feed
// only, that feed's load after the loss of another counts if it is higher.
struct GeneratorLoad {
  std::vector<int> feeds;
  Watts power{0};
  int lost = -1;  // feed
};
GeneratorLoad generator_load(const Plan&, int generator);
// Everything behind each transfer switch, by place in Cluster::transfers: with all feeds, and after the loss of the one
// that is worst for it. Where each PDU has one of its own: the one that carries most for its rating. Rating: -1 where
// it does not follow from what is stated.
struct TransferLoad {
  VoltAmperes normal{0}, worst{0};
  int lost = -1;                     // feed
  double rating = -1;                // VA
  std::int32_t rack = -1, pdu = -1;  // that has it, where each has its own
};
std::vector<TransferLoad> transfer_loads(const Plan&);
// Everything behind each panel, by place in Cluster::panels: with all feeds, and after the loss of one that it does not
// hang on.
std::vector<FeedLoad> panel_loads(const Plan&);
// The wall circuits of a node group that stands in no rack; circuits 0: it has none. Load and rating of a full one, -1
// where they do not follow from what is stated.
struct WallLoad {
  std::int64_t circuits = 0, nodes = 0;  // nodes on one
  double load = -1, carries = -1;        // VA
};
WallLoad wall_load(const Cluster&, const NodeGroupModel&);
// Highest power of nodes that stand in no rack: all the heat of a room.
Watts power_outside_racks(const Cluster&, const NodeGroupModel&);
// Highest power of the equipment that hangs on no feed of the site: PDUs without a feed, racks without PDUs, assemblies
// without feeds, nodes in no rack.
Watts power_off_feeds(const Plan&);

// What the building draws when everything is at its highest: with `pue` as the site states it, else the sum of what
// states a figure.
struct SitePower {
  Watts equipment{0}, other{0}, cooling{0}, ups_loss{0}, total{0};  // other: what feeds have `in_use`
  bool by_pue = false, cooling_known = true;                        // every cooling unit states its draw
  double pue() const {
    return equipment.value > 0 ? (total - other) / equipment : 1;
  }                                                           // what else hangs on the feeds is left out
  bool pue_known() const { return by_pue || cooling_known; }  // else it is at least that
};
SitePower site_power(const Plan&);

// How much coolant warms up in the equipment where the loop's `rise` does not say: 1.5 L/min for 1 kW of PG25, what
// makers of cold plates ask for (planning default).
constexpr Kelvins kCoolantRise{10};
// Facility water behind a loop's CDUs, in counter flow: it leaves no warmer than the coolant comes back, so it may warm
// up by that coolant's temperature less its own as supplied, and needs at least the flow that carries the heat away
// with that rise. Absent where supply temperatures or heat are not stated, or the facility water is not colder than the
// returning coolant.
struct FacilityWater {
  Kelvins most_rise{0};
  LiquidFlow least_flow{0};
  Celsius coolant_back{0};
};
std::optional<FacilityWater> facility_water(const ZoneModel&, Watts heat);
// Coolant that carries the heat away with this rise: 14.4 L/min for 1 kW at 1 K (water at 30 C: 4.17 kJ/(L K)), 15.1
// with 25 % propylene glycol (3.97).
LiquidFlow coolant_for(Watts, Kelvins rise, Fluid);
// What a CDU removes with this difference between coolant and facility water, first order: in proportion to it, never
// more than rated.
Watts heat_at_approach(Watts rated, Kelvins rated_at, Kelvins approach);
// Magnus formula (WMO-No. 8, annex 4.B); `humidity` as a share.
Celsius dew_point(Celsius, double humidity);

}  // namespace clusterc
