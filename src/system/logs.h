// Where the nodes' logs go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

inline constexpr std::string_view kLokiDestination = "d_loki";  // its name in syslog-ng.conf

// The first of these programs that `monitoring` of the spec names; empty: none.
std::string_view first_watching(const Cluster&, const std::vector<std::string_view>& programs);
// The statements among the extra lines of syslog-ng.conf; what is none is a finding.
std::string log_statements(const System&, Findings&);
// Whether such statements define this destination: it then takes the compiled one's place.
bool defines_destination(std::string_view statements, std::string_view destination);
// Are the logs sent to Loki on the node that watches?
bool keeps_logs_in_loki(const System&);

}  // namespace clusterc
