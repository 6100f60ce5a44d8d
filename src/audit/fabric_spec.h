// The first spec that can be written from a running fabric alone: its hosts in groups, its network with leaves, spines
// and rails. What a dump cannot show (servers, racks, software) stands there as a comment.
#pragma once
#include <string>
#include <string_view>

#include "audit/seen_fabric.h"
#include "catalog/catalog.h"

namespace clusterc {

// A commented spec in the spec language that checks as it is, and whose plan has the leaves, spines and rails of the
// fabric. Empty, and `error`: no spec can describe it.
std::string spec_of_fabric(const SeenFabric&, std::string_view dump, Catalog&, std::string& error);

}  // namespace clusterc
