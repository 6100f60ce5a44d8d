#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include "catalog/embedded.h"
#include "catalog/facts.h"

namespace clusterc {
namespace {

struct House {
  Sources sources;
  Findings findings;
  Catalog catalog{sources, findings};
  std::string told() const {
    std::string out;
    for (const Finding& f : findings.all()) {
      const LineColumn at = f.span.valid() ? sources.position(f.span.file, f.span.begin) : LineColumn{};
      out += (f.span.valid() ? std::string(sources.path(f.span.file)) : std::string()) + ":" + std::to_string(at.line) +
             ": " + f.message + " [" + f.rule + "]\n";
    }
    return out;
  }
  const void* get(const PartInfo& p) {
    switch (p.kind) {
      case PartKind::gpu:
        return catalog.gpu(p.id);
      case PartKind::cpu:
        return catalog.cpu(p.id);
      case PartKind::nic:
        return catalog.nic(p.id);
      case PartKind::switch_:
        return catalog.switch_(p.id);
      case PartKind::cable:
        return catalog.cable(p.id);
      case PartKind::pdu:
        return catalog.pdu(p.id);
      case PartKind::rack:
        return catalog.rack(p.id);
      case PartKind::cooling:
        return catalog.cooling(p.id);
      case PartKind::ups:
        return catalog.ups(p.id);
      case PartKind::server:
        return catalog.server(p.id);
      case PartKind::storage:
        return catalog.storage(p.id);
      case PartKind::assembly:
        return catalog.assembly(p.id);
    }
    return nullptr;
  }
  void own(std::string text) { catalog.add_own_file(sources.add("parts/own.yaml", std::move(text))); }
};

TEST(Catalog, EveryBuiltInPartReadsWithoutAFinding) {
  House h;
  const auto parts = h.catalog.list();
  EXPECT_GT(parts.size(), 350u);
  for (const PartInfo& p : parts) EXPECT_NE(h.get(p), nullptr) << part_kind_name(p.kind) << " " << p.id;
  EXPECT_EQ(h.told(), "");
}

bool planning_default(std::string_view text) { return text.find("\nplanning_default: true") != text.npos; }

TEST(Catalog, HasPartsOfEachKind) {
  House h;
  std::map<PartKind, std::size_t> count;
  std::map<PartKind, std::set<std::string>> makers;
  std::size_t with_gpus = 0, with_outlets = 0;
  for (const PartInfo& p : h.catalog.list()) {
    ++count[p.kind];
    if (planning_default(h.catalog.text(p.kind, p.id))) continue;
    const PartRecord part = part_record(h.catalog, p.kind, p.id);
    const std::string name = fact_of(part, "name").text;
    makers[p.kind].insert(name.substr(0, name.find(' ')));
    with_gpus += p.kind == PartKind::server && fact_of(part, "gpus.model").known;
    with_outlets += (p.kind == PartKind::pdu || p.kind == PartKind::ups) && fact_of(part, "outlets.count").known;
  }
  EXPECT_GE(h.catalog.list().size(), 350u);
  EXPECT_GE(count[PartKind::server], 60u);
  EXPECT_GE(makers[PartKind::server].size(), 6u);
  EXPECT_GE(with_gpus, 30u);
  EXPECT_GE(count[PartKind::switch_], 40u);
  EXPECT_GE(makers[PartKind::switch_].size(), 6u);
  EXPECT_GE(with_outlets, 40u);  // PDUs and UPS that are products
  EXPECT_GE(makers[PartKind::pdu].size(), 4u);
  EXPECT_GE(count[PartKind::cpu], 40u);
  EXPECT_GE(count[PartKind::gpu], 30u);
  EXPECT_GE(count[PartKind::nic], 25u);
}

// How many products have a deciding fact confirmed, in percent. A lower figure is a step back; where more was read, the
// figure here rises with it.
TEST(Catalog, DecidingFactsAreConfirmedInTheseShares) {
  House h;
  struct Share {
    PartKind kind;
    std::string_view fact;
    int percent;
  };
  constexpr Share kShares[] = {{PartKind::gpu, "tdp", 60},           {PartKind::gpu, "memory", 70},
                               {PartKind::cpu, "cores", 80},         {PartKind::cpu, "tdp", 70},
                               {PartKind::cpu, "pcie_lanes", 50},    {PartKind::nic, "ports", 50},
                               {PartKind::nic, "port_rate", 60},     {PartKind::switch_, "ports", 75},
                               {PartKind::switch_, "port_rate", 75}, {PartKind::switch_, "psus.count", 75},
                               {PartKind::ups, "power", 50},         {PartKind::ups, "apparent", 50},
                               {PartKind::server, "gpus.count", 50}, {PartKind::server, "psus.count", 14},
                               {PartKind::server, "psus.power", 14}, {PartKind::server, "power", 6},
                               {PartKind::switch_, "power", 3},      {PartKind::pdu, "outlets.count", 4},
                               {PartKind::pdu, "breaker", 4},        {PartKind::nic, "power", 3}};
  for (const Share& s : kShares) {
    int whole = 0, confirmed = 0;
    for (const PartInfo& p : h.catalog.list()) {
      if (p.kind != s.kind || planning_default(h.catalog.text(p.kind, p.id))) continue;
      ++whole;
      confirmed += fact_of(part_record(h.catalog, p.kind, p.id), s.fact).confirmed;
    }
    EXPECT_GE(100 * confirmed, s.percent * whole)
        << part_kind_name(s.kind) << " " << s.fact << ": " << confirmed << " of " << whole;
  }
}

TEST(Catalog, EveryProductHasAnAddressThatAReaderCanOpen) {
  House h;
  for (const PartInfo& p : h.catalog.list()) {
    const std::string_view text = h.catalog.text(p.kind, p.id);
    EXPECT_TRUE(planning_default(text) || text.find("https://") != text.npos || text.find("http://") != text.npos ||
                text.find("github.com/") != text.npos)
        << part_kind_name(p.kind) << " " << p.id;
  }
}

TEST(Catalog, PciIdsFindParts) {
  House h;
  std::set<std::string> ids;
  for (const PartInfo& p : h.catalog.list()) {
    const Fact id = fact_of(part_record(h.catalog, p.kind, p.id), "pci_ids");
    if (id.known) ids.insert(std::string(p.id) + " " + id.text);
  }
  EXPECT_TRUE(ids.contains("nvidia-h100-sxm5-80 10de:2330"));  // pci.ids: GH100 [H100 SXM5 80GB]
  EXPECT_GE(ids.size(), 50u);
  std::string error;
  EXPECT_EQ(PciId::parse("10DE:2330", error)->text(), "10de:2330");
  EXPECT_EQ(PciId::parse("10de2330", error), std::nullopt);
  EXPECT_EQ(PciId::parse("10de:233g", error), std::nullopt);
}

TEST(Catalog, GapsAreUnknownOrUnconfirmedFacts) {
  House h;
  h.own(
      "part: server\nid: mine\nsources: { s: label }\nfacts:\n  units: { value: 2, source: s, confirmed: true }\n"
      "  psus: { count: { value: 2, source: s, confirmed: false } }\n");
  const PartGaps gaps = gaps_of(h.catalog, {PartKind::server, "mine", true});
  EXPECT_EQ(gaps.unknown, (std::vector<std::string_view>{"psus.power", "power"}));
  EXPECT_EQ(gaps.unconfirmed, (std::vector<std::string_view>{"psus.count"}));
  EXPECT_TRUE(gaps_of(h.catalog, {PartKind::server, "nvidia-dgx-h100", false}).none());
  EXPECT_EQ(fact_of(part_record(h.catalog, PartKind::server, "mine"), "no.such").known, false);
}

TEST(Catalog, ReadsFactsWithTheirSources) {
  House h;
  const GpuPart* gpu = h.catalog.gpu("nvidia-h100-sxm5-80");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->tdp->value, 700);  // NVIDIA H100 data sheet: up to 700 W (SXM)
  EXPECT_EQ(gpu->tdp.origin, Origin::catalog);
  EXPECT_FALSE(gpu->tdp.source.empty());
  EXPECT_EQ(h.catalog.gpu("nvidia-h100-sxm5-80"), gpu);
  EXPECT_EQ(h.sources.size(), 1u);  // only what was named is parsed
  EXPECT_EQ(h.catalog.gpu("nvidia-h100-sxm5-8"), nullptr);
  EXPECT_EQ(nearest_name("nvidia-h100-sxm5-8", h.catalog.known(PartKind::gpu)), "nvidia-h100-sxm5-80");
  EXPECT_EQ(nearest_name("quantum-abacus", h.catalog.known(PartKind::gpu)), std::nullopt);
  EXPECT_EQ(h.catalog.cpu("nvidia-h100-sxm5-80"), nullptr);
}

TEST(Catalog, AnAliasIsTheSamePart) {
  House h;
  const CpuPart* cpu = h.catalog.cpu("xeon-8480c");
  ASSERT_NE(cpu, nullptr);
  EXPECT_EQ(cpu, h.catalog.cpu("xeon-8480p"));
  for (const PartInfo& p : h.catalog.list()) EXPECT_NE(p.id, "xeon-8480c");
}

TEST(Catalog, ListIsSortedByKindThenId) {
  House h;
  const auto parts = h.catalog.list();
  for (std::size_t i = 1; i < parts.size(); ++i)
    EXPECT_TRUE(std::pair(parts[i - 1].kind, parts[i - 1].id) < std::pair(parts[i].kind, parts[i].id)) << parts[i].id;
  for (std::size_t i = 1; i < embedded_count(); ++i) {
    const EmbeddedFile before = embedded_file(i - 1), file = embedded_file(i);
    EXPECT_TRUE(std::pair(before.folder, before.name) < std::pair(file.folder, file.name)) << file.name;
  }
  EXPECT_TRUE(find_embedded("compatibility", "nccl"));
  EXPECT_FALSE(find_embedded("compatibility", "nccm"));
}

TEST(Catalog, OwnPartsStandBesideTheBuiltInOnes) {
  House h;
  h.own(
      "part: pdu\nid: our-strip\naliases: [strip]\nsources: { s: invoice }\nfacts: { breaker: { value: 63, unit: A, "
      "source: s, confirmed: true } }\n");
  EXPECT_EQ(h.told(), "");
  const PduPart* pdu = h.catalog.pdu("our-strip");
  ASSERT_NE(pdu, nullptr);
  EXPECT_EQ(pdu->breaker->value, 63);
  EXPECT_EQ(pdu->breaker.source, "invoice");
  EXPECT_EQ(h.catalog.pdu("strip"), pdu);
  bool listed = false;
  for (const PartInfo& p : h.catalog.list()) listed = listed || (p.id == "our-strip" && p.own);
  EXPECT_TRUE(listed);
  EXPECT_TRUE(h.catalog.text(PartKind::pdu, "our-strip").starts_with("part: pdu"));
}

TEST(Catalog, AnOwnPartReplacesABuiltInOneAndSaysSo) {
  House h;
  h.own("part: gpu\nid: nvidia-h100-sxm5-80\nfacts: { tdp: 650 W }\n");
  ASSERT_EQ(h.findings.all().size(), 1u);
  EXPECT_EQ(h.findings.all()[0].severity, Severity::note);
  EXPECT_EQ(h.catalog.gpu("nvidia-h100-sxm5-80")->tdp->value, 650);
  h.own("part: gpu\nid: nvidia-h100-sxm5-80\nfacts: { tdp: 600 W }\n");
  EXPECT_EQ(h.findings.count(Severity::error), 1u) << h.told();
  EXPECT_EQ(h.catalog.gpu("nvidia-h100-sxm5-80")->tdp->value, 650);
}

TEST(Catalog, WrongOwnPartsAreFindings) {
  House h;
  h.own("part: gpu\nid: x\n");
  h.own("part: toaster\nid: y\nfacts: {}\n");
  h.own("part: gpu\nid: z\nfacts: { tdp: 700, memry: 80 GB }\n");
  EXPECT_EQ(h.told(),
            "parts/own.yaml:1: 'facts' is missing [spec-missing-key]\n"
            "parts/own.yaml:1: 'part' must be one of gpu, cpu, nic, switch, cable, pdu, rack, cooling, ups, server, "
            "storage, assembly, but 'toaster' is written there [spec-unknown-value]\n"
            "parts/own.yaml:3: 'tdp' has no unit: '700' is written where a quantity of power belongs, such as 10.2 kW "
            "[spec-missing-unit]\n"
            "parts/own.yaml:3: unknown key 'memry' in 'z' [spec-unknown-key]\n");
}

}  // namespace
}  // namespace clusterc
