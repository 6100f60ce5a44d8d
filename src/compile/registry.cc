#include <array>

#include "compile/ansible/ansible.h"
#include "compile/cloud_init/cloud_init.h"
#include "compile/hosts/hosts.h"
#include "compile/netplan/netplan.h"
#include "compile/output.h"
#include "compile/slurm/slurm.h"

namespace clusterc {
namespace {
constexpr std::array<const Output*, 5> kOutputs{&kHostsOutput, &kSlurmOutput, &kCloudInitOutput, &kNetplanOutput, &kAnsibleOutput};
}

std::span<const Output* const> all_outputs() { return kOutputs; }

const Output* find_output(std::string_view id) {
  for (const Output* o : kOutputs)
    if (o->id == id) return o;
  return nullptr;
}

}  // namespace clusterc
