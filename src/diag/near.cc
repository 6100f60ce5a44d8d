#include "diag/near.h"

#include <algorithm>

#include "base/format.h"

namespace clusterc {

bool almost_certainly(std::string_view word, std::string_view meant, const std::vector<std::string_view>& known) {
  std::vector<std::string_view> others;
  for (const auto k : known)
    if (k != meant) others.push_back(k);
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t up = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
        diagonal = up;
      }
    }
    return row[b.size()];
  };
  if (word.size() > 64) return false;
  // Another number is another thing: h100 and h200, r1 and r2.
  const auto digits = [](std::string_view text) {
    std::string all;
    for (const char c : text)
      if (c >= '0' && c <= '9') all += c;
    return all;
  };
  if (digits(word) != digits(meant)) return false;
  const std::size_t near = distance(word, meant);
  if (near > (word.size() >= 5 ? 2u : 1u) || word.size() < 3) return false;
  for (const auto other : others)
    if (distance(word, other) <= near) return false;
  return true;
}

bool offer_names(Finding& f, std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t kMostNames = 3;
  const std::vector<std::string_view> near = nearest_names(word, known);
  if (near.empty()) return false;
  const std::size_t shown = std::min(near.size(), kMostNames);
  std::string names;
  for (std::size_t i = 0; i < shown; ++i)
    names += format("{}'{}'", i == 0 ? "" : i + 1 == shown ? " or " : ", ", near[i]);
  f.help(format("did you mean {}?", names));
  f.misspelt = word;
  f.meant.assign(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(shown));
  return true;
}

void list_known(Finding& f, std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t kMostListed = 8;
  if (known.empty() || known.size() > kMostListed) return;
  std::string names;
  for (std::size_t i = 0; i < known.size(); ++i)
    names += format("{}'{}'", i == 0 ? "" : i + 1 == known.size() ? " and " : ", ", known[i]);
  f.help(known.size() == 1 ? format("the only one is `{}`", known[0]) : format("there are {}", names));
  f.misspelt = word;
  f.meant.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(known.size(), 3)));
}

void suggest(Finding& f, SourceSpan at, std::string_view word, const std::vector<std::string_view>& known) {
  if (!offer_names(f, word, known)) return;
  const std::string& near = f.meant.front();
  const std::size_t length = at.end - at.begin;
  const bool alone = at.valid() && (length == word.size() || length == word.size() + 2);
  if (alone && almost_certainly(word, near, known)) f.fixed_by(format("write '{}'", near), {{at, near}});
}

}  // namespace clusterc
