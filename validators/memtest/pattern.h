// What each word of the memory under test must hold. A pure function of the step and the word's index: nothing that
// could be damaged is consulted.
#pragma once
#include <cstdint>

#include "harness/inputs.h"

namespace clusterc::memtest {

enum class Content : std::uint8_t {
  walking,  // one set bit, at (index + value) mod 64: in 64 steps every bit of every word is set alone once
  address,  // the word's own offset in bytes: two addresses that reach one cell show
  random,   // SplitMix64 with the seed `value`
  solid,    // `value`
};

struct Step {
  Content content = Content::solid;
  std::uint64_t value = 0;
  bool inverse = false;  // every bit the other way round
};

CLUSTERC_BOTH constexpr std::uint64_t word_of(const Step& step, std::uint64_t index) {
  std::uint64_t word = step.value;
  if (step.content == Content::walking) word = std::uint64_t{1} << ((index + step.value) & 63);
  if (step.content == Content::address) word = index * 8;
  if (step.content == Content::random) word = harness::random_bits(step.value, index);
  return step.inverse ? ~word : word;
}

}  // namespace clusterc::memtest
