// The mixed-precision mode in a device's memory. Two streams: `compute` solves, rounds and multiplies, `copy` carries
// squares and panels both ways.
//
//   compute   | strips of k + 1 | a third of the rest | L and U of k + 1, rounded | the other two thirds ............ |
//   copy                        | square to the host  |  ^ square back            | panels to the host | those of
//   others back | host                             | factors it, sends it |                          | sends them, gets
//   others' |
#include <algorithm>

#include "hpl/device_parts.h"
#include "hpl/mixed_part.h"

namespace clusterc::hpl {
namespace {

class MixedDevicePart final : public MixedPart {
 public:
  MixedDevicePart(std::unique_ptr<Accelerator> device, double piece) : device_(std::move(device)), piece_(piece) {
    for (Accelerator::Event* event :
         {&mark_, &rounded_, &computed_, &copied_, &square_, &uploaded_, &free_[0], &free_[1]})
      *event = device_->make_event();
  }

  harness::Device device() const override {
    harness::Device out = device_->device();
    out.label = "ranks";
    out.uuid.clear();
    return out;
  }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return device_->parameters(); }
  double piece() const override { return piece_; }
  Array host_memory(std::size_t count) override { return device_->host_memory(count); }

  void allocate(const Problem& problem, Precision precision, const Axis& rows, const Axis& columns, Index row_count,
                Index column_count) override {
    problem_ = problem;
    precision_ = precision;
    row_axis_ = rows;
    column_axis_ = columns;
    rows_ = row_count;
    columns_ = column_count;
    ld_ = padded(std::max<Index>(rows_, 1));
    const Index width = std::min(problem.nb, problem.n), bytes = bytes_of(precision);
    matrix_ = device_->allocate<float>(ld_ * std::max<Index>(columns_, 1));
    for (int slot : {0, 1}) {
      left_[slot] = device_->allocate<std::byte>(ld_ * width * bytes);
      upper_[slot] = device_->allocate<std::byte>(padded(width) * std::max<Index>(columns_, 1) * bytes);
    }
    triangles_ = device_->allocate<float>(width * width);
    block_ = device_->allocate<float>(width * width);
    vectors_ = device_->allocate<float>(width + ld_);
    host_vectors_ = device_->host_memory(static_cast<std::size_t>(width + ld_));
    sums_.allocate(*device_, columns_);
  }

  void fill(Index column, Index columns) override {
    device_->run(Stream::compute, FillFloats{.problem = problem_,
                                             .row_axis = row_axis_,
                                             .column_axis = column_axis_,
                                             .to = matrix_,
                                             .ld = ld_,
                                             .rows = rows_,
                                             .column = column,
                                             .columns = columns});
  }

  void mark() override {
    device_->record(mark_, Stream::compute);
    marked_ = true;
  }
  void read_square(Index row, Index column, Index width, float* out) override {
    if (!marked_) device_->record(mark_, Stream::compute);
    marked_ = false;
    device_->wait(Stream::copy, mark_);
    device_->run(
        Stream::copy,
        CopyFloats{
            .from = at(row, column), .to = block_, .from_ld = ld_, .to_ld = width, .rows = width, .columns = width});
    device_->download(Stream::copy, out, block_, width * width);
    finish(Stream::copy, copied_);
  }

  void finish_loads() override {
    device_->finish(square_);
    device_->finish(uploaded_);
  }
  void load_triangles(const float* square, Index width) override {
    width_ = width;
    device_->upload(Stream::compute, triangles_, square, width * width);
    device_->record(square_, Stream::compute);
  }
  void keep_triangles(Index row, Index column) override {
    device_->run(Stream::compute, CopyFloats{.from = triangles_,
                                             .to = at(row, column),
                                             .from_ld = width_,
                                             .to_ld = ld_,
                                             .rows = width_,
                                             .columns = width_});
  }

  void make_left(const Block& b, float scale) override {
    if (b.empty()) return;
    device_->strsm(Stream::compute, Triangle::upper_from_the_right, b.rows, b.columns, triangles_, width_,
                   at(b.row, b.column), ld_);
    round(b, left_[1 - slot_], scale);
  }
  void make_upper(const Block& b) override {
    if (b.empty()) return;
    device_->strsm(Stream::compute, Triangle::unit_lower_from_the_left, b.rows, b.columns, triangles_, width_,
                   at(b.row, b.column), ld_);
    round(b, upper_[1 - slot_], 1);
  }
  void read_left(Index rows, Index width, void* out) override { read(left_[1 - slot_], padded(rows) * width, out); }
  void read_upper(Index width, Index columns, void* out) override {
    read(upper_[1 - slot_], padded(width) * columns, out);
  }
  void load_left(const void* in, Index rows, Index width) override { load(in, padded(rows) * width, left_[1 - slot_]); }
  void load_upper(const void* in, Index width, Index columns) override {
    load(in, padded(width) * columns, upper_[1 - slot_]);
  }
  void turn(Index first_row, Index first_column, Index width, float scale) override {
    device_->record(free_[slot_], Stream::compute);  // the last that reads the panels that were present
    device_->wait(Stream::compute, uploaded_);
    slot_ = 1 - slot_;
    first_row_ = first_row;
    first_column_ = first_column;
    panel_width_ = width;
    scale_ = scale;
  }

  void update(const Block& b) override {
    if (b.empty()) return;
    const auto [begin, end] = pairs_.next(*device_);
    const Index ld_left = padded(rows_ - first_row_), ld_upper = padded(panel_width_), bytes = bytes_of(precision_);
    device_->record(begin, Stream::compute);
    device_->gemm(Stream::compute, precision_, b.rows, b.columns, panel_width_, -1 / scale_,
                  left_[slot_] + (b.row - first_row_) * bytes, ld_left,
                  upper_[slot_] + (b.column - first_column_) * ld_upper * bytes, ld_upper, at(b.row, b.column), ld_);
    device_->record(end, Stream::compute);
  }
  double take_update_seconds() override {
    finish(Stream::compute, computed_);
    return pairs_.take_seconds(*device_);
  }

  void subtract_product(const Block& b, const double* x, double* sum) override {
    auto* const host = reinterpret_cast<float*>(host_vectors_.get());
    float *const host_y = host + b.columns, *const device_y = vectors_ + b.columns;
    std::copy(x, x + b.columns, host);
    device_->upload(Stream::compute, vectors_, host, b.columns);
    device_->sgemv(Stream::compute, b.rows, b.columns, at(b.row, b.column), ld_, vectors_, device_y);
    device_->download(Stream::compute, host_y, device_y, b.rows);
    finish(Stream::compute, computed_);
    for (Index i = 0; i < b.rows; ++i) sum[i] -= static_cast<double>(host_y[i]);
  }

  void products(Index row, Index rows, const double* x, double* product, double* magnitude) override {
    sums_.products(*device_, problem_, row_axis_, column_axis_, columns_, row, rows, x, product, magnitude);
  }

  double time_gemm(Index width) override {
    width = std::min(width, problem_.n);
    if (rows_ == 0 || columns_ == 0) return 0;
    device_->run(Stream::compute,
                 FillRounded{.to = left_[0], .precision = precision_, .size = ld_ * width, .seed = problem_.seed ^ 1});
    device_->run(
        Stream::compute,
        FillRounded{
            .to = upper_[0], .precision = precision_, .size = padded(width) * columns_, .seed = problem_.seed ^ 2});
    const auto [begin, end] = pairs_.next(*device_);
    device_->record(begin, Stream::compute);
    device_->gemm(Stream::compute, precision_, rows_, columns_, width, -1, left_[0], ld_, upper_[0], padded(width),
                  matrix_, ld_);
    device_->record(end, Stream::compute);
    finish(Stream::compute, computed_);
    return pairs_.take_seconds(*device_);
  }

 private:
  float* at(Index row, Index column) { return matrix_ + row + column * ld_; }
  void finish(Stream stream, Accelerator::Event event) {
    device_->record(event, stream);
    device_->finish(event);
  }
  void round(const Block& b, std::byte* to, float scale) {
    device_->run(Stream::compute, RoundBlock{.from = at(b.row, b.column),
                                             .to = to,
                                             .precision = precision_,
                                             .scale = scale,
                                             .from_ld = ld_,
                                             .to_ld = padded(b.rows),
                                             .rows = b.rows,
                                             .columns = b.columns});
    device_->record(rounded_, Stream::compute);
  }
  void read(const std::byte* from, Index count, void* out) {
    device_->wait(Stream::copy, rounded_);
    device_->download(Stream::copy, static_cast<std::byte*>(out), from, count * bytes_of(precision_));
    finish(Stream::copy, copied_);
  }
  void load(const void* in, Index count, std::byte* to) {
    device_->wait(Stream::copy, free_[1 - slot_]);
    device_->upload(Stream::copy, to, static_cast<const std::byte*>(in), count * bytes_of(precision_));
    device_->record(uploaded_, Stream::copy);
  }

  std::unique_ptr<Accelerator> device_;
  double piece_;
  Problem problem_;
  Precision precision_ = Precision::fp32;
  Axis row_axis_, column_axis_;
  Index rows_ = 0, columns_ = 0, ld_ = 8, width_ = 0;
  Index first_row_ = 0, first_column_ = 0, panel_width_ = 0;  // of the present panels
  float scale_ = 1;
  int slot_ = 0;
  bool marked_ = false;
  float *matrix_ = nullptr, *triangles_ = nullptr, *block_ = nullptr, *vectors_ = nullptr;
  std::byte *left_[2] = {}, *upper_[2] = {};
  Array host_vectors_;
  DeviceProducts sums_;
  EventPairs pairs_;
  Accelerator::Event mark_ = 0, rounded_ = 0, computed_ = 0, copied_ = 0, square_ = 0, uploaded_ = 0, free_[2] = {};
};

}  // namespace

std::unique_ptr<MixedPart> mixed_device_part(std::unique_ptr<Accelerator> device, double piece) {
  return std::make_unique<MixedDevicePart>(std::move(device), piece);
}

}  // namespace clusterc::hpl
