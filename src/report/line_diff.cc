#include "report/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kContext = 3;

struct Lines {
  std::vector<std::string_view> text;  // without line ends
  bool ended = true;                   // the last one has its line end
};

Lines lines_of(std::string_view text) {
  Lines out;
  if (text.empty()) return out;
  out.ended = text.ends_with('\n');
  if (out.ended) text.remove_suffix(1);
  out.text = split(text, '\n');
  return out;
}

// Which lines of both go and come: those of a longest common sequence stay.
struct Edits {
  std::vector<char> gone, come;
};

// E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space: from both ends along the
// diagonals until the two meet, then each half by itself. Past kCost edits between two places the furthest one reached
// is taken for a meeting place: then the result may be longer than need be, and texts with little in common still take
// a time that grows with their length. (Debian's libdtl took more than five minutes of CPU time for 200,000 lines in
// another order, GNU diff 6.9 s; this takes 1.6 s.)
class Matcher {
 public:
  Matcher(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
      : a_(a),
        b_(b),
        base_(static_cast<Place>(b.size()) + 1),
        forward_(a.size() + b.size() + 3),
        backward_(a.size() + b.size() + 3) {}

  Edits run() {
    Edits out{std::vector<char>(a_.size(), 0), std::vector<char>(b_.size(), 0)};
    std::vector<Range> open{{0, static_cast<Place>(a_.size()), 0, static_cast<Place>(b_.size())}};
    while (!open.empty()) {
      Range r = open.back();
      open.pop_back();
      while (r.a < r.a_end && r.b < r.b_end && same(r.a, r.b)) ++r.a, ++r.b;
      while (r.a < r.a_end && r.b < r.b_end && same(r.a_end - 1, r.b_end - 1)) --r.a_end, --r.b_end;
      const auto all = [&] {
        std::fill(out.gone.begin() + r.a, out.gone.begin() + r.a_end, char{1});
        std::fill(out.come.begin() + r.b, out.come.begin() + r.b_end, char{1});
      };
      if (r.a == r.a_end || r.b == r.b_end) {
        all();
        continue;
      }
      const auto [x, y] = meet(r);
      if ((x == r.a && y == r.b) || (x == r.a_end && y == r.b_end)) {
        all();
        continue;
      }
      open.push_back({x, r.a_end, y, r.b_end});
      open.push_back({r.a, x, r.b, y});
    }
    return out;
  }

 private:
  using Place = std::int64_t;
  struct Range {
    Place a, a_end, b, b_end;
  };
  static constexpr Place kCost = 1024;

  bool same(Place x, Place y) const { return a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(y)]; }
  Place& forward(Place diagonal) {
    return forward_[static_cast<std::size_t>(diagonal + base_)];
  }  // furthest x on x - y = diagonal
  Place& backward(Place diagonal) { return backward_[static_cast<std::size_t>(diagonal + base_)]; }

  std::pair<Place, Place> meet(const Range& r) {
    const Place least = r.a - r.b_end, most = r.a_end - r.b, from = r.a - r.b, to = r.a_end - r.b_end;
    const bool odd = ((from - to) & 1) != 0;
    Place f_least = from, f_most = from, b_least = to, b_most = to;
    forward(from) = r.a;
    backward(to) = r.a_end;
    for (Place cost = 1;; ++cost) {
      if (f_least > least)
        forward(--f_least - 1) = -1;
      else
        ++f_least;
      if (f_most < most)
        forward(++f_most + 1) = -1;
      else
        --f_most;
      for (Place d = f_most; d >= f_least; d -= 2) {
        Place x = std::max(forward(d + 1), forward(d - 1) + 1);
        while (x < r.a_end && x - d < r.b_end && same(x, x - d)) ++x;
        forward(d) = x;
        if (odd && b_least <= d && d <= b_most && backward(d) <= x) return {x, x - d};
      }
      constexpr Place kFar = std::numeric_limits<Place>::max() / 2;
      if (b_least > least)
        backward(--b_least - 1) = kFar;
      else
        ++b_least;
      if (b_most < most)
        backward(++b_most + 1) = kFar;
      else
        --b_most;
      for (Place d = b_most; d >= b_least; d -= 2) {
        Place x = std::min(backward(d - 1), backward(d + 1) - 1);
        while (x > r.a && x - d > r.b && same(x - 1, x - d - 1)) --x;
        backward(d) = x;
        if (!odd && f_least <= d && d <= f_most && x <= forward(d)) return {x, x - d};
      }
      if (cost < kCost) continue;
      std::pair<Place, Place> best{r.a, r.b};
      for (Place d = f_most; d >= f_least; d -= 2) {
        const Place x = std::min({forward(d), r.a_end, r.b_end + d});
        if (x - d >= r.b && x >= r.a && 2 * x - d > best.first + best.second) best = {x, x - d};
      }
      return best;
    }
  }

  const std::vector<std::uint32_t>&a_, &b_;
  Place base_;
  std::vector<Place> forward_, backward_;
};

void append_range(std::string& out, std::size_t from, std::size_t count) {
  append_uint(out, count == 0 ? from : from + 1);
  if (count == 1) return;
  out += ',';
  append_uint(out, count);
}

}  // namespace

void append_hunks(std::string& out, std::string_view before, std::string_view after) {
  if (before == after) return;
  const Lines a = lines_of(before), b = lines_of(after);
  std::unordered_map<std::string_view, std::uint32_t> words;
  const auto numbers = [&](const Lines& lines) {
    std::vector<std::uint32_t> all;
    all.reserve(lines.text.size());
    for (const std::string_view line : lines.text)
      all.push_back(words.try_emplace(line, static_cast<std::uint32_t>(words.size())).first->second);
    return all;
  };
  auto left = numbers(a), right = numbers(b);
  auto known = static_cast<std::uint32_t>(words.size());
  // The last line without a line end is another line than the same text with one.
  if (!a.ended && !left.empty()) left.back() = known++;
  if (!b.ended && !right.empty())
    right.back() = !a.ended && !left.empty() && a.text.back() == b.text.back() ? left.back() : known++;
  const Edits edits = Matcher(left, right).run();

  const auto line = [&](char sign, const Lines& of, std::size_t i) {
    // A line that a runner would obey is no context: it goes and comes back, so that a sign of ours stands before it.
    if (sign == ' ' && is_command(of.text[i])) {
      ((out += '-') += of.text[i]) += '\n';
      if (!of.ended && i + 1 == of.text.size()) out += "\\ No newline at end of file\n";
      sign = '+';
    }
    out += sign;
    out += of.text[i];
    out += '\n';
    if (!of.ended && i + 1 == of.text.size()) out += "\\ No newline at end of file\n";
  };
  const std::size_t size_a = left.size(), size_b = right.size();
  std::size_t i = 0, j = 0;
  while (i < size_a || j < size_b) {
    std::size_t same = 0;  // up to the next change
    while (i + same < size_a && j + same < size_b && !edits.gone[i + same] && !edits.come[j + same]) ++same;
    if (i + same == size_a && j + same == size_b) return;
    i += same, j += same;
    const std::size_t lead = std::min(same, kContext);
    std::size_t x = i, y = j;  // ends of the hunk: after the last change within reach
    std::size_t end_x = i, end_y = j;
    for (;;) {
      while ((x < size_a && edits.gone[x]) || (y < size_b && edits.come[y])) {
        if (x < size_a && edits.gone[x])
          ++x;
        else
          ++y;
      }
      end_x = x, end_y = y;
      std::size_t run = 0;
      while (x + run < size_a && y + run < size_b && !edits.gone[x + run] && !edits.come[y + run] &&
             run <= 2 * kContext)
        ++run;
      const bool ends = x + run == size_a && y + run == size_b;
      if (run > 2 * kContext || ends) {
        end_x += std::min(run, kContext), end_y += std::min(run, kContext);
        break;
      }
      x += run, y += run;
    }
    out += "@@ -";
    append_range(out, i - lead, end_x - (i - lead));
    out += " +";
    append_range(out, j - lead, end_y - (j - lead));
    out += " @@\n";
    std::size_t p = i - lead, q = j - lead;
    while (p < end_x || q < end_y) {
      if (p < end_x && edits.gone[p])
        line('-', a, p++);
      else if (q < end_y && edits.come[q])
        line('+', b, q++);
      else
        line(' ', b, q++), ++p;
    }
    i = end_x, j = end_y;
  }
}

}  // namespace clusterc
