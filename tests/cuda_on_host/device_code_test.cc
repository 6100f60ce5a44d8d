// What the kernels of the validators do to each word, and what their launches ask of the runtime, on the emulation:
// every word that they write and no other, every wrong word that they must find, in every order of threads, blocks and
// streams that the seeds give. Results are compared with the generator, and with arithmetic of this file's own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "cuda_on_host/emulation.h"
#include "gemm/fill.h"
#include "gemm/verify.h"
#include "harness/inputs.h"
#include "memory/backend.h"
#include "memtest/backend.h"
#include "nvlink/pairs.h"
#include "pcie/copies.h"

namespace clusterc {
namespace {
using harness::random_bits;
using harness::stream_seed;

constexpr std::uint64_t kSeeds[] = {1, 2, 3};
constexpr double kSlow = 0.003;  // that a kernel or a copy takes where times are tested

class DeviceCode : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    cudaGetLastError();
    emulation::begin_again(GetParam());
    emulation::last_at_least(0);
  }
  void TearDown() override {
    emulation::last_at_least(0);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (int gpu : {0, 1}) EXPECT_TRUE(emulation::pieces(gpu).empty()) << "left on GPU " << gpu;
  }
  // The words of a piece of a GPU's memory, in the order of the asking.
  template <class T = std::uint64_t>
  static std::vector<T> words(int gpu, std::size_t piece) {
    const emulation::Open open({gpu});
    const auto bytes = emulation::pieces(gpu).at(piece);
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
  }
  static void flip(int gpu, std::size_t piece, std::size_t word, unsigned bit = 0) {
    const emulation::Open open({gpu});
    reinterpret_cast<std::uint64_t*>(emulation::pieces(gpu).at(piece).data())[word] ^= std::uint64_t{1} << bit;
  }
};
INSTANTIATE_TEST_SUITE_P(Seed, DeviceCode, ::testing::ValuesIn(kSeeds));

std::vector<std::uint64_t> generated(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = random_bits(seed, i);
  return out;
}
// The first, the last, and some between.
std::vector<std::size_t> some_of(std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < count; i += 1 + count / 5) out.push_back(i);
  if (out.back() != count - 1) out.push_back(count - 1);
  return out;
}

// 8,192 threads stride over the arrays (4 multiprocessors of the emulation, 8 blocks each, 256 threads): 2, fewer than
// one block, one more than whole blocks, and more than two rounds.
TEST_P(DeviceCode, EveryElementOfStreamIsWrittenAndChecked) {
  using memory::Kernel;
  for (const std::uint64_t bytes : {16u, 816u, 4112u, 160'016u}) {
    const auto place = memory::open_cuda(0, bytes, 5);
    const std::uint64_t n = place->elements();
    ASSERT_EQ(n, bytes / 8);
    const auto x = words<double>(0, 0), y = words<double>(0, 1);
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_EQ(x[i], static_cast<double>(random_bits(stream_seed(5, 0), i) >> 11) / 9007199254740992.0);
      ASSERT_EQ(y[i], static_cast<double>(random_bits(stream_seed(5, 1), i) >> 11) / 9007199254740992.0);
    }
    for (const Kernel kernel : {Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad}) {
      place->poison();
      for (const double z : words<double>(0, 2)) ASSERT_TRUE(std::isnan(z));
      EXPECT_EQ(place->count_wrong(kernel), n);
      EXPECT_GT(place->run(kernel), 0);
      const auto z = words<double>(0, 2);
      for (std::uint64_t i = 0; i < n; ++i) {
        const double want = kernel == Kernel::copy    ? x[i]
                            : kernel == Kernel::scale ? x[i] / 2
                            : kernel == Kernel::add   ? x[i] + y[i]
                                                      : x[i] + y[i] / 2;
        ASSERT_EQ(z[i], want) << i;
      }
      EXPECT_EQ(place->count_wrong(kernel), 0u);
      for (const std::size_t i : some_of(n)) flip(0, 2, i);
      EXPECT_EQ(place->count_wrong(kernel), some_of(n).size());
    }
    EXPECT_EQ(words<double>(0, 0), x);
    EXPECT_EQ(words<double>(0, 1), y);
  }
}

TEST_P(DeviceCode, TimesOfStreamAreThoseOfItsKernels) {
  const auto place = memory::open_cuda(0, 4096, 5);
  emulation::last_at_least(kSlow);
  for (const memory::KernelFacts& facts : memory::kKernels) {
    const double seconds = place->run(facts.kernel);
    EXPECT_GE(seconds, kSlow);
    EXPECT_LT(seconds, 40 * kSlow);
  }
}

using memtest::Content;
using memtest::Step;
constexpr Step kSteps[] = {{Content::walking, 3, false}, {Content::walking, 3, true}, {Content::address, 0, false},
                           {Content::address, 0, true},  {Content::random, 9, false}, {Content::random, 9, true},
                           {Content::solid, 7, false},   {Content::solid, 7, true}};
std::uint64_t content(const Step& s, std::uint64_t i) {
  const std::uint64_t word = s.content == Content::walking   ? 1ull << (i + s.value) % 64
                             : s.content == Content::address ? 8 * i
                             : s.content == Content::random  ? random_bits(s.value, i)
                                                             : s.value;
  return s.inverse ? ~word : word;
}

TEST_P(DeviceCode, EveryWordUnderTestIsWrittenAndCompared) {
  for (const std::uint64_t bytes : {4096u, 94'208u}) {
    const auto memory = memtest::open_cuda(0, bytes, 80);
    const std::uint64_t n = memory->words();
    ASSERT_EQ(n, bytes / 8);
    const auto holds = [&](const Step& s) {
      const auto all = words(0, 0);
      for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(all[i], content(s, i)) << i;
    };
    for (const Step& step : kSteps) {
      EXPECT_GT(memory->fill(step), 0);
      holds(step);
      memtest::Wrong none;
      EXPECT_GT(memory->compare(step, none), 0);
      EXPECT_EQ(none.words, 0u);
      EXPECT_FALSE(none.first);
    }
    // Sweeps in both directions: what was there is compared, what shall be there is written.
    const Step from = kSteps[4], to = kSteps[2];
    for (const bool downwards : {false, true}) {
      memory->fill(from);
      flip(0, 0, n - 1, 63);
      flip(0, 0, n / 3, 5);
      memtest::Wrong wrong;
      EXPECT_GT(memory->replace(from, to, downwards, wrong), 0);
      holds(to);
      EXPECT_EQ(wrong.words, 2u);
      EXPECT_EQ(wrong.bits, 1ull << 63 | 1ull << 5);
      ASSERT_TRUE(wrong.first);
      EXPECT_EQ(wrong.first->offset, n / 3 * 8);
      EXPECT_EQ(wrong.first->expected, content(from, n / 3));
    }
  }
}

TEST_P(DeviceCode, EachWrongWordIsFoundWithItsPlace) {
  const auto memory = memtest::open_cuda(1, 94'208, 80);
  const std::uint64_t n = memory->words();
  const Step step = kSteps[4];
  memory->fill(step);
  std::uint64_t bits = 0, before = 0;
  for (const std::size_t i : some_of(n)) {
    const auto bit = static_cast<unsigned>(i % 64);
    flip(1, 0, i, bit);
    memtest::Wrong one;
    memory->compare(step, one);
    EXPECT_EQ(one.words, 1u);
    EXPECT_EQ(one.bits, 1ull << bit);
    ASSERT_TRUE(one.first);
    EXPECT_EQ(one.first->offset, i * 8);
    EXPECT_EQ(one.first->expected, content(step, i));
    EXPECT_EQ(one.first->got, content(step, i) ^ 1ull << bit);
    flip(1, 0, i, bit);
  }
  for (const std::size_t i : some_of(n)) flip(1, 0, i, i % 64), bits |= 1ull << i % 64, ++before;
  memtest::Wrong all;
  memory->compare(step, all);
  EXPECT_EQ(all.words, before);
  EXPECT_EQ(all.bits, bits);
  EXPECT_EQ(all.first->offset, 0u);
  memtest::Wrong again;  // counters begin anew
  memory->compare(step, again);
  EXPECT_EQ(again.words, before);
  memory->fill(step);
  memory->damage(n / 2);
  memtest::Wrong damaged;
  memory->compare(step, damaged);
  EXPECT_EQ(damaged.words, 0u);  // this program is no fault build
  emulation::last_at_least(kSlow);
  EXPECT_GE(memory->fill(step), kSlow);
  EXPECT_GE(memory->compare(step, damaged), kSlow);
  EXPECT_GE(memory->replace(step, kSteps[0], false, damaged), kSlow);
}

// --- gemm ---

double half_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}
double brain_of(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float out = 0;
  std::memcpy(&out, &wide, 4);
  return out;
}
double e4m3_of(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  const double size = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return bits >> 7 ? -size : size;
}
template <class T>
T as(const std::byte* at) {
  T out;
  std::memcpy(&out, at, sizeof out);
  return out;
}
double value_of(gemm::Element element, const std::byte* at) {
  using enum gemm::Element;
  switch (element) {
    case fp64:
      return as<double>(at);
    case fp32:
      return as<float>(at);
    case bf16:
      return brain_of(as<std::uint16_t>(at));
    case fp16:
      return half_of(as<std::uint16_t>(at));
    case fp8:
      return e4m3_of(as<std::uint8_t>(at));
    case int8:
      return as<std::int8_t>(at);
    case int32:
      return as<std::int32_t>(at);
  }
  return 0;
}
bool is_poison(gemm::Element element, const std::byte* at) {
  if (element == gemm::Element::int32) return as<std::int32_t>(at) == std::numeric_limits<std::int32_t>::min();
  if (element == gemm::Element::fp16)
    return (as<std::uint16_t>(at) & 0x7c00) == 0x7c00 && (as<std::uint16_t>(at) & 1023) != 0;
  return std::isnan(value_of(element, at));
}

class OnGpu {  // an array of a GPU for one test
 public:
  explicit OnGpu(std::size_t bytes) : bytes_(bytes) { EXPECT_EQ(cudaMalloc(&at, bytes), cudaSuccess); }
  ~OnGpu() { EXPECT_EQ(cudaFree(at), cudaSuccess); }
  std::vector<std::byte> read() const {
    std::vector<std::byte> out(bytes_);
    EXPECT_EQ(cudaMemcpy(out.data(), at, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }
  void write(const std::vector<std::byte>& content) const {
    EXPECT_EQ(cudaMemcpy(at, content.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
  }
  void* at = nullptr;

 private:
  std::size_t bytes_;
};

// 524,288 threads: with more elements, threads take a second one.
TEST_P(DeviceCode, OperandsAreTheGeneratorsInEveryType) {
  using enum gemm::Element;
  cudaSetDevice(0);
  for (const auto& [element, bits] :
       {std::pair(fp64, 52u), {fp32, 23u}, {bf16, 7u}, {fp16, 10u}, {fp8, 3u}, {int8, 7u}}) {
    const std::uint64_t count = element == int8 || (element == fp64 && GetParam() == 1) ? 525'001 : 1001;
    const double scale = element == int8 ? 1 : std::ldexp(1.0, -static_cast<int>(bits));
    const OnGpu array(count * gemm::bytes_of(element));
    gemm::fill_random(array.at, element, count, {.seed = 77, .bits = bits}, scale);
    const auto content = array.read();
    for (std::uint64_t i = 0; i < count; ++i) {
      const double whole =
          static_cast<double>(random_bits(77, i) >> (63 - bits)) - std::ldexp(1.0, static_cast<int>(bits));
      ASSERT_EQ(value_of(element, content.data() + i * gemm::bytes_of(element)), whole * scale) << i;
    }
  }
}

TEST_P(DeviceCode, ResultsArePoisonedAndComparedBitForBit) {
  using enum gemm::Element;
  cudaSetDevice(1);
  for (const gemm::Element element : {fp64, fp32, bf16, fp16, int32}) {
    const std::uint64_t count = element == int32 && GetParam() == 1 ? 525'001 : 1001;
    const unsigned width = gemm::bytes_of(element);
    const OnGpu array(count * width), reference(count * width), counter(8);
    const auto all_poison = [&] {
      const auto content = array.read();
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(is_poison(element, content.data() + i * width)) << i;
    };
    gemm::poison(array.at, element, count);
    all_poison();
    std::vector<std::byte> content(count * width);
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(random_bits(3, i) & 0x3f);
    reference.write(content);
    array.write(content);
    EXPECT_EQ(gemm::differing_then_poison(array.at, reference.at, element, count, counter.at), 0u);
    all_poison();
    EXPECT_EQ(reference.read(), content);
    auto other = content;
    for (const std::size_t i : some_of(count)) other[i * width] ^= std::byte{1};       // the lowest bit
    for (const std::size_t i : {1, 2}) other[(i + 1) * width - 1] ^= std::byte{0x80};  // the sign alone
    array.write(other);
    EXPECT_EQ(gemm::differing_then_poison(array.at, reference.at, element, count, counter.at),
              some_of(count).size() + 2);
    all_poison();
    // Zeros of both signs are equal, and are other bits.
    std::vector<std::byte> zero(count * width), minus(count * width);
    minus[width - 1] = std::byte{0x80};
    reference.write(zero);
    array.write(minus);
    EXPECT_EQ(gemm::differing_then_poison(array.at, reference.at, element, count, counter.at), 1u);
  }
}

// 64 threads share a row: of 65 columns the last one lies beyond a column for each, and counts as the others.
TEST_P(DeviceCode, ResultsAreWeighedToTheirLastColumn) {
  cudaSetDevice(0);
  const gemm::Problem p{.n = 65, .of_a = {.seed = 5, .bits = 7}, .of_b = {.seed = 6, .bits = 7}};
  std::vector<std::int32_t> product(p.n * p.n);
  for (std::uint64_t row = 0; row < p.n; ++row)
    for (std::uint64_t column = 0; column < p.n; ++column)
      for (std::uint64_t k = 0; k < p.n; ++k)
        product[row + column * p.n] += static_cast<std::int32_t>(p.a(row, k) * p.b(k, column));
  const OnGpu c(product.size() * 4), scratch(gemm::rows_scratch(p.n));
  const auto wrong_with = [&](std::uint64_t row, std::uint64_t column, std::int32_t off) {
    std::vector<std::int32_t> there = product;
    there[row + column * p.n] += off;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(there));
    c.write({bytes.begin(), bytes.end()});
    return gemm::wrong_rows(c.at, gemm::Element::int32, p, scratch.at);
  };
  EXPECT_EQ(wrong_with(0, 0, 0), 0u);
  EXPECT_EQ(wrong_with(64, 64, 1), 1u);
  EXPECT_EQ(wrong_with(7, 0, -1), 1u);
  // What is no whole number breaks its own row, however many there are.
  std::vector<double> wide(product.begin(), product.end());
  wide[3 + 5 * p.n] = wide[3 + 6 * p.n] = std::nan("");
  const OnGpu of_wide(wide.size() * 8);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(wide));
  of_wide.write({bytes.begin(), bytes.end()});
  EXPECT_EQ(gemm::wrong_rows(of_wide.at, gemm::Element::fp64, p, scratch.at), 1u);
}

// --- copies ---

// Pieces of a side: in, out, a counter, the walk, what a walk found.
TEST_P(DeviceCode, CopiesBetweenGpusArriveWhereTheyShall) {
  using nvlink::Way;
  const auto gpus = nvlink::cuda_gpus(2);
  EXPECT_TRUE(gpus->can_access(0, 1));
  EXPECT_EQ(gpus->capability(0), 90);
  for (const std::uint64_t bytes : {8u, 72u, 80'008u}) {
    const auto pair = gpus->open(0, 1, bytes, 11);
    const std::size_t n = bytes / 8;
    const std::vector<std::uint64_t> first = generated(stream_seed(11, nvlink::kOnFirst), n),
                                     second = generated(stream_seed(11, nvlink::kOnSecond), n),
                                     poison(n, nvlink::kPoison);
    EXPECT_EQ(words(0, 0), first);
    EXPECT_EQ(words(1, 0), second);
    for (const Way way : {Way::forth, Way::back, Way::both}) {
      pair->poison();
      EXPECT_EQ(words(0, 1), poison);
      EXPECT_EQ(words(1, 1), poison);
      EXPECT_EQ(pair->count_wrong(way), way == Way::both ? 2 * n : n);
      EXPECT_GT(pair->copy(way), 0);
      EXPECT_EQ(words(0, 1), way == Way::forth ? poison : second);
      EXPECT_EQ(words(1, 1), way == Way::back ? poison : first);
      EXPECT_EQ(pair->count_wrong(way), 0u);
      for (const std::size_t i : some_of(n)) {
        if (way != Way::forth) flip(0, 1, i);
        if (way != Way::back) flip(1, 1, i);
      }
      EXPECT_EQ(pair->count_wrong(way), some_of(n).size() * (way == Way::both ? 2 : 1));
    }
  }
}

TEST_P(DeviceCode, WalksReadTheOtherGpu) {
  using nvlink::Way;
  const auto pair = nvlink::cuda_gpus(2)->open(0, 1, 4096, 11);
  for (const Way way : {Way::forth, Way::back}) {
    pair->poison();
    EXPECT_EQ(pair->found(way), (std::array{nvlink::kPoison, nvlink::kPoison}));
    EXPECT_GT(pair->walk(way), 0);
    const auto places =
        nvlink::make_walk(stream_seed(11, way == Way::forth ? nvlink::kWalkOfSecond : nvlink::kWalkOfFirst));
    std::uint64_t at = 0, sum = 0;
    for (std::uint64_t i = 0; i < nvlink::kPlaces / 2; ++i) at = places[at * 16], sum += at;
    EXPECT_EQ(pair->found(way), (std::array{at, sum}));
    // A place that was damaged leads to another one of the walk, not out of the memory.
    const int other = way == Way::forth ? 1 : 0;
    flip(other, 3, 0, 63);
    EXPECT_GT(pair->walk(way), 0);
    flip(other, 3, 0, 63);
  }
  emulation::last_at_least(kSlow);
  EXPECT_GE(pair->copy(Way::forth), kSlow);
  EXPECT_GE(pair->copy(Way::both), 2 * kSlow);
  EXPECT_GE(pair->walk(Way::back), kSlow);
}

// Pieces: in, out, a counter.
TEST_P(DeviceCode, CopiesToAndFromTheHostArriveWhereTheyShall) {
  using pcie::Way;
  for (const std::uint64_t bytes : {8u, 72u, 80'008u}) {
    cudaSetDevice(1);
    const auto copier = pcie::open_cuda({.device = 1}, bytes, 13);
    const std::size_t n = bytes / 8;
    const std::vector<std::uint64_t> host = generated(stream_seed(13, pcie::kOnHost), n),
                                     device = generated(stream_seed(13, pcie::kOnDevice), n), poison(n, pcie::kPoison);
    EXPECT_EQ(words(1, 0), device);
    for (const Way way : {Way::to_device, Way::to_host, Way::both}) {
      copier->poison();
      EXPECT_EQ(words(1, 1), poison);
      EXPECT_EQ(copier->count_wrong(way), way == Way::both ? 2 * n : n);
      EXPECT_GT(copier->run(way), 0);
      EXPECT_EQ(words(1, 1), way == Way::to_host ? poison : host);
      EXPECT_EQ(copier->count_wrong(way), 0u);
      std::size_t wrong = 0;
      for (const std::size_t i : some_of(n)) {
        if (way != Way::to_host) flip(1, 1, i), ++wrong;
      }
      if (way != Way::to_device) {  // a source that differs arrives as it is
        copier->poison();
        for (const std::size_t i : some_of(n)) flip(1, 0, i);
        copier->run(way);
        wrong = some_of(n).size();
        for (const std::size_t i : some_of(n)) flip(1, 0, i);
      }
      EXPECT_EQ(copier->count_wrong(way), wrong);
    }
    emulation::last_at_least(kSlow);
    EXPECT_GE(copier->run(Way::to_device), kSlow);
    EXPECT_GE(copier->run(Way::to_host), kSlow);
    EXPECT_GE(copier->run(Way::both), 2 * kSlow);
    emulation::last_at_least(0);
  }
}

}  // namespace
}  // namespace clusterc
