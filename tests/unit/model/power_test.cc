#include "model/power.h"

#include <gtest/gtest.h>

#include "spec/nodes.h"
#include "spec/sections.h"

namespace clusterc {
namespace {

template <class T>
Value<T> fact(T v, bool confirmed = true) {
  Value<T> f(v, {}, Origin::catalog);
  f.confirmed = confirmed;
  return f;
}

struct LabServer {
  GpuPart gpu;
  CpuPart cpu;
  NicPart nic;
  ServerModel server;
  LabServer() {
    gpu.tdp = fact(Watts{350});
    cpu.tdp = fact(Watts{280});
    nic.power = fact(Watts{25});
    server.gpu = &gpu;
    server.gpu_model = "gpu";
    server.gpu_count = 4;
    server.cpu = &cpu;
    server.cpu_model = "cpu";
    server.cpu_count = 2;
    server.part.memory.emplace().count = fact(std::int64_t{16});
    Drives drives;
    drives.count = fact(std::int64_t{3});
    server.part.drives.entries.push_back({"scratch", {}, drives});
    server.nics.push_back({"data", {}, &nic, "nic", 1});
  }
};

TEST(Power, OfAServerIsTheSumOfItsParts) {
  LabServer s;
  // 4 x 350 + 2 x 280 + 16 x 10 + 3 x 20 + 25 = 1400 + 560 + 160 + 60 + 25 = 2205 W; fans 12 %: 2469.6 W; / 0.94 =
  // 2627.23 W
  const PowerSum sum = server_power_sum(s.server);
  EXPECT_TRUE(sum.complete);
  EXPECT_DOUBLE_EQ(sum.parts.value, 2205);
  EXPECT_DOUBLE_EQ(sum.fans.value, 264.6);
  EXPECT_NEAR(sum.wall.value, 2627.234, 0.001);
  EXPECT_EQ(sum.formula(),
            "(4 x 350 W gpu + 2 x 280 W cpu + 16 x 10 W memory module + 3 x 20 W drive + 1 x 25 W nic) x 1.12 fans / "
            "0.94 supply efficiency");
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 2627.234, 0.001);
  EXPECT_EQ(s.server.power.origin, Origin::derived);
  EXPECT_EQ(s.server.power.source, sum.formula());
}

// Disks are no NVMe drives: 24 of them are 240 W, not 480 W.
TEST(Power, OfDisksIsTheirOwn) {
  LabServer s;
  Drives disks;
  disks.count = fact(std::int64_t{24});
  disks.kind = fact(DriveKind::hdd);
  s.server.part.drives.entries.push_back({"data", {}, disks});
  const PowerSum sum = server_power_sum(s.server);
  EXPECT_DOUBLE_EQ(sum.parts.value, 2205 + 240);
  EXPECT_EQ(sum.formula(),
            "(4 x 350 W gpu + 2 x 280 W cpu + 16 x 10 W memory module + 3 x 20 W drive + 24 x 10 W hard disk + 1 x 25 W "
            "nic) x 1.12 fans / 0.94 supply efficiency");
}

// 2,700 W at the wall through supplies of 0.94 are 2,538 W of direct current; through supplies of 0.88 they take 2,538
// / 0.88 = 2,884.09 W.
TEST(Power, WhatTheSuppliesGiveStaysWhereTheirLossesDiffer) {
  LabServer s;
  s.server.part.power = fact(Watts{2700});
  s.server.stated_for = std::make_shared<const ServerModel>(s.server);
  s.server.part.psus.emplace().efficiency = fact(0.88);
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 2884.091, 0.001);
  EXPECT_FALSE(s.server.power.confirmed);
  EXPECT_EQ(s.server.power.source, "2.7 kW in the catalogue x 0.94 / 0.88 supply efficiency");
  s.server.part.psus->efficiency = fact(0.94);
  fill_server_power(s.server, {});
  EXPECT_DOUBLE_EQ(s.server.power->value, 2700);
  EXPECT_TRUE(s.server.power.confirmed);
}

// Adapters of unknown power: of a sum all of them, beside a catalogued figure those that it is not of.
TEST(Power, LacksAdaptersThatNobodyStatesThePowerOf) {
  NicPart silent;
  const auto lacking = [](const ServerModel& server, Watts cap = {}) {
    NodeGroup spec;
    if (cap.value > 0) spec.power_cap = fact(cap);
    NodeGroupModel group;
    group.spec = &spec;
    group.server = server;
    fill_server_power(group.server, spec.power_cap);
    std::string text;
    for (const PowerGap& gap : power_lacks(group))
      text += std::to_string(gap.count) + " x " + gap.what + " of " + to_text(*group.server.power) + ";";
    return text;
  };
  LabServer sum;
  EXPECT_EQ(lacking(sum.server), "");
  sum.server.nics.push_back({"more", {}, &silent, "silent", 2});
  EXPECT_EQ(lacking(sum.server), "2 x silent of 2.627 kW;");  // OfAServerIsTheSumOfItsParts
  EXPECT_EQ(lacking(sum.server, Watts{2000}), "");            // the node draws no more, whatever is in it
  EXPECT_EQ(lacking(sum.server, Watts{3000}), "2 x silent of 2.627 kW;");

  LabServer listed;
  listed.server.nics.push_back({"more", {}, &silent, "silent", 2});
  listed.server.part.power = fact(Watts{2700});
  listed.server.stated_for = std::make_shared<ServerModel>(listed.server);
  EXPECT_EQ(lacking(listed.server), "");  // the maker's figure is of a server with both
  listed.server.nics.back().count = 3;
  EXPECT_EQ(lacking(listed.server), "1 x silent of 2.7 kW;");
  listed.server.nics.back().count = 1;
  EXPECT_EQ(lacking(listed.server), "");  // one less: no lower bound
}

TEST(Power, OfAServerFallsWithTheLimitOfItsGpus) {
  LabServer s;
  s.server.gpu_limit = fact(Watts{300});
  EXPECT_DOUBLE_EQ(server_power_sum(s.server).parts.value, 2005);   // 4 x 50 W less
  EXPECT_DOUBLE_EQ(server_power_sum(s.server).stated.value, 1785);  // 4 x 300 + 2 x 280 + 25: no planning defaults
  s.server.part.power = fact(Watts{3000});
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 2761.702, 0.001);  // 3,000 - 200 x 1.12 / 0.94: fans and supplies take less too
  EXPECT_EQ(s.server.power.source, "3 kW - 4 x (350 W - 300 W) x 1.12 fans / 0.94 supply efficiency");
  s.server.gpu_limit = fact(Watts{400});  // above the TDP: nothing changes
  fill_server_power(s.server, {});
  EXPECT_DOUBLE_EQ(s.server.power->value, 3000);
}

// The lab's server with other parts than its catalogued 2,700 W, 540 W idle and 237 CFM are of.
struct RefittedServer : LabServer {
  GpuPart new_gpu;
  CpuPart new_cpu;
  RefittedServer() {
    const auto listed = std::make_shared<ServerModel>(server);
    server.part.power = fact(Watts{2700});
    server.part.power_idle = fact(Watts{540});
    server.part.airflow = fact(AirFlow{0.1});
    listed->part = server.part;
    server.stated_for = listed;
    new_gpu.tdp = fact(Watts{400});
    new_cpu.tdp = fact(Watts{400});
  }
  void replace() {
    server.gpu = &new_gpu;
    server.gpu_model = "h100";
    server.cpu = &new_cpu;
    server.cpu_model = "9575f";
  }
};

TEST(Power, FollowsPartsThatTheStatedOneIsNotOf) {
  RefittedServer s;
  fill_server_power(s.server, {});
  EXPECT_EQ(s.server.power->value, 2700);  // the same parts: the maker's figure
  EXPECT_EQ(s.server.power.origin, Origin::catalog);
  EXPECT_FALSE(s.server.refitted);
  s.replace();
  fill_server_power(s.server, {});
  // 4 x (400 - 350) + 2 x (400 - 280) = 200 + 240 = 440 W; x 1.12 / 0.94 = 524.26 W at the wall; 2,700 + 524.26 =
  // 3,224.26 W
  EXPECT_NEAR(s.server.power->value, 3224.255, 0.001);
  EXPECT_TRUE(s.server.refitted);
  EXPECT_EQ(s.server.power.source,
            "2.7 kW in the catalogue + (4 x 400 W h100 + 2 x 400 W 9575f - 4 x 350 W gpu - 2 x 280 W cpu) x 1.12 fans "
            "/ 0.94 supply efficiency");
  // Idle power and air keep their share: 3,224.26 / 2,700 = 1.194168; 540 x 1.194168 = 644.85 W; 0.1 x 1.194168 =
  // 0.119417 m3/s
  EXPECT_NEAR(s.server.power_idle->value, 644.851, 0.001);
  EXPECT_FALSE(s.server.power_idle.confirmed);
  EXPECT_NEAR(s.server.airflow->value, 0.119417, 1e-6);
  // 8 modules and a drive more: 8 x 10 + 20 = 100 W; x 1.12 / 0.94 = 119.15 W
  s.server.part.memory->count = fact(std::int64_t{24});
  s.server.part.drives.entries.front().value.count = fact(std::int64_t{4});
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 3343.404, 0.001);
  // A limit of 350 W on each GPU takes 4 x 50 x 1.12 / 0.94 = 238.30 W away again.
  s.server.gpu_limit = fact(Watts{350});
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 3105.106, 0.001);
}

// Other GPUs and processors than the catalogued 2,700 W are of, and figures that the spec writes for them: 3,224.26 W,
// 600 W idle, 0.09 m3/s. The typical 2,025 W that nobody wrote anew keep their share: 2,025 x 3,224.255 / 2,700 =
// 2,418.19 W.
TEST(Power, WhatIsWrittenStaysAsWritten) {
  RefittedServer s;
  const auto listed = std::make_shared<ServerModel>(*s.server.stated_for);
  s.server.part.power_typical = listed->part.power_typical = fact(Watts{2025});
  s.server.stated_for = listed;
  s.replace();
  s.server.part.power_idle = Value<Watts>(Watts{600}, {}, Origin::spec);
  s.server.part.airflow = Value<AirFlow>(AirFlow{0.09}, {}, Origin::spec);
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 3224.255, 0.001);
  EXPECT_EQ(s.server.power_idle->value, 600);
  EXPECT_TRUE(s.server.power_idle.confirmed);
  EXPECT_EQ(s.server.airflow->value, 0.09);
  EXPECT_NEAR(s.server.power_typical->value, 2418.191, 0.001);
  s.new_gpu.tdp = {};  // no power is known: what was written still is
  fill_server_power(s.server, {});
  EXPECT_FALSE(s.server.power);
  EXPECT_FALSE(s.server.power_typical);
  EXPECT_EQ(s.server.power_idle->value, 600);
  EXPECT_EQ(s.server.airflow->value, 0.09);
}

TEST(Power, FallsWithPartsThatAreLeftOut) {
  RefittedServer s;
  s.server.gpu_count = 2;  // 2,700 - 2 x 350 x 1.12 / 0.94 = 2,700 - 834.04
  fill_server_power(s.server, {});
  EXPECT_NEAR(s.server.power->value, 1865.957, 0.001);
}

TEST(Power, WithoutAFigureOfAPartNothingIsTakenAsKnown) {
  RefittedServer s;
  s.replace();
  s.new_gpu.tdp = {};  // of a new part: no sum, no power
  fill_server_power(s.server, {});
  EXPECT_FALSE(s.server.power);
  EXPECT_EQ(s.server.power.source, "the tdp of 'h100' is not known");
  EXPECT_FALSE(s.server.power_idle);
  s.new_gpu.tdp = fact(Watts{400});
  s.gpu.tdp = {};  // of the old one: the sum of what is there now
  fill_server_power(s.server, {});
  // 4 x 400 + 2 x 400 + 16 x 10 + 3 x 20 + 25 = 2,645 W; x 1.12 / 0.94 = 3,151.49 W
  EXPECT_NEAR(s.server.power->value, 3151.489, 0.001);
  s.gpu.tdp = fact(Watts{350});
  s.server.nics.front() = {"data", {}, nullptr, "unknown", 1};  // tens of watts: 25 W less, and unconfirmed
  fill_server_power(s.server, {});
  // 3,224.255 - 25 x 1.12 / 0.94 = 3,194.47 W
  EXPECT_NEAR(s.server.power->value, 3194.468, 0.001);
  EXPECT_FALSE(s.server.power.confirmed);
}

// A catalogued server that lists GPUs only (its processors are whatever it was measured with): processors of the spec's
// own change nothing.
TEST(Power, WhatTheStatedOneDoesNotListIsNotKnownToDiffer) {
  RefittedServer s;
  const auto listed = std::make_shared<ServerModel>(*s.server.stated_for);
  listed->cpu = nullptr;
  listed->cpu_count = 0;
  listed->nics.clear();
  listed->part.memory.reset();
  listed->part.drives.entries.clear();
  s.server.stated_for = listed;
  fill_server_power(s.server, {});
  EXPECT_EQ(s.server.power->value, 2700);
  EXPECT_FALSE(s.server.refitted);
}

TEST(Power, LiquidCoolingLeavesLessForFansAndTheSuppliesEfficiencyCounts) {
  LabServer s;
  s.server.part.liquid_cooled = fact(true);
  s.server.part.psus.emplace().efficiency = fact(0.96);
  EXPECT_NEAR(server_power_sum(s.server).wall.value, 2365.781, 0.001);  // 2205 x 1.03 / 0.96
}

TEST(Power, TheMakersFigureComesFirstAndACapLowersIt) {
  LabServer s;
  s.server.part.power = fact(Watts{2700});
  s.server.part.power_typical = fact(Watts{2000});
  fill_server_power(s.server, {});
  EXPECT_EQ(s.server.power->value, 2700);
  EXPECT_EQ(s.server.power.origin, Origin::catalog);
  fill_server_power(s.server, Value<Watts>(Watts{2400}, {}, Origin::spec));
  EXPECT_EQ(s.server.power->value, 2400);
  EXPECT_EQ(s.server.power.origin, Origin::derived);
  EXPECT_EQ(s.server.power_typical->value, 2000);  // already below
  fill_server_power(s.server, Value<Watts>(Watts{3000}, {}, Origin::spec));
  EXPECT_EQ(s.server.power->value, 2700);  // a cap above the highest power caps nothing
}

TEST(Power, WithoutAProcessorsFigureThereIsNone) {
  LabServer s;
  s.gpu.tdp = {};
  fill_server_power(s.server, {});
  EXPECT_FALSE(s.server.power);
  EXPECT_TRUE(s.server.power.unknown);
  EXPECT_EQ(s.server.power.source, "the tdp of 'gpu' is not known");
  fill_server_power(s.server, Value<Watts>(Watts{2400}, {}, Origin::spec));
  EXPECT_EQ(s.server.power->value, 2400);  // what is enforced is known
}

TEST(Power, UnconfirmedFiguresMakeAnUnconfirmedSum) {
  LabServer s;
  EXPECT_TRUE(server_power_sum(s.server).confirmed);
  s.cpu.tdp.confirmed = false;
  fill_server_power(s.server, {});
  EXPECT_FALSE(s.server.power.confirmed);
  LabServer t;
  t.nic.power = {};
  EXPECT_FALSE(server_power_sum(t.server).confirmed);
  EXPECT_DOUBLE_EQ(server_power_sum(t.server).parts.value, 2180);  // 2205 - 25
}

TEST(Power, OfASwitchFallsBackToItsSuppliesThenToTypical) {
  SwitchPart s;
  EXPECT_TRUE(switch_power(s).unknown);
  s.power_typical = fact(Watts{98});
  EXPECT_EQ(switch_power(s)->value, 98);
  EXPECT_FALSE(switch_power(s).confirmed);
  s.psus.emplace();
  s.psus->count = fact(std::int64_t{4});
  s.psus->spare = fact(std::int64_t{2});
  s.psus->power = fact(Watts{1500});
  EXPECT_EQ(switch_power(s)->value, 3000);  // (4 - 2) x 1500 W
  EXPECT_FALSE(switch_power(s).confirmed);
  s.power = fact(Watts{2080});
  EXPECT_EQ(switch_power(s)->value, 2080);
  EXPECT_TRUE(switch_power(s).confirmed);
}

TEST(Power, SuppliesSeeAVoltageThatTheyCanTake) {
  EXPECT_DOUBLE_EQ(load_voltage(3, Volts{208}).value, 208);     // between lines
  EXPECT_NEAR(load_voltage(3, Volts{415}).value, 239.6, 0.01);  // 415 / sqrt(3)
  EXPECT_NEAR(load_voltage(3, Volts{400}).value, 230.94, 0.01);
  EXPECT_NEAR(load_voltage(3, Volts{480}).value, 277.13, 0.01);
  EXPECT_DOUBLE_EQ(load_voltage(1, Volts{230}).value, 230);
  Site site;
  EXPECT_FALSE(supply_voltage(site));
  site.supply.emplace().phases = fact(std::int64_t{3});
  site.supply->voltage = fact(Volts{415});
  EXPECT_NEAR(supply_voltage(site)->value, 239.6, 0.01);
}

TEST(Power, ContinuousRatingsAgreeWithPublishedOnes) {
  // HP, Power basics for IT professionals, tables 4 and 5: 208 V three phases 20/30/60 A: 5,764, 8,646 and 17,292 VA;
  // 230/400 V 32 A: 22.08 kVA (3 x 230 x 32)
  EXPECT_NEAR(continuous_rating(3, Volts{208}, Amperes{20}, 0.8).value, 5764, 1);
  EXPECT_NEAR(continuous_rating(3, Volts{208}, Amperes{30}, 0.8).value, 8646, 1);
  EXPECT_NEAR(continuous_rating(3, Volts{208}, Amperes{60}, 0.8).value, 17292, 2);
  EXPECT_NEAR(continuous_rating(3, Volts{400}, Amperes{32}, 1.0).value, 22080, 100);
  EXPECT_DOUBLE_EQ(continuous_rating(1, Volts{230}, Amperes{32}, 1.0).value, 7360);
}

// 80 PLUS Platinum, 230 V: 90, 94, 91 % at 20, 50, 100 % of the load, as shares of the middle one.
TEST(Supplies, EfficiencyAtTheLoadPoint) {
  EXPECT_NEAR(efficiency_form(0.2), 0.90 / 0.94, 1e-12);
  EXPECT_NEAR(efficiency_form(0.5), 1, 1e-12);
  EXPECT_NEAR(efficiency_form(1), 0.91 / 0.94, 1e-12);
  EXPECT_NEAR(efficiency_form(0.35), (0.90 / 0.94 + 1) / 2, 1e-12);
  EXPECT_NEAR(efficiency_form(0.05), 0.90 / 0.94, 1e-12);
}

// DGX H100: 10.2 kW, idle 1.95 kW, 6 x 3.3 kW of which two may fail. 10.2 x 0.94 = 9.588 kW: 48.4 % of six, 72.6 % of
// four, 96.8 % of three.
TEST(Supplies, LoadPointRisesWhenOthersDie) {
  const SupplyLoad dgx{
      .watts = 10200, .throttles = true, .idle = 1950, .output = 3300, .efficiency = 0.94, .supplies = 6, .spare = 2};
  EXPECT_EQ(on_supplies(dgx, 6).watts, 10200);
  const SupplyResult four = on_supplies(dgx, 4);
  EXPECT_EQ(four.state, SupplyState::runs);
  // form(0.48424) = 0.99776, form(0.72636) = 0.98555, form(0.96848) = 0.97010
  EXPECT_NEAR(four.watts, 10200 * 0.99776 / 0.98555, 0.2);
  const SupplyResult three = on_supplies(dgx, 3);  // 9.9 kW are enough, but only two may fail
  EXPECT_EQ(three.state, SupplyState::throttled);
  EXPECT_NEAR(three.watts, 10200 * 0.99776 / 0.97010, 0.2);
  const SupplyResult two = on_supplies(dgx, 2);  // 6.6 kW at full load: 6.6 / 0.91
  EXPECT_EQ(two.state, SupplyState::throttled);
  EXPECT_NEAR(two.watts, 6600 / 0.91, 1e-6);
  EXPECT_EQ(on_supplies(dgx, 1).state, SupplyState::throttled);  // 3.3 kW > 1.95 x 0.94 kW
  EXPECT_EQ(on_supplies(dgx, 0).state, SupplyState::dead);
}

TEST(Supplies, WhatNobodyStatesIsNotJudged) {
  SupplyLoad d{.watts = 1000, .supplies = 2};
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::unjudged);
  EXPECT_EQ(on_supplies(d, 1).watts, 1000);  // and counts in full
  d.spare = 1;
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::runs);  // declared
  d.spare = -1;
  d.output = 1600;
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::runs);  // 940 W of 1,600 W
  d.output = 800;
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::dead);  // a switch does not throttle
  d.throttles = true;
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::unjudged);
  d.idle = 900;  // 846 W of 800 W
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::dead);
  d.idle = 300;
  EXPECT_EQ(on_supplies(d, 1).state, SupplyState::throttled);
  EXPECT_NEAR(on_supplies(d, 1).watts, 800 / 0.91, 1e-9);
}

}  // namespace
}  // namespace clusterc
