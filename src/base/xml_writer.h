// Writes XML that is well formed by construction: elements are closed in order, text and attributes are escaped, and
// what XML 1.0 cannot hold becomes U+FFFD.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"

namespace clusterc {

class XmlWriter {
 public:
  XmlWriter() { out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"; }

  XmlWriter& open(std::string_view name) {
    finish_tag();
    indent();
    out_ += '<', out_ += name;
    in_tag_ = true;
    open_.push_back(std::string(name));
    return *this;
  }
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  XmlWriter& open(std::string_view name, Attributes attributes) {
    open(name);
    for (const auto& [key, value] : attributes) attribute(key, value);
    return *this;
  }
  XmlWriter& empty(std::string_view name, Attributes attributes) { return open(name, attributes).close(); }
  // Outside of text. "--" would end it (XML 1.0, section 2.5).
  XmlWriter& comment(std::string_view text) {
    finish_tag();
    indent();
    out_ += "<!-- ";
    char last = ' ';
    for (const char c : text) {
      if (c == '-' && last == '-') out_ += ' ';
      out_ += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
      last = c;
    }
    out_ += " -->\n";
    return *this;
  }
  XmlWriter& attribute(std::string_view name, std::string_view value) {
    out_ += ' ', out_ += name, out_ += "=\"";
    escaped(value, true);
    out_ += '"';
    return *this;
  }
  XmlWriter& attribute(std::string_view name, std::size_t value) { return attribute(name, format("{}", value)); }
  XmlWriter& text(std::string_view what) {
    if (in_tag_) out_ += '>', in_tag_ = false;
    escaped(what, false);
    has_text_ = true;
    return *this;
  }
  XmlWriter& close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    if (in_tag_) {
      out_ += "/>\n";
      in_tag_ = false;
    } else {
      if (!has_text_) indent();
      out_ += "</", out_ += name, out_ += ">\n";
    }
    has_text_ = false;
    return *this;
  }
  std::string take() { return std::move(out_); }

 private:
  void finish_tag() {
    if (in_tag_) out_ += ">\n";
    in_tag_ = false;
  }
  void indent() { out_.append(2 * open_.size(), ' '); }
  void escaped(std::string_view text, bool in_attribute) {
    for (const char c : text) switch (c) {
        case '&':
          out_ += "&amp;";
          break;
        case '<':
          out_ += "&lt;";
          break;
        case '>':
          out_ += "&gt;";
          break;
        case '"':
          out_ += "&quot;";
          break;
        case '\n':
        case '\t':  // a reader turns them into blanks in an attribute
          if (in_attribute)
            out_ += format("&#{};", static_cast<int>(c));
          else
            out_ += c;
          break;
        default:  // XML 1.0 has no way to write the other control characters
          if (static_cast<unsigned char>(c) < 0x20)
            out_ += "\xef\xbf\xbd";
          else
            out_ += c;
      }
  }

  std::string out_;
  std::vector<std::string> open_;
  bool in_tag_ = false, has_text_ = false;
};

}  // namespace clusterc
