// The published rules, worked out by hand: 23 kg x (1 - 0.003 |V - 75 cm|), nothing above 175 cm; two people 2/3 of
// both.
#include "report/lifting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/hoses.h"
#include "report/maker_facts.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

TEST(Lifting, OnePersonByHeight) {
  EXPECT_DOUBLE_EQ(one_person_lifts(Meters(0.75)).value, 23);
  EXPECT_DOUBLE_EQ(one_person_lifts(Meters(0.25)).value, 23 * 0.85);
  EXPECT_DOUBLE_EQ(one_person_lifts(Meters(1.75)).value, 23 * 0.7);
  EXPECT_DOUBLE_EQ(one_person_lifts(Meters(1.76)).value, 0);
}

TEST(Lifting, AtTheLimits) {
  EXPECT_EQ(lifting_to(Kilograms(23), Meters(0.75)), Lifting::one_person);
  EXPECT_EQ(lifting_to(Kilograms(23.1), Meters(0.75)), Lifting::two_people);
  EXPECT_EQ(lifting_to(Kilograms(30.6), Meters(0.75)), Lifting::two_people);  // 2/3 of 46 kg: 30.67 kg
  EXPECT_EQ(lifting_to(Kilograms(30.7), Meters(0.75)), Lifting::lift);
  EXPECT_EQ(lifting_to(Kilograms(5), Meters(1.8)), Lifting::lift);
}

// Each part of the model asks for its facts, and an air-cooled cluster for none of liquid.
TEST(MakerFacts, FollowFromTheModel) {
  const auto facts = [](std::string_view example) {
    Resolved r;
    r.example(std::string(example));
    EXPECT_TRUE(r.cluster) << r.told();
    std::string out;
    for (const MakerFact& f : maker_facts(*r.cluster, plan_cluster(*r.cluster)))
      out += f.of + ": " + f.fact + " (" + f.document + ")\n";
    return out;
  };
  const std::string air = facts("superpod");
  for (const std::string_view wanted :
       {"generic-48u-800x1200: feet, bolts", "na-415-3ph-60: buttons or brackets", "nvidia-dgx-h100: lifting",
        "nvidia-dgx-h100: rail kit", "nvidia-qm9700: way of the air", "nvidia-qm9700: firmware"})
    EXPECT_NE(air.find(wanted), std::string::npos) << wanted << "\n" << air;
  for (const std::string_view other : {"coupling", "loop ", "terminals"})
    EXPECT_EQ(air.find(other), std::string::npos) << other << "\n" << air;
  const std::string frames = facts("nvl72");
  for (const std::string_view wanted :
       {"nvidia-gb200-nvl72: couplings of supply and return", "nvidia-gb200-nvl72: whips of the power shelves",
        "generic-cdu-1mw: power: number of cords", "loop loop: pressure and time of the leak test"})
    EXPECT_NE(frames.find(wanted), std::string::npos) << wanted << "\n" << frames;
  EXPECT_EQ(frames.find("nvidia-gb200-nvl72.compute-trays"), std::string::npos) << frames;
  const std::string liquid = facts("published/colossus-array");
  for (const std::string_view wanted : {"hoses to the manifold", "terminals of the supplies", "output terminals"})
    EXPECT_NE(liquid.find(wanted), std::string::npos) << wanted << "\n" << liquid;
}

// A pair for each frame; a pair for the manifold of a rack and for each of its eight liquid-cooled servers.
TEST(Hoses, PairsWithLabels) {
  Resolved frames, nodes;
  frames.example("nvl72");
  nodes.example("published/colossus-array");
  ASSERT_TRUE(frames.cluster && nodes.cluster);
  const Plan f = plan_cluster(*frames.cluster), n = plan_cluster(*nodes.cluster);
  const std::vector<Hose> pair = hoses_of(*frames.cluster, f, frames.cluster->assemblies[0].first);
  ASSERT_EQ(pair.size(), 2U);
  EXPECT_EQ(pair[0].label, "nvl1:supply");
  EXPECT_EQ(pair[1].label, "nvl1:return");
  EXPECT_TRUE(hoses_of(*frames.cluster, f, 0).empty());  // switches and servers in air
  const std::vector<Hose> rack = hoses_of(*nodes.cluster, n, 0);
  ASSERT_EQ(rack.size(), 18U);
  EXPECT_EQ(rack[0].from, "manifold of a1");
  EXPECT_EQ(rack[2].to, "manifold of a1");
  EXPECT_EQ(std::ranges::count(rack, "manifold of a1", &Hose::to), 16);
}

}  // namespace
}  // namespace clusterc
