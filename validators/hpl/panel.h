// A panel: the block column that is factored next. Its owners (one process column) hold it in a buffer of its own, by
// columns, which is also the message that the other process columns receive:
//
//   header | pivots (width) | top: width x width, the same on every owner | below: this process row's rows under it
//
// `top` ends as L11 (unit, below the diagonal) and U11; `below` as the rows of L21 that this process row updates with.
#pragma once
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "harness/blas.h"
#include "hpl/layout.h"
#include "hpl/memory.h"
#include "hpl/problem.h"

namespace clusterc::hpl {

class Panel {
 public:
  static constexpr Index kHeader =
      8;  // doubles, one cache line: checksum, first column without a pivot, smallest pivot
  // `allocate`: where its memory comes from.
  explicit Panel(std::function<Array(std::size_t)> allocate = hpl::allocate) : allocate_(std::move(allocate)) {}
  // `first`: global index of its first column; `rows`: local rows below the diagonal block.
  void shape(Index first, Index width, Index rows);

  Index first() const { return first_; }
  Index width() const { return width_; }
  Index rows() const { return rows_; }
  Index ld() const { return padded(rows_); }
  Index length() const { return kHeader + width_ + width_ * width_ + ld() * width_; }  // doubles

  double* message() { return at_.get(); }
  const double* message() const { return at_.get(); }
  double* pivots() {
    return at_.get() + kHeader;
  }  // global row that column first + i exchanged with, as a double (exact below 2^53)
  Index pivot(Index i) const { return static_cast<Index>(at_[static_cast<std::size_t>(kHeader + i)]); }
  double* top() { return at_.get() + kHeader + width_; }
  const double* top() const { return at_.get() + kHeader + width_; }
  double* below() { return at_.get() + kHeader + width_ + width_ * width_; }
  const double* below() const { return at_.get() + kHeader + width_ + width_ * width_; }
  double& no_pivot() { return at_[1]; }        // first column whose pivot is zero, else -1
  double& smallest_pivot() { return at_[2]; }  // magnitude

  void seal();          // writes the checksum: the sum of all 64-bit words of the message modulo 2^64
  bool intact() const;  // one changed bit always changes the sum

 private:
  std::uint64_t sum() const;
  std::function<Array(std::size_t)> allocate_;
  Array at_;
  Index capacity_ = 0, first_ = 0, width_ = 0, rows_ = 0;
};

// The best pivot that one process, or several, found for a column, with its whole row.
struct Candidate {
  double magnitude = -1;  // negative: nothing there
  double row = -1;        // global; of equal magnitudes the smallest row wins
  bool better_than(const Candidate& other) const {
    return magnitude > other.magnitude || (magnitude == other.magnitude && row < other.row);
  }
};

// Agrees on a pivot among the processes that own the panel. In: this process's candidate and its row of `width`
// elements. Out: the winner's. With one process there is nothing to do.
class PivotExchange {
 public:
  virtual ~PivotExchange() = default;
  virtual void best(Candidate&, double* row, Index width) = 0;
};

// Factors `panel`, whose `top` and `below` hold the block column as it stands. `rows`: the axis of the matrix rows;
// exchange may be null where this process owns all of the panel.
void factor_panel(Panel& panel, const Axis& rows, const harness::Blas&, PivotExchange* exchange);

// What a panel's exchanges come to, taken together. Row first + i of the result was row source[i]; the others that
// changed, all outside the top, hold rows of the top now.
struct Permutation {
  std::vector<Index> source;                       // global row, for each row of the top
  std::vector<std::pair<Index, Index>> displaced;  // (global row outside the top, row of the top that went there)
};
Permutation permutation_of(const Panel&);

}  // namespace clusterc::hpl
