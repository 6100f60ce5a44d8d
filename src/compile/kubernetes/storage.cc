// objects/storage.yaml: for each storage of the spec with `kubernetes:` a class, and for each team a volume on it with
// the claim that holds it, so that nobody else's claim gets it. A volume has the folder of its team alone: pods choose
// the user that they run as, so that owners and modes of files do not keep one team from the files of another.
#include <set>

#include "base/text.h"
#include "compile/kubernetes/objects.h"

namespace clusterc {

void emit_storage(const KubernetesOutput& o) {
  if (o.facts.storage.empty()) return;
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/storage.yaml", "volumes of the teams");
  std::set<std::string> classes;
  for (const KubernetesStorage& s : o.facts.storage)
    if (classes.insert(s.storage_class).second)
      file.object("storage.k8s.io/v1", "StorageClass", s.storage_class)
          .field("provisioner", "kubernetes.io/no-provisioner")
          .field("reclaimPolicy", "Retain")
          .field("volumeBindingMode", "WaitForFirstConsumer");
  for (const KubernetesStorage& s : o.facts.storage)
    for (const KubernetesTeam& t : o.facts.teams) {
      const std::string claim = to_lower(s.storage->name);
      const std::string volume = claim + "." + t.name;  // neither has a dot: no two volumes have one name
      const std::string folder = s.path + (s.path.ends_with('/') ? "" : "/") + t.name;
      const std::string size = std::to_string(s.capacity_gib) + "Gi";
      const std::string_view mode = s.many ? "ReadWriteMany" : "ReadWriteOnce";
      YamlWriter& y = file.object("v1", "PersistentVolume", volume);
      y.map("spec").map("capacity").field("storage", size).end_map();
      y.key("accessModes").flow({mode});
      y.field("persistentVolumeReclaimPolicy", "Retain").field("storageClassName", s.storage_class);
      y.map("claimRef").field("namespace", t.name).field("name", claim).end_map();
      if (s.server.empty())
        y.map("hostPath").field("path", folder).field("type", "Directory").end_map();
      else
        y.map("nfs").field("server", s.server).field("path", folder).end_map();
      y.end_map();
      YamlWriter& c = file.object("v1", "PersistentVolumeClaim", claim, t.name);
      c.map("spec").field("storageClassName", s.storage_class).field("volumeName", volume);
      c.key("accessModes").flow({mode});
      c.map("resources").map("requests").field("storage", size).end_map().end_map().end_map();
    }
}

}  // namespace clusterc
