#include "fields/scalars.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/format.h"
#include "fields/scalar_text.h"

namespace clusterc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// The next run of digits or of letters of a version; dots, dashes and the like only separate.
std::string_view next_piece(std::string_view& s) {
  while (!s.empty() &&
         (s.front() == '.' || s.front() == '-' || s.front() == '_' || s.front() == '+' || s.front() == ' '))
    s.remove_prefix(1);
  std::size_t n = 0;
  const auto letter = [](char c) { return !is_digit(c) && c != '.' && c != '-' && c != '_' && c != '+' && c != ' '; };
  if (!s.empty() && is_digit(s[0]))
    while (n < s.size() && is_digit(s[n])) ++n;
  else
    while (n < s.size() && letter(s[n])) ++n;
  const std::string_view piece = s.substr(0, n);
  s.remove_prefix(n);
  return piece;
}

std::weak_ordering compare_pieces(std::string_view a, std::string_view b) {
  const bool a_number = is_digit(a[0]), b_number = is_digit(b[0]);
  if (a_number != b_number)
    return a_number ? std::weak_ordering::greater : std::weak_ordering::less;  // 1.0 after 1.rc1
  if (a_number) {
    while (a.size() > 1 && a[0] == '0') a.remove_prefix(1);
    while (b.size() > 1 && b[0] == '0') b.remove_prefix(1);
    if (a.size() != b.size()) return a.size() <=> b.size();
  }
  return a.compare(b) <=> 0;
}

// "8 x rest" -> 8 and "rest"; no count: nothing and the whole text. A word like "x86-box" is no count.
std::optional<std::int64_t> leading_count(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  if (n == 0) return {};
  std::string_view rest = text.substr(n);
  const bool blank = rest.starts_with(' ');
  rest = trimmed(rest);
  if (rest.size() < 2 || rest[0] != 'x' || rest[1] != ' ' || !blank) return {};
  NumberProblem problem;
  const auto count = parse_whole(text.substr(0, n), problem);
  if (count) text = trimmed(rest.substr(2));
  return count;
}

template <Dimension D>
bool set_quantity(Value<Quantity<D>>& out, std::string_view text, std::string& error) {
  QuantityError why{};
  const auto read = parse_quantity(text, D, why);
  if (!read) {
    error = format("'{}' is no quantity of {}, such as {}", text, dimension_name(D), unit_example(D));
    return false;
  }
  out.value = Quantity<D>(*read);
  return true;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text, std::string& error) {
  text = trimmed(text);
  if (text.empty() || text.find(' ') != text.npos) {
    error = "a version is one word";
    return {};
  }
  bool digit = false;
  for (const char c : text) digit = digit || is_digit(c);
  if (!digit) {
    error = format("a version has a number in it; '{}' has none", text);
    return {};
  }
  if (text.find(',') != text.npos) {  // 13,0 would be a release 13 with something behind it
    error = format("the numbers of a version have points between them; '{}' has a comma", text);
    return {};
  }
  return Version{std::string(text)};
}

std::weak_ordering Version::operator<=>(const Version& other) const {
  std::string_view a = as_written, b = other.as_written;
  for (;;) {
    const std::string_view x = next_piece(a), y = next_piece(b);
    if (x.empty() || y.empty()) {
      // 570 < 570.86, but 1.0 > 1.0-rc1: what follows with letters comes before.
      if (x.empty() && y.empty()) return std::weak_ordering::equivalent;
      if (x.empty()) return is_digit(y[0]) ? std::weak_ordering::less : std::weak_ordering::greater;
      return is_digit(x[0]) ? std::weak_ordering::greater : std::weak_ordering::less;
    }
    if (const auto order = compare_pieces(x, y); order != 0) return order;
  }
}

int Version::major() const {
  int number = -1;
  const auto [end, error] = std::from_chars(as_written.data(), as_written.data() + as_written.size(), number);
  (void)end;
  return error == std::errc() ? number : -1;
}

std::optional<Date> Date::parse(std::string_view text, std::string& error) {
  const auto number = [&](std::size_t at, std::size_t n) {
    int out = 0;
    for (std::size_t i = at; i < at + n; ++i) {
      if (!is_digit(text[i])) return -1;
      out = out * 10 + (text[i] - '0');
    }
    return out;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || number(0, 4) < 1 || number(5, 2) < 1 ||
      number(8, 2) < 1) {
    error = format("a date is written as 2027-03-31; '{}' is not", text);
    return {};
  }
  const Date d{number(0, 4), number(5, 2), number(8, 2)};
  const bool leap = d.year % 4 == 0 && (d.year % 100 != 0 || d.year % 400 == 0);
  const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (d.month > 12 || d.day > days[d.month - 1]) {
    error = format("there is no day '{}'", text);
    return {};
  }
  return d;
}

std::optional<Moment> Moment::parse(std::string_view text, std::string& error) {
  text = trimmed(text);
  const auto date = Date::parse(text.substr(0, 10), error);
  const std::string_view time = text.substr(std::min<std::size_t>(10, text.size()));
  const auto number = [&](std::size_t from) {
    const bool digits = from + 2 <= time.size() && time[from] >= '0' && time[from] <= '9' && time[from + 1] >= '0' &&
                        time[from + 1] <= '9';
    return digits ? (time[from] - '0') * 10 + time[from + 1] - '0' : 99;
  };
  const bool seconds = time.size() == 9 && time[6] == ':';
  const bool shape = (seconds || time.size() == 6) && (time[0] == 'T' || time[0] == ' ') && time[3] == ':';
  if (date && shape) {
    const Moment m{*date, number(1), number(4), seconds ? number(7) : 0};
    if (m.hour < 24 && m.minute < 60 && m.second < 60) return m;
  }
  error = format("a date and time is written as 2027-03-31T22:00; '{}' is none", text.substr(0, 64));
  return std::nullopt;
}
std::string Moment::text() const { return format("{}T{:02}:{:02}:{:02}", date.text(), hour, minute, second); }
Moment Moment::after(std::int64_t seconds) const {
  const std::chrono::year_month_day day{std::chrono::year(date.year),
                                        std::chrono::month(static_cast<unsigned>(date.month)),
                                        std::chrono::day(static_cast<unsigned>(date.day))};
  const std::chrono::sys_seconds at = std::chrono::sys_days(day) + std::chrono::hours(hour) +
                                      std::chrono::minutes(minute) + std::chrono::seconds(second + seconds);
  const auto midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day then(midnight);
  const std::chrono::hh_mm_ss time(at - midnight);
  return {Date{static_cast<int>(then.year()), static_cast<int>(static_cast<unsigned>(then.month())),
               static_cast<int>(static_cast<unsigned>(then.day()))},
          static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
          static_cast<int>(time.seconds().count())};
}

std::string Date::text() const { return format("{:04}-{:02}-{:02}", year, month, day); }

bool PartCount::from_text(std::string_view text, PartCount& out, std::string& error) {
  text = trimmed(text);
  if (const auto count = leading_count(text)) out.count.value = *count;
  if (text.empty() || text.find(' ') != text.npos) {
    error = format(
        "a part is written as its name in the catalogue, with a count before it where there are several ('8 x NAME'); "
        "'{}' is neither",
        text);
    return false;
  }
  out.model.value = std::string(text);
  return true;
}

bool Dimms::from_text(std::string_view text, Dimms& out, std::string& error) {
  std::string_view rest = trimmed(text);
  const auto count = leading_count(rest);
  if (!count) {
    error = format("memory modules are written as '24 x 32 GiB'; '{}' is not", text);
    return false;
  }
  out.count.value = *count;
  if (const auto at = rest.find(" at "); at != rest.npos) {
    if (!set_quantity(out.rate, trimmed(rest.substr(at + 4)), error)) return false;
    rest = trimmed(rest.substr(0, at));
  }
  if (set_quantity(out.size, rest, error)) return true;
  // "64 Gi", "64G": the unit that begins so, binary where it is begun as one.
  const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view unit = trimmed(rest.substr(end));
  for (const UnitRow& row : units_of(Dimension::bytes))
    if (end > 0 && !unit.empty() && row.spelling.size() == unit.size() + 1 && row.spelling.starts_with(unit)) {
      error += format(": write `{} x {} {}`", *count, rest.substr(0, end), row.spelling);
      break;
    }
  return false;
}

bool Drives::from_text(std::string_view text, Drives& out, std::string& error) {
  std::string_view rest = trimmed(text);
  if (const auto count = leading_count(rest)) out.count.value = *count;
  if (const auto blank = rest.rfind(' '); blank != rest.npos)
    for (const auto& [kind, name] : EnumNames<DriveKind>::names)
      if (rest.substr(blank + 1) == name) {
        out.kind.value = kind;
        rest = trimmed(rest.substr(0, blank));
        break;
      }
  if (!set_quantity(out.size, rest, error)) {
    error = format("drives are written as '2 x 1.92 TB nvme'; '{}' is not", text);
    return false;
  }
  return true;
}

std::optional<UnitRange> UnitRange::parse(std::string_view text, std::string& error) {
  const auto unit = [](std::string_view s) -> std::optional<std::int64_t> {
    if (s.starts_with('U') || s.starts_with('u')) s.remove_prefix(1);
    NumberProblem problem;
    return parse_whole(trimmed(s), problem);
  };
  const auto dash = text.find('-');
  const auto first = unit(trimmed(text.substr(0, dash)));
  const auto last = dash == text.npos ? first : unit(trimmed(text.substr(dash + 1)));
  if (!first || !last || *first < 1 || *last < *first || *last > 60) {
    error = format("rack units are written as U1-U6, from the bottom, at most U60; '{}' is not", text);
    return {};
  }
  return UnitRange{*first, *last};
}

std::string UnitRange::text() const { return first == last ? format("U{}", first) : format("U{}-U{}", first, last); }

}  // namespace clusterc
