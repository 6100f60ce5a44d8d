#include "compile/extra_forms.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"

namespace clusterc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
bool is_whole(std::string_view text, std::int64_t least, std::int64_t most) {
  const auto number = whole(text);
  return number && *number >= least && *number <= most;
}

bool is_ip(std::string_view text) {
  in6_addr v6;
  return parse_ipv4(text).has_value() || inet_pton(AF_INET6, std::string(text).c_str(), &v6) == 1;
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  if (e != text.npos && !is_whole(text.substr(e + 1), -99, 99)) return false;
  text = text.substr(0, e);
  const bool point = text.find('.') != text.npos;
  return std::any_of(text.begin(), text.end(), is_digit) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }) &&
         (!point || text.find('.') == text.rfind('.'));
}

// Numbers, each with one of these units behind it; a bare number where `bare`.
bool is_measure(std::string_view text, std::span<const std::string_view> units, bool bare) {
  if (text.empty()) return false;
  while (!text.empty()) {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    if (n == 0) return false;
    text.remove_prefix(n);
    if (text.empty()) return bare;
    const auto unit = std::ranges::find_if(units, [&](std::string_view u) { return text.starts_with(u); });
    if (unit == units.end()) return false;
    text.remove_prefix(unit->size());
  }
  return true;
}

bool is_duration(std::string_view text) {  // Prometheus: model.ParseDuration
  constexpr std::string_view kUnits[] = {"ms", "y", "w", "d", "h", "m", "s"};
  return text == "0" || is_measure(text, kUnits, false);
}

bool in_class(std::string_view text, std::string_view name) {
  constexpr std::string_view kTimes[] = {"ms", "s", "m", "h", "d", "w", "M", "y"};
  constexpr std::string_view kSizes[] = {"k", "K", "m", "M", "g", "G"};
  if (name == "$any") return true;
  if (name == "$num") return is_decimal(text);
  if (name == "$time") return is_measure(text, kTimes, true);
  if (name == "$size") return is_measure(text, kSizes, true);
  if (name == "$ip") return is_ip(text);
  if (name == "$prefix") {
    const std::size_t slash = text.find('/');
    const std::string_view address = text.substr(0, slash);
    return is_ip(address) &&
           (slash == text.npos || is_whole(text.substr(slash + 1), 0, address.find(':') == address.npos ? 32 : 128));
  }
  const auto parts = split(name, ':');
  const std::int64_t least = parts.size() > 1 ? whole(parts[1]).value_or(0) : -(std::int64_t{1} << 53),
                     most = parts.size() > 2 ? whole(parts[2]).value_or(0) : std::int64_t{1} << 53;
  return is_whole(text, least, most);
}

bool is_truth(std::string_view text) {  // YAML 1.1: all small, all capital, or the first letter
  constexpr std::string_view kTruths[] = {"true", "false", "yes", "no", "on", "off", "y", "n"};
  const std::string lower = to_lower(text);
  if (std::ranges::find(kTruths, std::string_view(lower)) == std::end(kTruths)) return false;
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto capitals = std::ranges::count_if(text, capital);
  return capitals == 0 || static_cast<std::size_t>(capitals) == text.size() || (capitals == 1 && capital(text[0]));
}

std::string shown_class(std::string_view alternatives) {
  std::vector<std::string> out;
  for (const std::string_view a : split(alternatives, '|')) {
    if (a.starts_with("$int:")) {
      const auto parts = split(a, ':');
      out.push_back("a number from " + std::string(parts[1]) + " to " + std::string(parts[2]));
    } else {
      out.push_back(a == "$int"      ? "a whole number"
                    : a == "$num"    ? "a number"
                    : a == "$time"   ? "a time such as 30s"
                    : a == "$size"   ? "a size such as 64m"
                    : a == "$ip"     ? "an IP address"
                    : a == "$prefix" ? "an address or a subnet"
                                     : "'" + std::string(a) + "'");
    }
  }
  if (out.size() == 1) return out[0];
  const std::string last = out.back();
  out.pop_back();
  return join(out, ", ") + " or " + last;
}

// Words parted by blanks; quotes hold one together.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\t') {
      ++i;
      continue;
    }
    std::size_t end = i;
    if (text[i] == '"' || text[i] == '\'') {
      end = text.find(text[i], i + 1);
      end = end == text.npos ? text.size() : end + 1;
    } else {
      while (end < text.size() && text[end] != ' ' && text[end] != '\t') ++end;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string check_arguments(std::string_view key, const std::vector<std::string_view>& words, std::string_view form) {
  std::size_t at = 0;
  for (std::string_view argument : split(form, ' ')) {
    if (argument.empty()) continue;
    const char last = argument.back();
    const bool optional = last == '?' || last == '*', many = last == '*' || last == '+';
    if (optional || many) argument.remove_suffix(1);
    std::size_t taken = 0;
    // A variable of nginx ($arg_x) stands for a value that nobody knows yet.
    while (at < words.size() && (is_extra_word(words[at], argument) || words[at].starts_with('$')) &&
           (many || taken == 0))
      ++at, ++taken;
    if (taken > 0 || optional) continue;
    if (at < words.size())
      return format("'{}' of '{}' is not {}", one_line(words[at].substr(0, 60)), key, shown_class(argument));
    return format("'{}' needs {}", key, argument == "$any" ? std::string("a further value") : shown_class(argument));
  }
  if (at >= words.size()) return {};
  return at == 0 ? format("'{}' takes no value, but '{}' follows it", key, one_line(words[at].substr(0, 60)))
                 : format("'{}' is not a value that '{}' takes", one_line(words[at].substr(0, 60)), key);
}

const ExtraForm* row_of(std::span<const ExtraForm> table, std::string_view key) {
  const auto at = std::ranges::find_if(table, [&](const ExtraForm& f) { return f.key == key; });
  return at == table.end() ? nullptr : &*at;
}

// Keys of the rows directly below a path.
std::vector<std::string_view> children(std::span<const ExtraForm> table, std::string_view path) {
  std::vector<std::string_view> out;
  const std::string before = path.empty() ? std::string() : std::string(path) + '.';
  for (const ExtraForm& f : table)
    if (f.key.starts_with(before) && f.key.size() > before.size() && f.key.find('.', before.size()) == f.key.npos)
      out.push_back(f.key.substr(before.size()));
  return out;
}

std::string scalar_fault(const Document& d, NodeId n, std::string_view path, std::string_view form) {
  const auto no = [&](std::string_view wanted) { return format("'{}' must be {}", path, wanted); };
  if (form == "any") return {};
  if (form == "map") return d.is_mapping(n) || d.is_null(n) ? std::string() : no("a mapping");
  if (form == "list") return d.is_sequence(n) || d.is_null(n) ? std::string() : no("a list");
  if (d.is_null(n)) return {};
  if (!d.is_scalar(n)) return no(form == "text" ? "one text" : "one value");
  const std::string_view text = d.scalar(n);
  if (form == "text") return {};
  if (form == "bool") return is_truth(text) && !d.quoted(n) ? std::string() : no("true or false");
  if (form == "truth") return is_truth(to_lower(text)) ? std::string() : no("true or false");
  if (form == "int") return is_whole(text, -(std::int64_t{1} << 53), std::int64_t{1} << 53) ? "" : no("a whole number");
  if (form == "duration") return is_duration(text) ? std::string() : no("a duration such as 30s or 5m");
  return is_extra_word(text, form) ? std::string() : no(shown_class(form));
}

ExtraFault walk(const Document& d, NodeId n, const std::string& path, const std::string& shown,
                std::span<const ExtraForm> table, std::string_view program) {
  if (d.is_sequence(n)) {
    const std::string below = path + "[]";
    const ExtraForm* row = row_of(table, below);
    for (std::size_t i = 0; i < d.size(n); ++i) {
      const NodeId item = d.item(n, i);
      const std::string name = shown + "[" + std::to_string(i) + "]";
      if (row)
        if (std::string why = scalar_fault(d, item, name, row->form); !why.empty()) return {why};
      if (ExtraFault f = walk(d, item, below, name, table, program); !f.why.empty()) return f;
    }
    return {};
  }
  if (!d.is_mapping(n)) return {};
  const std::vector<std::string_view> known = children(table, path);
  if (known.empty()) return {};
  for (std::size_t i = 0; i < d.size(n); ++i) {
    const std::string_view key = d.scalar(d.key(n, i));
    const std::string before = path.empty() ? std::string() : path + ".";
    const ExtraForm* row = row_of(table, before + std::string(key));
    const std::string_view used = row ? key : std::string_view("*");
    if (!row) row = row_of(table, before + "*");
    const std::string name = (shown.empty() ? "" : shown + ".") + std::string(key);
    if (!row) {
      std::vector<std::string_view> beside = known;
      std::erase_if(beside, [](std::string_view k) { return k.ends_with(']') || k == "*"; });
      return {format("{} knows no key '{}'", program, name), true, std::string(key), std::move(beside)};
    }
    std::string_view form = row->form;
    if (form.ends_with('!')) form.remove_suffix(1);
    if (std::string why = scalar_fault(d, d.value(n, i), name, form); !why.empty()) return {why};
    if (ExtraFault f = walk(d, d.value(n, i), before + std::string(used), name, table, program); !f.why.empty())
      return f;
  }
  for (const std::string_view key : known) {
    const ExtraForm* row = row_of(table, (path.empty() ? std::string() : path + ".") + std::string(key));
    if (row && row->form.ends_with('!') && d.find(n, key) == kNoNode)
      return {format("'{}' needs a key '{}'", shown, key)};
  }
  return {};
}

}  // namespace

std::optional<std::string> dnsmasq_line(std::string_view line) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return std::nullopt;
    if (c == 0x7f) return std::nullopt;
    if (c == '"') {
      if (!quoted && out.find('=') == out.npos) return std::nullopt;
      quoted = !quoted;
    } else if (c == '\\' && quoted && i + 1 < line.size() &&
               std::string_view("\\\"tebrn").find(line[i + 1]) != std::string_view::npos) {
      out += line[++i];  // dnsmasq(8): \\, \", \t, \e, \b, \r and \n inside of quotes
    } else if (c == '#' && !quoted && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      break;
    } else {
      out += c;
    }
  }
  if (quoted) return std::nullopt;
  return std::string(trim(out));
}

bool is_extra_word(std::string_view text, std::string_view alternatives) {
  for (const std::string_view a : split(alternatives, '|'))
    if (a.starts_with('$') ? in_class(text, a) : a == text) return true;
  return false;
}

ExtraFault check_form(std::string_view key, std::string_view arguments, std::span<const ExtraForm> table,
                      std::string_view program) {
  const ExtraForm* row = row_of(table, key);
  if (!row) return {format("{} knows no '{}'", program, one_line(key.substr(0, 60))), true, std::string(key)};
  if (row->form.starts_with('!')) return {format("'{}' {}", key, row->form.substr(1))};
  return {check_arguments(key, words_of(arguments), row->form)};
}

ExtraFault check_yaml_form(const Document& d, NodeId mapping, std::span<const ExtraForm> table,
                           std::string_view program) {
  // Only what stands there: other keys of the file are compiled, so that nothing is required at the top.
  return walk(d, mapping, "", "", table, program);
}

}  // namespace clusterc
