#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "diag/finding.h"
#include "spec/sections.h"
#include "spec/site.h"
#include "spec/spec.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

struct Told {
  Sources sources;
  Findings findings;
  std::optional<Spec> spec;
  // "rule@line:column", in the order of the file.
  std::string ids() const {
    Findings sorted = findings;
    sorted.sort(sources);
    std::string out;
    for (const Finding& f : sorted.all()) {
      const LineColumn at = sources.position(f.span.file, f.span.begin);
      out += (out.empty() ? "" : " ") + f.rule + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    return out;
  }
  std::string messages() const {
    std::string out;
    for (const Finding& f : findings.all()) out += f.message + " [" + f.rule + "]\n";
    return out;
  }
};

std::unique_ptr<Told> read(std::string text, std::string path = "spec.yaml") {
  auto t = std::make_unique<Told>();
  const FileId file = t->sources.add(std::move(path), std::move(text));
  if (const auto document = parse_yaml(t->sources, file, t->findings))
    t->spec = read_spec(*document, t->sources, t->findings);
  return t;
}

// The smallest spec of one's own room; tests change a line of it or add some.
std::string small(std::string_view site = "site: { region: iec, supply: { phases: 1, voltage: 230 V } }",
                  std::string_view nodes = "nodes: { n: { names: \"n[1-2]\", model: generic-1u } }",
                  std::string_view more = "") {
  std::string out = "clusterc: 1\nname: small\n";
  ((out += site) += '\n') += nodes;
  return (out += '\n') += more;
}

TEST(ReadSpec, EveryExampleReadsWithoutAFinding) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CLUSTERC_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "broken.yaml")
      continue;  // broken on purpose: the README shows it
    std::ifstream in(entry.path());
    const auto t = read({std::istreambuf_iterator<char>(in), {}}, entry.path().filename());
    EXPECT_TRUE(t->spec);
    EXPECT_EQ(t->ids(), "") << entry.path() << "\n" << t->messages();
    ++seen;
  }
  EXPECT_GE(seen, 6);
}

TEST(ReadSpec, TheSmallestSpecHasItsDefaults) {
  const auto t = read(small());
  ASSERT_EQ(t->ids(), "") << t->messages();
  EXPECT_EQ(t->spec->site->supply->power_factor.origin, Origin::standard);
  EXPECT_DOUBLE_EQ(*t->spec->site->supply->power_factor, 0.96);
  EXPECT_EQ(*t->spec->software->time_zone, "UTC");
  EXPECT_EQ(t->spec->software->time_zone.origin, Origin::standard);
  EXPECT_EQ(t->spec->rules->text(), "2026.11");
}

TEST(ReadSpec, ANewerLanguageIsOneFinding) {
  const auto t = read("clusterc: 2\nname: x\nworld: flat\n");
  EXPECT_FALSE(t->spec);
  EXPECT_EQ(t->ids(), "spec-newer-language@1:11");
  EXPECT_FALSE(read("- a\n")->spec);
  EXPECT_EQ(read("- a\n")->ids(), "spec-wrong-type@1:1");
  EXPECT_EQ(read(small() + "clusterc: 1\n")->ids(), "spec-duplicate-key@5:1");
}

TEST(ReadSpec, ShortFormsMeanTheirLongOnes) {
  const auto t = read(small("site: cloud", "nodes: { n: { names: n1, model: generic-1u, at: { n1: r01/U5 } } }", R"(
networks:
  a: { kind: ethernet, connects: { n: 2 } }
  b: { kind: ethernet, connects: everything }
  c: { kind: ethernet, connects: { n: all, m: { ports: data, count: 1 } } }
storage: { home: { kind: nfs, servers: n, mount: /home } }
software: { scheduler: slurm 24.11, mpi: openmpi 4.1, fabric: inbox, containers: [docker 27.3, enroot] }
teams: { t: { share: 60 %, quota: { n: 32 gpus } } }
workloads: { w: { batch: 4194304 tokens, train: 15e12 tokens } }
)"));
  ASSERT_EQ(t->ids(), "") << t->messages();
  const Spec& s = *t->spec;
  EXPECT_EQ(*s.site->kind, SiteKind::cloud);
  EXPECT_EQ(*s.nodes.find("n")->value.at.find("n1")->value.rack, "r01");
  EXPECT_EQ(*s.nodes.find("n")->value.at.find("n1")->value.unit, 5);
  EXPECT_EQ(*s.networks.find("a")->value.connects.groups.find("n")->value.count, 2);
  EXPECT_TRUE(*s.networks.find("b")->value.connects.everything);
  EXPECT_TRUE(*s.networks.find("c")->value.connects.groups.find("n")->value.all);
  EXPECT_EQ(*s.networks.find("c")->value.connects.groups.find("m")->value.ports, "data");
  EXPECT_EQ(*s.storage.find("home")->value.servers->nodes, "n");
  EXPECT_EQ(s.software->scheduler->version->text(), "24.11");
  EXPECT_EQ(*s.software->mpi->kind, "openmpi");
  EXPECT_EQ(s.software->containers[0].version->text(), "27.3");
  EXPECT_FALSE(s.software->containers[1].version);
  EXPECT_DOUBLE_EQ(*s.teams.find("t")->value.share, 0.6);
  EXPECT_EQ(*s.teams.find("t")->value.quota.find("n")->value.of, "gpus");
  EXPECT_EQ(*s.workloads.find("w")->value.train->tokens, 15'000'000'000'000);
  EXPECT_EQ(s.workloads.find("w")->value.batch->tokens.origin, Origin::spec);
}

TEST(ReadSpec, WrongShortForms) {
  EXPECT_EQ(read(small("site: here"))->ids(), "spec-wrong-type@3:7");
  const auto t = read(small("site: cloud", "nodes: { n: { names: n1, model: generic-1u } }", R"(
networks: { a: { kind: ethernet, connects: { n: two } }, b: { kind: ethernet, connects: nothing } }
software: { scheduler: slrm, mpi: opnmpi 4.1, containers: [docker 27 3] }
teams: { t: { quota: { n: 32 } } }
workloads: { w: { batch: 4194304 } }
)"));
  EXPECT_EQ(t->ids(),
            "spec-wrong-type@6:49 spec-wrong-type@6:89 spec-wrong-type@7:24 spec-unknown-value@7:35 "
            "spec-wrong-type@7:60 spec-wrong-type@8:27 spec-wrong-type@9:26")
      << t->messages();
}

TEST(ReadSpec, ASiteOfOnesOwnNeedsRegionAndSupply) {
  const auto t = read(small("site: { altitude: 0 m }"));
  EXPECT_EQ(t->ids(), "spec-missing-key@3:1 spec-missing-key@3:1") << t->messages();
  EXPECT_EQ(read(small("site: { kind: cloud }"))->ids(), "");
  EXPECT_EQ(read(small("site: { region: eu, supply: { phases: 1, voltage: 230 V } }"))->ids(),
            "spec-unknown-value@3:17");  // not missing as well
  EXPECT_EQ(read("clusterc: 1\nname: x\nnodes: { n: { names: n1, model: generic-1u } }\n")->ids(),
            "spec-missing-key@1:1");
}

TEST(ReadSpec, ANodeGroupSaysOnceWhatItsNodesAre) {
  const auto nodes = [](std::string_view what) {
    return read(small("site: cloud", "nodes: { n: { names: n1, " + std::string(what) + " } }"));
  };
  EXPECT_EQ(nodes("roles: login")->ids(), "spec-node-machine-missing@4:10");
  EXPECT_EQ(nodes("model: a, server: { like: b }")->ids(), "spec-node-machine-twice@4:10");
  EXPECT_EQ(nodes("instance: a, virtual_machine: { cpus: 2, memory: 2 GiB }")->ids(), "spec-node-machine-twice@4:10");
  EXPECT_EQ(nodes("server: b")->ids(), "");
  EXPECT_EQ(nodes("model: generic-1u, cpus: 2 x epyc-9654")->ids(), "");
  EXPECT_EQ(nodes("model: [a]")->ids(), "spec-wrong-type@4:26");  // not missing as well
}

TEST(ReadSpec, NamesAndPatterns) {
  EXPECT_EQ(read("clusterc: 1\nname: my cluster\nsite: cloud\nnodes: { n: { names: n1, model: generic-1u } }\n")->ids(),
            "spec-bad-name@2:7");
  EXPECT_EQ(read("clusterc: 1\nname: -x\nsite: cloud\nnodes: { n: { names: n1, model: generic-1u } }\n")->ids(),
            "spec-bad-name@2:7");
  EXPECT_EQ(read(small("site: cloud", "nodes: { a/b: { names: n1, model: generic-1u } }"))->ids(),
            "spec-bad-name@4:10");
  EXPECT_EQ(read(small("site: cloud", "nodes: { ..: { names: n1, model: generic-1u } }"))->ids(), "spec-bad-name@4:10");
  const auto t = read(small("site: cloud", "nodes: { n: { names: \"n[1-\", model: generic-1u } }"));
  ASSERT_EQ(t->findings.all().size(), 1u) << t->messages();
  EXPECT_EQ(t->findings.all()[0].rule, "spec-bad-pattern");
  EXPECT_EQ(t->sources.position(t->findings.all()[0].span.file, t->findings.all()[0].span.begin).line, 4u);
}

TEST(ReadSpec, AddressesAndPaths) {
  const auto network = [](std::string_view what) {
    return read(small("site: cloud", "nodes: { n: { names: n1, model: generic-1u } }",
                      "networks: { a: { connects: { n: 1 }, " + std::string(what) + " } }\n"));
  };
  EXPECT_EQ(network("subnet: 10.10.0.0/16, gateway: 10.10.0.1")->ids(), "");
  EXPECT_EQ(network("subnet: 10.10.0.1/16")->ids(), "spec-bad-prefix@5:46");
  EXPECT_EQ(network("subnet: ten")->ids(), "spec-bad-prefix@5:46");
  EXPECT_EQ(network("gateway: 10.10.0")->ids(), "spec-bad-address@5:47");
  EXPECT_EQ(network("subnet: 10.10.0.0/16, gateway: 10.11.0.1")->ids(), "spec-gateway-outside-subnet@5:69");
  for (const char* path : {"/etc/passwd", "../secrets.csv", "a/../../b", "\"\"", "'a\\b'"})
    EXPECT_EQ(read(small() + "inventory: " + path + "\n")->ids(), "spec-bad-path@5:12") << path;
  EXPECT_EQ(read(small() + "inventory: ./a/..b/c.csv\nparts: [./parts, more]\n")->ids(), "");
  for (const char* mount : {"home", "/", "/a b", "/a/../b", "/a//b", "/a/"})
    EXPECT_EQ(read(small() + "storage: { s: { kind: nfs, mount: " + mount + " } }\n")->ids(), "spec-bad-path@5:35")
        << mount;
}

TEST(ReadSpec, DigitsAndPointsAreAnAddressOrNone) {
  EXPECT_EQ(read(small() + "software: { time_servers: [10.1.0.3] }\n")->ids(), "");
  EXPECT_EQ(read(small() + "software: { time_servers: [10.1.0.300] }\n")->ids(), "spec-bad-address@5:28");
  EXPECT_EQ(read(small() + "software: { mirror: { server: 10.1.0.300 } }\n")->ids(), "spec-bad-address@5:31");
}

TEST(ReadSpec, ASecretIsReferredToOnce) {
  const auto identity = [](std::string_view what) {
    return read(small() + "software: { identity: { kind: ldap, bind_password: " + std::string(what) + " } }\n");
  };
  EXPECT_EQ(identity("{ env: PW }")->ids(), "");
  EXPECT_EQ(identity("{}")->ids(), "spec-secret-reference@5:52");
  EXPECT_EQ(identity("{ env: PW, file: /x }")->ids(), "spec-secret-reference@5:52");
  EXPECT_EQ(identity("{ vault: kv/ldap#bind }")->ids(), "");
  for (const char* keyless : {"kv/ldap", "\"kv/ldap#\"", "\"#bind\""})
    EXPECT_NE(identity(std::string("{ vault: ") + keyless + " }")->ids().find("spec-secret-reference"),
              std::string::npos);
  const auto t = identity("hunter2");
  EXPECT_EQ(t->ids(), "spec-secret-written@5:37");
  EXPECT_EQ(t->messages().find("hunter2"), std::string::npos);
}

TEST(ReadSpec, SeverityIsRaisedOnly) {
  EXPECT_EQ(read(small() + "severity: { some-rule: error, other-rule: warning }\n")->ids(), "");
  EXPECT_EQ(read(small() + "severity: { some-rule: note }\n")->ids(), "spec-unknown-value@5:24");
}

TEST(ReadSpec, KeysDeepDownAreKnownToo) {
  const auto t = read(small(
      "site: { region: iec, supply: { phases: 1, voltage: 230 V }, feeds: { A: { braker: 32 A } }, altitude: 120 }",
      "nodes: { n: { names: n1, model: generic-1u, power_cap: 4 kVA, drives: { boot: 2 x 1.92 TB nvm } } }"));
  EXPECT_EQ(t->ids(), "spec-unknown-key@3:75 spec-missing-unit@3:103 spec-wrong-unit@4:56 spec-wrong-type@4:79")
      << t->messages();
}

}  // namespace
}  // namespace clusterc
