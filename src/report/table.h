// A plain table for terminals: columns as wide as their widest cell, numbers to the right. Headings and cells pass
// through printable(): they hold what others wrote.
#pragma once
#include <string>
#include <vector>

namespace clusterc {

class Table {
 public:
  // A heading that begins with '>' is set to the right, and so are its cells.
  explicit Table(std::vector<std::string> headings);
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text(unsigned indent = 2) const;

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace clusterc
