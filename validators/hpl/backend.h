// Where a rank's part of [A b] lives and is worked on. Rows and columns here are local; rows are exchanged far more
// often than columns are read, so a back end stores by rows. A back end may return before its work is done, but each
// call sees the effect of those before it, and what goes to host memory is there when the call returns.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/blas.h"
#include "harness/report.h"
#include "hpl/panel.h"

namespace clusterc::hpl {

struct Move {
  Index from, to;
};

class LocalPart {
 public:
  virtual ~LocalPart() = default;
  virtual harness::Device device() const = 0;
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const {
    return {};
  }  // beside those of the host's BLAS
  // Whether an update goes on while the host does something else: then the next panel is factored after the whole
  // update was asked for.
  virtual bool works_alongside() const { return false; }
  virtual double piece() const = 0;  // operations of an update between two looks at the messages
  virtual Array host_memory(std::size_t count) { return hpl::allocate(count); }  // for panels and messages

  // Makes room for rows x columns of the problem. Throws bad_alloc or CouldNotRun(no_memory).
  virtual void allocate(const Problem&, const Axis& rows, const Axis& columns, Index row_count, Index column_count) = 0;
  virtual void fill(Index row, Index rows) = 0;  // rows [row, row + rows)

  // Blocks that are read from here on, until a panel is loaded, are those of this moment: what follows need not be
  // waited for.
  virtual void mark() {}
  // A block, to host memory by columns.
  virtual void read_block(Index row, Index column, Index rows, Index columns, double* out, Index ld) = 0;

  // The panel that the following calls use; it stays unchanged until the next one.
  virtual void load_panel(const Panel&) = 0;
  // The upper triangle of its top, with the diagonal, into the matrix.
  virtual void write_upper(Index row, Index column) = 0;
  // Rows of the columns [column, column + columns): into the block row U (as wide as the panel, one row for each of its
  // columns), within the matrix (no row is both source and target), and to and from host memory, packed.
  virtual void gather(std::span<const Move>, Index column, Index columns) = 0;
  virtual void move_rows(std::span<const Move>, Index column, Index columns) = 0;
  virtual void pack(std::span<const Index> rows, Index column, Index columns, double* out) = 0;
  virtual void unpack_to_u(std::span<const Index> rows_of_u, Index column, Index columns, const double* in) = 0;
  virtual void unpack_to_matrix(std::span<const Index> rows, Index column, Index columns, const double* in) = 0;
  // U := L11^-1 U, kept in the rows that begin at `top_row` unless that is negative; then the rows from `first_row` on
  // -= L21 U.
  virtual void update(Index top_row, Index first_row, Index column, Index columns) = 0;

  // Seconds of the updates since the last time, where the device has a clock of its own; waits for them.
  virtual std::optional<double> take_update_seconds() { return std::nullopt; }

  // sum -= block * x, both in host memory.
  virtual void subtract_product(Index row, Index column, Index rows, Index columns, const double* x, double* sum) = 0;
  // Of the problem's own elements, made anew: for local rows [row, row + rows), sums over the local columns of A (not
  // b) of element * x and of |element|.
  virtual void products(Index row, Index rows, const double* x, double* product, double* magnitude) = 0;
  // Seconds of one update of all rows by all columns with inner length `width`, as DGEMM does it. Destroys the matrix.
  virtual double time_dgemm(Index width) = 0;
};

std::unique_ptr<LocalPart> host_part(std::shared_ptr<harness::Blas>);
// In the memory of a device (accelerator.h), whose updates are looked after every `piece` operations.
class Accelerator;
std::unique_ptr<LocalPart> device_part(std::unique_ptr<Accelerator>, double piece);

}  // namespace clusterc::hpl
