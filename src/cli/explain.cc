#include "base/format.h"
#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) { add_positional(o, "RULE"); }

int run(const po::variables_map& given) {
  const auto names = positional(given);
  if (names.empty()) {
    for (const Rule* rule : all_rules()) put(format("{:<48} {:<9} {:<8} {}\n", rule->id, rule->code, severity_name(rule->severity), rule->summary));
    return kOk;
  }
  for (const std::string& name : names) {
    const Rule* rule = find_rule(name);
    if (!rule) {
      std::vector<std::string_view> known;
      for (const Rule* r : all_rules()) known.push_back(r->id);
      const auto near = nearest_name(name, known);
      put_error("clusterc: error: there is no rule '" + name + "'" + (near ? "; did you mean '" + std::string(*near) + "'?" : "; 'clusterc explain' lists them") + "\n");
      return kUnjudged;
    }
    put(format("# {} ({})\n\n{}{}: {}\n\n{}\n", rule->id, rule->code, severity_name(rule->severity), rule->physics ? ", physics" : "", rule->summary, rule->explanation));
  }
  return kOk;
}

}  // namespace
const Command kExplain{"explain", "the page of a rule; without a name, the list of rules", "clusterc explain [RULE…]", options, run};
}  // namespace clusterc::cli
