// Why a test does not run; tests/consumers/lib/skipping.bash and tests/skipping.py say the same in bash and Python.
// What a machine cannot do, whatever is installed, is a GTEST_SKIP() everywhere: no GPU, no feature of the kernel.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace clusterc {
inline bool in_ci() {
  const char* ci = std::getenv("CI");
  const std::string_view value = ci ? ci : "";
  return !value.empty() && value != "0" && value != "false";
}
}  // namespace clusterc

// A program, package or part of the build that scripts/test brings: a skip on a user's machine, a failure where CI is
// set. Ends the test as GTEST_SKIP() does.
#define CLUSTERC_MISSING(reason)                                                                             \
  do {                                                                                                       \
    if (::clusterc::in_ci()) FAIL() << reason << "; CI is set, and scripts/test brings all that can be had"; \
    GTEST_SKIP() << reason;                                                                                  \
  } while (false)
