#include "write/xml.h"

namespace clusterc {
namespace {

// XML 1.0, section 2.4: these signs; and what a reader would turn into a blank (section 3.3.3) or may not read at all
// (section 2.2) is '?', because no value of ours has it.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
}

}  // namespace

XmlWriter::~XmlWriter() {
  while (!open_.empty()) close();
}

XmlWriter& XmlWriter::comment(std::string_view text) {
  out_.append(2 * open_.size(), ' ');
  out_ += "<!-- ";
  char last = ' ';
  for (const char c : text) {  // "--" ends a comment (section 2.5)
    if (c == '-' && last == '-') out_ += ' ';
    out_ += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    last = c;
  }
  out_ += " -->\n";
  return *this;
}

void XmlWriter::begin(std::string_view name, Attributes attributes) {
  out_.append(2 * open_.size(), ' ');
  out_ += '<', out_ += name;
  for (const auto& [key, value] : attributes) {
    out_ += ' ', out_ += key, out_ += "=\"";
    append_escaped(out_, value);
    out_ += '"';
  }
}

XmlWriter& XmlWriter::open(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  out_ += ">\n";
  open_.emplace_back(name);
  return *this;
}

XmlWriter& XmlWriter::close() {
  const std::string name = std::move(open_.back());
  open_.pop_back();
  out_.append(2 * open_.size(), ' ');
  out_ += "</", out_ += name, out_ += ">\n";
  return *this;
}

XmlWriter& XmlWriter::empty(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  out_ += "/>\n";
  return *this;
}

}  // namespace clusterc
