// config_db.json of a switch: all that SONiC is to be but its routing, which is FRR's own (frr.cc).
//
// What stands in it, and what it leaves to SONiC:
//   type           leaves and single switches are ToRRouter, what is above them LeafRouter: SONiC has templates of
//                  buffers for these two (buffers_defaults_t0, _t1 of a hardware SKU), and none for SpineRouter on most
//   routing        split-unified: /etc/sonic/frr/frr.conf is the administrator's (sonic-yang-models, device_metadata)
//   ports          every cage, used or not: SONiC removes ports that are not in the table. Ports of the management
//                  processor's kind (SFP beside the cages) are not in the plan and not in the table
//   FEC            rs from 100 Gb/s on (IEEE 802.3 clauses 91, 119 and 161); slower ports keep SONiC's choice
//   MTU            that of the networks on the port, in bytes of the IP packet; else SONiC's own 9100
//                  (sonic-swss, cfgmgr/portmgr.h). SONiC adds the frame's header itself
//   lossless class src/compile/sonic/qos.h, as `roce:` has it on the nodes
//   buffers        none: pools and profiles belong to the chip, and SONiC's templates have them (`config qos reload`).
//                  CABLE_LENGTH is ours: the headroom that keeps a paused link lossless follows from it and the rate.
//                  Where buffers are looked up in a table (all but the dynamic model of NVIDIA), only the lengths of
//                  that table work (sonic-swss, cfgmgr/buffermgr.cpp), so the next longer one of them is written
//   access         SSH and SNMP from the management subnet alone, nothing else but BGP (write_access)
//   secrets        none
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/ip.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "compile/extra_yaml.h"
#include "compile/sonic/qos.h"
#include "compile/sonic/sonic.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::int64_t kDefaultMtu = 9100;     // sonic-swss, cfgmgr/portmgr.h
constexpr std::size_t kMostDescription = 255;  // sonic-port.yang, description
constexpr double kFecFrom = 100e9;             // bit/s
constexpr std::string_view kAccessList = "MANAGEMENT";

std::string number(std::int64_t n) { return std::to_string(n); }
std::int64_t mbps(BitsPerSecond r) { return std::llround(r.value / 1e6); }

// A port of the table: of a cage with a cable, or of one without.
struct Row {
  SonicPort port;
  const SwitchPort* used = nullptr;
  BitsPerSecond rate;
  std::int64_t way = 0, ways = 1;
};

std::vector<Row> rows_of(const ConfiguredSwitch& s, const SonicPortMap& map) {
  std::vector<Row> out;
  std::size_t next = 0;
  for (std::int64_t cage = 1; cage <= map.cages(); ++cage) {
    const std::size_t first = next;
    while (next < s.ports.size() && s.ports[next].cage == cage) ++next;
    const std::int64_t ways = next > first ? s.ports[first].ways : map.ways(cage);
    const BitsPerSecond rate = next > first ? s.ports[first].rate : map.rate(cage);
    for (std::int64_t way = 0; way < ways; ++way) {
      const auto of = std::find_if(s.ports.begin() + static_cast<std::ptrdiff_t>(first),
                                   s.ports.begin() + static_cast<std::ptrdiff_t>(next),
                                   [&](const SwitchPort& p) { return p.way == way; });
      auto port = map.port(cage, ways, way, rate);
      if (!port) continue;  // SonicChecks says so
      out.push_back({std::move(*port), of == s.ports.begin() + static_cast<std::ptrdiff_t>(next) ? nullptr : &*of, rate,
                     way, ways});
    }
  }
  return out;
}

void write_metadata(JsonWriter& j, const ConfiguredSwitch& s) {
  j.object("DEVICE_METADATA").object("localhost");
  j.field("hostname", s.host)
      .field("hwsku", one_line(*s.part->sonic->hwsku))
      .field("platform", one_line(*s.part->sonic->platform));
  j.field("type", s.ref.tier == 0 ? "ToRRouter" : "LeafRouter");
  if (s.routed) {
    j.field("bgp_asn", number(s.asn)).field("bgp_router_id", ipv4_text(s.loopback));
    j.field("docker_routing_config_mode", "split-unified").field("default_bgp_status", "up");
  }
  j.end_object().end_object();
}

void write_management(JsonWriter& j, const ConfiguredSwitch& s) {
  j.object("MGMT_PORT").object("eth0", Layout::line).field("alias", "eth0").field("admin_status", "up");
  j.end_object().end_object();
  // SONiC has no management address without a gateway (sonic-mgmt_interface.yang; files/image_config/interfaces).
  if (has_management_address(s)) {
    j.object("MGMT_INTERFACE");
    j.object("eth0|" + ipv4_text(s.management) + "/" + number(s.reached->subnet->length), Layout::line);
    j.field("gwaddr", ipv4_text(s.reached->gateway)).end_object().end_object();
  }
  const SwitchManagement& m = *s.reached;
  if (!m.time_servers.empty()) {
    j.object("NTP_SERVER");
    for (const std::string& t : std::set<std::string>(m.time_servers.begin(), m.time_servers.end()))
      j.object(one_line(t), Layout::line).field("association_type", "server").field("iburst", "on").end_object();
    j.end_object();
  }
  if (!m.name_servers.empty()) {
    j.object("DNS_NAMESERVER");
    for (const std::string& n : std::set<std::string>(m.name_servers.begin(), m.name_servers.end()))
      j.object(n, Layout::line).end_object();
    j.end_object();
  }
  j.object("FEATURE").object("lldp", Layout::line).field("state", "enabled").end_object().end_object();
}

// caclmgrd (sonic-host-services, scripts/caclmgrd) makes iptables of tables of the type CTRLPLANE: first what belongs
// to open connections, ICMP, DHCP and BGP, then the rules by falling PRIORITY, and as soon as there is one rule, last a
// DROP of all that is left, of IPv6 as well. So this one rule closes everything but BGP to who is not in the subnet.
void write_access(JsonWriter& j, const ConfiguredSwitch& s) {
  if (!s.reached->subnet) return;
  j.object("ACL_TABLE").object(kAccessList).field("policy_desc", "SSH and SNMP from the management network alone");
  j.field("type", "CTRLPLANE").field("stage", "ingress").array("services", Layout::line).value("SNMP").value("SSH");
  j.end_array().end_object().end_object();
  j.object("ACL_RULE").object(format("{}|RULE_1", kAccessList), Layout::line).field("PRIORITY", "9999");
  j.field("PACKET_ACTION", "ACCEPT").field("SRC_IP", s.reached->subnet->text()).end_object().end_object();
}

void write_ports(JsonWriter& j, const SonicPortMap& map, const std::vector<Row>& rows) {
  j.object("PORT");
  for (const Row& r : rows) {
    j.object(r.port.name, Layout::line);
    j.field("alias", one_line(r.port.alias)).field("lanes", r.port.lanes).field("index", number(r.port.index));
    j.field("speed", number(mbps(r.rate)));
    j.field("mtu", number(r.used && r.used->mtu > 0 ? r.used->mtu : kDefaultMtu));
    if (r.rate.value >= kFecFrom) j.field("fec", "rs");
    if (r.ways > 1) j.field("subport", number(r.way + 1));
    j.field("admin_status", r.used ? "up" : "down");
    if (r.used) j.field("description", port_description(*r.used, kMostDescription));
    j.end_object();
  }
  j.end_object();
  bool any = false;
  for (const Row& r : rows) {
    const SonicMode* mode = r.way == 0 ? map.mode(r.port.index, r.ways, r.rate) : nullptr;
    if (!mode) continue;
    if (!any) j.object("BREAKOUT_CFG"), any = true;
    j.object(r.port.name, Layout::line).field("brkout_mode", one_line(mode->text)).end_object();
  }
  if (any) j.end_object();
}

void write_routed(JsonWriter& j, const ConfiguredSwitch& s, const std::vector<Row>& rows) {
  j.object("LOOPBACK_INTERFACE").object("Loopback0", Layout::line).end_object();
  j.object("Loopback0|" + ipv4_text(s.loopback) + "/32", Layout::line).end_object().end_object();
  j.object("INTERFACE");
  for (const Row& r : rows) {
    if (!r.used) continue;
    if (r.used->kind == SwitchPort::Far::switch_) {
      j.object(r.port.name, Layout::line).field("ipv6_use_link_local_only", "enable").end_object();
    } else if (r.used->address) {
      j.object(r.port.name, Layout::line).end_object();
      j.object(r.port.name + "|" + ipv4_text(r.used->address) + "/31", Layout::line).end_object();
    }
  }
  j.end_object();
}

void write_flat(JsonWriter& j, const ConfiguredSwitch& s, const std::vector<Row>& rows) {
  const FlatVlans vlans = flat_vlans(s.ports);
  if (vlans.numbers.empty()) return;
  const auto name = [](std::int64_t n) { return "Vlan" + number(n); };
  j.object("VLAN");
  for (const std::int64_t n : vlans.numbers) j.object(name(n), Layout::line).field("vlanid", number(n)).end_object();
  j.end_object().object("VLAN_MEMBER");
  for (const Row& r : rows) {
    if (!r.used || r.used->kind == SwitchPort::Far::equipment) continue;
    const std::int64_t untagged = vlans.untagged(*r.used);
    j.object(name(untagged) + "|" + r.port.name, Layout::line).field("tagging_mode", "untagged").end_object();
    for (const std::int64_t n : r.used->tagged)
      if (n != untagged)
        j.object(name(n) + "|" + r.port.name, Layout::line).field("tagging_mode", "tagged").end_object();
  }
  j.end_object();
}

void write_far_ends(JsonWriter& j, const ConfiguredSwitch& s, bool lossless, const std::vector<Row>& rows) {
  j.object("DEVICE_NEIGHBOR");
  for (const Row& r : rows) {
    if (!r.used) continue;
    j.object(r.port.name, Layout::line).field("name", one_line(r.used->far_host));
    const std::string& port = r.used->far_front.empty() ? r.used->far_port : r.used->far_front;
    if (!port.empty()) j.field("port", one_line(port));
    j.end_object();
  }
  j.end_object();
  if (!lossless) return;
  const std::vector<std::int64_t> steps =
      s.part->sonic->lossless_lengths
          ? numbers_in_steps(*s.part->sonic->lossless_lengths).value_or(std::vector<std::int64_t>{})
          : std::vector<std::int64_t>{};
  j.object("CABLE_LENGTH").object("AZURE");  // the one name that SONiC's own commands and templates look for
  for (const Row& r : rows) {
    if (!r.used || r.used->length.value <= 0) continue;
    std::int64_t length = static_cast<std::int64_t>(std::ceil(r.used->length.value));
    const auto step = std::find_if(steps.begin(), steps.end(), [&](std::int64_t n) { return n >= length; });
    if (step != steps.end()) length = *step;
    j.field(r.port.name, number(length) + "m");
  }
  j.end_object().end_object();
}

SwitchQos qos_of(const ConfiguredSwitch& s, const std::vector<SwitchClass>& classes, const std::vector<Row>& rows) {
  SwitchQos q;
  q.classes = classes;
  for (const Row& r : rows)
    if (r.used) q.ports.push_back(r.port.name);
  q.all_ports = static_cast<std::int64_t>(rows.size());
  const std::string& platform = *s.part->sonic->platform;
  q.maps_pause_to_group = platform.find("-mlnx_") != platform.npos || platform.find("-nvidia_") != platform.npos;
  return q;
}

void write_extra(JsonWriter& j, const SonicTable& table) {
  j.object(one_line(table.name));
  for (const SonicTable::Row& row : table.rows) {
    j.object(one_line(row.key));
    for (const SonicTable::Field& f : row.fields) {
      if (!f.list) {
        j.field(one_line(f.name), one_line(f.values.front()));
        continue;
      }
      j.array(one_line(f.name), Layout::line);
      for (const std::string& v : f.values) j.value(one_line(v));
      j.end_array();
    }
    j.end_object();
  }
  j.end_object();
}

// {row: {field: text or [texts]}}, nothing else.
Refusal read_table(const Document& d, NodeId value, std::string_view name, SonicTable& out) {
  constexpr std::string_view kForm = "a table has rows, a row has fields, and a field is a text or a list of texts";
  out.name = std::string(name);
  if (!d.is_mapping(value)) return {std::string(kForm)};
  for (std::size_t r = 0; r < d.size(value); ++r) {
    SonicTable::Row& row = out.rows.emplace_back();
    row.key = std::string(d.scalar(d.key(value, r)));
    const NodeId fields = d.value(value, r);
    if (!d.is_mapping(fields)) return {std::string(kForm)};
    for (std::size_t f = 0; f < d.size(fields); ++f) {
      SonicTable::Field& field = row.fields.emplace_back();
      field.name = std::string(d.scalar(d.key(fields, f)));
      const NodeId v = d.value(fields, f);
      field.list = d.is_sequence(v);
      if (!field.list && !d.is_scalar(v)) return {std::string(kForm)};
      if (!field.list) field.values.emplace_back(d.scalar(v));
      for (std::size_t i = 0; field.list && i < d.size(v); ++i) {
        if (!d.is_scalar(d.item(v, i))) return {std::string(kForm)};
        field.values.emplace_back(d.scalar(d.item(v, i)));
      }
    }
  }
  return {};
}

}  // namespace

bool has_management_address(const ConfiguredSwitch& s) {
  return s.management && s.reached->gateway && s.reached->subnet;
}

namespace {

bool has_table(const std::vector<SonicTable>& tables, std::string_view name) {
  return std::any_of(tables.begin(), tables.end(), [&](const SonicTable& t) { return t.name == name; });
}

// Tables that follow from the spec, of any switch: those that none has may be extra lines. Not WRED_PROFILE, whose
// figures are SONiC's defaults, nor ACL_TABLE and ACL_RULE: more networks than one may have administrators.
std::vector<std::string_view> tables_of_spec(const CompileInput& in) {
  std::vector<std::string_view> out{"DEVICE_METADATA", "MGMT_PORT",       "MGMT_INTERFACE", "FEATURE", "PORT",
                                    "BREAKOUT_CFG",    "DEVICE_NEIGHBOR", "CABLE_LENGTH"};
  bool routed = false, flat = false, classes = false, times = false, names = false;
  for (const ConfiguredFabric& f : configured_fabrics(in.system)) {
    (f.routed ? routed : flat) = true;
    classes |= !switch_classes(in.cluster, f.fabric).empty();
    const SwitchManagement m = management_of(in.system, f.fabric);
    times |= !m.time_servers.empty(), names |= !m.name_servers.empty();
  }
  const auto add = [&](bool where, std::initializer_list<std::string_view> tables) {
    if (where) out.insert(out.end(), tables);
  };
  add(times, {"NTP_SERVER"});
  add(names, {"DNS_NAMESERVER"});
  add(routed, {"LOOPBACK_INTERFACE", "INTERFACE"});
  add(flat, {"VLAN", "VLAN_MEMBER"});
  add(classes, {"DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
                "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "SCHEDULER", "QUEUE", "PFC_WD"});
  return out;
}

}  // namespace

bool has_own_access(const std::vector<SonicTable>& extra) {
  return has_table(extra, "ACL_TABLE") || has_table(extra, "ACL_RULE");
}

std::vector<SonicTable> sonic_tables(const CompileInput& in, Findings& findings) {
  std::vector<SonicTable> out;
  yaml_entries(in, kConfigFile, tables_of_spec(in), "`SYSLOG_SERVER: { 10.0.0.5: { severity: notice } }`", findings,
               [&](const Document& d, NodeId value, std::string_view key) {
                 SonicTable table;
                 Refusal r = read_table(d, value, key, table);
                 const auto has_ours = [&] {
                   return std::any_of(table.rows.begin(), table.rows.end(),
                                      [](const SonicTable::Row& row) { return row.key == kQosMap; });
                 };
                 if (r.why.empty() && key == "WRED_PROFILE" && !has_ours())
                   r.why = "the queues use the profile ROCE, which is not among these";
                 if (r.why.empty()) out.push_back(std::move(table));
                 return r;
               });
  return out;
}

void write_config_db(const ConfiguredSwitch& s, const SonicPortMap& map, const std::vector<SwitchClass>& classes,
                     const std::vector<SonicTable>& extra, std::string_view folder, Bundle& bundle) {
  const std::vector<Row> rows = rows_of(s, map);
  bundle.open(std::string(folder) + std::string(kConfigFile), "sonic");
  JsonWriter j(bundle.text(), JsonStyle{.indent = 1});
  j.begin_object();
  write_metadata(j, s);
  write_management(j, s);
  if (!has_own_access(extra)) write_access(j, s);
  write_ports(j, map, rows);
  if (s.routed)
    write_routed(j, s, rows);
  else
    write_flat(j, s, rows);
  write_far_ends(j, s, !classes.empty(), rows);
  SwitchQos q = qos_of(s, classes, rows);
  q.own_profile = !has_table(extra, "WRED_PROFILE");
  write_qos(j, q);
  for (const SonicTable& table : extra) write_extra(j, table);
  j.end_object();
  bundle.text() += '\n';
  bundle.close();
}

void write_neighbours(const ConfiguredSwitch& s, std::string_view folder, Bundle& bundle) {
  bundle.open(std::string(folder) + "neighbours.csv", "sonic");
  CsvWriter w(bundle.text());
  w.row({"port", "kind", "neighbour", "neighbour_port", "cable"});
  for (const SwitchPort& p : s.ports) {
    const bool is_switch = p.kind == SwitchPort::Far::switch_;
    w.row({switch_port_name(SwitchOs::sonic, p),
           is_switch                           ? "switch"
           : p.kind == SwitchPort::Far::member ? "node"
                                               : "equipment",
           one_line(p.far_host), one_line(p.far_front.empty() ? p.far_port : p.far_front), one_line(p.cable)});
  }
  bundle.close();
}

}  // namespace clusterc
