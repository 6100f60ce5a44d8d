// The generated companions of the spec language: schemas/spec.schema.json and docs/spec-reference.md.
#pragma once
#include <string>

namespace clusterc {

std::string spec_schema();
std::string spec_reference();

}  // namespace clusterc
