#include "model/power_cap.h"

#include <algorithm>

#include "base/format.h"
#include "model/power.h"
#include "model/rounding.h"
#include "spec/nodes.h"

namespace clusterc {

std::optional<LeastPower> least_power(const ServerModel& s) {
  std::optional<LeastPower> out;
  if (s.virtual_machine || s.instance) return out;
  if (s.power_idle)
    out = {*s.power_idle, format("idle power of '{}'", s.id), s.power_idle.span, s.power_idle.source,
           s.power_idle.confirmed};
  if (s.gpu && s.gpu->power_min && s.gpu_count > 0) {
    const double efficiency = s.part.psus ? s.part.psus->efficiency.value_or(kSupplyEfficiency) : kSupplyEfficiency;
    const Watts gpus = *s.gpu->power_min * static_cast<double>(s.gpu_count) / efficiency;
    if (!out || gpus > out->watts)
      out = {gpus,
             format("{} x {}, the lowest limit of '{}', / {:.4g} supply efficiency", s.gpu_count,
                    to_text(*s.gpu->power_min), s.gpu_model, efficiency),
             s.gpu->power_min.span, s.gpu->power_min.source, s.gpu->power_min.confirmed};
  }
  return out;
}

std::int64_t spare_supplies(const PsuSet& psus) {
  const bool holds =
      psus.spare && psus.count && (psus.spare.origin == psus.count.origin || psus.spare.origin == Origin::spec);
  return holds ? std::clamp<std::int64_t>(*psus.spare, 0, *psus.count) : -1;
}

Value<Watts> uncapped_power(const ServerModel& server) {
  ServerModel free = server;
  fill_server_power(free, {});
  return free.power;
}

Value<Watts> working_power(const ServerModel& server) {
  if (server.virtual_machine || server.instance) return {};
  const Value<Watts> highest = uncapped_power(server);
  const PowerSum sum = server_power_sum(server);
  if (!sum.complete || (highest && *highest < sum.wall)) return highest;
  return Value<Watts>::derived(sum.wall, sum.formula(), server.span);
}

std::string slowed_by(const NodeGroupModel& g) {
  const ServerModel& s = g.server;
  if (s.gpu_limit && s.gpu && s.gpu->tdp && above(s.gpu->tdp->value, s.gpu_limit->value))
    return format("`gpu_power_limit` {}, as shipped '{}' takes {}", to_text(*s.gpu_limit), s.gpu_model,
                  to_text(*s.gpu->tdp));
  if (!g.spec || !g.spec->power_cap) return "";
  const Value<Watts> need = working_power(s);
  return need && above(need->value, g.spec->power_cap->value)
             ? format("`power_cap` {}, its parts take {}", to_text(*g.spec->power_cap), to_text(*need))
             : "";
}

}  // namespace clusterc
