#include "base/quantity.h"

using namespace clusterc;

LiquidFlow flow(LiquidFlow part) {
  LiquidFlow total(0);
  total += part;
  return total;
}
