// fmt, behind one header: formatted text for messages and reports. Locale-free.
#pragma once
#include <fmt/compile.h>
#include <fmt/format.h>

#include <string>

namespace clusterc {
using fmt::format;
}  // namespace clusterc
