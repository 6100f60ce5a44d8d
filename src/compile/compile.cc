#include "compile/compile.h"

#include "plan/addresses.h"

namespace clusterc {
namespace {

// What the spec says of an output that is not made would be lost without a word.
void warn_of_unused(const OutputWish& wish, std::string_view id, std::string_view why, Findings& findings) {
  for (const auto& file : wish.extra)
    if (!file.value.empty())
      findings.warning("output-extra-unused", file.name_span, "the extra lines of '" + file.name + "' go nowhere: " + std::string(why))
          .help("take them out, or compile '" + std::string(id) + "'");
}

// The rule net-address-plan-collides reports the same of the spec, and nothing is compiled then; who calls this without the rules is
// told as well, before 0.0.0.0 stands in a file.
void check_addresses(const Cluster& c, const Plan& plan, Findings& findings) {
  for (const AddressPlan& a : plan.addresses)
    if (!has_addresses(a)) {
      const NetworkModel& net = c.networks[a.network];
      findings.error("output-address-missing", net.spec ? net.spec->subnet.span : net.span, "network '" + net.name + "' has a subnet, " + a.subnet.text() + ", and no addresses to give: its machines do not fit")
          .help("take a shorter prefix");
    }
}

}  // namespace

std::vector<std::string_view> compile_outputs(const Cluster& c, const Plan& plan, const CompileWish& asked, Bundle& bundle, Findings& findings) {
  std::vector<std::string_view> uncalled;
  check_addresses(c, plan, findings);
  for (const Output* output : all_outputs()) {
    if (!asked.only.empty() && !asked.only.contains(output->id)) continue;   // today's wish, not the spec's
    const auto* named = c.spec.outputs.find(output->id);
    const OutputWish* wish = named ? &named->value : nullptr;
    if (wish && wish->skip.value_or(false)) {
      warn_of_unused(*wish, output->id, "'" + std::string(output->id) + "' is skipped", findings);
      continue;
    }
    if (!output->wanted(c)) {
      if (wish) warn_of_unused(*wish, output->id, "this cluster does not call for '" + std::string(output->id) + "'", findings);
      if (!asked.only.empty()) uncalled.push_back(output->id);
      continue;
    }
    output->emit({c, plan, asked.spec_digest, wish, asked.accepted}, bundle, findings);
  }
  return uncalled;
}

}  // namespace clusterc
