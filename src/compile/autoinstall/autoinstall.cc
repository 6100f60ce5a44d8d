// autoinstall/GROUP/{user-data,meta-data} for Ubuntu's installer (Subiquity), which reads them as cloud-init's NoCloud
// source, and the two scripts that it fetches. Machines start by UEFI: the layout has a system partition for it on each
// disk.

#include <algorithm>
#include <string>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/installer_files.h"
#include "system/install.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kFile = "user-data";
// Keys of autoinstall that are written here: an extra line may not repeat them.
constexpr std::string_view kKeys[] = {"version",
                                      "interactive-sections",
                                      "early-commands",
                                      "locale",
                                      "keyboard",
                                      "network",
                                      "apt",
                                      "storage",
                                      "user-data",
                                      "identity",
                                      "ssh",
                                      "packages",
                                      "late-commands",
                                      "shutdown"};

bool wants_autoinstall(const Cluster& c) { return installs(c, Installer::autoinstall); }

// Actions of curtin (https://curtin.readthedocs.io/en/latest/topics/storage.html), in the order in which they build
// upon each other.
void storage(const InstallPlan& plan, YamlWriter& y) {
  const auto action = [&](std::string_view type, const std::string& id) -> YamlWriter& {
    return y.begin_map().field("type", type).field("id", id);
  };
  y.map("storage").map("swap").field("size", 0).end_map().list("config");
  for (std::int64_t d = 1; d <= plan.disks.boot.count; ++d) {
    const std::string n = std::to_string(d);
    action("disk", "disk" + n)
        .field("path", "/dev/cluster-disk-" + n)
        .field("ptable", "gpt")
        .field("wipe", "superblock-recursive")
        .field("preserve", false)
        .end_map();
    action("partition", "start" + n)
        .field("device", "disk" + n)
        .field("number", 1)
        .field("size", "1G")
        .field("flag", "boot")
        .field("grub_device", true)
        .field("preserve", false)
        .end_map();
    action("format", "start" + n + "-format")
        .field("volume", "start" + n)
        .field("fstype", "fat32")
        .field("preserve", false)
        .end_map();
    action("partition", "system" + n)
        .field("device", "disk" + n)
        .field("number", 2)
        .field("size", -1)
        .field("preserve", false)
        .end_map();
  }
  std::string volume = "system1";
  if (plan.disks.boot.count > 1) {
    volume = "system";
    action("raid", volume).field("name", "md0").field("raidlevel", 1).list("devices");
    for (std::int64_t d = 1; d <= plan.disks.boot.count; ++d) y.value("system" + std::to_string(d));
    y.end_list().field("preserve", false).end_map();
  }
  action("format", "system-format").field("volume", volume).field("fstype", "ext4").field("preserve", false).end_map();
  action("mount", "system-mount").field("device", "system-format").field("path", "/").end_map();
  action("mount", "start-mount").field("device", "start1-format").field("path", "/boot/efi").end_map();
  y.end_list().end_map();
}

void write_user_data(const CompileInput& in, int group, const InstallPlan& plan, const std::string& extra,
                     std::string& out) {
  const std::string folder = plan.server.url + "/autoinstall/" + in.cluster.nodes[static_cast<std::size_t>(group)].name;
  const auto fetch = [&](std::string_view name, std::string_view to) {
    return "curl -fsS -o " + std::string(to) + " " + folder + "/" + std::string(name);
  };
  out += "#cloud-config\n" + install_header(in, "autoinstall");
  YamlWriter y(out);
  y.begin_map().map("autoinstall").field("version", 1);
  y.list("early-commands")
      .value(fetch("disks.sh", "/run/cluster-disks.sh") + " && sh /run/cluster-disks.sh")
      .end_list();
  y.field("locale", "en_US.UTF-8").map("keyboard").field("layout", "us").end_map();
  y.map("network")
      .field("version", 2)
      .map("ethernets")
      .map("any")
      .map("match")
      .field("name", "e*")
      .end_map()
      .field("dhcp4", true)
      .field("optional", true)
      .end_map()
      .end_map()
      .end_map();
  const auto archive = [&](std::string_view which, const std::string& uri) {
    y.list(which)
        .begin_map()
        .key("arches")
        .flow({plan.release.arm ? "arm64" : "amd64"})
        .field("uri", uri)
        .end_map()
        .end_list();
  };
  y.map("apt"), archive("primary", plan.mirror);
  if (!plan.security.empty())
    archive("security", plan.security), y.field("geoip", false);  // nobody outside is asked where the machine stands
  y.end_map();
  storage(plan, y);
  y.map("user-data").field("disable_root", true).end_map();  // in the place of `identity`: nobody has a password
  y.map("ssh").field("install-server", true).field("allow-pw", false).end_map();
  y.list("packages").value("curl").value("python3").end_list();
  y.list("late-commands")
      .value(fetch("finish.sh", "/target/root/finish.sh"))
      .value("curtin in-target --target=/target -- sh /root/finish.sh")
      .end_list();
  y.field("shutdown", "reboot").end_map().end_map();
  if (!extra.empty()) {
    out += "  # outputs.autoinstall.extra of the spec\n";
    append_indented(out, extra, 2);
  }
}

void emit_autoinstall(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "autoinstall", {kFile}, findings);
  std::string extra;
  for (const YamlEntry& e : yaml_entries(in, kFile, {std::begin(kKeys), std::end(kKeys)}, "updates: all", findings))
    extra += e.text;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    if (installer_of(in.cluster, static_cast<int>(g)) != Installer::autoinstall) continue;
    const auto plan = install_plan(in.system, static_cast<int>(g), findings);
    if (!plan) continue;
    const std::string path = "autoinstall/" + in.cluster.nodes[g].name + "/",
                      shell = "#!/bin/sh\n" + install_header(in, "autoinstall");
    bundle.open(path + "user-data", "autoinstall");
    write_user_data(in, static_cast<int>(g), *plan, extra, bundle.text());
    bundle.close();
    bundle.add(path + "meta-data", "autoinstall", "instance-id: install\n");
    bundle.add(path + "disks.sh", "autoinstall", shell + disks_script(*plan, "disks-autoinstall.sh"));
    bundle.add(path + "finish.sh", "autoinstall", shell + finish_script(in, static_cast<int>(g), *plan));
  }
}

}  // namespace

extern const Output kAutoinstallOutput;  // registry.cc names it
const Output kAutoinstallOutput{
    .id = "autoinstall",
    .summary = "unattended installation of Ubuntu, for each node group",
    .consumers = "Subiquity of Ubuntu 20.04 to 24.04",
    .wanted = wants_autoinstall,
    .emit = emit_autoinstall,
};

}  // namespace clusterc
