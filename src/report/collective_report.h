// All-reduce of each group with GPUs, by number of nodes, algorithm and message size.
#pragma once
#include <string>

#include "base/json_writer.h"
#include "model/cluster.h"

namespace clusterc {

std::string render_all_reduce_text(const Cluster&);  // empty without GPUs
void all_reduce_json(JsonWriter&, const Cluster&);   // the field "all_reduce"; nothing without GPUs

}  // namespace clusterc
