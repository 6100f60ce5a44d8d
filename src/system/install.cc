#include "system/install.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/routed.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/dhcp.h"
#include "system/each_address.h"
#include "system/group_network.h"
#include "system/interfaces.h"
#include "system/mirror.h"

namespace clusterc {
namespace {

// Releases by family. Mirrors: where each project's own site sends an installer (deb.debian.org; archive.ubuntu.com,
// ports.ubuntu.com for arm64; download.rockylinux.org; repo.almalinux.org; mirror.stream.centos.org). RHEL's packages
// come with a subscription, and have no public mirror: its medium is unpacked on the boot server.
struct Family {
  std::string_view os;
  Installer installer;
  std::string_view mirror;
};
constexpr std::array kFamilies = {
    Family{"debian", Installer::preseed, "http://deb.debian.org/debian"},
    Family{"ubuntu", Installer::autoinstall, "http://archive.ubuntu.com/ubuntu"},
    Family{"rocky", Installer::kickstart, "https://download.rockylinux.org/pub/rocky/"},
    Family{"almalinux", Installer::kickstart, "https://repo.almalinux.org/almalinux/"},
    Family{"centos-stream", Installer::kickstart, "https://mirror.stream.centos.org/"},
    Family{"rhel", Installer::kickstart, ""},
};
struct Release {
  std::string_view os, codename;
};
// Releases whose installers read what is written: d-i and Anaconda of these; Subiquity reads autoinstall from 20.04 on.
// Codenames: https://www.debian.org/releases/.
constexpr std::array kReleases = {
    Release{"debian-11", "bullseye"},
    Release{"debian-12", "bookworm"},
    Release{"debian-13", "trixie"},
    Release{"ubuntu-20.04", "focal"},
    Release{"ubuntu-22.04", "jammy"},
    Release{"ubuntu-24.04", "noble"},
    Release{"rocky-8", ""},
    Release{"rocky-9", ""},
    Release{"rocky-10", ""},
    Release{"almalinux-8", ""},
    Release{"almalinux-9", ""},
    Release{"almalinux-10", ""},
    Release{"centos-stream-9", ""},
    Release{"centos-stream-10", ""},
    Release{"rhel-8", ""},
    Release{"rhel-9", ""},
    Release{"rhel-10", ""},
};

constexpr std::int64_t kMostBootDrives = 2;  // the system's array has two halves

// What an administrator writes and finds in /dev/disk/by-path; empty: nothing that can be there.
std::string path_name(std::string_view text) {
  constexpr std::string_view kFolder = "/dev/disk/by-path/";
  if (text.starts_with(kFolder)) text.remove_prefix(kFolder.size());
  const bool good = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(":._+@,-").find(c) != std::string_view::npos;
  });
  // "…-part1" is a partition of a drive.
  const std::size_t part = text.rfind("-part");
  const bool partition = part != std::string_view::npos && parse_uint(text.substr(part + 5));
  return good && !partition && !text.starts_with('-') && !text.starts_with('.') ? std::string(text) : std::string();
}

// A serial number or a name as disks.sh has it (as_word of templates/install/drives.sh).
std::string one_word(std::string_view text) {
  std::string out;
  for (const char c : trim(text))
    out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view(".:_+-").find(c) != std::string_view::npos
               ? c
               : '_';
  const std::size_t first = out.find_first_not_of('_'), last = out.find_last_not_of('_');
  return first == std::string::npos ? std::string() : out.substr(first, last - first + 1);
}

// Would an installer take a drive of one for a drive of the other? Where a RAID controller does not say whether SATA or
// SAS drives are behind it, disks.sh stops.
bool is_alike(const DriveChoice& a, const DriveChoice& b) {
  return a.kind == b.kind && a.least <= b.most && b.least <= a.most;
}

// The serial numbers of boot drives, for the nodes whose inventory has those of all.
void take_serials(const System& in, int group, InstallDrives& out) {
  if (!in.inventory) return;
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  for (std::int64_t n = 0; n < g.count; ++n) {
    InstallDrives::Serials node{g.names.name(n), {}};
    std::int64_t found = 0;
    for (std::int64_t d = 0; d < out.boot.count; ++d) {
      const std::string port = "drives.boot[" + std::to_string(d) + "]";
      const InventoryRow* row = in.inventory->find(node.host, port);
      if (!row) row = in.inventory->find(in.plan.node_object(g.first + n), port);
      const std::string number = row ? one_word(row->serial) : std::string();
      if (number.empty()) break;
      node.numbers += (found++ > 0 ? " " : "") + number;
    }
    if (found == out.boot.count) out.serials.push_back(std::move(node));
  }
}

using DriveEntry = Named<Drives>;

// The entry `boot`, with its size; nullptr with a finding where the installer could not tell which drives are the
// system's.
const DriveEntry* boot_drives(const NodeGroupModel& g, Findings& findings) {
  const auto& drives = g.server.part.drives.entries;
  const auto entry = std::find_if(drives.begin(), drives.end(), [](const auto& d) { return d.name == "boot"; });
  if (entry == drives.end()) {
    std::vector<std::string> names;
    for (const auto& d : drives) names.push_back("'" + d.name + "'");
    findings
        .error("install-drives-unsaid", g.span,
               format("'{}' is installed over the network, but its drives have no entry `boot` for the operating "
                      "system: {} {} data",
                      g.name, join(names, ", "), names.size() == 1 ? "holds" : "hold"))
        .help(format("name the drives of the system in '{}', with their number, size and kind, beside `model` or in "
                     "`server`: `drives: {{ boot: 2 x 960 GB nvme }}`",
                     g.name));
    return nullptr;
  }
  if (!entry->value.size) {
    findings
        .error("install-drives-unsaid", g.span,
               format("the size of the drives `boot` of '{}' is not known, and the installer finds them by their size",
                      g.name))
        .help("write `boot: 2 x 960 GB nvme`, with their number, size and kind");
    return nullptr;
  }
  return &*entry;
}

// The places of the boot drives, where the spec has them.
void take_paths(const NodeGroupModel& g, const Drives& d, InstallDrives& out, Findings& findings) {
  for (const Value<std::string>& path : d.paths) {
    if (!path) continue;
    out.paths.push_back(path_name(*path));
    if (out.paths.back().empty() ||
        std::find(out.paths.begin(), out.paths.end() - 1, out.paths.back()) != out.paths.end() - 1)
      findings
          .error("install-drives-path-malformed", path.span,
                 out.paths.back().empty()
                     ? format("'{}' is not a name of a drive in /dev/disk/by-path", one_line(path->substr(0, 80)))
                     : format("`paths` has '{}' twice", out.paths.back()))
          .help("use names that `ls /dev/disk/by-path` lists on such a machine: `paths: [ pci-0000:01:00.0-nvme-1 ]`");
  }
  if (!out.paths.empty() && static_cast<std::int64_t>(out.paths.size()) != out.boot.count)
    findings
        .error("install-drives-path-malformed", d.paths.front().span,
               format("`boot` of '{}' has {} {}, but `paths` has {}", g.name, out.boot.count,
                      out.boot.count == 1 ? "drive" : "drives", out.paths.size()))
        .help("write one entry in `paths` for each drive");
}

// Names of entries, in quotes, that an installer could take for `boot`.
struct Doubtful {
  std::vector<std::string> alike, unknown;  // of one size and kind with it; of no known size
};

// Entries that are alike are counted together, and so are entries that one of them joins.
void add_other(InstallDrives::Other all, std::vector<InstallDrives::Other>& others) {
  for (auto same = others.begin(); same != others.end();)
    if (is_alike(same->drives, all.drives)) {
      all.name = same->name + "," + all.name;
      all.drives.count += same->drives.count;
      all.fewest += same->fewest;
      all.drives.least = std::min(all.drives.least, same->drives.least);
      all.drives.most = std::max(all.drives.most, same->drives.most);
      same = others.erase(same);
    } else {
      ++same;
    }
  others.push_back(std::move(all));
}

Doubtful take_others(const NodeGroupModel& g, const DriveEntry& boot, InstallDrives& out) {
  Doubtful doubtful;
  for (const auto& other : g.server.part.drives.entries) {
    if (&other == &boot) continue;
    if (!other.value.size) {
      doubtful.unknown.push_back("'" + other.name + "'");
      continue;
    }
    const DriveChoice is = drive_choice(other.value);
    if (is_alike(out.boot, is)) doubtful.alike.push_back("'" + other.name + "'");
    add_other({one_word(other.name), is, other.value.count.confirmed && other.value.size.confirmed ? is.count : 0},
              out.others);
  }
  return doubtful;
}

// A warning where some nodes have serial numbers: only the others stop.
void report_doubtful(const NodeGroupModel& g, const Drives& boot, const InstallDrives& out, const Doubtful& doubtful,
                     Findings& findings) {
  const std::int64_t left = g.count - static_cast<std::int64_t>(out.serials.size());
  if (left == 0 || (doubtful.alike.empty() && doubtful.unknown.empty())) return;
  const std::string whom = out.serials.empty()
                               ? format("the installer cannot tell which drives are for the operating system")
                               : format(
                                     "the installation of {} of {} nodes stops, because the inventory has no serial "
                                     "numbers of their boot drives",
                                     left, g.count);
  std::string text =
      !doubtful.alike.empty()
          ? format("drives 'boot' and {} of '{}' have the same size and kind: {}", join(doubtful.alike, ", "), g.name,
                   whom)
          : format("the size of drives {} of '{}' is not known and may be the same as that of 'boot': {}",
                   join(doubtful.unknown, ", "), g.name, whom);
  Finding& f = out.serials.empty() ? findings.error("install-drives-alike", g.span, std::move(text))
                                   : findings.warning("install-drives-alike", g.span, std::move(text));
  f.help(format(
      "give the path of each boot drive, as `ls /dev/disk/by-path` lists it on such a machine: `boot: {{ count: {}, "
      "size: {}, kind: {}, paths: [ {} ] }}`; or give their serial numbers, one inventory row for each drive below the "
      "header name,port,serial: {},drives.boot[0],S64GNE0T100001",
      out.boot.count, to_text(*boot.size), out.boot.kind,
      out.boot.count == 1 ? "\"pci-0000:01:00.0-nvme-1\"" : "\"pci-0000:01:00.0-nvme-1\", \"pci-0000:02:00.0-nvme-1\"",
      g.names.name(0)));
}

void choose_drives(const System& in, int group, InstallPlan& plan, Findings& findings) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  if (g.server.part.drives.entries.empty()) return;  // not known: the only disk there is
  const DriveEntry* boot = boot_drives(g, findings);
  if (!boot) return;
  const Drives& d = boot->value;
  InstallDrives& out = plan.disks;
  out.boot = drive_choice(d);
  if (out.boot.count > kMostBootDrives)
    findings
        .error("install-drives-many", g.span,
               format("`boot` of '{}' has {} drives, but an installer uses at most {}", g.name, out.boot.count,
                      kMostBootDrives))
        .help(format("write `boot: 2 x {} {}`, and an entry with another name for the other drives", to_text(*d.size),
                     out.boot.kind));
  take_paths(g, d, out, findings);
  take_serials(in, group, out);
  const Doubtful doubtful = take_others(g, *boot, out);
  if (out.paths.empty()) report_doubtful(g, d, out, doubtful, findings);
}

}  // namespace

// A minor release of Red Hat's line (rocky-9.4) is installed as its major one.
std::optional<KnownRelease> known_release(const NodeGroupModel& g) {
  std::string os = g.software->os.value_or("");
  const std::size_t dash = os.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                   [&](const Family& f) { return std::string_view(os).substr(0, dash) == f.os; });
  if (family == kFamilies.end()) return std::nullopt;
  if (family->installer == Installer::kickstart)
    if (const std::size_t dot = os.find('.', dash);
        dot != std::string::npos && parse_uint(std::string_view(os).substr(dot + 1)))
      os.resize(dot);
  const auto release = std::find_if(kReleases.begin(), kReleases.end(), [&](const Release& r) { return r.os == os; });
  if (release == kReleases.end()) return std::nullopt;
  KnownRelease out{.installer = family->installer,
                   .family = family->os,
                   .os = release->os,
                   .codename = release->codename,
                   .number = os.substr(dash + 1),
                   .mirror = std::string(family->mirror)};
  out.arm = g.software->arch.value_or(Arch::x86_64) == Arch::aarch64;
  if (out.arm && family->os == "ubuntu") out.mirror = "http://ports.ubuntu.com/ubuntu-ports";
  if (family->os == "centos-stream")
    out.mirror += out.number + "-stream";
  else if (family->installer == Installer::kickstart && !out.mirror.empty())
    out.mirror += out.number;
  return out;
}

std::string netboot_folder(const KnownRelease& r, const std::string& mirror) {
  const std::string deb = r.arm ? "arm64" : "amd64";
  if (r.installer == Installer::preseed)
    return mirror + "/dists/" + std::string(r.codename) + "/main/installer-" + deb +
           "/current/images/netboot/debian-installer/" + deb + "/";
  return mirror + "/BaseOS/" + (r.arm ? "aarch64" : "x86_64") + "/os/images/pxeboot/";
}

std::string medium_of(const KnownRelease& r) {
  return std::string(r.os) + (!r.arm ? "" : r.installer == Installer::autoinstall ? "-arm64" : "-aarch64");
}

int first_provisioner(const Cluster& c) {
  for (const int g : groups_with(c, Role::provisioning))
    if (c.nodes[static_cast<std::size_t>(g)].count > 0) return g;
  return -1;
}

namespace {

// Firmware and installers send frames without a tag.
bool is_tagged(const NetworkModel& n) { return n.shares >= 0 && n.spec && n.spec->vlan; }

}  // namespace

int install_network(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const int by = first_provisioner(c);
  if (!c.own_site || g.count == 0 || g.has_role(Role::provisioning) || g.server.instance || by < 0) return -1;
  const int own = primary_network(c, group);
  return own >= 0 && c.networks[static_cast<std::size_t>(own)].kind == LinkKind::ethernet &&
                 !is_tagged(c.networks[static_cast<std::size_t>(own)]) &&
                 !has_routed_leaves(c, c.networks[static_cast<std::size_t>(own)]) && end_points_of(c, own, by) >= 0
             ? own
             : -1;
}

std::optional<Installer> installer_of(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (install_network(c, group) < 0 || !dhcp_server(c)) return std::nullopt;
  const auto k = known_release(g);
  return k ? std::optional(k->installer) : std::nullopt;
}

void note_uninstalled(const Cluster& c, int group, Findings& findings) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const int own = primary_network(c, group), by = first_provisioner(c);
  if (!c.own_site || g.count == 0 || g.has_role(Role::provisioning) || g.server.instance || own < 0 || by < 0 ||
      installer_of(c, group) || !known_release(g))
    return;
  const std::string &network = c.networks[static_cast<std::size_t>(own)].name,
                    &server = c.nodes[static_cast<std::size_t>(by)].name;
  if (c.networks[static_cast<std::size_t>(own)].kind != LinkKind::ethernet)
    findings
        .note("install-unmade", g.span,
              "no output installs '" + g.name + "': its nodes are in '" + network +
                  "', which is not Ethernet, so that they cannot boot over the network")
        .help("connect them to an Ethernet network of '" + server +
              "' that carries in-band traffic, or install them by other means: cloud-init and the plays are compiled "
              "for them");
  else if (has_routed_leaves(c, c.networks[static_cast<std::size_t>(own)]))
    findings
        .note("install-unmade", g.span,
              "no output installs '" + g.name + "': its nodes are in '" + network +
                  "', whose leaves route (`asn`), so that no question for an address reaches '" + server + "'")
        .help(
            "connect both to a network without `asn` that carries in-band traffic, or install them by other means: "
            "cloud-init and the plays are compiled for them");
  else if (is_tagged(c.networks[static_cast<std::size_t>(own)]))
    findings
        .note("install-unmade", g.span,
              "no output installs '" + g.name + "': its nodes are in '" + network + "' with the VLAN tag " +
                  std::to_string(*c.networks[static_cast<std::size_t>(own)].spec->vlan) +
                  ", but a machine that boots over the network sends untagged frames")
        .help("connect them and '" + server +
              "' by ports of their own to a network that carries in-band traffic, or install them by other means: "
              "cloud-init and the plays are compiled for them");
  else
    findings
        .note("install-unmade", g.span,
              "no output installs '" + g.name + "': the DHCP and install server '" + server +
                  "' is not in their network '" + network + "'")
        .help("connect '" + server +
              "' to that network, or install the nodes by other means: cloud-init and the plays are compiled for these "
              "nodes");
}

bool installs(const Cluster& c, Installer which) {
  const auto& made = c.memo.get("installers", [&] {
    std::set<Installer> all;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (const auto installer = installer_of(c, static_cast<int>(g))) all.insert(*installer);
    return all;
  });
  return made.contains(which);
}

bool installs(const Cluster& c) {
  return installs(c, Installer::preseed) || installs(c, Installer::autoinstall) || installs(c, Installer::kickstart);
}

namespace {

BootServer server_in(const System& in, int network) {
  const std::uint32_t address =
      in.plan.address(network, end_points_of(in.cluster, network, first_provisioner(in.cluster)), 0, 0);
  return {network, address, "http://" + ipv4_text(address) + "/cluster"};
}

}  // namespace

std::vector<BootServer> boot_servers(const System& in) {
  std::vector<bool> over(in.cluster.networks.size());
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
    if (installer_of(in.cluster, static_cast<int>(g)))
      over[static_cast<std::size_t>(install_network(in.cluster, static_cast<int>(g)))] = true;
  std::vector<BootServer> out;
  for (std::size_t n = 0; n < over.size(); ++n)
    if (over[n]) out.push_back(server_in(in, static_cast<int>(n)));
  return out;
}

std::optional<InstallPlan> install_plan(const System& in, int group, Findings& findings) {
  const auto installer = installer_of(in.cluster, group);
  if (!installer) return std::nullopt;
  const BootServer server = server_in(in, install_network(in.cluster, group));
  if (server.address == 0) return std::nullopt;
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  const KnownRelease k = *known_release(g);
  InstallPlan out{.installer = *installer, .os = std::string(k.os), .release = k, .server = server};
  out.mirror = k.mirror.empty() ? server.url + "/media/" + medium_of(k) : k.mirror;
  if (const std::string base = installer_mirror(in, server.network); !base.empty() && !k.mirror.empty()) {
    out.mirror = mirrored(k.mirror, base);
    if (const std::string_view security = security_mirror(k); !security.empty())
      out.security = mirrored(security, base);
  }
  out.user = "admin";
  out.keys = server.url + "/authorized_keys";
  choose_drives(in, group, out, findings);
  out.network = in.makes("cloud-init") && has_network_config(in, group);
  if (in.makes("cloud-init")) out.folders = (g.count + kBucket - 1) / kBucket;
  return out;
}

}  // namespace clusterc
