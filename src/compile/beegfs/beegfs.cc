// beegfs/: the servers and clients of a BeeGFS whose targets the spec has.
//   GROUP/beegfs-mgmtd.toml (8) or .conf (7.4), beegfs-meta.conf, beegfs-storage.conf, beegfs-client.conf
//   GROUP/cluster-interfaces, cluster-net-filter   the network devices that others may use, the subnets to go to;
//   cluster-rdma-interfaces                        of clients, those with RDMA
//   STORAGE/prepare.sh                             folders of targets that hold nothing, with the planned numbers
//   STORAGE/mirrors.sh                             buddy mirrors, where the spec has two copies
//   STORAGE/layout.sh, quotas.sh                   striping and mirroring of the whole; folders and quotas of teams
// The secret is a path: no file here has it.
#include "compile/beegfs/beegfs.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "model/rdma.h"
#include "spec/storage.h"
#include "system/beegfs.h"
#include "system/file_systems.h"
#include "system/group_network.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool is_beegfs(const StorageModel& s) { return has_targets(s) && s.spec->kind && *s.spec->kind == StorageKind::beegfs; }

bool wants_beegfs(const Cluster& c) { return std::any_of(c.storage.begin(), c.storage.end(), is_beegfs); }

bool serves_beegfs(const System& in, int group) {
  return std::any_of(in.cluster.storage.begin(), in.cluster.storage.end(), [&](const StorageModel& s) {
    return is_beegfs(s) &&
           (serves(in.cluster, s, group) ||
            mounts_over_network(in.cluster, in.plan, static_cast<int>(&s - in.cluster.storage.data()), group));
  });
}

constexpr std::string_view kInterfaces = "/etc/beegfs/cluster-interfaces",
                           kNetFilter = "/etc/beegfs/cluster-net-filter",
                           kRdmaInterfaces = "/etc/beegfs/cluster-rdma-interfaces";

bool runs_on(const std::vector<BeegfsServer>& servers, int group) {
  return !servers.empty() && servers.front().group == group;
}

// A file of `key = value` lines. Lines of the spec follow; one with a key that is already there is refused.
class Settings {
 public:
  Settings(const CompileInput& in, std::string_view file, std::string& out) : in_(in), file_(file), out_(out) {
    out_ += made_by(in, "beegfs");
  }
  Settings& set(std::string_view key, const WriterValue& value) {
    keys_.emplace_back(key);
    out_ += key, out_ += " = ", out_ += value.text(), out_ += '\n';
    return *this;
  }
  // 7.4 has a port of TCP and one of UDP each.
  Settings& port(std::string_view key, bool seven, std::int64_t number) {
    if (!seven) return set(key, number);
    return set(std::string(key) + "TCP", number).set(std::string(key) + "UDP", number);
  }
  void extra(Findings* findings) {
    const auto* lines = extra_of(in_, file_);
    if (!lines) return;
    out_ += "# outputs.beegfs.extra of the spec\n";
    for (const auto& wish : *lines) {
      if (!wish) continue;
      const std::string_view text = trim(*wish), key = trim(text.substr(0, text.find('=')));
      const bool good =
          text.find('=') != std::string_view::npos && !key.empty() &&
          std::all_of(key.begin(), key.end(),
                      [](char ch) {
                        return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
                      }) &&
          std::all_of(text.begin(), text.end(),
                      [](char ch) { return ch >= 0x20 && ch < 0x7f && ch != '#' && ch != '\\'; });
      const bool again = std::find(keys_.begin(), keys_.end(), key) != keys_.end();
      if (good && !again)
        out_ += text, out_ += '\n';
      else if (findings)
        findings
            ->error(good ? "output-extra-contradicts-spec" : "output-extra-malformed", wish.span,
                    good ? "an extra line sets '" + std::string(key) + "', which is already set from the spec"
                         : "'" + one_line(text.substr(0, 60)) + "' is not a valid line of " + std::string(file_))
            .help("write a setting of this file that is not there yet: tuneNumWorkers = 24");
    }
  }

 private:
  const CompileInput& in_;
  std::string_view file_;
  std::string& out_;
  std::vector<std::string> keys_;
};

class Group {
 public:
  Group(const CompileInput& in, const BeegfsServers& of, int group, Bundle& bundle, Findings* findings)
      : in_(in),
        of_(of),
        group_(group),
        folder_("beegfs/" + in.cluster.nodes[static_cast<std::size_t>(group)].name + "/"),
        bundle_(bundle),
        findings_(findings) {}

  void emit(bool client) {
    networks(client);
    if (of_.manager_group == group_) of_.seven ? manager_of_seven() : manager();
    if (runs_on(of_.metadata, group_)) metadata();
    if (runs_on(of_.data, group_)) storage();
    if (client) mounted();
  }

 private:
  void networks(bool client) {
    Findings ignored;  // of cloud-init and the outputs of networks
    const GroupNetwork network(in_.system, group_, ignored);
    for (const int n : of_.networks)
      for (const std::string& device : network.devices_in(n))
        if (std::find(devices_.begin(), devices_.end(), device) == devices_.end()) devices_.push_back(device);
    list("cluster-interfaces", devices_);
    std::vector<std::string> rdma;
    for (const int n : of_.networks)
      if (is_rdma(in_.cluster.networks[static_cast<std::size_t>(n)]))
        for (const std::string& device : network.devices_in(n)) rdma.push_back(device);
    if (client && of_.rdma) list("cluster-rdma-interfaces", rdma);
    list("cluster-net-filter", of_.subnets);
  }
  void list(std::string_view name, const std::vector<std::string>& lines) {
    // No comment: the files have one entry a line.
    std::string out;
    for (const std::string& line : lines) out += line + '\n';
    bundle_.add(folder_ + std::string(name), "beegfs", out);
  }

  void manager() {
    bundle_.open(folder_ + "beegfs-mgmtd.toml", "beegfs");
    std::string& out = bundle_.text();
    out += made_by(in_, "");
    const auto text = [](std::string_view value) {
      return '"' + std::string(value) + '"';
    };  // paths and devices: plain
    out += "db-file = " + text(of_.manager_folder + "/mgmtd.sqlite") + '\n';
    out += "beemsg-port = " + std::to_string(kBeegfsManagerPort) + '\n';
    out += "grpc-port = " + std::to_string(kBeegfsGrpcPort) + '\n';
    out += "auth-file = " + text(of_.secret) + "\n";
    out += "interfaces = [";
    for (std::size_t i = 0; i < devices_.size(); ++i) out += (i ? ", " : "") + text(devices_[i]);
    out += "]\n";
    if (of_.quotas) out += "quota-enable = true\nquota-enforce = true\n";
    bundle_.close();
  }

  void manager_of_seven() {
    Settings s = open("beegfs-mgmtd.conf");
    s.set("storeMgmtdDirectory", of_.manager_folder).set("storeAllowFirstRunInit", false);
    s.port("connMgmtdPort", true, kBeegfsManagerPort);
    shared(s, false);
    if (of_.quotas) s.set("quotaEnableEnforcement", true);
    close(s);
  }

  void metadata() {
    Settings s = open("beegfs-meta.conf");
    s.set("sysMgmtdHost", of_.manager);
    s.set("storeMetaDirectory", of_.metadata.front().targets.front().second).set("storeAllowFirstRunInit", false);
    s.port("connMgmtdPort", of_.seven, kBeegfsManagerPort).port("connMetaPort", of_.seven, kBeegfsMetaPort);
    shared(s, true);
    if (of_.quotas) s.set("quotaEnableEnforcement", true);
    close(s);
  }

  void storage() {
    Settings s = open("beegfs-storage.conf");
    std::string folders;
    for (const auto& [id, path] : of_.data.front().targets) folders += (folders.empty() ? "" : ",") + path;
    s.set("sysMgmtdHost", of_.manager).set("storeStorageDirectory", folders).set("storeAllowFirstRunInit", false);
    s.port("connMgmtdPort", of_.seven, kBeegfsManagerPort).port("connStoragePort", of_.seven, kBeegfsStoragePort);
    shared(s, true);
    if (of_.quotas) s.set("quotaEnableEnforcement", true);
    close(s);
  }

  void mounted() {
    Settings s = open("beegfs-client.conf");
    s.set("sysMgmtdHost", of_.manager).port("connMgmtdPort", of_.seven, kBeegfsManagerPort);
    s.set(of_.seven ? "connClientPortUDP" : "connClientPort", kBeegfsClientPort);
    shared(s, true);
    if (of_.rdma) s.set("connRDMAInterfacesFile", kRdmaInterfaces);
    s.set("quotaEnabled", of_.quotas);
    close(s);
  }

  Settings open(std::string_view file) {
    bundle_.open(folder_ + std::string(file), "beegfs");
    return Settings(in_, file, bundle_.text());
  }
  void shared(Settings& s, bool rdma) {
    s.set("connAuthFile", of_.secret).set("connInterfacesFile", kInterfaces).set("connNetFilterFile", kNetFilter);
    if (rdma) s.set("connUseRDMA", of_.rdma);
  }
  void close(Settings& s) {
    s.extra(findings_);
    bundle_.close();
  }

  const CompileInput& in_;
  const BeegfsServers& of_;
  const int group_;
  const std::string folder_;
  Bundle& bundle_;
  Findings* findings_;
  std::vector<std::string> devices_;
};

// Releases whose keys, programs and commands are written: those whose configuration files were read, 7.4.6 and 8.3.1.
void check_beegfs_version(const StorageModel& s, Findings& findings) {
  if (!s.spec->version) return;
  const std::string text = s.spec->version->text();
  const auto is_of = [&](std::string_view release) {
    return text == release || text.starts_with(std::string(release) + ".");
  };
  if (is_of("7.4") || text == "8" || is_of("8.0") || is_of("8.1") || is_of("8.2") || is_of("8.3")) return;
  findings
      .warning(
          "beegfs-version-unread", s.spec->version.span,
          "the files for the servers of '" + s.name + "' are written for BeeGFS 7.4 and 8.0 to 8.3, not for " + text)
      .help("write `version: 8.3`; or copy the settings in beegfs/ into the configuration files of " + text +
            ", and then accept the finding");
}

void emit_beegfs(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  bool first = true;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    if (!is_beegfs(c.storage[i])) continue;
    check_beegfs_version(c.storage[i], findings);
    const auto of = beegfs_servers(c, in.plan, static_cast<int>(i), findings);
    if (!of) continue;
    std::vector<std::string_view> known{"beegfs-meta.conf", "beegfs-storage.conf", "beegfs-client.conf"};
    if (of->seven) known.push_back("beegfs-mgmtd.conf");
    check_extra_files(in, "beegfs", known, findings);
    std::vector<int> servers, clients;
    for (std::size_t g = 0; g < c.nodes.size(); ++g) {
      const int group = static_cast<int>(g);
      if (c.nodes[g].count == 0) continue;
      const bool client = mounts_over_network(c, in.plan, static_cast<int>(i), group);
      if (!client && !serves(c, c.storage[i], group) && of->manager_group != group) continue;
      (client ? clients : servers).push_back(group);
    }
    bool first_client = true;
    for (const bool client : {false, true})
      for (const int g : client ? clients : servers) {
        Group(in, *of, g, bundle, (client ? first_client : first) ? &findings : nullptr).emit(client);
        (client ? first_client : first) = client ? false : first;
      }
    emit_beegfs_scripts(in, *of, bundle);
  }
}

}  // namespace

extern const Output kBeegfsOutput;  // registry.cc names it
const Output kBeegfsOutput{
    .id = "beegfs",
    .summary = "servers and clients of BeeGFS: settings, preparation of empty folders, mirrors, striping, quotas",
    .consumers = "BeeGFS 7.4 and 8.0 to 8.3",
    .wanted = wants_beegfs,
    .serves = serves_beegfs,
    .emit = emit_beegfs,
};

}  // namespace clusterc
