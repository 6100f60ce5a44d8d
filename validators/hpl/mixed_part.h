// Where a rank's part of A lives in the mixed-precision mode (mixed.h), in FP32 by columns, and is worked on. Rows and
// columns here are local. A back end may return before its work is done, but each call sees the effect of those before
// it, and what goes to host memory is there when the call returns.
//
// The panels of a step: `left`, the block column of L below the diagonal (its rows by a block's columns, in columns
// padded(rows) apart), and `upper`, the block row of U right of it (padded(width) apart), both rounded. Those of the
// next step are made while the present ones are still multiplied.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/blas.h"
#include "harness/report.h"
#include "hpl/memory.h"
#include "hpl/narrow.h"
#include "hpl/problem.h"

namespace clusterc::hpl {

struct Block {  // rows [row, row + rows), columns [column, column + columns)
  Index row = 0, rows = 0, column = 0, columns = 0;
  bool empty() const { return rows == 0 || columns == 0; }
};

class MixedPart {
 public:
  virtual ~MixedPart() = default;
  virtual harness::Device device() const = 0;
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const { return {}; }
  virtual double piece() const = 0;  // operations of an update between two looks at the next step
  virtual Array host_memory(std::size_t count) { return hpl::allocate(count); }  // for messages

  // Makes room. Throws bad_alloc or CouldNotRun(no_memory).
  virtual void allocate(const Problem&, Precision, const Axis& rows, const Axis& columns, Index row_count,
                        Index column_count) = 0;
  virtual void fill(Index column, Index columns) = 0;

  // A square that is read from here on is that of this moment: what follows need not be waited for.
  virtual void mark() {}
  // A square on the diagonal, `width` apart in host memory.
  virtual void read_square(Index row, Index column, Index width, float* out) = 0;

  // Host memory that was handed to load_… stays as it is until this returns.
  virtual void finish_loads() {}
  // L11 and U11 in one square, for those that follow.
  virtual void load_triangles(const float* square, Index width) = 0;
  virtual void keep_triangles(Index row, Index column) = 0;  // in the matrix
  // A := A U11^-1, kept, and rounded times `scale` to the next left panel.
  virtual void make_left(const Block&, float scale) = 0;
  // A := L11^-1 A, kept, and rounded to the next upper panel.
  virtual void make_upper(const Block&) = 0;
  // The next panels, to those who have not made them.
  virtual void read_left(Index rows, Index width, void* out) = 0;
  virtual void read_upper(Index width, Index columns, void* out) = 0;
  virtual void load_left(const void* in, Index rows, Index width) = 0;
  virtual void load_upper(const void* in, Index width, Index columns) = 0;
  // The next panels become the present ones, for the rows from first_row and the columns from first_column on.
  virtual void turn(Index first_row, Index first_column, Index width, float scale) = 0;
  // A -= L U with the present panels.
  virtual void update(const Block&) = 0;
  virtual double take_update_seconds() = 0;  // since the last time; waits for them

  // sum -= A x, both in host memory; in FP32.
  virtual void subtract_product(const Block&, const double* x, double* sum) = 0;
  // As LocalPart has it: FP64, of elements made anew.
  virtual void products(Index row, Index rows, const double* x, double* product, double* magnitude) = 0;
  // Seconds of one update of the whole matrix with panels of `width`. Destroys the matrix.
  virtual double time_gemm(Index width) = 0;
};

std::unique_ptr<MixedPart> mixed_host_part(std::shared_ptr<harness::Blas>);
class Accelerator;
std::unique_ptr<MixedPart> mixed_device_part(std::unique_ptr<Accelerator>, double piece);

}  // namespace clusterc::hpl
