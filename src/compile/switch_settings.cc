#include "compile/switch_settings.h"

#include <algorithm>

#include "base/text.h"
#include "model/roce.h"

namespace clusterc {
namespace {

constexpr std::int64_t kFirstVlan = 2, kLastVlan = 4094;  // IEEE 802.1Q; 1 is the default of switches

// Whole characters, at most so many bytes.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  text.resize(most);
  return text;
}

}  // namespace

std::vector<SwitchClass> switch_classes(const Cluster& c, int network) {
  struct Carried {
    bool jobs;
    const RocePlan* plan;
  };
  std::vector<Carried> plans;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    if (static_cast<int>(n) != network && net.shares != network) continue;
    const RocePlan* plan = carries_roce(c, net) ? roce_plan(c, net) : nullptr;
    if (plan && plan->priority && plan->dscp) plans.push_back({net.carries_traffic(Traffic::compute), plan});
  }
  std::stable_sort(plans.begin(), plans.end(), [](const Carried& a, const Carried& b) { return a.jobs > b.jobs; });
  std::vector<SwitchClass> out;
  for (const Carried& p : plans) {
    auto known =
        std::find_if(out.begin(), out.end(), [&](const SwitchClass& s) { return s.priority == *p.plan->priority; });
    if (known == out.end())
      known = out.insert(out.end(),
                         SwitchClass{*p.plan->priority, {}, p.plan->pfc.value_or(true), p.plan->ecn.value_or(true)});
    if (std::find(known->dscps.begin(), known->dscps.end(), *p.plan->dscp) == known->dscps.end())
      known->dscps.push_back(*p.plan->dscp);
  }
  std::sort(out.begin(), out.end(), [](const SwitchClass& a, const SwitchClass& b) { return a.priority < b.priority; });
  return out;
}

FlatVlans flat_vlans(const std::vector<SwitchPort>& ports) {
  FlatVlans out;
  bool unnumbered = false;
  for (const SwitchPort& p : ports) {
    if (p.kind == SwitchPort::Far::equipment) continue;
    out.numbers.insert(p.tagged.begin(), p.tagged.end());
    if (p.vlan)
      out.numbers.insert(p.vlan);
    else
      unnumbered = true;
  }
  out.own = kFirstVlan;
  while (out.numbers.contains(out.own)) ++out.own;
  if (unnumbered && out.own <= kLastVlan) out.numbers.insert(out.own);
  return out;
}

std::string port_description(const SwitchPort& p, std::size_t most) {
  return cut(one_line(p.far_host + ' ' + (p.far_front.empty() ? p.far_port : p.far_front) + ' ' + p.cable), most);
}

}  // namespace clusterc
