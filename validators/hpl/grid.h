// The ranks of a process grid.
#pragma once
#include <mpi.h>

namespace clusterc::hpl {

// By rows of the grid: rank r stands in row r / Q, column r % Q.
struct Grid {
  MPI_Comm all = MPI_COMM_NULL;     // P x Q ranks; null on the ranks that stay outside
  MPI_Comm row = MPI_COMM_NULL;     // those of my grid row, by column
  MPI_Comm column = MPI_COMM_NULL;  // those of my grid column, by row
  int my_row = 0, my_column = 0, columns = 1;
  int rank_of(int row_index, int column_index) const { return row_index * columns + column_index; }
};
Grid make_grid(MPI_Comm, int rows, int columns);
void free_grid(Grid&);

}  // namespace clusterc::hpl
