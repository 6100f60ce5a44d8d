// From the spec to machines that the plays reach.
#include <array>
#include <set>

#include "base/text.h"
#include "model/power.h"
#include "report/configuration_steps.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/dhcp.h"
#include "system/install.h"
#include "system/links.h"
#include "system/node_list.h"

namespace clusterc {
namespace {

// What makes a machine reach others and serve them, and nothing that asks another machine of the cluster. In the order
// of the roles.
constexpr auto kFirst =
    std::to_array<std::string_view>({"base", "mirror", "repositories", "name_server", "dhcp", "web_server", "nftables",
                                     "kernel", "netplan", "networkd", "networkmanager", "chrony"});
// Those programs that take the nodes in a list of their own, and how (docs/outputs.md).
struct Lister {
  std::string_view output, name, before, file, behind;
};
constexpr auto kListers =
    std::to_array<Lister>({{"warewulf", "Warewulf", "wwctl node import ", "nodes.yaml", ""},
                           {"maas", "MAAS", "BMC_USER=… BMC_PASSWORD=… ", "machines.sh", " PROFILE"},
                           {"openchami", "OpenCHAMI", "ochami discover static -f yaml ", "nodes.yaml", ""},
                           {"xcat", "xCAT", "mkdef -z < ", "nodes.stanza", ""}});

}  // namespace

std::string ConfigurationSteps::ports_of(int group, int network) const {
  std::vector<std::string> all;
  for (const Interface& i : interfaces_of(c_, p_, group))
    if (network < 0 ? c_.networks[at(i.network)].kind == LinkKind::ethernet : i.network == network)
      for (const std::string& name : i.names) all.emplace_back(planned_port(c_, group, name));  // as the inventory
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());  // guests of a network come over its ports
  if (all.size() > 4) all = {all[0], "…", all.back()};
  return join(all, ", ");
}

std::string ConfigurationSteps::port_names() const {
  std::vector<std::string> all;
  for (std::size_t g = 0; g < c_.nodes.size(); ++g)
    if (const std::string names = c_.nodes[g].count > 0 && !c_.nodes[g].server.virtual_machine
                                      ? ports_of(static_cast<int>(g), -1)
                                      : std::string();
        !names.empty())
      all.push_back(format("{} ({})", quoted(c_.nodes[g].name), quoted(names)));
  return join(all, ", ");
}

void ConfigurationSteps::inventory() {
  const std::string header = code("name,port,mac,guid,serial");
  const std::string where =
      c_.spec.inventory ? "the inventory " + code(*c_.spec.inventory) : std::string("the inventory");
  const bool listed =
      std::any_of(kListers.begin(), kListers.end(), [&](const Lister& l) { return in_.makes(l.output); });
  bool ports =
      std::any_of(settings_.begin(), settings_.end(), [](const NodeSettings& s) { return !s.ports.empty(); }) &&
      c_.own_site;
  if (!c_.spec.inventory && (ports || dhcp_server(c_) || in_.makes("opensm")))
    box("the spec names an inventory (`inventory: FILE`): a CSV file with the MAC addresses and GUIDs of the "
        "delivered equipment; its first line is " +
        header);
  ports = false;
  for (std::size_t i = 0; i < c_.nodes.size(); ++i) {
    const int g = static_cast<int>(i);
    const NodeGroupModel& group = c_.nodes[i];
    const bool installed = installer_of(c_, g).has_value();
    const int home = installed                                                          ? install_network(c_, g)
                     : listed && group.count > 0 && !group.has_role(Role::provisioning) ? primary_network(c_, g)
                                                                                        : -1;
    if (home >= 0) {
      const std::string names = ports_of(g, home);
      box(format("{} has the MAC of each port that nodes of {} boot from ({}), a row {} for each{}", where,
                 quoted(group.name), quoted(names),
                 code(group.names.name(0) + "," + names.substr(0, names.find(',')) + ",MAC"),
                 installed ? ": a node without one gets no address and is not installed" : ""));
    }
    ports |= c_.own_site && group.count > 0 && !group.server.virtual_machine && !ports_of(g, -1).empty();
  }
  if (ports)
    box(
        format("ports have the names of the spec: {}; the image names them, or a row {} for each in {} does "
               "(`clusterc compile` reports how many have no row)",
               port_names(), code("NODE,PORT,MAC"), where));
  if (dhcp_server(c_))
    for (const DhcpNetwork& n : dhcp_networks(in_))
      if (is_out_of_band(n.network))
        box(
            format("network {}: {} has the MAC of each BMC ({}), switch and PDU ({}), or these devices send their "
                   "names by DHCP",
                   quoted(n.network.name), where, code("NODE,bmc,MAC"), code("NAME,,MAC")));
  if (in_.makes("opensm"))
    box(
        format("{} has the GUIDs of InfiniBand switches and ports ({}), if OpenSM is to know roots and end ports by "
               "GUID: each {} states which GUIDs are missing",
               where, code("NAME,PORT,,GUID"), code("opensm.conf")));
}

std::vector<ConfigurationSteps::Secret> ConfigurationSteps::secrets() const {
  std::vector<Secret> all;
  for (std::size_t g = 0; g < c_.nodes.size(); ++g) {
    const int group = static_cast<int>(g);
    if (const auto& who = c_.nodes[g].software->identity; who && who->bind_password && runs(group, "identity"))
      all.push_back({&*who->bind_password, "the password for reading the directory", group});
    const auto& scheduler = c_.spec.software->scheduler;
    if (!set(group).slurm_database_packages.empty() && scheduler->accounting && scheduler->accounting->password)
      all.push_back({&*scheduler->accounting->password, "the password of slurmdbd's database", group});
    if (const NfsFailover* pair = set(group).failover)
      all.push_back({&*c_.storage[static_cast<std::size_t>(pair->storage)].spec->servers->fence->password,
                     "the password of the BMCs' account '" + pair->user + "'", group});
  }
  return all;
}

void ConfigurationSteps::compiling() {
  section("Compiling");
  inventory();
  box("`clusterc compile SPEC -o tree` ended with status 0, and each of its notes has an owner: notes name the work "
      "that no output does");
  if (!in_.makes("ansible")) return;
  section("The machine that runs the plays");
  box(
      format("it has ansible-core 2.14 or newer and {}, and reaches the other machines by ssh{}, with the account of "
             "{} or of the extra line {}",
             code("tree"), installs(c_) ? " (`admin` on machines that are installed over the network)" : "",
             code("-u NAME"), code("ansible_user: NAME")));
  if (anywhere("slurm"))
    box(format("munge's key is there as {}, or at the path of the extra line {} ({})", code("/etc/munge/munge.key"),
               code("slurm_munge_key: FILE"), code("dd if=/dev/urandom of=FILE bs=1024 count=1")));
  std::set<std::string> said;
  bool vault = false;
  for (const Secret& s : secrets()) {
    if (s.ref->env && said.insert(*s.ref->env).second)
      box(format("the environment variable {} has {}", code(*s.ref->env), s.what));
    if (s.ref->vault && said.insert(*s.ref->vault).second)
      box(format("Vault has {} as {}, and lets this machine read it ({}, {})", s.what, code(*s.ref->vault),
                 code("VAULT_ADDR"), code("VAULT_TOKEN"))),
          vault = true;
  }
  if (vault)
    box(format("it can read Vault: {} was run, and Python's hvac is installed",
               code("ansible-galaxy collection install -r " + file("ansible", "requirements.yml"))));
  if (mirror_ && mirror_->spec->ca)
    box(format("the certificate of the site's authority is there as {}", code(*mirror_->spec->ca)));
}

bool ConfigurationSteps::mirror_is_first() const {
  return mirror_ && mirror_->group >= 0 && mirror_->group == provisioner_ && mirror_->member == 0;
}

void ConfigurationSteps::mirror() {
  if (!mirror_) return;
  section("The mirror");
  const std::string host = quoted(mirror_->host);
  box(format("on a machine with internet access, {} ended with status 0{}", code("sh " + file("mirror", "fill.sh")),
             has_images(c_) ? " (after `skopeo login`, if a registry requires a login)" : ""));
  if (mirror_is_first()) return;  // the rest once it has an operating system
  mirror_files();
  if (mirror_->node.empty()) {
    box(format("nginx there reads {} as {}", code(file("nginx", "mirror.conf")),
               code("/etc/nginx/conf.d/mirror.conf")));
    if (has_images(c_))
      box(format("the registry there reads {} as {}", code(file("mirror", "registry.yml")),
                 code("/etc/docker/registry/config.yml")));
  } else {
    const std::string reads = in_.makes("nginx")
                                  ? code(file("nginx", "mirror.conf")) +
                                        (has_images(c_) ? " and " + code(file("mirror", "registry.yml")) : "")
                                  : std::string();
    if (!in_.makes("ansible"))
      box(format("{} answers{}", host, reads.empty() ? "" : ", and reads " + reads));
    else
      box(format("{} ended without failures, and {} answers{}",
                 play(format(" --limit {} --tags base,mirror", mirror_->node)), host,
                 reads.empty() ? "" : ": it installs " + reads));
  }
}

void ConfigurationSteps::mirror_files() {
  const std::string host = quoted(mirror_->host);
  if (!mirror_->node.empty() && !mirror_is_first())
    box(format("{} has {}, installed by hand: the packages of the other machines come from it", host,
               os_of(mirror_->group)));
  box(format("the files that were fetched into {} are on {} at the same path", code(mirror_->spec->folder.value_or("")),
             host));
  box(format("the certificate and key of {} are there as {} and {}{}", host, code("/etc/nginx/cluster-mirror.pem"),
             code("/etc/nginx/cluster-mirror.key"),
             mirror_->node.empty() ? "" : " (create the folder: nginx is installed later)"));
  if (!mirror_->node.empty() && has_images(c_) && set(mirror_->group).distribution_version != "" &&
      !is_debian(mirror_->group))
    box(format("a registry of your own answers on {} at 127.0.0.1:5000: its distribution has no package of one", host));
}

std::string ConfigurationSteps::os_of(int group) const {
  return quoted(c_.nodes[at(group)].software->os.value_or("an operating system"));
}

std::string ConfigurationSteps::up(const NodeGroupModel& g) const {
  std::string line =
      format("{}: {} up ({})", quoted(g.name), counted(g.count, "node is", "nodes are"), markdown_text(g.names.text()));
  if (g.server.power && g.server.power->value > 0) {
    const std::string all = to_text(Watts(g.server.power->value * static_cast<double>(g.count)));
    line += power_lacks(g).empty() ? format(", {} at most", all) : format(", more than {}", all);
  } else if (c_.own_site && g.assembly < 0 && !g.server.power && !g.server.instance)
    line += ", whose power is unknown";
  return line;
}

void ConfigurationSteps::first_node() {
  if (!serves_) return;
  const std::string node = first_of(provisioner_);
  section("The first node: " + quoted(node));
  for (const NodeGroupModel& g : c_.nodes)
    if (g.count > 0 && g.has_role(Role::provisioning))
      box(format(
          "{}, installed by hand with {}: no output installs the node that installs the others. Each has its host "
          "name and, until the plays have run, its address of {} on {}, an account with sudo (……) and the "
          "ssh key of the machine that runs the plays; layout of its disks: ……",
          up(g), os_of(static_cast<int>(&g - c_.nodes.data())),
          in_.makes("hosts") ? code(file("hosts", "hosts")) : code("plan.json"),
          quoted(ports_of(static_cast<int>(&g - c_.nodes.data()), -1))));
  if (mirror_is_first()) mirror_files();
  std::vector<std::string_view> roles;
  for (const std::string_view role : kFirst)
    if (runs(provisioner_, role)) roles.push_back(role);
  std::vector<std::string> tags(roles.begin(), roles.end());
  const bool named = used_.contains("nginx") && runs(provisioner_, "web_server");  // its other file, by the mirror
  const std::vector<std::string_view> copies = copied(roles);
  if (!in_.makes("ansible"))
    box(format("{} in place on {}, and the services that read them run", by_hand(copies), quoted(node)));
  else
    box(format("{}, first with {}, ended without failures: it installs {}{} there",
               play(format(" --limit {} --tags {}", node, join(tags, ","))), code("--check --diff"), folders(copies),
               named ? ", " + code(file("nginx", "cluster.conf")) : ""));
  if (in_.makes("ansible") && !set(provisioner_).dhcp_server.empty())
    box(format("on {}, {} prints `active`", quoted(node),
               code(format("systemctl is-active {}", !in_.makes("kea")         ? "cluster-dnsmasq"
                                                     : is_debian(provisioner_) ? "kea-dhcp4-server"
                                                                               : "kea-dhcp4"))));
  media(node);
  for (const DhcpNetwork& n : dhcp_networks(in_))
    if (is_out_of_band(n.network))
      box(format("network {}: BMCs, switches and PDUs answer at the addresses of {}", quoted(n.network.name),
                 code(file("hosts", "hosts"))));
  for (std::size_t f = 0; f < p_.fabrics.size(); ++f) {
    const int network = p_.fabrics[f].network;
    bool bonds = false;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      for (const Interface& i : interfaces_of(c_, p_, static_cast<int>(g)))
        bonds |= i.bonded && i.network == network && install_network(c_, static_cast<int>(g)) == network &&
                 installer_of(c_, static_cast<int>(g));
    if (bonds)
      box(
          format("network {}: switches let each port of a node's bond work alone until the node's system runs (LACP "
                 "fallback, or force-up)",
                 quoted(p_.fabrics[f].name)));
  }
}

void ConfigurationSteps::media(const std::string& node) {
  if (set(provisioner_).web_server.empty()) return;
  box(format("on {} {} has the administrators' public keys", quoted(node), code("/srv/cluster/authorized_keys")));
  std::set<std::string> images, loaders;
  for (std::size_t g = 0; g < c_.nodes.size(); ++g) {
    Findings told;
    const auto plan = install_plan(in_, static_cast<int>(g), told);
    if (!plan) continue;
    const std::string medium = medium_of(plan->release);
    if (plan->installer == Installer::autoinstall)
      images.insert(format("{} is Ubuntu's server image, {} is the same image unpacked",
                           code("/srv/cluster/media/" + medium + ".iso"), code("/srv/cluster/media/" + medium + "/")));
    else if (plan->release.mirror.empty())
      images.insert(
          format("{} is the DVD of {}, unpacked", code("/srv/cluster/media/" + medium + "/"), quoted(plan->os)));
    for (const Loader& l : kLoaders)
      if ((l.name == "efi-arm") == plan->release.arm) loaders.insert(code("/srv/tftp/" + std::string(l.file)));
  }
  for (const std::string& image : images) box(format("on {} {}", quoted(node), image));
  if (!loaders.empty())
    box(format("on {} {} iPXE's loader{} {}{}", quoted(node), loaders.size() == 1 ? "is" : "are",
               loaders.size() == 1 ? "" : "s", join(std::vector<std::string>(loaders.begin(), loaders.end()), ", "),
               in_.makes("kea") ? ", and a TFTP server of your own serves them" : ""));
}

void ConfigurationSteps::nodes() {
  section("Nodes");
  bool listed = false;
  for (const Lister& l : kListers)
    if (in_.makes(l.output))
      box(format("{0} knows the nodes: {1}; nodes that {0} boots need no other installation", l.name,
                 code(std::string(l.before) + file(l.output, l.file) + std::string(l.behind)))),
          listed = true;
  for (const bool computes : {false, true}) {
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (c_.nodes[g].count > 0 && c_.nodes[g].computes == computes &&
          !(serves_ && c_.nodes[g].has_role(Role::provisioning)))
        group(static_cast<int>(g), listed);
    if (!computes)
      for (const StorageModel& s : c_.storage)
        if (s.count > 0 && s.nodes < 0)
          box(format("storage {}: {} up ({})", quoted(s.name), counted(s.count, "system is", "systems are"),
                     markdown_text(s.model)));
  }
  if (in_.makes("ansible"))
    box(format("every machine answers: {}", code(format("cd {} && ansible all -m ping", file("ansible", "")))));
}

void ConfigurationSteps::group(int g, bool listed) {
  const NodeGroupModel& group = c_.nodes[at(g)];
  if (group.software->smt && *group.software->smt == Smt::off && !group.server.virtual_machine)
    box(group.server.instance
            ? format("{}: the CPU options of the instances set one thread per core", quoted(group.name))
            : format("{}: SMT (Hyper-Threading) is off in the firmware; {} shows one thread per core",
                     quoted(group.name), code("lscpu")));
  const std::string cloud =
      in_.makes("cloud-init") ? code(file("cloud-init", group.name + ".user-data")) : std::string();
  const bool mirrors = mirror_ && !mirror_->node.empty() && !mirror_is_first() && mirror_->group == g;
  if (const auto installer = installer_of(c_, g); installer && in_.makes("ipxe")) {
    const std::string_view output = *installer == Installer::preseed       ? "preseed"
                                    : *installer == Installer::autoinstall ? "autoinstall"
                                                                           : "kickstart";
    std::string answers;
    if (in_.makes(output))
      answers = " and " + code(file(output, group.name + (*installer == Installer::preseed       ? ".cfg"
                                                          : *installer == Installer::autoinstall ? "/"
                                                                                                 : ".ks")));
    box(
        format("{}, installed with {}: {} has an empty file {} for each{}, their firmware boots over network {} "
               "first, and the file is removed when the installation runs. They read {}{}",
               up(group), os_of(g), quoted(first_of(provisioner_)), code("/srv/cluster/install/NODE"),
               mirrors ? " but " + quoted(mirror_->node) : "", quoted(c_.networks[at(install_network(c_, g))].name),
               code(file("ipxe", group.name + ".ipxe")), answers));
  } else if (group.server.instance || !c_.own_site) {
    std::set<std::string> ports;
    for (const Interface& i : interfaces_of(c_, p_, g)) ports.insert(i.names.begin(), i.names.end());
    const std::string addresses =
        ports.empty() || !in_.makes("hosts")
            ? ""
            : format(
                  "; each has its addresses of {}, and its port{} called {}: the compiled files use these and no "
                  "others",
                  code(file("hosts", "hosts")), ports.size() == 1 ? " is" : "s are", join(ports, ", "));
    box(format("{}, started with {}{}{}", up(group), os_of(g), cloud.empty() ? "" : " and the user data " + cloud,
               addresses));
  } else {
    box(format("{}, installed with {} by {}{}", up(group), os_of(g),
               listed ? "the program above, or by hand" : "means of your own",
               cloud.empty() ? "" : ": cloud-init reads " + cloud + " at their first boot"));
  }
}

}  // namespace clusterc
