// The value of an `extra:` entry (extra_yaml.h) in a JSON file.
#pragma once
#include "base/json_writer.h"
#include "yaml/document.h"

namespace clusterc {

// A value of YAML 1.2's JSON schema (section 10.2) as JSON: what is not quoted and looks like a number or a truth is
// one.
void write_extra_value(JsonWriter&, const Document&, NodeId);

}  // namespace clusterc
