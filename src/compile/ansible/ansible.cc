// ansible/: plays that bring a bare operating system to ready. inventory.yaml has a group for each node group and role,
// hosts as ranges (gpu[001:127]); group_vars/ what the spec says of each and what follows from it; site.yml which roles
// run where. The roles are files of templates/ansible, copied.

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "compile/ansible/plays.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/health_check.h"
#include "compile/installer_files.h"
#include "compile/templates.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/each_address.h"
#include "system/install.h"
#include "system/node_settings.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_ansible(const Cluster& c) { return c.node_count > 0; }

// Group names are Python identifiers for Ansible; the word in front keeps them apart from hosts of the same name.
std::string group_name(std::string_view kind, std::string_view name) {
  std::string out(kind);
  out += '_';
  for (const char c : name) out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return out;
}

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// gpu[001-127] -> gpu[001:127]; c[1,3,5-9] -> c1, c3, c[5:9]; h[1-2]n[01-16] -> h[1:2]n[01:16]. A list inside brackets
// has no counterpart, so every choice becomes an entry of its own.
std::vector<std::string> host_ranges(std::string_view pattern) {
  std::vector<std::string> done, growing{std::string()};
  const auto finish = [&] {
    for (std::string& s : growing) done.push_back(std::move(s));
    growing.assign(1, std::string());
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == ',') {
      finish();
    } else if (pattern[i] != '[') {
      for (std::string& s : growing) s += pattern[i];
    } else {
      const std::size_t end = pattern.find(']', i);
      std::vector<std::string> next;
      for (const std::string& s : growing)
        for (const std::string_view choice : split(pattern.substr(i + 1, end - i - 1), ',')) {
          const auto dash = choice.find('-');
          std::string& n = next.emplace_back(s);
          if (dash == std::string_view::npos) {
            n += choice;
            continue;
          }
          n += '[', n += choice.substr(0, dash), n += ':', n += choice.substr(dash + 1), n += ']';
        }
      growing = std::move(next);
      i = end;
    }
  }
  finish();
  return done;
}

// Text of a spec is never a template to Ansible.
YamlWriter& put(YamlWriter& y, std::string_view text) {
  for (const std::string_view begin : {"{{", "{%", "{#"})
    if (text.find(begin) != std::string_view::npos) return y.tag("!unsafe").value(text);
  return y.value(text);
}
YamlWriter& put(YamlWriter& y, std::string_view key, std::string_view text) { return put(y.key(key), text); }
void put(YamlWriter& y, std::string_view key, const std::vector<std::string>& list) {
  if (list.empty()) return;
  y.list(key);
  for (const std::string& text : list) put(y, text);
  y.end_list();
}

void named(YamlWriter& y, std::string_view key, const std::vector<NamedVersion>& list) {
  if (list.empty()) return;
  y.list(key);
  for (const NamedVersion& v : list)
    if (v.kind) put(y, v.version ? *v.kind + " " + v.version->text() : *v.kind);
  y.end_list();
}

void facts(YamlWriter& y, const NodeGroupModel& g) {
  const Software& s = *g.software;
  const ServerModel& m = g.server;
  const auto version = [&](std::string_view key, const Value<Version>& v) {
    if (v) put(y, key, v->text());
  };
  if (s.os) put(y, "cluster_os", *s.os);
  if (s.arch) y.field("cluster_arch", enum_text(*s.arch));
  version("cluster_kernel", s.kernel);
  if (m.gpu_count > 0) {
    put(y, "cluster_gpu_model", m.gpu_model).field("cluster_gpu_count", m.gpu_count);
    version("cluster_gpu_driver", s.gpu_driver);
    if (s.kernel_modules) y.field("cluster_gpu_kernel_modules", enum_text(*s.kernel_modules));
    version("cluster_fabric_manager", s.fabric_manager);
    if (s.persistence) y.field("cluster_gpu_persistence", *s.persistence);
    if (s.mig) put(y, "cluster_mig", *s.mig);
  }
  version("cluster_cuda", s.cuda);
  version("cluster_nccl", s.nccl);
  if (s.mpi && s.mpi->kind)
    put(y, "cluster_mpi", s.mpi->version ? *s.mpi->kind + " " + s.mpi->version->text() : *s.mpi->kind);
  if (s.fabric && s.fabric->kind)
    put(y, "cluster_rdma", s.fabric->version ? *s.fabric->kind + " " + s.fabric->version->text() : *s.fabric->kind);
  named(y, "cluster_containers", s.containers);
  named(y, "cluster_monitoring", s.monitoring);
  named(y, "cluster_frameworks", s.frameworks);
  if (s.scheduler && s.scheduler->kind) {
    y.field("cluster_scheduler", enum_text(*s.scheduler->kind));
    version("cluster_scheduler_version", s.scheduler->version);
  }
  if (m.cores > 0) y.field("cluster_cores", m.cores);
  if (m.memory) y.field("cluster_memory_mib", static_cast<std::int64_t>(m.memory->value / (1024.0 * 1024.0)));
  if (g.spec && !g.spec->roles.empty()) {
    y.list("cluster_roles");
    for (const auto& r : g.spec->roles)
      if (r) y.value(enum_text(*r));
    y.end_list();
  }
}

void sources(YamlWriter& y, std::string_view key, const std::vector<PackageSource>& list) {
  if (list.empty()) return;
  y.list(key);
  for (const PackageSource& p : list) {
    put(put(y.begin_map(), "name", p.name), "url", p.url);
    if (!p.suite.empty()) put(y, "suite", p.suite);
    if (!p.components.empty()) put(y, "components", p.components);
    if (!p.key.empty()) put(y, "key", p.key);
    y.end_map();
  }
  y.end_list();
}

void network_folders(YamlWriter& y, const NodeGroupModel& g, const NodeSettings& s) {
  if (!runs_role(s, "netplan") && !runs_role(s, "networkd") && !runs_role(s, "networkmanager")) return;
  y.list("cluster_folders");
  for (std::int64_t first = 0; first < g.count; first += kBucket) {
    std::string folder;
    append_bucket(g, first, folder);
    put(y, folder);
  }
  y.end_list();
}

// Drives, and file systems that are mounted from elsewhere or exported.
void file_systems(YamlWriter& y, const NodeSettings& s) {
  if (!s.drives.empty()) {
    y.list("cluster_drives");
    for (const DataDrives& d : s.drives) {
      put(put(y.begin_map(), "storage", d.storage), "mount", d.mount)
          .field("count", d.drives.count)
          .field("kind", d.drives.kind)
          .field("least", d.drives.least)
          .field("most", d.drives.most);
      if (!d.raid.empty()) y.field("raid", d.raid);
      y.end_map();
    }
    y.end_list();
  }
  if (!s.mounts.empty()) {
    y.list("cluster_mounts");
    for (const NetworkMount& m : s.mounts)
      put(put(put(y.begin_map(), "source", m.source), "path", m.path).field("type", m.type), "options", m.options)
          .end_map();
    y.end_list();
  }
  if (!s.exports.empty()) {
    y.list("cluster_nfs_exports");
    for (const NodeSettings::Export& e : s.exports)
      put(put(y.begin_map(), "path", e.path), "storage", e.storage).end_map();
    y.end_list();
  }
  if (const NfsFailover* pair = s.failover) {
    put(put(y.map("cluster_nfs_failover"), "storage", pair->drives.storage), "first", pair->servers[0].name);
    put(y.field("array", !pair->drives.raid.empty()), "password_file", pair->password_file).end_map();
  }
}

void identity(YamlWriter& y, const NodeGroupModel& g, const NodeSettings& s) {
  const auto& who = g.software->identity;
  if (!who || !runs_role(s, "identity")) return;
  y.map("cluster_identity");
  put(put(y, "kind", *who->kind), "server", *who->server);
  if (who->base) put(y, "base", *who->base);
  if (who->bind_dn) put(y, "bind_dn", *who->bind_dn);
  if (const auto& secret = who->bind_password) {  // the reference, never the password
    if (secret->file) put(y, "password_file", *secret->file);
    if (secret->env) put(y, "password_env", *secret->env);
    if (secret->vault) put(y, "password_vault", *secret->vault);
  }
  if (s.logins_closed) {
    y.field("closed", true);
    std::vector<std::string> groups;
    for (const auto& group : who->administrators)
      if (group) groups.push_back(*group);
    put(y, "administrators", groups);
  }
  y.end_map();
}

void mirror(YamlWriter& y, const CompileInput& in, const NodeSettings& s) {
  if (!s.mirror) return;
  put(put(y.map("cluster_mirror"), "host", s.mirror->host), "folder", s.mirror->spec->folder.value_or(""));
  if (!s.mirror->node.empty()) put(y, "node", s.mirror->node);
  if (s.mirror->spec->ca) put(y, "ca", *s.mirror->spec->ca);
  y.field("images", has_images(in.cluster)).end_map();
}

void packages(YamlWriter& y, const NodeSettings& s) {
  sources(y, "cluster_repositories", s.packages.sources);
  sources(y, "cluster_distribution_repositories", s.distribution_sources);
  put(y, "cluster_rdma_packages", s.packages.rdma);
  put(y, "cluster_nvidia_packages", s.packages.driver);
  if (!s.packages.nvidia_release.empty()) put(y, "cluster_nvidia_release", s.packages.nvidia_release);
  put(y, "cluster_fabric_manager_packages", s.packages.fabric_manager);
  put(y, "cluster_imex_packages", s.packages.imex);
  if (s.imex_nodes > 0) y.field("cluster_imex_nodes", s.imex_nodes);
  if (s.mig) y.field("cluster_mig_count", s.mig->count).field("cluster_mig_profile", s.mig->profile);
  put(y, "cluster_cuda_packages", s.packages.cuda);
  put(y, "cluster_rocm_packages", s.packages.rocm);
  put(y, "cluster_runtime_packages", s.packages.runtimes);
  put(y, "cluster_runtime_files", s.packages.runtime_files);
  if (!s.packages.pyxis.empty()) put(y, "cluster_pyxis", s.packages.pyxis);
  put(y, "cluster_mpi_packages", s.packages.mpi);
  if (!s.packages.mpi_source.empty())
    put(put(y, "cluster_mpi_source", s.packages.mpi_source), "cluster_mpi_release", s.packages.mpi_release);
}

// The machines that serve the cluster, and what they serve.
void services(YamlWriter& y, const NodeSettings& s) {
  for (const auto& [key, host] : {std::pair<std::string_view, const std::string&>{"cluster_name_server", s.name_server},
                                  {"cluster_dhcp_server", s.dhcp_server},
                                  {"cluster_web_server", s.web_server},
                                  {"cluster_monitor", s.monitor}})
    if (!host.empty()) put(y, key, host);
  put(y, "cluster_subnets", s.subnets);
  put(y, "cluster_forwarders", s.forwarders);
  put(y, "cluster_subnets_managed", s.subnets_managed);
  put(y, "cluster_ports", s.ports);
  put(y, "cluster_daemons", s.daemons);
}

void container_files(YamlWriter& y, const NodeSettings& s) {
  if (s.container_files.empty()) return;
  y.list("cluster_container_files");
  for (const ContainerFile& f : s.container_files)
    y.begin_map().field("file", f.name).field("path", f.installed).end_map();
  y.end_list();
  if (!s.enroot_folder.empty()) put(y, "cluster_enroot_folder", s.enroot_folder);
  if (!s.enroot_mount.empty()) put(y, "cluster_enroot_mount", s.enroot_mount);
}

void slurm(YamlWriter& y, const CompileInput& in, const NodeSettings& s) {
  put(y, "cluster_slurm_packages", s.slurm_packages);
  if (s.slurm_packages.empty()) return;
  y.key("cluster_slurm_controller_packages");
  y.flow(std::span<const std::string>(s.slurm_controller_packages));
  if (!s.slurm_database_packages.empty()) put(y, "cluster_slurm_database_packages", s.slurm_database_packages);
  if (!s.slurm_database_packages.empty())
    if (const auto& accounting = in.cluster.spec.software->scheduler->accounting; accounting && accounting->password) {
      if (accounting->password->env) put(y, "cluster_slurm_password_env", *accounting->password->env);
      if (accounting->password->vault) put(y, "cluster_slurm_password_vault", *accounting->password->vault);
    }
  if (s.slurm_state_server) put(y, "cluster_slurm_state_server", *s.slurm_state_server);
  y.field("cluster_slurmd", s.slurmd);
  if (!s.slurm_controller_packages.empty() && in.cluster.spec.teams.begin() != in.cluster.spec.teams.end())
    y.field("cluster_team_usage", true);
  if (s.slurmd && !s.files.slurmd.empty()) put(y, "cluster_slurmd_settings", s.files.slurmd);
}

// What the roles are told.
void settings(YamlWriter& y, const CompileInput& in, const NodeGroupModel& g, const NodeSettings& s) {
  if (!s.distribution.empty())
    put(y.field("cluster_distribution", s.distribution), "cluster_distribution_version", s.distribution_version);
  if (g.software->time_zone) put(y, "cluster_time_zone", *g.software->time_zone);
  network_folders(y, g, s);
  put(y, "cluster_name_servers", s.name_servers);
  put(y, "cluster_kernel_arguments", s.kernel_arguments);
  put(y, "cluster_kernel_modules", s.packages.modules);
  if (!s.files.sysctl.empty()) put(y, "cluster_sysctl", s.files.sysctl);
  if (!s.files.limits.empty()) put(y, "cluster_limits", s.files.limits);
  if (!s.files.lnet.empty()) put(y, "cluster_lnet", s.files.lnet);
  if (!s.firewall.empty()) put(y.field("cluster_firewall", s.firewall), "cluster_firewall_inside", s.firewall_inside);
  file_systems(y, s);
  put(y, "cluster_home_users", s.home_users);
  identity(y, g, s);
  mirror(y, in, s);
  packages(y, s);
  services(y, s);
  if (s.memory_mib > 0) y.field("cluster_health_memory_mib", s.memory_mib);
  container_files(y, s);
  slurm(y, in, s);
  if (std::vector<std::string> roles = updated_roles(s); !roles.empty()) put(y, "cluster_update_roles", roles);
}

// Every node of an NVLink domain knows the addresses of all of its nodes, one a line: a file for each domain
// (https://docs.nvidia.com/multi-node-nvlink-systems/imex-guide, nodes_config.cfg).
void imex_domains(const CompileInput& in, int group, std::int64_t nodes, Bundle& bundle) {
  const NodeGroupModel& g = in.cluster.nodes[group];
  const Home home = home_of(in.cluster, in.plan, group);
  if (home.network < 0) return;
  for (std::int64_t first = 0, domain = 0; first < g.count; first += nodes, ++domain) {
    std::string path = "ansible/imex/" + g.name + '-';
    append_int(path, domain);
    bundle.open(path + ".cfg", "ansible");
    for (std::int64_t i = first; i < std::min(g.count, first + nodes); ++i)
      append_ipv4(in.plan.address(home.network, home.end_points, i), bundle.text()), bundle.text() += '\n';
    bundle.close();
  }
}

// The roles that somebody runs, and what belongs to no role.
void copy_templates(const std::vector<NodeSettings>& all, bool vault, bool updates, const std::string& health_check,
                    Bundle& bundle) {
  for (const TemplateFile& file : template_files()) {
    if (!file.path.starts_with("ansible/")) continue;
    if (file.path == "ansible/requirements.yml" && !vault) continue;
    if (constexpr std::string_view kFolder = "ansible/roles/"; file.path.starts_with(kFolder)) {
      const std::string_view rest = file.path.substr(kFolder.size()), role = rest.substr(0, rest.find('/'));
      const bool wanted = role == "update" ? updates : std::any_of(all.begin(), all.end(), [&](const NodeSettings& s) {
        return runs_role(s, role);
      });
      if (!wanted) continue;
    }
    bundle.add(std::string(file.path), "ansible", file.text);
  }
  bundle.add("ansible/roles/health_check/files/healthcheck.sh", "ansible", health_check);
  if (std::any_of(all.begin(), all.end(), [](const NodeSettings& s) { return runs_role(s, "drives"); }))
    bundle.add("ansible/roles/drives/files/cluster-drives", "ansible", data_drives_script());
}

void emit_ansible(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "ansible", {"inventory.yaml"}, findings);
  const auto extra = yaml_entries(
      in, "inventory.yaml", {}, "ansible_user: admin", findings,
      [](const Document&, NodeId, std::string_view key) -> Refusal {
        if (!is_variable(key))
          return {"the name of a variable has letters, digits and '_', and does not begin with a digit", false};
        // A group's variables would win over these (Ansible, variable precedence) without a word.
        if (key.starts_with("cluster_"))
          return {
              "an extra line sets '" + std::string(key) + "': variables that begin with cluster_ follow from the spec",
              true};
        return {};
      });
  std::vector<std::string> names;
  std::unordered_map<std::string, const NodeGroupModel*> first;
  for (const NodeGroupModel& g : c.nodes) {
    names.push_back(group_name("group", g.name));
    if (const auto [other, fresh] = first.try_emplace(names.back(), &g); !fresh)
      findings
          .error(
              "ansible-groups-collide", g.span,
              "'" + g.name + "' and '" + other->second->name + "' would have the same name in Ansible: " + names.back())
          .note(other->second->span, "the other group")
          .help("rename one of them");
  }
  const std::vector<NodeSettings>& all = node_settings(in.system);
  report_node_settings(in.system, findings);
  bool vault = false;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (c.nodes[g].count == 0) continue;
    const auto& who = c.nodes[g].software->identity;
    vault |= who && who->bind_password && who->bind_password->vault;
    const auto& scheduler = c.spec.software->scheduler;
    vault |= !all[g].slurm_database_packages.empty() && scheduler->accounting && scheduler->accounting->password &&
             scheduler->accounting->password->vault;
    bundle.open("ansible/group_vars/" + names[g] + ".yaml", "ansible");
    bundle.text() += made_by(in, "ansible") + "---\n";
    YamlWriter y(bundle.text());
    y.begin_map();
    put(y, "cluster_group", c.nodes[g].name).field("cluster_group_name", names[g]);
    facts(y, c.nodes[g]);
    settings(y, in, c.nodes[g], all[g]);
    y.end_map();
    bundle.close();
    bundle.open("ansible/health/" + c.nodes[g].name + ".sh", "ansible");
    bundle.text() += "# shellcheck shell=sh\n" + made_by(in, "ansible") +
                     "# checks that cluster-health makes on the machines of this group\n";
    append_looks(in, static_cast<int>(g), false, bundle.text());
    bundle.close();
    if (all[g].imex_nodes > 0) imex_domains(in, static_cast<int>(g), all[g].imex_nodes, bundle);
  }
  bundle.open("ansible/group_vars/all.yaml", "ansible");
  bundle.text() += made_by(in, "ansible") + "---\n";
  YamlWriter common(bundle.text());
  common.begin_map();
  put(common, "cluster_name", c.spec.name.value_or(""));
  if (c.spec.software->domain) put(common, "cluster_domain", *c.spec.software->domain);
  common.comment("folder of the other compiled files, from which roles copy them");
  common.field("cluster_tree", "{{ inventory_dir }}/..").end_map();
  bundle.close();
  write_site_play(in, names, all, bundle);
  const bool updates = write_update_play(in, names, all, bundle);
  copy_templates(all, vault, updates, health_check_script(in, "ansible"), bundle);

  bundle.open("ansible/inventory.yaml", "ansible");
  std::string& out = bundle.text();
  out += made_by(in, "ansible") + "---\n";
  YamlWriter y(out);
  y.begin_map().map("all");
  if (!extra.empty()) {
    out += "\n  vars:\n    # outputs.ansible.extra of the spec";
    for (const YamlEntry& e : extra) {
      out += '\n';
      append_indented(out, std::string_view(e.text).substr(0, e.text.size() - 1), 4);  // the depth of all: vars:
      out.pop_back();
    }
  }
  y.map("children");
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (c.nodes[g].count == 0) continue;
    y.map(names[g]).map("hosts");
    for (const std::string& range : host_ranges(c.nodes[g].names.text())) y.key(range).null();
    y.end_map().end_map();
  }
  for (const auto& [role, word] : EnumNames<Role>::names) {
    bool begun = false;
    for (std::size_t g = 0; g < c.nodes.size(); ++g) {
      if (c.nodes[g].count == 0 || !c.nodes[g].has_role(role)) continue;
      if (!begun) y.map(group_name("role", word)).map("children");
      begun = true;
      y.key(names[g]).null();
    }
    if (begun) y.end_map().end_map();
  }
  y.end_map().end_map().end_map();
  bundle.close();
}

}  // namespace

extern const Output kAnsibleOutput;  // registry.cc names it
const Output kAnsibleOutput{
    .id = "ansible",
    .summary = "playbook, roles, inventory and group variables that turn a bare operating system into a ready node",
    .consumers = "ansible-core 2.14 and newer",
    .wanted = wants_ansible,
    .emit = emit_ansible,
};

}  // namespace clusterc
