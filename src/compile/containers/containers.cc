// containers/<group>/: what the container runtimes that the spec names read on the nodes of a group: NVIDIA's runtime
// and the container device interface (CDI) as `nvidia-ctk runtime configure` sets them, limits of containers from the
// spec's own, Enroot's folders: on local scratch, and in memory while it runs.
//
// How GPUs come into a container is `container_gpus`: by CDI (the default here: the configuration names the devices, so
// that systemd keeps them at its next reload) or by a hook of NVIDIA's runtime, which then is the default one in
// Kubernetes. Where the GPU operator installs the toolkit, it sets the runtime itself.
#include "system/containers.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "compile/common.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/mirror.h"
#include "system/node_files.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// The release that the spec names is older; none named: it is not.
bool older(const NodeGroupModel& g, std::string_view name, std::string_view release) {
  std::string error;
  const auto than = Version::parse(release, error);
  return std::any_of(g.software->containers.begin(), g.software->containers.end(), [&](const NamedVersion& v) {
    return v.kind && to_lower(*v.kind) == name && v.version && than && *v.version < *than;
  });
}

constexpr std::string_view kRuntime =
    "/usr/bin/nvidia-container-runtime";  // of the package nvidia-container-toolkit-base

// JSON has no comments, and dockerd refuses keys that it does not know: where it comes from stands in the manifest.
void docker(const Cluster& c, const ContainerSettings& w, const NodeGroupModel& g, std::string& out) {
  JsonWriter j(out, {.indent = 2});
  j.begin_object();
  if (w.cdi && !older(g, "docker", "25")) j.object("features").field("cdi", true).end_object();  // since Docker 25
  if (w.nvidia)
    j.object("runtimes").object("nvidia").array("args").end_array().field("path", kRuntime).end_object().end_object();
  if (w.memlock || w.nofile > 0) {
    j.object("default-ulimits");
    const auto limit = [&](std::string_view name, std::int64_t value) {
      j.object(name).field("Name", name).field("Hard", value).field("Soft", value).end_object();
    };
    if (w.memlock) limit("memlock", *w.memlock);
    if (w.nofile > 0) limit("nofile", w.nofile);
    j.end_object();
  }
  if (w.shared_memory > 0) j.field("default-shm-size", std::to_string(w.shared_memory));
  if (mirrors_docker(c)) j.array("registry-mirrors").value("https://" + *c.spec.software->mirror->server).end_array();
  j.end_object();
  out += '\n';
}

// Version 2 of its configuration, which containerd 1.3 to 2 read. All words in it are this program's own.
void containerd(const CompileInput& in, const ContainerSettings& w, const NodeGroupModel& g, std::string& out) {
  constexpr std::string_view kCri = "[plugins.\"io.containerd.grpc.v1.cri\"";
  out += made_by(in, "");
  out += "version = 2\n# put your own settings into a file there\nimports = [\"/etc/containerd/conf.d/*.toml\"]\n";
  const bool cgroups = runs_kubernetes(
      in.cluster);  // kubelet leaves cgroups to systemd (kubeadm's default since 1.22), and both must agree
  if (w.cdi && !older(g, "containerd", "1.7")) {
    out += '\n', out += kCri;
    out += "]\n# since containerd 1.7\nenable_cdi = true\ncdi_spec_dirs = [\"/etc/cdi\", \"/var/run/cdi\"]\n";
  }
  if (w.nvidia && gpus_by_hook(g) && cgroups)
    out += '\n', out += kCri,
        out +=
        ".containerd]\n# container_gpus: hook; pods need not name a runtime\ndefault_runtime_name = \"nvidia\"\n";
  const auto runtime = [&](std::string_view name, std::string_view binary) {
    const std::string table = std::string(kCri) + ".containerd.runtimes." + std::string(name);
    out += '\n' + table + "]\nruntime_type = \"io.containerd.runc.v2\"\n";
    if (binary.empty() && !cgroups) return;
    out += '\n' + table + ".options]\n";
    if (!binary.empty()) ((out += "BinaryName = \"") += binary) += "\"\n";
    if (cgroups) out += "SystemdCgroup = true\n";
  };
  runtime("runc", {});
  if (w.nvidia) runtime("nvidia", kRuntime);
  if (has_images(in.cluster))
    out += '\n', out += kCri, out += ".registry]\nconfig_path = \"/etc/containerd/certs.d\"\n";
}

// https://github.com/containerd/containerd/blob/main/docs/hosts.md: the mirror is asked first, at its own path for this
// registry, and for nothing but images.
void hosts_toml(const CompileInput& in, std::string_view file, std::string& out) {
  const std::string_view folder = file.substr(0, file.rfind('/')), name = folder.substr(folder.rfind('/') + 1);
  out += made_by(in, "");
  ((out += "server = \"https://") += name == kDockersOwn ? "registry-1.docker.io" : name) += "\"\n\n";
  (((out += "[host.\"https://") += *in.cluster.spec.software->mirror->server) += "/v2/") += name;
  out += "\"]\ncapabilities = [\"pull\", \"resolve\"]\noverride_path = true\n";
}

// containers-registries.conf.d(5), what Podman and CRI-O read. With its port, a name without a dot is a host there too.
void registries(const CompileInput& in, std::string& out) {
  out += made_by(in, "");
  for (const std::string& r : mirrored_registries(in.cluster))
    out += "\n[[registry]]\nprefix = \"" + r + "\"\nlocation = \"" + r + "\"\n\n[[registry.mirror]]\nlocation = \"" +
           *in.cluster.spec.software->mirror->server + ":443/" + r + "\"\n";
}

// systemd.exec(5). A container of containerd has the limits of its daemon: its CRI asks for none of its own. They hold
// from the daemon's next start on.
void containerd_limits(const CompileInput& in, const ContainerSettings& w, std::string& out) {
  out += made_by(in, "");
  IniWriter ini(out);
  ini.section("Service");
  if (w.memlock) ini.field("LimitMEMLOCK", *w.memlock < 0 ? "infinity" : std::to_string(*w.memlock));
  if (w.nofile > 0) ini.field("LimitNOFILE", std::to_string(w.nofile));
}

// CRI-O and Podman have one word and one form for them.
void default_ulimits(const ContainerSettings& w, std::string& out) {
  if (w.memlock || w.nofile > 0) {
    out += "default_ulimits = [";
    if (w.memlock) out += "\"memlock=" + std::to_string(*w.memlock) + ":" + std::to_string(*w.memlock) + "\"";
    if (w.nofile > 0)
      out += std::string(w.memlock ? ", " : "") + "\"nofile=" + std::to_string(w.nofile) + ":" +
             std::to_string(w.nofile) + "\"";
    out += "]\n";
  }
}

void crio(const CompileInput& in, const ContainerSettings& w, const NodeGroupModel& g, std::string& out) {
  out += made_by(in, "");
  out += "[crio.runtime]\n";
  if (w.cdi) out += "cdi_spec_dirs = [\"/etc/cdi\", \"/var/run/cdi\"]\n";
  if (w.nvidia && gpus_by_hook(g))
    out += "# container_gpus: hook; pods need not name a runtime\ndefault_runtime = \"nvidia\"\n";
  default_ulimits(w, out);
  if (w.nvidia)
    out +=
        "\n[crio.runtime.runtimes.nvidia]\nruntime_path = \"" + std::string(kRuntime) + "\"\nruntime_type = \"oci\"\n";
}

void podman(const CompileInput& in, const ContainerSettings& w, std::string& out) {
  out += made_by(in, "");
  if (w.cdi)
    out += "# GPUs: podman reads /etc/cdi and /var/run/cdi by itself: podman run --device nvidia.com/gpu=all\n";
  out += "[containers]\n";
  default_ulimits(w, out);
  if (w.shared_memory > 0) out += "shm_size = \"" + std::to_string(w.shared_memory) + "\"\n";
}

// github.com/NVIDIA/enroot, enroot.in (config::init): a name and its value in each line; the shell expands the value
// for the user who runs it.
void enroot(const CompileInput& in, const std::string& folder, std::string& out) {
  out += made_by(in, "");
  // Its own choice is $XDG_RUNTIME_DIR, which a job has not, else /run/enroot, which is root's
  out +=
      "# running containers: every user can write to /run/enroot, as to /tmp "
      "(enroot-tmpfiles.conf)\nENROOT_RUNTIME_PATH "
      "/run/enroot/user-$(id -u)\n";
  if (folder.empty()) return;
  out += "# images and containers are on the local drives\n";
  for (const auto& [key, name] :
       {std::pair<std::string_view, std::string_view>{"ENROOT_CACHE_PATH", "cache"}, {"ENROOT_DATA_PATH", "data"}})
    ((((((out += key) += ' ') += folder) += '/') += name) += "-$(id -u)") += '\n';
  out += "ENROOT_TEMP_PATH " + folder + '\n';  // the other two Enroot makes itself
}

// A folder of memory in which every user makes one of his own; /run is empty at each start (tmpfiles.d(5)).
void enroot_tmpfiles(const CompileInput& in, std::string& out) {
  out += made_by(in, "");
  out += "d /run/enroot 1777 root root -\n";
}

void apptainer(const CompileInput& in, const NodeGroupModel& g, std::string& out) {
  out += made_by(in, "");
  out += has_gpus_of(g, Vendor::amd) ? "always use rocm = yes\n" : "always use nv = yes\n";
}

// Where the toolkit has no unit of its own for it (before 1.18), something has to say which devices there are, at each
// start: their driver may have changed.
void cdi_unit(const CompileInput& in, std::string& out) {
  out += made_by(in, "");
  IniWriter w(out);
  w.section("Unit")
      .field("Description", "Container devices (CDI) of the GPUs")
      .field("After", "nvidia-persistenced.service nvidia-fabricmanager.service")
      .field("ConditionPathExists", "/usr/bin/nvidia-ctk");
  w.section("Service")
      .field("Type", "oneshot")
      .field("RemainAfterExit", "yes")
      .field("ExecStart", "/usr/bin/nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml");
  w.section("Install").field("WantedBy", "multi-user.target");
}

bool wants_containers(const Cluster& c) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (!container_files(c, static_cast<int>(g)).empty() || enroot_scratch_refused(c, c.nodes[g])) return true;
  return false;
}

void emit_containers(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "containers", {}, findings);
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    const ContainerSettings w = container_settings(in.cluster, static_cast<int>(i));
    if (const StorageModel* s = enroot_scratch_refused(in.cluster, g))
      findings
          .warning("enroot-scratch-not-plain", s->spec->mount.span,
                   format("Enroot of '{}' does not use its scratch: enroot.conf cannot hold the path '{}'", g.name,
                          one_line(*s->spec->mount)))
          .help("mount it at a path of letters, digits and / . _ -");
    for (const ContainerFile& f : container_files(in.cluster, static_cast<int>(i))) {
      bundle.open("containers/" + g.name + "/" + f.name, "containers");
      std::string& out = bundle.text();
      if (f.name == "daemon.json")
        docker(in.cluster, w, g, out);
      else if (f.name == "containerd.toml")
        containerd(in, w, g, out);
      else if (f.name == "containerd-limits.conf")
        containerd_limits(in, w, out);
      else if (is_hosts_toml(f.name))
        hosts_toml(in, f.name, out);
      else if (f.name == "registries.conf")
        registries(in, out);
      else if (f.name == "crio.conf")
        crio(in, w, g, out);
      else if (f.name == "containers.conf")
        podman(in, w, out);
      else if (f.name == "enroot.conf")
        enroot(in, enroot_folder(in.cluster, static_cast<int>(i)), out);
      else if (f.name == "enroot-tmpfiles.conf")
        enroot_tmpfiles(in, out);
      else if (f.name == "apptainer.conf")
        apptainer(in, g, out);
      else
        cdi_unit(in, out);
      bundle.close();
    }
  }
}

}  // namespace

extern const Output kContainersOutput;  // registry.cc names it
const Output kContainersOutput{
    .id = "containers",
    .summary =
        "configuration of the container runtimes for each node group: NVIDIA's runtime, container devices (CDI), "
        "limits, folders, the registry mirror",
    .consumers = "Docker 20.10, containerd 1.6, CRI-O 1.23, Podman 4, Enroot 3.2, Apptainer 1 and newer",
    .wanted = wants_containers,
    .emit = emit_containers,
};

}  // namespace clusterc
