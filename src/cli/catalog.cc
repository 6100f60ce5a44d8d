#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/parts_report.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) { add_positional(o, "PART"); }

int run(const po::variables_map& given) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const auto names = positional(given);
  const std::vector<PartInfo> all = catalog.list();
  if (names.empty()) {
    for (const PartInfo& part : all) put(format("{:<10} {}\n", part_kind_name(part.kind), part.id));
    return kOk;
  }
  int status = kOk;
  bool shown = false;
  for (const std::string& name : names) {
    std::vector<PartInfo> of_kind;
    bool found = false;
    std::vector<std::string_view> known;
    for (const PartInfo& part : all) {
      known.push_back(part.id);
      const std::string_view kind = part_kind_name(part.kind);
      if (name == kind || name == std::string(kind) + "s") of_kind.push_back(part);  // 'servers' as 'server'
      if (part.id != name) continue;
      put(catalog.text(part.kind, part.id));
      found = true;
    }
    if (found) continue;
    // What people remember: a word of the name, a link layer, a generation, a rate, a cage.
    if (of_kind.empty()) of_kind = find_parts(catalog, name);
    if (!of_kind.empty()) {
      put((shown ? "\n" : "") + render_parts(catalog, of_kind));
      shown = true;
      continue;
    }
    const auto near = nearest_name(name, known);
    put_error("clusterc catalog: error: there is no part or kind of part '" + name + "'" +
              (near ? "; did you mean '" + std::string(*near) + "'?" : "; 'clusterc catalog' lists them") + "\n");
    status = kUnjudged;
  }
  return status;
}

}  // namespace
const Command kCatalog{
    "catalog",
    "the built-in parts; a kind lists its parts, a part prints its facts and sources, any other word finds parts",
    "clusterc catalog [KIND|PART|WORD…]", options, run};
}  // namespace clusterc::cli
