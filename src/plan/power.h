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

void plan_floor(Plan&);                     // x, y of racks and frames
void plan_power(Plan&);                     // PDUs, feeds, heat, air, zones, totals; needs placement

}  // namespace clusterc
