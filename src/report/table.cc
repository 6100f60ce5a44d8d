#include "report/table.h"

#include <algorithm>

#include "base/printable.h"

namespace clusterc {
namespace {
// Characters, not bytes: a continuation byte of UTF-8 takes no column.
std::size_t columns(const std::string& s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
}  // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& h : headings_) {
    right_.push_back(!h.empty() && h[0] == '>');
    if (right_.back()) h.erase(0, 1);
    h = printable(h);
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(unsigned indent) const {
  std::vector<std::size_t> width;
  for (const std::string& h : headings_) width.push_back(columns(h));
  for (const auto& r : rows_)
    for (std::size_t i = 0; i < r.size(); ++i) width[i] = std::max(width[i], columns(r[i]));
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t pad = width[i] - columns(cells[i]);
      if (right_[i]) one.append(pad, ' ');
      one += cells[i];
      if (!right_[i]) one.append(pad, ' ');
      one += "  ";
    }
    one.erase(one.find_last_not_of(' ') + 1);
    out += one + "\n";
  };
  line(headings_);
  for (const auto& r : rows_) line(r);
  return out;
}

}  // namespace clusterc
