// Findings of `audit` that say what was not compared: they are no difference, and no agreement.
#pragma once
#include <string_view>

namespace clusterc {

constexpr std::string_view kNotCompared[] = {
    "audit-adapters-differ", "audit-adapters-unnamed",    "audit-bmc-unread",  "audit-capture-unread",
    "audit-tls-unverified",  "audit-fabric-unrecognised", "audit-node-unread", "audit-scheduler-unread"};

}  // namespace clusterc
