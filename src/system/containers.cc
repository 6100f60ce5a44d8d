#include "system/containers.h"

#include <algorithm>

#include "base/text.h"
#include "model/storage_path.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/file_systems.h"
#include "system/mirror.h"
#include "system/node_files.h"

namespace clusterc {
namespace {

// The operator's toolkit container writes the runtimes into what it finds (its values.yaml, toolkit.enabled).
bool by_operator(const NodeGroupModel& g) {
  return g.software->gpu_operator && g.software->gpu_operator->toolkit.value_or(true);
}

// Plain enough for Enroot, which hands each line of its file to the shell.
bool is_plain_path(std::string_view path) {
  return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("/._-").find(c) != std::string_view::npos;
         });
}

// Local scratch of the group whose path Enroot can take, or cannot.
const StorageModel* scratch_of(const Cluster& c, const NodeGroupModel& g, bool plain = true) {
  for (const int i : storage_of_group(c, static_cast<int>(&g - c.nodes.data())))
    if (const StorageModel& s = c.storage[static_cast<std::size_t>(i)];
        s.spec && s.spec->kind && *s.spec->kind == StorageKind::local && s.spec->mount && mounts(s, g) &&
        is_plain_path(*s.spec->mount) == plain)
      return &s;
  return nullptr;
}

bool says_anything(const ContainerSettings& w) {
  return w.nvidia || w.cdi || w.memlock || w.nofile > 0 || w.shared_memory > 0;
}

}  // namespace

bool runs_containers(const NodeGroupModel& g, std::initializer_list<std::string_view> names) {
  return std::any_of(g.software->containers.begin(), g.software->containers.end(), [&](const NamedVersion& v) {
    return v.kind && std::find(names.begin(), names.end(), to_lower(*v.kind)) != names.end();
  });
}

bool has_gpus_of(const NodeGroupModel& g, Vendor vendor) {
  return g.server.gpu_count > 0 && g.server.gpu && g.server.gpu->vendor.value_or(Vendor::nvidia) == vendor;
}
bool gpus_by_hook(const NodeGroupModel& g) { return g.software->container_gpus.value_or("cdi") == "hook"; }
bool runs_kubernetes(const Cluster& c) {
  return c.spec.software->scheduler && c.spec.software->scheduler->kind &&
         *c.spec.software->scheduler->kind == SchedulerKind::kubernetes;
}

ContainerSettings container_settings(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  ContainerSettings w;
  w.nvidia = has_gpus_of(g, Vendor::nvidia) && !by_operator(g);
  w.cdi = g.server.gpu_count > 0 && !gpus_by_hook(g);
  if (const std::string kib = locked_memory(c, group); !kib.empty())
    w.memlock = kib == "unlimited" ? -1 : static_cast<std::int64_t>(parse_uint(kib).value_or(0)) * 1024;
  if (g.software->limits && g.software->limits->nofile) w.nofile = *g.software->limits->nofile;
  if (g.software->limits && g.software->limits->shared_memory)
    w.shared_memory = static_cast<std::int64_t>(g.software->limits->shared_memory->value);
  return w;
}

const StorageModel* enroot_scratch_refused(const Cluster& c, const NodeGroupModel& g) {
  return g.count > 0 && runs_containers(g, {"enroot"}) && !scratch_of(c, g) ? scratch_of(c, g, false) : nullptr;
}

bool mirrors_docker(const Cluster& c) {
  const std::vector<std::string> all = mirrored_registries(c);
  return std::find(all.begin(), all.end(), kDockersOwn) != all.end();
}
bool is_hosts_toml(std::string_view name) { return name.ends_with("/hosts.toml"); }

std::vector<ContainerFile> container_files(const Cluster& c, int group) {
  std::vector<ContainerFile> out;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (g.count == 0 || g.software->containers.empty()) return out;
  const ContainerSettings w = container_settings(c, group);
  const bool limits = w.memlock || w.nofile > 0;
  const std::vector<std::string> mirrored = mirrored_registries(c);
  if (runs_containers(g, {"docker"}) && (says_anything(w) || mirrors_docker(c)))
    out.push_back({"daemon.json", "/etc/docker/daemon.json"});
  if (runs_containers(g, {"containerd"}) && (w.nvidia || w.cdi || runs_kubernetes(c) || !mirrored.empty()))
    out.push_back({"containerd.toml", "/etc/containerd/config.toml"});
  if (runs_containers(g, {"containerd"}) && limits)
    out.push_back({"containerd-limits.conf", "/etc/systemd/system/containerd.service.d/90-cluster.conf"});
  if (runs_containers(g, {"containerd"}))
    for (const std::string& r : mirrored)
      out.push_back({"certs.d/" + r + "/hosts.toml", "/etc/containerd/certs.d/" + r + "/hosts.toml"});
  if (runs_containers(g, {"podman", "cri-o", "crio"}) && !mirrored.empty())
    out.push_back({"registries.conf", "/etc/containers/registries.conf.d/90-cluster-mirror.conf"});
  if (runs_containers(g, {"cri-o", "crio"}) && (w.nvidia || w.cdi || limits))
    out.push_back({"crio.conf", "/etc/crio/crio.conf.d/90-cluster.conf"});
  if (runs_containers(g, {"podman"}) && (limits || w.shared_memory > 0))
    out.push_back({"containers.conf", "/etc/containers/containers.conf.d/90-cluster.conf"});
  if (runs_containers(g, {"enroot"}))
    out.push_back({"enroot.conf", "/etc/enroot/enroot.conf"}),
        out.push_back({"enroot-tmpfiles.conf", "/etc/tmpfiles.d/90-cluster-enroot.conf"});
  if (runs_containers(g, {"apptainer", "singularity"}) && g.server.gpu_count > 0)
    out.push_back({"apptainer.conf", "/etc/apptainer/apptainer.conf"});
  if (w.nvidia && w.cdi && runs_containers(g, {"docker", "containerd", "cri-o", "crio", "podman"}))
    out.push_back({"cluster-cdi.service", "/etc/systemd/system/cluster-cdi.service"});
  return out;
}

std::string enroot_folder(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const StorageModel* scratch = runs_containers(g, {"enroot"}) ? scratch_of(c, g) : nullptr;
  return scratch ? *scratch->spec->mount + "/enroot" : std::string();
}

}  // namespace clusterc
