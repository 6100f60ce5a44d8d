#include "write/writers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool has_control(std::string_view text) { return std::any_of(text.begin(), text.end(), is_control); }

// U+0085, U+2028 and U+2029: line ends or blanks to some readers.
bool has_unicode_line_end(std::string_view text) {
  return text.find("\xc2\x85") != std::string_view::npos || text.find("\xe2\x80\xa8") != std::string_view::npos ||
         text.find("\xe2\x80\xa9") != std::string_view::npos;
}

void append_comment(std::string& out, std::string_view text, unsigned indent = 0) {
  for (const std::string_view line : split(text, '\n')) {
    out.append(indent, ' ');
    out += '#';
    if (!line.empty()) out += ' ';
    for (const char c : line) out += is_control(c) && c != '\t' ? ' ' : c;
    out += '\n';
  }
}

}  // namespace

WriterValue::WriterValue(double number) : kind_(Kind::number) {
  text_ = std::string_view(
      buffer_, static_cast<std::size_t>(std::to_chars(buffer_, buffer_ + sizeof buffer_, number).ptr - buffer_));
}
void WriterValue::set_signed(std::int64_t number) {
  text_ = std::string_view(
      buffer_, static_cast<std::size_t>(std::to_chars(buffer_, buffer_ + sizeof buffer_, number).ptr - buffer_));
}
void WriterValue::set_unsigned(std::uint64_t number) {
  text_ = std::string_view(
      buffer_, static_cast<std::size_t>(std::to_chars(buffer_, buffer_ + sizeof buffer_, number).ptr - buffer_));
}

void WriterError::refuse(std::string_view what, std::string_view value, std::string_view why) {
  if (!error_.empty()) return;
  error_ = "the value of '";
  error_ += what;
  error_ += "' ";
  error_ += why;
  error_ += ": '";
  for (const char c : value.substr(0, 60)) error_ += is_control(c) ? '?' : c;
  error_ += value.size() > 60 ? "...'" : "'";
}

// ---- YAML

namespace {

// Plain only where no reader of YAML 1.1 or 1.2 can see anything but this text.
bool is_plain_yaml(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  const char first = text.front();
  if (!is_letter(first) && first != '_' && first != '/')
    return false;  // no digit: numbers, dates and sexagesimals begin with one
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c) && c != '_' && c != '-' && c != '.' && c != '/') return false;
  static constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
  const std::string lower = to_lower(text);
  return std::find(std::begin(kWords), std::end(kWords), lower) == std::end(kWords);
}

void append_quoted_yaml(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (is_control(c)) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(c), 2);
    } else if (rest.starts_with("\xc2\x85"))
      out += "\\N", i += 1;  // what YAML 1.1 takes for line ends
    else if (rest.starts_with("\xe2\x80\xa8"))
      out += "\\L", i += 2;
    else if (rest.starts_with("\xe2\x80\xa9"))
      out += "\\P", i += 2;
    else if (rest.starts_with("\xef\xbb\xbf"))
      out += "\\uFEFF", i += 2;
    else
      out += c;
  }
  out += '"';
}

// A literal block gives back every byte of these.
bool is_block_text(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.front() == '\n' || text.front() == ' ' || text.front() == '\t')
    return false;
  if (text.find_first_not_of('\n') == std::string_view::npos) return false;
  for (const char c : text)
    if (is_control(c) && c != '\n' && c != '\t') return false;
  return !has_unicode_line_end(text) && text.find("\xef\xbb\xbf") == std::string_view::npos;
}

}  // namespace

void YamlWriter::scalar(std::string_view text, unsigned indent, bool flow) {
  if (is_plain_yaml(text)) {
    out_ += text;
  } else if (!flow && is_block_text(text)) {
    const bool ends = text.ends_with('\n');
    const bool keeps = text.ends_with("\n\n");
    out_ += keeps ? "|+" : ends ? "|" : "|-";
    std::string_view body = text;
    if (ends) body.remove_suffix(1);
    for (const std::string_view line : split(body, '\n')) {
      out_ += '\n';
      if (!line.empty()) out_.append(indent, ' ');
      out_ += line;
    }
  } else {
    append_quoted_yaml(out_, text);
  }
}

void YamlWriter::start_entry() {
  if (dash_) {  // the first key of a map, or a list, right behind its dash
    dash_ = false;
    return;
  }
  if (!fresh_) out_ += '\n';
  fresh_ = false;
  if (!levels_.empty()) out_.append(levels_.back().indent, ' ');
}

YamlWriter& YamlWriter::comment(std::string_view text) {
  if (keyed_ || dash_) throw std::logic_error("YamlWriter: a comment between a key and its value");
  if (!fresh_) out_ += '\n';
  append_comment(out_, text, levels_.empty() ? 0 : levels_.back().indent);
  fresh_ = true;
  return *this;
}

YamlWriter& YamlWriter::key(std::string_view name) {
  if (levels_.empty() || levels_.back().kind != Kind::map || keyed_)
    throw std::logic_error("YamlWriter: key outside a map");
  start_entry();
  levels_.back().empty = false;
  scalar(name, 0, true);
  out_ += ':';
  keyed_ = true;
  return *this;
}

// Right before a scalar, or before the first line of a container.
void YamlWriter::before_value(bool container) {
  if (container && !tag_.empty()) throw std::logic_error("YamlWriter: a tag in front of a list or a map");
  if (levels_.empty()) {
    if (!container) throw std::logic_error("YamlWriter: a document is a map or a list");
    return;
  }
  if (levels_.back().kind == Kind::list) {
    start_entry();
    levels_.back().empty = false;
    out_ += "- ";
    dash_ = container;
  } else {
    if (!keyed_) throw std::logic_error("YamlWriter: a value without a key");
    keyed_ = false;
    if (!container) out_ += ' ';
  }
}

YamlWriter& YamlWriter::tag(std::string_view name) {
  tag_ = name;
  return *this;
}

YamlWriter& YamlWriter::value(const WriterValue& v) {
  before_value(false);
  if (!tag_.empty()) out_ += tag_, out_ += ' ';
  tag_ = {};
  if (v.kind() == WriterValue::Kind::text)
    scalar(v.text(), levels_.back().indent + 2, false);
  else if (v.text() == "inf" || v.text() == "-inf" || v.text() == "nan")
    out_ += v.text() == "inf" ? ".inf" : v.text() == "nan" ? ".nan" : "-.inf";
  else
    out_ += v.text();
  if (levels_.empty()) out_ += '\n';
  return *this;
}

YamlWriter& YamlWriter::null() {
  before_value(false);
  out_ += "null";
  return *this;
}

YamlWriter& YamlWriter::flow(std::span<const std::string> items) {
  before_value(false);
  out_ += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out_ += ", ";
    scalar(items[i], 0, true);
  }
  out_ += ']';
  return *this;
}

YamlWriter& YamlWriter::flow(std::initializer_list<std::string_view> items) {
  const std::vector<std::string> copy(items.begin(), items.end());
  return flow(std::span<const std::string>(copy));
}

YamlWriter& YamlWriter::begin_map() { return begin(Kind::map); }
YamlWriter& YamlWriter::begin_list() { return begin(Kind::list); }

YamlWriter& YamlWriter::begin(Kind kind) {
  before_value(true);
  const unsigned indent = levels_.empty() ? 0 : levels_.back().indent + 2;
  levels_.push_back({kind, indent});
  return *this;
}

YamlWriter& YamlWriter::end(Kind kind) {
  if (levels_.empty() || levels_.back().kind != kind || keyed_)
    throw std::logic_error("YamlWriter: end without its begin");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (empty) {  // an empty block has no text of its own: it is written in flow style
    if (!levels_.empty() && !dash_) out_ += ' ';
    if (levels_.empty() && !fresh_) out_ += '\n';
    out_ += kind == Kind::map ? "{}" : "[]";
    dash_ = false;
    fresh_ = false;
  }
  if (levels_.empty()) {
    out_ += '\n';
    fresh_ = true;
  }
  return *this;
}

// ---- INI

IniWriter& IniWriter::comment(std::string_view text) {
  append_comment(out_, text);
  return *this;
}

IniWriter& IniWriter::section(std::string_view name) {
  if (name.empty() || has_control(name) || name.find_first_of("[]") != std::string_view::npos) {
    refuse("section", name, "cannot be a section's name");
    return *this;
  }
  if (started_) out_ += '\n';
  started_ = true;
  ((out_ += '[') += name) += "]\n";
  return *this;
}

IniWriter& IniWriter::field(std::string_view name, const WriterValue& v) {
  const std::string_view text = v.text();
  if (name.empty() || has_control(name) || name.find_first_of("=:[]#; \"") != std::string_view::npos)
    refuse(name, name, "cannot have a name like this");
  else if (has_control(text) || has_unicode_line_end(text))
    refuse(name, text, "has a line end or control character, which this format cannot carry");
  else if (trim(text) != text || text.find(" #") != std::string_view::npos ||
           text.find(" ;") != std::string_view::npos || text.find_first_of("#;\"'") == 0 || text.ends_with('\\'))
    refuse(name, text, "cannot be written here without another meaning");
  else {
    started_ = true;
    (((out_ += name) += assign_) += text) += '\n';
  }
  return *this;
}

IniWriter& IniWriter::line(std::string_view bare) {
  if (bare.empty() || has_control(bare) || trim(bare) != bare || bare.find_first_of("=#;[") == 0)
    refuse("line", bare, "cannot be a line of its own");
  else {
    started_ = true;
    (out_ += bare) += '\n';
  }
  return *this;
}

// ---- Slurm's Key=Value

KeyValueWriter& KeyValueWriter::comment(std::string_view text) {
  end_line();
  append_comment(out_, text);
  return *this;
}

KeyValueWriter& KeyValueWriter::pair(std::string_view key, const WriterValue& v) {
  const std::string_view text = v.text();
  if (key.empty() ||
      !std::all_of(key.begin(), key.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; })) {
    refuse(key, key, "cannot have a name like this");
  } else if (has_control(text) || text.find_first_of("\"#\\") != std::string_view::npos) {
    refuse(key, text, "has a line end, '\"', '#' or '\\', which this format cannot carry");
  } else {
    if (in_line_) out_ += ' ';
    in_line_ = true;
    (out_ += key) += '=';
    // "=" as in TRES lists (gres/gpu=8) needs no quotes: Slurm takes the text up to the next blank.
    const bool quoted = text.empty() || text.find_first_of(" '") != std::string_view::npos;
    if (quoted)
      ((out_ += '"') += text) += '"';
    else
      out_ += text;
  }
  return *this;
}

KeyValueWriter& KeyValueWriter::end_line() {
  if (in_line_) out_ += '\n';
  in_line_ = false;
  return *this;
}

// ---- Shell

namespace {

bool is_shell_name(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace

void append_shell_word(std::string& out, std::string_view word) {
  static constexpr std::string_view kSafe = "_-./:,+@%=";  // '=' is safe but for the first word; see command()
  if (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return is_letter(c) || is_digit(c) || kSafe.find(c) != std::string_view::npos;
      })) {
    out += word;
    return;
  }
  out += '\'';
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  out += '\'';
}

ShellWriter& ShellWriter::comment(std::string_view text) {
  append_comment(out_, text);
  return *this;
}

ShellWriter& ShellWriter::assign(std::string_view name, const WriterValue& v) {
  if (!is_shell_name(name))
    refuse(name, name, "cannot have a name like this");
  else if (v.text().find('\0') != std::string_view::npos)
    refuse(name, v.text(), "has a NUL byte, which the shell cannot carry");
  else {
    (out_ += name) += '=';
    append_shell_word(out_, v.text());
    out_ += '\n';
  }
  return *this;
}

ShellWriter& ShellWriter::export_(std::string_view name, const WriterValue& v) {
  const std::size_t before = out_.size();
  const bool was_ok = ok();
  assign(name, v);
  if (out_.size() > before && (ok() || !was_ok)) out_.insert(before, "export ");
  return *this;
}

ShellWriter& ShellWriter::command(std::span<const std::string> words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  for (const std::string_view word : views)
    if (word.find('\0') != std::string_view::npos) {
      refuse(views.front(), word, "has a NUL byte, which the shell cannot carry");
      return *this;
    }
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (i > 0) out_ += ' ';
    if (i == 0 && views[i].find('=') != std::string_view::npos) {  // quoted, it is a program and no assignment
      out_ += '\'';
      out_ += replace_all(views[i], "'", "'\\''");
      out_ += '\'';
    } else {
      append_shell_word(out_, views[i]);
    }
  }
  out_ += '\n';
  return *this;
}

ShellWriter& ShellWriter::command(std::initializer_list<std::string_view> words) {
  const std::vector<std::string> copy(words.begin(), words.end());
  return command(std::span<const std::string>(copy));
}

// ---- CSV

namespace {

// Characters for which a cell is put in quotes; a blank at either end is one more reason.
constexpr char kQuotedInCsv[] = {',', '"', '\r', '\n'};

// Eight characters at a time: which bytes of a word are zero is told by borrow (H. S. Warren, Hacker's Delight, 6-1).
bool has_quoted_in_csv(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    std::uint64_t hit = 0;
    for (const char c : kQuotedInCsv) {
      const std::uint64_t x = word ^ (kOnes * static_cast<unsigned char>(c));
      hit |= (x - kOnes) & ~x & kTops;
    }
    if (hit) return true;
  }
  for (; i < text.size(); ++i)
    if (std::find(std::begin(kQuotedInCsv), std::end(kQuotedInCsv), text[i]) != std::end(kQuotedInCsv)) return true;
  return false;
}

void append_csv(std::string& out, std::string_view text) {
  if (!has_quoted_in_csv(text) && (text.empty() || (!is_control(text.front()) && text.front() != ' ' &&
                                                    !is_control(text.back()) && text.back() != ' '))) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

CsvWriter& CsvWriter::cell(const WriterValue& v) {
  if (in_row_) out_ += ',';
  in_row_ = true;
  append_csv(out_, v.text());
  return *this;
}

CsvWriter& CsvWriter::end_row() {
  out_ += '\n';
  in_row_ = false;
  return *this;
}

CsvWriter& CsvWriter::row(std::initializer_list<std::string_view> cells) {
  for (const std::string_view text : cells) {
    if (in_row_) out_ += ',';
    in_row_ = true;
    append_csv(out_, text);
  }
  return end_row();
}

// ---- sheets

namespace {

// Would a spreadsheet take the cell for a formula? What begins with one of these is one, in full width, too (OWASP, CSV
// Injection). A number with a sign and a lone sign are none.
bool is_formula(std::string_view text) {
  text = trim(text);
  constexpr std::string_view kBegin[] = {"=",           "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};
  if (text == "-" || std::none_of(std::begin(kBegin), std::end(kBegin),
                                  [&](std::string_view begin) { return text.starts_with(begin); }))
    return false;
  if ((text.front() != '+' && text.front() != '-') || text.size() < 2 || !is_digit(text[1])) return true;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 1, end, value);
  return read.ec != std::errc{} || read.ptr != end;
}

// Nearly all cells: a name or a number in which nothing has to be looked at twice.
bool is_plain_cell(std::string_view text) {
  if (text.empty()) return true;
  if (!is_letter(text.front()) && !is_digit(text.front())) return false;
  return std::none_of(text.begin(), text.end(), [](char c) { return c < 0x20 || c >= 0x7f || c == '['; });
}

}  // namespace

std::string sheet_text(std::string_view text) {
  std::string clean = printable(text);
  if (is_formula(clean)) clean.insert(0, 1, '\'');
  return clean;
}

SheetWriter& SheetWriter::row(std::initializer_list<std::string_view> cells) {
  bool first = true;
  for (const std::string_view text : cells) {
    if (!first) out_ += ',';
    first = false;
    if (is_plain_cell(text))
      append_csv(out_, text);
    else
      append_csv(out_, sheet_text(text));
  }
  out_ += '\n';
  return *this;
}

}  // namespace clusterc
