#include "system/runtimes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/containers.h"
#include "system/install.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Releases that their projects tagged, oldest first: a spec that names the begin of one gets the last of them.
// github.com/NVIDIA/enroot, NVIDIA/pyxis and apptainer/apptainer, tags, November 2026.
constexpr auto kEnroot = std::to_array<std::string_view>({"3.4.1", "3.5.0", "4.0.1", "4.1.2"});
constexpr auto kPyxis = std::to_array<std::string_view>(
    {"0.15.0", "0.16.1", "0.17.0", "0.18.0", "0.19.0", "0.20.1", "0.21.0", "0.22.0", "0.23.0", "0.24.0"});
constexpr auto kApptainer = std::to_array<std::string_view>({"1.3.6", "1.4.5", "1.5.3"});

// Libraries of MPI that distributions have: packages.debian.org, packages.ubuntu.com (openmpi-bin, mpich); AppStream of
// releases 8 and 9 (openmpi, mpich).
struct Packaged {
  std::string_view os, openmpi, mpich;
};
constexpr std::array kPackaged{Packaged{"debian-12", "4.1.4", "4.0.2"},  Packaged{"debian-13", "5.0.7", "4.2.1"},
                               Packaged{"ubuntu-22.04", "4.1.2", "4.0"}, Packaged{"ubuntu-24.04", "4.1.6", "4.2.0"},
                               Packaged{"8", "4.1.1", "3.4.2"},          Packaged{"9", "4.1.1", "4.1.1"}};

bool begins_release(std::string_view whole, std::string_view begin) {
  return whole.starts_with(begin) && (whole.size() == begin.size() || whole[begin.size()] == '.');
}
bool is_full(std::string_view release) { return std::count(release.begin(), release.end(), '.') == 2; }

// Empty: the spec names the begin of a release that is not in the list.
std::string full_release(const Value<Version>& wanted, std::span<const std::string_view> known) {
  if (!wanted) return std::string(known.back());
  if (is_full(wanted->text())) return wanted->text();
  std::string out;
  for (const std::string_view release : known)
    if (begins_release(release, wanted->text())) out = release;
  return out;
}

class Choice {
 public:
  Choice(const Cluster& c, int group, const KnownRelease& release, NodePackages& out)
      : c_(c), g_(c.nodes[static_cast<std::size_t>(group)]), s_(*g_.software), r_(release), out_(out) {
    settings_ = container_settings(c, group);
    deb_ = r_.family == "debian" || r_.family == "ubuntu";
  }

  void containers() {
    for (const NamedVersion& v : s_.containers) {
      if (!v.kind) continue;
      const std::string kind = to_lower(*v.kind);
      bool known = true;
      if (kind == "docker" || kind == "containerd")
        docker(kind, v.version);
      else if (kind == "podman")
        out_.runtimes.push_back(held("podman", v.version, ""));
      else if (kind == "cri-o" || kind == "crio")
        known = crio(v.version);
      else if (kind == "enroot")
        known = enroot(v.version);
      else if (kind == "apptainer")
        known = apptainer(v.version);
      else if (kind == "pyxis")
        known = pyxis(v.version);
      else
        known = kind == "nvidia-container-toolkit";
      if (!known) out_.uninstalled.push_back(*v.kind);
    }
    toolkit();
  }

  void mpi() {
    if (!s_.mpi || !s_.mpi->kind || !starts_programs(c_, g_)) return;
    const std::string wanted = s_.mpi->version ? s_.mpi->version->text() : std::string();
    const bool open = *s_.mpi->kind == "openmpi", mpich = *s_.mpi->kind == "mpich";
    // The vendor's stack has UCX and Open MPI 4.1 of its own, which the distribution's conflict with (MLNX_OFED and
    // DOCA-Host release notes, "Package Contents").
    const bool vendor = !out_.rdma.empty() && s_.fabric && s_.fabric->kind.value_or("inbox") != "inbox";
    const auto packaged = std::find_if(kPackaged.begin(), kPackaged.end(), [&](const Packaged& p) {
      return p.os == r_.os || (!deb_ && p.os == r_.number);
    });
    if (vendor && open && (wanted.empty() || begins_release("4.1", wanted))) {
      out_.mpi = {"ucx", deb_ ? "openmpi=4.1.*" : "openmpi"};
      return;
    }
    if (!vendor && (open || mpich) && packaged != kPackaged.end() &&
        (wanted.empty() || begins_release(open ? packaged->openmpi : packaged->mpich, wanted))) {
      if (open)
        out_.mpi = deb_ ? std::vector<std::string>{"openmpi-bin", "libopenmpi-dev", "libucx-dev", "ucx-utils"}
                        : std::vector<std::string>{"openmpi", "openmpi-devel", "ucx", "ucx-devel"};
      else
        out_.mpi =
            deb_ ? std::vector<std::string>{"mpich", "libmpich-dev"} : std::vector<std::string>{"mpich", "mpich-devel"};
      return;
    }
    if (!open || !is_full(wanted)) return;
    // https://docs.open-mpi.org/en/v5.0.x/installing-open-mpi/: the folder of a series, named for two numbers
    out_.mpi_source = "https://download.open-mpi.org/release/open-mpi/v" + wanted.substr(0, wanted.rfind('.')) +
                      "/openmpi-" + wanted + ".tar.bz2";
    out_.mpi_release = wanted;
    out_.mpi = deb_ ? std::vector<std::string>{"gcc", "g++", "gfortran", "make", "perl", "bzip2", "zlib1g-dev"}
                    : std::vector<std::string>{"gcc", "gcc-c++", "gcc-gfortran", "make", "perl", "bzip2", "zlib-devel"};
    if (vendor)
      out_.mpi.emplace_back("ucx");
    else
      for (const std::string_view name : deb_ ? std::array<std::string_view, 2>{"libucx-dev", "ucx-utils"}
                                              : std::array<std::string_view, 2>{"ucx", "ucx-devel"})
        out_.mpi.emplace_back(name);
  }

 private:
  // "27.3" -> "docker-ce=5:27.3.*", of dnf "docker-ce-3:27.3.*"; of a full release "=5:27.3.1-*".
  std::string held(std::string_view package, const Value<Version>& v, std::string_view epoch) const {
    std::string out(package);
    if (!v) return out;
    ((out += deb_ ? '=' : '-') += epoch) += v->text();
    return out += is_full(v->text()) ? "-*" : ".*";
  }

  // Docker's packages and the distribution's exclude each other: a release of one is that of both.
  bool dockers_own() const {
    return std::any_of(s_.containers.begin(), s_.containers.end(), [](const NamedVersion& v) {
      return v.kind && v.version && (to_lower(*v.kind) == "docker" || to_lower(*v.kind) == "containerd");
    });
  }

  void source(std::string_view name, const std::string& url, std::string_view suite, std::string_view components,
              const std::string& key) {
    if (std::none_of(out_.sources.begin(), out_.sources.end(), [&](const PackageSource& s) { return s.name == name; }))
      out_.sources.push_back({std::string(name), url, std::string(suite), std::string(components), key});
  }

  // https://docs.docker.com/engine/install/: docker-ce, docker-ce-cli, containerd.io. Without a release in the spec the
  // distribution's own, where it has one: Debian's and Ubuntu's docker.io and containerd.
  void docker(const std::string& kind, const Value<Version>& v) {
    if (deb_ && !v && !dockers_own()) {
      out_.runtimes.emplace_back(kind == "docker" ? "docker.io" : "containerd");
      return;
    }
    const std::string base = "https://download.docker.com/linux/";
    if (deb_)
      source("docker", base + std::string(r_.family), r_.codename, "stable", base + std::string(r_.family) + "/gpg");
    else
      source("docker",
             base + (r_.family == "rhel" ? "rhel/" : "centos/") + r_.number + (r_.arm ? "/aarch64" : "/x86_64") +
                 "/stable/",
             "", "", base + (r_.family == "rhel" ? "rhel" : "centos") + "/gpg");
    if (kind == "docker") {
      out_.runtimes.push_back(held("docker-ce", v, deb_ ? "5:" : "3:"));
      out_.runtimes.push_back(held("docker-ce-cli", v, deb_ ? "5:" : "1:"));
    }
    if (kind == "containerd") out_.runtimes.push_back(held("containerd.io", v, ""));
  }

  // github.com/cri-o/packaging, README, "Usage": a repository for each series, which is Kubernetes' own.
  bool crio(const Value<Version>& wanted) {
    const Value<Version>* v = &wanted;
    if (!*v && runs_kubernetes(c_)) v = &c_.spec.software->scheduler->version;
    if (!*v) return false;
    const std::string& text = (*v)->text();
    const std::string series = is_full(text) ? text.substr(0, text.rfind('.')) : text;
    const std::string url = "https://download.opensuse.org/repositories/isv:/cri-o:/stable:/v" + series;
    if (deb_)
      source("cri-o", url + "/deb/", "./", "", url + "/deb/Release.key");
    else
      source("cri-o", url + "/rpm/", "", "", url + "/rpm/repodata/repomd.xml.key");
    out_.runtimes.push_back(held("cri-o", wanted, ""));
    return true;
  }

  // github.com/NVIDIA/enroot, doc/installation.md. enroot+caps lets users import images.
  bool enroot(const Value<Version>& v) {
    const std::string release = full_release(v, kEnroot);
    if (release.empty()) return false;
    const std::string base = "https://github.com/NVIDIA/enroot/releases/download/v" + release + "/";
    for (const std::string_view name : {"enroot", "enroot+caps"})
      out_.runtime_files.push_back(base + std::string(name) +
                                   (deb_ ? "_" + release + "-1_" + arch() + ".deb"
                                         : "-" + release + "-1.el8." + (r_.arm ? "aarch64" : "x86_64") + ".rpm"));
    return true;
  }

  // https://apptainer.org/docs/admin/main/installation.html, "GitHub release Debian packages", "GitHub release RPMs".
  bool apptainer(const Value<Version>& v) {
    const std::string release = full_release(v, kApptainer);
    if (release.empty()) return false;
    out_.runtime_files.push_back("https://github.com/apptainer/apptainer/releases/download/v" + release + "/apptainer" +
                                 (deb_ ? "_" + release + "_" + arch() + ".deb"
                                       : "-" + release + "-1." + (r_.arm ? "aarch64" : "x86_64") + ".rpm"));
    return true;
  }

  // github.com/NVIDIA/pyxis, README, "Installation": built for the release of Slurm that runs, where srun runs too.
  bool pyxis(const Value<Version>& v) {
    const std::string release = full_release(v, kPyxis);
    const auto& scheduler = c_.spec.software->scheduler;
    if (release.empty() || !scheduler || scheduler->kind.value_or(SchedulerKind::none) != SchedulerKind::slurm)
      return false;
    if (!runs_slurmd(c_, g_) && !g_.has_role(Role::login)) return true;
    out_.pyxis = "https://github.com/NVIDIA/pyxis/archive/refs/tags/v" + release + ".tar.gz";
    return true;
  }

  // https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html: the repository, and
  // its four packages of one release. Apptainer brings the driver's libraries in itself.
  void toolkit() {
    if (!settings_.nvidia ||
        !runs_containers(g_, {"docker", "containerd", "cri-o", "crio", "podman", "enroot", "nvidia-container-toolkit"}))
      return;
    const std::string base = "https://nvidia.github.io/libnvidia-container/", key = base + "gpgkey";
    if (deb_)
      source("nvidia-container-toolkit", base + "stable/deb/" + arch() + "/", "./", "", key);
    else
      source("nvidia-container-toolkit", base + "stable/rpm/" + (r_.arm ? "aarch64/" : "x86_64/"), "", "", key);
    const auto named = std::find_if(s_.containers.begin(), s_.containers.end(), [](const NamedVersion& v) {
      return v.kind && to_lower(*v.kind) == "nvidia-container-toolkit";
    });
    for (const std::string_view name : {"nvidia-container-toolkit", "nvidia-container-toolkit-base",
                                        "libnvidia-container-tools", "libnvidia-container1"})
      out_.runtimes.push_back(held(name, named == s_.containers.end() ? Value<Version>() : named->version, ""));
  }

  std::string arch() const { return r_.arm ? "arm64" : "amd64"; }

  const Cluster& c_;
  const NodeGroupModel& g_;
  const Software& s_;
  const KnownRelease& r_;
  NodePackages& out_;
  ContainerSettings settings_;
  bool deb_ = false;
};

}  // namespace

bool starts_programs(const Cluster& c, const NodeGroupModel& g) {
  return !g.spec || g.spec->roles.empty() || g.has_role(Role::compute) || g.has_role(Role::login) || runs_slurmd(c, g);
}

void add_runtimes(const Cluster& c, int group, NodePackages& out) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (g.count == 0) return;
  if (const auto release = known_release(g)) {
    Choice choice(c, group, *release, out);
    choice.containers();
    choice.mpi();
    return;
  }
  for (const NamedVersion& v : g.software->containers)
    if (v.kind) out.uninstalled.push_back(*v.kind);
}

}  // namespace clusterc
