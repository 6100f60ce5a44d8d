// ipxe/GROUP.ipxe: what iPXE does on the nodes of a group once DHCP has pointed it here. A node starts from its disk,
// unless somebody at its console chooses otherwise in ten seconds, or asked for its installation before: by a file
// install/NODE beside the compiled tree.

#include <string>

#include "compile/common.h"
#include "compile/installer_files.h"
#include "system/install.h"

namespace clusterc {
namespace {

bool wants_ipxe(const Cluster& c) { return installs(c); }

// Kernel and initial file system where each project has them for booting over the network; Ubuntu's come from its
// server image, unpacked on the boot server.
struct Start {
  std::string kernel, initrd, arguments;
};
Start start_of(const InstallPlan& p, const std::string& group) {
  // The port that the machine was started over, as PXELINUX names it (IPAPPEND 2): installers then take no other.
  const std::string common = " BOOTIF=01-${netX/mac:hexhyp} cluster.host=${hostname}",
                    arch = p.release.arm ? "aarch64" : "x86_64";
  switch (p.installer) {
    case Installer::preseed: {
      const std::string folder = netboot_folder(p.release, p.mirror);
      return {folder + "linux", folder + "initrd.gz",
              "auto=true priority=critical url=" + p.server.url + "/preseed/" + group +
                  ".cfg hostname=${hostname} interface=auto" + common};
    }
    case Installer::autoinstall: {
      const std::string folder = p.server.url + "/media/" + medium_of(p.release);
      return {folder + "/casper/vmlinuz", folder + "/casper/initrd",
              "ip=dhcp url=" + folder + ".iso autoinstall ds=nocloud-net;s=" + p.server.url + "/autoinstall/" + group +
                  "/" + common};
    }
    case Installer::kickstart:
      break;
  }
  // The iPXE that distributions pack knows no TLS; the installer does. These mirrors answer both ways.
  constexpr std::string_view kTls = "https://";
  const std::string folder = netboot_folder(p.release, p.mirror),
                    boot = folder.starts_with(kTls) ? "http://" + folder.substr(kTls.size()) : folder;
  return {boot + "vmlinuz", boot + "initrd.img",
          "ip=dhcp inst.repo=" + p.mirror + "/BaseOS/" + arch + "/os/ inst.ks=" + p.server.url + "/kickstart/" + group +
              ".ks" + common};
}

void emit_ipxe(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "ipxe", {}, findings);
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    Findings of_installer;  // said by the installer's own output
    const auto plan = install_plan(in.system, static_cast<int>(g), of_installer);
    if (!plan) note_uninstalled(in.cluster, static_cast<int>(g), findings);
    if (!plan) continue;
    const std::string& group = in.cluster.nodes[g].name;
    const Start start = start_of(*plan, group);
    bundle.open("ipxe/" + group + ".ipxe", "ipxe");
    std::string& out = bundle.text();
    out += "#!ipxe\n" + install_header(in, "");
    out += "imgfetch --name asked " + plan->server.url + "/install/${hostname} && goto install ||\n";
    out += "menu ${hostname}: " + group +
           "\nitem local start from the disk\nitem install erase the disks of the system and install " + plan->os +
           "\n";
    out += "choose --default local --timeout 10000 chosen && goto ${chosen} || goto local\n\n";
    out += ":local\nexit\n\n:install\nimgfree\n";
    out += "kernel " + start.kernel + " initrd=initrd " + start.arguments + "\ninitrd --name initrd " + start.initrd +
           "\nboot\n";
    bundle.close();
  }
}

}  // namespace

extern const Output kIpxeOutput;  // registry.cc names it
const Output kIpxeOutput{
    .id = "ipxe",
    .summary =
        "boot menus of nodes that boot over the network: start from the disk, or install the system of the group",
    .consumers = "iPXE 1.0 and newer",
    .wanted = wants_ipxe,
    .emit = emit_ipxe,
};

}  // namespace clusterc
