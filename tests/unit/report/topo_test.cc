// Lanes and their rate in a topology file, by hand: EDR 25, HDR 50, NDR 100, XDR 200 Gb/s a lane; a link has the lanes
// of its slower end (ibdm-topo-file(1)).
#include "plan/plan.h"
#include "report/cable_exports.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

// Words of the lines that name this host: "-4x-100G->".
std::string lanes(const std::string& topo, const std::string& host) {
  std::string out;
  std::istringstream in(topo);
  for (std::string line; std::getline(in, line);)
    if (line.find(" " + host + " ") != std::string::npos) {
      const auto from = line.find("-"), to = line.find("->");
      const std::string word = line.substr(from, to + 2 - from);
      if (out.find(word) == std::string::npos) out += word;
    }
  return out;
}

std::string topo_of(const std::string& rate, const std::string& part, const std::string& more = "") {
  Resolved r;
  r.text(
      "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\nnodes:\n"
      "  new: { names: n1, server: { like: generic-2u, nics: { ib: cx7-ndr-osfp }, memory: 24 x 32 GiB } }\n" +
      more + "networks:\n  ib: { kind: infiniband, rate: " + rate + ", switch: " + part +
      ", connects: { new: { ports: ib }" + (more.empty() ? "" : ", old: { ports: ib }") + " } }\n");
  EXPECT_EQ(r.findings.count(Severity::error), 0) << r.told();
  return render_topo(*r.cluster, plan_cluster(*r.cluster), 0);
}

TEST(Topo, LanesOfTheSlowerEnd) {
  EXPECT_EQ(lanes(topo_of("400 Gb/s", "nvidia-qm9700"), "n1"), "-4x-100G->");
  EXPECT_EQ(lanes(topo_of("400 Gb/s", "nvidia-q3400-ra"), "n1"), "-4x-100G->");  // ports of 200 Gb/s a lane
  const std::string both =
      topo_of("400 Gb/s", "nvidia-q3400-ra",
              "  old: { names: o1, server: { like: generic-2u, nics: { ib: cx6-vpi-200 }, memory: 24 x 32 GiB } }\n");
  EXPECT_EQ(lanes(both, "n1"), "-4x-100G->");
  EXPECT_EQ(lanes(both, "o1"), "-4x-50G->");  // HDR: QSFP56
}

}  // namespace
}  // namespace clusterc
