#include "hpl/panel.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "hpl/kernels.h"

namespace clusterc::hpl {

void Panel::shape(Index first, Index width, Index rows) {
  first_ = first;
  width_ = width;
  rows_ = rows;
  if (length() <= capacity_) return;  // panels only shrink
  at_ = allocate_(static_cast<std::size_t>(length()));
  capacity_ = length();
}

// The checksum itself is the first word; the rest of the padding between columns is part of the message and never
// uninitialised.
std::uint64_t Panel::sum() const { return sum_words(at_.get() + 1, length() - 1); }
void Panel::seal() { at_[0] = std::bit_cast<double>(sum()); }
bool Panel::intact() const { return std::bit_cast<std::uint64_t>(at_[0]) == sum(); }

namespace {

// Columns up to which the panel is not split further: below it the calls of the BLAS cost more than they bring.
constexpr Index kLeaf = 16;

class Factoring {
 public:
  Factoring(Panel& panel, const Axis& axis, const harness::Blas& blas, PivotExchange* exchange)
      : panel_(panel),
        axis_(axis),
        blas_(blas),
        exchange_(exchange),
        width_(panel.width()),
        ld_(panel.ld()),
        rows_(panel.rows()),
        local_below_(axis.below(panel.first() + panel.width())),
        row_(static_cast<std::size_t>(width_)),
        old_(static_cast<std::size_t>(width_)) {}

  // Columns [c, c + w): left half, its effect on the right half, right half.
  void factor(Index c, Index w) {
    if (w <= kLeaf) {
      for (Index j = c; j < c + w; ++j) column(c, j);
      return;
    }
    const Index left = (w / 2 + kLeaf - 1) / kLeaf * kLeaf, right = w - left, middle = c + left;
    factor(c, left);
    const int ileft = static_cast<int>(left), iright = static_cast<int>(right), iwidth = static_cast<int>(width_),
              ild = static_cast<int>(ld_);
    const double one = 1, minus = -1;
    blas_.dtrsm("L", "L", "N", "U", &ileft, &iright, &one, top(c, c), &iwidth, top(c, middle), &iwidth);
    if (const int under = static_cast<int>(width_ - middle); under > 0) {
      blas_.dgemm("N", "N", &under, &iright, &ileft, &minus, top(middle, c), &iwidth, top(c, middle), &iwidth, &one,
                  top(middle, middle), &iwidth);
    }
    if (const int below_rows = static_cast<int>(rows_); below_rows > 0) {
      blas_.dgemm("N", "N", &below_rows, &iright, &ileft, &minus, below(c), &ild, top(c, middle), &iwidth, &one,
                  below(middle), &ild);
    }
    factor(middle, right);
  }

 private:
  double* top(Index i, Index j) { return panel_.top() + i + j * width_; }
  double* below(Index j) { return panel_.below() + j * ld_; }

  // Column j of a leaf that begins at column c: bring it up to date, find its pivot, exchange rows, divide.
  void column(Index c, Index j) {
    const Index k = j - c;
    for (Index i = c + 1; i < j; ++i) {  // the part of U above the diagonal
      for (Index l = c; l < i; ++l) *top(i, j) -= *top(i, l) * *top(l, j);
    }
    const Largest above = subtract_columns(top(j, j), top(j, c), width_, top(c, j), k, width_ - j);
    const Largest under = subtract_columns(below(j), below(c), ld_, top(c, j), k, rows_);

    // The row of the top is every owner's; of the rows below each owner has its own.
    const Index top_row = above.at < 0 ? j : j + above.at;
    Candidate best{.magnitude = above.magnitude, .row = static_cast<double>(panel_.first() + top_row)};
    Index from = -1;  // local row below
    if (under.at >= 0) {
      const Candidate other{.magnitude = under.magnitude,
                            .row = static_cast<double>(axis_.global(local_below_ + under.at))};
      if (other.better_than(best)) {
        best = other;
        from = under.at;
      }
    }
    const Candidate mine = best;
    for (Index l = 0; l < width_; ++l)
      row_[static_cast<std::size_t>(l)] = from >= 0 ? below(l)[from] : *top(top_row, l);
    if (exchange_) exchange_->best(best, row_.data(), width_);

    const auto pivot_row = static_cast<Index>(best.row);
    panel_.pivots()[j] = best.row;
    if (pivot_row != panel_.first() + j) {
      for (Index l = 0; l < width_; ++l) {
        old_[static_cast<std::size_t>(l)] = *top(j, l);
        *top(j, l) = row_[static_cast<std::size_t>(l)];
      }
      if (pivot_row < panel_.first() + width_) {
        for (Index l = 0; l < width_; ++l) *top(pivot_row - panel_.first(), l) = old_[static_cast<std::size_t>(l)];
      } else if (from >= 0 && best.row == mine.row) {
        for (Index l = 0; l < width_; ++l) below(l)[from] = old_[static_cast<std::size_t>(l)];
      }
    }
    const double pivot = *top(j, j);
    panel_.smallest_pivot() = std::min(panel_.smallest_pivot(), std::fabs(pivot));
    if (!(std::fabs(pivot) > 0)) {
      if (panel_.no_pivot() < 0) panel_.no_pivot() = static_cast<double>(panel_.first() + j);
      return;  // the column is zero (or holds NaNs only): nothing to divide
    }
    if (std::fabs(pivot) >= DBL_MIN) {
      scale(top(j, j) + 1, 1 / pivot, width_ - j - 1);
      scale(below(j), 1 / pivot, rows_);
    } else {  // the reciprocal would overflow
      for (Index i = j + 1; i < width_; ++i) *top(i, j) /= pivot;
      for (Index i = 0; i < rows_; ++i) below(j)[i] /= pivot;
    }
  }

  Panel& panel_;
  const Axis& axis_;
  const harness::Blas& blas_;
  PivotExchange* exchange_;
  const Index width_, ld_, rows_, local_below_;
  std::vector<double> row_, old_;
};

}  // namespace

void factor_panel(Panel& panel, const Axis& rows, const harness::Blas& blas, PivotExchange* exchange) {
  panel.no_pivot() = -1;
  panel.smallest_pivot() = std::numeric_limits<double>::infinity();
  Factoring(panel, rows, blas, exchange).factor(0, panel.width());
}

Permutation permutation_of(const Panel& panel) {
  const Index first = panel.first(), width = panel.width();
  Permutation out;
  out.source.resize(static_cast<std::size_t>(width));
  for (Index i = 0; i < width; ++i) out.source[static_cast<std::size_t>(i)] = first + i;
  std::vector<std::pair<Index, Index>> outside;  // (row, what it holds), in the order of first use
  for (Index i = 0; i < width; ++i) {
    const Index pivot = panel.pivot(i);
    Index& here = out.source[static_cast<std::size_t>(i)];
    if (pivot < first + width) {
      std::swap(here, out.source[static_cast<std::size_t>(pivot - first)]);
      continue;
    }
    auto at = std::ranges::find(outside, pivot, &std::pair<Index, Index>::first);
    if (at == outside.end()) at = outside.insert(outside.end(), {pivot, pivot});
    std::swap(here, at->second);
  }
  out.displaced = std::move(outside);
  return out;
}

}  // namespace clusterc::hpl
