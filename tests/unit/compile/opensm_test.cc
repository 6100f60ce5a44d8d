// What the subnet manager is told, by hand from opensm(8) and the InfiniBand specification; the inventory by RFC 4180.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

// 12 nodes of 8 ports on switches of 64: 8 rails, one unit, so 8 leaves need spines between them.
std::string fabric(std::string_view more) {
  return "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\n"
         "nodes:\n  gpu: { names: \"g[01-12]\", model: nvidia-dgx-h100 }\n  fm: { names: fm1, model: generic-1u, nics: "
         "{ ib: cx7-ndr-osfp }, roles: [fabric-manager] }\n"
         "networks:\n  compute: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, topology: rail-optimised, "
         "connects: { gpu: { ports: compute }, fm: { ports: ib } }" +
         std::string(more);
}

TEST(Opensm, AFatTreeIsRoutedAsOne) {
  Compiled c;
  c.spec(fabric(" }\n"), {"opensm"});
  EXPECT_EQ(c.told(), "");
  const std::string conf = c.file("opensm/compute/opensm.conf");
  EXPECT_NE(conf.find("\nrouting_engine ftree\n"), std::string::npos) << conf;
  EXPECT_NE(conf.find("\nsubnet_prefix 0xfe80000000000000\n"), std::string::npos);
  EXPECT_NE(conf.find("# subnet compute: managed by fm1\n"), std::string::npos);
  EXPECT_NE(conf.find("# root_guid_file: OpenSM finds the roots by itself"), std::string::npos);
  EXPECT_EQ(conf.find("\nroot_guid_file"), std::string::npos);
  EXPECT_NE(c.file("opensm/compute/partitions.conf").find("\nDefault=0x7fff : ALL=full, SELF=full ;\n"),
            std::string::npos);  // no subnet: no IPoIB
}

TEST(Opensm, TheSpecChoosesTheEngineAndAWrongOneIsRefused) {
  Compiled asked, wrong;
  asked.spec(fabric(", routing: updn }\n"), {"opensm"});
  EXPECT_NE(asked.file("opensm/compute/opensm.conf").find("\nrouting_engine updn\n"), std::string::npos);
  wrong.spec(fabric(", routing: fttree }\n"), {"opensm"});
  EXPECT_NE(wrong.told().find("'fttree' is not a routing engine of OpenSM [opensm-routing-unknown]"), std::string::npos)
      << wrong.told();
}

TEST(Opensm, ExtraLinesReplaceDefaultsAndNothingThatFollowsFromTheSpec) {
  Compiled c;
  c.spec(fabric(" }\noutputs: { opensm: { extra: { compute/opensm.conf: [ 'log_max_size 7', 'routing_engine minhop', "
                "'Sweep 3', 'sweep_interval' ], compute/partitions.conf: [ 'a=0x1 : ALL ;', 'Default=0x7fff : ALL ;', "
                "'b : ALL' ], opensm.conf: [ 'x 1' ] } } }\n"),
         {"opensm"});
  EXPECT_NE(c.told().find("an extra line sets 'routing_engine', which is already set from the spec: it is 'ftree' "
                          "[output-extra-contradicts-spec]"),
            std::string::npos)
      << c.told();
  EXPECT_NE(c.told().find("'Sweep 3' is not a valid line of opensm.conf [output-extra-malformed]"), std::string::npos);
  EXPECT_NE(c.told().find("'sweep_interval' is not a valid line of opensm.conf [output-extra-malformed]"),
            std::string::npos);
  EXPECT_NE(c.told().find("partitions.conf already has the default partition [output-extra-contradicts-spec]"),
            std::string::npos);
  EXPECT_NE(c.told().find("'b : ALL' is not a valid partition [output-extra-malformed]"), std::string::npos);
  EXPECT_NE(
      c.told().find("output 'opensm' has no file 'opensm.conf' that can have extra lines [output-extra-unknown-file]"),
      std::string::npos);
  EXPECT_NE(c.file("opensm/compute/opensm.conf").find("\nlog_max_size 7\n"), std::string::npos);
  EXPECT_EQ(c.file("opensm/compute/opensm.conf").find("log_max_size 100"), std::string::npos);
  EXPECT_NE(c.file("opensm/compute/partitions.conf").find("\na=0x1 : ALL ;\n"), std::string::npos);
}

// Two networks on the same nodes: their prefixes differ.
TEST(Opensm, EverySubnetHasItsPrefix) {
  Compiled c;
  c.spec(fabric(" }\n  storage: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, connects: { gpu: { ports: "
                "storage } } }\n"),
         {"opensm"});
  EXPECT_NE(c.file("opensm/storage/opensm.conf").find("\nsubnet_prefix 0xfe80000000000001\n"), std::string::npos)
      << c.told();
  EXPECT_NE(c.file("opensm/storage/opensm.conf").find("# subnet storage: the spec names no node that manages it"),
            std::string::npos);
}

TEST(Inventory, GuidsInEveryUsualSpelling) {
  EXPECT_EQ(parse_guid("0x0002c90200400a7c"), 0x0002c90200400a7cu);
  EXPECT_EQ(parse_guid("0002:c902:0040:0a7c"), 0x0002c90200400a7cu);
  EXPECT_EQ(parse_guid("00-02-C9-02-00-40-0A-7C"), 0x0002c90200400a7cu);
  EXPECT_EQ(parse_guid("2c90200400a7c"), 0x0002c90200400a7cu);
  for (const char* wrong :
       {"", "0", "0x", "0x00000000000000000", "12345678901234567", "0x12g4", "12::34", ":12", "12:", "-1"})
    EXPECT_FALSE(parse_guid(wrong)) << wrong;
  std::string out;
  append_guid(0x2c90200400a7c, out);
  EXPECT_EQ(out, "0x0002c90200400a7c");
}

TEST(Inventory, ReadsQuotedCellsAndFindsByNameAndPort) {
  Sources sources;
  Findings findings;
  const FileId file =
      sources.add("devices.csv",
                  "remark,PORT,name,mac\r\n\"a, "
                  "\"\"b\"\"\r\nc\",eth0,n1,94:6d:ae:00:00:01\r\n,,\"leaf/a\",\n\n,bmc,n1,94:6d:ae:00:00:02");
  const Inventory i = Inventory::read(sources, file, findings);
  EXPECT_TRUE(findings.empty());
  ASSERT_EQ(i.rows().size(), 3u);
  ASSERT_NE(i.find("n1", "eth0"), nullptr);
  EXPECT_EQ(i.find("n1", "eth0")->mac, 0x946dae000001u);
  EXPECT_EQ(i.find("n1", "bmc")->mac, 0x946dae000002u);
  ASSERT_NE(i.find("leaf/a", ""), nullptr);
  EXPECT_FALSE(i.find("leaf/a", "")->mac);
  EXPECT_EQ(i.find("n1", ""), nullptr);
}

// Each with one thing wrong; none of them may read beyond the text.
TEST(Inventory, SaysWhatIsWrong) {
  for (const auto& [text, rule] : std::initializer_list<std::pair<const char*, const char*>>{
           {"mac,guid\n", "inventory-malformed"},
           {"name,mac,mac\n", "inventory-malformed"},
           {"name,mac\n\"n1,x\n", "inventory-malformed"},
           {"name,mac\n\"n1\"x,y\n", "inventory-malformed"},
           {"name,mac\nn1\n", "inventory-malformed"},
           {"name,mac\n,94:6d:ae:00:00:01\n", "inventory-value"},
           {"name,mac\nn1,94:6d\n", "inventory-value"},
           {"name,mac\nn1,\nn1,\n", "inventory-row-twice"},
           {"name,mac\nn1,94:6d:ae:00:00:01\nn2,94-6D-AE-00-00-01\n", "inventory-value-twice"},
           {"name,mac\n\"", "inventory-malformed"}}) {
    Sources sources;
    Findings findings;
    Inventory::read(sources, sources.add("devices.csv", text), findings);
    ASSERT_EQ(findings.all().size(), 1u) << text;
    EXPECT_EQ(findings.all()[0].rule, rule) << text;
  }
  Sources sources;
  Findings findings;
  Inventory::read(sources, sources.add("devices.csv", ""), findings);
  EXPECT_TRUE(findings.empty());
}

}  // namespace
}  // namespace clusterc
