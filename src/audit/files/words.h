// Words that the judges of files share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

std::string counted(std::int64_t count, std::string_view word);  // "1 node", "4,096 nodes"
std::string grouped(std::int64_t number);                        // "4,096"
// "'n1'", "'n1' and 'n2'", "'n1', 'n2', 'n3' and 37 more"
std::string some_names(const std::vector<std::string>& first, std::int64_t count);

}  // namespace clusterc
