// The device back end of hpl without a device: what its kernels do to each element, what it takes of memory, and that
// the fake accelerator of the tests is as unforgiving as it says. Whole systems are solved on it by
// tests/soak/hpl_systems.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fakes/accelerator.h"
#include "hpl/backend.h"
#include "hpl/mixed_part.h"
#include "hpl/sizes.h"
#include "skipping.h"

namespace clusterc::hpl {
namespace {

template <class Body>
void all_of(const Body& body) {
  for (Index i = 0; i < body.count(); ++i) body(i);
}

std::vector<double> numbered(std::size_t count) {
  std::vector<double> out(count);
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

// A matrix by rows, ld 5: element (i, j) is 5 i + j.
TEST(HplDeviceWork, RowsGoWhereTheirMovesSay) {
  const std::vector<double> from = numbered(20);
  std::vector<double> to(12, -1);
  CopyRows work{.from = from.data() + 1, .to = to.data(), .from_ld = 5, .to_ld = 4, .columns = 3, .rows = 2};
  work.moves[0] = {3, 0};
  work.moves[1] = {1, 2};
  all_of(work);
  EXPECT_EQ(to, (std::vector<double>{16, 17, 18, -1, -1, -1, -1, -1, 6, 7, 8, -1}));
}

TEST(HplDeviceWork, BlocksTurnFromRowsToColumns) {
  const std::vector<double> from = numbered(20);
  std::vector<double> to(8, -1);
  all_of(ToColumns{.from = from.data() + 6, .to = to.data(), .from_ld = 5, .to_ld = 4, .rows = 3, .columns = 2});
  EXPECT_EQ(to, (std::vector<double>{6, 11, 16, -1, 7, 12, 17, -1}));
  std::vector<double> copy(9, -1);
  all_of(CopyBlock{.from = from.data() + 6, .to = copy.data(), .from_ld = 5, .to_ld = 3, .rows = 2, .columns = 2});
  EXPECT_EQ(copy, (std::vector<double>{6, 7, -1, 11, 12, -1, -1, -1, -1}));
}

TEST(HplDeviceWork, OnlyTheUpperTriangleIsWritten) {
  const std::vector<double> square = numbered(9);  // by columns: (i, j) is i + 3 j
  std::vector<double> to(12, -1);
  all_of(CopyUpper{.from = square.data(), .to = to.data(), .to_ld = 4, .width = 3});
  EXPECT_EQ(to, (std::vector<double>{0, 3, 6, -1, -1, 4, 7, -1, -1, -1, 8, -1}));
}

// Rank (1, 0) of 2 x 2, N = 5, NB = 2: it owns rows 2 3 and columns 0 1 4 5, the last of which is b.
TEST(HplDeviceWork, AMatrixIsFilledByItsGlobalPlaces) {
  const Problem p{.n = 5, .nb = 2, .rows = 2, .columns = 2, .seed = 9};
  const Axis rows{.nb = 2, .parts = 2, .me = 1}, columns{.nb = 2, .parts = 2, .me = 0};
  ASSERT_EQ(rows.below(5), 2);
  ASSERT_EQ(columns.below(6), 4);
  std::vector<double> a(10, -9);
  all_of(FillMatrix{.problem = p,
                    .row_axis = rows,
                    .column_axis = columns,
                    .to = a.data(),
                    .ld = 5,
                    .row = 1,
                    .rows = 1,
                    .columns = 4});
  EXPECT_EQ(a[0], -9);
  EXPECT_EQ((std::vector<double>{a[5], a[6], a[7], a[8], a[9]}),
            (std::vector<double>{p.element(3, 0), p.element(3, 1), p.element(3, 4), p.element(3, 5), -9}));
  // The sums of its rows over the columns of A alone, in parts.
  const std::vector<double> x = {2, 3, 5};
  std::vector<double> sums(2 * PartialProducts::kParts, -9);
  all_of(PartialProducts{.problem = p,
                         .row_axis = rows,
                         .column_axis = columns,
                         .x = x.data(),
                         .sums = sums.data(),
                         .row = 1,
                         .rows = 1,
                         .columns = 3});
  double sum = 0, size = 0;
  for (Index i = 0; i < PartialProducts::kParts; ++i) {
    sum += sums[static_cast<std::size_t>(2 * i)];
    size += sums[static_cast<std::size_t>(2 * i + 1)];
  }
  EXPECT_NEAR(sum, 2 * p.element(3, 0) + 3 * p.element(3, 1) + 5 * p.element(3, 4), 1e-15);
  EXPECT_NEAR(size, std::fabs(p.element(3, 0)) + std::fabs(p.element(3, 1)) + std::fabs(p.element(3, 4)), 1e-15);
}
// More columns than parts: each part adds up two or three.
TEST(HplDeviceWork, EveryColumnOfAPartIsAdded) {
  constexpr Index kOrder = 2 * PartialProducts::kParts + 8;
  const Problem p{.n = kOrder, .nb = 4, .rows = 1, .columns = 1, .seed = 9};
  const Axis axis{.nb = 4, .parts = 1, .me = 0};
  std::vector<double> x, sums(2 * PartialProducts::kParts, -9);
  double sum = 0, size = 0, want_sum = 0, want_size = 0;
  for (Index j = 0; j < kOrder; ++j) {
    x.push_back(static_cast<double>(j % 7) - 3);
    want_sum += p.element(3, j) * x.back();
    want_size += std::abs(p.element(3, j));
  }
  all_of(PartialProducts{.problem = p,
                         .row_axis = axis,
                         .column_axis = axis,
                         .x = x.data(),
                         .sums = sums.data(),
                         .row = 3,
                         .rows = 1,
                         .columns = kOrder});
  for (std::size_t i = 0; i < sums.size(); i += 2) sum += sums[i], size += sums[i + 1];
  EXPECT_NEAR(sum, want_sum, 1e-9);
  EXPECT_NEAR(size, want_size, 1e-9);
}

// What the products that are timed alone are made of.
TEST(HplDeviceWork, OperandsOfTimedProductsAreSmallAndTheGenerators) {
  std::vector<double> numbers(100, -9);
  all_of(FillSmall{.to = numbers.data(), .size = 99, .seed = 3});
  for (std::size_t i = 0; i < 99; ++i) EXPECT_EQ(numbers[i] * 1048576, harness::random_signed(3, i));
  EXPECT_EQ(numbers[99], -9);
  std::vector<float> rounded(100, -9);
  all_of(FillRounded{.to = rounded.data(), .precision = Precision::fp32, .size = 99, .seed = 3});
  for (std::size_t i = 0; i < 99; ++i) EXPECT_EQ(rounded[i] * 1024, harness::random_signed_float(3, i));
  EXPECT_EQ(rounded[99], -9);
  std::vector<std::uint16_t> half(100, 7);
  all_of(FillRounded{.to = half.data(), .precision = Precision::bf16, .size = 99, .seed = 3});
  for (Index i = 0; i < 99; ++i)
    EXPECT_NEAR(load(half.data(), Precision::bf16, i) * 1024,
                harness::random_signed_float(3, static_cast<std::uint64_t>(i)), 0x1p-8);
  EXPECT_EQ(half[99], 7);
}

// The same rank and matrix in FP32 by columns; local column 2 is global column 4, and row 1 is 3.
TEST(HplDeviceWork, FloatsAreFilledCopiedAndRoundedByColumns) {
  const Problem p{.n = 5, .nb = 2, .rows = 2, .columns = 2, .seed = 9, .diagonal = 100};
  const Axis rows{.nb = 2, .parts = 2, .me = 1}, columns{.nb = 2, .parts = 2, .me = 0};
  std::vector<float> a(9, -9);
  all_of(FillFloats{.problem = p,
                    .row_axis = rows,
                    .column_axis = columns,
                    .to = a.data(),
                    .ld = 3,
                    .rows = 2,
                    .column = 2,
                    .columns = 1});
  EXPECT_EQ(a, (std::vector<float>{-9, -9, -9, -9, -9, -9, static_cast<float>(p.element(2, 4)),
                                   static_cast<float>(p.element(3, 4)), -9}));
  EXPECT_GT(p.element(3, 3), 99);
  EXPECT_LT(p.element(3, 2), 1);
  std::vector<float> from = {1, 2, 3, 4, 5, 6}, to(4, -9);  // 3 x 2
  all_of(CopyFloats{.from = from.data() + 1, .to = to.data(), .from_ld = 3, .to_ld = 2, .rows = 2, .columns = 2});
  EXPECT_EQ(to, (std::vector<float>{2, 3, 5, 6}));
  // 1, 2, 3 and 5, 6 of FP16: 0x3c00, 0x4000, 0x4200, 0x4500, 0x4600; twice as much is one more in the exponent.
  std::vector<std::uint16_t> halves(4, 7);
  all_of(RoundBlock{.from = from.data() + 1,
                    .to = halves.data(),
                    .precision = Precision::fp16,
                    .scale = 2,
                    .from_ld = 3,
                    .to_ld = 2,
                    .rows = 2,
                    .columns = 2});
  EXPECT_EQ(halves, (std::vector<std::uint16_t>{0x4400, 0x4600, 0x4900, 0x4a00}));
}

class Device : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      blas = std::make_shared<harness::Blas>(1);
    } catch (const harness::CouldNotRun& e) {
      CLUSTERC_MISSING(e.what());
    }
  }
  std::shared_ptr<harness::Blas> blas;
};

TEST_F(Device, TheFakeDoesNothingThatNobodyWaitsFor) {
  FakeAccelerator fake(blas, 0);
  double* const a = fake.allocate<double>(4);
  const std::vector<double> one(4, 1.0);
  std::vector<double> out(4, -1);
  const auto uploaded = fake.make_event(), read = fake.make_event();
  fake.upload(Stream::copy, a, one.data(), 4);
  fake.record(uploaded, Stream::copy);
  fake.download(Stream::compute, out.data(), a, 4);  // not told to wait: too early
  fake.record(read, Stream::compute);
  fake.finish(read);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(fake.left(), 2u);
  fake.wait(Stream::compute, uploaded);
  fake.download(Stream::compute, out.data(), a, 4);
  fake.record(read, Stream::compute);
  EXPECT_TRUE(std::isnan(out[0]));
  fake.finish(read);
  EXPECT_EQ(out, one);
  EXPECT_EQ(fake.left(), 0u);
}

// What the part takes of the device, counted, is what the sizes say, and little less.
TEST_F(Device, MemoryIsReckonedAsItIsTaken) {
  struct Counting final : Accelerator {
    explicit Counting(std::shared_ptr<harness::Blas> b, double& sum) : real(std::move(b), 0), bytes(sum) {}
    harness::Device device() const override { return real.device(); }
    std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return {}; }
    void* allocate_bytes(Index count) override {
      bytes += static_cast<double>(count);
      return nullptr;
    }
    Array host_memory(std::size_t) override { return {}; }
    Event make_event() override { return real.make_event(); }
    void record(Event, Stream) override {}
    void wait(Stream, Event) override {}
    void finish(Event) override {}
    double seconds_between(Event, Event) override { return 0; }
    void upload_bytes(Stream, void*, const void*, Index) override {}
    void download_bytes(Stream, void*, const void*, Index) override {}
    void run(Stream, const Work&) override {}
    void dtrsm(Stream, Index, Index, const double*, Index, double*, Index) override {}
    void dgemm(Stream, Index, Index, Index, const double*, Index, const double*, Index, double*, Index) override {}
    void dgemv(Stream, Index, Index, const double*, Index, const double*, double*) override {}
    void strsm(Stream, Triangle, Index, Index, const float*, Index, float*, Index) override {}
    void gemm(Stream, Precision, Index, Index, Index, float, const void*, Index, const void*, Index, float*,
              Index) override {}
    void sgemv(Stream, Index, Index, const float*, Index, const float*, float*) override {}
    FakeAccelerator real;
    double& bytes;
  };
  for (const Index n : {100'000, 8191, 4097}) {
    for (const auto& [p, q] : {std::pair(1, 1), {1, 4}, {2, 4}, {4, 1}}) {
      const Problem problem{.n = n, .nb = 512, .rows = p, .columns = q};
      const Axis rows{.nb = 512, .parts = p}, columns{.nb = 512, .parts = q};
      double bytes = 0;
      const auto part = device_part(std::make_unique<Counting>(blas, bytes), 1e9);
      part->allocate(problem, rows, columns, rows.below(n), columns.below(n + 1));
      const double said = bytes_of_device(n, 512, {static_cast<unsigned>(p), static_cast<unsigned>(q)});
      EXPECT_LE(bytes, said) << n << " " << p << " x " << q;
      // The sizes count whole blocks in both directions; of a small matrix the last one is a large part.
      if (n == 100'000) {
        EXPECT_GE(bytes, 0.97 * said) << n << " " << p << " x " << q;
      }
      // In mixed precision: FP32 panels are the largest that are counted.
      double mixed_bytes = 0;
      const auto mixed = mixed_device_part(std::make_unique<Counting>(blas, mixed_bytes), 1e9);
      mixed->allocate(problem, Precision::fp32, rows, columns, rows.below(n), columns.below(n));
      const double mixed_said = bytes_of_mixed(n, 512, {static_cast<unsigned>(p), static_cast<unsigned>(q)});
      EXPECT_LE(mixed_bytes, mixed_said) << n << " " << p << " x " << q;
      if (n == 100'000) {
        EXPECT_GE(mixed_bytes, 0.97 * mixed_said) << n << " " << p << " x " << q;
      }
    }
  }
  // 80 GB: sqrt(80e9 / 8) = 100,000 less the panels.
  const Index n = order_for_memory(80e9, 512, {1, 1}, bytes_of_device);
  EXPECT_EQ(n % 512, 0);
  EXPECT_NEAR(static_cast<double>(n), 98'900,
              512);  // 8 (n^2 + 4 x 512 n) = 80e9: n = -1,024 + sqrt(1,024^2 + 1e10) = 98,981
}

}  // namespace
}  // namespace clusterc::hpl
