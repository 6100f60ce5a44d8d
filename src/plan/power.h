// Electricity, heat, air and floor positions of a placed plan.
#pragma once
#include "plan/plan.h"

namespace clusterc {

// Air at sea level and 20 degC: density and specific heat (ISA; dry air). V = P / (rho cp dT).
constexpr double kAirDensity = 1.20;        // kg/m3
constexpr double kAirHeat = 1005;           // J/(kg K)
constexpr double kUnstatedAirRise = 20;     // K over a device that states no airflow (planning default)
// rho(h) / rho(0), indoors at the same temperature: (1 - 2.25577e-5 h)^5.2559, h in metres (ISA).
double air_density_ratio(Meters altitude);
AirFlow air_for(Watts, double rise_kelvin, double density_ratio);

// One cooling unit, or coolant distribution unit, of a zone, and how many there are; -1: not stated.
struct CoolingUnits {
  std::int64_t units = 0;
  double heat = -1, airflow = -1;           // W, m3/s
  bool cdu = false;
  const std::vector<Value<std::string>>& feeds(const ZoneModel&) const;   // that supply them
};
CoolingUnits cooling_units(const ZoneModel&);

void plan_floor(Plan&);                     // x, y of racks and frames
void plan_power(Plan&);                     // PDUs, feeds, heat, air, zones, totals; needs placement

}  // namespace clusterc
