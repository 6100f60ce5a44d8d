#include "hpl/grid.h"

#include "mpi/job.h"

namespace clusterc::hpl {
using mpi::check;

Grid make_grid(MPI_Comm job, int rows, int columns) {
  Grid grid{.columns = columns};
  int rank = 0;
  check(MPI_Comm_rank(job, &rank), "MPI_Comm_rank");
  const bool inside = rank < rows * columns;
  check(MPI_Comm_split(job, inside ? 0 : MPI_UNDEFINED, rank, &grid.all), "MPI_Comm_split");
  if (!inside) return grid;
  grid.my_row = rank / columns;
  grid.my_column = rank % columns;
  check(MPI_Comm_split(grid.all, grid.my_row, grid.my_column, &grid.row), "MPI_Comm_split");
  check(MPI_Comm_split(grid.all, grid.my_column, grid.my_row, &grid.column), "MPI_Comm_split");
  for (const MPI_Comm comm : {grid.all, grid.row, grid.column})
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return grid;
}

void free_grid(Grid& grid) {
  for (MPI_Comm* comm : {&grid.row, &grid.column, &grid.all}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

}  // namespace clusterc::hpl
