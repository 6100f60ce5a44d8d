#include <array>

#include "compile/ansible/ansible.h"
#include "compile/autoinstall/autoinstall.h"
#include "compile/chrony/chrony.h"
#include "compile/cloud_init/cloud_init.h"
#include "compile/containers/containers.h"
#include "compile/dns/dns.h"
#include "compile/dnsmasq/dnsmasq.h"
#include "compile/fabric_env/fabric_env.h"
#include "compile/grafana/grafana.h"
#include "compile/hosts/hosts.h"
#include "compile/ipxe/ipxe.h"
#include "compile/kea/kea.h"
#include "compile/kickstart/kickstart.h"
#include "compile/maas/maas.h"
#include "compile/mirror/mirror.h"
#include "compile/netplan/netplan.h"
#include "compile/networkd/networkd.h"
#include "compile/networkmanager/networkmanager.h"
#include "compile/nfs/nfs.h"
#include "compile/nftables/nftables.h"
#include "compile/nginx/nginx.h"
#include "compile/openchami/openchami.h"
#include "compile/opensm/opensm.h"
#include "compile/output.h"
#include "compile/preseed/preseed.h"
#include "compile/prometheus/prometheus.h"
#include "compile/roce/roce.h"
#include "compile/slurm/slurm.h"
#include "compile/syslog_ng/syslog_ng.h"
#include "compile/warewulf/warewulf.h"
#include "compile/xcat/xcat.h"

namespace clusterc {
namespace {
constexpr std::array kOutputs = std::to_array<const Output*>({
    &kHostsOutput,      &kDnsOutput,
    &kDnsmasqOutput,    &kKeaOutput,
    &kNginxOutput,      &kIpxeOutput,
    &kPreseedOutput,    &kAutoinstallOutput,
    &kKickstartOutput,  &kMirrorOutput,
    &kWarewulfOutput,   &kMaasOutput,
    &kOpenChamiOutput,  &kXcatOutput,
    &kChronyOutput,     &kNftablesOutput,
    &kNfsOutput,        &kSlurmOutput,
    &kCloudInitOutput,  &kNetplanOutput,
    &kNetworkdOutput,   &kNetworkManagerOutput,
    &kAnsibleOutput,    &kOpensmOutput,
    &kRoceOutput,       &kFabricEnvOutput,
    &kContainersOutput, &kPrometheusOutput,
    &kGrafanaOutput,    &kSyslogNgOutput,
});
}

std::span<const Output* const> all_outputs() { return kOutputs; }

const Output* find_output(std::string_view id) {
  for (const Output* o : kOutputs)
    if (o->id == id) return o;
  return nullptr;
}

}  // namespace clusterc
