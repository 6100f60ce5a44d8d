// A text that does not change and that many things have in common: millions of verdicts name some thousand nodes. A
// copy is a pointer. Texts are made one by one from strings; SharedTexts gives equal ones the same memory.
#pragma once
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>

namespace clusterc {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) {
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }
  SharedText(std::string_view text) : SharedText(std::string(text)) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const std::string kEmpty;
    return text_ ? *text_ : kEmpty;
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }
  bool empty() const { return !text_; }
  bool starts_with(std::string_view what) const { return str().starts_with(what); }
  bool ends_with(std::string_view what) const { return str().ends_with(what); }
  std::size_t find(std::string_view what) const { return str().find(what); }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.str() == b.str(); }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend bool operator<(const SharedText& a, const SharedText& b) { return a.str() < b.str(); }
  friend std::string operator+(const SharedText& a, const char* b) { return a.str() + b; }
  friend std::string operator+(const char* a, const SharedText& b) { return a + b.str(); }
  friend std::string operator+(std::string a, const SharedText& b) { return std::move(a += b.str()); }
  friend std::string operator+(const SharedText& a, const std::string& b) { return a.str() + b; }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << text.str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

class SharedTexts {
 public:
  const SharedText& operator()(const std::string& text) {
    const auto at = known_.find(text);
    if (at != known_.end()) return at->second;
    const SharedText made(text);
    return known_.emplace(made.str(), made).first->second;  // the key lives in the value
  }

 private:
  std::unordered_map<std::string_view, SharedText> known_;
};

}  // namespace clusterc

template <>
struct fmt::formatter<clusterc::SharedText> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const clusterc::SharedText& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.str(), context);
  }
};
