#include "model/mig.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace clusterc {
namespace {

// "1g.10gb", "1g.5gb+me": slices of compute and memory, and perhaps what an instance has besides.
bool is_mig_profile(std::string_view text) {
  const auto digits = [&] {
    const std::size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n > 0 && n < 4;
  };
  const auto word = [&](std::string_view w) { return text.starts_with(w) && (text.remove_prefix(w.size()), true); };
  if (!digits() || !word("g.") || !digits() || !word("gb")) return false;
  return text.empty() || (text.front() == '+' && text.size() > 1 && std::all_of(text.begin() + 1, text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; }));
}

}  // namespace

std::optional<MigLayout> mig_layout(const Software& software) {
  const std::string mig = software.mig.value_or("off");
  const auto x = mig.find('x');
  const auto count = x == std::string::npos ? std::optional<std::uint64_t>(1) : parse_uint(std::string_view(mig).substr(0, x));
  const std::string profile = x == std::string::npos ? mig : mig.substr(x + 1);
  if (!count || *count == 0 || *count > 99 || !is_mig_profile(profile)) return std::nullopt;
  return MigLayout{static_cast<std::int64_t>(*count), profile};
}

}  // namespace clusterc
