// A text that is the same for every node of a group but for a few places: made once by a typed writer with marks in
// those places, then cut at the marks, so that 16,384 files cost the copying of their bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

class PatternText {
 public:
  // Stands for the n-th thing that differs. Letters and digits only: no writer quotes it, so what takes its place must
  // be as plain (a host name that is put between quotes by the caller, an IPv4 address). `salt` keeps a user's own
  // words apart from marks: the digest of the spec is one that no text of the spec can hold.
  static std::string mark(std::string_view salt, std::size_t n);
  PatternText(std::string text, std::string_view salt);
  PatternText() : PatternText({}, {}) {}
  // Calls fill(n, out) where mark n stood.
  template <class Fill>
  void append(std::string& out, const Fill& fill) const {
    for (const Piece& p : pieces_) {
      out.append(text_, p.begin, p.size);
      if (p.mark >= 0) fill(static_cast<std::size_t>(p.mark), out);
    }
  }

 private:
  struct Piece {
    std::size_t begin, size;
    std::int64_t mark;
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace clusterc
