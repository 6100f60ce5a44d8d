#include "validate/expected_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/storage_path.h"

namespace clusterc {
namespace {

// `start`: to start the program, make its data and check it, in seconds. `own`: how long one of its measurements takes
// without --seconds. Estimates, never measured, but for burn and hpl: the defaults of their programs
// (validators/burn/burn.cc, kHplSeconds). memtest and storage take more (below).
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
                                       {"storage", 3, 5},
                                       {"memtest", 5, 0},
                                       {"burn", 3, 60}}};

// 0: not known.
double ceiling_of(const ExpectedFigures& expected, std::string_view metric, std::string_view group) {
  const ExpectedFigure* const figure = expected.find(metric, group);
  return figure ? figure->ceiling.value.value_or(0) : 0;
}

}  // namespace

double expected_seconds(const SuiteTest& test, double seconds) {
  if (!test.skip.empty()) return 0;
  const auto pace =
      std::find_if(kPaces.begin(), kPaces.end(), [&](const Pace& p) { return p.validator == test.validator; });
  if (pace == kPaces.end()) return 0;
  return std::ceil(pace->start + test.figures * (seconds > 0 ? seconds : pace->own));
}

double memtest_round_seconds(const NodeGroupModel& group, const ExpectedFigures& expected) {
  constexpr double kSweeps = 278, kShare = 0.8, kHold = 10;
  constexpr double kUnknownRate = 10e9;  // a second, of a virtual machine
  const bool gpus = group.server.gpu_count > 0;
  const Value<Bytes> memory = !gpus              ? group.server.memory
                              : group.server.gpu ? group.server.gpu->memory
                                                 : Value<Bytes>();
  const double memories = gpus ? static_cast<double>(group.server.gpu_count) : 1;
  const double triad = ceiling_of(expected, "memory.triad", group.name);
  // A sweep writes or reads, and makes every word: half of what triad moves, at most.
  const double rate = triad > 0 ? triad / 2 : kUnknownRate;
  return std::ceil(memories * (kSweeps * kShare * (memory ? memory->value : 0) / rate + kHold));
}

double storage_file_seconds(const Cluster& cluster, const ExpectedFigures& expected, int system, std::size_t nodes) {
  // Of each node: two layouts of 1 GiB and their verification, six checkpoints of 1 GiB written, five read, one
  // verified.
  constexpr double kBytes = 16 * 1073741824.0;
  constexpr double kUnknownRate = 1e9;  // a second, of one drive that all share
  const std::string& name = cluster.storage[static_cast<std::size_t>(system)].name;
  const auto rate_of = [&](const std::string& group) {
    const double read = ceiling_of(expected, "storage.read", group),
                 write = ceiling_of(expected, "storage.write", group);
    return read > 0 && write > 0 ? std::min(read, write) : std::max(read, write);
  };
  const double all = rate_of(name);
  double share = (all > 0 ? all : kUnknownRate) / static_cast<double>(std::max<std::size_t>(nodes, 1));
  for (const int group : groups_that_mount(cluster, system))
    if (const double one = rate_of(cluster.nodes[static_cast<std::size_t>(group)].name + "/" + name); one > 0)
      share = std::min(share, one);
  return std::ceil(kBytes / share);
}

double expected_seconds(const std::vector<SuiteTest>& suite) {
  double sum = 0;
  for (const SuiteTest& test : suite)
    if (test.skip.empty()) sum += test.expected_s;
  return sum;
}

}  // namespace clusterc
