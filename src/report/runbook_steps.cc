#include "report/runbook_steps.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "model/power.h"
#include "report/markdown.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/dhcp.h"
#include "system/file_systems.h"
#include "system/infiniband.h"
#include "system/install.h"
#include "system/mirror.h"
#include "system/node_list.h"
#include "system/node_settings.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

// The output that a role copies from the tree, where it is not called by the role's name; of the others '-' stands for
// '_'.
struct Copies {
  std::string_view role, output;
};
constexpr auto kCopies = std::to_array<Copies>({{"base", "hosts"},
                                                {"name_server", "dns"},
                                                {"nfs_server", "nfs"},
                                                {"subnet_manager", "opensm"},
                                                {"dhcp", "dnsmasq"},
                                                {"dhcp", "kea"},
                                                {"web_server", "nginx"},
                                                {"web_server", "ipxe"},
                                                {"web_server", "preseed"},
                                                {"web_server", "autoinstall"},
                                                {"web_server", "kickstart"},
                                                {"web_server", "cloud-init"}});
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

class Steps {
 public:
  Steps(const System& in, int& section)
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

  std::string text() {
    compiling();
    mirror();
    first_node();
    nodes();
    plays();
    links();
    services();
    rest();
    return std::move(out_);
  }

 private:
  const NodeSettings& set(int group) const { return settings_[at(group)]; }
  bool runs(int group, std::string_view role) const {
    return std::find(set(group).roles.begin(), set(group).roles.end(), role) != set(group).roles.end();
  }
  bool anywhere(std::string_view role) const {
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (runs(static_cast<int>(g), role)) return true;
    return false;
  }
  static std::string quoted(std::string_view name) { return markdown_text(name); }
  static std::string code(std::string_view text) { return markdown_code(text); }
  std::string first_of(int group) const { return c_.nodes[at(group)].names.name(0); }
  // A section begins with its first box: what has none does not stand there.
  void section(std::string_view title) { title_ = title; }
  void box(std::string_view text) {
    if (!title_.empty()) out_ += format("\n## {}. {}\n\n", ++section_, title_), title_ = {};
    out_ += format("- [ ] {}\n", text);
  }
  // A file of the compiled tree: its output is used by this step.
  std::string file(std::string_view output, std::string_view name) {
    return used_.emplace(output), format("tree/{}/{}", output, name);
  }
  std::string folders(const std::vector<std::string_view>& outputs) {
    std::string all;
    for (const std::string_view o : outputs) all += (all.empty() ? "" : ", ") + code(file(o, ""));
    return all;
  }
  // Outputs that these roles copy from the tree, and no step before.
  std::vector<std::string_view> copied(const std::vector<std::string_view>& roles) const {
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
  std::string play(std::string_view options) {
    return code(format("cd {} && ansible-playbook site.yml{}", file("ansible", ""), options));
  }
  std::string by_hand(const std::vector<std::string_view>& copies) {
    return folders(copies) + (copies.size() == 1 ? " is" : " are");
  }
  // Of the groups that `which` takes: "gpu, fm".
  template <class Which>
  std::vector<std::string> groups(const Which& which) const {
    std::vector<std::string> all;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (c_.nodes[g].count > 0 && which(static_cast<int>(g))) all.push_back(quoted(c_.nodes[g].name));
    return all;
  }

  // ---- before the spec is compiled
  // -----------------------------------------------------------------------------------------------
  std::string ports_of(int group, int network) const {
    std::vector<std::string> all;
    for (const Interface& i : interfaces_of(c_, p_, group))
      if (network < 0 ? c_.networks[at(i.network)].kind == LinkKind::ethernet : i.network == network)
        all.insert(all.end(), i.names.begin(), i.names.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());  // guests of a network come over its ports
    if (all.size() > 4) all = {all[0], "…", all.back()};
    return join(all, ", ");
  }

  void inventory() {
    const std::string where =
        c_.spec.inventory ? "the inventory " + code(*c_.spec.inventory) : std::string("the inventory");
    const bool listed =
        std::any_of(kListers.begin(), kListers.end(), [&](const Lister& l) { return in_.makes(l.output); });
    bool ports =
        std::any_of(settings_.begin(), settings_.end(), [](const NodeSettings& s) { return !s.ports.empty(); }) &&
        c_.own_site;
    if (!c_.spec.inventory && (ports || dhcp_server(c_) || in_.makes("opensm")))
      box("the spec names an inventory (`inventory: FILE`): a CSV file with the MAC addresses and GUIDs of the "
          "delivered equipment");
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
  std::string port_names() const {
    std::vector<std::string> all;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (const std::string names = c_.nodes[g].count > 0 && !c_.nodes[g].server.virtual_machine
                                        ? ports_of(static_cast<int>(g), -1)
                                        : std::string();
          !names.empty())
        all.push_back(format("{} ({})", quoted(c_.nodes[g].name), quoted(names)));
    return join(all, ", ");
  }

  // Secrets that are read where the plays run; `on`: those that lie on a group's machines.
  struct Secret {
    const SecretRef* ref;
    std::string what;
    int group;
  };
  std::vector<Secret> secrets() const {
    std::vector<Secret> all;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g) {
      const int group = static_cast<int>(g);
      if (const auto& who = c_.nodes[g].software->identity; who && who->bind_password && runs(group, "identity"))
        all.push_back({&*who->bind_password, "the password for reading the directory", group});
      const auto& scheduler = c_.spec.software->scheduler;
      if (!set(group).slurm_database_packages.empty() && scheduler->accounting && scheduler->accounting->password)
        all.push_back({&*scheduler->accounting->password, "the password of slurmdbd's database", group});
    }
    return all;
  }

  void compiling() {
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

  // ---- packages without internet
  // -------------------------------------------------------------------------------------------------
  bool mirror_is_first() const {
    return mirror_ && mirror_->group >= 0 && mirror_->group == provisioner_ && mirror_->member == 0;
  }

  void mirror() {
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
  // What the play of the mirror finds there, or says is missing.
  void mirror_files() {
    const std::string host = quoted(mirror_->host);
    if (!mirror_->node.empty() && !mirror_is_first())
      box(format("{} has {}, installed by hand: the packages of the other machines come from it", host,
                 os_of(mirror_->group)));
    box(format("the files that were fetched into {} are on {} at the same path",
               code(mirror_->spec->folder.value_or("")), host));
    box(format("the certificate and key of {} are there as {} and {}{}", host, code("/etc/nginx/cluster-mirror.pem"),
               code("/etc/nginx/cluster-mirror.key"),
               mirror_->node.empty() ? "" : " (create the folder: nginx is installed later)"));
    if (!mirror_->node.empty() && has_images(c_) && set(mirror_->group).distribution_version != "" &&
        !is_debian(mirror_->group))
      box(format("a registry of your own answers on {} at 127.0.0.1:5000: its distribution has no package of one",
                 host));
  }
  bool is_debian(int group) const { return set(group).distribution == "Debian" || set(group).distribution == "Ubuntu"; }
  std::string os_of(int group) const {
    return quoted(c_.nodes[at(group)].software->os.value_or("an operating system"));
  }

  // ---- nodes
  // ---------------------------------------------------------------------------------------------------------------------
  std::string up(const NodeGroupModel& g) const {
    std::string line = format("{}: {} up ({})", quoted(g.name), counted(g.count, "node is", "nodes are"),
                              markdown_text(g.names.text()));
    if (g.server.power && g.server.power->value > 0) {
      const std::string all = to_text(Watts(g.server.power->value * static_cast<double>(g.count)));
      line += power_lacks(g).empty() ? format(", {} at most", all) : format(", more than {}", all);
    } else if (c_.own_site && g.assembly < 0 && !g.server.power && !g.server.instance)
      line += ", whose power is unknown";
    return line;
  }

  void first_node() {
    if (!serves_) return;
    const std::string node = first_of(provisioner_);
    section("The first node: " + quoted(node));
    for (const NodeGroupModel& g : c_.nodes)
      if (g.count > 0 && g.has_role(Role::provisioning))
        box(format("{}, installed by hand with {}: no output installs the node that installs the others", up(g),
                   os_of(static_cast<int>(&g - c_.nodes.data()))));
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

  // What no spec has, and installers ask for.
  void media(const std::string& node) {
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
                             code("/srv/cluster/media/" + medium + ".iso"),
                             code("/srv/cluster/media/" + medium + "/")));
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

  void nodes() {
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

  void group(int g, bool listed) {
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

  // ---- the plays
  // -----------------------------------------------------------------------------------------------------------------
  void plays() {
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
        box(format("{} in place on every machine that needs them, and the services that read them run",
                   by_hand(copies)));
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

  // What docs/ansible.md leaves to others, and roles build on.
  void yours() {
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
    if (slurm_ && !slurm_->databases.empty() && slurm_->database_host != "localhost")
      box(format("by hand: {} has a database `slurm_acct_db` and an account `slurm`", quoted(slurm_->database_host)));
  }
  std::string slurm_package() const {
    for (const NodeSettings& s : settings_)
      if (s.slurm_packages.size() > 1 && s.slurm_packages[1].starts_with("slurm-smd"))
        return "slurm-smd, built by SchedMD's guide";
    return "slurm, built by SchedMD's guide";
  }

  // ---- links
  // ---------------------------------------------------------------------------------------------------------------------
  // A port of InfiniBand carries nothing before a subnet manager has given it its address.
  void links() {
    section("Links");
    for (const NetworkModel& n : c_.networks)
      if (in_.makes("roce") && n.spec && n.spec->roce && n.shares < 0)
        box(format("by hand: switches of network {} have the lossless class of its {}, as the nodes have",
                   quoted(n.name), code("roce:")));
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
        box(format("subnet {}: a switch or a host of your own runs its subnet manager: no node of the spec does{}",
                   quoted(s.name), conf.empty() ? "" : "; use " + conf + " for OpenSM there"));
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
    if (in_.makes("ansible"))
      box(format("every machine is healthy: {}",
                 code(format("cd {} && ansible all --become -m command -a /usr/local/sbin/cluster-health",
                             file("ansible", "")))));
  }

  // ---- users and services
  // ----------------------------------------------------------------------------------------------------------
  void services() {
    section("Users and services");
    const auto& scheduler = c_.spec.software->scheduler;
    if (scheduler && scheduler->kind && *scheduler->kind == SchedulerKind::kubernetes)
      box(format("Kubernetes{} runs, and the first job of each team was through: {} has the steps",
                 scheduler->version ? " " + quoted(scheduler->version->text()) : std::string(),
                 in_.makes("kubernetes") ? code(file("kubernetes", "README.md")) : "your own documentation"));
    if (slurm_ && !slurm_->controllers.empty()) {
      const std::string controller = quoted(slurm_->controllers[0]);
      box(format("on {}, {} shows all nodes, and none of them down", controller, code("sinfo")));
      if (std::any_of(slurm_->nodes.begin(), slurm_->nodes.end(),
                      [](const SlurmNodes& n) { return !n.spares.empty(); }))
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
    }
    const bool watched =
        std::any_of(settings_.begin(), settings_.end(), [](const NodeSettings& s) { return !s.monitor.empty(); });
    for (const NodeSettings& s : settings_) {
      if (s.monitor.empty()) continue;
      box(format("{} shows every target up; by hand: the exporters of GPUs, Slurm and equipment that the spec names",
                 code("http://" + s.monitor + ":9090/targets")));
      if (std::find(s.roles.begin(), s.roles.end(), "grafana") != s.roles.end())
        box(format("{} shows the dashboards", code("http://" + s.monitor + ":3000")));
    }
    if (in_.makes("prometheus") && !watched)
      box(format("by hand: {} with {}, and the exporters of GPUs, Slurm and equipment that the spec names",
                 in_.makes("grafana") ? "Prometheus, Alertmanager and Grafana" : "Prometheus and Alertmanager",
                 folders(copied({"prometheus", "grafana"}))));
    if (anywhere("syslog_ng")) box("by hand: Loki or Elasticsearch receives the logs of the nodes");
  }

  // Some look at the cluster alone to say whether they are wanted, and at the plan to say for whom.
  bool writes(const OutputKind& output) const {
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (c_.nodes[g].count > 0 && in_.makes_for(output.id, static_cast<int>(g))) return true;
    return output.serves == nullptr;
  }

  // ---- what no step has named
  // --------------------------------------------------------------------------------------------------------
  void rest() {
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

  const System& in_;
  const Cluster& c_;
  const Plan& p_;
  int& section_;
  const int provisioner_;
  const std::vector<NodeSettings>& settings_;  // of each group
  std::optional<SlurmFacts> slurm_;
  std::optional<MirrorServer> mirror_;
  bool serves_ = false;                      // the first that provisions gives out addresses, or installs
  std::set<std::string, std::less<>> used_;  // outputs that a step has named
  std::string title_, out_;
};

}  // namespace

std::string render_configuration_steps(const System& system, int& section) { return Steps(system, section).text(); }

}  // namespace clusterc
