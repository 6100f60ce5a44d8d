// cloud-init/<group>-<bucket>/<node>/{user-data,meta-data}, as the NoCloud data source reads them; network-config too where the
// operating system does not read netplan.
#include "compile/cloud_init/cloud_init.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/netplan/netplan.h"
#include "compile/pattern_text.h"
#include "model/rdma.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) { return c.node_count > 0; }

struct NfsMount { std::string server, path; };

// The first network over which the group reaches a system that was bought; -1: none.
int network_between(const Cluster& c, int storage, int group) {
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    const auto has = [&](auto&& is) { return std::any_of(net.ends.begin(), net.ends.end(), is); };
    if (net.subnet && has([&](const EndPoints& e) { return e.group == group && !is_management_port(c, net, e); }) && has([&](const EndPoints& e) { return e.storage == storage; }))
      return static_cast<int>(n);
  }
  return -1;
}

// NFS file systems that the group mounts. Others need client software of their own kind before they can be mounted.
std::vector<NfsMount> nfs_mounts(const Cluster& c, int group) {
  std::vector<NfsMount> out;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (!s.spec || s.spec->kind.value != StorageKind::nfs || s.nodes == group || !mounts(s, c.nodes[group])) continue;
    if (s.spec->servers && s.spec->servers->external) out.push_back({*s.spec->servers->external, *s.spec->mount});
    else if (s.nodes >= 0 && c.nodes[s.nodes].count > 0) out.push_back({c.nodes[s.nodes].names.name(0), *s.spec->mount});
    else if (const int n = s.part ? network_between(c, static_cast<int>(i), group) : -1; n >= 0) out.push_back({s.name + "-1-" + c.networks[n].name, *s.spec->mount});   // its name in hosts
  }
  return out;
}

struct WrittenFile { std::string path, text; };
std::vector<WrittenFile> files_of(const Cluster& c, int group, bool several_in_one_subnet) {
  const Software& s = c.nodes[group].software;
  std::vector<WrittenFile> out;
  std::string limits, sysctl;
  std::string memlock = s.limits ? s.limits->memlock.value_or("") : "";
  // RDMA pins what it transfers: locked memory must not be limited where it is used
  if (memlock.empty() && uses_rdma(c, group)) memlock = "unlimited";
  const auto limit = [&](std::string_view item, std::string_view value) {
    for (std::string_view who : {"*", "root"}) limits += who, limits += " - ", limits += item, limits += ' ', limits += one_line(value), limits += '\n';
  };
  const auto number = [](std::int64_t n) { std::string t; append_int(t, n); return t; };
  if (!memlock.empty()) limit("memlock", memlock);
  if (s.limits && s.limits->nofile) limit("nofile", number(*s.limits->nofile));
  if (s.limits && s.limits->nproc) limit("nproc", number(*s.limits->nproc));
  if (!limits.empty()) out.push_back({"/etc/security/limits.d/90-cluster.conf", limits});
  // Daemons do not read limits.d: jobs get what slurmd has
  if (memlock == "unlimited" && c.spec.software.scheduler && c.spec.software.scheduler->kind.value == SchedulerKind::slurm)
    out.push_back({"/etc/systemd/system/slurmd.service.d/90-cluster.conf", "[Service]\nLimitMEMLOCK=infinity\n"});
  // Several ports in one subnet: each answers for its own address only, and takes packets that the tables route elsewhere
  // (Linux, Documentation/networking/ip-sysctl.rst)
  if (several_in_one_subnet) sysctl += "net.ipv4.conf.all.arp_ignore = 1\nnet.ipv4.conf.all.arp_announce = 2\nnet.ipv4.conf.all.rp_filter = 2\n";
  if (s.huge_pages) sysctl += "vm.nr_hugepages = " + number(*s.huge_pages) + "\n";
  if (!sysctl.empty()) out.push_back({"/etc/sysctl.d/90-cluster.conf", sysctl});
  return out;
}

// Keys of user-data that are written here: an extra line may not repeat them.
constexpr std::string_view kKeys[] = {"hostname", "fqdn", "preserve_hostname", "manage_etc_hosts", "timezone", "ntp", "packages", "mounts", "write_files", "runcmd"};

std::string extra_lines(const CompileInput& in, Findings& findings) {
  std::string out;
  for (const YamlEntry& e : yaml_entries(in, "user-data", {std::begin(kKeys), std::end(kKeys)}, "package_upgrade: true", findings)) out += e.text;
  return out;
}

std::string user_data(const CompileInput& in, int group, const GroupNetwork& network, const std::string& extra) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[group];
  const Software& s = g.software;
  const std::string host = PatternText::mark(in.spec_digest, 0);
  std::string text = "#cloud-config\n" + made_by(in, "cloud-init");
  // Host names may look like numbers: always quoted. They hold letters, digits, '-', '.' and '_' only.
  text += "hostname: \"" + host + "\"\n";
  if (s.domain) text += "fqdn: \"" + host + "." + one_line(*s.domain) + "\"\n";
  YamlWriter y(text);
  y.begin_map().field("preserve_hostname", false).field("manage_etc_hosts", false);
  if (s.time_zone) y.field("timezone", *s.time_zone);
  if (!s.time_servers.empty()) {
    y.map("ntp").field("enabled", true).list("servers");
    for (const auto& t : s.time_servers) y.value(t.value_or(""));
    y.end_list().end_map();
  }
  if (const auto nfs = nfs_mounts(c, group); !nfs.empty()) {
    const bool deb = reads_netplan(g);
    y.list("packages").value(deb ? "nfs-common" : "nfs-utils").end_list();
    y.list("mounts");
    for (const NfsMount& m : nfs) {
      const std::string source = m.server + ":" + m.path;
      y.begin_list().value(source).value(m.path).value("nfs").value("hard,_netdev").value("0").value("0").end_list();
    }
    y.end_list();
  }
  if (const auto files = files_of(c, group, network.several_in_one_subnet()); !files.empty()) {
    y.list("write_files");
    for (const WrittenFile& f : files) y.begin_map().field("path", f.path).field("permissions", "0644").field("content", f.text).end_map();
    y.end_list();
    if (files.back().path.starts_with("/etc/sysctl.d/")) y.list("runcmd").begin_list().value("sysctl").value("--system").end_list().end_list();
  }
  y.end_map();
  if (!extra.empty()) text += "# outputs.cloud-init.extra of the spec\n" + extra;
  return text;
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "cloud-init", {"user-data"}, findings);
  const std::string extra = extra_lines(in, findings);
  const std::string cluster = to_lower(in.cluster.spec.name.value_or("cluster"));
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    Findings of_network;   // netplan says it where it is the reader
    const GroupNetwork network(in, static_cast<int>(g), "cloud-init", reads_netplan(group) ? of_network : findings);
    const PatternText user(user_data(in, static_cast<int>(g), network, extra), in.spec_digest);
    std::string host, folder;
    const auto fill = [&](std::size_t, std::string& out) { out += host; };
    for (std::int64_t i = 0; i < group.count; ++i) {
      host.clear();
      group.names.append_name(i, host);
      folder = "cloud-init/";
      append_bucket(group, i, folder);
      folder += '/';
      folder += host;
      bundle.open(folder + "/user-data", "cloud-init");
      user.append(bundle.text(), fill);
      bundle.close();
      bundle.open(folder + "/meta-data", "cloud-init");
      std::string& out = bundle.text();
      out += "instance-id: \"", out += cluster, out += '-', out += host, out += "\"\nlocal-hostname: \"", out += host, out += "\"\n";
      bundle.close();
      if (reads_netplan(group) || network.empty()) continue;
      bundle.open(folder + "/network-config", "cloud-init", 0600);
      network.append(i, bundle.text());
      bundle.close();
    }
  }
}

}  // namespace

const Output kCloudInitOutput{
    .id = "cloud-init",
    .summary = "user data and meta data of each node",
    .consumers = "cloud-init 22.4 and newer, data source NoCloud",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
