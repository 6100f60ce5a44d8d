// Host-name patterns as Slurm and people write them: gpu[001-127], h[1-2]n[01-16], c[1,3,5-9], a plain name, or several
// of them with commas between. A pattern stays a pattern: a name is made when someone asks for it. Zeros in front of
// the lower end of a range give the width: n[08-11] is n08 n09 n10 n11.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

inline constexpr std::int64_t kMaxNames = std::int64_t{1} << 24;  // of one group, there or to come

class HostPattern {
 public:
  struct Error {
    std::size_t offset = 0;
    std::string message;
  };  // byte offset in the pattern

  // At most 2^24 names (2^20 where names could meet: a list, or brackets side by side). Rejects empty names, unbalanced
  // brackets, reversed ranges, characters no host name has, and one name twice.
  static std::optional<HostPattern> parse(std::string_view, Error&);

  std::int64_t count() const { return count_; }
  std::string name(std::int64_t i) const;  // 0 <= i < count; in the order written, the last bracket fastest
  void append_name(std::int64_t i, std::string& out) const;
  std::int64_t index_of(std::string_view name) const;  // -1 when it is not one of them
  const std::string& text() const { return text_; }    // as written
  bool may_share(
      const HostPattern&) const;  // false: what their names begin with says already that they have none in common
  // "017" of gpu017: the digits of the brackets, joined by '-' when there are several; the whole name of a plain one.
  std::string suffix(std::int64_t i) const;

 private:
  struct Range {
    std::uint64_t low, high, before;
    unsigned width;
  };  // before: values of earlier ranges
  struct Bracket {
    std::string prefix;
    std::vector<Range> ranges;
    std::uint64_t count;
  };  // prefix: the text in front of it
  struct Term {
    std::vector<Bracket> brackets;
    std::string suffix;
    std::uint64_t count, before;
  };  // between two commas
  class Parser;
  static std::optional<std::uint64_t> match(const Term&, std::size_t bracket, std::string_view rest);
  const Term& term_of(std::uint64_t i) const;

  std::string text_;
  std::vector<Term> terms_;
  std::int64_t count_ = 0;
};

// The shortest Slurm host list for names in any order: {"n1","n2","n4"} -> "n[1-2,4]". Zero padding is kept; names that
// share no prefix are listed. Natural order, each name once; only a number that ends a name is folded, as Slurm does:
// h1n[01-16],h2n[01-16], but n1-ib,n2-ib.
std::string fold_names(const std::vector<std::string>& names);

}  // namespace clusterc
