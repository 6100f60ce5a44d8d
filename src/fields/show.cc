#include "fields/show.h"

#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "fields/scalar_text.h"

namespace clusterc {

std::string scalar_text(const Type& t, const void* p) {
  const Scalar s = t.fetch(p);
  switch (t.kind) {
    case ScalarKind::boolean:
      return s.truth ? "true" : "false";
    case ScalarKind::integer:
      return std::to_string(s.integer);
    case ScalarKind::ratio:
      return ratio_text(s.number);
    case ScalarKind::quantity:
      return to_exact_text(s.number, t.dimension);
    case ScalarKind::choice:
      return std::string(s.choice < t.choices.size() ? t.choices[s.choice] : "?");
    case ScalarKind::text:
    case ScalarKind::parsed:
      break;
  }
  return s.text;
}

namespace {

// Type's accessors take void*, for the reader writes through them; here nothing is written.
void* mutable_pointer(const void* p) { return const_cast<void*>(p); }

bool plain_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/' || c == '+' || c == '%' || c == '(' || c == ')' || c == ' ' || c == ':' || c == '=' ||
         c == '@';
}

// Plain where every YAML reader takes it for the same text, else in double quotes.
std::string yaml_text(std::string_view s) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  bool plain = !s.empty() && (alnum(s.front()) || s.front() == '/' || s.front() == '.') && s.back() != ' ' &&
               s.back() != ':' && s.find(": ") == s.npos && s.find("  ") == s.npos && s != "unknown" && s != "null" &&
               s != "Null" && s != "NULL" && s != "..." && s != ".";
  for (const char c : s) plain = plain && plain_character(c);
  if (plain) return std::string(s);
  // YAML 1.2, 5.7: what a reader of the text would obey, or not see, is written by its number.
  std::string out = "\"";
  for (std::size_t i = 0; i < s.size();) {
    const Character c = decode_utf8(s, i);
    if (c.code == '"' || c.code == '\\')
      (out += '\\') += s[i];
    else if (c.code == '\n')
      out += "\\n";
    else if (c.code == '\t')
      out += "\\t";
    else if (is_hidden(c.code) || (c.code == '[' && begins_command(s.substr(0, i)))) {
      out += c.code < 0x100 ? "\\x" : c.code < 0x10000 ? "\\u" : "\\U";
      append_hex(out, c.code, c.code < 0x100 ? 2 : c.code < 0x10000 ? 4 : 8);
    } else if (c.code == 0xfffd)
      out += kReplacement;
    else
      out.append(s, i, c.length);
    i += c.length;
  }
  return out += '"';
}

// `for_people`: what was derived has as many digits as all figures that people read, and its formula beside it.
std::string yaml_value(const Type& t, const void* p, bool for_people) {
  const ValueHead head = t.head(mutable_pointer(p));
  if (head.has) {
    if (for_people && head.origin == Origin::derived && t.kind == ScalarKind::quantity)
      return to_text(t.fetch(p).number, t.dimension);
    const std::string text = scalar_text(t, p);
    // Numbers and words of the language need no quotes; what a user wrote may.
    return t.kind == ScalarKind::text || t.kind == ScalarKind::parsed ? yaml_text(text) : text;
  }
  return head.origin == Origin::spec && !head.source.empty() ? "{ unknown: " + yaml_text(head.source) + " }"
                                                             : "unknown";
}

std::string one_line(std::string_view s) {
  std::string out;
  for (const char c : s) {
    const bool blank = static_cast<unsigned char>(c) <= 0x20;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return printable(out);
}

std::string origin_comment(const ValueHead& head) {
  switch (head.origin) {
    case Origin::standard:
      return "default: " + one_line(head.source);
    case Origin::derived:
      return "derived: " + one_line(head.source);
    case Origin::catalog:
      return "catalogue: " + one_line(head.source) + (head.confirmed ? "" : " (unconfirmed)");
    case Origin::spec:
    case Origin::absent:
      break;
  }
  return {};
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::spec:
      return "spec";
    case Origin::catalog:
      return "catalog";
    case Origin::standard:
      return "default";
    case Origin::derived:
      return "derived";
    case Origin::absent:
      break;
  }
  return "absent";
}

bool said(const Type& t, const void* p) {
  switch (t.form) {
    case Type::Form::value: {
      const ValueHead head = t.head(mutable_pointer(p));
      return head.has || head.unknown;
    }
    case Type::Form::list:
    case Type::Form::map:
    case Type::Form::maybe:
      return t.size(p) > 0;
    case Type::Form::record:
      break;
  }
  for (const Field& f : t.fields)
    if (said(f.type(), f.in(p))) return true;
  return t.rest && said(t.rest->type(), t.rest->in(p));
}

class YamlShow {
 public:
  YamlShow(std::string& out, ShowOptions options) : out_(out), options_(options) {}

  void record(const Type& t, const void* p, std::size_t depth) {
    for (const Field& f : t.fields)
      if (said(f.type(), f.in(p)) || (f.options.required && f.type().form == Type::Form::map))
        entry(f.key, f.type(), f.in(p), depth);
    if (t.rest) map(t.rest->type(), t.rest->in(p), depth);
  }

 private:
  void map(const Type& t, const void* p, std::size_t depth) {
    for (std::size_t i = 0; i < t.size(p); ++i)
      entry(t.entry_name(p, i), t.element(), t.at(mutable_pointer(p), i), depth);
  }

  void entry(std::string_view key, const Type& t, const void* p, std::size_t depth) {
    indent(depth);
    out_ += yaml_text(key);
    out_ += ':';
    body(t, p, depth + 1);
  }

  // What stands behind a key (or, for a nested list, behind the dash), to the end of its last line.
  void body(const Type& t, const void* p, std::size_t depth) {
    switch (t.form) {
      case Type::Form::value:
        out_ += ' ';
        out_ += yaml_value(t, p, options_.origins);
        end_line(t, p);
        return;
      case Type::Form::maybe:
        return body(t.element(), t.at(mutable_pointer(p), 0), depth);
      case Type::Form::list:
        return list(t, p, depth);
      case Type::Form::map:
      case Type::Form::record:
        break;
    }
    if (!said(t, p)) {
      out_ += " {}\n";
      return;
    }
    out_ += '\n';
    t.form == Type::Form::map ? map(t, p, depth) : record(t, p, depth);
  }

  void list(const Type& t, const void* p, std::size_t depth) {
    const Type& e = t.element();
    const std::size_t n = t.size(p);
    if (e.form == Type::Form::value) {
      out_ += " [";
      for (std::size_t i = 0; i < n; ++i)
        (out_ += i ? ", " : "") += yaml_value(e, t.at(mutable_pointer(p), i), options_.origins);
      out_ += ']';
      if (n > 0)
        end_line(e, t.at(mutable_pointer(p), 0));
      else
        out_ += '\n';
      return;
    }
    out_ += n ? "\n" : " []\n";
    for (std::size_t i = 0; i < n; ++i) {
      indent(depth);
      out_ += '-';
      body(e, t.at(mutable_pointer(p), i), depth + 1);
    }
  }

  void end_line(const Type& t, const void* p) {
    const std::string comment = options_.origins ? origin_comment(t.head(mutable_pointer(p))) : std::string();
    if (!comment.empty()) (out_ += "   # ") += comment;
    out_ += '\n';
  }

  void indent(std::size_t depth) { out_.append(2 * depth, ' '); }

  std::string& out_;
  ShowOptions options_;
};

void json_value(const Type& t, const void* p, JsonWriter& out) {
  const ValueHead head = t.head(mutable_pointer(p));
  out.begin_object(JsonWriter::Layout::line);
  out.key("value");
  if (!head.has) {
    out.null();
    if (head.unknown) out.field("unknown", true);
  } else {
    const Scalar s = t.fetch(p);
    switch (t.kind) {
      case ScalarKind::boolean:
        out.value(s.truth);
        break;
      case ScalarKind::integer:
        out.value(s.integer);
        break;
      case ScalarKind::ratio:
        out.value(s.number);
        break;
      case ScalarKind::quantity:
        out.value(scalar_text(t, p)).field("si", s.number);
        break;
      case ScalarKind::choice:
      case ScalarKind::text:
      case ScalarKind::parsed:
        out.value(scalar_text(t, p));
        break;
    }
  }
  out.field("origin", origin_name(head.origin));
  if (!head.source.empty()) out.field("source", head.source);
  out.field("confirmed", head.confirmed);
  out.end_object();
}

void json_members(const Type& t, const void* p, JsonWriter& out);

void json(const Type& t, const void* p, JsonWriter& out) {
  switch (t.form) {
    case Type::Form::value:
      return json_value(t, p, out);
    case Type::Form::maybe:
      return json(t.element(), t.at(mutable_pointer(p), 0), out);
    case Type::Form::list:
      out.begin_array();
      for (std::size_t i = 0; i < t.size(p); ++i) json(t.element(), t.at(mutable_pointer(p), i), out);
      out.end_array();
      return;
    case Type::Form::map:
    case Type::Form::record:
      break;
  }
  out.begin_object();
  json_members(t, p, out);
  out.end_object();
}

void json_members(const Type& t, const void* p, JsonWriter& out) {
  if (t.form == Type::Form::map) {
    for (std::size_t i = 0; i < t.size(p); ++i) {
      out.key(t.entry_name(p, i));
      json(t.element(), t.at(mutable_pointer(p), i), out);
    }
    return;
  }
  for (const Field& f : t.fields)
    if (said(f.type(), f.in(p))) {
      out.key(f.key);
      json(f.type(), f.in(p), out);
    }
  if (t.rest) json_members(t.rest->type(), t.rest->in(p), out);
}

}  // namespace

std::string show_yaml(const Type& type, const void* record, ShowOptions options) {
  std::string out;
  YamlShow(out, options).record(type, record, 0);
  return out;
}

std::string show_value(const Type& type, const void* value) { return yaml_value(type, value, true); }
std::string show_origin(const Type& type, const void* value) {
  return origin_comment(type.head(mutable_pointer(value)));
}

void show_json(const Type& type, const void* record, JsonWriter& out) { json(type, record, out); }

}  // namespace clusterc
