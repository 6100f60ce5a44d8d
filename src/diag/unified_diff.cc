// diff -u of two texts that differ in few lines: the shortest edit script by Myers (An O(ND) Difference Algorithm,
// Algorithmica 1, 1986).
#include <algorithm>

#include "base/format.h"
#include "base/printable.h"
#include "diag/apply_fixes.h"

namespace clusterc {
namespace {

constexpr std::size_t kContext = 3;  // lines around a change, as diff -u
constexpr std::int64_t kMostChanges =
    1500;  // beyond, the differing middle is shown as one change: the script would need its square in memory

std::vector<std::string_view> lines_of(std::string_view text) {  // each with its line end
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == text.npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

struct Change {
  std::size_t a, a_end, b, b_end;
};  // lines [a, a_end) became [b, b_end)
using Lines = std::span<const std::string_view>;

// The steps of the shortest script from the end back to the beginning; empty when it is too long.
std::vector<Change> shortest_script(Lines a, Lines b) {
  const auto n = static_cast<std::int64_t>(a.size()), m = static_cast<std::int64_t>(b.size());
  const std::int64_t most = std::min(kMostChanges, n + m);
  std::vector<std::vector<std::int64_t>> reached;  // of each d: furthest x on diagonals -d, -d+2, … d
  const auto x_at = [&](std::int64_t d, std::int64_t k) {
    return reached[static_cast<std::size_t>(d)][static_cast<std::size_t>((k + d) / 2)];
  };
  const auto down = [&](std::int64_t d, std::int64_t k) {
    return k == -d || (k != d && x_at(d - 1, k - 1) < x_at(d - 1, k + 1));
  };
  for (std::int64_t d = 0; d <= most; ++d) {
    reached.emplace_back(static_cast<std::size_t>(d + 1));
    for (std::int64_t k = -d; k <= d; k += 2) {
      std::int64_t x = d == 0 ? 0 : down(d, k) ? x_at(d - 1, k + 1) : x_at(d - 1, k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)])
        ++x;
      reached.back()[static_cast<std::size_t>((k + d) / 2)] = x;
      if (x < n || x - k < m) continue;
      std::vector<Change> steps;
      for (std::int64_t at = d, diagonal = k; at > 0; --at) {
        const bool insertion = down(at, diagonal);
        const std::int64_t from = insertion ? diagonal + 1 : diagonal - 1, old_x = x_at(at - 1, from),
                           old_y = old_x - from;
        steps.push_back({static_cast<std::size_t>(old_x), static_cast<std::size_t>(old_x + !insertion),
                         static_cast<std::size_t>(old_y), static_cast<std::size_t>(old_y + insertion)});
        diagonal = from;
      }
      std::ranges::reverse(steps);
      return steps;
    }
  }
  return {};
}

std::vector<Change> changes_between(Lines a, Lines b) {
  std::size_t front = 0, back = 0;
  while (front < a.size() && front < b.size() && a[front] == b[front]) ++front;
  while (back < a.size() - front && back < b.size() - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  const Lines x = a.subspan(front, a.size() - front - back), y = b.subspan(front, b.size() - front - back);
  if (x.empty() && y.empty()) return {};
  std::vector<Change> steps = shortest_script(x, y);
  if (steps.empty()) steps.push_back({0, x.size(), 0, y.size()});
  std::vector<Change> merged;
  for (Change s : steps) {
    s.a += front, s.a_end += front, s.b += front, s.b_end += front;
    if (!merged.empty() && merged.back().a_end == s.a && merged.back().b_end == s.b)
      merged.back().a_end = s.a_end, merged.back().b_end = s.b_end;
    else
      merged.push_back(s);
  }
  return merged;
}

std::string shown_path(std::string_view path) {
  bool plain = true;
  std::string out = "\"";
  for (std::size_t at = 0; at < path.size();) {
    const Character c = decode_utf8(path, at);
    const std::string_view bytes = path.substr(at, c.length);
    at += c.length;
    if (bytes == "\"" || bytes == "\\") {
      plain = false;
      out += '\\', out += bytes;
    } else if (is_hidden(c.code) || c.code == 0xfffd) {  // U+FFFD: bytes that are no UTF-8, too
      plain = false;
      for (const char byte : bytes) out += format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    } else {
      out += bytes;
    }
  }
  return plain ? std::string(path) : out + '"';
}

void put_lines(std::string& out, char sign, Lines lines) {
  for (const std::string_view line : lines) {
    // A line that a runner would obey is no context: it goes and comes back, so that a sign of ours stands before it.
    if (sign == ' ' && is_command(line)) {
      put_lines(out, '-', Lines(&line, 1));
      put_lines(out, '+', Lines(&line, 1));
      continue;
    }
    out += sign;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

std::string range_text(std::size_t first, std::size_t count) {  // diff(1): the line before, when there are none
  const std::size_t shown = count == 0 ? first : first + 1;
  return count == 1 ? format("{}", shown) : format("{},{}", shown, count);
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  const std::vector<std::string_view> left = lines_of(before), right = lines_of(after);
  const Lines a(left), b(right);
  const std::vector<Change> changes = changes_between(a, b);
  if (changes.empty()) return {};
  const std::string name = shown_path(path);
  std::string out = format("--- {}\n+++ {}\n", name, name);
  for (std::size_t i = 0; i < changes.size();) {
    std::size_t last = i;
    while (last + 1 < changes.size() && changes[last + 1].a - changes[last].a_end <= 2 * kContext) ++last;
    const std::size_t lead = std::min(kContext, changes[i].a),
                      tail = std::min(kContext, a.size() - changes[last].a_end);
    const std::size_t a0 = changes[i].a - lead, a1 = changes[last].a_end + tail, b0 = changes[i].b - lead,
                      b1 = changes[last].b_end + tail;
    out += format("@@ -{} +{} @@\n", range_text(a0, a1 - a0), range_text(b0, b1 - b0));
    std::size_t at = a0;
    for (; i <= last; ++i) {
      put_lines(out, ' ', a.subspan(at, changes[i].a - at));
      put_lines(out, '-', a.subspan(changes[i].a, changes[i].a_end - changes[i].a));
      put_lines(out, '+', b.subspan(changes[i].b, changes[i].b_end - changes[i].b));
      at = changes[i].a_end;
    }
    put_lines(out, ' ', a.subspan(at, a1 - at));
  }
  return out;
}

}  // namespace clusterc
