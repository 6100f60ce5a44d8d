// The storage of the spec as pods get it. Every team gets its folder of each of them as a volume: over NFS where the
// nodes mount it so, else below the folder that the nodes have it mounted at.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "spec/storage.h"
#include "system/file_systems.h"
#include "system/kubernetes.h"

namespace clusterc {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
// A volume has to state a size. Nothing holds pods to it; where the spec has none it is this.
constexpr std::int64_t kUnsaidGib = 1024;

const NetworkMount* nfs_mount(const std::vector<NetworkMount>& all, const std::string& path) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const NetworkMount& m) {
    return m.path == path && m.type.starts_with("nfs") && m.source.find(':') != std::string::npos;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

void kubernetes_storage(const System& in, KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    if (!s.spec || !s.spec->kind || !s.spec->kubernetes || !s.spec->kubernetes->name) continue;
    const auto& wish = *s.spec->kubernetes;
    KubernetesStorage k;
    k.storage = &s, k.storage_class = *wish.name, k.many = wish.access.value_or("many") == "many";
    if (!is_kubernetes_label_name(k.storage_class)) {
      findings
          .error("kubernetes-name-malformed", wish.name.span,
                 "'" + one_line(k.storage_class) + "' cannot be the name of a StorageClass")
          .help("use lower-case letters, digits and inner hyphens, at most 63");
      continue;
    }
    const bool mounted = s.spec->mount && *s.spec->kind != StorageKind::object && *s.spec->kind != StorageKind::local &&
                         std::any_of(facts.workers.begin(), facts.workers.end(), [&](const KubernetesWorkers& w) {
                           return clusterc::mounts(s, c.nodes[static_cast<std::size_t>(w.group)]);
                         });
    if (!mounted) {
      findings
          .note("kubernetes-storage-unmade", wish.span,
                "no output offers '" + s.name + "' (" + std::string(enum_text(*s.spec->kind)) +
                    ") to pods: no node that runs pods mounts it over a network")
          .help("install the driver of its maker, with the class '" + k.storage_class + "'");
      continue;
    }
    k.path = *s.spec->mount;
    for (const KubernetesWorkers& w : facts.workers) {
      const std::vector<NetworkMount> all = network_mounts(c, in.plan, w.group);
      if (const NetworkMount* m = nfs_mount(all, *s.spec->mount)) {
        const std::size_t colon = m->source.find(':');
        k.server = m->source.substr(0, colon), k.path = m->source.substr(colon + 1);
        break;
      }
    }
    k.capacity_gib = s.spec->capacity ? std::max<std::int64_t>(
                                            1, static_cast<std::int64_t>(std::floor(s.spec->capacity->value / kGiB)))
                                      : kUnsaidGib;
    facts.storage.push_back(std::move(k));
  }
}

}  // namespace clusterc
