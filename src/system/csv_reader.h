// Cells of a CSV file with their places in it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace clusterc {

struct CsvCell {
  std::string_view text;
  std::uint32_t begin = 0, end = 0;
};

// Cells of RFC 4180: commas between them, quotes around a cell that has one, a quote in it doubled. Ends with the line.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::deque<std::string>& unquoted) : text_(text), unquoted_(unquoted) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // spreadsheets put it in front
  }
  bool done() const { return at_ >= text_.size(); }
  bool row(std::vector<CsvCell>& out,
           std::size_t& wrong) {  // false: a quote that is not closed, or text behind one, at `wrong`
    out.clear();
    for (;;) {
      CsvCell c{{}, static_cast<std::uint32_t>(at_), 0};
      if (at_ < text_.size() && text_[at_] == '"') {
        if (!quoted(c, wrong)) return false;
      } else {
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        c.text = trim(text_.substr(at_, end - at_));
        at_ = end;
      }
      c.end = static_cast<std::uint32_t>(at_);
      out.push_back(c);
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      return true;
    }
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

 private:
  bool quoted(CsvCell& c, std::size_t& wrong) {
    const std::size_t first = ++at_;
    std::string* copy = nullptr;
    for (std::size_t from = first;;) {
      const std::size_t end = text_.find('"', from);
      if (end == std::string_view::npos) {
        wrong = first - 1;
        return false;
      }
      if (end + 1 < text_.size() && text_[end + 1] == '"') {
        if (!copy) copy = &unquoted_.emplace_back();
        copy->append(text_, from, end + 1 - from);
        from = end + 2;
        continue;
      }
      if (copy) copy->append(text_, from, end - from);
      c.text = trim(copy ? std::string_view(*copy) : text_.substr(first, end - first));
      at_ = end + 1;
      if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\r' && text_[at_] != '\n') {
        wrong = at_;
        return false;
      }
      return true;
    }
  }
  std::string_view text_;
  std::deque<std::string>& unquoted_;
  std::size_t at_ = 0;
};

}  // namespace clusterc
