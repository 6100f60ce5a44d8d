// fabric-env/<group>/: what NCCL (or RCCL), UCX, Open MPI and libfabric are told of the planned fabric, for the nodes
// of each group that computes, what EFA and iWARP need of the host, and apply.sh, which puts it in place there.
//
// Only what the plan knows and the library would choose otherwise is written; each line says where it comes from. Names
// of adapters (mlx5_3) are the kernel's and the firmware's, not the plan's: they differ from node to node, and change
// when a card is exchanged. So apply.sh looks them up on the node by what the plan does know: the name of the interface
// (netplan) where RoCE runs over it, the subnet's prefix (opensm.conf) where InfiniBand does; and it takes them only
// when there are as many as the plan has.

#include <algorithm>
#include <memory>
#include <set>

#include "base/text.h"
#include "compile/common.h"
#include "compile/fabric_env/apply.h"
#include "model/group_ends.h"
#include "model/roce.h"
#include "spec/network.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/group_network.h"
#include "system/infiniband.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// The code point that UCX marks RoCE v2 with where it is told nothing: traffic class 106 (UCX, uct/ib/base/ib_device.h,
// UCT_IB_DEFAULT_ROCEV2_DSCP), which is 26 with ECN.
constexpr std::int64_t kUcxDscp = 26;
// NCCL copies a line of its file into two buffers of 1,024 (src/misc/param.cc, setEnvFile).
constexpr std::size_t kLongestNcclValue = 1000;

struct Setting {
  std::string key, value, why;
  bool derived = true;
};  // key empty: only said
struct File {
  std::string name, installed, assign;
  std::vector<Setting> settings;
  std::string devices_key;
  std::string prefix = {};  // of each line: "export "
};

// A network that carries the traffic of jobs, and what each node of the group has in it.
struct Ports {
  int network = -1;
  const NetworkModel* net = nullptr;
  const EndPoints* ends = nullptr;
  bool rdma = false, iwarp = false;
  std::int64_t devices = 0;             // RDMA ports that the node then has
  std::vector<std::string> interfaces;  // RoCE: below these they are found
  std::vector<std::string> prefixes;    // InfiniBand: by these
  std::string unknown;                  // why they cannot be found
};

// As sysfs prints the upper half of a GID: fe80:0000:0000:0001.
std::string gid_prefix(std::uint64_t prefix) {
  std::string out;
  for (int shift = 48; shift >= 0; shift -= 16) {
    if (shift < 48) out += ':';
    append_hex(out, prefix >> shift & 0xffffu, 4);
  }
  return out;
}

std::vector<Ports> ports_of(const CompileInput& in, int group) {
  const Cluster& c = in.cluster;
  std::vector<Ports> out;
  const std::vector<Interface> interfaces = interfaces_of(c, in.plan, group);
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    if (!net.carries_traffic(Traffic::compute)) continue;
    const EndPoints& e = net.ends[static_cast<std::size_t>(at.end)];
    if (is_management_port(c, net, e) || net.kind == LinkKind::nvlink) continue;
    Ports p;
    p.network = at.network, p.net = &net, p.ends = &e;
    if (net.kind == LinkKind::infiniband) {
      p.rdma = true;
      p.devices = e.ports_each;
      for (const InfinibandSubnet& s : infiniband_subnets(c, in.plan))
        if (s.fabric == p.network) p.prefixes.push_back(gid_prefix(s.prefix()));
      if (e.split > 1)
        p.unknown = "each port is split into " + std::to_string(e.split) +
                    " links, which the driver may show as one device or as several";
      else if (p.prefixes.empty())
        p.unknown = "its subnet managers are not in this plan, so that its subnet prefix is not known";
    } else if (carries_roce(c, net)) {
      p.rdma = true;
      for (const Interface& i : interfaces)
        if (i.network == p.network && &net.ends[static_cast<std::size_t>(i.end_points)] == &e)
          p.interfaces = i.names, p.devices = i.addresses;  // the ports of a bond are one device
      if (p.interfaces.empty()) p.unknown = "it has no subnet, so that its interfaces have no names";
    } else if (net.spec && net.spec->rdma && *net.spec->rdma == Rdma::iwarp) {
      p.iwarp = true;
      for (const Interface& i : interfaces)
        if (i.network == p.network && &net.ends[static_cast<std::size_t>(i.end_points)] == &e) p.interfaces = i.names;
    }
    out.push_back(std::move(p));
  }
  return out;
}

// Do all ports of a node go to one leaf?
bool one_leaf(const Plan& plan, const Ports& p) {
  const auto end = static_cast<int>(p.ends - p.net->ends.data());
  const PortRef first = plan.leaf_port(p.network, end, 0, 0);
  for (std::int64_t i = 1; i < p.ends->ports_each; ++i)
    if (const PortRef other = plan.leaf_port(p.network, end, 0, i);
        other.sw.tier != first.sw.tier || other.sw.index != first.sw.index)
      return false;
  return first.sw.index >= 0;
}

class GroupEnv {
 public:
  GroupEnv(const CompileInput& in, int group)
      : in_(in),
        c_(in.cluster),
        g_(c_.nodes[static_cast<std::size_t>(group)]),
        ports_(g_.computes && g_.count > 0 ? ports_of(in, group) : std::vector<Ports>()) {
    if (ports_.empty()) return;
    Findings of_network;  // netplan or cloud-init says it
    const GroupNetwork network(in.system, group, of_network);
    rdma_ = std::any_of(ports_.begin(), ports_.end(), [](const Ports& p) { return p.rdma; });
    efa_ = std::any_of(ports_.begin(), ports_.end(), [](const Ports& p) { return p.net->kind == LinkKind::efa; });
    iwarp_ = !rdma_ && !efa_ && std::any_of(ports_.begin(), ports_.end(), [](const Ports& p) { return p.iwarp; });
    found_ =
        rdma_ && std::all_of(ports_.begin(), ports_.end(), [](const Ports& p) { return !p.rdma || p.unknown.empty(); });
    plain_ = network.devices().size() > 1;
    // Sockets: the network that the plain host names stand in, where another moves the data; else that of the data.
    for (const Ports& p : ports_)
      if (!rdma_ && !efa_) take(sockets_, network.devices_in(p.network)), take_subnet(p.network);
    if (rdma_ || efa_)
      if (const int n = primary_network(c_, group); n >= 0 && !network.devices_in(n).empty())
        sockets_ = network.devices_in(n), take_subnet(n);
    nccl();
    ucx();
    mpi();
    libfabric();
    host();
  }

  const std::vector<File>& files() const { return files_; }

  void emit(Bundle& bundle, Findings& findings) {
    for (File& f : files_) {
      apply_extra(f, findings);
      bundle.open("fabric-env/" + g_.name + "/" + f.name, "fabric-env");
      std::string& out = bundle.text();
      comment(out, made_by(in_, "fabric-env", ""));
      comment(out, "for the nodes of group '" + g_.name + "': " + f.installed);
      for (const Setting& s : f.settings) {
        if (!s.why.empty()) comment(out, s.why);
        if (s.key.empty()) continue;
        ((out += f.prefix) += s.key) += f.assign;
        if (f.prefix.empty())
          out += s.value;
        else
          append_shell_word(out, s.value);
        out += '\n';
      }
      bundle.close();
    }
    if (!files_.empty()) write_apply(bundle);
  }

 private:
  static void take(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  void take_subnet(int network) {
    if (const auto& s = c_.networks[static_cast<std::size_t>(network)].subnet) subnets_.push_back(s->text());
  }

  // Comments hold no '=': releases of NCCL that know no comments would take one for a setting.
  static void comment(std::string& out, std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      out += "# ";
      out += replace_all(one_line(rest.substr(0, end)), "=", ":");
      out += '\n';
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::string network_words(const Ports& p) const { return "network '" + p.net->name + "'"; }

  // What is the same for every library: the adapters, and what they are told of RoCE. `prefix`: "NCCL", "UCX".
  void devices(File& f, std::string_view key) {
    if (!rdma_) return;
    if (found_) {
      f.devices_key = key;
      f.settings.push_back(
          {"", "", std::string(key) + ": apply.sh adds it, with the adapters that it finds on the node", false});
      return;
    }
    for (const Ports& p : ports_)
      if (!p.unknown.empty())
        f.settings.push_back(
            {"", "", std::string(key) + " is left to the library: " + network_words(p) + ": " + p.unknown, false});
  }
  void roce(File& f, std::string_view gid_key, std::string_view class_key, std::int64_t own_dscp) {
    for (const Ports& p : ports_) {
      const RocePlan* plan = p.rdma && p.net->kind == LinkKind::ethernet ? roce_plan(c_, *p.net) : nullptr;
      if (!plan) continue;
      if (plan->gid_index)
        f.settings.push_back(
            {std::string(gid_key), std::to_string(*plan->gid_index), "roce: gid_index of " + network_words(p)});
      if (plan->dscp && *plan->dscp != own_dscp)
        f.settings.push_back({std::string(class_key), std::to_string(traffic_class(*plan->dscp)),
                              "DSCP " + std::to_string(*plan->dscp) + " of " + network_words(p) +
                                  ", times 4: the lossless class of its switches"});
      return;  // one value for all of a process's RoCE
    }
  }

  void nccl() {
    if (g_.server.gpu_count == 0) return;
    const bool amd = g_.server.gpu && g_.server.gpu->vendor.value_or(Vendor::nvidia) ==
                                          Vendor::amd;  // RCCL knows the same words, in a file of its own
    File f{amd ? "rccl.conf" : "nccl.conf", amd ? "/etc/rccl.conf" : "/etc/nccl.conf", "=", {}, {}};
    if (plain_ && !sockets_.empty()) {
      const std::string list = "=" + join(sockets_, ",");  // its first sign: names are exact
      const std::string why = rdma_ || efa_ ? "ranks find each other over the network of plain host names"
                                            : "the plan has no RDMA: data uses the interfaces of the job network";
      if (list.size() <= kLongestNcclValue) f.settings.push_back({"NCCL_SOCKET_IFNAME", list, why});
    }
    devices(f, "NCCL_IB_HCA");
    if (efa_) f.settings.push_back({"", "", "the plugin aws-ofi-nccl chooses the EFA adapters", false});
    // NCCL connects queue pairs itself (ibv_modify_qp); those of iWARP are connected by rdma_cm alone (RFC 5040, over a
    // TCP connection that exists).
    if (iwarp_) f.settings.push_back({"NCCL_IB_DISABLE", "1", "NCCL does not use iWARP: its data goes over TCP"});
    roce(f, "NCCL_IB_GID_INDEX", "NCCL_IB_TC", 0);
    rails(f);
    for (const Ports& p : ports_) {
      const bool adaptive =
          p.net->spec && (p.net->spec->spectrum_x.value_or(false) || p.net->spec->adaptive_routing.value_or(false));
      if (adaptive && p.rdma && p.net->kind == LinkKind::ethernet)
        f.settings.push_back(
            {"NCCL_IB_ADAPTIVE_ROUTING", "1",
             network_words(p) + " routes packets adaptively; on RoCE NCCL does not expect this by default"});
      if (p.rdma && p.net->spec && p.net->spec->sharp.value_or(false))
        f.settings.push_back(
            {"NCCL_COLLNET_ENABLE", "1",
             "sharp of " + network_words(p) + ": reduction in the switches, by the plugin nccl-rdma-sharp"});
    }
    unique(f);
    add(std::move(f));
  }

  // NCCL user guide, NCCL_CROSS_NIC: 0 for switches of each rail with a slow way between them, 1 where all ports of a
  // node are on one switch; else it tries (2).
  void rails(File& f) const {
    for (const Ports& p : ports_) {
      if (!p.rdma || p.ends->ports_each < 2 || p.net->shares >= 0) continue;
      const Fabric& fabric = in_.plan.fabrics[static_cast<std::size_t>(p.network)];
      if (fabric.tiers.empty()) continue;
      const bool unjoined =
          p.net->spec && p.net->spec->topology.value_or(NetworkTopology::fat_tree) == NetworkTopology::rail_only;
      if (unjoined)
        f.settings.push_back({"NCCL_CROSS_NIC", "0", network_words(p) + " is rail-only: no switch connects the rails"});
      else if (fabric.rail_optimised && fabric.oversubscription > 1)
        f.settings.push_back({"NCCL_CROSS_NIC", "0",
                              network_words(p) + " is rail-optimised, and the links between rails have 1/" +
                                  std::string(WriterValue(fabric.oversubscription).text()) +
                                  " of the bandwidth of its nodes"});
      else if (!fabric.rail_optimised && fabric.planes == 1 && one_leaf(in_.plan, p))
        f.settings.push_back(
            {"NCCL_CROSS_NIC", "1", "all ports of a node in " + network_words(p) + " go to one switch"});
      return;
    }
  }

  void ucx() {
    if (efa_) return;  // UCX has no transport for EFA; iWARP it passes over, and uses TCP
    File f{"ucx.conf", "/etc/ucx/ucx.conf", "=", {}, {}};
    if (!rdma_ && plain_ && !sockets_.empty())
      f.settings.push_back({"UCX_NET_DEVICES", join(sockets_, ","),
                            "the plan has no RDMA: data uses the interfaces of the job network"});
    devices(f, "UCX_NET_DEVICES");
    roce(f, "UCX_IB_GID_INDEX", "UCX_IB_TRAFFIC_CLASS", kUcxDscp);
    unique(f);
    add(std::move(f));
  }

  void mpi() {
    const auto& mpi = g_.software->mpi;
    if (!mpi || mpi->kind.value_or("") != "openmpi") return;
    const std::string os = g_.software->os.value_or("");
    const bool debian = os.empty() || os.starts_with("debian") || os.starts_with("ubuntu") ||
                        os.starts_with("dgx-os");  // packages of Debian; of Fedora and EPEL
    File f{"openmpi-mca-params.conf",
           debian ? "/etc/openmpi/openmpi-mca-params.conf" : "/etc/openmpi-x86_64/openmpi-mca-params.conf",
           " = ",
           {},
           {}};
    const std::string list = join(subnets_, ","),
                      why =
                          rdma_ ? "processes find each other over the network of plain host names" : "the job network";
    if (plain_ && !subnets_.empty()) f.settings.push_back({"btl_tcp_if_include", list, why});
    const bool connected = f.settings.size() == 1;
    if (efa_ || iwarp_) {
      // ompi_info: the component cm of pml with ofi of mtl, which takes a provider of libfabric by its name.
      f.settings.push_back({"pml", "cm", "messages go through libfabric"});
      f.settings.push_back({"mtl", "ofi", ""});
      f.settings.push_back({"mtl_ofi_provider_include", efa_ ? "efa" : "verbs;ofi_rxm", "its provider"});
    }
    if (connected && (!mpi->version || mpi->version->major() < 5))
      f.settings.push_back(
          {"oob_tcp_if_include", list, "the same for the daemons, which belong to PRRTE since Open MPI 5"});
    add(std::move(f));
  }

  std::vector<std::string> iwarp_interfaces() const {
    std::vector<std::string> out;
    for (const Ports& p : ports_)
      if (p.iwarp) take(out, p.interfaces);
    return out;
  }

  // Of every login and of the jobs that are submitted from it, and of Enroot's containers.
  void libfabric() {
    if (!efa_ && !iwarp_) return;
    std::vector<Setting> settings;
    if (efa_) {
      // fi_efa(7), "RUNTIME PARAMETERS"; aws-ofi-nccl asks for libfabric 1.18 and newer (its pull request 333).
      settings.push_back({"FI_PROVIDER", "efa", "kind: efa of " + network_words(*efa_port())});
      settings.push_back({"FI_EFA_USE_DEVICE_RDMA", "1", "GPUs and adapters exchange data without the processors"});
    } else {
      // fi_verbs(7): connections by rdma_cm are endpoints of messages (FI_EP_MSG); fi_rxm(7) makes reliable datagrams
      // of them, as MPI libraries want.
      settings.push_back({"FI_PROVIDER", "verbs;ofi_rxm", "rdma: iwarp of the job network, connected by rdma_cm"});
      if (const std::vector<std::string> interfaces = iwarp_interfaces(); interfaces.size() == 1)
        settings.push_back({"FI_VERBS_IFACE", interfaces.front(), "its interface"});
    }
    File login{"libfabric.sh", "/etc/profile.d/cluster-libfabric.sh", "=", settings, {}, "export "};
    add(std::move(login));
    const auto& runtimes = g_.software->containers;
    if (std::any_of(runtimes.begin(), runtimes.end(),
                    [](const NamedVersion& v) { return v.kind && to_lower(*v.kind) == "enroot"; }))
      add({"enroot.env", "/etc/enroot/environ.d/90-cluster-libfabric.env", "=", std::move(settings), {}});
  }
  const Ports* efa_port() const {
    return &*std::find_if(ports_.begin(), ports_.end(), [](const Ports& p) { return p.net->kind == LinkKind::efa; });
  }

  // Modules that nothing else loads, and what libfabric needs of the kernel.
  void host() {
    if (efa_)
      // docs.aws.amazon.com, "Get started with EFA and MPI", step "Disable ptrace protection": processes of one node
      // exchange data with process_vm_readv (CMA).
      add({"sysctl.conf",
           "/etc/sysctl.d/90-cluster-fabric.conf",
           " = ",
           {{"kernel.yama.ptrace_scope", "0", "libfabric copies between the processes of a node (CMA)"}},
           {}});
    if (iwarp_)
      add({"modules.conf",
           "/etc/modules-load.d/cluster-fabric.conf",
           "",
           {{"rdma_cm", "", "iWARP has connections by rdma_cm alone"},
            {"rdma_ucm", "", "the same for programs"},
            {"iw_cm", "", "connections of iWARP"}},
           {}});
  }

  // Two networks may ask for the same.
  static void unique(File& f) {
    std::set<std::string> seen;
    std::erase_if(f.settings, [&](const Setting& s) { return !s.key.empty() && !seen.insert(s.key).second; });
  }

  void add(File f) {
    const auto* wishes = extra_of(in_, f.name);
    const bool says =
        std::any_of(f.settings.begin(), f.settings.end(), [](const Setting& s) { return !s.key.empty(); });
    if (says || !f.devices_key.empty() || (wishes && !wishes->empty())) files_.push_back(std::move(f));
  }

  static bool is_libfabric(const File& f) { return f.name == "libfabric.sh" || f.name == "enroot.env"; }

  void apply_extra(File& f, Findings& findings) const {
    if (f.name == "sysctl.conf" || f.name == "modules.conf") return;
    const auto* extra = extra_of(in_, f.name == "enroot.env" ? "libfabric.sh" : f.name);
    if (!extra) return;
    const std::size_t first = f.settings.size();
    for (const auto& wish : *extra) {
      if (!wish) continue;
      const std::size_t equals = std::min(wish->find('='), wish->size());
      const std::string key(trim(std::string_view(*wish).substr(0, equals))),
          after(equals < wish->size() ? std::string_view(*wish).substr(equals + 1) : std::string_view());
      const bool upper = f.assign == "=";  // NCCL and UCX take a blank behind it for a part of the value
      const std::string value(upper ? std::string_view(after) : trim(after));
      const std::string_view begin = !upper ? "" : f.name == "ucx.conf" ? "UCX_" : is_libfabric(f) ? "FI_" : "NCCL_";
      const bool word =
          key.size() > begin.size() && key.starts_with(begin) && std::all_of(key.begin(), key.end(), [&](char c) {
            return (upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
          });
      const bool plain =
          !value.empty() && value.size() <= kLongestNcclValue && std::all_of(value.begin(), value.end(), [](char c) {
            return c > 0x20 && c < 0x7f && std::string_view("\"'`\\#;$").find(c) == std::string_view::npos;
          });
      if (!word || !plain) {
        told(findings, "output-extra-malformed", wish.span,
             "'" + one_line(std::string_view(*wish).substr(0, 60)) + "' is not a valid line of " + f.name,
             "write one name and its value in each line, for example " + (is_libfabric(f)
                                                                              ? std::string("FI_LOG_LEVEL=warn")
                                                                          : upper ? std::string(begin) + "TLS=rc,self"
                                                                                  : std::string("btl_tcp_links = 2")));
        continue;
      }
      const auto ours =
          std::find_if(f.settings.begin(), f.settings.end(), [&](const Setting& s) { return s.key == key; });
      if (key == f.devices_key || (ours != f.settings.end() && ours->derived)) {
        told(findings, "output-extra-contradicts-spec", wish.span,
             "an extra line sets '" + key + "', which is already set from the spec", "change the spec instead");
        continue;
      }
      if (ours != f.settings.end())
        ours->value = value;
      else
        f.settings.push_back(
            {key, value, f.settings.size() == first ? "outputs.fabric-env.extra of the spec" : "", false});
    }
  }
  // The lines are for all groups: what is wrong with one is said once.
  static void told(Findings& findings, std::string_view rule, SourceSpan at, const std::string& text,
                   const std::string& help) {
    if (std::none_of(findings.all().begin(), findings.all().end(),
                     [&](const Finding& f) { return f.rule == rule && f.span == at; }))
      findings.error(std::string(rule), at, text).help(help);
  }

  void write_apply(Bundle& bundle) const;

  const CompileInput& in_;
  const Cluster& c_;
  const NodeGroupModel& g_;
  std::vector<Ports> ports_;
  bool rdma_ = false, efa_ = false, iwarp_ = false, found_ = false,
       plain_ = false;  // plain_: there is more than one interface to choose from
  std::vector<std::string> sockets_, subnets_;
  std::vector<File> files_;
};

void GroupEnv::write_apply(Bundle& bundle) const {
  bundle.open("fabric-env/" + g_.name + "/apply.sh", "fabric-env", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in_, "fabric-env");
  out +=
      "# Installs the files beside it on a node of this group and prints what it changed. Exit status 3: some RDMA "
      "ports of the plan are missing, so that the\n# libraries choose among the others; run it again when all are "
      "there.\n";
  if (found_) out += "# shellcheck disable=SC2317,SC2329  # not every group calls every function\n";
  out += kApplyHead;
  if (found_) out += kFind;
  if (iwarp_) out += kIwarp;
  out += kPut;
  ShellWriter w(out);
  if (found_)
    for (const Ports& p : ports_) {
      if (!p.rdma) continue;
      std::vector<std::string> find{p.interfaces.empty() ? "infiniband" : "roce"};
      take(find, p.interfaces.empty() ? p.prefixes : p.interfaces);
      w.command(find);
      w.command({"expect", std::to_string(p.devices), p.net->name});
    }
  if (std::vector<std::string> words{"iwarp"}; iwarp_) {
    take(words, iwarp_interfaces());
    if (words.size() > 1) w.command(words);
  }
  for (const File& f : files_) {
    if (f.devices_key.empty())
      w.command({"put", f.name, f.installed});
    else
      w.command({"put", f.name, f.installed,
                 f.devices_key + (f.devices_key == "NCCL_IB_HCA" ? "==" : "=")});  // NCCL: names are exact
  }
  out += "exit \"$status\"\n";
  bundle.close();
}

bool wants_fabric_env(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [&](const NetworkModel& n) {
    return n.carries_traffic(Traffic::compute) && n.kind != LinkKind::nvlink &&
           std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) {
             if (e.group < 0 || is_management_port(c, n, e)) return false;
             const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
             return g.computes && g.count > 0 &&
                    (n.kind == LinkKind::infiniband || n.kind == LinkKind::efa || carries_roce(c, n) ||
                     (n.spec && n.spec->rdma.value_or(Rdma::none) == Rdma::iwarp) || g.server.gpu_count > 0 ||
                     g.software->mpi);
           });
  });
}

bool serves(const System& system, int group) {
  const auto* wish = system.cluster.spec.outputs.find("fabric-env");
  return !GroupEnv(CompileInput(system, wish ? &wish->value : nullptr), group).files().empty();
}

void emit_fabric_env(const CompileInput& in, Bundle& bundle, Findings& findings) {
  std::vector<std::unique_ptr<GroupEnv>> groups;
  std::vector<std::string_view> made;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    groups.push_back(std::make_unique<GroupEnv>(in, static_cast<int>(g)));
    for (const File& f : groups.back()->files())
      if (f.name != "enroot.env" && f.name != "sysctl.conf" && f.name != "modules.conf" &&
          std::find(made.begin(), made.end(), f.name) == made.end())
        made.push_back(f.name);
  }
  check_extra_files(in, "fabric-env", made, findings);
  for (const auto& group : groups) group->emit(bundle, findings);
}

}  // namespace

extern const Output kFabricEnvOutput;  // registry.cc names it
const Output kFabricEnvOutput{
    .id = "fabric-env",
    .summary =
        "settings of NCCL, UCX, Open MPI and libfabric (EFA, iWARP) for the fabric, for each group of compute nodes, "
        "and "
        "a script that finds the planned adapters on a node",
    .consumers = "NCCL 2.10 and newer, UCX 1.13 and newer, Open MPI 4 and 5, libfabric 1.17 and newer",
    .wanted = wants_fabric_env,
    .serves = serves,
    .emit = emit_fabric_env,
};

}  // namespace clusterc
