#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "catalog/facts.h"
#include "catalog/netbox.h"

namespace clusterc {
namespace {

// What the importer takes from a file and the catalogue may know better.
constexpr std::string_view kCompared[] = {"units",     "ports",         "port_rate", "phases", "psus.count",
                                          "gpu_slots", "outlets.count", "depth",     "height"};

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : to_lower(text))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  return out;
}

// The built-in part of this model: its id is the model, behind the maker or not.
std::string_view same_part(const NetboxType& t, const NetboxPart& part, const Catalog& catalog) {
  const std::string whole = folded(t.maker + t.model), model = folded(t.model);
  for (const PartInfo& info : catalog.list()) {
    if (info.kind != part.kind || info.own) continue;
    if (info.id == part.id) return info.id;
    const std::string id = folded(info.id);
    const std::size_t maker = info.id.find('-');
    if (id == whole || id == model || (maker != info.id.npos && folded(info.id.substr(maker + 1)) == model))
      return info.id;
  }
  return {};
}

}  // namespace

void report_part_again(const NetboxType& t, const NetboxPart& part, SourceSpan first, Findings& findings) {
  findings
      .note("netbox-part-again", t.at, format("'{}' was made from another file already: this one is left out", part.id))
      .note(first, "the part was made from this file");
}

void compare_with_catalog(const NetboxType& t, const NetboxPart& part, Catalog& catalog, Findings& findings) {
  const std::string_view known = same_part(t, part, catalog);
  if (known.empty()) return;
  Sources sources;
  Findings scratch;
  Catalog imported(sources, scratch);
  imported.add_own_file(sources.add(part.id + ".yaml", part.text));
  const PartRecord mine = part_record(imported, part.kind, part.id), theirs = part_record(catalog, part.kind, known);
  std::vector<std::string> differences;
  for (const std::string_view key : kCompared) {
    const Fact here = fact_of(mine, key), there = fact_of(theirs, key);
    if (here.known && there.known && here.text != there.text)
      differences.push_back(format("{} {} in the file, {} in the catalogue", key, here.text, there.text));
  }
  if (!differences.empty())
    findings
        .warning("netbox-unlike-catalogue", t.at,
                 format("the catalogue has this {} as '{}' with other values: {}", part_kind_name(part.kind), known,
                        join(differences, ", ")))
        .help(format("write '{}' in the spec: it is the part of the catalogue", known));
}

}  // namespace clusterc
