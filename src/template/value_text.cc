#include "template/value_text.h"

#include <charconv>
#include <utility>

namespace clusterc {
namespace {

using Value = TemplateValue;

bool stands_alone(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() == ' ' || text.back() == ' ' || text.front() == '[' || text.front() == '-' || text.front() == '%' ||
      text.front() == '@')
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view(" ._/:@+,=%-[]").find(c) != std::string_view::npos;
    if (!good || (c == ':' && i + 1 < text.size() && text[i + 1] == ' ') ||
        (c == ' ' && i + 1 < text.size() && text[i + 1] == ' '))
      return false;
  }
  return text.back() != ':';
}

}  // namespace

std::string shortened(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "…" : ""); }

std::string excerpt(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return shortened(out);
}

std::string_view word_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::absent:
      return "nothing";
    case Value::Kind::truth:
      return "true or false";
    case Value::Kind::integer:
    case Value::Kind::number:
      return "a number";
    case Value::Kind::text:
      return "a text";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      break;
  }
  return "a map";
}

std::string text_of(const Value& v) {
  switch (v.kind) {
    case Value::Kind::truth:
      return v.truth ? "true" : "false";
    case Value::Kind::integer:
      return std::to_string(v.integer);
    case Value::Kind::number: {
      char buffer[32];
      return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v.number).ptr};
    }
    case Value::Kind::text:
      return std::string(v.text);
    default:
      return {};
  }
}

bool is_scalar(const Value& v) {
  return v.kind != Value::Kind::absent && v.kind != Value::Kind::list && v.kind != Value::Kind::map;
}
bool is_number(const Value& v) { return v.kind == Value::Kind::integer || v.kind == Value::Kind::number; }
double number_of(const Value& v) { return v.kind == Value::Kind::integer ? static_cast<double>(v.integer) : v.number; }
bool is_there(const Value& v) { return v.kind != Value::Kind::absent && !v.unset; }
bool stays_safe(const Value& v) { return v.safe && !v.quoted; }
Value in_quotes(std::string text) {
  Value v = Value::of(std::move(text), true);
  v.quoted = true;
  return v;
}
bool may_stand(const Value& v) { return v.kind != Value::Kind::text || v.safe || stands_alone(v.text); }

}  // namespace clusterc
