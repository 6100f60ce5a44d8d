// Words that the judges of files share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace clusterc {

std::string counted(std::int64_t count, std::string_view word);  // "1 node", "4,096 nodes"
std::string grouped(std::int64_t number);                        // "4,096"

}  // namespace clusterc
