#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) { add_positional(o, "PART"); }

int run(const po::variables_map& given) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const auto names = positional(given);
  if (names.empty()) {
    for (const PartInfo& part : catalog.list()) put(format("{:<10} {}\n", part_kind_name(part.kind), part.id));
    return kOk;
  }
  int status = kOk;
  for (const std::string& name : names) {
    bool found = false;
    std::vector<std::string_view> known;
    for (const PartInfo& part : catalog.list()) {
      known.push_back(part.id);
      const std::string_view kind_name = part_kind_name(part.kind);
      const bool kind = name == kind_name || name == std::string(kind_name) + "s";   // 'servers' as 'server'
      if (kind) put(format("{}\n", part.id));
      else if (part.id == name) put(catalog.text(part.kind, part.id));
      found = found || kind || part.id == name;
    }
    if (!found) {
      // A word of the id is what people remember: 'h100' names five parts.
      std::vector<std::string_view> holding;
      for (const std::string_view id : known)
        if (id.find(name) != std::string_view::npos) holding.push_back(id);
      const auto near = nearest_name(name, known);
      const std::string hint = !holding.empty() ? "; parts with it in their name: " + join(holding, ", ")
                               : near           ? "; did you mean '" + std::string(*near) + "'?"
                                                : "; 'clusterc catalog' lists them";
      put_error("clusterc catalog: error: there is no part or kind of part '" + name + "'" + hint + "\n");
      status = kUnjudged;
    }
  }
  return status;
}

}  // namespace
const Command kCatalog{"catalog", "the built-in parts; a kind lists its parts, a part prints its facts and sources", "clusterc catalog [KIND|PART…]", options, run};
}  // namespace clusterc::cli
