// Any bytes at all as a value: every reader of a unit, number, name pattern, range, address or short form must take it
// or say what is wrong; what it takes must be what its text says, so that written out and read again it is the same.
// With clang: -fsanitize=fuzzer,address. Without libFuzzer see fuzz_main.h.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_pattern.h"
#include "base/ip.h"
#include "base/quantity.h"
#include "base/text.h"
#include "broken.h"
#include "catalog/server_parts.h"
#include "diag/finding.h"
#include "fields/scalar_text.h"
#include "fields/scalars.h"
#include "model/storage_path.h"
#include "spec/edition.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/override.h"
#include "spec/prices.h"
#include "spec/sections.h"
#include "spec/site.h"
#include "spec/software.h"
#include "spec/spec.h"

namespace {

using namespace clusterc;

void quantities(std::string_view text) {
  int read_as = 0;
  for (int d = 0; d <= static_cast<int>(Dimension::transfer_rate); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    QuantityError error{};
    const auto si = parse_quantity(text, dimension, error);
    if (!si) {
      if (error.kind == QuantityError::Kind::wrong_dimension) {
        QuantityError other{};
        if (!error.other || *error.other == dimension) broken("a wrong dimension without the right one", text);
        if (!parse_quantity(text, *error.other, other) && other.kind != QuantityError::Kind::not_finite)
          broken("the dimension that is offered does not take it", text);
      }
      continue;
    }
    ++read_as;
    if (!std::isfinite(*si)) broken("a quantity that is no number", text);
    const std::string exact = to_exact_text(*si, dimension);
    QuantityError again{};
    const auto back = parse_quantity(exact, dimension, again);
    if (!back || *back != *si) broken("an exact text that reads as something else", exact);
    for (const int digits : {1, 4, 17}) {
      const std::string shown = to_text(*si, dimension, digits);
      const auto near = parse_quantity(shown, dimension, again);
      // Half of the last digit shown; of one digit at most half of the number itself. Near the ends of what a double
      // holds the rounded number may be none.
      const double room = 0.51 * std::pow(10, 1 - digits) * std::fabs(*si) + 1e-12;
      if (!near && again.kind != QuantityError::Kind::not_finite) broken("a text that is not read", shown);
      if (near && std::fabs(*si) > 1e-290 && !(std::fabs(*near - *si) <= std::max(room, 1e-14 * std::fabs(*si))))
        broken("a text that is further off than its digits", shown);
    }
  }
  if (read_as > 4) broken("a unit of too many dimensions", text);
}

void numbers(std::string_view text) {
  NumberProblem problem{};
  const auto whole = parse_whole(text, problem);
  if (whole.has_value() != (problem == NumberProblem::none)) broken("a whole number and a problem, or neither", text);
  NumberProblem other{};
  const auto ratio = parse_ratio(text, other);
  if (ratio.has_value() != (other == NumberProblem::none)) broken("a ratio and a problem, or neither", text);
  if (whole && !text.starts_with("0x") && !text.starts_with("0o") && (!ratio || *ratio != static_cast<double>(*whole)))
    broken("a whole number that is another ratio", text);
  if (ratio) {
    if (!std::isfinite(*ratio)) broken("a ratio that is no number", text);
    const auto back = parse_ratio(ratio_text(*ratio), other);
    if (!back || *back != *ratio) broken("a ratio that reads as something else", text);
  }
  (void)parse_truth(text);
  if (const auto uint = parse_uint(text)) {
    std::string again;
    append_uint(again, *uint);
    const std::size_t zeros = text.find_first_not_of('0');
    if (again != (zeros == std::string_view::npos ? "0" : text.substr(zeros)))
      broken("digits that are another number", text);
  }
}

void patterns(std::string_view text) {
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(text, error);
  if (!pattern) {
    if (error.message.empty()) broken("a pattern refused without a reason", text);
    if (error.offset > text.size()) broken("a place outside of the pattern", text);
    return;
  }
  if (pattern->text() != text) broken("a pattern with another text", text);
  const std::int64_t count = pattern->count();
  if (count < 1 || count > (1 << 24)) broken("a pattern of too few or too many names", text);
  std::vector<std::string> names;
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, count / 3, count / 2, count - 2, count - 1}) {
    if (i < 0 || i >= count) continue;
    const std::string name = pattern->name(i);
    if (pattern->index_of(name) != i) broken("a name that is not found where it is", name);
    (void)pattern->suffix(i);
    names.push_back(name);
  }
  if (count <= 64) {
    names.clear();
    for (std::int64_t i = 0; i < count; ++i) names.push_back(pattern->name(i));
  }
  const std::string folded = fold_names(names);
  HostPattern::Error of_folded;
  const auto again = HostPattern::parse(folded, of_folded);
  if (!again) broken("folded names that are no pattern", folded);
  for (const std::string& name : names)
    if (again->index_of(name) < 0) broken("a name lost in folding", name);
  const HostPattern resized = *pattern;
  for (const std::int64_t wanted : {std::int64_t{1}, count, count + 1, count + 100}) {
    if (wanted > (1 << 16)) continue;
    HostPattern::Error of_resized;
    const std::string more = resized_pattern(resized, wanted, "group");
    const auto read = HostPattern::parse(more, of_resized);
    if (read && read->count() != wanted) broken("a pattern resized to another count", more);
  }
}

void addresses(std::string_view text) {
  std::string error;
  if (const auto prefix = Ipv4Prefix::parse(text, error)) {
    if (prefix->text() != text) broken("a prefix with another text", text);
    if (!prefix->contains(prefix->base) || !prefix->contains(prefix->broadcast()))
      broken("a prefix without its own ends", text);
    if (prefix->host_count() > prefix->size()) broken("more hosts than addresses", text);
  } else if (error.empty()) {
    broken("a prefix refused without a reason", text);
  }
  if (const auto address = parse_ipv4(text); address && ipv4_text(*address) != text)
    broken("an address with another text", text);
  if (const auto mac = parse_mac(text)) {
    std::string written;
    append_mac(written, *mac);
    if (parse_mac(written) != mac) broken("a hardware address that reads as something else", text);
  }
}

template <class T>
void scalar(std::string_view text) {
  std::string error;
  const auto value = T::parse(text, error);
  if (!value) {
    if (error.empty()) broken("refused without a reason", text);
    return;
  }
  const std::string written = value->text();
  const auto again = T::parse(written, error);
  bool same = again && again->text() == written;
  if constexpr (requires { *again == *value; }) same = same && *again == *value;
  if (!same) broken("a value that reads as something else", written);
}

template <class T>
void short_form(std::string_view text) {
  T value;
  std::string error;
  if (!T::from_text(text, value, error) && error.empty()) broken("a short form refused without a reason", text);
}

void overrides(std::string_view text) {
  std::string error;
  const auto all = parse_overrides(text, error);
  if (!all && error.empty()) broken("an override refused without a reason", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One line is one value: a corpus file may hold several.
  for (const std::string_view text : split(std::string_view(reinterpret_cast<const char*>(data), size), '\n')) {
    quantities(text);
    numbers(text);
    patterns(text);
    addresses(text);
    scalar<Version>(text);
    scalar<Date>(text);
    scalar<UnitRange>(text);
    scalar<Money>(text);
    scalar<MoneyPerHour>(text);
    scalar<MoneyPerYear>(text);
    scalar<MoneyPerMetre>(text);
    scalar<EnergyPrice>(text);
    scalar<Years>(text);
    scalar<WrittenLimit>(text);
    short_form<PartCount>(text);
    short_form<Dimms>(text);
    short_form<Drives>(text);
    short_form<PcieSlot>(text);
    short_form<ServerPart>(text);
    short_form<Emission>(text);
    short_form<Site>(text);
    short_form<ShelfCount>(text);
    short_form<RackPosition>(text);
    short_form<Connection>(text);
    short_form<Connects>(text);
    short_form<StorageServers>(text);
    short_form<QuotaAmount>(text);
    short_form<TokenCount>(text);
    short_form<Scheduler>(text);
    short_form<MpiStack>(text);
    short_form<NamedVersion>(text);
    short_form<FabricSoftware>(text);
    short_form<PartPrice>(text);
    short_form<CloudOffer>(text);
    (void)parse_protection(text);
    if (const auto edition = find_edition(text); edition && edition->text() != text)
      broken("an edition with another text", text);
    overrides(text);
  }
  return 0;
}

#include "fuzz_main.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "spec/workload.h"
#include "yaml/document.h"
