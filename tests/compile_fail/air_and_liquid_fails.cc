#include "base/quantity.h"

using namespace clusterc;

LiquidFlow flow(AirFlow air) {
  LiquidFlow total(0);
  total += air;
  return total;
}
