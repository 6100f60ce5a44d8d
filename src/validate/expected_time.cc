#include "validate/expected_time.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace clusterc {
namespace {

// `start`: to start the program, make its data and check it, in seconds. `own`: how long one of its measurements takes
// without --seconds. Estimates, never measured, but for burn and hpl: the defaults of their programs
// (validators/burn/burn.cc, kHplSeconds).
struct Pace {
  std::string_view validator;
  double start, own;
};
constexpr std::array<Pace, 13> kPaces{{{"probe", 1, 0},
                                       {"memory", 2, 2},
                                       {"pcie", 2, 1},
                                       {"nvlink", 5, 0.5},
                                       {"fabric", 2, 1},
                                       {"container", 5, 5},
                                       {"gemm", 3, 5},
                                       {"nccl", 10, 0.5},
                                       {"hpl", 10, 120},
                                       {"mpi", 3, 0.2},
                                       {"storage", 3, 10},
                                       {"memtest", 5, 60},
                                       {"burn", 3, 60}}};

}  // namespace

double expected_seconds(const SuiteTest& test, double seconds) {
  if (!test.skip.empty()) return 0;
  const auto pace =
      std::find_if(kPaces.begin(), kPaces.end(), [&](const Pace& p) { return p.validator == test.validator; });
  if (pace == kPaces.end()) return 0;
  return std::ceil(pace->start + test.figures * (seconds > 0 ? seconds : pace->own));
}

double expected_seconds(const std::vector<SuiteTest>& suite) {
  double sum = 0;
  for (const SuiteTest& test : suite)
    if (test.skip.empty()) sum += test.expected_s;
  return sum;
}

}  // namespace clusterc
