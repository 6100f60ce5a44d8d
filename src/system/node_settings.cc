#include "system/node_settings.h"

#include <algorithm>
#include <array>

#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/machine_hosts.h"
#include "model/mig.h"
#include "model/nvlink.h"
#include "model/smt.h"
#include "model/storage_path.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/dhcp.h"
#include "system/file_systems.h"
#include "system/firewall.h"
#include "system/gateways.h"
#include "system/group_network.h"
#include "system/infiniband.h"
#include "system/install.h"
#include "system/interfaces.h"
#include "system/name_servers.h"
#include "system/node_health.h"
#include "system/notebooks.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// The firewall before the settings that let a machine forward. The pair of NFS servers before drives: no other role may
// find the array that both reach while nothing says that it is not to be assembled.
constexpr std::array kRoles = std::to_array<std::string_view>(
    {"base",        "mirror",     "repositories",   "name_server",   "dhcp",          "web_server",
     "nftables",    "kernel",     "limits",         "netplan",       "networkd",      "networkmanager",
     "chrony",      "identity",   "nfs_failover",   "drives",        "nfs_server",    "pcie_acs",
     "rdma",        "roce",       "subnet_manager", "mounts",        "nvidia_driver", "nvidia_fabric_manager",
     "nvidia_imex", "nvidia_mig", "cuda",           "rocm",          "mpi",           "fabric_env",
     "containers",  "slurm",      "syslog_ng",      "node_exporter", "prometheus",    "grafana",
     "health_check"});

// Names of distributions: ansible.module_utils.facts.system.distribution; a spec writes them as
// catalog/compatibility/driver-os.yaml does.
struct Distribution {
  std::string_view os, fact, family;
};
constexpr std::array<Distribution, 11> kDistributions{{{"ubuntu", "Ubuntu", "Debian"},
                                                       {"debian", "Debian", "Debian"},
                                                       {"rocky", "Rocky", "RedHat"},
                                                       {"rhel", "RedHat", "RedHat"},
                                                       {"almalinux", "AlmaLinux", "RedHat"},
                                                       {"centos", "CentOS", "RedHat"},
                                                       {"oracle", "OracleLinux", "RedHat"},
                                                       {"fedora", "Fedora", "RedHat"},
                                                       {"amazon-linux", "Amazon", "RedHat"},
                                                       {"sles", "SLES", "Suse"},
                                                       {"opensuse-leap", "openSUSE Leap", "Suse"}}};

const Distribution* distribution_of(std::string_view os, std::string& version) {
  for (const Distribution& d : kDistributions)
    if (os.starts_with(d.os) && os.size() > d.os.size() + 1 && os[d.os.size()] == '-')
      return version = os.substr(d.os.size() + 1), &d;
  return nullptr;
}

// What is said for the whole cluster is found wrong once, not for each group.
bool told(const Findings& findings, std::string_view rule, SourceSpan at) {
  return std::any_of(findings.all().begin(), findings.all().end(),
                     [&](const Finding& f) { return f.rule == rule && f.span == at; });
}

// One word of a kernel's command line that needs no quotes there, in a file that a shell reads, or in an argument of
// grubby.
bool is_kernel_argument(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.,:=+/@%^~-").find(c) != std::string_view::npos;
  });
}

// Linux, Documentation/admin-guide/kernel-parameters.txt: intel_iommu, amd_iommu, iommu, iommu.passthrough (arm64),
// hugepagesz, nosmt.
std::vector<std::string> kernel_arguments(const NodeGroupModel& g, Findings& findings) {
  std::vector<std::string> out;
  const Software& s = g.software;
  if (s.iommu && !g.server.virtual_machine) {
    const Vendor vendor = g.server.cpu && g.server.cpu->vendor ? *g.server.cpu->vendor : Vendor::other;
    const bool arm = (g.server.cpu && g.server.cpu->arch && *g.server.cpu->arch == Arch::aarch64) ||
                     (s.arch && *s.arch == Arch::aarch64);
    if (arm) {
      if (*s.iommu != "off") out.push_back(*s.iommu == "passthrough" ? "iommu.passthrough=1" : "iommu.passthrough=0");
    } else if (*s.iommu == "off") {
      out.push_back(vendor == Vendor::intel ? "intel_iommu=off"
                    : vendor == Vendor::amd ? "amd_iommu=off"
                                            : "iommu=off");
    } else {
      if (vendor == Vendor::intel) out.push_back("intel_iommu=on");  // AMD's is on wherever the firmware has it
      out.push_back(*s.iommu == "passthrough" ? "iommu=pt" : "iommu=nopt");
    }
  }
  if (s.huge_pages && *s.huge_pages > 0) {  // reserved before memory is in pieces; vm.nr_hugepages says the same
    out.emplace_back("hugepagesz=2M");
    append_int(out.emplace_back("hugepages="), *s.huge_pages);
  }
  if (kernel_switches_smt_off(s) && !nosmt_argument(s)) out.emplace_back("nosmt");
  for (const auto& wish : s.kernel_arguments) {
    if (!wish) continue;
    if (is_kernel_argument(*wish))
      out.push_back(*wish);
    else if (!told(findings, "ansible-kernel-argument-malformed", wish.span))
      findings
          .error("ansible-kernel-argument-malformed", wish.span,
                 "'" + one_line(wish->substr(0, 60)) + "' is not a valid kernel argument")
          .help("write one argument in each entry, without spaces, quotes and shell characters: isolcpus=2-7");
  }
  return out;
}

bool same_release(std::string_view a, std::string_view b) {  // 22.05.8 is 22.05
  return a == b || (a.starts_with(b) && a.substr(b.size()).starts_with('.'));
}

void slurm(const Cluster& c, const NodeGroupModel& g, std::string_view family, NodeSettings& out) {
  const auto& scheduler = c.spec.software->scheduler;
  out.slurmd = runs_slurmd(c, g);
  const std::string os = g.software->os.value_or("");
  const std::string_view release = distribution_slurm(os);
  const bool own = family == "Debian" && !release.empty() &&
                   (!scheduler->version || same_release(scheduler->version->text(), release));
  if (own) {
    out.slurm_packages = {"munge", "slurm-client", "slurm-wlm-basic-plugins"};
    if (out.slurmd) out.slurm_packages.emplace_back("slurmd");
    if (out.slurmd && !cut_by_mig(g.software).empty())
      out.slurm_packages.emplace_back(
          "slurm-wlm-nvml-plugin");  // AutoDetect=nvml of gres.conf; in Debian's contrib, Ubuntu's multiverse
    out.slurm_controller_packages = {"slurmctld"};
    out.slurm_database_packages = {"slurmdbd"};
  } else if (family == "Debian") {
    out.slurm_packages = {"munge", "slurm-smd", "slurm-smd-client"};
    if (out.slurmd) out.slurm_packages.emplace_back("slurm-smd-slurmd");
    out.slurm_controller_packages = {"slurm-smd-slurmctld"};
    out.slurm_database_packages = {"slurm-smd-slurmdbd"};
  } else {
    out.slurm_packages = {"munge", "slurm"};
    if (out.slurmd) out.slurm_packages.emplace_back("slurm-slurmd");
    out.slurm_controller_packages = {"slurm-slurmctld"};
    out.slurm_database_packages = {"slurm-slurmdbd"};
  }
  if (!slurm_keeps_accounts(c, g)) out.slurm_database_packages.clear();
  if (!runs_slurmctld(c, g))
    out.slurm_controller_packages.clear();
  else
    out.slurm_state_server = slurm_state_server(c);
}

// What one node of the group does for the whole cluster. Names come first: whoever has the cluster's network asks for
// them there.
void services(const System& in, int group, std::string_view family, std::vector<std::string_view>& roles,
              NodeSettings& out) {
  const Cluster& c = in.cluster;
  const auto serves = [&](std::string& host, int by, std::string_view role) {
    if (by == group) host = c.nodes[static_cast<std::size_t>(group)].names.name(0), roles.push_back(role);
  };
  const int provisioner = first_provisioner(c);
  const auto dhcp = dhcp_server(c);
  if (in.makes("dns")) serves(out.name_server, name_server_group(c, in.plan), "name_server");
  if (dhcp && in.makes(*dhcp == DhcpServer::kea ? "kea" : "dnsmasq")) serves(out.dhcp_server, provisioner, "dhcp");
  if (in.makes("nginx") && installs(c)) serves(out.web_server, provisioner, "web_server");
  if (!out.name_server.empty()) {
    for (const NetworkModel& n : c.networks)
      if (n.subnet) out.subnets.push_back(n.subnet->text());
    for (const auto& s : c.spec.software->name_servers)
      if (s && *s != ipv4_text(own_name_server(in))) out.forwarders.push_back(*s);
  }
  // Red Hat's repositories have no syslog-ng
  if (in.makes("syslog-ng") && family == "Debian") roles.push_back("syslog_ng");
  // nor Prometheus and its exporters
  if (!in.makes("prometheus") || family != "Debian") return;
  roles.push_back("node_exporter");
  const std::vector<int>& monitoring = groups_with(c, Role::monitoring);
  const auto watches = std::find_if(monitoring.begin(), monitoring.end(),
                                    [&](int g) { return c.nodes[static_cast<std::size_t>(g)].count > 0; });
  if (watches == monitoring.end()) return;
  serves(out.monitor, *watches, "prometheus");
  if (out.monitor.empty() || !in.makes("grafana")) return;
  // https://grafana.com/docs/grafana/latest/setup-grafana/installation/debian/
  roles.push_back("grafana");
  out.packages.sources.push_back(
      {"grafana", "https://apt.grafana.com", "stable", "main", "https://apt.grafana.com/gpg.key"});
}

}  // namespace

std::span<const std::string_view> setup_roles() { return kRoles; }

// What names of packages and patterns of releases are made of.
bool is_release(std::string_view text) {
  const auto sign = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
           c == '~' || c == '_';
  };
  return !text.empty() && text.front() != '.' && text.back() != '.' && text.find("..") == text.npos &&
         std::all_of(text.begin(), text.end(), [&](char c) { return c == '.' || sign(c); });
}

// Where users of the directory have no business by ssh, only administrators are let in: on nodes of jobs, which the
// scheduler gives out, and on every other node once there are login nodes. Accounts of the machine itself, root among
// them, log in as before (pam_sss answers for its own users only), so that nobody is locked out.
bool closes_logins(const System& in, int group) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const auto& scheduler = c.spec.software->scheduler;
  if (lets_users_in(g)) return false;
  if (!scheduler || !scheduler->kind) return !g.software->identity->administrators.empty();
  if (makes_notebooks(c)) {  // PAM of the hub's node lets its users in
    Findings of_notebooks;   // reported by the output jupyterhub
    if (notebook_facts(in, of_notebooks).group == group) return false;
  }
  return runs_slurmd(c, g) || *scheduler->kind == SchedulerKind::kubernetes ||
         std::ranges::any_of(c.nodes, [](const NodeGroupModel& n) { return n.count > 0 && lets_users_in(n); });
}

// The role identity, and whom it lets in.
void identity(const System& in, int group, Findings& findings, std::vector<std::string_view>& roles,
              NodeSettings& out) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  if (!g.software->identity || g.software->identity->kind.value_or("local") == "local") return;
  const Identity& who = *g.software->identity;
  for (const auto* text : {&who.server, &who.base, &who.bind_dn})
    if (*text && (one_line(**text) != **text || trim(**text) != **text) &&
        !told(findings, "ansible-identity-malformed", text->span))
      findings
          .error("ansible-identity-malformed", text->span,
                 "sssd.conf cannot hold '" + one_line((*text)->substr(0, 60)) +
                     "': it has a line break, or a space at its begin or end")
          .help("write it on one line");
  for (const auto& name : who.administrators)  // sssd.conf parts the names by commas, and takes % for a format
    if (name &&
        (one_line(*name) != *name || trim(*name) != *name || name->empty() ||
         name->find_first_of(",%{}") != std::string::npos) &&
        !told(findings, "ansible-identity-malformed", name.span))
      findings
          .error("ansible-identity-malformed", name.span,
                 "sssd.conf cannot hold '" + one_line(name->substr(0, 60)) +
                     "' as the name of a group: it is empty, or has a comma, a brace, '%', a line break, or a space "
                     "at its begin or end")
          .help("write one group in each entry: `administrators: [cluster-admins]`");
  if (who.server) roles.push_back("identity");
  out.logins_closed = who.server && closes_logins(in, group);
}

// Of `ldap` and `ad` without `administrators`, nodes that are closed let in nobody from the directory.
void check_administrators(const System& in, Findings& findings) {
  if (!in.makes("ansible")) return;
  constexpr std::size_t kNamed = 8;
  SourceSpan at;
  std::vector<std::string> closed;
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    const auto& who = g.software->identity;
    if (g.count == 0 || !who || who->kind.value_or("local") == "local" || !who->server ||
        !who->administrators.empty() || !closes_logins(in, static_cast<int>(i)))
      continue;
    if (closed.empty()) at = who->span;
    closed.push_back("'" + g.name + "'");
  }
  if (closed.empty()) return;
  const std::size_t more = closed.size() - std::min(closed.size(), kNamed);
  closed.resize(closed.size() - more);
  findings
      .warning("identity-administrators-unsaid", at,
               "no user of the directory can log in to the nodes of " + join(closed, ", ") +
                   (more > 0 ? " and " + std::to_string(more) + " more groups" : std::string()) +
                   ": `identity` names no `administrators`")
      .help("set `administrators: [GROUP]` of `identity`; local accounts log in as before");
}

// Where sssd.conf says that homes are (the role identity, override_homedir).
constexpr std::string_view kHomes = "/home";

std::vector<std::string> team_users(const Cluster& c) {
  std::vector<std::string> out;
  for (const auto& team : c.spec.teams)
    for (const auto& user : team.value.users)
      if (user && std::find(out.begin(), out.end(), *user) == out.end()) out.push_back(*user);
  return out;
}

void check_homes(const Cluster& c, Findings& findings) {
  const bool known = std::any_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroupModel& g) {
    return g.count > 0 && g.software->identity && g.software->identity->kind.value_or("local") != "local" &&
           g.software->identity->server;
  });
  for (const StorageModel& s : c.storage) {
    if (!known || !s.spec || !s.spec->mount || *s.spec->mount != kHomes ||
        s.spec->kind.value_or(StorageKind::local) != StorageKind::nfs)
      continue;
    const bool ours = served_by_nodes(c, s), pair = asks_for_failover(c, s);
    if (ours && !pair && !team_users(c).empty()) continue;
    Finding& f = findings.note("storage-homes-unmade", s.span,
                               "'" + s.name +
                                   "' is exported with root_squash: home directories cannot be created at first login" +
                                   (pair   ? ", and the plays create none on servers that fail over"
                                    : ours ? ", and `teams` names no user whose home directory the plays could create"
                                           : ", and its server is not a node of the cluster"));
    if (pair)
      f.help("create each home directory on the server that is active: mkhomedir_helper USER 0077");
    else if (ours)
      f.help("name users in `teams`, or create each home directory on " +
             c.nodes[static_cast<std::size_t>(s.nodes)].names.name(0) + ": mkhomedir_helper USER 0077");
    else
      f.help(
          "create each home directory on the server, owned by its user, with mode 0700, or export with no_root_squash "
          "to one login node");
  }
}

void check_releases(const Software& s, Findings& findings) {
  for (const Value<Version>* v :
       {&s.gpu_driver, &s.cuda, &s.nccl, &s.fabric_manager, s.fabric ? &s.fabric->version : nullptr})
    if (v && *v && !is_release((*v)->text()) && !told(findings, "ansible-release-malformed", v->span))
      findings
          .error("ansible-release-malformed", v->span,
                 "'" + one_line((*v)->text().substr(0, 60)) + "' is not a release of a package")
          .help("write numbers and words with points between them: 580.95.05");
}

// What the spec asks for and no output makes, so that nobody takes it for made.
void check_unmade(const System& in, int group, std::string_view family, Findings& findings) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  const bool watched = in.makes("prometheus"), logged = in.makes("syslog-ng");
  if (family == "RedHat" && (watched || logged) && !told(findings, "monitoring-unmade", g.software->os.span))
    findings
        .note("monitoring-unmade", g.software->os.span,
              "the repositories of '" + one_line(*g.software->os) + "' have no " +
                  (watched && logged ? "Prometheus, exporters and syslog-ng"
                   : watched         ? "Prometheus and exporters"
                                     : "syslog-ng") +
                  ": the plays install none on '" + g.name + "', " +
                  (watched && g.has_role(Role::monitoring) ? "and the cluster is not monitored"
                   : watched                               ? "and its Prometheus targets will be down"
                                                           : "and its logs are not sent"))
        .help(
            "install them by other means (EPEL has golang-github-prometheus-node-exporter, syslog-ng and "
            "syslog-ng-http); their configuration is compiled");
  // Prometheus and Alertmanager ask nobody who they are (roles/prometheus): the loopback address keeps other machines
  // out, not other users of this one.
  if (watched && g.count > 0 && g.has_role(Role::monitoring) && (g.has_role(Role::login) || g.computes) &&
      !told(findings, "monitoring-open-to-users", g.span))
    findings
        .note("monitoring-open-to-users", g.span,
              "users " + std::string(g.has_role(Role::login) ? "log in to" : "run jobs on") + " '" + g.name +
                  "', which also has the role monitoring: they can read all metrics and silence alerts at "
                  "127.0.0.1:9090 and 127.0.0.1:9093")
        .help("give the role monitoring to nodes on which users have no processes");
  if (g.has_role(Role::gateway) && g.count > 0 && in.cluster.networks.size() > 1 && !forwards(in, group) &&
      !told(findings, "gateway-unmade", g.span))
    findings
        .note("gateway-unmade", g.span, "'" + g.name + "' has the role gateway, but no output enables forwarding on it")
        .help(in.cluster.own_site ? "connect the gateway to at least two networks that are not out of band; if it is "
                                    "also in the BMC network, compile the output `nftables` (its firewall) as well"
                                  : "use the routers of the cloud's networks");
  if (forwards(in, group) && !in.makes("nftables") && !told(findings, "gateway-unguarded", g.span))
    findings
        .note("gateway-unguarded", g.span,
              "'" + g.name +
                  "' forwards between networks, but no firewall is compiled: any host that reaches it from outside "
                  "reaches these networks through it")
        .help(
            "a firewall is compiled if the spec has an out-of-band network and a login node or a management node; else "
            "write its rules by hand");
}

// Also GPUs that the catalogue does not know.
static bool may_have_nvidia_gpus(const NodeGroupModel& g) {
  return g.server.gpu_count > 0 && (!g.server.gpu || g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia);
}

std::optional<MigLayout> mig_made(const NodeGroupModel& g) {
  return may_have_nvidia_gpus(g) ? mig_layout(g.software) : std::nullopt;
}

// Only where the spec says so, and never where virtual machines run: access control keeps their devices apart.
bool switches_acs_off(const Cluster& c, const NodeGroupModel& g) {
  return g.software->acs && !*g.software->acs && g.server.gpu_count > 0 && !g.server.virtual_machine &&
         !hosts_of_machines(c).contains(g.name);
}

NodeSettings settings_of(const System& in, int group, Findings& findings) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[group];
  NodeSettings out;
  std::vector<std::string_view> roles{"base"};
  std::string_view family;
  if (const Distribution* d = distribution_of(g.software->os.value_or(""), out.distribution_version))
    out.distribution = d->fact, family = d->family;

  Findings of_network;  // netplan or cloud-init says it
  const GroupNetwork network(in, group, of_network);
  out.files = node_files(in, group, network);
  // By the plays alone, which bring the firewall too; and first, since it sets other settings back (Linux,
  // Documentation/networking/ip-sysctl.rst).
  if (forwards(in, group)) out.files.sysctl.insert(0, "net.ipv4.ip_forward = 1\n");
  out.kernel_arguments = kernel_arguments(g, findings);
  check_releases(g.software, findings);
  out.packages = node_packages(c, group);
  if (out.packages.unsupported && !told(findings, "ansible-os-unsupported", g.software->os.span))
    findings
        .warning("ansible-os-unsupported", g.software->os.span,
                 "no repository of GPU software is known for '" + one_line(*g.software->os) +
                     "': the plays install no GPU software on '" + g.name + "'")
        .help("use ubuntu-22.04, ubuntu-24.04, debian-12, debian-13, or release 8 or 9 of rhel, rocky and almalinux");
  services(in, group, family, roles, out);
  check_unmade(in, group, family, findings);
  if (in.makes("mirror")) out.mirror = mirror_server(in);
  if (out.mirror) out.distribution_sources = distribution_sources(g);
  if (out.mirror && out.mirror->group == group) roles.push_back("mirror");
  if (out.mirror || !out.packages.sources.empty()) roles.push_back("repositories");
  if (switches_acs_off(c, g)) roles.push_back("pcie_acs");
  if (!out.packages.rdma.empty()) roles.push_back("rdma");
  if (in.makes_for("roce", group)) roles.push_back("roce");
  if (in.makes("opensm")) out.subnets_managed = managed_subnets(c, in.plan, group);
  if (!out.subnets_managed.empty()) roles.push_back("subnet_manager");
  if (!out.packages.driver.empty()) roles.push_back("nvidia_driver");
  if (!out.packages.fabric_manager.empty()) roles.push_back("nvidia_fabric_manager");
  if (!out.packages.imex.empty()) roles.push_back("nvidia_imex"), out.imex_nodes = nvlink_domain_nodes(c, g);
  // Where nothing is said too: GPUs that an earlier spec had cut become whole. What is no layout was said by a rule,
  // and nothing is made of it.
  out.mig = mig_made(g);
  if (may_have_nvidia_gpus(g) &&
      (out.mig || (g.software->mig.value_or("off") == "off" && !out.packages.driver.empty())))
    roles.push_back("nvidia_mig");
  if (!out.packages.cuda.empty()) roles.push_back("cuda");
  if (!out.packages.rocm.empty()) roles.push_back("rocm");
  if (in.makes_for("fabric-env", group)) roles.push_back("fabric_env");
  if (in.makes("containers"))
    out.container_files = container_files(c, group), out.enroot_folder = enroot_folder(c, group);
  if (!out.container_files.empty() || !out.packages.runtimes.empty() || !out.packages.runtime_files.empty() ||
      !out.packages.pyxis.empty())
    roles.push_back("containers");
  if (!out.packages.mpi.empty()) roles.push_back("mpi");
  if (!out.kernel_arguments.empty() || !out.files.sysctl.empty() || !out.packages.modules.empty())
    roles.push_back("kernel");
  if (!out.files.limits.empty()) roles.push_back("limits");
  if (const std::string_view reader = network_output(c, g); !network.empty() && !reader.empty() && in.makes(reader)) {
    roles.push_back(reader);
    if (reader != "networkmanager") out.name_servers = name_servers(in, g);
  }
  if (in.makes("nftables"))
    out.firewall = firewall_file(c, group), out.firewall_inside = firewall_inside(c), roles.push_back("nftables");
  if (in.makes("chrony")) roles.push_back("chrony");
  identity(in, group, findings, roles, out);
  for (const int i : storage_served_by(c, group))
    if (const StorageModel& s = c.storage[static_cast<std::size_t>(i)]; served_by_nodes(c, s))
      out.exports.push_back({*s.spec->mount, s.name});
  if (in.makes("nfs")) out.failover = nfs_failover_of(in, group);
  if (!out.exports.empty() && in.makes("nfs")) roles.push_back(out.failover ? "nfs_failover" : "nfs_server");
  if (std::find(roles.begin(), roles.end(), "identity") != roles.end() && !out.failover &&
      std::any_of(out.exports.begin(), out.exports.end(),
                  [](const NodeSettings::Export& e) { return e.path == kHomes; }))
    out.home_users = team_users(c);
  for (const int s : storage_of_group(c, group))
    if (auto drives = data_drives(c, s, group)) out.drives.push_back(*std::move(drives));
  if (!out.drives.empty()) roles.push_back("drives");
  for (const DataDrives& d : out.drives)
    if (out.enroot_folder.starts_with(d.mount + '/')) out.enroot_mount = d.mount;
  out.mounts = network_mounts(c, in.plan, group);
  if (!out.mounts.empty()) roles.push_back("mounts");
  if (in.makes("slurm") &&
      (runs_slurmd(c, g) || runs_slurmctld(c, g) || slurm_keeps_accounts(c, g) || g.has_role(Role::login))) {
    slurm(c, g, family, out);
    roles.push_back("slurm");
  }
  const NodeHealth health = node_health(in, group);
  out.ports = health.ports, out.daemons = health.daemons, out.memory_mib = health.memory_mib;
  roles.push_back("health_check");
  for (const std::string_view role : kRoles)
    if (std::find(roles.begin(), roles.end(), role) != roles.end()) out.roles.push_back(role);
  return out;
}

namespace {

struct AllSettings {
  std::vector<NodeSettings> of_group;
  Findings findings;
};

const AllSettings& all_settings(const System& in) {
  return in.memo.get("node settings", [&] {
    AllSettings out;
    for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
      out.of_group.push_back(in.cluster.nodes[g].count > 0 ? settings_of(in, static_cast<int>(g), out.findings)
                                                           : NodeSettings{});
    return out;
  });
}

}  // namespace

const std::vector<NodeSettings>& node_settings(const System& in) { return all_settings(in).of_group; }

void report_node_settings(const System& in, Findings& findings) {
  for (const Finding& f : all_settings(in).findings.all()) findings.all().push_back(f);
}

}  // namespace clusterc
