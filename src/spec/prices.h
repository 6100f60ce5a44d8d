// What things cost, and in which steps the cluster grows: the sections `prices` and `phases` of a spec. No price is
// built in; what nobody priced stays unpriced.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

// An amount of money, once or for each of something: "310000 EUR", "38 kEUR", "4.10 USD/h", "0.18 EUR/kWh". The
// currency is three capital letters (the shape of ISO 4217). Never below 0 and at most 1e15.
enum class Per : std::uint8_t { once, hour, year, kilowatt_hour, metre };
std::optional<std::string> parse_money(std::string_view, Per, double& amount, std::string& error);  // the currency
std::string money_value_text(double amount, std::string_view currency, Per);  // read back to the same

template <Per P>
struct MoneyPer {
  double amount = 0;
  std::string currency;
  static constexpr std::string_view type_name = P == Per::once    ? "amount of money"
                                                : P == Per::hour  ? "price of an hour"
                                                : P == Per::year  ? "cost of a year"
                                                : P == Per::metre ? "price of a metre"
                                                                  : "price of energy";
  static constexpr std::string_view example = P == Per::once    ? "310000 EUR"
                                              : P == Per::hour  ? "4.10 EUR/h"
                                              : P == Per::year  ? "90000 EUR/year"
                                              : P == Per::metre ? "6 EUR/m"
                                                                : "0.18 EUR/kWh";
  static constexpr std::string_view pattern = P == Per::once    ? "^[0-9.eE+-]+ ?[kM]?[A-Z]{3}$"
                                              : P == Per::hour  ? "^[0-9.eE+-]+ ?[kM]?[A-Z]{3}/h$"
                                              : P == Per::year  ? "^[0-9.eE+-]+ ?[kM]?[A-Z]{3}/year$"
                                              : P == Per::metre ? "^[0-9.eE+-]+ ?[kM]?[A-Z]{3}/m$"
                                                                : "^[0-9.eE+-]+ ?[kM]?[A-Z]{3}/[kM]Wh$";
  static std::optional<MoneyPer> parse(std::string_view text, std::string& error) {
    MoneyPer m;
    auto currency = parse_money(text, P, m.amount, error);
    if (!currency) return std::nullopt;
    m.currency = std::move(*currency);
    return m;
  }
  std::string text() const { return money_value_text(amount, currency, P); }
};
using Money = MoneyPer<Per::once>;
using MoneyPerHour = MoneyPer<Per::hour>;
using MoneyPerYear = MoneyPer<Per::year>;
using MoneyPerMetre = MoneyPer<Per::metre>;
using EnergyPrice = MoneyPer<Per::kilowatt_hour>;

struct Years {  // "5 years", "18 months"; a year of cost has 8,760 hours
  double years = 0;
  static constexpr std::string_view type_name = "number of years", example = "5 years",
                                    pattern = "^[0-9.]+ ?(years?|months?)$";
  static std::optional<Years> parse(std::string_view, std::string& error);
  std::string text() const;
};

struct PartPrice {  // "310000 EUR", "98 USD/h" (an instance), "6 EUR/m" (fibre by length)
  SourceSpan span;
  Value<Money> price;
  Value<MoneyPerHour> per_hour;
  Value<MoneyPerMetre> per_metre;
  Value<std::int64_t> quoted;
  Value<double> uncertainty;
  Value<std::string> source;
  Value<Date> date;
  static constexpr std::string_view type_name = "price", example = "310000 EUR";
  static bool from_text(std::string_view, PartPrice&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("price", s.price, {.doc = "of one piece"});
    v("per_hour", s.per_hour, {.doc = "of one instance that is rented, for an hour"});
    v("per_metre", s.per_metre, {.doc = "of cable or fibre, on top of the price of a piece"});
    v("quoted", s.quoted,
      {.doc = "pieces that the offer or order has; compared with what the plan needs", .least = 0, .most = 1e9});
    v("uncertainty", s.uncertainty, {.doc = "how far the price may be off: 10 %", .least = 0, .most = 1});
    v("source", s.source, {.doc = "offer, contract or list that it comes from"});
    v("date", s.date, {.doc = "day of that offer"});
  }
};

struct CloudOffer {  // "4.10 USD/h"
  SourceSpan span;
  Value<MoneyPerHour> gpu_hour;
  Value<double> spot, reserved;
  Value<std::string> source;
  static constexpr std::string_view type_name = "cloud offer", example = "4.10 USD/h";
  static bool from_text(std::string_view, CloudOffer&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("gpu_hour", s.gpu_hour, {.required = true, .doc = "price of one GPU for an hour, on demand"});
    v("spot", s.spot,
      {.doc = "discount of capacity that may be taken away; paid while it is used", .least = 0, .most = 1});
    v("reserved", s.reserved,
      {.doc = "discount of capacity that is reserved; paid whether it is used or not", .least = 0, .most = 1});
    v("source", s.source, {.doc = "price list, with its date"});
  }
};

struct Prices {
  SourceSpan span;
  Value<std::string> currency, source;
  Value<Date> date;
  Value<double> uncertainty, support, utilisation, interest;
  NamedMap<Value<double>> exchange;
  NamedMap<PartPrice> parts, kinds, nodes;
  NamedMap<Value<Money>> once;
  NamedMap<Value<MoneyPerYear>> yearly;
  Value<EnergyPrice> electricity;
  Value<Years> lifetime;
  Value<Money> budget;
  NamedMap<CloudOffer> cloud;
  static constexpr std::string_view type_name = "prices";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("currency", s.currency, {.required = true, .doc = "currency of the sums: EUR"});
    v("exchange", s.exchange, {.doc = "what one unit of another currency is worth in it: { USD: 0.92 }"});
    v("source", s.source, {.doc = "where prices come from that name no source of their own"});
    v("date", s.date, {.doc = "day of these prices"});
    v("uncertainty", s.uncertainty,
      {.standard = "0",
       .why = "prices are taken as they are written",
       .doc = "how far prices may be off: 10 %",
       .least = 0,
       .most = 1});
    v("parts", s.parts, {.doc = "price by part of the bill: { nvidia-qm9700: 38000 EUR }"});
    v("nodes", s.nodes,
      {.doc = "price of each node by node group, where one part is fitted in several ways; goes before `parts`"});
    v("kinds", s.kinds,
      {.doc = "price by kind, for parts without one of their own: assembly, rack, pdu, server, instance, storage, "
              "switch, cable, module, fibre, ups, cooling, cdu"});
    v("once", s.once, {.doc = "what is paid once besides: { freight: 20000 EUR, installation: 35 kEUR }"});
    v("support", s.support,
      {.doc = "support and maintenance of a year, as a share of the price of what is bought", .least = 0, .most = 1});
    v("yearly", s.yearly, {.doc = "what is paid every year besides: { staff: 180 kEUR/year, space: 60 kEUR/year }"});
    v("electricity", s.electricity, {.doc = "price of energy; PUE is `site.pue`, or follows from cooling and UPS"});
    v("utilisation", s.utilisation,
      {.standard = "80 %",
       .why = "planning default: a busy batch system",
       .doc = "share of all GPU-hours that are used",
       .least = 0.001,
       .most = 1});
    v("lifetime", s.lifetime,
      {.standard = "5 years",
       .why = "planning default: straight line over five years",
       .doc = "time over which the purchase is written off"});
    v("interest", s.interest,
      {.standard = "0",
       .why = "straight line unless a rate is written",
       .doc = "interest of a year on the purchase, paid back as an annuity",
       .least = 0,
       .most = 1});
    v("budget", s.budget, {.doc = "most that may be spent on the purchase"});
    v("cloud", s.cloud, {.doc = "prices of GPUs for rent to compare with, by name"});
  }
};

// One step of growth: how many members of each group are there when it is done.
struct Phase {
  SourceSpan span;
  NamedMap<Value<std::int64_t>> nodes, storage;
  Value<Date> by;
  static constexpr std::string_view type_name = "phase";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("nodes", s.nodes,
      {.doc = "nodes of each group that are there at its end: { gpu: 32 }; left out: as in the phase before, in the "
              "first one all"});
    v("storage", s.storage, {.doc = "storage systems that are there at its end, likewise"});
    v("by", s.by, {.doc = "day by which it is done"});
  }
};

struct Spec;
class Findings;
// What descriptors cannot say of the two sections: currencies that can be added up, names that exist, phases that only
// grow.
void check_prices(const Spec&, Findings&);
void check_phases(const Spec&, Findings&);

}  // namespace clusterc
