#include "plan/cost/cost.h"

#include <gtest/gtest.h>

#include "spec/prices.h"
#include "unit/plan/superpod.h"

namespace clusterc {
namespace {
using test::known;

template <Per P>
Value<MoneyPer<P>> money(double amount, const char* currency = "EUR") {
  return known(MoneyPer<P>{amount, currency});
}
Named<PartPrice> price(const char* name, double amount, const char* currency = "EUR") {
  Named<PartPrice> p{name, {}, {}};
  p.value.price = money<Per::once>(amount, currency);
  return p;
}

// Four servers of eight GPUs in one rack with two PDUs: 2 kW at most, 1.5 kW typical, 0.5 kW idle each.
struct Priced {
  test::Sample s;
  Prices prices;
  Priced() {
    const int a = s.feed("A", 1e5), b = s.feed("B", 1e5);
    s.racks("main", "r1", s.na60, {a, b}, s.zone("hall"));
    NodeGroupModel& gpu = s.nodes("gpu", "gpu[1-4]", 0, 2, 2000, 25);
    gpu.server.gpu_count = 8;
    gpu.server.gpu_model = "some-gpu";
    gpu.server.power_typical = known(Watts(1500));
    gpu.server.power_idle = known(Watts(500));
    s.cluster->spec.site.emplace();
    s.cluster->spec.site->pue = known(1.25);
    prices.currency = known<std::string>("EUR");
    prices.exchange.entries.push_back({"USD", {}, known(0.9)});
    prices.parts.entries.push_back(price("gpu-server", 100000));
    prices.kinds.entries.push_back(price("rack", 2000));
    prices.kinds.entries.push_back(price("pdu", 1000, "USD"));
    prices.once.entries.push_back({"freight", {}, money<Per::once>(6200)});
    prices.yearly.entries.push_back({"staff", {}, money<Per::year>(10860)});
    prices.electricity = money<Per::kilowatt_hour>(0.2);
    prices.support = known(0.1);
    prices.utilisation = known(0.5);
    prices.lifetime = known(Years{5});
    Named<CloudOffer> rent{"rent", {}, {}};
    rent.value.gpu_hour = money<Per::hour>(2);
    rent.value.spot = known(0.5);
    rent.value.reserved = known(0.4);
    prices.cloud.entries.push_back(rent);
  }
  Cost cost() {
    s.cluster->spec.prices = prices;
    const Plan p = plan_cluster(*s.cluster);
    auto c = cost_of(p);
    EXPECT_TRUE(c);
    return c ? *c : Cost{};
  }
};

TEST(Cost, OfAPurchase) {
  Priced p;
  const Cost c = p.cost();
  // 4 x 100,000 + 2,000 + 2 x 1,000 USD x 0.9 = 403,800; and 6,200 of freight.
  EXPECT_DOUBLE_EQ(c.hardware, 403800);
  EXPECT_DOUBLE_EQ(c.purchase, 410000);
  EXPECT_EQ(c.unpriced, 0);
  EXPECT_TRUE(c.complete());
}

TEST(Cost, OfAYearAndOfAGpuHour) {
  Priced p;
  const Cost c = p.cost();
  // Half of the time 1.5 kW, half 0.5 kW: 4 kW on average; x 1.25 x 8.760 = 43,800 kWh at 0.20.
  EXPECT_DOUBLE_EQ(c.average.value, 4000);
  EXPECT_DOUBLE_EQ(c.kilowatt_hours, 43800);
  EXPECT_DOUBLE_EQ(*c.energy, 8760);
  EXPECT_DOUBLE_EQ(*c.support, 40380);
  EXPECT_DOUBLE_EQ(c.running, 8760 + 40380 + 10860);
  EXPECT_DOUBLE_EQ(c.write_off, 82000);
  EXPECT_DOUBLE_EQ(c.year, 142000);
  EXPECT_DOUBLE_EQ(*c.gpu_hour, 142000 / 140160.0);  // 32 x 8,760 x 0.5
  EXPECT_DOUBLE_EQ(*c.gpu_hour_at_full, 142000 / 280320.0);
}

TEST(Cost, BesideRentedGpus) {
  Priced p;
  const Cost c = p.cost();
  ASSERT_EQ(c.cloud.size(), 3u);
  // All hours: 2 x 280,320 = 560,640. Energy grows by 4 kW x 1.25 x 8.760 x 0.20 = 8,760 from unused to used; 142,000 -
  // 4,380 are paid in any case.
  EXPECT_NEAR(*c.cloud[0].break_even, 137620.0 / (560640 - 8760), 1e-12);
  EXPECT_NEAR(*c.cloud[0].payback_years, 410000.0 / (280320 - 60000), 1e-12);
  EXPECT_NEAR(c.cloud[1].gpu_hour, 1, 1e-12);
  EXPECT_NEAR(*c.cloud[1].break_even, 137620.0 / (280320 - 8760), 1e-12);
  EXPECT_EQ(c.cloud[2].terms, "reserved");
  EXPECT_NEAR(c.cloud[2].year, 1.2 * 280320, 1e-6);  // used or not
  EXPECT_FALSE(c.cloud[2].break_even);
  EXPECT_NEAR(*c.cloud[2].payback_years, 410000.0 / (336384 - 60000), 1e-12);
}

TEST(Cost, AtTheBreakEvenBothCostTheSame) {
  Priced p;
  const double u = *p.cost().cloud[0].break_even;
  p.prices.utilisation = known(u);
  const Cost c = p.cost();
  EXPECT_NEAR(c.year, c.cloud[0].year, 1e-6);
  EXPECT_NEAR(*c.gpu_hour, 2, 1e-9);
}

TEST(Cost, NeverPaysWhereRentCostsLessThanRunning) {
  Priced p;
  p.prices.cloud.entries[0].value.gpu_hour = money<Per::hour>(0.01);
  const Cost c = p.cost();
  EXPECT_FALSE(c.cloud[0].break_even);  // 0.01 x 280,320 = 2,803 < 8,760 of energy alone
  EXPECT_FALSE(c.cloud[0].payback_years);
}

TEST(Cost, ListsWhatHasNoPrice) {
  Priced p;
  p.prices.kinds.entries.pop_back();
  p.prices.electricity = {};
  const Cost c = p.cost();
  EXPECT_EQ(c.unpriced, 1);
  EXPECT_FALSE(c.energy);
  EXPECT_FALSE(c.complete());
  EXPECT_DOUBLE_EQ(c.hardware, 402000);
}

TEST(Cost, GroupsBeforePartsBeforeKinds) {
  Priced p;
  p.s.nodes("big", "big[1-2]", 0, 2, 2000, 25).server.id = "gpu-server";
  p.prices.kinds.entries.push_back(price("server", 1));
  p.prices.nodes.entries.push_back(price("big", 150000));
  const Cost c = p.cost();
  EXPECT_DOUBLE_EQ(c.hardware, 4 * 100000.0 + 2 * 150000 + 2000 + 1800);
}

TEST(Cost, AnAnnuityPaysBackWithInterest) {
  Priced p;
  p.prices.interest = known(0.05);
  // 410,000 at 5 % over five years: x 0.05 / (1 - 1.05^-5) = x 0.2309748.
  EXPECT_NEAR(p.cost().write_off, 94699.67, 0.01);
}

TEST(Cost, MoneyReadsAsPeopleWriteIt) {
  EXPECT_EQ(money_text(310000, "EUR"), "310,000 EUR");
  EXPECT_EQ(money_text(1234567.8, "EUR"), "1,234,568 EUR");
  EXPECT_EQ(money_text(2.3149, "USD"), "2.31 USD");
  EXPECT_EQ(money_text(0, "EUR"), "0.00 EUR");
  EXPECT_EQ(money_text(-1500, "EUR"), "-1,500 EUR");
  EXPECT_EQ(money_text(999, "EUR"), "999 EUR");
}

}  // namespace
}  // namespace clusterc
