// Findings of `audit` that say what was not compared: they are no difference, and no agreement.
#pragma once
#include <string_view>

namespace clusterc {

constexpr std::string_view kNotCompared[] = {"audit-adapters-unnamed", "audit-bmc-unread", "audit-capture-unread",
                                             "audit-fabric-unrecognised"};
// Says how the facts were got, and is no difference either.
constexpr std::string_view kUnverified = "audit-tls-unverified";

}  // namespace clusterc
