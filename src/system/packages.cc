#include "system/packages.h"

#include <algorithm>
#include <array>

#include "model/gpu_software.h"
#include "model/nvlink.h"
#include "spec/network.h"
#include "system/runtimes.h"

namespace clusterc {
namespace {

// The folders that the vendors' repositories have for a release of an operating system. AMD's have Ubuntu's names, for
// Debian too (ROCm installation, Debian 12: jammy).
struct Release {
  std::string_view os, cuda, doca, codename;
  bool deb;
};
constexpr std::array kReleases{
    Release{"ubuntu-22.04", "ubuntu2204", "ubuntu22.04", "jammy", true},
    Release{"ubuntu-24.04", "ubuntu2404", "ubuntu24.04", "noble", true},
    Release{"debian-12", "debian12", "debian12.5", "jammy", true},
    Release{"debian-13", "debian13", "debian13", "noble", true},
    Release{"8", "rhel8", "rhel8", "", false},
    Release{"9", "rhel9", "rhel9", "", false},
};

// Rocky, AlmaLinux and RHEL share packages, by the first number of their release.
const Release* release_of(const Software& s) {
  const std::string os = s.os.value_or("");
  std::string_view key = os;
  for (const std::string_view family : {"rhel-", "rocky-", "almalinux-"})
    if (os.starts_with(family)) key = std::string_view(os).substr(family.size()), key = key.substr(0, key.find('.'));
  for (const Release& r : kReleases)
    if (r.os == key) return &r;
  return nullptr;
}

class Choice {
 public:
  Choice(const Cluster& c, int group, const Release& release)
      : c_(c), g_(c.nodes[group]), s_(*g_.software), r_(release), group_(group) {
    arm_ = (g_.server.part.arch && *g_.server.part.arch == Arch::aarch64) || (s_.arch && *s_.arch == Arch::aarch64);
  }
  NodePackages take() {
    rdma();
    if (has_nvidia_gpus(g_)) nvidia();
    if (g_.server.gpu && g_.server.gpu_count > 0 && g_.server.gpu->vendor.value == Vendor::amd && s_.gpu_driver) rocm();
    return std::move(out_);
  }

 private:
  // DOCA: https://docs.nvidia.com/doca/sdk/DOCA-Host+Installation+and+Upgrade (package doca-ofed); folders as listed at
  // https://linux.mellanox.com/public/repo/doca/ (2.9.1, 3.1.0, latest-2.9-LTS; x86_64, arm64-sbsa). A DOCA-OFED is
  // also called by its OFED: 24.10 came with 2.9, 25.01 with 2.10, 25.04 with 3.0, 25.07 with 3.1, 25.10 with 3.2
  // (release notes of these).
  static std::string doca_folder(std::string version) {
    struct Pair {
      std::string_view ofed, doca;
    };
    for (const Pair& p : {Pair{"24.10", "2.9"}, Pair{"25.01", "2.10"}, Pair{"25.04", "3.0"}, Pair{"25.07", "3.1"},
                          Pair{"25.10", "3.2"}})
      if (version == p.ofed) version = p.doca;
    if (version.empty()) return "latest";
    if (version == "2.9") return "latest-2.9-LTS";
    return std::count(version.begin(), version.end(), '.') == 1 ? version + ".0" : version;
  }

  void rdma() {
    const bool fabric = std::any_of(c_.networks.begin(), c_.networks.end(), [&](const NetworkModel& n) {
      return (n.kind == LinkKind::infiniband ||
              (n.kind == LinkKind::ethernet && n.spec && n.spec->rdma.value_or(Rdma::none) != Rdma::none)) &&
             std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == group_; });
    });
    if (!fabric || g_.server.virtual_machine) return;
    const std::string kind = s_.fabric ? s_.fabric->kind.value_or("inbox") : "inbox";
    const std::string version = s_.fabric && s_.fabric->version ? s_.fabric->version->text() : std::string();
    if (kind == "inbox") {
      out_.rdma = {"rdma-core", r_.deb ? "ibverbs-utils" : "libibverbs-utils", "infiniband-diags", "perftest"};
      return;
    }
    const std::string folder(r_.doca);
    if (kind == "doca-ofed") {
      const std::string url = "https://linux.mellanox.com/public/repo/doca/" + doca_folder(version) + "/" + folder +
                              "/" + (arm_ ? "arm64-sbsa" : "x86_64");
      source("doca", url, url + "/GPG-KEY-Mellanox.pub");
      out_.rdma = {"doca-ofed"};
    } else {
      // https://docs.nvidia.com/networking/display/mlnxofedv24100700, "Installing MLNX_OFED Using apt-get": repository,
      // key, mlnx-ofed-all
      const std::string url = "https://linux.mellanox.com/public/repo/mlnx_ofed/" +
                              (version.empty() ? std::string("latest") : "latest-" + version) + "/" + folder + "/" +
                              (arm_ ? "aarch64" : "x86_64");
      source("mlnx-ofed", url, "https://www.mellanox.com/downloads/ofed/RPM-GPG-KEY-Mellanox");
      out_.rdma = {"mlnx-ofed-all"};
    }
  }

  // https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/ (nvidia-open, cuda-drivers, module streams
  // 580-open and 580-dkms) and https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/ (fabric manager,
  // nvlink5 for boards with NVSwitches of the fourth generation).
  void nvidia() {
    const std::string base = "https://developer.download.nvidia.com/compute/cuda/repos/" + std::string(r_.cuda) + "/" +
                             (arm_ ? "sbsa" : "x86_64");
    if (s_.gpu_driver || s_.cuda || s_.nccl) source("cuda", base, base + (r_.deb ? "/3bf863cc.pub" : "/D42D0685.pub"));
    if (s_.gpu_driver) {
      const Version& v = *s_.gpu_driver;
      const std::string branch = v.text().substr(0, v.text().find('.'));
      const bool open = modules_to_install(g_).value_or(true);
      // deb: "=580.95.05-*" holds to a release, "=580.*" to a branch where the name does not; dnf holds to the stream.
      const auto with = [&](const std::string& name, bool branch_in_name) {
        return !r_.deb          ? name
               : !is_branch(v)  ? name + "=" + v.text() + "-*"
               : branch_in_name ? name
                                : name + "=" + branch + ".*";
      };
      const bool suffixed = v.major() < kSuffixless;
      const auto daemon = [&](const std::string& name) {
        return with(suffixed ? name + "-" + branch : name, suffixed);
      };
      if (r_.deb) {
        out_.driver = {with((open ? "nvidia-open-" : "cuda-drivers-") + branch, true), headers()};
      } else {
        // kernel-devel-matched belongs to the kernel that is installed; release 8 has none
        out_.driver = {"@nvidia-driver:" + branch + (open ? "-open" : "-dkms"),
                       r_.os == "8" ? "kernel-devel" : "kernel-devel-matched", "kernel-headers"};
      }
      if (has_nvswitch(g_) && g_.assembly < 0) {  // a rack's switches are managed in its switch trays
        out_.fabric_manager = {daemon("nvidia-fabricmanager")};
        const std::string sm = g_.server.gpu->sm ? g_.server.gpu->sm->text() : std::string();
        if (sm == "100" || sm == "103") out_.fabric_manager.push_back("nvlink5-" + branch);
      }
      if (nvlink_domain_nodes(c_, g_) > 1) out_.imex = {daemon("nvidia-imex")};
      if (!is_branch(v)) out_.nvidia_release = v.text();
      // Vendor's stack and proprietary modules: nvidia-peermem. DMA-BUF of the open ones needs nothing (rule
      // software-gpudirect-mechanism-absent).
      if (!open && !out_.rdma.empty() && s_.fabric && s_.fabric->kind.value_or("inbox") != "inbox" &&
          s_.gpudirect_rdma.value_or(true))
        out_.modules = {"nvidia-peermem"};
    }
    // https://docs.nvidia.com/cuda/cuda-installation-guide-linux/ (cuda-toolkit-12-8);
    // https://docs.nvidia.com/deeplearning/nccl/install-guide/ (libnccl2, libnccl)
    if (s_.cuda) {
      std::string two = s_.cuda->text();
      if (const auto dot = two.find('.'); dot != std::string::npos)
        two = two.substr(0, two.find('.', dot + 1)), two[dot] = '-';
      out_.cuda = {"cuda-toolkit-" + two};
    }
    // Packages of NCCL are 2.28.9-1+cuda13.0. A pattern that ends in '*' is a prefix to apt, and only one that does not
    // is matched as a whole; CUDA's second numbers have one digit.
    if (s_.nccl) {
      std::string wanted = s_.nccl->text();
      wanted += std::count(wanted.begin(), wanted.end(), '.') < 2 ? ".*" : "-*";
      if (s_.cuda) wanted += "+cuda" + s_.cuda->text().substr(0, s_.cuda->text().find('.')) + ".?";
      for (const std::string_view name : r_.deb ? std::array<std::string_view, 2>{"libnccl2", "libnccl-dev"}
                                                : std::array<std::string_view, 2>{"libnccl", "libnccl-devel"})
        out_.cuda.push_back(std::string(name) + (r_.deb ? "=" : "-") + wanted);
    }
  }

  // https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/install-methods/package-manager/:
  // repositories, key, amdgpu-dkms, rocm. What the spec calls the GPU driver of these GPUs is the release of ROCm.
  void rocm() {
    const std::string version = s_.gpu_driver->text(), key = "https://repo.radeon.com/rocm/rocm.gpg.key";
    if (r_.deb) {
      out_.sources.push_back(
          {"amdgpu", "https://repo.radeon.com/amdgpu/" + version + "/ubuntu", std::string(r_.codename), "main", key});
      out_.sources.push_back(
          {"rocm", "https://repo.radeon.com/rocm/apt/" + version, std::string(r_.codename), "main", key});
      out_.rocm = {"amdgpu-dkms", "rocm", headers()};
    } else {
      const std::string os = s_.os->substr(s_.os->find('-') + 1);  // 9.4: AMD has a folder for each minor release
      out_.sources.push_back(
          {"amdgpu", "https://repo.radeon.com/amdgpu/" + version + "/rhel/" + os + "/main/x86_64", "", "", key});
      out_.sources.push_back(
          {"rocm", "https://repo.radeon.com/rocm/" + std::string(r_.doca) + "/" + version + "/main", "", "", key});
      out_.rocm = {"amdgpu-dkms", "rocm", "kernel-devel", "kernel-headers"};
    }
  }

  void source(std::string_view name, const std::string& url, std::string key) {
    out_.sources.push_back({std::string(name), url + "/", r_.deb ? "./" : "", "", std::move(key)});
  }
  std::string headers() const {
    return r_.os.starts_with("ubuntu") ? "linux-headers-generic" : arm_ ? "linux-headers-arm64" : "linux-headers-amd64";
  }

  // From R580 on the daemons' packages bear no branch in their names (the branch is an alias that cannot be held to a
  // release).
  static constexpr int kSuffixless = 580;
  const Cluster& c_;
  const NodeGroupModel& g_;
  const Software& s_;
  const Release& r_;
  int group_;
  bool arm_ = false;
  NodePackages out_;
};

}  // namespace

NodePackages node_packages(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[group];
  const Release* release = release_of(*g.software);
  NodePackages out;
  if (release)
    out = Choice(c, group, *release).take();
  else
    out.unsupported = g.server.gpu_count > 0 && g.software->gpu_driver && g.software->os;
  add_runtimes(c, group, out);
  return out;
}

}  // namespace clusterc
