#include "model/mig.h"

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "spec/software.h"

namespace clusterc {

std::optional<MigLayout> mig_layout(const Software& software) {
  std::string_view text = software.mig ? std::string_view(*software.mig) : std::string_view();
  MigLayout out;
  const auto number = [&](std::int64_t& n, std::size_t most) {  // from 1, of at most so many digits
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = parse_uint(text.substr(0, digits));
    if (!value || *value == 0 || digits > most) return false;
    n = static_cast<std::int64_t>(*value);
    text.remove_prefix(digits);
    return true;
  };
  const auto word = [&](std::string_view w) { return text.starts_with(w) && (text.remove_prefix(w.size()), true); };
  if (const auto x = text.find('x'); x != std::string_view::npos && (!number(out.count, 2) || !word("x")))
    return std::nullopt;
  out.profile = text;
  if (!number(out.slices, 3) || !word("g.") || !number(out.gigabytes, 3) || !word("gb")) return std::nullopt;
  if (!text.empty() && (!word("+") || text.empty())) return std::nullopt;
  out.extra = text;
  if (!std::all_of(out.extra.begin(), out.extra.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; }))
    return std::nullopt;
  return out;
}

std::string_view cut_by_mig(const Software& software) {
  if (!software.mig) return {};
  const std::string word = to_lower(*software.mig);
  for (const std::string_view whole : {"off", "no", "false", "none"})
    if (word == whole) return {};
  return *software.mig;
}

std::string why_not_all_gpus(const Software& software) {
  const std::string_view mig = cut_by_mig(software);
  return mig.empty()
             ? std::string()
             : format(
                   "`mig: {}` divides the GPUs: instances reach each other neither over NVLink nor over PCIe, and "
                   "a program sees one of them; run acceptance with `mig: off`",
                   mig);
}

}  // namespace clusterc
