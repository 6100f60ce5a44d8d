// Host-name patterns as Slurm and people write them: gpu[001-127], h[1-2]n[01-16], c[1,3,5-9], or a plain name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

class HostPattern {
 public:
  struct Error { std::size_t offset = 0; std::string message; };   // byte offset in the pattern

  // At most 2^24 names. Rejects empty names, unbalanced brackets, reversed ranges, characters no host name has, and one name twice.
  static std::optional<HostPattern> parse(std::string_view, Error&);

  std::int64_t count() const { return count_; }
  std::string name(std::int64_t i) const;                 // 0 <= i < count; in the order written, the last bracket fastest
  void append_name(std::int64_t i, std::string& out) const;
  std::int64_t index_of(std::string_view name) const;     // -1 when it is not one of them
  const std::string& text() const { return text_; }       // as written
  // "017" of gpu017: the digits of the brackets, joined by '-' when there are several; the whole name of a plain one.
  std::string suffix(std::int64_t i) const;

 private:
  struct Range { std::int64_t first, last; int width; std::int64_t before; };   // before: values of earlier ranges
  struct Piece { std::string text; std::vector<Range> ranges; std::int64_t values = 1; };
  std::string text_;
  std::vector<Piece> pieces_;                             // literal text, then an optional bracket
  std::int64_t count_ = 0;
};

// The shortest Slurm host list for names in any order: {"n1","n2","n4"} -> "n[1-2,4]". Zero padding is kept; names that share no prefix are listed.
std::string fold_names(const std::vector<std::string>& names);

}  // namespace clusterc
