#include "report/runbook_steps.h"

#include <array>
#include <tuple>

#include "base/text.h"
#include "report/configuration_steps.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/file_systems.h"
#include "system/infiniband.h"
#include "system/install.h"
#include "system/interfaces.h"
#include "system/switches.h"

namespace clusterc {
namespace {

// The output that a role copies from the tree, where it is not called by the role's name; of the others '-' stands for
// '_'.
struct Copies {
  std::string_view role, output;
};
constexpr auto kCopies = std::to_array<Copies>({{"base", "hosts"},
                                                {"name_server", "dns"},
                                                {"nfs_server", "nfs"},
                                                {"nfs_failover", "nfs"},
                                                {"subnet_manager", "opensm"},
                                                {"dhcp", "dnsmasq"},
                                                {"dhcp", "kea"},
                                                {"web_server", "nginx"},
                                                {"web_server", "ipxe"},
                                                {"web_server", "preseed"},
                                                {"web_server", "autoinstall"},
                                                {"web_server", "kickstart"},
                                                {"web_server", "cloud-init"}});

}  // namespace

ConfigurationSteps::ConfigurationSteps(const System& in, int& section)
    : in_(in),
      c_(in.cluster),
      p_(in.plan),
      section_(section),
      provisioner_(first_provisioner(c_)),
      settings_(node_settings(in)) {
  Findings told;  // by compile, which decides the same
  if (in_.makes("slurm")) slurm_ = slurm_facts(in_, told);
  mirror_ = in_.makes("mirror") ? mirror_server(in_) : std::nullopt;
  serves_ = provisioner_ >= 0 && (!set(provisioner_).dhcp_server.empty() || !set(provisioner_).web_server.empty());
}

std::string ConfigurationSteps::text() {
  compiling();
  switches();
  mirror();
  first_node();
  nodes();
  plays();
  links();
  services();
  rest();
  return std::move(out_);
}

std::string ConfigurationSteps::file(std::string_view output, std::string_view name) {
  return used_.emplace(output), format("tree/{}/{}", output, name);
}

std::string ConfigurationSteps::folders(const std::vector<std::string_view>& outputs) {
  std::string all;
  for (const std::string_view o : outputs) all += (all.empty() ? "" : ", ") + code(file(o, ""));
  return all;
}

std::vector<std::string_view> ConfigurationSteps::copied(const std::vector<std::string_view>& roles) const {
  std::vector<std::string_view> all;
  const auto take = [&](std::string_view output) {
    if (in_.makes(output) && !used_.contains(output) && std::find(all.begin(), all.end(), output) == all.end())
      all.push_back(output);
  };
  for (const std::string_view role : roles) {
    for (const Copies& copy : kCopies)
      if (copy.role == role) take(copy.output);
    const std::string same = replace_all(role, "_", "-");
    for (const OutputKind& o : in_.made)
      if (o.id == same) take(o.id);
  }
  return all;
}

std::string ConfigurationSteps::play(std::string_view options) {
  return code(format("cd {} && ansible-playbook site.yml{}", file("ansible", ""), options));
}

void ConfigurationSteps::switches() {
  const std::vector<ConfiguredFabric>& all = configured_fabrics(in_);
  const auto made = [&](const ConfiguredFabric& f) { return in_.makes(switch_output(f.os)); };
  if (std::ranges::none_of(all, made)) return;
  section("Switches");
  for (const ConfiguredFabric& configured : all) {
    if (!made(configured)) continue;
    const Fabric& f = p_.fabrics[at(configured.fabric)];
    if (configured.os == SwitchOs::cumulus) {
      box(format("network {}: {} configured as {} says, and the configuration is saved", quoted(f.name),
                 counted(f.switch_count(), "switch is", "switches are"), code(file("cumulus", "README.md"))));
      continue;
    }
    box(format(
        "network {}: {} configured as {} says, {} names no difference but nodes without an operating system, and "
        "the configuration is saved",
        quoted(f.name), counted(f.switch_count(), "switch is", "switches are"), code(file("sonic", "README.md")),
        code("check-neighbours")));
  }
  for (const ConfiguredFabric& configured : all) {
    if (!made(configured)) continue;
    const Fabric& f = p_.fabrics[at(configured.fabric)];
    if (const std::int64_t links = f.leaf_spine_cables + f.spine_core_cables; links > 0)
      box(format("network {}: {} up at {}", quoted(f.name),
                 counted(links, "link between switches is", "links between switches are"), to_text(f.uplink_rate)));
  }
}

void ConfigurationSteps::plays() {
  section(in_.makes("ansible") ? "The plays" : "Files that nodes read");
  for (const Secret& s : secrets())
    if (s.ref->file)
      box(format("each machine of {} that needs it has {} as {}", quoted(c_.nodes[at(s.group)].name), s.what,
                 code(*s.ref->file)));
  yours();
  std::vector<std::string_view> roles;
  for (const std::string_view role : setup_roles())
    if (anywhere(role)) roles.push_back(role);
  const std::vector<std::string_view> copies = copied(roles);
  if (!in_.makes("ansible")) {
    if (!copies.empty())
      box(format("{} in place on every machine that needs them, and the services that read them run", by_hand(copies)));
    return;
  }
  box(format("{} names no unintended change", play(" --check --diff")));
  box(format("{} ended with `failed=0` for all{}", play(""),
             copies.empty() ? std::string() : ": it installs " + folders(copies)));
  const auto restarted = groups([&](int g) {
    return !set(g).kernel_arguments.empty() || runs(g, "nvidia_driver") || runs(g, "rocm") || runs(g, "netplan") ||
           runs(g, "networkd") || runs(g, "networkmanager");
  });
  if (!restarted.empty()) {
    box(format("{} rebooted: the plays reboot no machine, and {} take effect at boot", join(restarted, ", "),
               "kernel arguments, drivers and port names"));
    box(format("a second {} ended with `changed=0` for all", code("ansible-playbook site.yml")));
  }
}

void ConfigurationSteps::yours() {
  const auto boxed = groups([&](int g) { return runs(g, "containers"); });
  if (!boxed.empty()) box(format("by hand: container runtimes on {}", join(boxed, ", ")));
  const auto nvidia = groups([&](int g) {
    return runs(g, "containers") && c_.nodes[at(g)].server.gpu_count > 0 &&
           (!c_.nodes[at(g)].server.gpu ||
            c_.nodes[at(g)].server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia);
  });
  if (!nvidia.empty()) box(format("by hand: NVIDIA's container toolkit on {}", join(nvidia, ", ")));
  std::set<std::string> clients;
  for (const NodeSettings& s : settings_)
    for (const NetworkMount& m : s.mounts)
      if (m.type == "lustre" || m.type == "beegfs") clients.insert(m.type == "lustre" ? "Lustre" : "BeeGFS");
  for (const std::string& client : clients)
    box(format("by hand: the client of {}, built for the kernel of the nodes that mount it", client));
  for (std::size_t i = 0; i < c_.storage.size(); ++i) {
    const StorageModel& s = c_.storage[i];
    if (!s.spec || !s.spec->mount) continue;
    const auto by_us = groups([&](int g) { return is_mounted_by_us(c_, p_, static_cast<int>(i), g); });
    if (by_us.empty())
      box(format("by hand: storage {} at {}: no output mounts it", quoted(s.name), code(*s.spec->mount)));
  }
  const auto packaged = groups([&](int g) {
    return std::any_of(set(g).slurm_packages.begin(), set(g).slurm_packages.end(),
                       [](const std::string& p) { return p.starts_with("slurm-smd") || p == "slurm"; });
  });
  if (!packaged.empty())
    box(format("by hand: a repository with Slurm's packages ({}) for {}", quoted(slurm_package()),
               join(packaged, ", ")));
  for (const auto& [output, role, what] : {std::tuple{"prometheus", "node_exporter", "Prometheus's node exporter"},
                                           std::tuple{"syslog-ng", "syslog_ng", "syslog-ng"}}) {
    const auto without = groups([&, o = output, r = role](int g) {
      return in_.makes("ansible") && in_.makes(o) && runs(g, "base") && !runs(g, r);
    });
    if (!without.empty())
      box(format("by hand: {} on {}: the repositories of that system do not have it (EPEL does)", what,
                 join(without, ", ")));
  }
  const auto bare = groups([&](int g) { return set(g).packages.unsupported; });
  if (!bare.empty())
    box(format("by hand: GPU software on {}: no repository for this operating system is known", join(bare, ", ")));
  // What the acceptance and the first jobs start.
  if (const auto without = groups([&](int g) { return c_.nodes[at(g)].computes && c_.own_site && !runs(g, "mpi"); });
      !without.empty() && in_.makes("slurm"))
    box(format(
        "by hand: Open MPI on {}: no role installs it (`software.mpi` of the spec does); `clusterc validate` and "
        "the first jobs need it",
        join(without, ", ")));
  if (slurm_ && !slurm_->databases.empty() && slurm_->database_host != "localhost")
    box(format("by hand: {} has a database `slurm_acct_db` and an account `slurm`", quoted(slurm_->database_host)));
}

std::string ConfigurationSteps::slurm_package() const {
  for (const NodeSettings& s : settings_)
    if (s.slurm_packages.size() > 1 && s.slurm_packages[1].starts_with("slurm-smd"))
      return "slurm-smd, built by SchedMD's guide";
  return "slurm, built by SchedMD's guide";
}

void ConfigurationSteps::links() {
  section("Links");
  for (const NetworkModel& n : c_.networks)
    if (in_.makes("roce") && n.spec && n.spec->roce && n.shares < 0 &&
        !makes_switches(in_, static_cast<int>(&n - c_.networks.data())))
      box(format("by hand: switches of network {} have the lossless class of its {}, as the nodes have", quoted(n.name),
                 code("roce:")));
  for (const InfinibandSubnet& s : infiniband_subnets(c_, p_)) {
    std::vector<std::string> by;
    bool several = false;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (const auto& managed = set(static_cast<int>(g)).subnets_managed;
          std::find(managed.begin(), managed.end(), s.name) != managed.end())
        by.push_back(markdown_text(c_.nodes[g].names.text())), several |= managed.size() > 1;
    const std::string conf = in_.makes("opensm") ? code(file("opensm", s.name + "/opensm.conf")) : std::string();
    if (!by.empty())
      box(format("subnet {}: on {}, {} prints `active`: one subnet manager is active, the others stand by{}",
                 quoted(s.name), join(by, ", "), code("systemctl is-active cluster-opensm@" + s.name),
                 several
                     ? "; a node with ports in several subnets needs the GUID of its port in each, from the inventory"
                     : ""));
    else
      box(
          format("subnet {}: {}, or a host of your own runs its subnet manager: no node of the spec does (switch: "
                 "chapter on the "
                 "subnet manager in its user manual){}",
                 quoted(s.name), managers(s.fabric), conf.empty() ? "" : "; use " + conf + " for OpenSM there"));
  }
  for (const Fabric& f : p_.fabrics) {
    const std::int64_t between = f.leaf_spine_cables + f.spine_core_cables;
    if (between > 0 && c_.networks[at(f.network)].kind == LinkKind::infiniband)
      box(format("network {}: {} up at {}", quoted(f.name),
                 counted(between, "link between switches is", "links between switches are"), to_text(f.uplink_rate)));
  }
  for (const Fabric& f : p_.fabrics)
    if (f.node_cables > 0)
      box(format("network {}: {} up", quoted(f.name),
                 counted(f.node_cables, "link to its members is", "links to its members are")));
  proof_of_cabling();
  if (in_.makes("ansible"))
    box(format("every machine is healthy: {}",
               code(format("cd {} && ansible all --become -m command -a /usr/local/sbin/cluster-health",
                           file("ansible", "")))));
}

std::string ConfigurationSteps::managers(int network) const {
  int fabric = 0;
  while (at(fabric) < p_.fabrics.size() && p_.fabrics[at(fabric)].network != network) ++fabric;
  if (at(fabric) == p_.fabrics.size()) return "a switch";
  const Fabric& f = p_.fabrics[at(fabric)];
  // The highest tier is the same number of hops from all ends; a second manager stands by.
  for (int t = static_cast<int>(f.tiers.size()) - 1; t >= 0; --t) {
    const FabricTier& tier = f.tiers[at(t)];
    if (tier.count == 0 || !tier.part || !tier.part->subnet_manager.value_or(false)) continue;
    std::string out = quoted(p_.switch_host_name(fabric, {t, 0}));
    if (tier.count > 1) out += " (and, standing by, " + quoted(p_.switch_host_name(fabric, {t, 1})) + ")";
    return "the switch " + out;
  }
  return "a switch";
}

void ConfigurationSteps::proof_of_cabling() {
  for (const Fabric& f : p_.fabrics) {
    if (!c_.own_site || f.node_cables == 0) continue;
    const std::string name = c_.networks[at(f.network)].name;
    if (c_.networks[at(f.network)].kind == LinkKind::infiniband)
      box(format("network {}: every cable is where the plan has it: {} on a node, then {} reports no difference",
                 quoted(f.name), code(format("ibnetdiscover > {}.txt", f.name)),
                 code(format("clusterc audit SPEC --fabric {}={}.txt", name, f.name))));
    else if (!is_out_of_band(c_.networks[at(f.network)]))
      box(
          format("network {}: every cable is where the plan has it: {} on each node and switch (lldpd runs there), "
                 "written to {}, then {} reports no difference",
                 quoted(f.name), code("lldpcli -f json show neighbors"), code(f.name + "-lldp/HOST.json"),
                 code(format("clusterc audit SPEC --fabric {}={}-lldp/", name, f.name))));
  }
}

void ConfigurationSteps::services() {
  section("Users and services");
  const auto& scheduler = c_.spec.software->scheduler;
  if (scheduler && scheduler->kind && *scheduler->kind == SchedulerKind::kubernetes)
    box(format("Kubernetes{} runs, and the first job of each team was through: {} has the steps",
               scheduler->version ? " " + quoted(scheduler->version->text()) : std::string(),
               in_.makes("kubernetes") ? code(file("kubernetes", "README.md")) : "your own documentation"));
  if (slurm_ && !slurm_->controllers.empty()) {
    const std::string controller = quoted(slurm_->controllers[0]);
    box(format("on {}, {} shows all nodes, and none of them down", controller, code("sinfo")));
    if (std::any_of(slurm_->nodes.begin(), slurm_->nodes.end(), [](const SlurmNodes& n) { return !n.spares.empty(); }))
      box(format("{}, which the plays run on {}, drained the spares: {} shows them with the reason `spare`",
                 code(file("slurm", "spares.sh")), controller, code("sinfo -R")));
    if (!slurm_->databases.empty() && !slurm_->teams.empty())
      box(
          format("{}, which the plays put into {} of {}, ended with status 0, run there as root: it sets teams, "
                 "shares, quotas and users",
                 code(file("slurm", "accounts.sh")), code("/etc/slurm/"), controller));
    if (!slurm_->reservations.empty())
      box(format("{}, run in the same way: `scontrol show reservation` lists them",
                 code(file("slurm", "reservations.sh"))));
    if (in_.makes("jobs"))
      box(format("jobs of {} run, the first jobs of the cluster before others", code(file("jobs", "README.md"))));
    if (scheduler->power_saving)
      box(
          format("a job on a group that is started when jobs need it runs: by hand, {} in {} of the controllers, and "
                 "what docs/cloud.md asks for",
                 scheduler->power_saving->resume ? "your programs" : code(file("slurm", "power/")),
                 code("/etc/slurm/power/")));
    if (in_.makes("jupyterhub"))
      box(format("by hand: the hub for notebooks runs, and starts a session: {} has the steps",
                 code(file("jupyterhub", "README.md"))));
  }
  const bool watched =
      std::any_of(settings_.begin(), settings_.end(), [](const NodeSettings& s) { return !s.monitor.empty(); });
  for (const NodeSettings& s : settings_) {
    if (s.monitor.empty()) continue;
    box(
        format("{}, over {}, shows every target up; by hand: the exporters of GPUs, Slurm and equipment that the spec "
               "names",
               code("http://localhost:9090/targets"), code("ssh -L 9090:localhost:9090 " + s.monitor)));
    if (std::find(s.roles.begin(), s.roles.end(), "grafana") != s.roles.end())
      box(format("{} shows the dashboards to the user {}, with the password of {}",
                 code("http://" + s.monitor + ":3000"), code("admin"),
                 code(s.monitor + ":/etc/grafana/admin-password")));
  }
  if (in_.makes("prometheus") && !watched)
    box(format("by hand: {} with {}, and the exporters of GPUs, Slurm and equipment that the spec names",
               in_.makes("grafana") ? "Prometheus, Alertmanager and Grafana" : "Prometheus and Alertmanager",
               folders(copied({"prometheus", "grafana"}))));
  if (anywhere("syslog_ng")) box("by hand: Loki or Elasticsearch receives the logs of the nodes");
}

bool ConfigurationSteps::writes(const OutputKind& output) const {
  for (std::size_t g = 0; g < c_.nodes.size(); ++g)
    if (c_.nodes[g].count > 0 && in_.makes_for(output.id, static_cast<int>(g))) return true;
  return output.serves == nullptr;
}

void ConfigurationSteps::rest() {
  bool begun = false;
  for (const OutputKind& o : in_.made) {
    if (used_.contains(o.id) || !writes(o)) continue;
    if (!begun)
      out_ += format(
          "\n## {}. Other compiled files\n\nNo step above installs these.\n\n| done | folder | what |\n| --- | --- "
          "| --- |\n",
          ++section_),
          begun = true;
    out_ += "| [ ] ";
    out_ += markdown_row({"tree/" + std::string(o.id), std::string(o.summary)});
  }
}

std::string render_configuration_steps(const System& system, int& section) {
  return ConfigurationSteps(system, section).text();
}

}  // namespace clusterc
