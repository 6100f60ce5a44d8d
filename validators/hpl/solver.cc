#include "hpl/solver.h"

#include <algorithm>
#include <limits>

#include "harness/fault.h"
#include "harness/loop.h"
#include "hpl/ring.h"
#include "mpi/job.h"

namespace clusterc::hpl {
using namespace harness;
using mpi::check;

namespace {

constexpr int kSumTag = 2, kUnknownTag = 3;
constexpr Index kRows = 64;  // filled between two signs of life

// A pivot among the ranks of a grid column: one all-reduce of the candidate together with its row.
class ColumnExchange final : public PivotExchange {
 public:
  ColumnExchange(MPI_Comm column, Pulse& pulse) : column_(column), pulse_(pulse) {
    check(MPI_Op_create(&ColumnExchange::choose, 1, &op_), "MPI_Op_create");
  }
  ~ColumnExchange() override {
    MPI_Op_free(&op_);
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  ColumnExchange(const ColumnExchange&) = delete;
  ColumnExchange& operator=(const ColumnExchange&) = delete;

  void best(Candidate& candidate, double* row, Index width) override {
    const auto size = static_cast<std::size_t>(width + kHead);
    if (mine_.size() != size) {
      if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
      check(MPI_Type_contiguous(static_cast<int>(size), MPI_DOUBLE, &type_), "MPI_Type_contiguous");
      check(MPI_Type_commit(&type_), "MPI_Type_commit");
      mine_.resize(size);
      winner_.resize(size);
    }
    mine_[0] = candidate.magnitude;
    mine_[1] = candidate.row;
    std::copy(row, row + width, mine_.begin() + kHead);
    check(MPI_Allreduce(mine_.data(), winner_.data(), 1, type_, op_, column_), "MPI_Allreduce of pivots");
    candidate = {.magnitude = winner_[0], .row = winner_[1]};
    std::copy(winner_.begin() + kHead, winner_.end(), row);
    pulse_.beat();
  }

 private:
  static constexpr std::ptrdiff_t kHead = 2;
  static void choose(void* in, void* inout, int* count, MPI_Datatype* type) {
    int bytes = 0;
    MPI_Type_size(*type, &bytes);
    const std::size_t size = static_cast<std::size_t>(bytes) / sizeof(double);
    for (int i = 0; i < *count; ++i) {
      const double* a = static_cast<const double*>(in) + static_cast<std::size_t>(i) * size;
      double* b = static_cast<double*>(inout) + static_cast<std::size_t>(i) * size;
      if (Candidate{a[0], a[1]}.better_than({b[0], b[1]})) std::copy(a, a + size, b);
    }
  }

  MPI_Comm column_;
  Pulse& pulse_;
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<double> mine_, winner_;
};

}  // namespace

class Solver::Impl {
 public:
  Impl(const Problem& problem, const Grid& grid, std::shared_ptr<Blas> blas, LocalPart& backend, Pulse& pulse,
       std::function<void(double)> progress)
      : p_(problem),
        grid_(grid),
        blas_(std::move(blas)),
        backend_(backend),
        pulse_(pulse),
        progress_(std::move(progress)),
        rows_{.nb = p_.nb, .parts = p_.rows, .me = grid.my_row},
        columns_{.nb = p_.nb, .parts = p_.columns, .me = grid.my_column},
        row_count_(rows_.below(p_.n)),
        column_count_(columns_.below(p_.n + 1)),
        blocks_((p_.n + p_.nb - 1) / p_.nb),
        ring_(grid.row, grid.my_column, p_.columns, grid.rank_of(grid.my_row, 0), pulse),
        host_memory_([this](std::size_t count) { return backend_.host_memory(count); }),
        panels_{Panel(host_memory_), Panel(host_memory_)} {
    if (p_.rows > 1) exchange_ = std::make_unique<ColumnExchange>(grid.column, pulse);
    backend_.allocate(p_, rows_, columns_, row_count_, column_count_);
  }

  void fill() {
    pulse_.at(Phase::fill);
    for (Index row = 0; row < row_count_; row += kRows) {
      backend_.fill(row, std::min(kRows, row_count_ - row));
      pulse_.beat();
    }
  }

  Solution solve() {
    Solution s;
    s.smallest_pivot = std::numeric_limits<double>::infinity();
    pulse_.at(Phase::start);
    check(MPI_Barrier(grid_.all), "MPI_Barrier");
    const double begin = now_seconds();
    if (owns_column(0))
      make_panel(0, s.phases);
    else
      expect_panel(0);
    for (Index j = 0; j < blocks_; ++j) step(j, s);
    const double back = now_seconds();
    back_substitution(s.x);
    const double end = now_seconds();
    s.phases.back_substitution = end - back;
    if (const auto seconds = backend_.take_update_seconds()) s.phases.update = *seconds;
    for (int slot : {0, 1}) ring_.drain(slot);
    s.seconds = now_seconds() - begin;
    return s;
  }

  Residual residual(const Solution& s) {
    return residual_of(
        p_, grid_,
        [this](Index row, Index rows, const double* x, double* product, double* magnitude) {
          backend_.products(row, rows, x, product, magnitude);
        },
        s.x, pulse_);
  }

  double dgemm_seconds() {
    pulse_.at(Phase::dgemm);
    check(MPI_Barrier(grid_.all), "MPI_Barrier");
    const double seconds = backend_.time_dgemm(p_.nb);
    pulse_.beat();
    return seconds;
  }

 private:
  Index begin_of(Index block) const { return block * p_.nb; }
  Index end_of(Index block) const { return std::min(p_.n, (block + 1) * p_.nb); }
  bool owns_column(Index block) const { return columns_.owner(begin_of(block)) == grid_.my_column; }
  bool owns_row(Index block) const { return rows_.owner(begin_of(block)) == grid_.my_row; }

  void shape(Index block) {
    Panel& panel = panels_[block % 2];
    panel.shape(begin_of(block), end_of(block) - begin_of(block), row_count_ - rows_.below(end_of(block)));
  }

  void expect_panel(Index block) {
    shape(block);
    ring_.expect(panels_[block % 2], static_cast<int>(block % 2), columns_.owner(begin_of(block)));
  }

  // Takes the block column out of the matrix, factors it and sends it on its way.
  void make_panel(Index block, Phases& phases) {
    const double begin = now_seconds();
    pulse_.at(Phase::panel, block);
    shape(block);
    Panel& panel = panels_[block % 2];
    std::fill(panel.message(), panel.message() + Panel::kHeader, 0.0);
    const Index width = panel.width(), column = columns_.below(panel.first()), under = rows_.below(end_of(block));
    if (owns_row(block)) backend_.read_block(rows_.below(panel.first()), column, width, width, panel.top(), width);
    if (p_.rows > 1)
      check(
          MPI_Bcast(panel.top(), static_cast<int>(width * width), MPI_DOUBLE, rows_.owner(panel.first()), grid_.column),
          "MPI_Bcast of the diagonal block");
    backend_.read_block(under, column, panel.rows(), width, panel.below(), panel.ld());
    for (Index c = 0; c < width; ++c)
      std::fill(panel.below() + c * panel.ld() + panel.rows(), panel.below() + (c + 1) * panel.ld(), 0.0);
    factor_panel(panel, rows_, *blas_, exchange_.get());
    if (p_.columns > 1) panel.seal();
    ring_.send(panel, static_cast<int>(block % 2));
    phases.panel += now_seconds() - begin;
  }

  void step(Index j, Solution& s) {
    Panel& panel = panels_[j % 2];
    const int slot = static_cast<int>(j % 2);
    const double begin = now_seconds();
    if (!owns_column(j)) {
      ring_.wait(slot, j);
      ++s.damage.messages;
      if (s.damage.messages == 1 && grid_.my_column == p_.columns - 1) fault_flip_bit(panel.top(), 0);
      if (!panel.intact()) {
        ++s.damage.damaged;
        if (s.damage.first_panel < 0) s.damage.first_panel = j;
      }
      s.phases.broadcast += now_seconds() - begin;
    }
    if (panel.no_pivot() >= 0 && s.no_pivot < 0) s.no_pivot = static_cast<Index>(panel.no_pivot());
    s.smallest_pivot = std::min(s.smallest_pivot, panel.smallest_pivot());

    backend_.load_panel(panel);
    if (owns_column(j) && owns_row(j)) backend_.write_upper(rows_.below(panel.first()), columns_.below(panel.first()));
    plan_exchange(panel);
    Index column = columns_.below(end_of(j));
    const bool another = j + 1 < blocks_, mine = another && owns_column(j + 1);
    if (another) ring_.drain(1 - slot);
    if (mine) {
      const Index ahead = columns_.below(end_of(j + 1)) - column;
      update(j, column, ahead, s.phases);
      column += ahead;
      if (backend_.works_alongside())
        backend_.mark();
      else
        make_panel(j + 1, s.phases);
    } else if (another) {
      expect_panel(j + 1);
    }
    update(j, column, column_count_ - column, s.phases);
    if (mine && backend_.works_alongside()) make_panel(j + 1, s.phases);
    if (progress_) {
      const double left = static_cast<double>(p_.n - end_of(j)) / static_cast<double>(p_.n);
      progress_(1 - left * left * left);
    }
  }

  // What the panel's exchanges mean for my rows.
  void plan_exchange(const Panel& panel) {
    const Permutation permutation = permutation_of(panel);
    const auto place = [this](Index row) { return rows_.below(row); };
    gather_.clear();
    moves_.clear();
    if (p_.rows == 1) {
      for (std::size_t i = 0; i < permutation.source.size(); ++i)
        gather_.push_back({place(permutation.source[i]), static_cast<Index>(i)});
      for (const auto& [to, from] : permutation.displaced) moves_.push_back({place(from), place(to)});
      return;
    }
    const auto parts = static_cast<std::size_t>(p_.rows);
    sources_.assign(parts, {});
    source_rows_.assign(parts, {});
    targets_.assign(parts, {});
    target_rows_.assign(parts, {});
    for (std::size_t i = 0; i < permutation.source.size(); ++i) {
      const Index row = permutation.source[i];
      const auto owner = static_cast<std::size_t>(rows_.owner(row));
      source_rows_[owner].push_back(static_cast<Index>(i));
      if (rows_.owner(row) == grid_.my_row) sources_[owner].push_back(place(row));
    }
    top_owner_ = rows_.owner(panel.first());
    for (const auto& [to, from] : permutation.displaced) {
      const auto owner = static_cast<std::size_t>(rows_.owner(to));
      targets_[owner].push_back(top_owner_ == grid_.my_row ? place(from)
                                                           : 0);  // counted by all, packed by the owner of the top
      if (rows_.owner(to) == grid_.my_row) target_rows_[owner].push_back(place(to));
    }
  }

  // Rows of U to every rank of the grid column, rows that leave the top to where they go.
  void exchange_rows(Index column, Index columns) {
    const auto me = static_cast<std::size_t>(grid_.my_row);
    const auto count = [columns](std::size_t rows) {
      if (static_cast<Index>(rows) * columns > 0x7fffffff)
        throw CouldNotRun(
            Cause::no_memory,
            "more than 2^31 elements in one exchange of rows: a smaller block or more columns in the grid");
      return static_cast<int>(static_cast<Index>(rows) * columns);
    };
    std::vector<int> counts, begins, out_counts, out_begins;
    int total = 0, out_total = 0;
    for (std::size_t r = 0; r < source_rows_.size(); ++r) {
      counts.push_back(count(source_rows_[r].size()));
      begins.push_back(total);
      total += counts.back();
      out_counts.push_back(count(targets_[r].size()));
      out_begins.push_back(out_total);
      out_total += out_counts.back();
    }
    reserve(outgoing_, outgoing_size_, std::max(counts[me], out_total));
    reserve(incoming_, incoming_size_, total);
    backend_.pack(sources_[me], column, columns, outgoing_.get());
    check(MPI_Allgatherv(outgoing_.get(), counts[me], MPI_DOUBLE, incoming_.get(), counts.data(), begins.data(),
                         MPI_DOUBLE, grid_.column),
          "MPI_Allgatherv of rows");
    pulse_.beat();
    for (std::size_t r = 0; r < source_rows_.size(); ++r)
      backend_.unpack_to_u(source_rows_[r], column, columns, incoming_.get() + begins[r]);
    if (grid_.my_row == top_owner_) {
      for (std::size_t r = 0; r < targets_.size(); ++r)
        backend_.pack(targets_[r], column, columns, outgoing_.get() + out_begins[r]);
    }
    check(MPI_Scatterv(outgoing_.get(), out_counts.data(), out_begins.data(), MPI_DOUBLE, incoming_.get(),
                       out_counts[me], MPI_DOUBLE, top_owner_, grid_.column),
          "MPI_Scatterv of rows");
    backend_.unpack_to_matrix(target_rows_[me], column, columns, incoming_.get());
    pulse_.beat();
  }

  void reserve(Array& array, Index& size, Index wanted) {
    if (wanted <= size) return;
    array = host_memory_(static_cast<std::size_t>(wanted));
    size = wanted;
  }

  // Rows exchanged, U solved, and everything below updated, for the given columns.
  void update(Index j, Index column, Index columns, Phases& phases) {
    const Panel& panel = panels_[j % 2];
    const Index top = owns_row(j) ? rows_.below(panel.first()) : -1, first = rows_.below(end_of(j));
    // The same number of pieces on every rank of a grid column, though their numbers of rows differ.
    const double work = 2.0 * static_cast<double>(p_.n - panel.first()) / p_.rows * static_cast<double>(panel.width());
    const Index pieces =
        std::max<Index>(1, static_cast<Index>(work * static_cast<double>(columns) / backend_.piece() + 0.5));
    for (Index piece = 0; piece < pieces; ++piece) {
      const Index from = column + columns * piece / pieces, n = column + columns * (piece + 1) / pieces - from;
      if (n == 0) continue;
      const double begin = now_seconds();
      pulse_.at(Phase::row_exchange, j);
      if (p_.rows == 1) {
        backend_.gather(gather_, from, n);
        backend_.move_rows(moves_, from, n);
      } else {
        exchange_rows(from, n);
      }
      const double exchanged = now_seconds();
      pulse_.at(Phase::update, j);
      backend_.update(top, first, from, n);
      ring_.poll(static_cast<int>((j + 1) % 2));
      phases.exchange += exchanged - begin;
      phases.update += now_seconds() - exchanged;
    }
  }

  // U x = y, from the last block to the first. Each rank keeps the sum y - U x of its own columns for its rows; a
  // block's owner adds up those of its grid row. The block that is needed next is updated and sent before the rest.
  void back_substitution(std::vector<double>& x) {
    pulse_.at(Phase::back_substitution);
    x.assign(static_cast<std::size_t>(columns_.below(p_.n)), 0.0);
    std::vector<double> sum(static_cast<std::size_t>(row_count_)), part(static_cast<std::size_t>(p_.nb)),
        u(static_cast<std::size_t>(p_.nb * p_.nb));
    if (columns_.owner(p_.n) == grid_.my_column && row_count_ > 0)
      backend_.read_block(0, columns_.below(p_.n), row_count_, 1, sum.data(), row_count_);
    std::vector<MPI_Request> sends;
    const auto contribute = [&](Index k) {  // my sums of block k, to its owner
      if (k < 0 || !owns_row(k) || owns_column(k)) return;
      const Index row = rows_.below(begin_of(k));
      check(MPI_Isend(sum.data() + row, static_cast<int>(end_of(k) - begin_of(k)), MPI_DOUBLE,
                      columns_.owner(begin_of(k)), kSumTag, grid_.row, &sends.emplace_back()),
            "MPI_Isend");
    };
    const auto receive = [&](double* at, Index count, int from, int tag, MPI_Comm comm, int rank, Index k) {
      MPI_Request request = MPI_REQUEST_NULL;
      pulse_.at(Phase::back_substitution, k, rank);
      check(MPI_Irecv(at, static_cast<int>(count), MPI_DOUBLE, from, tag, comm, &request), "MPI_Irecv");
      wait_for(request, pulse_, "receiving unknowns");
    };
    contribute(blocks_ - 1);
    for (Index k = blocks_ - 1; k >= 0; --k) {
      const Index first = begin_of(k), width = end_of(k) - first, row = rows_.below(first),
                  column = columns_.below(first);
      if (!owns_column(k)) {
        contribute(k - 1);
        continue;
      }
      double* const xk = x.data() + column;
      if (owns_row(k)) {
        for (int c = 0; c < p_.columns; ++c) {
          if (c == grid_.my_column) continue;
          receive(part.data(), width, c, kSumTag, grid_.row, grid_.rank_of(grid_.my_row, c), k);
          for (Index i = 0; i < width; ++i) sum[static_cast<std::size_t>(row + i)] += part[static_cast<std::size_t>(i)];
        }
        backend_.read_block(row, column, width, width, u.data(), width);
        for (Index i = width - 1; i >= 0; --i) {
          double value = sum[static_cast<std::size_t>(row + i)];
          value /= u[static_cast<std::size_t>(i + i * width)];
          xk[i] = value;
          for (Index l = 0; l < i; ++l)
            sum[static_cast<std::size_t>(row + l)] -= u[static_cast<std::size_t>(l + i * width)] * value;
        }
        for (int r = 0; r < p_.rows; ++r) {
          if (r != grid_.my_row)
            check(
                MPI_Isend(xk, static_cast<int>(width), MPI_DOUBLE, r, kUnknownTag, grid_.column, &sends.emplace_back()),
                "MPI_Isend");
        }
      } else {
        receive(xk, width, rows_.owner(first), kUnknownTag, grid_.column,
                grid_.rank_of(rows_.owner(first), grid_.my_column), k);
      }
      const Index urgent =
          k > 0 ? rows_.below(begin_of(k - 1)) : row;  // row of my part of block k - 1, where I have one
      backend_.subtract_product(urgent, column, row - urgent, width, xk, sum.data() + urgent);
      contribute(k - 1);
      backend_.subtract_product(0, column, urgent, width, xk, sum.data());
    }
    for (MPI_Request& request : sends) wait_for(request, pulse_, "sending unknowns");
  }

  const Problem p_;
  const Grid& grid_;
  const std::shared_ptr<Blas> blas_;
  LocalPart& backend_;
  Pulse& pulse_;
  const std::function<void(double)> progress_;
  const Axis rows_, columns_;
  const Index row_count_, column_count_, blocks_;
  Ring ring_;
  std::unique_ptr<ColumnExchange> exchange_;
  const std::function<Array(std::size_t)> host_memory_;
  Panel panels_[2];
  // Of the current panel's exchanges, in local rows. One grid row: gather_ and moves_; several: lists by owner.
  std::vector<Move> gather_, moves_;
  std::vector<std::vector<Index>> sources_, source_rows_, targets_, target_rows_;
  int top_owner_ = 0;
  Array outgoing_, incoming_;
  Index outgoing_size_ = 0, incoming_size_ = 0;
};

Solver::Solver(const Problem& problem, const Grid& grid, std::shared_ptr<Blas> blas, LocalPart& backend, Pulse& pulse,
               std::function<void(double)> progress)
    : impl_(std::make_unique<Impl>(problem, grid, std::move(blas), backend, pulse, std::move(progress))) {}
Solver::~Solver() = default;
void Solver::fill() { impl_->fill(); }
Solution Solver::solve() { return impl_->solve(); }
Residual Solver::residual(const Solution& s) { return impl_->residual(s); }
double Solver::dgemm_seconds() { return impl_->dgemm_seconds(); }

}  // namespace clusterc::hpl
