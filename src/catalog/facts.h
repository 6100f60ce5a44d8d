// One fact of a part by its key, whatever the kind of the part: which facts decide errors, and whether they are known.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "fields/shape.h"

namespace clusterc {

struct PartRecord {  // a part with the table of its type; null where there is no such part
  const Type* type = nullptr;
  const void* record = nullptr;
};
PartRecord part_record(Catalog&, PartKind, std::string_view id);

struct Fact {
  bool known = false;
  bool confirmed = false;  // every figure of it was read in its source
  std::string text;        // as the language writes it; figures of a list one after the other
};
// "power", "psus.count", "outlets.count": of a list, every item.
Fact fact_of(const PartRecord&, std::string_view path);

// The facts on which errors of the kind rest: draw, supplies, ports, breakers.
std::span<const std::string_view> deciding_facts(PartKind);

struct PartGaps {
  std::vector<std::string_view> unknown, unconfirmed;  // of deciding_facts()
  bool none() const { return unknown.empty() && unconfirmed.empty(); }
};
PartGaps gaps_of(Catalog&, const PartInfo&);

}  // namespace clusterc
