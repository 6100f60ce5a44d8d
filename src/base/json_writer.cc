#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/printable.h"

namespace clusterc {
namespace {

void append_escape(std::string& out, char32_t code) {  // RFC 8259, 7: beyond U+FFFF a pair of surrogates
  const auto unit = [&](char32_t u) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(u >> shift) & 15u];
  };
  if (code < 0x10000) return unit(code);
  unit(0xd800 + ((code - 0x10000) >> 10));
  unit(0xdc00 + ((code - 0x10000) & 0x3ff));
}

[[noreturn]] void misuse(const char* what) { throw std::logic_error(std::string("json writer: ") + what); }

}  // namespace

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
  before_value();
  out_ += bracket;
  open_.push_back({.bracket = bracket, .line = layout == Layout::line || (!open_.empty() && open_.back().line)});
  return *this;
}

JsonWriter& JsonWriter::end(char open, char close) {
  if (open_.empty() || open_.back().bracket != open) misuse("an end without its begin");
  if (open_.back().keyed) misuse("a key without a value");
  const Level level = open_.back();
  open_.pop_back();
  if (!level.empty && !level.line) line_break();
  out_ += close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (open_.empty() || open_.back().bracket != '{') misuse("a key outside an object");
  if (open_.back().keyed) misuse("a key without a value");
  separate();
  quoted(name);
  out_ += style_.indent == 0 ? ":" : ": ";
  open_.back().keyed = true;
  return *this;
}

void JsonWriter::before_value() {
  if (open_.empty()) {
    if (started_) misuse("a second value at the top");
    started_ = true;
  } else if (open_.back().bracket == '{') {
    if (!open_.back().keyed) misuse("a value without a key");
    open_.back().keyed = false;
  } else {
    separate();
  }
}

void JsonWriter::separate() {
  Level& level = open_.back();
  if (!level.empty) out_ += ',';
  if (!level.line)
    line_break();
  else if (!level.empty && style_.indent != 0)
    out_ += ' ';
  level.empty = false;
}

void JsonWriter::line_break() {
  if (style_.indent == 0) return;
  out_ += '\n';
  out_.append(style_.indent * open_.size(), ' ');
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_value();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  std::array<char, 32> digits;  // the shortest form of a double has at most 24 characters
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  before_value();
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

JsonWriter& JsonWriter::natural(std::uint64_t number) {
  before_value();
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), result.ptr);
  return *this;
}

void JsonWriter::quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out_ += '"';
  std::size_t plain = 0;  // start of the run that needs no escape
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '[') {
      ++i;
      continue;
    }
    if (c >= 0x80) {
      const Character character = decode_utf8(text, i);
      if (character.length > 1 && !is_hidden(character.code)) {
        i += character.length;
        continue;
      }
      // The same text to a reader of JSON; a terminal obeys none of it.
      if (character.length > 1) {
        out_.append(text, plain, i - plain);
        append_escape(out_, character.code);
        plain = i += character.length;
        continue;
      }
    } else if (c == '<' && !style_.html_safe) {
      ++i;
      continue;
    } else if (c == '[' && !begins_command(text.substr(0, i))) {
      ++i;
      continue;
    }
    out_.append(text, plain, i - plain);
    if (c >= 0x80) {
      out_ += "\xef\xbf\xbd";
    } else {
      switch (c) {
        case '"':
          out_ += "\\\"";
          break;
        case '\\':
          out_ += "\\\\";
          break;
        case '\n':
          out_ += "\\n";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '\t':
          out_ += "\\t";
          break;
        default:
          out_ += "\\u00", out_ += kHex[c >> 4], out_ += kHex[c & 15];
      }
    }
    plain = ++i;
  }
  out_.append(text, plain, text.size() - plain);
  out_ += '"';
}

}  // namespace clusterc
