// The outputs, in the order in which users see them. A new output is a line here.
#include <array>

#include "compile/output.h"

#define CLUSTERC_OUTPUTS(X) \
  X(kHostsOutput)           \
  X(kDnsOutput)             \
  X(kDnsmasqOutput)         \
  X(kKeaOutput)             \
  X(kNginxOutput)           \
  X(kIpxeOutput)            \
  X(kPreseedOutput)         \
  X(kAutoinstallOutput)     \
  X(kKickstartOutput)       \
  X(kMirrorOutput)          \
  X(kWarewulfOutput)        \
  X(kMaasOutput)            \
  X(kOpenChamiOutput)       \
  X(kXcatOutput)            \
  X(kClusterShellOutput)    \
  X(kChronyOutput)          \
  X(kNftablesOutput)        \
  X(kNfsOutput)             \
  X(kLustreOutput)          \
  X(kBeegfsOutput)          \
  X(kS3Output)              \
  X(kSlurmOutput)           \
  X(kJobsOutput)            \
  X(kJupyterHubOutput)      \
  X(kFrameworksOutput)      \
  X(kKubernetesOutput)      \
  X(kCloudInitOutput)       \
  X(kNetplanOutput)         \
  X(kNetworkdOutput)        \
  X(kNetworkManagerOutput)  \
  X(kAnsibleOutput)         \
  X(kOpensmOutput)          \
  X(kRoceOutput)            \
  X(kSonicOutput)           \
  X(kCumulusOutput)         \
  X(kFabricEnvOutput)       \
  X(kContainersOutput)      \
  X(kPrometheusOutput)      \
  X(kGrafanaOutput)         \
  X(kSyslogNgOutput)        \
  X(kParallelClusterOutput)

namespace clusterc {

#define CLUSTERC_DECLARE(name) extern const Output name;
CLUSTERC_OUTPUTS(CLUSTERC_DECLARE)
#undef CLUSTERC_DECLARE

namespace {
#define CLUSTERC_ADDRESS(name) &name,
constexpr std::array kOutputs = std::to_array<const Output*>({CLUSTERC_OUTPUTS(CLUSTERC_ADDRESS)});
#undef CLUSTERC_ADDRESS
}  // namespace

std::span<const Output* const> all_outputs() { return kOutputs; }

const Output* find_output(std::string_view id) {
  for (const Output* o : kOutputs)
    if (o->id == id) return o;
  return nullptr;
}

std::span<const OutputKind> output_kinds() {
  static const std::array kinds = [] {
    std::array<OutputKind, kOutputs.size()> out;
    for (std::size_t i = 0; i < kOutputs.size(); ++i)
      out[i] = {kOutputs[i]->id, kOutputs[i]->summary, kOutputs[i]->wanted, kOutputs[i]->serves};
    return out;
  }();
  return kinds;
}

}  // namespace clusterc
