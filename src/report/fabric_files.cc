// A fabric for the programs that compare or draw it.
//
// Topology file: one section a switch, a line for each cabled port, both ends of a cable between switches each in its
// own section; hosts have none.
//   MQM9700 leaf-compute-u1-r1
//   P1 -4x-100G-> HCA_mlx5_8 gpu001 mlx5_0/P1
//   P33 -4x-100G-> MQM9700 spine-compute-01 P1
// as in ibdm-topo-file(1) and the manual of NVIDIA's UFM Cable Validation Tool, "Topo File". mlx5_N counts the adapters
// of a host in the order of the plan; where the driver counts otherwise, the tool's HCA mapping file says so.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/index.h"
#include "base/printable.h"
#include "base/text.h"
#include "plan/equipment.h"
#include "plan/fabric/fabric.h"
#include "report/cable_exports.h"
#include "report/link_rows.h"

namespace clusterc {
namespace {

// "nvidia-qm9700" -> "MQM9700": the systems' names that ibdiagnet knows begin with an M.
std::string system_type(std::string_view part) {
  const auto dash = part.rfind("qm");
  std::string out = dash == std::string_view::npos ? "" : "M";
  for (const char ch : dash == std::string_view::npos ? part : part.substr(dash))
    out += static_cast<char>(ch >= 'a' && ch <= 'z' ? ch - 32 : ch);
  return out;
}

// "-4x-100G->": lanes and rate of a lane. EDR 25, HDR 50, NDR 100, XDR 200 Gb/s a lane; half a port has half the lanes
// (InfiniBand Architecture Specification, volume 2; NVIDIA LinkX overview: 200 Gb/s on a 100G-PAM4 port are two
// channels).
std::string link_speed(BitsPerSecond rate, BitsPerSecond of_lane) {
  const auto gb = [](BitsPerSecond r) { return std::llround(r.value / 1e9); };
  const std::int64_t lane = std::max<std::int64_t>(1, gb(of_lane));
  std::string out = "-";
  append_int(out, std::max<std::int64_t>(1, gb(rate) / lane));
  out += "x-";
  append_int(out, lane);
  return out + "G->";
}

// Rate of a lane of an adapter's port: its connector is made for one (docs/cabling.md); an OSFP of more than 400 Gb/s
// has faster ones.
BitsPerSecond lane_of(const NicPart& nic) {
  const std::string connector = nic.connector.value_or("");
  const double gb = connector == "qsfp28" ? 25e9 : connector == "qsfp56" ? 50e9 : 100e9;
  return BitsPerSecond(connector.starts_with("osfp") && nic.port_rate ? std::max(gb, nic.port_rate->value / 4) : gb);
}

// First adapter number of a group of ports on its host: adapters are counted in the order of `nics`.
std::int64_t first_adapter(const ServerModel& s, int set) {
  std::int64_t n = 0;
  for (int i = 0; i < s.ports[at(set)].nics; ++i) n += s.nics[at(i)].count;
  return n;
}

}  // namespace

bool has_topo(const Cluster& cluster, const Plan& plan, int fabric) {
  const Fabric& f = plan.fabrics[at(fabric)];
  return !f.tiers.empty() && cluster.networks[at(f.network)].kind == LinkKind::infiniband;
}

namespace {

// What is at one port of a switch: another switch, or a port of a member.
struct TopoPeer {
  std::int32_t block = -2;  // -1: a switch; -2: nothing
  std::int32_t port = 0;
  std::int64_t of = -1;
};

// Ports of all switches lie side by side.
class TopoPeers {
 public:
  TopoPeers(const Plan& plan, int fabric) : f_(plan.fabrics[at(fabric)]), first_(f_.tiers.size() + 1, 0) {
    for (std::size_t t = 0; t < f_.tiers.size(); ++t) first_[t + 1] = first_[t] + f_.tiers[t].count * ports_of(t);
    peers_.resize(at(first_.back()));
    const Links links(plan);
    const auto number = [&](SwitchRef r) { return plan.switch_number(fabric, r) - f_.first_switch; };
    links.each(fabric, [&](const PluggedLink& l) {
      if (l.block >= 0) {
        peers_[slot(l.far, l.far_port)] = {l.block, static_cast<std::int32_t>(l.port), l.member};
        return true;
      }
      peers_[slot(l.far, l.far_port)] = {-1, static_cast<std::int32_t>(l.near_port), number(l.near)};
      peers_[slot(l.near, l.near_port)] = {-1, static_cast<std::int32_t>(l.far_port), number(l.far)};
      return true;
    });
  }
  std::int64_t ports_of(std::size_t tier) const {
    return f_.tiers[tier].ports + (tier == 0 && own_uplink_ports(f_) ? f_.tiers[tier].up : 0);
  }
  const TopoPeer& peer(SwitchRef r, std::int64_t port) const { return peers_[slot(r, port)]; }

 private:
  std::size_t slot(SwitchRef r, std::int64_t port) const {
    return at(first_[at(r.tier)] + r.index * ports_of(at(r.tier)) + port - 1);
  }

  const Fabric& f_;
  std::vector<std::int64_t> first_;  // by tier
  std::vector<TopoPeer> peers_;
};

// How the members of a block are written.
struct TopoMember {
  std::string type, speed;
  std::int64_t adapter = 0, ports_each = 1;
};
TopoMember topo_member(const Cluster& cluster, const Fabric& f, const FabricBlock& block, BitsPerSecond lane) {
  TopoMember m;
  m.type = "HCA";
  m.speed = link_speed(f.link_rate, lane);
  if (block.what != FabricBlock::What::ends) return m;
  const EndPoints& e = cluster.networks[at(block.network)].ends[at(block.end)];
  // The slower end's lanes: ConnectX-7 of 400 Gb/s has four of 100 on a port of 800, too.
  const NicPart* nic = nullptr;
  if (e.group >= 0 && e.ports >= 0) {
    const ServerModel& s = cluster.nodes[at(e.group)].server;
    if (s.ports[at(e.ports)].nics >= 0) nic = s.nics[at(s.ports[at(e.ports)].nics)].part;
  } else if (e.storage >= 0) {
    for (const NicSet& set : cluster.storage[at(e.storage)].nics)
      if (!nic && set.part && (set.part->links.empty() || std::ranges::any_of(set.part->links, [&](const auto& l) {
                                 return l && *l == LinkKind::infiniband;
                               })))
        nic = set.part;
  }
  m.speed = link_speed(e.rate.value > 0 && e.rate < f.link_rate ? e.rate : f.link_rate,
                       nic ? std::min(lane, lane_of(*nic)) : lane);
  std::int64_t adapters = block.ports_each;
  if (e.group >= 0 && e.ports >= 0) {
    const ServerModel& s = cluster.nodes[at(e.group)].server;
    adapters = 0;
    for (const NicSet& n : s.nics) adapters += n.count;
    if (s.ports[at(e.ports)].nics >= 0) m.adapter = first_adapter(s, e.ports);
    m.ports_each = std::max<std::int64_t>(1, s.ports[at(e.ports)].ports_each);
  }
  m.type = "HCA_mlx5_";
  append_int(m.type, adapters);
  return m;
}

void append_topo_member(const Cluster& cluster, const FabricBlock& block, const TopoMember& m, const TopoPeer& peer,
                        std::string& out) {
  out += m.speed;
  out += ' ';
  out += m.type;
  out += ' ';
  std::int64_t k = peer.port;
  if (block.what == FabricBlock::What::ends) {
    const EndPoints& e = cluster.networks[at(block.network)].ends[at(block.end)];
    k += e.first_port;
    if (e.group >= 0) {
      out += cluster.nodes[at(e.group)].names.name(peer.of);
    } else {
      append_printable(out, host_name_of("storage/" + cluster.storage[at(e.storage)].name + "/"));
      append_int(out, peer.of + 1);
    }
  }
  out += " mlx5_";
  append_int(out, m.adapter + k / m.ports_each);
  out += "/P";
  append_int(out, k % m.ports_each + 1);
}

}  // namespace

std::string render_topo(const Cluster& cluster, const Plan& plan, int fabric) {
  const Fabric& f = plan.fabrics[at(fabric)];
  if (!has_topo(cluster, plan, fabric)) return {};
  const TopoPeers peers(plan, fabric);
  std::vector<std::string> hosts(at(f.switch_count()));
  for (std::int64_t i = 0; i < f.switch_count(); ++i)
    hosts[at(i)] = plan.switch_host_name(fabric, plan.switch_ref(fabric, i));
  std::vector<std::string> types;
  for (const FabricTier& t : f.tiers) types.push_back(system_type(t.model));
  const BitsPerSecond port_rate = f.tiers[0].part ? f.tiers[0].part->port_rate.value_or(f.link_rate) : f.link_rate;
  const BitsPerSecond lane = port_rate / 4.0;
  const std::string between = link_speed(f.uplink_rate, lane);

  std::vector<TopoMember> members;
  for (const FabricBlock& block : f.blocks) members.push_back(topo_member(cluster, f, block, lane));

  std::string out = "# ";
  append_printable(out, *cluster.spec.name);
  out += ": planned cables of network ";
  out += f.name;
  out += '\n';
  for (std::size_t t = 0; t < f.tiers.size(); ++t)
    for (std::int64_t i = 0; i < f.tiers[t].count; ++i) {
      const SwitchRef sw{static_cast<int>(t), i};
      out += '\n';
      out += types[t];
      out += ' ';
      out += hosts[at(plan.switch_number(fabric, sw) - f.first_switch)];
      out += '\n';
      for (std::int64_t port = 1; port <= peers.ports_of(t); ++port) {
        const TopoPeer& peer = peers.peer(sw, port);
        if (peer.block == -2) continue;
        out += 'P';
        append_int(out, port);
        out += ' ';
        if (peer.block == -1) {
          const SwitchRef other = plan.switch_ref(fabric, peer.of);
          out += between;
          out += ' ';
          out += types[at(other.tier)];
          out += ' ';
          out += hosts[at(peer.of)];
          out += " P";
          append_int(out, peer.port);
        } else {
          append_topo_member(cluster, f.blocks[at(peer.block)], members[at(peer.block)], peer, out);
        }
        out += '\n';
      }
    }
  return out;
}

namespace {

// Inside the double quotes of DOT a backslash begins an escape (graphviz.org, The DOT Language). Names that `check`
// refuses stand here, too: a plan is made in spite of errors.
std::string in_quotes(std::string_view name) {
  std::string out;
  for (const char c : printable(name)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

bool has_dot(const Plan& plan, int fabric) { return !plan.fabrics[at(fabric)].tiers.empty(); }

std::string render_dot(const Cluster& cluster, const Plan& plan, int fabric) {
  const Fabric& f = plan.fabrics[at(fabric)];
  if (!has_dot(plan, fabric)) return {};
  std::string out = "graph \"";
  out += in_quotes(*cluster.spec.name + " " + f.name) +
         "\" {\n  rankdir=TB; ranksep=2; node [shape=box, fontname=\"sans-serif\"]; edge [fontsize=9];\n";
  std::vector<std::string> hosts(at(f.switch_count()));
  for (std::int64_t i = 0; i < f.switch_count(); ++i)
    hosts[at(i)] = in_quotes(plan.switch_host_name(fabric, plan.switch_ref(fabric, i)));
  for (std::size_t t = f.tiers.size(); t-- > 0;) {
    out += "  { rank=same;";
    for (std::int64_t i = 0; i < f.tiers[t].count; ++i) {
      out += " \"";
      out += hosts[at(plan.switch_number(fabric, {static_cast<int>(t), i}) - f.first_switch)];
      out += "\";";
    }
    out += " }\n";
  }
  // Links in the order of the plan; those between the same two, one after the other, become one edge with their number.
  PluggedLink last;
  std::int64_t count = 0;
  const auto flush = [&] {
    if (!count) return;
    out += "  \"";
    out += hosts[at(plan.switch_number(fabric, last.near) - f.first_switch)];
    out += "\" -- \"";
    out += last.far_fabric == fabric ? hosts[at(plan.switch_number(fabric, last.far) - f.first_switch)]
                                     : in_quotes(plan.switch_host_name(last.far_fabric, last.far));
    out += '"';
    if (count > 1) {
      out += " [label=\"";
      append_int(out, count);
      out += "\"]";
    }
    out += ";\n";
    count = 0;
  };
  const Links links(plan);
  const auto& groups = links.cage_groups();
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> ends(
      at(f.tiers[0].count));  // by leaf: groups of end points, and their links
  links.each(fabric, [&](const PluggedLink& l) {
    if (l.block >= 0) {
      auto& here = ends[at(l.far.index)];
      auto known = std::find_if(here.begin(), here.end(), [&](const auto& e) { return e.first == l.near_group; });
      if (known == here.end()) known = here.insert(known, {l.near_group, 0});
      ++known->second;
      return true;
    }
    const auto same = [](SwitchRef a, SwitchRef b) { return a.tier == b.tier && a.index == b.index; };
    if (count && (!same(l.near, last.near) || !same(l.far, last.far))) flush();
    last = l;
    ++count;
    return true;
  });
  flush();
  for (std::size_t leaf = 0; leaf < ends.size(); ++leaf) {  // tier 0 comes first: hosts[leaf] is its name
    std::ranges::sort(ends[leaf]);
    for (const auto& [group, n] : ends[leaf]) {
      const std::string &host = hosts[leaf], who = in_quotes(groups[at(group)].who);
      out += "  \"";
      for (const std::string_view part :
           {std::string_view(host), std::string_view(" "), std::string_view(who), std::string_view("\" [label=\""),
            std::string_view(who), std::string_view("\", shape=ellipse];\n  \""), std::string_view(host),
            std::string_view("\" -- \""), std::string_view(host), std::string_view(" "), std::string_view(who),
            std::string_view("\" [label=\"")})
        out += part;
      append_int(out, n);
      out += "\"];\n";
    }
  }
  return out + "}\n";
}

}  // namespace clusterc
