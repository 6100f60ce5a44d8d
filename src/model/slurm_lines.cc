#include "model/slurm_lines.h"

#include <algorithm>

#include "base/text.h"
#include "spec/output.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostNames = 1 << 20;  // of one line: more is no host list that anybody wrote

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string_view past_blanks(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  return s;
}

// A '#' begins a comment wherever it stands, in quotes too, but behind an odd number of backslashes.
std::string_view before_comment(std::string_view s) {
  bool escaped = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '#' && !escaped) return s.substr(0, i);
    escaped = s[i] == '\\' && !escaped;
  }
  return s;
}

}  // namespace

// Key = Value, blanks around the sign or not; before the sign + - * or /; a value in quotes, or to the next blank, and
// never empty without quotes.
SlurmLine read_slurm_line(std::string_view text, SourceSpan span) {
  SlurmLine line{span, {}, {}, {}};
  const auto offset = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - text.data()); };
  for (std::string_view left = past_blanks(before_comment(text)); !left.empty(); left = past_blanks(left)) {
    const std::string_view here = left;
    std::size_t n = 0;
    while (n < left.size() && (is_letter_or_digit(left[n]) || left[n] == '_' || left[n] == '.')) ++n;
    const std::string_view key = left.substr(0, n);
    left = past_blanks(left.substr(n));
    if (!left.empty() && std::string_view("+-*/").find(left.front()) != std::string_view::npos) left.remove_prefix(1);
    if (!key.empty() && left.starts_with("=")) {
      left = past_blanks(left.substr(1));
      const std::size_t end = left.starts_with('"') ? left.find('"', 1) : std::string_view::npos;
      if (end != std::string_view::npos && (end + 1 == left.size() || is_blank(left[end + 1]))) {
        line.pairs.emplace_back(to_lower(key), left.substr(1, end - 1));
        left.remove_prefix(end + 1);
        line.places.push_back({offset(here), offset(left)});
        continue;
      }
      const std::size_t length =
          static_cast<std::size_t>(std::find_if(left.begin(), left.end(), is_blank) - left.begin());
      if (length > 0) {
        line.pairs.emplace_back(to_lower(key), left.substr(0, length));
        left.remove_prefix(length);
        line.places.push_back({offset(here), offset(left)});
        continue;
      }
    }
    line.rest = here;
    break;
  }
  return line;
}

std::vector<SlurmLine> extra_slurm_lines(const Cluster& c, std::string_view file) {
  std::vector<SlurmLine> out;
  const auto& scheduler = c.spec.software->scheduler;
  const auto* wish = c.spec.outputs.find("slurm");
  const auto* lines =
      scheduler && scheduler->kind.value == SchedulerKind::slurm && wish ? wish->value.extra.find(file) : nullptr;
  if (!lines) return out;
  for (const auto& text : lines->value) {
    if (text && !trim(*text).starts_with("#")) out.push_back(read_slurm_line(*text, text.span));
  }
  return out;
}

bool slurm_reads_ranges(std::string_view list) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t dash = list.find('-'); dash != list.npos; dash = list.find('-', dash + 1)) {
    std::size_t begin = dash, end = dash + 1;
    while (begin > 0 && digit(list[begin - 1])) --begin;
    while (end < list.size() && digit(list[end])) ++end;
    if (begin == 0 || (list[begin - 1] != '[' && list[begin - 1] != ',') || end == list.size() ||
        (list[end] != ']' && list[end] != ','))
      continue;  // a dash of a name
    const auto low = parse_uint(list.substr(begin, dash - begin)),
               high = parse_uint(list.substr(dash + 1, end - dash - 1));
    if (low && high && *high >= *low && *high - *low >= kLongestSlurmRange) return false;
  }
  return true;
}

SlurmNames slurm_names_of(const Cluster& c, std::string_view list) {
  SlurmNames out;
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(list, error);
  if (!pattern || pattern->count() > kMostNames) {
    out.readable = false;
    return out;
  }
  std::vector<const NodeGroupModel*> groups;
  for (const NodeGroupModel& g : c.nodes)
    if (g.names.may_share(*pattern)) groups.push_back(&g);
  if (groups.empty()) {
    out.unknown = pattern->name(0);
    return out;
  }
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    const std::string name = pattern->name(i);
    std::int64_t node = -1;
    for (const NodeGroupModel* g : groups)
      if (const std::int64_t k = g->names.index_of(name); k >= 0) node = g->first + k;
    if (node >= 0)
      out.nodes.push_back(node);
    else if (!out.unknown)
      out.unknown = name;
  }
  return out;
}

}  // namespace clusterc
