// CSV files for NetBox's import forms, with the columns of netbox/dcim/forms/bulk_import.py
// (netbox-community/netbox, 4.2). Imported in this order, each finds what it names. NetBox takes one cable with two
// ends a row (netbox#21131): a splitter is a cable for each of its links, all with one label.
#include <algorithm>
#include <map>
#include <set>

#include "base/index.h"
#include "base/text.h"
#include "plan/equipment.h"
#include "report/cable_exports.h"
#include "report/link_rows.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// NetBox asks for a maker. Names of the catalogue begin with theirs ("NVIDIA DGX H100"), but for what has none: a size
// ("400 V 3ph 32 A"), a program
// ("Lustre/BeeGFS server block"), a stand-in ("Generic 2U"). So only a name that is one counts; the list is that of
// catalog/ and of the makers of PDUs.
std::string maker_of(const std::string& name, const std::string& model) {
  static constexpr std::string_view kMakers[] = {
      "AMD",    "APC",      "AWS",    "Arista",    "Broadcom",   "Cisco",  "DDN",     "Dell",
      "Eaton",  "GIGABYTE", "HPE",    "Intel",     "Juniper",    "Lambda", "Legrand", "Lenovo",
      "NVIDIA", "Raritan",  "Rittal", "Schneider", "Supermicro", "VAST",   "Vertiv",  "WEKA"};
  const std::string_view first = std::string_view(name).substr(0, name.find(' '));
  const auto known = std::ranges::find(kMakers, first);
  if (known != std::end(kMakers)) return std::string(*known);
  // Trays have a name of their own: "nvidia-gb200-nvl72.compute-trays".
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  const std::string_view prefix = std::string_view(model).substr(0, model.find('-'));
  const auto by_model =
      std::ranges::find_if(kMakers, [&](std::string_view maker) { return std::ranges::equal(maker, prefix, same); });
  return by_model == std::end(kMakers) ? "Generic" : std::string(*by_model);
}
std::string slug_of(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    const bool keep = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9');
    if (keep)
      out += ch;
    else if (ch >= 'A' && ch <= 'Z')
      out += static_cast<char>(ch + 32);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unknown" : out;
}

// Interface types (InterfaceTypeChoices), cable types (CableTypeChoices).
std::string interface_type(const CageGroup& g, LinkKind kind) {
  const auto gb = static_cast<std::int64_t>(g.rate.value / 1e9 + 0.5);
  if (kind == LinkKind::infiniband && g.connector != "rj45")
    return gb >= 800   ? "infiniband-xdr"
           : gb >= 400 ? "infiniband-ndr"
           : gb >= 200 ? "infiniband-hdr"
           : gb >= 100 ? "infiniband-edr"
                       : "other";
  if (g.connector == "rj45") return gb == 1 ? "1000base-t" : gb == 10 ? "10gbase-t" : "other";
  std::string out = std::to_string(gb) + "gbase-x-";
  if (g.connector == "osfp" || g.connector == "osfp-flat") return gb == 400 || gb == 800 ? out + "osfp" : "other";
  if (g.connector == "qsfp112")
    return gb == 400 ? out + "qsfp112" : gb == 200 ? out + "qsfp56" : gb == 100 ? out + "qsfp28" : "other";
  if (g.connector == "qsfp56") return gb == 200 ? out + "qsfp56" : gb == 100 ? out + "qsfp28" : "other";
  if (g.connector == "qsfp28") return gb == 100 ? out + "qsfp28" : "other";
  return "other";
}
std::string_view cable_type(Medium m) {
  switch (m) {
    case Medium::dac:
      return "dac-passive";
    case Medium::acc:
      return "dac-active";
    case Medium::aoc:
      return "aoc";
    case Medium::multimode:
      return "mmf-om4";
    case Medium::single_mode:
      return "smf-os2";
    case Medium::twisted_pair:
      return "cat6";
  }
  return "";
}

struct DeviceType {
  std::string maker, model;
  std::int64_t units = 0;
};

class Book {
 public:
  Book(const Cluster& c, const Plan& p) : c_(c), p_(p), site_(*c.spec.name) {}

  std::vector<std::pair<std::string, std::string>> files() {
    devices();
    std::string makers, types, roles, sites, racks;
    SheetWriter(sites).row({"name", "slug", "status"}).row({site_, slug_of(site_), "planned"});
    SheetWriter m(makers), t(types), r(roles), k(racks);
    m.row({"name", "slug"});
    t.row({"manufacturer", "model", "slug", "u_height", "is_full_depth"});
    std::set<std::string> known;
    for (const auto& [model, type] : types_) {
      if (known.insert(type.maker).second) m.row({type.maker, slug_of(type.maker)});
      t.row({type.maker, model, slug_of(model), std::to_string(type.units), type.units > 0 ? "true" : "false"});
    }
    r.row({"name", "slug", "color"});
    for (const auto& [role, color] : roles_) r.row({role, slug_of(role), color});
    k.row({"site", "name", "status", "width", "u_height"});
    for (std::int64_t i = 0; i < c_.rack_count; ++i) {
      const int g = c_.rack_group_of(i);
      std::int64_t units = 0;
      if (g >= 0)
        units = c_.racks[at(g)].part ? c_.racks[at(g)].part->units.value_or(0) : 0;
      else
        for (const AssemblyGroupModel& a : c_.assemblies)
          if (i >= a.first && i < a.first + a.count && a.part) units = a.part->units.value_or(0);
      k.row({site_, c_.rack_name(i), "planned", "19", std::to_string(units ? units : 42)});  // 42: NetBox's own default
    }
    cables();
    std::string* const texts[] = {&sites, &makers, &types, &roles, &racks, &devices_, &interfaces_, &cables_};
    static_assert(std::size(texts) == std::size(kNetboxFiles));
    std::vector<std::pair<std::string, std::string>> files;
    for (std::size_t i = 0; i < std::size(texts); ++i) files.emplace_back(kNetboxFiles[i], std::move(*texts[i]));
    return files;
  }

 private:
  void device(const std::string& name, const std::string& role, const std::string& model, const std::string& full_name,
              std::int64_t units, std::int64_t rack, std::int64_t unit) {
    auto& type = types_[model];
    if (type.model.empty()) type = {maker_of(full_name, model), model, units};
    roles_.try_emplace(role, role == "switch" ? "2196f3" : role == "node" ? "4caf50" : "9e9e9e");
    SheetWriter csv(devices_);
    csv.row({name, role, type.maker, model, "planned", site_, rack < 0 ? "" : c_.rack_name(rack),
             rack < 0 || unit <= 0 ? "" : std::to_string(unit), rack < 0 || unit <= 0 ? "" : "front"});
  }
  template <class Part>
  static std::string name_of(const Part* part, const std::string& model) {
    return part && part->name ? *part->name : model;
  }

  void devices() {
    SheetWriter(devices_).row(
        {"name", "role", "manufacturer", "device_type", "status", "site", "rack", "position", "face"});
    for (const NodeGroupModel& g : c_.nodes) {
      if (g.server.virtual_machine) continue;
      for (std::int64_t i = 0; i < g.count; ++i)
        device(g.names.name(i), "node", g.server.id, g.server.part.name.value_or(g.server.id),
               g.server.units.value_or(0), at(g.first + i) < p_.node_rack.size() ? p_.node_rack[at(g.first + i)] : -1,
               at(g.first + i) < p_.node_unit.size() ? p_.node_unit[at(g.first + i)] : 0);
    }
    for (std::size_t r = 0; r < p_.racks.size(); ++r)
      for (const RackedDevice& d : p_.racks[r].devices) {
        if (d.kind == DeviceKind::storage) {
          const StorageModel& s = c_.storage[at(d.group)];
          device(host_name_of("storage/" + s.name + "/" + std::to_string(d.index + 1)), "storage", s.model,
                 name_of(s.part, s.model), d.units, static_cast<std::int64_t>(r), d.unit);
        } else if (d.kind == DeviceKind::switch_) {
          const SwitchRef ref = p_.switch_ref(d.group, d.index);
          const FabricTier& t = p_.fabrics[at(d.group)].tiers[at(ref.tier)];
          device(p_.switch_host_name(d.group, ref), "switch", t.model, name_of(t.part, t.model), d.units,
                 static_cast<std::int64_t>(r), d.unit);
        }
      }
    std::int64_t pdu = 0;
    for (const RackGroupModel& g : c_.racks)
      for (std::int64_t i = 0; i < g.count; ++i)
        for (const PduModel& m : g.pdus)
          device(equipment_host_name(p_, FabricBlock::What::pdus, -1, pdu++), "pdu", m.model, name_of(m.part, m.model),
                 0, g.first + i, 0);
    for (const Fabric& f : p_.fabrics)
      for (const FabricBlock& b : f.blocks)
        if (b.what == FabricBlock::What::shelves) {
          const AssemblyGroupModel& a = c_.assemblies[at(b.of)];
          const std::int64_t each = b.members / a.count;
          for (std::int64_t i = 0; i < b.members; ++i)
            device(equipment_host_name(p_, b.what, b.of, i), "shelf or tray", a.model + " shelf or tray",
                   name_of(a.part, a.model), 0, a.first + i / each, 0);
        }
  }

  void cables() {
    SheetWriter interfaces(interfaces_), cables(cables_);
    interfaces.row({"device", "name", "type"});
    cables.row({"side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name", "type",
                "status", "label", "length", "length_unit"});
    LinkRows rows(c_, p_);
    const auto& groups = rows.links().cage_groups();
    std::vector<std::string> type_of;
    for (const CageGroup& g : groups) {
      LinkKind kind = LinkKind::ethernet;
      for (const Fabric& f : p_.fabrics)
        if (f.name == g.network) kind = c_.networks[at(f.network)].kind;
      type_of.push_back(interface_type(g, kind));
    }
    std::string length;
    rows.each_into({&interfaces_, &cables_}, [&](const LinkRow& r) {
      if (groups[at(r.link->near_group)].nothing_plugged) return true;
      interfaces.row({r.near_host, r.near.port, type_of[at(r.link->near_group)]});
      interfaces.row({r.far_host, r.far.port, type_of[at(r.link->far_group)]});
      length.clear();
      if (r.run.cable) append_metres(length, r.run.length);
      cables.row({r.near_host, "dcim.interface", r.near.port, r.far_host, "dcim.interface", r.far.port,
                  r.run.cable ? cable_type(*r.run.cable->part->medium) : "", "planned", r.cable, length,
                  length.empty() ? "" : "m"});
      return true;
    });
  }

  const Cluster& c_;
  const Plan& p_;
  std::string site_;
  std::map<std::string, DeviceType> types_;
  std::map<std::string, std::string> roles_;
  std::string devices_, interfaces_, cables_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> render_netbox(const Cluster& cluster, const Plan& plan) {
  return Book(cluster, plan).files();
}

}  // namespace clusterc
