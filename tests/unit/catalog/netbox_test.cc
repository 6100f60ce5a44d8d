#include "catalog/netbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "catalog/facts.h"
#include "catalog/netbox_plugs.h"
#include "catalog/netbox_text.h"

namespace clusterc {
namespace {

struct Import {
  Sources sources;
  Findings findings;
  std::optional<NetboxType> type;
  std::optional<NetboxPart> part;

  explicit Import(std::string text, const std::optional<NetboxSupply>& supply = {}) {
    const auto document = parse_yaml(sources, sources.add("type.yaml", std::move(text)), findings);
    if (!document) return;
    type = read_netbox(*document, findings);
    if (!type) return;
    lint_netbox(*type, findings);
    part = part_of(*type, "library: type.yaml", supply, findings);
  }
  std::multiset<std::string> errors_and_warnings() const {
    std::multiset<std::string> out;
    for (const Finding& f : findings.all())
      if (f.severity != Severity::note) out.insert(f.rule);
    return out;
  }
  std::set<std::string> all() const {
    std::set<std::string> out;
    for (const Finding& f : findings.all()) out.insert(f.rule);
    return out;
  }
  // The part read back as a file of `parts:`; the text of one of its facts, with "?" where it is not confirmed.
  std::string fact(std::string_view path) const {
    if (!part) return "no part";
    Sources own;
    Findings read;
    Catalog catalog(own, read);
    catalog.add_own_file(own.add(part->id + ".yaml", part->text));
    if (read.count(Severity::error) > 0) return read.all().front().message;
    const Fact f = fact_of(part_record(catalog, part->kind, part->id), path);
    return f.known ? f.text + (f.confirmed ? "" : "?") : "";
  }
};

std::string device(std::string_view rest) {
  return "manufacturer: Acme\nmodel: X1\nslug: acme-x1\nu_height: 1\nis_full_depth: true\nairflow: front-to-rear\n" +
         std::string(rest);
}
std::string ports(int first, int last, std::string_view type, std::string_view prefix = "p") {
  std::string out = "interfaces:\n";
  for (int i = first; i <= last; ++i)
    out += "  - { name: " + std::string(prefix) + std::to_string(i) + ", type: " + std::string(type) + " }\n";
  return out;
}
std::string outlets(int count, std::string_view type, std::string_view legs = "") {
  std::string out = "power-outlets:\n";
  for (int i = 1; i <= count; ++i) {
    out += "  - { name: o" + std::to_string(i) + ", type: " + std::string(type);
    if (!legs.empty()) out += ", feed_leg: " + std::string(1, legs[static_cast<std::size_t>(i) % legs.size()]);
    out += " }\n";
  }
  return out;
}
constexpr std::string_view kOneSupply = "power-ports: [{ name: PSU1, type: iec-60320-c14, maximum_draw: 300 }]\n";
std::string strip(std::string_view plug, std::string_view rest) {
  return "manufacturer: Acme\nmodel: S1\nslug: acme-s1\nu_height: 0\nis_full_depth: false\nairflow: front-to-rear\n"
         "power-ports: [{ name: in, type: " +
         std::string(plug) + " }]\n" + std::string(rest);
}

TEST(Netbox, AFileWithoutContradictionsIsSilent) {
  for (const std::string& text :
       {device(std::string(kOneSupply) + ports(1, 32, "400gbase-x-qsfpdd")),
        strip("nema-l21-30p", "comments: '8.6kVA, 208V, (24) C13'\n" + outlets(24, "iec-60320-c13", "ABC")),
        strip("iec-60309-3p-n-e-6h",
              "comments: 22kW(32A), 230V/400V, (24) C13\n" + outlets(24, "iec-60320-c13", "ABC")),
        strip("iec-60309-p-n-e-6h", "comments: Rack PDU, 7.4kW(32A), 200-240V\n" + outlets(24, "iec-60320-c13"))})
    EXPECT_EQ(Import(text).errors_and_warnings(), std::multiset<std::string>{}) << text;
}

// Each planted error is found, and nothing else is.
TEST(Netbox, PlantedErrorsAreFound) {
  const std::pair<std::string, std::string> planted[] = {
      {"netbox-draw-over-plug",
       device("power-ports: [{ name: a, type: iec-60320-c20, maximum_draw: 6600 }]\n" + ports(1, 8, "10gbase-t"))},
      {"netbox-outlets-on-one-leg", strip("nema-l21-30p", outlets(24, "iec-60320-c13", "A"))},
      {"netbox-outlets-on-one-leg", strip("nema-l21-30p", outlets(24, "iec-60320-c13"))},
      {"netbox-plug-voltage",
       strip("iec-60309-3p-n-e-9h", "comments: 22.0kW(32A), 230V\n" + outlets(24, "iec-60320-c13", "ABC"))},
      {"netbox-plug-voltage", strip("iec-60309-3p-n-e-9h", "comments: 400V\n" + outlets(24, "iec-60320-c13", "ABC"))},
      {"netbox-legs-on-one-phase", strip("nema-l6-30p", outlets(24, "iec-60320-c13", "AB"))},
      {"netbox-outlets-unlike-text", strip("nema-l6-30p", "comments: (20) C13\n" + outlets(24, "iec-60320-c13"))},
      {"netbox-rating-over-plug", strip("nema-l6-30p", "comments: '8,6 kVA'\n" + outlets(24, "iec-60320-c13"))},
      {"netbox-equal-draws",
       device("power-ports:\n  - { name: a, type: iec-60320-c14, maximum_draw: 500 }\n  - { name: b, type: "
              "iec-60320-c14, maximum_draw: 500 }\n" +
              ports(1, 8, "10gbase-t"))},
      {"netbox-supplies-unlike-bays",
       device("power-ports: [{ name: PSU1, type: iec-60320-c14 }]\nmodule-bays: [{ name: PSU1, position: '1' }, { "
              "name: PSU 2, position: '2' }]\n" +
              ports(1, 8, "10gbase-t"))},
      {"netbox-no-height",
       "manufacturer: Acme\nmodel: X\nslug: acme-x\nu_height: 0\nis_full_depth: true\nairflow: front-to-rear\n"},
      {"netbox-parent-without-bays", device("subdevice_role: parent\n" + std::string(kOneSupply))},
      {"netbox-number-missing",
       device(std::string(kOneSupply) + ports(1, 4, "10gbase-t") +
              std::string(ports(6, 12, "10gbase-t")).substr(std::string("interfaces:\n").size()))},
      {"netbox-infiniband-as-ethernet",
       "manufacturer: Mellanox\nmodel: QM8700\nslug: m-qm\nu_height: 1\nis_full_depth: true\nairflow: front-to-rear\n" +
           std::string(kOneSupply) + ports(1, 40, "200gbase-x-qsfp56")},
      {"netbox-weight", device("weight: 90\nweight_unit: kg\n" + std::string(kOneSupply))},
      {"netbox-mounting-depth",
       "manufacturer: Acme\nmodel: R\nslug: acme-r\nform_factor: 4-post-cabinet\nu_height: 42\nouter_depth: 1200\n"
       "outer_unit: mm\nmounting_depth: 191\n"},
      {"netbox-unknown-type", device(std::string(kOneSupply) + ports(1, 8, "10000base-t"))},
      {"netbox-unknown-key", device("module-slots: []\n" + std::string(kOneSupply))},
      {"netbox-name-twice", device(std::string(kOneSupply) +
                                   "module-bays: [{ name: SXM5, position: '1' }, { name: SXM5, position: '2' }]\n")},
      {"netbox-no-type", "part: pdu\nid: x\n"}};
  for (const auto& [rule, text] : planted)
    EXPECT_EQ(Import(text).errors_and_warnings(), std::multiset<std::string>{rule}) << text;
}

TEST(Netbox, WhatIsNotKnownIsANote) {
  const Import bays(device("module-bays: [{ name: PSU1, position: '1' }]\n" + ports(1, 8, "10gbase-t")));
  EXPECT_EQ(bays.all(), (std::set<std::string>{"netbox-power-unknown", "netbox-facts-unknown"}));
  const Import none(device(ports(1, 8, "10gbase-t")));
  EXPECT_EQ(none.all(), (std::set<std::string>{"netbox-power-unknown", "netbox-facts-unknown"}));
  const Import passive(
      "manufacturer: Acme\nmodel: X\nslug: acme-x\nu_height: 1\nis_full_depth: true\nairflow: passive\n" +
      std::string(kOneSupply) + ports(1, 8, "10gbase-t"));
  EXPECT_TRUE(passive.all().contains("netbox-airflow-unknown"));
  EXPECT_EQ(passive.part->unknown, (std::vector<std::string>{"depth", "weight", "breakout", "psus.spare"}));
}

TEST(Netbox, ASwitchHasItsPortsAndUplinks) {
  // 48 x 25G and 8 x 100G as uplinks; two 10G service ports are left out, and so is the management port.
  std::string text =
      device("weight: 20\nweight_unit: lb\n" + std::string(kOneSupply) + ports(1, 48, "25gbase-x-sfp28"));
  for (int i = 49; i <= 56; ++i) text += "  - { name: p" + std::to_string(i) + ", type: 100gbase-x-qsfp28 }\n";
  text += "  - { name: s1, type: 10gbase-x-sfpp }\n  - { name: mgmt0, type: 1000base-t, mgmt_only: true }\n";
  const Import i(text);
  EXPECT_EQ(i.part->kind, PartKind::switch_);
  EXPECT_EQ(i.part->id, "acme-x1");
  EXPECT_EQ(i.fact("ports"), "48?");
  EXPECT_EQ(i.fact("port_rate"), "25 Gb/s?");
  EXPECT_EQ(i.fact("connector"), "sfp28?");
  EXPECT_EQ(i.fact("uplinks"), "8?");
  EXPECT_EQ(i.fact("uplink_rate"), "100 Gb/s?");
  EXPECT_EQ(i.fact("uplink_connector"), "qsfp28?");
  EXPECT_EQ(i.fact("weight"), "9.07 kg?");  // 20 lb x 0.45359237
  EXPECT_EQ(i.fact("power"), "300 W?");
  EXPECT_EQ(i.fact("psus.count"), "1?");
  EXPECT_EQ(i.fact("psus.inlet"), "c14?");
  EXPECT_NE(i.part->text.find("1 x 10 Gb/s sfp+"), std::string::npos);
}

TEST(Netbox, AirflowIsNoPartOfAModelsName) {
  const auto named = [](std::string_view slug, std::string_view model) {
    return Import("manufacturer: Arista\nmodel: " + std::string(model) + "\nslug: " + std::string(slug) +
                  "\nu_height: 1\nis_full_depth: true\nairflow: front-to-rear\n" + std::string(kOneSupply) +
                  ports(1, 32, "100gbase-x-qsfp28"));
  };
  const Import front = named("arista-dcs-7050-f", "DCS-7050-F"), back = named("arista-dcs-7050-r", "DCS-7050-R");
  EXPECT_EQ(front.part->id, "arista-dcs-7050");
  EXPECT_EQ(front.part->text, back.part->text);
  EXPECT_EQ(named("arista-dcs-7050x", "DCS-7050X").part->id, "arista-dcs-7050x");
}

TEST(Netbox, AServerHasItsBaysAndTheSuppliesOfItsModule) {
  const std::string text = device(
      "module-bays:\n  - { name: PSU1, position: '1' }\n  - { name: PSU2, position: '2' }\n  - { name: GPU 01, "
      "position: '1' }\n"
      "  - { name: GPU 02, position: '2' }\n  - { name: CPU, position: '1' }\n  - { name: 'PCIe 5.0 x16 1', position: "
      "'1' }\ninterfaces: [{ name: BMC, type: 1000base-t, mgmt_only: true }]\n");
  const Import module(
      "manufacturer: Acme\nmodel: PWS\npower-ports: [{ name: '{module}', type: iec-60320-c20, maximum_draw: 2700 }]\n");
  const auto supply = supply_of(*module.type);
  ASSERT_TRUE(supply);
  EXPECT_FALSE(module.part);  // a power supply is no part of its own
  const Import bare(text), i(text, supply);
  EXPECT_EQ(i.part->kind, PartKind::server);
  EXPECT_EQ(i.fact("gpu_slots"), "2?");
  EXPECT_EQ(i.fact("pcie_slots"), "1?");
  EXPECT_EQ(i.fact("pcie_generation"), "5?");
  EXPECT_EQ(i.fact("bmc"), "true?");
  EXPECT_EQ(i.fact("psus.count"), "2?");
  EXPECT_EQ(i.fact("psus.power"), "2.7 kW?");
  EXPECT_EQ(i.fact("psus.inlet"), "c20?");
  EXPECT_EQ(bare.fact("psus.power"), "");
  EXPECT_EQ(i.fact("sockets"), "");  // one bay "CPU" stands for two
}

TEST(Netbox, AStripHasWhatItsPlugSays) {
  const Import na(strip("nema-l21-30p", outlets(24, "iec-60320-c13", "ABC")));
  EXPECT_EQ(na.part->kind, PartKind::pdu);
  EXPECT_EQ(na.fact("region"), "na?");
  EXPECT_EQ(na.fact("phases"), "3?");
  EXPECT_EQ(na.fact("voltage"), "208 V?");
  EXPECT_EQ(na.fact("breaker"), "30 A?");
  EXPECT_EQ(na.fact("outlets.count"), "24?");
  const Import iec(strip("iec-60309-3p-n-e-6h", outlets(24, "hdot-cx", "ABC")));
  EXPECT_EQ(iec.fact("voltage"), "400 V?");
  EXPECT_EQ(iec.fact("breaker"), "");  // 16, 32, 63 and 125 A have one name
  EXPECT_EQ(iec.fact("outlets.kind"), "c13-c19?");
}

TEST(Netbox, UpsNicRackAndWhatIsNoPart) {
  const Import ups(
      "manufacturer: Acme\nmodel: Smart-UPS 3000\nslug: acme-ups\nu_height: 2\nis_full_depth: true\n"
      "power-ports: [{ name: in, type: iec-60320-c20 }]\n" +
      outlets(8, "iec-60320-c13"));
  EXPECT_EQ(ups.part->kind, PartKind::ups);
  EXPECT_EQ(ups.fact("outlets.count"), "8?");
  const Import nic(
      "manufacturer: Acme\nmodel: N1\ninterfaces: [{ name: a, type: 200gbase-x-qsfp56 }, { name: b, type: "
      "200gbase-x-qsfp56 }]\n");
  EXPECT_EQ(nic.part->kind, PartKind::nic);
  EXPECT_EQ(nic.fact("ports"), "2?");
  EXPECT_EQ(nic.fact("port_rate"), "200 Gb/s?");
  const Import rack(
      "manufacturer: Acme\nmodel: R\nslug: acme-r\nform_factor: 4-post-cabinet\nu_height: 42\nouter_depth: "
      "48\nouter_width: "
      "24\nouter_unit: in\nmax_weight: 1000\nweight_unit: kg\n");
  EXPECT_EQ(rack.part->kind, PartKind::rack);
  EXPECT_EQ(rack.fact("depth"), "1.2192 m?");  // 48 in x 25.4 mm
  EXPECT_EQ(rack.fact("static_load"), "");     // standing or rolling: not known
  const Import transfer(
      "manufacturer: Acme\nmodel: T\nslug: acme-t\nu_height: 1\nis_full_depth: true\npower-ports: [{ name: a, type: "
      "iec-60320-c14 }, { name: b, type: iec-60320-c14 }]\n" +
      outlets(12, "iec-60320-c13"));
  EXPECT_FALSE(transfer.part);
  EXPECT_TRUE(transfer.all().contains("netbox-no-part"));
}

TEST(Netbox, FiguresOfTheText) {
  EXPECT_EQ(stated_volts("200-240V, 230V/400V, 22kVA at 32A"), (std::vector<double>{240, 200, 230, 400}));
  EXPECT_EQ(stated_volts("5000VA RM, APC_V2"), std::vector<double>{});
  EXPECT_EQ(stated_power("3,84 kW"), 3840);
  EXPECT_EQ(stated_power("22.0kW(32A) 17.3kW(24A)"), 22000);
  EXPECT_EQ(stated_power("20 kWh, 3 kV"), std::nullopt);
  ASSERT_EQ(stated_ratings("22.0kW(32A) 17.3kW (24A)").size(), 2u);
  EXPECT_EQ(stated_ratings("22.0kW(32A)")[0].amperes, 32);
  EXPECT_EQ(stated_outlets("(36) C13 & (6) C19", "C13"), 36);
  EXPECT_EQ(stated_outlets("(36) C13 & (6) C19", "C19"), 6);
  EXPECT_EQ(stated_outlets("230V, 6x IEC C13 outlets", "C13"), 6);
  EXPECT_EQ(stated_outlets("C14 IN, 12 C13 OUT", "C13"), 12);
  EXPECT_EQ(stated_outlets("(6) Cx/C19/C13", "C19"), std::nullopt);
  EXPECT_EQ(stated_outlets("AP-C13", "C13"), std::nullopt);
}

TEST(Netbox, PlugsCarryWhatTheirStandardSays) {
  EXPECT_EQ(plug_power(*find_plug("iec-60320-c20")), 16 * 240.0);
  EXPECT_EQ(plug_power(*find_plug("nema-5-15p")), 15 * 120.0);
  EXPECT_EQ(plug_power(*find_plug("nema-l6-30p")), 30 * 240.0);
  EXPECT_NEAR(*plug_power(*find_plug("nema-l21-30p")), 10808, 1);  // sqrt(3) x 208 V x 30 A
  EXPECT_EQ(plug_power(*find_plug("iec-60309-p-n-e-6h")), std::nullopt);
  EXPECT_EQ(find_plug("iec-60320-c99"), nullptr);
}

// Every file of a folder becomes a part that reads back without an error, or is said to be none.
void import_all(const std::filesystem::path& folder, std::size_t least) {
  std::size_t files = 0, parts = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml" && entry.path().extension() != ".yml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Import i(std::string(std::istreambuf_iterator<char>(in), {}));
    ++files;
    EXPECT_TRUE(i.type) << entry.path();
    EXPECT_TRUE(i.part || i.all().contains("netbox-no-part")) << entry.path();
    if (!i.part) continue;
    ++parts;
    EXPECT_NE(i.fact("name"), "") << entry.path();
    EXPECT_TRUE(i.fact("name").ends_with("?")) << entry.path() << ": " << i.fact("name");
  }
  EXPECT_GE(files, least);
  EXPECT_GE(parts, files * 2 / 3);
}
TEST(Netbox, FilesOfTheLibrary) { import_all(CLUSTERC_SOURCE_DIR "/tests/netbox", 15); }
TEST(Netbox, AllFilesOfTheLibrary) {
  const std::filesystem::path all = CLUSTERC_SOURCE_DIR "/../shared/data/netbox";
  if (!std::filesystem::exists(all)) GTEST_SKIP() << all << " is not there";
  import_all(all, 577);
}

}  // namespace
}  // namespace clusterc
