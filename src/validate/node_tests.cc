#include "validate/node_tests.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "model/nvlink.h"
#include "spec/software.h"

namespace clusterc {

std::vector<std::string> names_of(const NodeGroupModel& group, const SuiteOptions& options) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(group.count));
  for (std::int64_t i = 0; i < group.count; ++i)
    if (std::string name = group.names.name(i); options.nodes.empty() || options.nodes.contains(name))
      names.push_back(std::move(name));
  return names;
}

// One test for each container runtime of a group, so that each has a verdict of its own.
std::vector<SuiteTest> containers(const NodeGroupModel& group, const SuiteOptions& options) {
  std::vector<SuiteTest> out;
  const bool gpus = group.server.gpu_count > 0;
  for (const NamedVersion& named : group.software->containers) {
    if (!named.kind) continue;
    const std::string spelled = to_lower(*named.kind), runtime = spelled == "singularity" ? "apptainer" : spelled,
                      id = format("node/{}/container-{}", group.name, spelled);
    if (std::any_of(out.begin(), out.end(), [&](const SuiteTest& t) { return t.id == id; })) continue;  // named twice
    SuiteTest test{.id = id,
                   .stage = SuiteStage::node,
                   .validator = "container",
                   .arguments = {"--device", gpus ? "cuda" : "host", "--runtimes", runtime},
                   .group = group.name,
                   .nodes = names_of(group, options),
                   .gpus_per_node = group.server.gpu_count,
                   .metrics = {"container.start", "container.all_reduce"}};
    // As the validator has them (validators/container/runtimes.h).
    constexpr std::string_view kStarted[] = {"podman", "docker", "containerd", "enroot", "apptainer"};
    if (std::find(std::begin(kStarted), std::end(kStarted), runtime) == std::end(kStarted))
      test.skip = format("no program starts a container of '{}' by hand", spelled);
    if (group.software->container_gpus.value_or("cdi") == "hook")
      test.arguments.insert(test.arguments.end(), {"--gpus", "hook"});
    if (!options.image.empty()) test.arguments.insert(test.arguments.end(), {"--image", options.image});
    if (options.allow_busy) test.arguments.emplace_back("--allow-busy");
    out.push_back(std::move(test));
  }
  return out;
}

// Every pair of a node's GPUs: five figures each. A GPU takes part in all pairs with the others, and `seconds` are
// shared among them.
SuiteTest nvlinks(const NodeGroupModel& group, const SuiteOptions& options) {
  const auto gpus = static_cast<double>(group.server.gpu_count);
  SuiteTest test{.id = "node/" + group.name + "/nvlink",
                 .stage = SuiteStage::node,
                 .validator = "nvlink",
                 .arguments = {"--device", "cuda"},
                 .group = group.name,
                 .nodes = names_of(group, options),
                 .gpus_per_node = group.server.gpu_count,
                 .metrics = {"nvlink.copy", "nvlink.links"}};
  test.timeout += std::chrono::milliseconds(std::llround(options.seconds * 5 * gpus / 2 * 1500));
  test.figures = 5 * gpus / 2;
  if (const auto links = nvlinks_of_gpu(group.server))
    test.arguments.insert(test.arguments.end(), {"--links", format("{}", *links)});
  if (options.seconds > 0)
    test.arguments.insert(test.arguments.end(), {"--seconds", format("{}", options.seconds / (gpus - 1))});
  if (options.allow_busy) test.arguments.emplace_back("--allow-busy");
  return test;
}

}  // namespace clusterc
