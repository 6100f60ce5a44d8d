#include "burn/products.h"

#include <algorithm>

#include "base/format.h"

namespace clusterc::burn {

ProductLoad::ProductLoad(std::vector<Product> products, std::unique_ptr<memtest::Memory> memory, unsigned sweeps,
                         std::uint64_t seed)
    : products_(std::move(products)),
      memory_(std::move(memory)),
      sweeps_(sweeps),
      content_{.content = memtest::Content::random, .value = seed} {
  for (Product& p : products_) {
    p.multiplier->poison();
    p.multiplier->run();
    if (p.multiplier->verify().wrong > 0 && wrong_reference_.empty())
      wrong_reference_ = format("the first of {}", p.name);
    p.multiplier->keep();
    p.multiplier->poison();
  }
  memory_->fill(content_);
}

double ProductLoad::flop() const {
  double sum = 0;
  for (const Product& p : products_)
    sum += 2.0 * static_cast<double>(p.n) * static_cast<double>(p.n) * static_cast<double>(p.n) * p.times;
  return sum;
}

std::string_view ProductLoad::round(bool damage) {
  std::string_view wrong = wrong_reference_;
  for (Product& p : products_) {
    for (unsigned i = 0; i < p.times; ++i) {
      p.multiplier->run();
      if (damage) p.multiplier->damage();
      damage = false;
      if (p.multiplier->compare().wrong > 0 && wrong.empty()) wrong = p.name;
    }
  }
  memtest::Wrong words;
  for (unsigned i = 0; i < sweeps_; ++i) {
    const memtest::Step other{.content = content_.content, .value = content_.value, .inverse = !content_.inverse};
    memory_->replace(content_, other, content_.inverse, words);
    content_ = other;
  }
  if (words.words > 0 && wrong.empty()) wrong = "the memory sweep";
  return wrong;
}

// With matrices of 8,192 (fp16, fp32) and 4,096 (fp64), by data sheet rates: 132 multiprocessors with FP64 at half of
// FP32 (H100): 73 TFLOP of fp16 in 0.1 s, 5.5 of fp32 in 0.1 s, 2.2 of fp64 in 0.05 s; 40 with a 32nd (T4): 22 in 0.4
// s, 2.2 in 0.3 s, 0.14 in 0.6 s.
Dose dose_of(unsigned multiprocessors, unsigned fp64_ratio) {
  constexpr unsigned kFullRate = 4;  // 2 on GPUs for FP64; 32 and 64 on the others
  return {.fp16 = std::max(1u, multiprocessors / 2),
          .fp32 = 1 + multiprocessors / 32,
          .fp64 = fp64_ratio <= kFullRate ? std::max(1u, multiprocessors / 8) : 1};
}

}  // namespace clusterc::burn
