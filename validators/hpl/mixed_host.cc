// The host back end of the mixed-precision mode: FP32 by the machine's BLAS. Numbers of 16 bits are kept as floats that
// were rounded to them, and multiplied as such: products and sums are those that a device has, the rate is that of
// FP32.
#include <algorithm>

#include "harness/loop.h"
#include "harness/machine.h"
#include "hpl/mixed_part.h"

namespace clusterc::hpl {
namespace {

class MixedHostPart final : public MixedPart {
 public:
  explicit MixedHostPart(std::shared_ptr<harness::Blas> blas) : blas_(std::move(blas)) {}

  harness::Device device() const override {
    return {.backend = harness::Backend::host, .label = "ranks", .name = harness::cpu_model()};
  }
  double piece() const override { return 8e9; }  // tens of milliseconds on one core

  void allocate(const Problem& problem, Precision precision, const Axis& rows, const Axis& columns, Index row_count,
                Index column_count) override {
    problem_ = problem;
    precision_ = precision;
    row_axis_ = rows;
    column_axis_ = columns;
    rows_ = row_count;
    columns_ = column_count;
    ld_ = padded(std::max<Index>(rows_, 1));
    const Index width = std::min(problem.nb, problem.n);
    matrix_ = floats(ld_ * columns_);
    for (int slot : {0, 1}) {
      left_[slot] = floats(ld_ * width);
      upper_[slot] = floats(padded(width) * columns_);
    }
    x_.resize(static_cast<std::size_t>(width));
    y_.resize(static_cast<std::size_t>(rows_));
  }

  void fill(Index column, Index columns) override {
    for (Index j = column; j < column + columns; ++j) {
      const Index global = column_axis_.global(j);
      for (Index i = 0; i < rows_; ++i) *at(i, j) = static_cast<float>(problem_.element(row_axis_.global(i), global));
    }
  }

  void read_square(Index row, Index column, Index width, float* out) override {
    for (Index j = 0; j < width; ++j) std::copy(at(row, column + j), at(row, column + j) + width, out + j * width);
  }
  void load_triangles(const float* square, Index width) override {
    square_ = square;
    width_ = width;
  }
  void keep_triangles(Index row, Index column) override {
    for (Index j = 0; j < width_; ++j) std::copy(square_ + j * width_, square_ + (j + 1) * width_, at(row, column + j));
  }

  void make_left(const Block& b, float scale) override {
    if (b.empty()) return;
    const int m = static_cast<int>(b.rows), n = static_cast<int>(b.columns), apart = static_cast<int>(width_),
              ld = static_cast<int>(ld_);
    const float one = 1;
    blas_->strsm("R", "U", "N", "N", &m, &n, &one, square_, &apart, at(b.row, b.column), &ld);
    for (Index j = 0; j < b.columns; ++j) {
      for (Index i = 0; i < b.rows; ++i)
        next_left()[i + j * padded(b.rows)] = rounded(scale * *at(b.row + i, b.column + j));
    }
  }
  void make_upper(const Block& b) override {
    if (b.empty()) return;
    const int m = static_cast<int>(b.rows), n = static_cast<int>(b.columns), apart = static_cast<int>(width_),
              ld = static_cast<int>(ld_);
    const float one = 1;
    blas_->strsm("L", "L", "N", "U", &m, &n, &one, square_, &apart, at(b.row, b.column), &ld);
    for (Index j = 0; j < b.columns; ++j) {
      for (Index i = 0; i < b.rows; ++i) next_upper()[i + j * padded(b.rows)] = rounded(*at(b.row + i, b.column + j));
    }
  }
  void read_left(Index rows, Index width, void* out) override { write(next_left(), padded(rows) * width, out); }
  void read_upper(Index width, Index columns, void* out) override { write(next_upper(), padded(width) * columns, out); }
  void load_left(const void* in, Index rows, Index width) override { read(in, padded(rows) * width, next_left()); }
  void load_upper(const void* in, Index width, Index columns) override {
    read(in, padded(width) * columns, next_upper());
  }
  void turn(Index first_row, Index first_column, Index width, float scale) override {
    slot_ = 1 - slot_;
    first_row_ = first_row;
    first_column_ = first_column;
    panel_width_ = width;
    scale_ = scale;
  }

  void update(const Block& b) override {
    if (b.empty()) return;
    const double begin = harness::now_seconds();
    const Index ld_left = padded(rows_ - first_row_), ld_upper = padded(panel_width_);
    multiply(b, panel_width_, -1 / scale_, left_[slot_].data() + (b.row - first_row_), ld_left,
             upper_[slot_].data() + (b.column - first_column_) * ld_upper, ld_upper);
    seconds_ += harness::now_seconds() - begin;
  }
  double take_update_seconds() override { return std::exchange(seconds_, 0.0); }

  void subtract_product(const Block& b, const double* x, double* sum) override {
    std::copy(x, x + b.columns, x_.begin());
    const int m = static_cast<int>(b.rows), n = static_cast<int>(b.columns), ld = static_cast<int>(ld_), step = 1;
    const float one = 1, zero = 0;
    blas_->sgemv("N", &m, &n, &one, at(b.row, b.column), &ld, x_.data(), &step, &zero, y_.data(), &step);
    for (Index i = 0; i < b.rows; ++i) sum[i] -= static_cast<double>(y_[static_cast<std::size_t>(i)]);
  }

  void products(Index row, Index rows, const double* x, double* product, double* magnitude) override {
    problem_.products(row_axis_, column_axis_, row, rows, columns_, x, product, magnitude);
  }

  double time_gemm(Index width) override {
    width = std::min(width, problem_.n);
    const Block all{.row = 0, .rows = rows_, .column = 0, .columns = columns_};
    if (all.empty()) return 0;
    // Random operands near 1/2^10, so that the matrix neither grows nor is a constant.
    std::uint64_t draws = 0;
    for (std::vector<float>* panel : {&left_[0], &upper_[0]}) {
      for (float& value : *panel) value = 0x1p-10F * harness::random_signed_float(problem_.seed ^ 1, draws++);
    }
    const double begin = harness::now_seconds();
    multiply(all, width, -1, left_[0].data(), ld_, upper_[0].data(), padded(width));
    return harness::now_seconds() - begin;
  }

 private:
  static std::vector<float> floats(Index count) { return std::vector<float>(static_cast<std::size_t>(count)); }
  float* at(Index row, Index column) { return matrix_.data() + row + column * ld_; }
  float* next_left() { return left_[1 - slot_].data(); }
  float* next_upper() { return upper_[1 - slot_].data(); }
  float rounded(float value) const {
    if (precision_ == Precision::fp32) return value;
    std::uint16_t bits = 0;
    store(&bits, precision_, 0, value);
    return load(&bits, precision_, 0);
  }
  void write(const float* from, Index count, void* out) const {
    for (Index i = 0; i < count; ++i) store(out, precision_, i, from[i]);
  }
  void read(const void* in, Index count, float* to) const {
    for (Index i = 0; i < count; ++i) to[i] = load(in, precision_, i);
  }
  // The block += factor * left * upper.
  void multiply(const Block& b, Index inner, float factor, const float* left, Index ld_left, const float* upper,
                Index ld_upper) {
    const int m = static_cast<int>(b.rows), n = static_cast<int>(b.columns), k = static_cast<int>(inner),
              lda = static_cast<int>(ld_left), ldb = static_cast<int>(ld_upper), ld = static_cast<int>(ld_);
    const float one = 1;
    blas_->sgemm("N", "N", &m, &n, &k, &factor, left, &lda, upper, &ldb, &one, at(b.row, b.column), &ld);
  }

  std::shared_ptr<harness::Blas> blas_;
  Problem problem_;
  Precision precision_ = Precision::fp32;
  Axis row_axis_, column_axis_;
  Index rows_ = 0, columns_ = 0, ld_ = 8, width_ = 0;
  Index first_row_ = 0, first_column_ = 0, panel_width_ = 0;  // of the present panels
  float scale_ = 1;
  int slot_ = 0;
  const float* square_ = nullptr;
  std::vector<float> matrix_, left_[2], upper_[2], x_, y_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<MixedPart> mixed_host_part(std::shared_ptr<harness::Blas> blas) {
  return std::make_unique<MixedHostPart>(std::move(blas));
}

}  // namespace clusterc::hpl
