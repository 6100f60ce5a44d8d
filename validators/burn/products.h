// The load of a GPU, written against what the gemm and memtest validators do on any back end: products of several
// precisions, each compared with the first one bit for bit, and sweeps over a stretch of memory that is compared and
// inverted.
//
// A library that multiplies the same operands on the same device gives the same bits (cuBLAS documentation, "Results
// reproducibility": one stream, no atomics), so a difference is a fault of the device; that the first product is right
// is checked as gemm checks it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "burn/backend.h"
#include "gemm/backend.h"
#include "memtest/backend.h"

namespace clusterc::burn {

struct Product {
  std::string name;  // "the fp16 product"
  std::unique_ptr<gemm::Multiplier> multiplier;
  std::uint64_t n = 0;
  unsigned times = 1;  // in a round
};

class ProductLoad final : public Load {
 public:
  // Makes and checks the references. The memory is swept `sweeps` times a round.
  ProductLoad(std::vector<Product>, std::unique_ptr<memtest::Memory>, unsigned sweeps, std::uint64_t seed);
  double flop() const override;
  std::string_view round(bool damage) override;

 private:
  std::vector<Product> products_;
  std::unique_ptr<memtest::Memory> memory_;
  unsigned sweeps_;
  memtest::Step content_;
  std::string wrong_reference_;  // its name, where one was: no round is right then
};

// How often a device does each product in a round, so that the parts last alike and the round some tenths of a second:
// by its number of multiprocessors, and by how many times slower FP64 is than FP32. Orders are fixed: devices of one
// kind do the same.
struct Dose {
  unsigned fp16 = 1, fp32 = 1, fp64 = 1;
};
Dose dose_of(unsigned multiprocessors, unsigned fp64_ratio);

}  // namespace clusterc::burn
