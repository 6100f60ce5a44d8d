// Money as people write it, and what descriptors cannot say of `prices` and `phases`.
#include "spec/prices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "base/host_pattern.h"
#include "diag/near.h"
#include "fields/scalar_text.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/spec.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

constexpr double kMostMoney = 1e15;

struct Suffix {
  Per per;
  std::string_view text;
  double factor;
};  // amount = number x factor
constexpr Suffix kSuffixes[] = {{Per::hour, "/h", 1},
                                {Per::year, "/year", 1},
                                {Per::metre, "/m", 1},
                                {Per::kilowatt_hour, "/kWh", 1},
                                {Per::kilowatt_hour, "/MWh", 1e-3}};

std::string_view example_of_money(Per per) {
  switch (per) {
    case Per::once:
      return "310000 EUR";
    case Per::hour:
      return "4.10 EUR/h";
    case Per::year:
      return "90000 EUR/year";
    case Per::metre:
      return "6 EUR/m";
    case Per::kilowatt_hour:
      return "0.18 EUR/kWh";
  }
  return "310000 EUR";
}

bool is_currency(std::string_view s) {
  return s.size() == 3 && std::all_of(s.begin(), s.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Shortest, and without an exponent: 300000, not 3e+05.
std::string plain_text(double amount) {
  std::array<char, 400> buffer;
  return {buffer.data(),
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), amount, std::chars_format::fixed).ptr};
}

// "95.000", "1.250": a thousand to one half of the readers, one to the other. "0.125" and "1250.125" are no thousands.
bool thousands_or_decimals(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == number.npos || point == 0 || point > 3 || number.size() != point + 4 || number[0] == '0') return false;
  return std::all_of(number.begin(), number.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// A plain number: neither a fraction nor a share.
std::optional<double> plain_number(std::string_view text) {
  NumberProblem problem;
  if (text.find_first_of("/%") != text.npos) return std::nullopt;
  const auto number = parse_ratio(text, problem);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// "300k EUR", "1.2 M EUR", "300 kEur" -> "300 kEUR", "1.2 MEUR": the prefix stands before the currency. Empty:
// something else is wrong.
std::string with_joined_prefix(std::string_view text) {
  std::size_t end = text.find_first_not_of("0123456789.");
  if (end == text.npos || end == 0) return {};
  std::string unit;
  for (const char c : text.substr(end))
    if (c != ' ') unit += c;
  const std::size_t slash = std::min(unit.find('/'), unit.size());
  if (slash != 3 && slash != 4) return {};
  if (slash == 4 && (unit[0] == 'K' || unit[0] == 'm')) unit[0] = unit[0] == 'K' ? 'k' : 'M';
  for (std::size_t i = slash - 3; i < slash; ++i)
    if (unit[i] >= 'a' && unit[i] <= 'z') unit[i] = static_cast<char>(unit[i] - 'a' + 'A');
  if ((slash == 4 && unit[0] != 'k' && unit[0] != 'M') || !is_currency(std::string_view(unit).substr(slash - 3, 3)))
    return {};
  const std::string meant = format("{} {}", text.substr(0, end), unit);
  return meant == text ? std::string() : meant;
}

}  // namespace

std::optional<std::string> parse_money(std::string_view text, Per per, double& amount, std::string& error) {
  const auto fail = [&](std::string why) {
    error = std::move(why);
    return std::nullopt;
  };
  const auto other = [&] {
    const std::string meant = with_joined_prefix(text);
    return fail(
        format("a price is a number{} a currency of three capital letters{}, such as '{}'; '{}' is not a price{}",
               per == Per::once ? " and" : ",", per == Per::once ? "" : " and what it is for", example_of_money(per),
               text, meant.empty() ? "" : format(": write `{}`", meant)));
  };
  std::string_view rest = text;
  double factor = 1;
  if (per == Per::once) {
    if (rest.find('/') != rest.npos) return other();
  } else {
    const Suffix* found = nullptr;
    for (const Suffix& s : kSuffixes)
      if (s.per == per && rest.ends_with(s.text)) found = &s;
    if (!found) return other();
    rest.remove_suffix(found->text.size());
    factor = found->factor;
  }
  std::size_t begin = rest.size();
  while (begin > 0 && ((rest[begin - 1] >= 'A' && rest[begin - 1] <= 'Z') || rest[begin - 1] == 'k')) --begin;
  std::string_view unit = rest.substr(begin), number_text = rest.substr(0, begin);
  while (!number_text.empty() && number_text.back() == ' ') number_text.remove_suffix(1);
  if (unit.size() == 4 && (unit[0] == 'k' || unit[0] == 'M')) {
    factor *= unit[0] == 'k' ? 1e3 : 1e6;
    unit.remove_prefix(1);
  }
  const auto number = plain_number(number_text);
  if (!number || !is_currency(unit)) return other();
  if (thousands_or_decimals(number_text)) {
    const std::string_view behind = text.substr(number_text.size());
    std::string whole(number_text);
    std::erase(whole, '.');
    const std::string decimal = plain_text(*number);  // 1.250 is 1.25; 1.235 needs a fourth digit
    return fail(format("'{}' can be read in two ways, as {}{} or as {}{}: write {}{}, or {}{}{}", text, whole, behind,
                       decimal, behind, whole, behind, decimal, thousands_or_decimals(decimal) ? "0" : "", behind));
  }
  amount = *number * factor;
  if (amount < 0) return fail(format("a price must be 0 or more, not '{}'", text));
  if (amount > kMostMoney) return fail(format("'{}' is more than clusterc accepts as a price", text));
  return std::string(unit);
}

std::string money_value_text(double amount, std::string_view currency, Per per) {
  std::string out = plain_text(amount);
  if (thousands_or_decimals(out)) out += '0';  // 1.2350, which cannot be read as a thousand
  out += " " + std::string(currency);
  for (const Suffix& s : kSuffixes)
    if (s.per == per && s.factor == 1) out += s.text;
  return out;
}

std::optional<Years> Years::parse(std::string_view text, std::string& error) {
  const auto blank = text.find(' ');
  const std::string_view unit = blank == text.npos ? std::string_view() : text.substr(blank + 1);
  const auto number = plain_number(text.substr(0, blank));
  const double years = number ? *number / (unit.starts_with("month") ? 12 : 1) : 0;
  if (!number || (unit != "year" && unit != "years" && unit != "month" && unit != "months") ||
      !(years > 0 && years <= 100)) {
    error = format("a lifetime is more than 0 and at most 100 years, such as '5 years' or '18 months', not '{}'", text);
    return std::nullopt;
  }
  return Years{years};
}
std::string Years::text() const { return ratio_text(years) + (years == 1 ? " year" : " years"); }

bool PartPrice::from_text(std::string_view text, PartPrice& out, std::string& error) {
  if (text.ends_with("/h")) return (out.per_hour.value = MoneyPerHour::parse(text, error)).has_value();
  if (text.ends_with("/m")) return (out.per_metre.value = MoneyPerMetre::parse(text, error)).has_value();
  return (out.price.value = Money::parse(text, error)).has_value();
}
bool CloudOffer::from_text(std::string_view text, CloudOffer& out, std::string& error) {
  return (out.gpu_hour.value = MoneyPerHour::parse(text, error)).has_value();
}

namespace {

constexpr std::string_view kKinds[] = {"assembly", "rack",  "pdu",           "server",   "gpu",     "cpu",    "memory",
                                       "nic",      "drive", "nvlink-bridge", "instance", "storage", "switch", "cable",
                                       "module",   "fibre", "ups",           "cooling",  "cdu"};

class PriceChecker {
 public:
  PriceChecker(const Prices& p, Findings& findings) : p_(p), findings_(findings) {}

  void all(const Spec& s) {
    if (p_.currency && !is_currency(*p_.currency))
      findings_.error("spec-unknown-value", p_.currency.span,
                      format("'{}' is not a currency: a currency is three capital letters, such as EUR", *p_.currency));
    for (const auto& e : p_.exchange) {
      if (!is_currency(e.name))
        findings_.error("spec-unknown-value", e.name_span,
                        format("'{}' is not a currency: a currency is three capital letters, such as USD", e.name));
      if (e.value && !(*e.value > 0 && *e.value <= 1e9))
        findings_.error("spec-out-of-range", e.value.span,
                        format("one {} is worth {} {}, but the value must be more than 0", e.name, *e.value,
                               p_.currency.value_or("")));
      if (e.value && p_.currency && e.name == *p_.currency && *e.value != 1)
        findings_.error("spec-out-of-range", e.value.span, format("one {} is one {}", e.name, e.name));
    }
    for (const auto* map : {&p_.parts, &p_.kinds, &p_.nodes})
      for (const auto& e : *map) part(e);
    for (const auto& e : p_.kinds)
      if (std::find(std::begin(kKinds), std::end(kKinds), e.name) == std::end(kKinds)) {
        Finding& f = findings_.error("spec-unknown-name", e.name_span, format("'{}' is not a kind of part", e.name));
        suggest(f, e.name_span, e.name, {std::begin(kKinds), std::end(kKinds)});
      }
    std::unordered_set<std::string_view> groups;
    for (const auto& group : s.nodes) groups.insert(group.name);
    for (const auto& e : p_.nodes)
      if (!groups.contains(e.name))
        findings_.error("spec-unknown-name", e.name_span, format("there is no node group '{}'", e.name));
    rented(s);
    for (const auto& e : p_.once) money(e.value);
    for (const auto& e : p_.yearly) money(e.value);
    money(p_.electricity);
    money(p_.budget);
    for (const auto& e : p_.cloud) money(e.value.gpu_hour);
  }

 private:
  void part(const Named<PartPrice>& e) {
    money(e.value.price);
    money(e.value.per_hour);
    money(e.value.per_metre);
    if (!e.value.price && !e.value.per_hour && !e.value.per_metre && !e.value.quoted && !e.value.price.unknown &&
        (e.value.source || e.value.date || e.value.uncertainty))
      findings_.error("spec-missing-key", e.name_span, format("'price' is missing in '{}'", e.name))
          .help(
              "write price: 310000 EUR (per_hour for a rented instance, per_metre for cable that is sold by length); "
              "or leave the part out: it is then listed as unpriced");
  }
  // What is rented has a price of an hour; one without would be bought once, for good.
  void rented(const Spec& s) {
    const auto hourly = [&](const Named<PartPrice>* e, std::string_view what) {
      if (!e || !e->value.price || e->value.per_hour || !told_once_.insert(e).second) return;
      findings_
          .error("spec-wrong-unit", e->value.price.span,
                 format("{} is rented and needs a price per hour, but '{}' is paid once", what, e->value.price->text()))
          .help(format("write the price per hour: {}/h", e->value.price->text()));
    };
    std::unordered_map<std::string_view, const Named<PartPrice>*> own;
    for (const auto& e : p_.nodes) own.emplace(e.name, &e);
    for (const auto& group : s.nodes) {
      const NodeGroup& g = group.value;
      if (g.instance) hourly(p_.parts.find(*g.instance), format("instance '{}'", *g.instance));
      if (g.instance || (g.virtual_machine && s.site && s.site->kind.value_or(SiteKind::own) == SiteKind::cloud))
        if (const auto price = own.find(group.name); price != own.end())
          hourly(price->second, format("node group '{}'", group.name));
    }
    hourly(p_.kinds.find("instance"), "an instance");
  }
  // Sums are made in one currency; what an exchange costs is the user's to say.
  template <Per P>
  void money(const Value<MoneyPer<P>>& v) {
    if (!v || !p_.currency || !is_currency(*p_.currency) || v->currency == *p_.currency ||
        p_.exchange.find(v->currency))
      return;
    if (!told_.insert(v->currency).second) return;
    findings_
        .error("spec-currency-differs", v.span,
               format("a price is in {}, but sums are in {}", v->currency, *p_.currency))
        .help(format("write the value of one {}: exchange: {{ {}: … }}; or write the price in {}", v->currency,
                     v->currency, *p_.currency));
  }

  const Prices& p_;
  Findings& findings_;
  std::set<std::string, std::less<>> told_;
  std::set<const void*> told_once_;
};

}  // namespace

void check_prices(const Spec& s, Findings& findings) {
  if (s.prices) PriceChecker(*s.prices, findings).all(s);
}

void check_phases(const Spec& s, Findings& findings) {
  struct Before {
    std::string_view what, name;
    std::int64_t count = -1;
    SourceSpan at;
  };
  std::vector<Before> before;
  const Value<Date>* last = nullptr;
  for (const auto& phase : s.phases) {
    if (phase.value.by && last && *phase.value.by < **last)
      findings
          .error("spec-out-of-range", phase.value.by.span,
                 format("phase '{}' is done by {}, but the phase before it by {}", phase.name, phase.value.by->text(),
                        (**last).text()))
          .note(last->span, "the phase before");
    if (phase.value.by) last = &phase.value.by;
    const auto grows = [&](std::string_view what, const Named<Value<std::int64_t>>& e, std::int64_t most) {
      if (!e.value) return;
      if (*e.value < 0 || (most >= 0 && *e.value > most)) {
        findings.error(
            "spec-out-of-range", e.value.span,
            format("phase '{}' has {} nodes of '{}', but the spec has {}", phase.name, *e.value, e.name, most));
        return;
      }
      const auto known = std::find_if(before.begin(), before.end(),
                                      [&](const Before& b) { return b.what == what && b.name == e.name; });
      if (known != before.end() && *e.value < known->count)
        findings
            .error("spec-out-of-range", e.value.span,
                   format("phase '{}' has {} {} '{}', but the phase before it has {}", phase.name, *e.value, what,
                          e.name, known->count))
            .note(known->at, "a phase can only add to the phase before it");
      if (known == before.end())
        before.push_back({what, e.name, *e.value, e.value.span});
      else
        *known = {what, e.name, *e.value, e.value.span};
    };
    for (const auto& e : phase.value.nodes) {
      const auto* group = s.nodes.find(e.name);
      if (!group) {
        findings.error("spec-unknown-name", e.name_span, format("there is no node group '{}'", e.name));
        continue;
      }
      HostPattern::Error error;
      const auto names = group->value.names ? HostPattern::parse(*group->value.names, error) : std::nullopt;
      if (names) grows("nodes of", e, names->count());
    }
    for (const auto& e : phase.value.storage) {
      const auto* storage = s.storage.find(e.name);
      if (!storage)
        findings.error("spec-unknown-name", e.name_span, format("there is no storage '{}'", e.name));
      else if (!storage->value.servers || !storage->value.servers->model)
        findings.error("spec-unknown-name", e.name_span,
                       format("storage '{}' is not bought as systems, so no phase counts them", e.name));
      else
        grows("systems of", e, storage->value.servers->count.value_or(1));
    }
  }
}

}  // namespace clusterc
