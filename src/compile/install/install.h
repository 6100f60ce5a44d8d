// Bare machines that get their operating system over the network: which installer each group has, from where, onto which disks. Decided here once; the
// installers' outputs, the boot menus and DHCP write it in their own words.
//
// What cannot be known is served beside the compiled tree: `authorized_keys` of the administrators, `media/OS` where a distribution has no public mirror.
// A node is installed by another: the first that provisions, over the primary network. Whoever provisions is not installed this way, nor is a cloud.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compile/file_systems.h"
#include "compile/output.h"

namespace clusterc {

enum class Installer : std::uint8_t { preseed, autoinstall, kickstart };

// nullopt: no installer of this operating system is known, or nobody installs the group. `wanted` of the outputs asks the second.
std::optional<Installer> installer_of(const Cluster&, int group);
bool installs(const Cluster&, Installer);
bool installs(const Cluster&);

// The group whose first node installs others, and gives them their addresses; -1: none does.
int first_provisioner(const Cluster&);

// The machine that DHCP, boot loaders and installers come from.
struct BootServer {
  std::uint32_t address = 0;
  std::string url;                                 // of the folder that holds the compiled tree
};
std::optional<BootServer> boot_server(const CompileInput&);   // nullopt: nobody provisions, or has an address

struct InstallPlan {
  Installer installer;
  std::string os, release;                         // "debian-12", "12"
  std::string_view codename;                       // Debian's: "bookworm"
  bool arm = false;
  BootServer server;
  std::string mirror, user, keys;                  // URL without a slash at its end; account; URL of its authorized_keys
  DriveChoice disks;                               // mirrors of each other where there are several; of any kind: the only disk of the machine
  bool network = false;                            // cloud-init has a network-config of each node
  std::int64_t folders = 0;                        // of cloud-init: GROUP-0, GROUP-1, …
};
std::optional<InstallPlan> install_plan(const CompileInput&, int group, Findings&);

// Headers of files whose readers join lines that end with a backslash, comments too.
std::string install_header(const CompileInput&, std::string_view output_id);
// What Ansible makes file systems of data drives with (templates/install/data-drives.sh says how it is called).
std::string data_drives_script();
// Scripts of templates/install with what they are told above them.
std::string disks_script(const InstallPlan&, std::string_view tail);   // tail: disks-preseed.sh, …
std::string finish_script(const CompileInput&, int group, const InstallPlan&);

// Does a client that boots over the network find what to start? Then DHCP points it there.
bool boots_over_network(const Cluster&);

// Extra lines of an installer's file, each taken over where `good` says so.
std::string install_extra(const CompileInput&, std::string_view file, bool (*good)(std::string_view), std::string_view example, Findings&);

}  // namespace clusterc
