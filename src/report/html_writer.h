// Writes HTML that is well formed by construction: elements are closed in order, text and attributes are escaped. For
// documents without scripts; the text of <style> is the caller's own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

// Text of a document, or the value of an attribute.
inline void append_html(std::string& out, std::string_view text) {
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
        out += c;
    }
}

class HtmlWriter {
 public:
  HtmlWriter() { out_ = "<!DOCTYPE html>\n"; }

  HtmlWriter& open(std::string_view name) {
    begin(name);
    open_.emplace_back(name);
    return *this;
  }
  HtmlWriter& open(std::string_view name, std::string_view attribute, std::string_view value) {
    open(name);
    out_.pop_back();
    out_ += ' ', out_ += attribute, out_ += "=\"";
    escape(value);
    out_ += "\">";
    return *this;
  }
  // An element without content (meta), with one attribute or two.
  HtmlWriter& empty(std::string_view name, std::string_view attribute, std::string_view value,
                    std::string_view second = {}, std::string_view second_value = {}) {
    open(name, attribute, value);
    if (!second.empty()) {
      out_.pop_back();
      out_ += ' ', out_ += second, out_ += "=\"";
      escape(second_value);
      out_ += "\">";
    }
    open_.pop_back();
    return *this;
  }
  HtmlWriter& text(std::string_view what) {
    escape(what);
    return *this;
  }
  HtmlWriter& close() {
    out_ += "</", out_ += open_.back(), out_ += ">\n";
    open_.pop_back();
    return *this;
  }
  HtmlWriter& element(std::string_view name, std::string_view what) { return open(name).text(what).close(); }
  HtmlWriter& element(std::string_view name, std::string_view attribute, std::string_view value,
                      std::string_view what) {
    return open(name, attribute, value).text(what).close();
  }
  HtmlWriter& style(std::string_view sheet) {
    open("style");
    out_ += sheet;
    return close();
  }
  // A drawing that another writer has escaped: SVG, without the declaration of its file.
  HtmlWriter& drawing(std::string_view svg) {
    const std::size_t begin = svg.find("<svg");
    if (begin != std::string_view::npos) out_ += svg.substr(begin);
    return *this;
  }
  std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view name) { out_ += '<', out_ += name, out_ += '>'; }
  void escape(std::string_view what) { append_html(out_, what); }
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace clusterc
