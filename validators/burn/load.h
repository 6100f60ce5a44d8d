// One round of the mixed load, and what it must give. Everything is exact: matrix entries are small integers in
// doubles, so that vectors, fused operations and any order give the same bits as 64-bit integers, with which the
// reference is made.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace clusterc::burn {

inline constexpr std::size_t kSide = 48;    // three matrices of 18 KiB: in the second-level cache of any processor
inline constexpr unsigned kProducts = 200;  // summed in one round: an element stays below 48 x 64 x 200 = 614,400
inline constexpr std::size_t kWords = 512 * 1024;  // 4 MiB that are read and written: beyond the second level
inline constexpr unsigned kHashes = 100'000;
inline constexpr double kFlopOfRound = 2.0 * kSide * kSide * kSide * kProducts;

struct Inputs {
  std::vector<double> a, b;  // whole numbers of -8 to 7
  std::uint64_t seed = 1;
};
Inputs make_inputs(std::uint64_t seed);

struct Reference {
  std::vector<std::int64_t> c;  // kProducts x A B, in integers
  std::uint64_t hash = 0, sum = 0;
};
Reference make_reference(const Inputs&);

class Round {
 public:
  explicit Round(const Inputs&);
  // Does the three parts; gives the name of the one whose result is wrong, or nothing. `damage`: flips a bit of the
  // product first (fault build).
  std::string_view run(const Reference&, bool damage);

 private:
  Inputs in_;
  std::vector<double> c_;
  std::vector<std::uint64_t> words_;
};

}  // namespace clusterc::burn
