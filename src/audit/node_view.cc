#include "audit/node_view.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {

bool about(double seen, double planned, double share) { return std::abs(seen - planned) <= share * planned; }
std::string gib(double bytes) { return to_text(Bytes(bytes)); }
std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_release(std::string_view wanted, std::string_view seen) {
  return seen.starts_with(wanted) &&
         (seen.size() == wanted.size() || std::string_view(".-+_~ ").find(seen[wanted.size()]) != seen.npos);
}

std::string counted(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::string> out;
  for (const auto& [what, count] : counts) out.push_back(format("{} x {}", count, what));
  return join(out, ", ");
}
std::string listed(const std::set<std::string>& all) {
  return all.empty() || (all.size() == 1 && all.begin()->empty()) ? std::string() : join(all, ", ");
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (const std::string_view word : split(text, ' '))
    if (!trim(word).empty()) out.push_back(trim(word));
  return out;
}

bool NodeView::has_argument(std::string_view argument) const {
  if (!seen.arguments) return false;
  return std::ranges::any_of(words_of(*seen.arguments), [&](std::string_view w) {
    return w == argument || (argument == "nosmt" && w.starts_with("nosmt="));
  });
}

}  // namespace clusterc
