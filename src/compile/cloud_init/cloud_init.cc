// cloud-init/<group>-<bucket>/<node>/{user-data,meta-data}, as the NoCloud data source reads them; network-config too
// where the operating system does not read netplan. Names are the meta data's, so user data are one file for all nodes
// of a group, cloud-init/<group>.user-data, to which each node's is a link.

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/network_config.h"
#include "spec/software.h"
#include "system/file_systems.h"
#include "system/node_files.h"
#include "system/time_servers.h"
#include "write/pattern_text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_cloud_init(const Cluster& c) { return c.node_count > 0; }

// Keys of user-data that are written here: an extra line may not repeat them.
constexpr std::string_view kKeys[] = {"hostname",    "fqdn",  "preserve_hostname", "manage_etc_hosts",
                                      "timezone",    "ntp",   "packages",          "mounts",
                                      "write_files", "runcmd"};

std::string extra_lines(const CompileInput& in, Findings& findings) {
  std::string out;
  for (const YamlEntry& e :
       yaml_entries(in, "user-data", {std::begin(kKeys), std::end(kKeys)}, "package_upgrade: true", findings))
    out += e.text;
  return out;
}

std::string user_data(const CompileInput& in, int group, const GroupNetwork& network, const std::string& extra) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[group];
  const Software& s = g.software;
  std::string text = "#cloud-config\n" + made_by(in, "cloud-init");
  YamlWriter y(text);
  y.begin_map().field("preserve_hostname", false).field("manage_etc_hosts", false);
  if (s.time_zone) y.field("timezone", *s.time_zone);
  // A node that is a time server itself does not ask itself.
  const std::vector<OwnTimeServer> own =
      s.time_servers.empty() ? std::vector<OwnTimeServer>() : own_time_servers(in.system);
  std::vector<std::string> clocks;
  for (const auto& t : s.time_servers)
    if (t && std::none_of(own.begin(), own.end(),
                          [&](const OwnTimeServer& o) { return o.server == *t && o.group == group; }))
      clocks.push_back(*t);
  if (!clocks.empty()) {
    y.map("ntp").field("enabled", true).list("servers");
    for (const std::string& t : clocks) y.value(t);
    y.end_list().end_map();
  }
  // cloud-init mounts before it installs packages (cloud.cfg: cloud_init_modules, cloud_final_modules), at a first
  // start without the client: once more when that is there.
  std::vector<std::vector<std::string_view>> commands;
  if (const auto mounts = network_mounts(c, in.plan, group); !mounts.empty()) {
    if (std::any_of(mounts.begin(), mounts.end(), [](const NetworkMount& m) { return m.type == "nfs"; })) {
      commands.push_back({"mount", "--all", "--types", "nfs"});
      const bool deb = reads_netplan(g);
      y.list("packages").value(deb ? "nfs-common" : "nfs-utils").end_list();
    }
    y.list("mounts");
    for (const NetworkMount& m : mounts)
      y.begin_list().value(m.source).value(m.path).value(m.type).value(m.options).value("0").value("0").end_list();
    y.end_list();
  }
  const NodeFiles files = node_files(in.system, group, network);
  const std::pair<std::string_view, const std::string&> written[] = {{kLimitsPath, files.limits},
                                                                     {kSlurmdSettingsPath, files.slurmd},
                                                                     {kSysctlPath, files.sysctl},
                                                                     {kLnetPath, files.lnet}};
  if (std::any_of(std::begin(written), std::end(written), [](const auto& f) { return !f.second.empty(); })) {
    y.list("write_files");
    for (const auto& [path, content] : written)
      if (!content.empty())
        y.begin_map().field("path", path).field("permissions", "0644").field("content", content).end_map();
    y.end_list();
    if (!files.sysctl.empty()) commands.insert(commands.begin(), {"sysctl", "--system"});
  }
  if (!commands.empty()) {
    y.list("runcmd");
    for (const auto& command : commands) {
      y.begin_list();
      for (const std::string_view word : command) y.value(word);
      y.end_list();
    }
    y.end_list();
  }
  y.end_map();
  if (!extra.empty()) text += "# outputs.cloud-init.extra of the spec\n" + extra;
  return text;
}

void emit_cloud_init(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "cloud-init", {"user-data"}, findings);
  const std::string extra = extra_lines(in, findings);
  const std::string none;
  const std::string cluster = to_lower(in.cluster.spec.name.value_or("cluster"));
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    Findings of_network;  // the reader's own output says it where there is one
    GroupNetwork network(in.system, static_cast<int>(g),
                         network_reader(in.cluster, group) == NetworkReader::cloud_init ? findings : of_network);
    const bool with_network = has_network_config(in.system, static_cast<int>(g));
    const PatternText network_config = with_network ? netplan_text(in, network, group, "cloud-init") : PatternText();
    const std::string& domain = group.software->domain ? *group.software->domain : none;
    if (!in.judging)
      bundle.add("cloud-init/" + group.name + ".user-data", "cloud-init",
                 user_data(in, static_cast<int>(g), network, extra));
    const std::string of_group = "../../" + group.name + ".user-data";
    std::string host, folder;
    for (std::int64_t i = 0; i < group.count && !in.judging; ++i) {
      host.clear();
      group.names.append_name(i, host);
      folder = "cloud-init/";
      append_bucket(group, i, folder);
      folder += '/';
      folder += host;
      bundle.link(folder + "/user-data", "cloud-init", of_group);
      bundle.open(folder + "/meta-data", "cloud-init");
      std::string& out = bundle.text();
      // Host names may look like numbers: always quoted. They hold letters, digits, '-', '_' and '.' only: nothing to
      // escape.
      out += "instance-id: \"", out += cluster, out += '-', out += host, out += "\"\nlocal-hostname: \"", out += host;
      if (!domain.empty()) out += '.', out += domain;
      out += "\"\n";
      bundle.close();
      if (!with_network) continue;
      bundle.open(folder + "/network-config", "cloud-init");  // over HTTP to the installer; nothing in it is secret
      network.append(network_config, i, bundle.text());
      bundle.close();
    }
  }
}

}  // namespace

extern const Output kCloudInitOutput;  // registry.cc names it
const Output kCloudInitOutput{
    .id = "cloud-init",
    .summary = "user data and meta data of each node",
    .consumers = "cloud-init 22.4 and newer, data source NoCloud",
    .wanted = wants_cloud_init,
    .emit = emit_cloud_init,
};

}  // namespace clusterc
