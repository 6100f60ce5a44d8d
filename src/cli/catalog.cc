#include "base/format.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "cli/command.h"
#include "report/parts_report.h"

namespace clusterc::cli {
namespace {

void options_of_catalog(po::options_description& o) {
  add_positional(o, "PART");
  o.add_options()("gpu", po::value<std::string>()->value_name("GPU"),
                  "only servers and assemblies with this GPU: h200")(
      "ports", po::value<std::string>()->value_name("RATE"),
      "only switches and adapters with ports of this rate: 800G")(
      "gaps", po::bool_switch(),
      "list the unknown and unconfirmed facts that decide errors (draw, supplies, ports, breakers)")(
      "output,o", po::value<std::string>()->value_name("DIR"),
      "import: write the parts to this folder, one file for each")(
      "supply", po::value<std::string>()->value_name("FILE"),
      "import: the module type of the power supplies in the device's bays")(
      "source", po::value<std::string>()->value_name("TEXT"), "import: the repository of the files, with its commit");
  add_findings_options(o);
}

bool gaps_wanted(const po::variables_map& given) { return given["gaps"].as<bool>(); }

std::string render(Catalog& catalog, std::span<const PartInfo> parts, const po::variables_map& given) {
  return gaps_wanted(given) ? render_gaps(catalog, parts) : render_parts(catalog, parts);
}

void keep_what_passes(Catalog& catalog, const PartFilter& filter, std::vector<PartInfo>& parts) {
  if (filter.any()) std::erase_if(parts, [&](const PartInfo& part) { return !passes(catalog, part, filter); });
}

// --gpu is of servers and assemblies, --ports of switches and adapters.
int none_passes(std::string_view what, const PartFilter& filter) {
  const std::string gpu = "'" + filter.gpu + "' (--gpu)", ports = "ports of '" + filter.ports + "' (--ports)";
  put_error("clusterc catalog: error: " +
            (filter.ports.empty() ? format("no server or assembly{} has the GPU {}\n", what, gpu)
             : filter.gpu.empty()
                 ? format("no switch or adapter{} has {}\n", what, ports)
                 : format("no part{} is a server or assembly with the GPU {} and also a switch or adapter "
                          "with {}\n",
                          what, gpu, ports)));
  return kUnjudged;
}

int run_catalog(const po::variables_map& given) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const auto names = positional(given);
  if (!names.empty() && names[0] == "import") return import_parts(std::span(names).subspan(1), given);
  for (const char* option : {"output", "supply", "source"})
    if (given.count(option)) throw UsageError{"--" + std::string(option) + " belongs to 'clusterc catalog import'"};
  if (format_of(given) != Format::text) throw UsageError{"parts are printed as text"};
  std::vector<PartInfo> all = catalog.list();
  PartFilter filter;
  if (given.count("gpu")) filter.gpu = given["gpu"].as<std::string>();
  if (given.count("ports")) filter.ports = given["ports"].as<std::string>();
  if (names.empty() && (filter.any() || gaps_wanted(given))) {
    keep_what_passes(catalog, filter, all);
    if (all.empty()) return none_passes("", filter);
    put(render(catalog, all, given));
    return kOk;
  }
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
      if (name == kind || name == std::string(kind) + "s" || name == part_folder(part.kind))
        of_kind.push_back(part);  // 'servers' and 'switches' as 'server' and 'switch'
      if (part.id != name || gaps_wanted(given)) {
        if (part.id == name) of_kind = {part};
        continue;
      }
      put(catalog.text(part.kind, part.id));
      found = true;
    }
    if (found) continue;
    // What people remember: a word of the name, a link layer, a generation, a rate, a cage.
    if (of_kind.empty()) of_kind = find_parts(catalog, name);
    const bool any = !of_kind.empty();
    keep_what_passes(catalog, filter, of_kind);
    if (any && of_kind.empty()) {
      status = none_passes(" among the parts that match '" + name + "'", filter);
      continue;
    }
    if (any) {
      put((shown ? "\n" : "") + render(catalog, of_kind, given));
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
const Command kCatalog{"catalog",
                       "the built-in parts: a kind lists its parts, a part prints its facts and sources, any other "
                       "word or a PCI id searches; import creates parts from NetBox types",
                       "clusterc catalog [KIND|PART|WORD…] | clusterc catalog import [-o DIR] FILE…",
                       options_of_catalog, run_catalog};
}  // namespace clusterc::cli
