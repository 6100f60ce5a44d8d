// kickstart/GROUP.ks for Anaconda: Rocky Linux, AlmaLinux, CentOS Stream and RHEL. Which disks is found out by its
// %pre, and what is done last by its %post.

#include <algorithm>
#include <string>

#include "base/text.h"
#include "compile/common.h"
#include "compile/installer_files.h"
#include "spec/software.h"
#include "system/install.h"

namespace clusterc {
namespace {

constexpr std::string_view kKickstartFile = "kickstart.ks";

bool wants_kickstart(const Cluster& c) { return installs(c, Installer::kickstart); }

// A command and its options: no section, no file that is read in its place, no password.
bool is_command(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const auto printed = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\'' && c != '#';
  };
  return plain && std::all_of(text.begin(), text.end(), printed) && word != "rootpw" && word != "sshpw";
}

// Disks are %pre's business, after it has found them; the rest follows from the spec. The network of another port is
// nobody's but the extra line's.
bool commanded(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  constexpr std::string_view kOurs[] = {"autopart", "bootloader", "btrfs", "clearpart", "ignoredisk", "logvol",
                                        "mount",    "nvdimm",     "part",  "partition", "raid",       "reqpart",
                                        "snapshot", "timezone",   "url",   "volgroup",  "zerombr"};
  if (word == "network")
    return text.find("--device=") == text.npos || text.find("--device=bootif") != text.npos ||
           text.find("--device=link") != text.npos;
  return std::find(std::begin(kOurs), std::end(kOurs), word) != std::end(kOurs);
}

void emit_kickstart(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "kickstart", {kKickstartFile}, findings);
  const std::string extra = install_extra(in, kKickstartFile, is_command,
                                          "repo --name=site --baseurl=http://mirror.example/el9/", findings, commanded);
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    if (installer_of(in.cluster, static_cast<int>(g)) != Installer::kickstart) continue;
    const auto plan = install_plan(in.system, static_cast<int>(g), findings);
    if (!plan) continue;
    const NodeGroupModel& group = in.cluster.nodes[g];
    const std::string arch = plan->release.arm ? "aarch64" : "x86_64";
    bundle.open("kickstart/" + group.name + ".ks", "kickstart");
    std::string& out = bundle.text();
    out += install_header(in, "kickstart");
    out += "text\nreboot\neula --agreed\nfirstboot --disabled\nlang en_US.UTF-8\nkeyboard --xlayouts=us\ntimezone " +
           group.software->time_zone.value_or("UTC") + " --utc\n";
    out +=
        "# the network that the node booted from; DHCP gives the host name\nnetwork --bootproto=dhcp "
        "--device=bootif --onboot=yes --activate\n";
    out += "url --url=" + plan->mirror + "/BaseOS/" + arch + "/os/\nrepo --name=AppStream --baseurl=" + plan->mirror +
           "/AppStream/" + arch + "/os/\n";
    out += "# no passwords: administrators log in by key (%post), root cannot log in\nrootpw --lock\nuser --name=" +
           plan->user + " --groups=wheel --homedir=/var/lib/" + plan->user + " --lock\n";
    out +=
        "selinux --enforcing\n# no firewall of the distribution, as on Debian and Ubuntu: nftables filters incoming "
        "traffic, if it is compiled\nfirewall --disabled\nservices --enabled=sshd,chronyd\n# disks: %pre writes this "
        "file, and ends the installation unless it finds the disks of the spec\n%include /tmp/cluster-disks.ks\n";
    if (!extra.empty()) out += "# outputs.kickstart.extra of the spec\n" + extra;
    out += "\n%packages\n@^minimal-environment\nchrony\ncloud-init\ncurl\npython3\nsudo\n%end\n";
    out += "\n%pre --erroronfail --log=/tmp/cluster-disks.log\n" + disks_script(*plan, "disks-kickstart.sh") + "%end\n";
    out += "\n%post --erroronfail --log=/root/cluster-finish.log\n" + finish_script(in, static_cast<int>(g), *plan) +
           "%end\n";
    bundle.close();
  }
}

}  // namespace

extern const Output kKickstartOutput;  // registry.cc names it
const Output kKickstartOutput{
    .id = "kickstart",
    .summary = "unattended installation of Rocky Linux, AlmaLinux, CentOS Stream and RHEL, for each node group",
    .consumers = "Anaconda of releases 8 to 10",
    .wanted = wants_kickstart,
    .emit = emit_kickstart,
};

}  // namespace clusterc
