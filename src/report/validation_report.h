// What a validation found, as text for people and as data (format "clusterc-validation", version 1).
#pragma once
#include <string>
#include <string_view>

#include "validate/run.h"

namespace clusterc {

std::string render_validation_text(const Report&, bool color = false);
std::string render_validation_json(const Report&, std::string_view spec_digest);

}  // namespace clusterc
