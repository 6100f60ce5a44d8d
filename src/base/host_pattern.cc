#include "base/host_pattern.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMaxBrackets = 8;  // Slurm stops at five
constexpr std::size_t kMaxDigits = 15;
constexpr std::size_t kLongestName = 64;                         // HOST_NAME_MAX of Linux (limits.h)
constexpr std::uint64_t kMaxAmbiguous = std::uint64_t{1} << 20;  // each name is made and looked up

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

std::size_t digits_of(std::uint64_t value) {
  std::size_t n = 1;
  while (value >= 10) value /= 10, ++n;
  return n;
}

std::string padded(std::uint64_t value, unsigned width) {
  std::string out;
  append_padded(out, value, width);
  return out;
}

// The n-th value of a bracket's ranges, with its zeros in front.
template <class Range>
void append_value(const std::vector<Range>& ranges, std::uint64_t n, std::string& out) {
  const auto range = std::prev(
      std::upper_bound(ranges.begin(), ranges.end(), n, [](std::uint64_t k, const Range& r) { return k < r.before; }));
  append_padded(out, range->low + (n - range->before), range->width);
}

}  // namespace

// Reads a pattern from left to right. Each step is false where it fails, and `error` has why.
class HostPattern::Parser {
 public:
  Parser(std::string_view text, Error& error) : text_(text), error_(error) {}
  bool parse();
  HostPattern take() { return std::move(pattern_); }

 private:
  bool fail(std::size_t at, std::string message) {
    error_ = {at, std::move(message)};
    return false;
  }
  bool ended() const { return at_ == text_.size(); }
  std::uint64_t total() const { return static_cast<std::uint64_t>(pattern_.count_); }

  bool read_term();
  bool read_bracket(Term& term, std::string prefix);
  bool read_range(Bracket& bracket);
  bool read_number(std::string_view& digits, std::uint64_t& value);
  bool check_numbers_once(const Bracket& bracket, std::size_t open);
  bool check_written(std::size_t begin);
  bool check_lengths();
  bool check_names_once();

  std::string_view text_;
  Error& error_;
  HostPattern pattern_;
  std::size_t at_ = 0;
  bool could_meet_ = false;  // two of the names could be the same
};

bool HostPattern::Parser::read_number(std::string_view& digits, std::uint64_t& value) {
  const std::size_t begin = at_;
  while (!ended() && is_digit(text_[at_])) ++at_;
  digits = text_.substr(begin, at_ - begin);
  if (digits.empty()) return fail(begin, "a range in brackets must have numbers, such as [1-4]");
  const auto read = digits.size() > kMaxDigits ? std::nullopt : parse_uint(digits);
  if (!read) return fail(begin, "a number of more than 15 digits");
  value = *read;
  return true;
}

bool HostPattern::Parser::read_range(Bracket& bracket) {
  const std::size_t begin = at_;
  std::string_view low_digits;
  std::uint64_t low = 0;
  if (!read_number(low_digits, low)) return false;
  std::uint64_t high = low;
  if (!ended() && text_[at_] == '-') {
    const std::size_t second = ++at_;
    std::string_view high_digits;
    if (!read_number(high_digits, high)) return false;
    if (high < low)
      return fail(begin, "the range counts down: " + std::string(low_digits) + " is above " + std::string(high_digits));
    if (high_digits.size() < low_digits.size() || (high_digits[0] == '0' && high_digits.size() != low_digits.size()))
      return fail(second, "both ends of a range have the same width, or the lower one decides");
  }
  const auto width = static_cast<unsigned>(low_digits.size() > 1 && low_digits[0] == '0' ? low_digits.size() : 1);
  bracket.ranges.push_back({low, high, bracket.count, width});
  bracket.count += high - low + 1;
  return bracket.count <= static_cast<std::uint64_t>(kMaxNames) || fail(begin, "more than 16777216 names");
}

// Twice the same text in one bracket: intervals that meet, where the widths give the same digits.
bool HostPattern::Parser::check_numbers_once(const Bracket& bracket, std::size_t open) {
  std::vector<const Range*> sorted;
  for (const Range& range : bracket.ranges) sorted.push_back(&range);
  std::sort(sorted.begin(), sorted.end(),
            [](const Range* a, const Range* b) { return std::tie(a->width, a->low) < std::tie(b->width, b->low); });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->width == sorted[i - 1]->width && sorted[i]->low <= sorted[i - 1]->high)
      return fail(open, "the number " + padded(sorted[i]->low, sorted[i]->width) + " stands twice");
  return true;
}

bool HostPattern::Parser::read_bracket(Term& term, std::string prefix) {
  const std::size_t open = at_++;
  if (term.brackets.size() == kMaxBrackets) return fail(open, "more than 8 brackets in one name");
  Bracket bracket{std::move(prefix), {}, 0};
  if (!term.brackets.empty() && bracket.prefix.empty()) could_meet_ = true;
  for (;;) {
    if (!read_range(bracket)) return false;
    if (ended()) return fail(open, "'[' without its ']'");
    if (text_[at_] == ']') break;
    if (text_[at_] != ',') return fail(at_, "inside brackets stand numbers, '-' and ',' only");
    ++at_;
  }
  ++at_;
  if (!check_numbers_once(bracket, open)) return false;
  term.count *= bracket.count;
  if (term.count > static_cast<std::uint64_t>(kMaxNames)) return fail(open, "more than 16777216 names");
  term.brackets.push_back(std::move(bracket));
  return true;
}

// RFC 1123, 2.1: letter or digit at the beginning of a name; and no name is a path ("..").
bool HostPattern::Parser::check_written(std::size_t begin) {
  const std::string_view written = text_.substr(begin, at_ - begin);
  if (written.empty()) return fail(at_, "a name is missing");
  if (written.find_first_of("-._") == 0) return fail(begin, "a name begins with a letter or a digit");
  if (written.ends_with('-') || written.ends_with('.')) return fail(at_ - 1, "a name ends with a letter or a digit");
  const std::size_t dots = written.find("..");
  return dots == std::string_view::npos || fail(begin + dots, "nothing stands between two dots of a name");
}

bool HostPattern::Parser::read_term() {
  Term term{{}, {}, 1, total()};
  const std::size_t begin = at_;
  std::string literal;
  while (!ended() && text_[at_] != ',') {
    if (is_name_character(text_[at_])) {
      literal += text_[at_++];
      continue;
    }
    if (text_[at_] == ']') return fail(at_, "']' without its '['");
    if (text_[at_] != '[') return fail(at_, "a name has letters, digits, '-', '.' and '_' only");
    if (!read_bracket(term, std::exchange(literal, {}))) return false;
  }
  if (!check_written(begin)) return false;
  term.suffix = std::move(literal);
  const std::uint64_t names = total() + term.count;
  if (names > static_cast<std::uint64_t>(kMaxNames)) return fail(begin, "more than 16777216 names");
  pattern_.count_ = static_cast<std::int64_t>(names);
  pattern_.terms_.push_back(std::move(term));
  return true;
}

bool HostPattern::Parser::check_lengths() {
  for (const Term& term : pattern_.terms_)  // its last name is its longest
    if (const std::size_t length = pattern_.name(static_cast<std::int64_t>(term.before + term.count) - 1).size();
        length > kLongestName)
      return fail(0, "a name of " + std::to_string(length) + " characters, but Linux accepts at most " +
                         std::to_string(kLongestName));
  return true;
}

bool HostPattern::Parser::check_names_once() {
  if (!could_meet_) return true;
  if (total() > kMaxAmbiguous) return fail(0, "more than 1048576 names in a list or in brackets side by side");
  std::string name;
  for (std::int64_t i = 0; i < pattern_.count_; ++i) {
    name.clear();
    pattern_.append_name(i, name);
    if (pattern_.index_of(name) != i) return fail(0, "the name " + name + " stands twice");
  }
  return true;
}

bool HostPattern::Parser::parse() {
  if (text_.empty()) return fail(0, "a name is missing");
  pattern_.text_ = text_;
  while (read_term()) {
    if (ended()) return check_lengths() && check_names_once();
    ++at_;  // the comma
    could_meet_ = true;
  }
  return false;
}

std::optional<HostPattern> HostPattern::parse(std::string_view text, Error& error) {
  Parser parser(text, error);
  if (!parser.parse()) return std::nullopt;
  return parser.take();
}

const HostPattern::Term& HostPattern::term_of(std::uint64_t i) const {
  return *std::prev(
      std::upper_bound(terms_.begin(), terms_.end(), i, [](std::uint64_t n, const Term& t) { return n < t.before; }));
}

void HostPattern::append_name(std::int64_t index, std::string& out) const {
  auto i = static_cast<std::uint64_t>(index);
  const Term& term = term_of(i);
  i -= term.before;
  std::uint64_t block = term.count;
  for (const Bracket& bracket : term.brackets) {
    block /= bracket.count;
    out += bracket.prefix;
    append_value(bracket.ranges, i / block, out);
    i %= block;
  }
  out += term.suffix;
}

std::string HostPattern::name(std::int64_t i) const {
  std::string out;
  append_name(i, out);
  return out;
}

std::string HostPattern::suffix(std::int64_t index) const {
  auto i = static_cast<std::uint64_t>(index);
  const Term& term = term_of(i);
  if (term.brackets.empty()) return name(index);
  i -= term.before;
  std::uint64_t block = term.count;
  std::string out;
  for (const Bracket& bracket : term.brackets) {
    block /= bracket.count;
    if (!out.empty()) out += '-';
    append_value(bracket.ranges, i / block, out);
    i %= block;
  }
  return out;
}

// Brackets may stand side by side, so a run of digits can be shared out in more than one way: longest first.
std::optional<std::uint64_t> HostPattern::match(const Term& term, std::size_t index, std::string_view rest) {
  if (index == term.brackets.size()) return rest == term.suffix ? std::optional<std::uint64_t>(0) : std::nullopt;
  const Bracket& bracket = term.brackets[index];
  if (!rest.starts_with(bracket.prefix)) return std::nullopt;
  rest.remove_prefix(bracket.prefix.size());
  std::size_t digits = 0;
  while (digits < rest.size() && digits < kMaxDigits && is_digit(rest[digits])) ++digits;
  std::uint64_t block = 1;  // names below one number of this bracket
  for (std::size_t later = index + 1; later < term.brackets.size(); ++later) block *= term.brackets[later].count;
  for (; digits > 0; --digits) {
    const std::uint64_t value = *parse_uint(rest.substr(0, digits));
    for (const Range& range : bracket.ranges) {
      if (value < range.low || value > range.high || std::max<std::size_t>(range.width, digits_of(value)) != digits)
        continue;
      if (const auto below = match(term, index + 1, rest.substr(digits)))
        return (range.before + (value - range.low)) * block + *below;
    }
  }
  return std::nullopt;
}

std::int64_t HostPattern::index_of(std::string_view name) const {
  for (const Term& term : terms_)
    if (const auto i = match(term, 0, name)) return static_cast<std::int64_t>(term.before + *i);
  return -1;
}

bool HostPattern::may_share(const HostPattern& other) const {
  const auto begins = [](const Term& t) -> std::string_view {
    return t.brackets.empty() ? t.suffix : t.brackets.front().prefix;
  };
  constexpr std::size_t kMostPairs = 4096;
  if (terms_.size() > kMostPairs / other.terms_.size()) return true;  // longer than to look at each name
  for (const Term& mine : terms_)
    for (const Term& theirs : other.terms_)
      if (begins(mine).starts_with(begins(theirs)) || begins(theirs).starts_with(begins(mine))) return true;
  return false;
}

std::string fold_names(const std::vector<std::string>& given) {
  std::vector<std::string> names = given;
  struct Item {
    std::string_view prefix, digits, suffix;
    std::uint64_t value;
  };
  std::sort(names.begin(), names.end(), natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Item> items;
  items.reserve(names.size());
  for (const std::string& name : names) {
    // Slurm 22.05 calls h1n[01-02]x an invalid hostlist: nothing may follow a bracket but a bracket, so only a number
    // at the end is folded.
    const std::size_t end = name.size();
    std::size_t begin = end;
    while (begin > 0 && end - begin < kMaxDigits && is_digit(name[begin - 1])) --begin;
    const std::string_view view = name;
    const std::string_view digits = view.substr(begin, end - begin);
    items.push_back({view.substr(0, begin), digits, view.substr(end), digits.empty() ? 0 : *parse_uint(digits)});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    if (a.prefix != b.prefix) return natural_less(a.prefix, b.prefix);
    if (a.suffix != b.suffix) return natural_less(a.suffix, b.suffix);
    if (a.digits.empty() != b.digits.empty()) return a.digits.empty();
    return std::tuple(a.value, a.digits.size()) < std::tuple(b.value, b.digits.size());
  });
  std::string out;
  for (std::size_t i = 0; i < items.size();) {
    const Item& first = items[i];
    if (!out.empty()) out += ',';
    out += first.prefix;
    if (first.digits.empty()) {
      out += first.suffix;
      ++i;
      continue;
    }
    std::string ranges;
    bool single = true;
    while (i < items.size() && items[i].prefix == first.prefix && items[i].suffix == first.suffix) {
      const Item& low = items[i];
      const auto width = static_cast<unsigned>(low.digits[0] == '0' ? low.digits.size() : 1);
      std::size_t last = i;
      while (last + 1 < items.size() && items[last + 1].prefix == first.prefix &&
             items[last + 1].suffix == first.suffix && items[last + 1].value == items[last].value + 1 &&
             items[last + 1].digits == padded(items[last + 1].value, width))
        ++last;
      if (!ranges.empty()) single = false, ranges += ',';
      ranges += low.digits;
      if (last > i) single = false, (ranges += '-') += items[last].digits;
      i = last + 1;
    }
    out += single ? ranges : "[" + ranges + "]";
    out += first.suffix;
  }
  return out;
}

}  // namespace clusterc
