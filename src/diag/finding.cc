#include "diag/finding.h"

#include <algorithm>
#include <tuple>

namespace clusterc {
namespace {

// Longer words are nobody's misspelt key; it also bounds the work for a hostile one.
constexpr std::size_t kLongestName = 64;

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' || c == ' ' ? '_' : c;
}

// Optimal string alignment distance (insert, delete, replace, swap of neighbours), case and the kind of dash aside.
// More than `limit` is told as limit + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  std::vector<std::size_t> two_back(a.size() + 1), back(a.size() + 1), row(a.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) back[i] = i;
  for (std::size_t j = 1; j <= b.size(); ++j) {
    row[0] = j;
    std::size_t best = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const char x = folded(a[i - 1]), y = folded(b[j - 1]);
      row[i] = std::min({back[i] + 1, row[i - 1] + 1, back[i - 1] + (x != y)});
      if (i > 1 && j > 1 && x == folded(b[j - 2]) && folded(a[i - 2]) == y)
        row[i] = std::min(row[i], two_back[i - 2] + 1);
      best = std::min(best, row[i]);
    }
    if (best > limit) return limit + 1;
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[a.size()];
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

// Not in the header: inlined into a rule with a constant text, GCC 12 warns of bounds that are kept (-Warray-bounds).
Finding& Finding::help(std::string text) { return help(SourceSpan{}, std::move(text)); }
Finding& Finding::help(SourceSpan at, std::string text) {
  helps.push_back({at, std::move(text), {}});
  return *this;
}

Finding& Findings::add(Severity severity, std::string_view rule, SourceSpan span, std::string message) {
  Finding& finding = all_.emplace_back();
  finding.severity = severity;
  finding.rule = rule;
  finding.span = span;
  finding.message = std::move(message);
  return finding;
}

std::size_t Findings::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      all_, [&](const Finding& finding) { return finding.severity == severity && finding.counts(); }));
}

void Findings::withhold(SourceSpan secret) { withheld_.emplace(std::pair(secret.file, secret.begin), secret.end); }

bool Findings::quotable(const Sources& sources, FileId file, std::uint32_t line) const {
  const std::string_view text = sources.line_text(file, line);
  const auto begin = static_cast<std::size_t>(text.data() - sources.text(file).data());
  const auto after = withheld_.upper_bound(std::pair(file, begin + text.size()));
  if (after == withheld_.begin()) return true;
  const auto last = std::prev(after);  // the last that begins in this line or before it
  return last->first.first != file || last->second < begin;
}

// File ids are handed out in the order in which files are added, and kNoFile, the largest of them, comes last: a
// finding without a place follows those that have one. So the sources themselves need not be asked.
void Findings::sort(const Sources&) {
  std::ranges::stable_sort(all_, std::ranges::less{}, [](const Finding& finding) {
    return std::tuple(finding.span.file, finding.span.begin, -static_cast<int>(finding.severity),
                      std::string_view(finding.rule));
  });
}

std::vector<std::string_view> nearest_names(std::string_view word, const std::vector<std::string_view>& known) {
  std::vector<std::string_view> nearest;
  if (word.empty() || word.size() > kLongestName) return nearest;
  // One slip in three characters may still be meant; short words may have one.
  std::size_t limit = std::max<std::size_t>(word.size(), 3) / 3;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name, limit);
    if (distance > limit || distance >= std::max(word.size(), name.size())) continue;
    if (distance < limit) nearest.clear();
    limit = distance;
    if (std::ranges::find(nearest, name) == nearest.end()) nearest.push_back(name);
  }
  return nearest;
}

std::optional<std::string_view> nearest_name(std::string_view word, const std::vector<std::string_view>& known) {
  const auto nearest = nearest_names(word, known);
  return nearest.empty() ? std::nullopt : std::optional(nearest.front());
}

}  // namespace clusterc
