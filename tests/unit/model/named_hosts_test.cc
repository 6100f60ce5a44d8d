#include "model/named_hosts.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

// A domain is the same in any case of letters (RFC 4343); the name before it stays as it is written. Another domain
// that ends alike is another.
TEST(NamedHosts, TheClustersOwnDomainIsTakenOff) {
  Resolved r;
  r.text(
      "clusterc: 1\nrules: 2026.11\nname: case\nsite: { kind: cloud, provider: local }\nnodes:\n  m: { names: m1, "
      "virtual_machine: { cpus: 2, memory: 2 GiB } }\nsoftware: { domain: two.example }\n");
  ASSERT_TRUE(r.cluster) << r.told();
  const auto name = [&](std::string_view host) { return without_domain(*r.cluster, host); };
  EXPECT_EQ(name("m1.two.example"), "m1");
  EXPECT_EQ(name("M1.Two.EXAMPLE"), "M1");
  EXPECT_EQ(name("a.b.two.example"), "a.b");
  for (const char* same : {"m1", "m1.two.example.org", "m1.twotwo.example", "m1two.example", "two.example",
                           ".two.example", "m1.one.example", "10.1.0.1", ""})
    EXPECT_EQ(name(same), same);
  Resolved none;
  none.text(
      "clusterc: 1\nrules: 2026.11\nname: case\nsite: { kind: cloud, provider: local }\nnodes:\n  m: { names: m1, "
      "virtual_machine: { cpus: 2, memory: 2 GiB } }\n");
  ASSERT_TRUE(none.cluster) << none.told();
  EXPECT_EQ(without_domain(*none.cluster, "m1.two.example"), "m1.two.example");
}

}  // namespace
}  // namespace clusterc
