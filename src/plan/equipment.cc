#include "plan/equipment.h"

namespace clusterc {

CableEnd equipment_port(const Plan& plan, FabricBlock::What what, int of, std::int64_t i) {
  using What = FabricBlock::What;
  const Cluster& c = *plan.cluster;
  if (what == What::switches) return {plan.switch_name(of, plan.switch_ref(of, i)), "mgmt"};
  if (what == What::pdus) {  // rack by rack
    if (i >= static_cast<std::int64_t>(plan.pdus.size())) return {};
    const PduLoad& pdu = plan.pdus[static_cast<std::size_t>(i)];
    return {"pdu/" + c.rack_name(pdu.rack) + "/" + static_cast<char>('a' + pdu.pdu), "mgmt"};
  }
  if (what == What::shelves) {  // assembly by assembly, as many in each
    const AssemblyGroupModel& a = c.assemblies[of];
    for (const Fabric& f : plan.fabrics)
      for (const FabricBlock& b : f.blocks)
        if (b.what == what && b.of == of && a.count > 0) {
          const std::int64_t each = b.members / a.count;
          return {"frame/" + a.names.name(i / each), "mgmt/" + std::to_string(i % each + 1)};
        }
  }
  return {};
}

std::string host_name_of(std::string object) {
  for (char& ch : object)
    if (ch == '/' || ch == '_' || ch == '.') ch = '-';
  return object;
}

std::string equipment_host_name(const Plan& plan, FabricBlock::What what, int of, std::int64_t i) {
  const CableEnd end = equipment_port(plan, what, of, i);
  return host_name_of(end.port == "mgmt" ? end.object : end.object + "/" + end.port);
}

}  // namespace clusterc
