// opensm/<subnet>/: what the subnet manager of each InfiniBand subnet reads, and the unit that starts one for each.
//
// A subnet is a network, or one plane of it. Routing follows from the plan: leaves and spines are a fat tree, a single
// switch needs none. What can only be named by GUID (root switches, end ports, names of switches) is written where the
// inventory has the GUIDs of all that it must name; OpenSM finds the roots of a clean tree by itself, and opensm.conf
// says where a file is missing and how to get it.
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "model/routing_engines.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "system/infiniband.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Subnet = InfinibandSubnet;

bool wants_opensm(const Cluster& c) {
  return c.own_site && std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) {
           return n.kind == LinkKind::infiniband && n.switch_part && n.shares < 0;
         });
}

// The GUIDs of some ports or switches, if the inventory has them all.
struct Guids {
  std::vector<std::pair<std::uint64_t, std::string>> all;  // in the order of the plan, with the name of each
  std::int64_t lacking = 0;
  std::string first_lacking;
  bool complete() const { return lacking == 0 && !all.empty(); }
};

class Emitter {
 public:
  Emitter(const CompileInput& in, const Subnet& s, Bundle& bundle, Findings& findings)
      : in_(in),
        s_(s),
        net_(in.cluster.networks[static_cast<std::size_t>(s.fabric)]),
        fabric_(in.plan.fabrics[static_cast<std::size_t>(s.fabric)]),
        bundle_(bundle),
        findings_(findings) {}

  void emit() {
    choose_engine();
    switches_ = switch_guids(0, fabric_.tiers.size());
    if (tree()) roots_ = switch_guids(fabric_.tiers.size() - 1, fabric_.tiers.size());
    end_guids();
    say_what_lacks();
    write_conf();
    write_partitions();
    if (roots_.complete() && uses_roots()) write_guids("root-guids", "switches at the top of the tree", roots_);
    if (compute_.complete() && other_.lacking == 0 && engine_ == "ftree" && net_.carries_traffic(Traffic::compute)) {
      write_guids("cn-guids", "ports of compute nodes: their routes are balanced", compute_);
      if (!other_.all.empty()) write_guids("io-guids", "ports of service nodes", other_);
    }
    if (orders())
      write_guids("routing-order", "ports in the order in which OpenSM routes them: leaf by leaf as planned", order_);
    if (switches_.complete()) write_names();
    write_ports();
  }

 private:
  bool tree() const { return fabric_.tiers.size() > 1; }
  bool uses_roots() const {
    return engine_ == "ftree" || engine_ == "updn" || engine_ == "dnup" || engine_ == "ar_ftree" ||
           engine_ == "ar_updn";
  }
  bool orders() const {
    return (engine_ == "minhop" || engine_ == "updn") && tree() && compute_.lacking + other_.lacking == 0 &&
           !order_.all.empty();
  }
  std::string path(std::string_view file) const { return "opensm/" + s_.name + "/" + std::string(file); }
  std::string installed(std::string_view file) const { return "/etc/opensm/" + s_.name + "/" + std::string(file); }

  void choose_engine() {
    engine_ = tree() ? "ftree" : "minhop";
    if (!net_.spec || !net_.spec->routing) return;
    const Value<std::string>& asked = net_.spec->routing;
    if (is_opensm_engine(*asked)) {
      engine_ = *asked;
      return;
    }
    const std::vector<std::string_view> known(kOpensmEngines.begin(), kOpensmEngines.end());
    Finding& f = findings_.error("opensm-routing-unknown", asked.span,
                                 "'" + one_line(*asked) + "' is not a routing engine of OpenSM");
    if (const auto near = nearest_name(*asked, known))
      f.help("did you mean '" + std::string(*near) + "'?");
    else
      f.help("remove it: the default of " +
             std::string(tree() ? "leaves and spines is ftree" : "a single switch is minhop"));
  }

  void look_up(Guids& to, const std::string& host, std::string_view port, const std::string& object) const {
    if (!in_.system.inventory) return;
    const InventoryRow* row = in_.system.inventory->find(host, port);
    if (!row) row = in_.system.inventory->find(object, port);
    if (row && row->guid) {
      to.all.emplace_back(*row->guid, host);
      return;
    }
    if (to.lacking++ == 0) to.first_lacking = host + (port.empty() ? "" : " port " + std::string(port));
  }

  Guids switch_guids(std::size_t from_tier, std::size_t end_tier) const {
    Guids g;
    if (!in_.system.inventory) return g;
    for (std::size_t t = from_tier; t < end_tier; ++t) {
      const std::int64_t each = fabric_.per_plane(static_cast<int>(t));
      for (std::int64_t i = s_.plane * each; i < (s_.plane + 1) * each; ++i) {
        const SwitchRef ref{static_cast<int>(t), i};
        look_up(g, in_.plan.switch_host_name(s_.fabric, ref), {}, in_.plan.switch_name(s_.fabric, ref));
      }
    }
    return g;
  }

  void end_guids() {
    if (!in_.system.inventory) return;
    struct Placed {
      std::int64_t leaf, port;
      std::pair<std::uint64_t, std::string> what;
    };
    std::vector<Placed> placed;
    for (std::size_t e = 0; e < net_.ends.size(); ++e) {
      const EndPoints& ends = net_.ends[e];
      if (ends.group < 0 || ends.split > 1)
        continue;  // a bought system's adapters are its maker's; a split port has several
      const NodeGroupModel& g = in_.cluster.nodes[static_cast<std::size_t>(ends.group)];
      Guids& to = g.computes ? compute_ : other_;
      for (std::int64_t m = 0; m < ends.members; ++m)
        for (std::int64_t p = 0; p < ends.ports_each; ++p) {
          if (fabric_.planes > 1 && p % fabric_.planes != s_.plane) continue;
          std::string port(ends.ports >= 0 ? g.server.ports[static_cast<std::size_t>(ends.ports)].name : "eth");
          append_int(port, ends.first_port + 1 + p);
          const std::size_t before = to.all.size();
          look_up(to, g.names.name(m), port, in_.plan.node_object(g.first + m));
          if (to.all.size() == before) continue;
          const PortRef at = in_.plan.leaf_port(s_.fabric, static_cast<int>(e), m, p);
          placed.push_back({at.sw.index, at.port, to.all.back()});
        }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return a.leaf != b.leaf ? a.leaf < b.leaf : a.port < b.port;
    });
    for (Placed& p : placed) order_.all.push_back(std::move(p.what));
  }

  // Some GUIDs and not all of them: a list of roots with a hole in it routes worse than none, so the file is not
  // written, and the user told.
  void say_what_lacks() {
    const auto tell = [&](const Guids& g, std::string_view what, std::string_view file) {
      if (g.lacking == 0 || g.all.empty()) return;
      findings_
          .warning("opensm-guids-incomplete", in_.cluster.spec.inventory.span,
                   "the inventory has the GUIDs of " + std::to_string(g.all.size()) + " of " +
                       std::to_string(g.all.size() + static_cast<std::size_t>(g.lacking)) + " " + std::string(what) +
                       " of subnet '" + s_.name + "'")
          .label(std::string(file) + " is not written")
          .help("add a row for " + g.first_lacking);
    };
    tell(switches_, "switches", "node-names");
    if (switches_.lacking > 0 && roots_.lacking > 0 && switches_.all.empty()) tell(roots_, "roots", "root-guids");
    if (engine_ == "ftree" && net_.carries_traffic(Traffic::compute)) tell(compute_, "compute ports", "cn-guids");
  }

  struct Line {
    std::string key, value, why;
    bool derived;
  };

  void write_conf() {
    std::vector<Line> lines;
    const auto set = [&](std::string_view key, std::string value, std::string_view why = {}) {
      lines.push_back({std::string(key), std::move(value), std::string(why), false});
    };
    const auto derived = [&](std::string_view key, std::string value, std::string_view why = {}) {
      lines.push_back({std::string(key), std::move(value), std::string(why), true});
    };
    derived("routing_engine", engine_,
            net_.spec && net_.spec->routing ? "set in the spec"
            : tree()                        ? "the plan is a fat tree: leaves and " + fabric_.tiers.back().word + "s"
                                            : "no spines: there is only one path");
    if (net_.spec && net_.spec->adaptive_routing.value_or(false) && !is_nvidia_opensm_engine(engine_))
      lines.push_back({{},
                       {},
                       "the spec sets adaptive routing, which upstream OpenSM does not support; with NVIDIA's OpenSM "
                       "(DOCA, UFM), write routing: ar_ftree in the spec",
                       false});
    // Fabrics that one node sees must differ in their prefix: programs take ports with one prefix for one subnet (Open
    // MPI FAQ, OpenFabrics).
    std::string prefix;
    append_guid(s_.prefix(), prefix);
    derived("subnet_prefix", prefix, s_.number == 0 ? "" : "each subnet of the cluster has its own");
    const auto file = [&](std::string_view key, std::string_view name, bool written, std::string_view without) {
      if (written)
        derived(key, installed(name));
      else if (!without.empty())
        lines.push_back({{}, {}, std::string(key) + ": " + std::string(without), false});
    };
    const std::string fill = " (columns name,guid of the spec's `inventory:`)";
    if (uses_roots() && tree())
      file("root_guid_file", "root-guids", roots_.complete(),
           "OpenSM finds the roots by itself; to name them, give the GUID of each " + fabric_.tiers.back().word +
               " switch" + fill);
    const bool balanced =
        compute_.complete() && other_.lacking == 0 && engine_ == "ftree" && net_.carries_traffic(Traffic::compute);
    if (engine_ == "ftree" && net_.carries_traffic(Traffic::compute))
      file("cn_guid_file", "cn-guids", balanced,
           "OpenSM counts every end port as one of a compute node; to name compute ports, give the GUIDs of all ports" +
               fill);
    if (balanced && !other_.all.empty()) file("io_guid_file", "io-guids", true, {});
    if (orders()) file("guid_routing_order_file", "routing-order", true, {});
    file("node_name_map_name", "node-names", switches_.complete(),
         "OpenSM calls switches by their own description; to use the names of the plan, give their GUIDs" + fill);
    derived("partition_config_file", installed("partitions.conf"));
    set("guid", "0x0000000000000000",
        "the first port that is up; if a manager has ports in several subnets, /etc/opensm/" + s_.name +
            "/port sets OPTIONS=--guid and the GUID");
    set("log_file", "/var/log/opensm/" + s_.name + "/opensm.log");
    set("log_max_size", "100", "megabytes");
    set("dump_files_dir", "/var/log/opensm/" + s_.name + "/");

    apply_extra(lines);
    bundle_.open(path("opensm.conf"), "opensm");
    std::string& out = bundle_.text();
    out += made_by(in_, "opensm");
    IniWriter w(out, " ");
    std::string managers;
    for (const EndPoints& e : net_.ends)
      if (e.group >= 0 && in_.cluster.nodes[static_cast<std::size_t>(e.group)].has_role(Role::fabric_manager))
        managers += (managers.empty() ? "" : ",") + in_.cluster.nodes[static_cast<std::size_t>(e.group)].names.text();
    w.comment("subnet " + s_.name + ": " +
              (managers.empty() ? "the spec names no node that manages it (role fabric-manager): for a host of your "
                                  "own. Configure a manager that runs on a switch on that switch"
                                : "managed by " + managers));
    if (tree() == false && fabric_.tiers[0].count / fabric_.planes > 1)
      w.comment("its " + std::to_string(fabric_.tiers[0].count / fabric_.planes) +
                " switches are not connected: each is a separate subnet, which needs its own manager with this file");
    for (const Line& l : lines) {
      if (!l.why.empty()) w.comment(l.why);
      if (!l.key.empty()) w.field(l.key, l.value);
    }
    if (!w.ok()) findings_.error("opensm-value-unwritable", net_.span, "opensm.conf: " + w.error());
    bundle_.close();
  }

  // An extra line takes the place of a default, never of what follows from the spec.
  void apply_extra(std::vector<Line>& lines) {
    const std::string name = s_.name + "/opensm.conf";
    const auto* extra = extra_of(in_, name);
    if (!extra) return;
    lines.push_back({{}, {}, "outputs.opensm.extra of the spec", false});
    for (const auto& wish : *extra) {
      if (!wish) continue;
      const std::string_view text = trim(*wish);
      const std::size_t blank = text.find_first_of(" \t");
      const std::string_view key = text.substr(0, blank),
                             value = blank == std::string_view::npos ? std::string_view() : trim(text.substr(blank));
      std::string scratch;
      IniWriter probe(scratch, " ");
      const bool word = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
      if (word) probe.field(key, value);
      if (!word || value.empty() || !probe.ok()) {
        findings_
            .error("output-extra-malformed", wish.span,
                   "'" + one_line(text.substr(0, 60)) + "' is not a valid line of opensm.conf")
            .help("write one option and its value in each line, for example sweep_interval 30");
        continue;
      }
      const auto ours = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.key == key; });
      if (ours != lines.end() && ours->derived) {
        findings_
            .error("output-extra-contradicts-spec", wish.span,
                   "an extra line sets '" + std::string(key) + "', which is already set from the spec: it is '" +
                       ours->value + "'")
            .help(key == "routing_engine" ? "write routing: in network '" + net_.name + "'"
                                          : "change the spec instead");
        continue;
      }
      if (ours != lines.end()) lines.erase(ours);
      lines.push_back({std::string(key), std::string(value), {}, false});
    }
  }

  void write_partitions() {
    bundle_.open(path("partitions.conf"), "opensm");
    std::string& out = bundle_.text();
    out += made_by(in_, "opensm");
    out +=
        "# Every port is a full member of the default partition. The scheduler separates teams, not partitions; add "
        "your own partitions by outputs.opensm.extra.\n";
    out += "Default=0x7fff";
    if (net_.subnet) {
      out += ", ipoib";
      // Who is slower than the group may not join it (opensm(8), mgroup_flag): the slowest port decides. Codes of IBTA
      // volume 1, "PathRecord".
      constexpr std::pair<double, int> kRates[] = {{400e9, 21}, {200e9, 17}, {100e9, 16},
                                                   {56e9, 12},  {40e9, 7},   {10e9, 3}};
      double slowest = 0;
      for (const EndPoints& e : net_.ends)
        if (e.rate.value > 0 && (slowest == 0 || e.rate.value < slowest)) slowest = e.rate.value;
      for (const auto& [rate, code] : kRates)
        if (slowest >= rate) {
          out += ", rate=";
          append_int(out, code);
          break;
        }
      if (net_.spec && net_.spec->mtu.value_or(0) >= 4092)
        out += ", mtu=5";  // 4,096 bytes; IPoIB takes 4 of them for its header
    }
    out += " : ALL=full, SELF=full ;\n";
    if (const auto* extra = extra_of(in_, s_.name + "/partitions.conf")) {
      out += "\n# outputs.opensm.extra of the spec\n";
      for (const auto& wish : *extra)
        if (wish) append_partition(wish, out);
    }
    bundle_.close();
  }

  void append_partition(const Value<std::string>& wish, std::string& out) {
    const std::string_view text = trim(*wish);
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("_-=,: .;\t").find(c) != std::string_view::npos;
    };
    const std::size_t colon = text.find(':');
    const std::string_view head = trim(text.substr(0, std::min(colon, text.find(','))));
    const bool good = colon != std::string_view::npos && colon > 0 && text.ends_with(';') &&
                      std::count(text.begin(), text.end(), ';') == 1 && std::all_of(text.begin(), text.end(), plain) &&
                      head.find('=') != std::string_view::npos;
    if (!good) {
      findings_
          .error("output-extra-malformed", wish.span, "'" + one_line(text.substr(0, 60)) + "' is not a valid partition")
          .help("write one partition in each line, for example storage=0x8001, defmember=full : ALL ;");
      return;
    }
    if (to_lower(head).starts_with("default") || to_lower(head).find("0x7fff") != std::string::npos ||
        to_lower(head).find("0xffff") != std::string::npos) {
      findings_.error("output-extra-contradicts-spec", wish.span, "partitions.conf already has the default partition")
          .help("give yours another name and key");
      return;
    }
    out += text;
    out += '\n';
  }

  void write_guids(std::string_view file, std::string_view what, const Guids& guids) {
    bundle_.open(path(file), "opensm");
    std::string& out = bundle_.text();
    out += made_by(in_, "opensm");
    out += "# ";
    out += what;
    out += '\n';
    for (const auto& [guid, name] : guids.all) {
      append_guid(guid, out);
      out += '\n';
    }
    bundle_.close();
  }

  void write_names() {
    bundle_.open(path("node-names"), "opensm");
    std::string& out = bundle_.text();
    out += made_by(in_, "opensm");
    for (const auto& [guid, name] : switches_.all) {
      append_guid(guid, out);
      out += " \"";  // letters, digits and hyphens (docs/names.md)
      out += name;
      out += "\"\n";
    }
    bundle_.close();
  }

  // Which port a manager binds to differs from host to host; it matters where it has several.
  void write_ports() {
    for (const EndPoints& ends : net_.ends) {
      if (ends.group < 0 || !in_.cluster.nodes[static_cast<std::size_t>(ends.group)].has_role(Role::fabric_manager))
        continue;
      const NodeGroupModel& g = in_.cluster.nodes[static_cast<std::size_t>(ends.group)];
      const std::string port = port_in_subnet(ends, g);
      std::string unknown;
      for (std::int64_t m = 0; m < ends.members; ++m) {
        const std::string host = g.names.name(m);
        const std::optional<std::uint64_t> guid = guid_of(ends, g, m, port);
        if (!guid) {
          if (unknown.empty()) unknown = host;
          continue;
        }
        bundle_.open(path("port-" + host), "opensm");
        std::string& out = bundle_.text();
        out += made_by(in_, "opensm");
        out += "# " + port + " of " + host + "; goes to " + installed("port") + " there\nOPTIONS=\"--guid ";
        append_guid(*guid, out);
        out += "\"\n";
        bundle_.close();
      }
      // Told nothing, each manager takes the first port that is up: two of them the same, and one subnet has none.
      if (!unknown.empty() && managed_subnets(in_.cluster, in_.plan, ends.group).size() > 1)
        findings_
            .warning("opensm-port-unknown", g.span,
                     "'" + unknown + "' has ports in several InfiniBand subnets, and its port in '" + s_.name +
                         "' is not known: the plays do not start its manager there")
            .help(ends.split > 1
                      ? "its port is split over the planes, but the inventory has only one GUID of it: write "
                        "OPTIONS=\"--guid 0x…\" with the GUID in this plane to " +
                            installed("port") + " there by hand, and enable its cluster-opensm@"
                      : "give the GUID of its port in the spec's `inventory:` (" + unknown + "," + port + ",,0x…)");
    }
  }

  std::string port_in_subnet(const EndPoints& ends, const NodeGroupModel& g) const {
    std::string port(ends.ports >= 0 ? std::string_view(g.server.ports[static_cast<std::size_t>(ends.ports)].name)
                                     : "eth");
    append_int(port, ends.first_port + 1 + (fabric_.planes > 1 ? s_.plane : 0));
    return port;
  }

  // Of a port that is in several planes the inventory has no GUID for each.
  std::optional<std::uint64_t> guid_of(const EndPoints& ends, const NodeGroupModel& g, std::int64_t member,
                                       std::string_view port) const {
    if (!in_.system.inventory || ends.split > 1) return std::nullopt;
    const InventoryRow* row = in_.system.inventory->find(g.names.name(member), port);
    if (!row) row = in_.system.inventory->find(in_.plan.node_object(g.first + member), port);
    return row ? row->guid : std::nullopt;
  }

  const CompileInput& in_;
  const Subnet& s_;
  const NetworkModel& net_;
  const Fabric& fabric_;
  Bundle& bundle_;
  Findings& findings_;
  std::string engine_;
  Guids switches_, roots_, compute_, other_, order_;
};

// One manager for each subnet: cluster-opensm@compute. Debian's package has an opensm@ of its own, for GUIDs of ports.
// The instance's folder keeps its guid2lid table, which must survive a restart, apart from the others'.
void write_unit(const CompileInput& in, Bundle& bundle) {
  bundle.open("opensm/cluster-opensm@.service", "opensm");
  std::string& out = bundle.text();
  out += made_by(in, "opensm");
  IniWriter w(out);
  w.section("Unit")
      .field("Description", "InfiniBand subnet manager of %i")
      .field("Documentation", "man:opensm(8)")
      .field("After", "network-pre.target openibd.service rdma-hw.target");
  w.section("Service")
      .field("Type", "simple")
      .field("Environment", "OSM_CACHE_DIR=/var/cache/opensm/%i OSM_TMP_DIR=/var/log/opensm/%i")
      .field("EnvironmentFile", "-/etc/opensm/%i/port")
      .field("CacheDirectory", "opensm/%i")
      .field("LogsDirectory", "opensm/%i")
      .field("ExecStart", "/usr/sbin/opensm --config /etc/opensm/%i/opensm.conf $OPTIONS")
      .field("Restart", "on-failure");
  w.section("Install").field("WantedBy", "multi-user.target");
  bundle.close();
}

void emit_opensm(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const std::vector<Subnet> subnets = infiniband_subnets(in.cluster, in.plan);
  std::vector<std::string> names;
  for (const Subnet& s : subnets)
    for (const char* file : {"/opensm.conf", "/partitions.conf"}) names.push_back(s.name + file);
  check_extra_files(in, "opensm", {names.begin(), names.end()}, findings);
  for (const Subnet& s : subnets) Emitter(in, s, bundle, findings).emit();
  if (!subnets.empty()) write_unit(in, bundle);
}

}  // namespace

extern const Output kOpensmOutput;  // registry.cc names it
const Output kOpensmOutput{
    .id = "opensm",
    .summary =
        "opensm.conf and partitions of each InfiniBand subnet; with an inventory, also roots, end ports and names by "
        "GUID",
    .consumers = "OpenSM 3.3.23 and newer",
    .wanted = wants_opensm,
    .emit = emit_opensm,
};

}  // namespace clusterc
