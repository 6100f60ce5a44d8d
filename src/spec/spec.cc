#include "spec/spec.h"

#include "spec/sections.h"

namespace clusterc {

// Here, where the sections are known.
Spec::Spec() = default;
Spec::~Spec() = default;
Spec::Spec(const Spec&) = default;
Spec& Spec::operator=(const Spec&) = default;
Spec::Spec(Spec&&) noexcept = default;
Spec& Spec::operator=(Spec&&) noexcept = default;

}  // namespace clusterc
