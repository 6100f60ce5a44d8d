#include "compile/compile.h"

#include <optional>
#include <set>

#include "compile/site_templates.h"
#include "spec/output.h"

namespace clusterc {
namespace {

// What the spec says of an output that is not made would be lost without a word.
void warn_of_unused(const OutputWish& wish, std::string_view id, std::string_view why, Findings& findings) {
  for (const auto& file : wish.extra)
    if (!file.value.empty())
      findings
          .warning("output-extra-unused", file.name_span,
                   "the extra lines of '" + file.name + "' are not used: " + std::string(why))
          .help("remove the extra lines, or compile '" + std::string(id) + "'");
}

std::vector<std::string_view> run_outputs(const System& system, const CompileWish& asked, bool judging, Bundle& bundle,
                                          Findings& findings) {
  const Cluster& c = system.cluster;
  std::vector<std::string_view> uncalled;
  check_system(system, findings);
  std::optional<Replacing> replacing;
  std::vector<std::string_view> made;
  if (asked.templates)
    replacing.emplace(system, *asked.templates, findings),
        judging = false;  // what they give can be judged with what they replace alone
  for (const Output* output : all_outputs()) {
    if (!asked.only.empty() && !asked.only.contains(output->id)) continue;  // today's wish, not the spec's
    const auto* named = c.spec.outputs.find(output->id);
    const OutputWish* wish = named ? &named->value : nullptr;
    if (wish && wish->skip.value_or(false)) {
      warn_of_unused(*wish, output->id, "`outputs` skips '" + std::string(output->id) + "'", findings);
      continue;
    }
    if (!system.makes(output->id)) {
      if (wish)
        warn_of_unused(*wish, output->id, "this cluster does not need the output '" + std::string(output->id) + "'",
                       findings);
      if (!asked.only.empty()) uncalled.push_back(output->id);
      continue;
    }
    const CompileInput in(system, wish, asked.accepted, judging);
    made.push_back(output->id);
    if (!replacing) {
      output->emit(in, bundle, findings);
      continue;
    }
    Bundle compiled(
        [&](const Bundle::File& file, std::string_view bytes) { replacing->put(file, bytes, bundle, findings); });
    output->emit(in, compiled, findings);
    compiled.flush();
  }
  if (replacing) replacing->tell_unused(asked.only, made, findings);
  return uncalled;
}

}  // namespace

std::vector<std::string_view> compile_outputs(const System& system, const CompileWish& asked, Bundle& bundle,
                                              Findings& findings) {
  return run_outputs(system, asked, false, bundle, findings);
}

void judge_outputs(const System& system, const CompileWish& asked, Findings& findings) {
  Bundle dropped([](const Bundle::File&, std::string_view) {});
  run_outputs(system, asked, true, dropped, findings);
}

}  // namespace clusterc
