#include "yaml/key_table.h"

#include <algorithm>
#include <cstring>

namespace clusterc {
namespace {

// 64 x 64 -> 128 bit multiplication folded to 64: the mixing step of many published hashes (wyhash among them).
__extension__ typedef unsigned __int128 Wide;
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15ull,
                          kOdd2 = 0xc2b2ae3d27d4eb4full;  // 2^64 / phi; a prime of xxHash
  std::uint64_t h = seed ^ (text.size() * kOdd1);
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t n = std::min<std::size_t>(8, text.size());
    std::memcpy(&word, text.data(), n);
    h = mix(h ^ word, kOdd2 ^ seed) + kOdd1;
    text.remove_prefix(n);
  }
  return mix(h, kOdd1);
}

}  // namespace

NodeId KeyTable::insert(NodeId key) {
  const std::uint64_t hash = hash_text(document_.scalar(key), seed_);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    if (slots_[i].key == kNoNode) {
      slots_[i] = {hash, key};
      return kNoNode;
    }
    if (slots_[i].hash == hash && document_.scalar(slots_[i].key) == document_.scalar(key)) return slots_[i].key;
  }
}

void KeyTable::clear(std::size_t keys) {
  // The seed comes from the text, so that nobody can choose keys that all fall on one place.
  if (seed_ == 0) seed_ = hash_text(text_, 0x5851f42d4c957f2dull) | 1;
  std::size_t size = 16;
  while (size < 2 * keys) size *= 2;
  slots_.assign(size, {0, kNoNode});
}

}  // namespace clusterc
