#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "catalog/netbox.h"
#include "catalog/netbox_plugs.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// The facts of a part in the order in which they were found, and what the importer left out.
class PartWriter {
 public:
  PartWriter(std::string& out, std::string_view kind, std::string_view id, std::string_view origin,
             std::string_view url, std::string_view note, std::string_view name)
      : yaml_(out) {
    yaml_.begin_map().field("part", kind).field("id", id).map("sources").field("netbox", origin);
    if (!url.empty()) yaml_.field("check_at", url);
    yaml_.end_map();
    if (!note.empty()) yaml_.field("note", note);
    yaml_.map("facts").field("name", name);
  }
  void fact(std::string_view key, const WriterValue& value, std::string_view unit = {}) {
    yaml_.key(key);
    body(value, unit);
  }
  void body(const WriterValue& value, std::string_view unit = {}) {
    yaml_.begin_map().field("value", value);
    if (!unit.empty()) yaml_.field("unit", unit);
    yaml_.field("source", "netbox").field("confirmed", false).end_map();
  }
  YamlWriter& yaml() { return yaml_; }
  void end() { yaml_.end_map().end_map(); }

 private:
  YamlWriter yaml_;
};

double rounded(double value) { return std::round(value * 100) / 100; }

// "800gbase-x-osfp": 800 Gb/s, osfp. A type without a rate is no network port.
struct PortType {
  double gigabits = 0;
  std::string cage;
  bool infiniband = false;
  auto key() const { return std::tie(gigabits, cage, infiniband); }
};
std::optional<PortType> port_type(std::string_view type) {
  // InfiniBand Trade Association, roadmap: four lanes.
  static constexpr std::pair<std::string_view, double> kInfiniband[] = {{"sdr", 10},   {"ddr", 20},  {"qdr", 40},
                                                                        {"fdr10", 40}, {"fdr", 56},  {"edr", 100},
                                                                        {"hdr", 200},  {"ndr", 400}, {"xdr", 800}};
  if (type.starts_with("infiniband-")) {
    for (const auto& [name, rate] : kInfiniband)
      if (type.substr(11) == name) return PortType{rate, "", true};
    return std::nullopt;
  }
  const std::size_t base = type.find("base-");
  if (base == type.npos || base == 0) return std::nullopt;
  std::string_view digits = type.substr(0, base);
  const bool giga = digits.ends_with('g');
  if (giga) digits.remove_suffix(1);
  double rate = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), rate);
  if (failed != std::errc() || end != digits.data() + digits.size() || rate <= 0) return std::nullopt;
  PortType out{giga ? rate : rate / 1000, "", false};
  const std::string_view cage = type.substr(base + 5);
  if (cage == "t" || cage == "tx" || cage == "t1")
    out.cage = "rj45";
  else if (cage == "x-osfp-rhs")
    out.cage = "osfp-flat";
  else if (cage == "x-sfpp")
    out.cage = "sfp+";
  else if (cage == "x-qsfpp")
    out.cage = "qsfp+";
  else if (cage == "x-qsfpdd")
    out.cage = "qsfp-dd";
  else if (cage == "x-sfpdd")
    out.cage = "sfp-dd";
  else if (cage.starts_with("x-"))
    out.cage = cage.substr(2);
  return out;
}

struct PortSet {
  PortType type;
  std::int64_t count = 0;
};
std::vector<PortSet> port_sets(const NetboxType& t) {  // the largest first; of equal ones the fastest
  std::vector<PortSet> out;
  for (const NetboxItem& port : t.interfaces) {
    const auto type = port.management ? std::nullopt : port_type(port.type);
    if (!type) continue;
    const auto known = std::ranges::find_if(out, [&](const PortSet& s) { return s.type.key() == type->key(); });
    if (known != out.end())
      ++known->count;
    else
      out.push_back({*type, 1});
  }
  std::ranges::stable_sort(out, [](const PortSet& a, const PortSet& b) {
    return std::pair(a.count, a.type.gigabits) > std::pair(b.count, b.type.gigabits);
  });
  return out;
}
std::string described(const PortSet& s) {
  return format("{} x {:.4g} Gb/s {}", s.count, s.type.gigabits, s.type.infiniband ? "InfiniBand" : s.type.cage);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view w) { return text.find(w) != text.npos; });
}

// How many bays begin with one of the words.
std::int64_t bays(const NetboxType& t, std::initializer_list<std::string_view> words) {
  return std::ranges::count_if(t.module_bays, [&](const NetboxItem& bay) {
    const std::string name = to_lower(bay.name);
    return std::ranges::any_of(words, [&](std::string_view w) { return name.starts_with(w); });
  });
}
std::int64_t gpu_bays(const NetboxType& t) { return bays(t, {"gpu", "sxm", "oam"}); }

bool has_bmc(const NetboxType& t) {
  return std::ranges::any_of(t.interfaces, [](const NetboxItem& port) {
    return has_any(to_lower(port.name), {"bmc", "idrac", "xcc", "ilo", "ipmi", "imm", "cimc", "ikvm"});
  });
}

// A battery pack has outlets of direct current only, and is no UPS.
bool is_ups(const NetboxType& t) {
  const std::string words = to_lower(t.words());
  const auto letter = [&](std::size_t at) { return at < words.size() && words[at] >= 'a' && words[at] <= 'z'; };
  for (std::size_t at = words.find("ups"); at != words.npos; at = words.find("ups", at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + 3))
      return std::ranges::any_of(t.outlets, [](const NetboxItem& o) { return o.type != "dc-terminal"; });
  return false;
}

std::optional<PartKind> kind_of(const NetboxType& t) {
  if (t.form == NetboxType::Form::rack) return PartKind::rack;
  const auto sets = port_sets(t);
  if (t.form == NetboxType::Form::module)
    return sets.empty() || !t.power_ports.empty() ? std::nullopt : std::optional(PartKind::nic);
  if (!t.outlets.empty()) {
    if (is_ups(t)) return PartKind::ups;
    return t.power_ports.size() == 1 && !has_any(t.words(), {"ATS", "Transfer Switch"}) ? std::optional(PartKind::pdu)
                                                                                        : std::nullopt;
  }
  if (!t.units || *t.units < 1) return std::nullopt;  // a child, or what hangs beside a rack
  if (has_bmc(t) || gpu_bays(t) > 0 || bays(t, {"cpu", "memory", "dimm"}) > 0) {
    const bool shell = t.role && *t.role == "parent" && !t.device_bays.empty();
    return shell ? std::nullopt : std::optional(PartKind::server);
  }
  if (!sets.empty() && sets.front().count >= 8) return PartKind::switch_;
  // A server whose file has no management port: boards and slots, and few ports.
  if (bays(t, {"pci", "riser", "numa", "front pci", "ocp"}) > 0 ||
      (!sets.empty() && supply_bays(t) + t.power_ports.size() > 0 &&
       bays(t, {"linecard", "fabric", "supervisor", "slot"}) == 0))
    return PartKind::server;
  return std::nullopt;
}

// One model is sold with fans of either direction, a file each: the part has no direction, nor has its name. How many
// letters at the end say it.
std::size_t airflow_ending(const NetboxType& t, std::string_view name) {
  if (!t.airflow || (*t.airflow != "front-to-rear" && *t.airflow != "rear-to-front")) return 0;
  const std::string word = to_lower(name);
  for (const std::string_view way : {"-f", "-r", "-afi", "-afo", "-afi2", "-afo2"})
    if (word.ends_with(way)) return way.size();
  return 0;
}

std::string id_of(const NetboxType& t) {
  std::string id;
  for (const char c : to_lower(t.slug.empty() ? t.maker + "-" + t.model : t.slug)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      id += c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  id.resize(id.size() - airflow_ending(t, id));
  return id.empty() ? "netbox-part" : id;
}

std::string first_address(std::string_view text) {
  const std::size_t at = text.find("http");
  if (at == text.npos) return {};
  std::size_t end = at;
  while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' && text[end] != ')' && text[end] != '\'' &&
         text[end] != '"' && text[end] != '>' && text[end] != ']')
    ++end;
  return std::string(text.substr(at, end - at));
}

// What the file says and the part has no place for.
std::string dropped(const NetboxType& t, PartKind kind) {
  std::vector<std::string> out;
  if (t.airflow && kind != PartKind::pdu) out.push_back("airflow " + one_line(*t.airflow));
  if (t.power_ports.size() > 1) {
    std::string draws;
    for (const NetboxItem& p : t.power_ports)
      if (p.draw) draws += (draws.empty() ? "" : ", ") + format("{:.6g}", *p.draw);
    if (!draws.empty())
      out.push_back("draws of the power ports in W: " + draws + " (rating, share or whole: not known)");
  }
  if (kind == PartKind::switch_) {
    const auto sets = port_sets(t);
    for (std::size_t i = 1; i < sets.size(); ++i)
      if (sets[i].type.gigabits <= sets[0].type.gigabits) out.push_back("ports " + described(sets[i]));
  }
  if (kind == PartKind::pdu || kind == PartKind::ups) {
    std::map<std::string, int> others;
    std::map<std::string, int> legs;
    for (const NetboxItem& o : t.outlets) {
      if (o.type != "iec-60320-c13" && o.type != "iec-60320-c19" && o.type != "hdot-cx" && o.type != "eaton-c39")
        ++others[o.type];
      if (!o.leg.empty()) ++legs[o.leg];
    }
    for (const auto& [type, count] : others) out.push_back(format("{} outlets {}", count, one_line(type)));
    std::string by_leg;
    for (const auto& [leg, count] : legs) by_leg += format("{}{} {}", by_leg.empty() ? "" : ", ", one_line(leg), count);
    if (!by_leg.empty()) out.push_back("outlets by leg: " + by_leg);
  }
  if (t.maximum_load) out.push_back(format("max_weight {:.6g} kg (standing or rolling: not known)", *t.maximum_load));
  if (t.units && *t.units != std::floor(*t.units)) out.push_back(format("height of {:.3g}U", *t.units));
  return out.empty() ? std::string() : "left out: " + join(out, "; ");
}

void write_size(PartWriter& w, const NetboxType& t) {
  if (t.units && *t.units >= 1 && *t.units <= 60 && *t.units == std::floor(*t.units))
    w.fact("units", static_cast<std::int64_t>(*t.units));
  if (t.weight && *t.weight > 0) w.fact("weight", rounded(*t.weight), "kg");
}

void write_power(PartWriter& w, const NetboxType& t) {
  if (t.power_ports.size() != 1 || !t.power_ports[0].draw || *t.power_ports[0].draw <= 0) return;
  const NetboxPlug* plug = find_plug(t.power_ports[0].type);
  const auto most = plug ? plug_power(*plug) : std::nullopt;
  if (!most || *t.power_ports[0].draw <= *most) w.fact("power", rounded(*t.power_ports[0].draw), "W");
}

std::string inlet_of(std::string_view type) {
  return type == "iec-60320-c14" ? "c14" : type == "iec-60320-c20" ? "c20" : std::string();
}

void write_supplies(PartWriter& w, const NetboxType& t, const std::optional<NetboxSupply>& supply) {
  const std::size_t ports = t.power_ports.size(), count = ports > 0 ? ports : supply_bays(t);
  if (count == 0 || count > 64) return;
  std::string inlet;
  if (ports > 0 && std::ranges::all_of(t.power_ports, [&](const auto& p) { return p.type == t.power_ports[0].type; }))
    inlet = inlet_of(t.power_ports[0].type);
  if (inlet.empty() && ports == 0 && supply) inlet = supply->inlet;
  w.yaml().map("psus");
  w.fact("count", static_cast<std::int64_t>(count));
  if (supply && supply->power) w.fact("power", rounded(*supply->power), "W");
  if (!inlet.empty()) w.fact("inlet", inlet);
  w.yaml().end_map();
}

void write_switch(PartWriter& w, const NetboxType& t, const std::optional<NetboxSupply>& supply) {
  const auto sets = port_sets(t);
  const PortSet& main = sets.front();
  w.yaml().field("link", main.type.infiniband ? "infiniband" : "ethernet");
  w.fact("ports", main.count);
  w.fact("port_rate", main.type.gigabits, "Gb/s");
  const PortSet* up = nullptr;
  for (const PortSet& s : sets)
    if (s.type.gigabits > main.type.gigabits && (!up || s.count > up->count)) up = &s;
  if (up && up->count <= 256) {
    w.fact("uplinks", up->count);
    w.fact("uplink_rate", up->type.gigabits, "Gb/s");
    if (!up->type.cage.empty()) w.fact("uplink_connector", up->type.cage);
  }
  if (!main.type.cage.empty()) w.fact("connector", main.type.cage);
  write_size(w, t);
  write_power(w, t);
  write_supplies(w, t, supply);
}

void write_server(PartWriter& w, const NetboxType& t, const std::optional<NetboxSupply>& supply) {
  write_size(w, t);
  write_power(w, t);
  const auto count = [&](std::string_view key, std::int64_t n, std::int64_t most) {
    if (n > 0 && n <= most) w.fact(key, n);
  };
  count("gpu_slots", gpu_bays(t), 64);
  count("pcie_slots", bays(t, {"pcie", "pci-e"}), 64);
  count("drive_bays", bays(t, {"drive", "nvme", "sata", "disk"}), 256);
  count("dimm_slots", bays(t, {"memory", "dimm"}), 256);
  for (const std::string_view generation : {"5", "4", "3"})
    if (std::ranges::any_of(t.module_bays, [&](const NetboxItem& bay) {
          return has_any(to_lower(bay.name), {format("pcie {}.0", generation), format("pci-e {}.0", generation),
                                              format("pcie-gen{}", generation)});
        })) {
      w.fact("pcie_generation", static_cast<std::int64_t>(generation[0] - '0'));
      break;
    }
  if (has_bmc(t)) w.yaml().field("bmc", true);
  write_supplies(w, t, supply);
}

void write_outlets(PartWriter& w, const NetboxType& t) {
  std::int64_t c13 = 0, c19 = 0, either = 0;
  for (const NetboxItem& o : t.outlets) {
    c13 += o.type == "iec-60320-c13";
    c19 += o.type == "iec-60320-c19";
    either += o.type == "hdot-cx" || o.type == "eaton-c39";
  }
  if (c13 + c19 + either == 0) return;
  w.yaml().list("outlets");
  for (const auto& [kind, n] :
       {std::pair<std::string_view, std::int64_t>{"c13", c13}, {"c19", c19}, {"c13-c19", either}}) {
    if (n == 0 || n > 256) continue;
    w.yaml().begin_map().field("kind", kind).key("count");
    w.body(n);
    w.yaml().end_map();
  }
  w.yaml().end_list();
}

void write_pdu(PartWriter& w, const NetboxType& t) {
  const std::string& type = t.power_ports[0].type;
  if (const NetboxPlug* plug = find_plug(type)) {
    const bool wrong = plug_contradiction(t).has_value();  // then its poles may be right, its voltage is not
    if (!plug->region.empty() && !wrong) w.yaml().field("region", plug->region);
    w.fact("phases", static_cast<std::int64_t>(plug->phases));
    if (plug->nominal > 0 && !wrong) w.fact("voltage", plug->nominal, "V");
    if (plug->amperes > 0 && !type.starts_with("iec-60320")) w.fact("breaker", plug->amperes, "A");
  }
  write_outlets(w, t);
  if (!type.empty()) w.fact("inlet", type);
}

void write_ups(PartWriter& w, const NetboxType& t) {
  write_size(w, t);
  write_outlets(w, t);
  if (t.power_ports.size() >= 1 && !t.power_ports[0].type.empty()) w.fact("inlet", t.power_ports[0].type);
}

void write_nic(PartWriter& w, const NetboxType& t) {
  const auto sets = port_sets(t);
  const PortSet& main = sets.front();
  const std::string_view link[] = {main.type.infiniband ? "infiniband" : "ethernet"};
  w.yaml().key("links").flow({link[0]});
  if (main.count <= 64) w.fact("ports", main.count);
  w.fact("port_rate", main.type.gigabits, "Gb/s");
  if (!main.type.cage.empty()) w.fact("connector", main.type.cage);
}

void write_rack(PartWriter& w, const NetboxType& t) {
  if (t.units && *t.units >= 1 && *t.units <= 60 && *t.units == std::floor(*t.units))
    w.fact("units", static_cast<std::int64_t>(*t.units));
  const auto length = [&](std::string_view key, const NetboxField<double>& v) {
    if (v && *v > 0) w.fact(key, rounded(*v), "mm");
  };
  length("width", t.outer_width);
  length("depth", t.outer_depth);
  length("height", t.outer_height);
  if (!t.mounting_depth || !t.outer_depth || *t.mounting_depth >= 0.4 * *t.outer_depth)
    length("mounting_depth", t.mounting_depth);
  if (t.weight && *t.weight > 0) w.fact("weight", rounded(*t.weight), "kg");
}

// What rules need of a part of the kind and no file of NetBox has, and what this one lacks.
std::vector<std::string> unknown_facts(const NetboxPart& part) {
  std::vector<std::string_view> wanted;
  switch (part.kind) {
    case PartKind::server:
      wanted = {"power", "power_idle", "airflow", "depth", "weight", "inlet_max", "sockets", "psus", "psus.spare"};
      break;
    case PartKind::switch_:
      wanted = {"power", "depth", "weight", "connector", "breakout", "psus", "psus.spare"};
      break;
    case PartKind::pdu:
      wanted = {"phases", "voltage", "breaker", "continuous", "apparent", "banks", "bank_breaker", "outlets"};
      break;
    case PartKind::ups:
      wanted = {"power", "apparent", "efficiency", "voltage", "weight", "outlets"};
      break;
    case PartKind::nic:
      wanted = {"pcie_generation", "pcie_lanes", "power", "card"};
      break;
    case PartKind::rack:
      wanted = {"width", "depth", "height", "static_load", "dynamic_load"};
      break;
    default:
      break;
  }
  std::vector<std::string> out;
  for (const std::string_view key : wanted)  // facts are two blanks deep
    if (key == "psus.spare" || part.text.find(format("\n  {}:", key)) == std::string::npos) out.emplace_back(key);
  return out;
}

std::string why_no_part(const NetboxType& t) {
  if (t.form == NetboxType::Form::module)
    return supply_of(t) ? "a power supply belongs to a server or switch: import that, and name the file of the supply "
                          "with --supply"
                        : "it is a module without network ports";
  if (!t.outlets.empty())
    return t.power_ports.size() > 1 ? "it has outlets and two inlets: transfer switches are not a kind of part"
                                    : "it has outlets, but no inlet";
  if (!t.units || *t.units < 1) return "it is a device of 0U without outlets";
  return "the kind of device is not clear: it has no outlets (PDU), too few network ports (switch), and neither a "
         "management port nor slots (server)";
}

}  // namespace

std::optional<NetboxSupply> supply_of(const NetboxType& t) {
  if (t.form != NetboxType::Form::module || t.power_ports.size() != 1 || !t.interfaces.empty()) return std::nullopt;
  return NetboxSupply{t.maker + " " + t.model, inlet_of(t.power_ports[0].type), t.power_ports[0].draw};
}

std::optional<NetboxPart> part_of(const NetboxType& t, std::string_view origin,
                                  const std::optional<NetboxSupply>& supply, Findings& findings) {
  const auto kind = kind_of(t);
  if (!kind) {
    findings.note("netbox-no-part", t.at, format("no part is made from '{}': {}", one_line(t.model), why_no_part(t)));
    return std::nullopt;
  }
  NetboxPart part;
  part.kind = *kind;
  part.id = id_of(t);
  std::string name = t.model.starts_with(t.maker) ? t.model : t.maker + " " + t.model;
  name.resize(name.size() - airflow_ending(t, name));
  PartWriter w(part.text, part_kind_name(*kind), part.id, origin, first_address(t.comments), dropped(t, *kind), name);
  switch (*kind) {
    case PartKind::switch_:
      write_switch(w, t, supply);
      break;
    case PartKind::server:
      write_server(w, t, supply);
      break;
    case PartKind::pdu:
      write_pdu(w, t);
      break;
    case PartKind::ups:
      write_ups(w, t);
      break;
    case PartKind::nic:
      write_nic(w, t);
      break;
    default:
      write_rack(w, t);
      break;
  }
  w.end();
  part.unknown = unknown_facts(part);
  if (!part.unknown.empty())
    findings
        .note("netbox-facts-unknown", t.at,
              format("{} '{}' has no value for {}", part_kind_name(*kind), part.id, join(part.unknown, ", ")))
        .help("take the values from the maker's data sheet: rules that need an unknown value do not check the part");
  return part;
}

}  // namespace clusterc
