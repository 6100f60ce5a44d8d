// corosync.conf (members and quorum), cib.xml (what Pacemaker runs, where, and how a server is turned off), mdadm.conf,
// nfs-server.conf, the scripts prepare-drives, load-cib and fence-password, and README.md.
#include "compile/nfs/failover.h"

#include "base/ip.h"
#include "base/text.h"
#include "base/xml_writer.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// Where the files of the pair are on a server.
constexpr std::string_view kFolder = "/etc/cluster-nfs/";
// Of clients and locks, beside the data: it has to move with them. Nobody but root reads it, and root of a client is
// nobody here.
constexpr std::string_view kState = "/.cluster-nfs";

std::string array_of(const NfsFailover& f) { return "/dev/md/" + f.drives.storage; }

void corosync(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "corosync.conf", "nfs");
  std::string& out = bundle.text();
  out += made_by(in, "");
  out +=
      "# for both servers: /etc/corosync/corosync.conf. Its key is /etc/corosync/authkey, which corosync-keygen makes "
      "on one of them\n";
  out += "totem {\n    version: 2\n    cluster_name: " + f.drives.storage +
         "\n    transport: knet\n    crypto_cipher: aes256\n    crypto_hash: sha256\n    link_mode: passive\n}\n";
  out += "nodelist {\n";
  for (std::size_t s = 0; s < f.servers.size(); ++s) {
    out += "    node {\n        nodeid: " + std::to_string(s + 1) + "\n        name: " + f.servers[s].name + '\n';
    for (std::size_t l = 0; l < f.servers[s].links.size(); ++l)
      out += "        ring" + std::to_string(l) + "_addr: " + ipv4_text(f.servers[s].links[l]) + '\n';
    out += "    }\n";
  }
  // votequorum(5), two_node: one of two is a quorum, and after a start both must have met once (wait_for_all). That
  // one of two goes on is safe because it first turns the other off (cib.xml).
  out +=
      "}\nquorum {\n    provider: corosync_votequorum\n    expected_votes: 2\n    two_node: 1\n    wait_for_all: "
      "1\n}\nlogging {\n    to_syslog: yes\n    to_stderr: no\n    timestamp: on\n}\n";
  bundle.close();
}

// One <nvpair> of a set whose ids begin with that of the set.
void pair(XmlWriter& x, const std::string& set, std::string_view name, std::string_view value) {
  x.empty("nvpair", {{"id", set + "-" + std::string(name)}, {"name", name}, {"value", value}});
}

void operation(XmlWriter& x, const std::string& resource, std::string_view name, std::string_view interval,
               std::string_view timeout, std::string_view level = {}) {
  const std::string id = resource + "-" + std::string(name) + "-" + std::string(interval);
  if (level.empty()) {
    x.empty("op", {{"id", id}, {"name", name}, {"interval", interval}, {"timeout", timeout}});
    return;
  }
  x.open("op", {{"id", id}, {"name", name}, {"interval", interval}, {"timeout", timeout}});
  x.open("instance_attributes", {{"id", id + "-attributes"}});
  pair(x, id + "-attributes", "OCF_CHECK_LEVEL", level);
  x.close().close();
}

struct Resource {
  std::string id;
  std::string_view agent;
  std::vector<std::pair<std::string_view, std::string>> values;
  std::string_view start, stop, monitor, every, level = {};
};

// In the order in which they start; they stop in the reverse order. All are on the same server.
std::vector<Resource> resources_of(const NfsFailover& f) {
  const std::string& name = f.drives.storage;
  std::vector<Resource> out;
  // Times: those that the agents ask for (`crm_resource --show-metadata`), or more where drives or clients can take
  // longer. A stop that fails ends in the fencing of its server.
  if (!f.drives.raid.empty())
    out.push_back(
        {name + "-array",
         "mdraid",
         {{"mdadm_conf", std::string(kFolder) + "mdadm.conf"}, {"md_dev", array_of(f)}, {"force_stop", "false"}},
         "60s",
         "60s",
         "60s",
         "30s"});
  out.push_back({name + "-files",
                 "Filesystem",
                 {{"device", "/dev/disk/by-uuid/" + f.file_system_uuid},
                  {"directory", f.drives.mount},
                  {"fstype", "xfs"},
                  {"options", "noatime"},
                  // 20, below: a file is written and read back, so that a server that no longer writes is replaced
                  {"statusfile_prefix", std::string(kState.substr(1)) + "/status-"}},
                 "120s",
                 "60s",
                 "60s",
                 "30s",
                 "20"});
  out.push_back({name + "-server",
                 "nfsserver",
                 {{"nfs_shared_infodir", f.drives.mount + std::string(kState)},
                  {"nfs_server_scope", name},
                  {"nfsv4_only", "true"},
                  {"nfs_no_notify", "true"}},
                 "90s",
                 "60s",
                 "30s",
                 "30s"});
  out.push_back({name + "-address",
                 "IPaddr2",
                 {{"ip", ipv4_text(f.address)}, {"cidr_netmask", std::to_string(f.prefix)}},
                 "30s",
                 "30s",
                 "30s",
                 "10s"});
  return out;
}

void options(XmlWriter& x) {
  x.open("crm_config").open("cluster_property_set", {{"id", "cluster-options"}});
  const std::string set = "cluster-options";
  pair(x, set, "stonith-enabled", "true");
  pair(x, set, "stonith-action", "reboot");
  // Turning off waits up to 60 s for the power to be off, turning on as long (below, power_timeout).
  pair(x, set, "stonith-timeout", "180s");
  // If the two servers lose each other only, the one that serves goes first: the shot at it waits. Longer than the
  // delay of the first server's (Pacemaker Explained, priority-fencing-delay: at least twice as long).
  pair(x, set, "priority-fencing-delay", "15s");
  pair(x, set, "no-quorum-policy", "stop");
  // A BMC that did not answer ten times is asked again this often (Pacemaker Explained, stonith-max-attempts).
  pair(x, set, "cluster-recheck-interval", "120s");
  x.close().close();
}

void fencing(XmlWriter& x, const NfsFailover& f) {
  for (const NfsFailover::Server& server : f.servers) {
    const std::string id = "fence-" + server.name, set = id + "-attributes";
    x.open("primitive", {{"id", id}, {"class", "stonith"}, {"type", "fence_redfish"}});
    x.open("instance_attributes", {{"id", set}});
    pair(x, set, "ip", ipv4_text(server.bmc));
    pair(x, set, "username", f.user);
    pair(x, set, "password_script", std::string(kFolder) + "fence-password");
    pair(x, set, "ssl_insecure", "1");  // README: certificates of BMCs
    pair(x, set, "power_timeout", "60");
    pair(x, set, "pcmk_host_list", server.name);
    if (&server == &f.servers[0]) pair(x, set, "pcmk_delay_base", "5s");
    x.close();
    x.open("operations");
    operation(x, id, "start", "0s", "60s");
    operation(x, id, "monitor", "120s", "60s");
    x.close().close();
  }
}

void service(XmlWriter& x, const NfsFailover& f) {
  const std::string id = f.drives.storage + "-nfs";
  x.open("group", {{"id", id}});
  x.open("meta_attributes", {{"id", id + "-meta"}});
  pair(x, id + "-meta", "priority", "1");  // see priority-fencing-delay
  x.close();
  for (const Resource& r : resources_of(f)) {
    x.open("primitive", {{"id", r.id}, {"class", "ocf"}, {"provider", "heartbeat"}, {"type", r.agent}});
    x.open("instance_attributes", {{"id", r.id + "-attributes"}});
    for (const auto& [key, value] : r.values) pair(x, r.id + "-attributes", key, value);
    x.close();
    x.open("operations");
    operation(x, r.id, "start", "0s", r.start);
    operation(x, r.id, "stop", "0s", r.stop);
    operation(x, r.id, "monitor", r.every, r.monitor, r.level);
    x.close().close();
  }
  x.close();
}

void cib(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "cib.xml", "nfs");
  XmlWriter x;
  x.comment(one_line(made_by(in, "", "")));
  // The schema of Pacemaker 2.0 and newer, which all later ones read.
  x.open("cib", {{"validate-with", "pacemaker-3.0"}, {"admin_epoch", "0"}, {"epoch", "1"}, {"num_updates", "0"}});
  x.open("configuration");
  options(x);
  x.open("nodes");
  for (std::size_t s = 0; s < f.servers.size(); ++s)
    x.empty("node", {{"id", std::to_string(s + 1)}, {"uname", f.servers[s].name}});
  x.close();
  x.open("resources");
  fencing(x, f);
  service(x, f);
  x.close();
  x.open("constraints");
  for (const NfsFailover::Server& server : f.servers)  // no server turns itself off
    x.empty("rsc_location", {{"id", "fence-" + server.name + "-elsewhere"},
                             {"rsc", "fence-" + server.name},
                             {"node", server.name},
                             {"score", "-INFINITY"}});
  x.close();
  x.open("rsc_defaults").open("meta_attributes", {{"id", "cluster-defaults"}});
  // Not back by itself: each move stops the clients for a time. A server that failed three times is not tried again
  // for ten minutes.
  pair(x, "cluster-defaults", "resource-stickiness", "100");
  pair(x, "cluster-defaults", "migration-threshold", "3");
  pair(x, "cluster-defaults", "failure-timeout", "600s");
  x.close().close().close();
  x.open("status").close();
  x.close();
  bundle.text() += x.take();
  bundle.close();
}

void arrays(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  if (f.drives.raid.empty()) return;
  std::string out = made_by(in, "") + "# for both servers: " + std::string(kFolder) +
                    "mdadm.conf, from which Pacemaker assembles the array\nARRAY " + array_of(f) +
                    " UUID=" + f.array_uuid + '\n';
  bundle.add(folder + "mdadm.conf", "nfs", out);
  out = made_by(in, "") +
        "# a line for mdadm.conf of both servers, and for their initramfs: no server assembles the array when it "
        "starts\nARRAY <ignore> UUID=" +
        f.array_uuid + '\n';
  bundle.add(folder + "mdadm-ignore.conf", "nfs", out);
}

void server(const CompileInput& in, const NfsFailover&, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "nfs-server.conf", "nfs");
  std::string& out = bundle.text();
  out += made_by(in, "");
  out += "# for both servers: /etc/nfs.conf.d/cluster-nfs.conf\n";
  IniWriter ini(out);
  ini.section("nfsd");
  // Locks of version 3 are the client's statd's to claim back; version 4 has them in its leases.
  ini.field("vers3", "n").field("vers4", "y");
  // After a fail-over, clients have the grace period to claim back what they had open; who comes later has lost it, and
  // its writes fail. A client tries to connect at least every half lease (Linux, fs/nfs/nfs4renewd.c), but the address
  // comes after the server, and hundreds of clients claim at once: 30 s were too short on slow machines. The kernel
  // ends the period when the last recorded client has claimed, so 90 s (its own default) are waited for dead clients
  // only.
  ini.field("lease-time", 30).field("grace-time", 90);
  bundle.close();
}

// Scripts of the pair: what they need to know, and their text.
ShellWriter script_begin(const CompileInput& in, std::string& out) {
  out = "#!/bin/sh\n" + replace_all(made_by(in, ""), "\\\n", "\\.\n") + "set -eu\n";
  return ShellWriter(out);
}

void preparation(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  constexpr std::size_t kLongestLabel = 12;  // bytes: mkfs.xfs(8), -L
  std::string out;
  script_begin(in, out)
      .assign("server", f.servers[0].name)
      .assign("mount", f.drives.mount)
      .assign("name", f.drives.storage)
      .assign("label", std::string_view(f.drives.storage).substr(0, kLongestLabel))
      .assign("uuid", f.file_system_uuid)
      .assign("array", array_of(f))
      .assign("array_uuid", f.array_uuid)
      .assign("raid", f.drives.raid)
      .assign("count", f.drives.drives.count)
      .assign("kind", f.drives.drives.kind)
      .assign("least", f.drives.drives.least)
      .assign("most", f.drives.drives.most);
  out += template_text("install/drives.sh");
  out += template_text("nfs/prepare-drives.sh");
  bundle.add(folder + "prepare-drives", "nfs", out, 0755);
}

void scripts(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  std::string out;
  script_begin(in, out)
      .assign("first", f.servers[0].name)
      .assign("second", f.servers[1].name)
      .assign("mark", "cluster-nfs-" + f.drives.storage);
  bundle.add(folder + "load-cib", "nfs", out + std::string(template_text("nfs/load-cib.sh")), 0755);
  script_begin(in, out).assign("file", f.password_file);
  bundle.add(folder + "fence-password", "nfs", out + std::string(template_text("nfs/fence-password.sh")), 0755);
}

void guide(const CompileInput& in, const NfsFailover& f, const std::string& folder, Bundle& bundle) {
  std::string out = "<!-- " + one_line(made_by(in, "", "")) + " -->\n";
  out += template_text("nfs/guide.md");
  for (const auto& [slot, value] : {std::pair<std::string_view, std::string>{"@FIRST@", f.servers[0].name},
                                    {"@SECOND@", f.servers[1].name},
                                    {"@STORAGE@", f.drives.storage},
                                    {"@MOUNT@", f.drives.mount},
                                    {"@ADDRESS@", ipv4_text(f.address)},
                                    {"@BMC1@", ipv4_text(f.servers[0].bmc)},
                                    {"@BMC2@", ipv4_text(f.servers[1].bmc)},
                                    {"@USER@", f.user},
                                    {"@PASSWORD@", f.password_file}})
    out = replace_all(out, slot, value);
  bundle.add(folder + "README.md", "nfs", out);
}

}  // namespace

void emit_failover(const CompileInput& in, const NfsFailover& f, Bundle& bundle) {
  const std::string folder = "nfs/" + f.drives.storage + "/";
  corosync(in, f, folder, bundle);
  cib(in, f, folder, bundle);
  arrays(in, f, folder, bundle);
  server(in, f, folder, bundle);
  preparation(in, f, folder, bundle);
  scripts(in, f, folder, bundle);
  guide(in, f, folder, bundle);
}

}  // namespace clusterc
