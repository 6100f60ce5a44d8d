// XML of elements and attributes, without text between them: every value is escaped, every element is closed.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clusterc {

class XmlWriter {
 public:
  explicit XmlWriter(std::string& out) : out_(out) {}
  ~XmlWriter();  // closes what is open
  XmlWriter(const XmlWriter&) = delete;
  XmlWriter& operator=(const XmlWriter&) = delete;

  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  XmlWriter& comment(std::string_view text);
  XmlWriter& open(std::string_view name, Attributes = {});
  XmlWriter& close();
  XmlWriter& empty(std::string_view name, Attributes);  // <name … />

 private:
  void begin(std::string_view name, Attributes);
  std::string& out_;
  std::vector<std::string> open_;
};

}  // namespace clusterc
