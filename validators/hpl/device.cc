// The part of the matrix that lies in a device's memory. Three streams: `compute` solves for U and multiplies,
// `exchange` moves rows, `copy` carries panels both ways. The panel of the next step is factored on the host meanwhile:
//
//   compute   | update ahead | update the rest, piece by piece ............ |
//   exchange  | rows | rows of piece 1 | rows of piece 2 | ...
//   copy                     | panel to the host |                | next panel to the device |
//   host                                         | factors it, sends it |
#include <algorithm>

#include "hpl/backend.h"
#include "hpl/device_parts.h"

namespace clusterc::hpl {
namespace {

class DevicePart final : public LocalPart {
 public:
  DevicePart(std::unique_ptr<Accelerator> device, double piece) : device_(std::move(device)), piece_(piece) {
    for (Accelerator::Event* event :
         {&epoch_, &mark_, &exchanged_, &computed_, &copied_, &uploaded_[0], &uploaded_[1], &free_[0], &free_[1]})
      *event = device_->make_event();
  }

  harness::Device device() const override {
    harness::Device out = device_->device();
    out.label = "ranks";
    out.uuid.clear();
    return out;
  }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return device_->parameters(); }
  bool works_alongside() const override { return true; }
  double piece() const override { return piece_; }
  Array host_memory(std::size_t count) override { return device_->host_memory(count); }

  void allocate(const Problem& problem, const Axis& rows, const Axis& columns, Index row_count,
                Index column_count) override {
    problem_ = problem;
    row_axis_ = rows;
    column_axis_ = columns;
    rows_ = row_count;
    columns_ = column_count;
    unknowns_ = columns.below(problem.n);
    ld_ = padded(std::max<Index>(columns_, 1));
    width_ = problem.nb;
    matrix_ = device_->allocate<double>(std::max<Index>(rows_, 1) * ld_);
    u_ = device_->allocate<double>(width_ * ld_);
    if (problem.rows > 1) packed_ = device_->allocate<double>(width_ * ld_);
    const Index panel = width_ * (width_ + padded(rows_));
    for (double*& at : panels_) at = device_->allocate<double>(panel);
    block_ = device_->allocate<double>(std::max<Index>(panel, rows_));
    sums_.allocate(*device_, std::max(width_, unknowns_), rows_);
  }

  void fill(Index row, Index rows) override {
    device_->run(Stream::compute, FillMatrix{.problem = problem_,
                                             .row_axis = row_axis_,
                                             .column_axis = column_axis_,
                                             .to = matrix_,
                                             .ld = ld_,
                                             .row = row,
                                             .rows = rows,
                                             .columns = columns_});
  }

  void mark() override {
    device_->record(mark_, Stream::compute);
    marked_ = true;
  }

  void read_block(Index row, Index column, Index rows, Index columns, double* out, Index ld) override {
    if (rows == 0 || columns == 0) return;
    if (!marked_) {
      device_->record(mark_, Stream::compute);
      device_->record(exchanged_, Stream::exchange);
      device_->wait(Stream::copy, exchanged_);
    }
    device_->wait(Stream::copy, mark_);
    device_->run(
        Stream::copy,
        ToColumns{
            .from = at(row, column), .to = block_, .from_ld = ld_, .to_ld = ld, .rows = rows, .columns = columns});
    device_->download(Stream::copy, out, block_, (columns - 1) * ld + rows);
    finish(Stream::copy, copied_);
  }

  void load_panel(const Panel& panel) override {
    if (loaded_) device_->finish(uploaded_[slot_]);  // the host's memory of the last one is free from here on
    marked_ = false;
    // Rows are not moved before the steps before have used them, and a panel is not replaced before.
    device_->record(epoch_, Stream::compute);
    device_->wait(Stream::exchange, epoch_);
    device_->record(free_[slot_], Stream::compute);
    slot_ = 1 - slot_;
    loaded_ = true;
    panel_width_ = panel.width();
    panel_rows_ = panel.rows();
    panel_ld_ = panel.ld();
    device_->wait(Stream::copy, free_[slot_]);
    device_->upload(Stream::copy, panels_[slot_], panel.top(), panel_width_ * (panel_width_ + panel_ld_));
    device_->record(uploaded_[slot_], Stream::copy);
    device_->wait(Stream::compute, uploaded_[slot_]);
  }

  void write_upper(Index row, Index column) override {
    device_->run(Stream::compute,
                 CopyUpper{.from = panels_[slot_], .to = at(row, column), .to_ld = ld_, .width = panel_width_});
  }

  void gather(std::span<const Move> moves, Index column, Index columns) override {
    copy_rows(moves, matrix_ + column, ld_, u_ + column, ld_, columns);
  }
  void move_rows(std::span<const Move> moves, Index column, Index columns) override {
    copy_rows(moves, matrix_ + column, ld_, matrix_ + column, ld_, columns);
  }

  void pack(std::span<const Index> rows, Index column, Index columns, double* out) override {
    if (rows.empty() || columns == 0) return;
    moves_.clear();
    for (const Index row : rows) moves_.push_back({row, static_cast<Index>(moves_.size())});
    copy_rows(moves_, matrix_ + column, ld_, packed_, columns, columns);
    device_->download(Stream::exchange, out, packed_, static_cast<Index>(rows.size()) * columns);
    finish(Stream::exchange, exchanged_);
  }
  void unpack_to_u(std::span<const Index> rows_of_u, Index column, Index columns, const double* in) override {
    unpack(rows_of_u, columns, in, u_ + column);
  }
  void unpack_to_matrix(std::span<const Index> rows, Index column, Index columns, const double* in) override {
    unpack(rows, columns, in, matrix_ + column);
  }

  void update(Index top_row, Index first_row, Index column, Index columns) override {
    if (columns == 0) return;
    device_->record(exchanged_, Stream::exchange);
    device_->wait(Stream::compute, exchanged_);
    const auto [begin, end] = pairs_.next(*device_);
    device_->record(begin, Stream::compute);
    double* const u = u_ + column;
    device_->dtrsm(Stream::compute, columns, panel_width_, panels_[slot_], panel_width_, u, ld_);
    if (top_row >= 0)
      device_->run(Stream::compute, CopyBlock{.from = u,
                                              .to = at(top_row, column),
                                              .from_ld = ld_,
                                              .to_ld = ld_,
                                              .rows = panel_width_,
                                              .columns = columns});
    if (panel_rows_ > 0)
      device_->dgemm(Stream::compute, columns, panel_rows_, panel_width_, u, ld_,
                     panels_[slot_] + panel_width_ * panel_width_, panel_ld_, at(first_row, column), ld_);
    device_->record(end, Stream::compute);
  }

  std::optional<double> take_update_seconds() override {
    finish(Stream::compute, computed_);
    return pairs_.take_seconds(*device_);
  }

  void subtract_product(Index row, Index column, Index rows, Index columns, const double* x, double* sum) override {
    if (rows == 0 || columns == 0) return;
    device_->upload(Stream::compute, sums_.x, x, columns);
    device_->dgemv(Stream::compute, columns, rows, at(row, column), ld_, sums_.x, sums_.sums);
    device_->download(Stream::compute, sums_.host.get(), sums_.sums, rows);
    finish(Stream::compute, computed_);
    for (Index i = 0; i < rows; ++i) sum[i] -= sums_.host[static_cast<std::size_t>(i)];
  }

  void products(Index row, Index rows, const double* x, double* product, double* magnitude) override {
    sums_.products(*device_, problem_, row_axis_, column_axis_, unknowns_, row, rows, x, product, magnitude);
  }

  double time_dgemm(Index width) override {
    if (rows_ == 0 || unknowns_ == 0) return 0;
    const Index ld_left = padded(rows_);
    device_->run(Stream::compute, FillSmall{.to = panels_[0], .size = width * ld_left, .seed = problem_.seed ^ 1});
    device_->run(Stream::compute, FillSmall{.to = u_, .size = width * ld_, .seed = problem_.seed ^ 2});
    const auto [begin, end] = pairs_.next(*device_);
    device_->record(begin, Stream::compute);
    device_->dgemm(Stream::compute, unknowns_, rows_, width, u_, ld_, panels_[0], ld_left, matrix_, ld_);
    device_->record(end, Stream::compute);
    device_->finish(end);
    return pairs_.take_seconds(*device_);
  }

 private:
  double* at(Index row, Index column) { return matrix_ + row * ld_ + column; }
  void finish(Stream stream, Accelerator::Event event) {
    device_->record(event, stream);
    device_->finish(event);
  }
  void copy_rows(std::span<const Move> moves, const double* from, Index from_ld, double* to, Index to_ld,
                 Index columns) {
    for (std::size_t done = 0; done < moves.size() && columns > 0;) {
      CopyRows work{.from = from, .to = to, .from_ld = from_ld, .to_ld = to_ld, .columns = columns};
      for (; done < moves.size() && work.rows < CopyRows::kMost; ++done)
        work.moves[work.rows++] = {static_cast<std::int32_t>(moves[done].from),
                                   static_cast<std::int32_t>(moves[done].to)};
      device_->run(Stream::exchange, work);
    }
  }
  void unpack(std::span<const Index> rows, Index columns, const double* in, double* to) {
    if (rows.empty() || columns == 0) return;
    device_->upload(Stream::exchange, packed_, in, static_cast<Index>(rows.size()) * columns);
    finish(Stream::exchange, exchanged_);  // `in` is used again
    moves_.clear();
    for (const Index row : rows) moves_.push_back({static_cast<Index>(moves_.size()), row});
    copy_rows(moves_, packed_, columns, to, ld_, columns);
  }

  std::unique_ptr<Accelerator> device_;
  const double piece_;
  Problem problem_;
  Axis row_axis_, column_axis_;
  Index rows_ = 0, columns_ = 0, unknowns_ = 0, ld_ = 8, width_ = 1;
  Index panel_width_ = 0, panel_rows_ = 0, panel_ld_ = 0;  // of the panel that is loaded
  double *matrix_ = nullptr, *u_ = nullptr, *packed_ = nullptr, *block_ = nullptr;
  double* panels_[2] = {};  // top and below of the loaded one and of the one before
  DeviceProducts sums_;
  EventPairs pairs_;
  std::vector<Move> moves_;
  int slot_ = 0;
  bool loaded_ = false, marked_ = false;
  Accelerator::Event epoch_ = 0, mark_ = 0, exchanged_ = 0, computed_ = 0, copied_ = 0, uploaded_[2] = {},
                     free_[2] = {};
};

}  // namespace

std::unique_ptr<LocalPart> device_part(std::unique_ptr<Accelerator> device, double piece) {
  return std::make_unique<DevicePart>(std::move(device), piece);
}

}  // namespace clusterc::hpl
