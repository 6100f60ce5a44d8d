// Names that a spec gives to its groups, networks, storage systems and teams.
#pragma once
#include <cstddef>
#include <string_view>

namespace clusterc {

inline constexpr std::size_t kLongestGroupName = 63;  // a DNS label: RFC 1035, section 2.3.1

// Names become parts of object names and of file names: no slash, no dot, no blank. Another name is an error
// (spec-bad-name); what goes on after errors asks here before it makes a file name of it.
bool is_group_name(std::string_view name);

}  // namespace clusterc
