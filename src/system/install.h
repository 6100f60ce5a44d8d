// Bare machines that get their operating system over the network: which installer each group has, from where, onto
// which disks. Decided here once; the installers' outputs, the boot menus and DHCP write it in their own words.
//
// What cannot be known is served beside the compiled tree: `authorized_keys` of the administrators, `media/OS` where a
// distribution has no public mirror. A node is installed by another: the first that provisions, over the network that
// both are in. Whoever provisions is not installed this way, nor is a cloud.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "system/file_systems.h"
#include "system/system.h"

namespace clusterc {

enum class Installer : std::uint8_t { preseed, autoinstall, kickstart };

// The release that a group's `os` means, where an installer of it is known here.
struct KnownRelease {
  Installer installer;
  std::string_view family, os;  // "debian", "debian-12"
  std::string_view codename;    // Debian's and Ubuntu's: "bookworm"
  std::string number;           // "12"
  std::string
      mirror;  // whence its project serves it, without a slash at its end; empty: RHEL, with a subscription alone
  bool arm = false;
};
std::optional<KnownRelease> known_release(const NodeGroupModel&);
// Where an installer's kernel and initial file system lie below a mirror.
std::string netboot_folder(const KnownRelease&, const std::string& mirror);

// The folder of a medium that a distribution has no public mirror for: "ubuntu-24.04", "ubuntu-24.04-arm64",
// "rhel-9-aarch64".
std::string medium_of(const KnownRelease&);

// nullopt: no installer of this operating system is known, or nobody installs the group. `wanted` of the outputs asks
// the second.
std::optional<Installer> installer_of(const Cluster&, int group);
bool installs(const Cluster&, Installer);
bool installs(const Cluster&);

// The group whose first node installs others, and gives them their addresses; -1: none does.
int first_provisioner(const Cluster&);

// The network that DHCP, boot loaders and installers reach a group over: its own primary one, where the first
// provisioner is in it too. -1: none.
int install_network(const Cluster&, int group);

// The machine that they come from, as it is reached over one network.
struct BootServer {
  int network = -1;
  std::uint32_t address = 0;
  std::string url;  // of the folder that holds the compiled tree
};
std::vector<BootServer> boot_servers(
    const System&);  // one for each network that groups are installed over, in the order of the networks

// The drives of a group's machines. The system lies on `boot`; the installer stops where any of these is not there.
struct InstallDrives {
  DriveChoice boot;  // mirrors of each other where there are two; of any kind: the only disk of the machine
  std::vector<std::string> paths;  // of boot, in /dev/disk/by-path
  struct Serials {
    std::string host, numbers;  // of boot, with blanks between them
  };
  std::vector<Serials> serials;  // of the nodes whose inventory has them
  struct Other {
    std::string name;
    DriveChoice drives;       // as many as may be there
    std::int64_t fewest = 0;  // and must be: what the catalogue is not sure of may be missing
  };
  std::vector<Other> others;
};

struct InstallPlan {
  Installer installer;
  std::string os;  // "debian-12"
  KnownRelease release;
  BootServer server;
  std::string mirror, security;  // URLs without a slash at their ends; security: of Debian's and Ubuntu's, where the
                                 // site has a mirror of its own
  std::string user, keys;        // account; URL of its authorized_keys
  InstallDrives disks;
  bool network = false;      // cloud-init has a network-config of each node
  std::int64_t folders = 0;  // of cloud-init: GROUP-0, GROUP-1, …
};
std::optional<InstallPlan> install_plan(const System&, int group, Findings&);

// Says of a group that it is not installed over the network, where others are.
void note_uninstalled(const Cluster&, int group, Findings&);

}  // namespace clusterc
