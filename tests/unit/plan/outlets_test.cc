#include "plan/power/outlets.h"

#include <gtest/gtest.h>

#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// One rack with two PDUs, each with 2 C19 and 1 combined outlet; nodes with two C20 inlets hang on both.
struct Rack {
  test::Sample s;
  explicit Rack(std::int64_t nodes, bool counted = true) {
    s.feed("A", 1e6);
    s.feed("B", 1e6);
    s.na60.voltage = known(Volts(208));
    if (counted)
      for (const auto& [kind, count] : {std::pair{OutletKind::c19, 2}, std::pair{OutletKind::c13_c19, 1}}) {
        OutletGroup& g = s.na60.outlets.emplace_back();
        g.kind = known(kind);
        g.count = known<std::int64_t>(count);
      }
    s.racks("main", "r1", s.na60, {0, 1});
    NodeGroupModel& g = s.nodes("n", "n[1-" + std::to_string(nodes) + "]", 0, 1, 4160, 10);
    PsuSet psus;
    psus.count = known<std::int64_t>(2);
    psus.inlet = known(InletKind::c20);
    g.server.part.psus = psus;
  }
  // "C19-1" of each cord on the first PDU.
  std::vector<std::string> first_pdu(std::vector<CordToCome> to_come = {}) {
    const Plan plan = plan_cluster(*s.cluster);
    PowerClass k = plan.power_classes().at(0);
    k.rack.to_come = std::move(to_come);
    std::vector<std::string> out;
    const std::vector<OutletPlace> places = outlet_places(plan, k);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (k.rack.cords[i].position == 0)
        out.push_back(std::string(socket_text(places[i].socket)) + "-" + std::to_string(places[i].number));
    return out;
  }
};
using List = std::vector<std::string>;

TEST(Outlets, ThePlainOnesFirst) { EXPECT_EQ(Rack(3).first_pdu(), (List{"C19-1", "C19-2", "C13/C19-1"})); }
TEST(Outlets, NoneIsLeftForTheFourth) {
  EXPECT_EQ(Rack(4).first_pdu(), (List{"C19-1", "C19-2", "C13/C19-1", "C19-0"}));
}
TEST(Outlets, NoNumberWhereNobodySaysHowMany) { EXPECT_EQ(Rack(2, false).first_pdu(), (List{"C19-0", "C19-0"})); }
// A node to come stands below the second: its outlet is kept, and with three there the second one is where it was.
TEST(Outlets, MembersToComeKeepTheirs) {
  EXPECT_EQ(Rack(2).first_pdu({{.before = 2, .below = 1, .position = 0, .inlet = InletKind::c20}}),
            (List{"C19-1", "C13/C19-1"}));
}
// With two to come four would need three outlets: those who are there have them all the same.
TEST(Outlets, NoneAreKeptWhereThereAreTooFew) {
  const CordToCome one{.before = 2, .below = 1, .position = 0, .inlet = InletKind::c20};
  EXPECT_EQ(Rack(2).first_pdu({one, one, one}), (List{"C19-1", "C19-2"}));
}
// Who has no outlet of its kind in any case takes nobody's place away.
TEST(Outlets, KeptThoughSomebodyFindsNoneInAnyCase) {
  Rack r(1);
  r.s.na60.outlets.pop_back();  // 2 C19 are left, nothing for a C14 plug
  NodeGroupModel& m = r.s.nodes("m", "m[1-1]", 0, 1, 500, 1);
  PsuSet psus;
  psus.count = known<std::int64_t>(2);
  psus.inlet = known(InletKind::c14);
  m.server.part.psus = psus;
  EXPECT_EQ(r.first_pdu(), (List{"C19-1", "C13-0"}));
  EXPECT_EQ(r.first_pdu({{.before = 0, .below = 0, .position = 0, .inlet = InletKind::c20}}), (List{"C19-2", "C13-0"}));
}

// 48 units of 44.45 mm, 20 outlets: the first at half a unit of 2.4, unit 1.7; the supply in unit 40 is 38.3 x 44.45 mm
// = 1.70 m above, the rack 0.8 m wide, 0.5 m of slack at both ends: 3.50 m.
TEST(Outlets, LengthOfACord) {
  Rack r(1, false);
  OutletGroup& g = r.s.na60.outlets.emplace_back();
  g.kind = known(OutletKind::c19);
  g.count = known<std::int64_t>(20);
  const OutletPlace place{.inlet = InletKind::c20, .socket = OutletKind::c19, .number = 1};
  EXPECT_NEAR(cord_length(*r.s.cluster, r.s.cluster->racks[0], 40, r.s.na60, place).value, 4.0, 1e-9);  // 3.502 m
  EXPECT_NEAR(cord_length(*r.s.cluster, r.s.cluster->racks[0], 2, r.s.na60, place).value, 2.0, 1e-9);   // 1.813 m
}

// Lines are kept too: with a node of the same load below it, the second takes the third pair; alone it would take the
// second.
TEST(Outlets, LinesOfMembersToCome) {
  Rack r(2);
  r.s.na60.voltage = known(Volts(208));
  const Plan plan = plan_cluster(*r.s.cluster);
  PowerClass k = plan.power_classes().at(0);
  const RackGroupModel& g = r.s.cluster->racks[0];
  const auto ways = [&] {
    std::vector<int> out;
    const RackWiring w = wire_rack(&g, k.rack);
    for (std::size_t i = 0; i < k.rack.cords.size(); ++i)
      if (k.rack.cords[i].position == 0) out.push_back(w.way[i]);
    return out;
  };
  EXPECT_EQ(ways(), (std::vector<int>{0, 1}));
  k.rack.to_come = {
      {.before = 2, .below = 1, .position = 0, .inlet = InletKind::c20, .load = {.watts = 2080, .supplies = 1}}};
  EXPECT_EQ(ways(), (std::vector<int>{0, 2}));
}

}  // namespace
}  // namespace clusterc
