// The specs of examples/ as they were when the program was built (made by cmake/embed.cc).
#pragma once
#include <span>
#include <string_view>

namespace clusterc::cli {

struct Example {
  std::string_view name;  // "lab"
  std::string_view text;
};

std::span<const Example> examples();  // by name

}  // namespace clusterc::cli
