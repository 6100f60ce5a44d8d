// In the place of MPI_Barrier, for tests alone: rank FAKE_MPI_STALLS does not come back from its 40th barrier, which
// all others leave. It is no stopped process and no dead one: it sleeps, as a rank does whose device does not answer.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int MPI_Barrier(MPI_Comm team) {
  static int calls = 0;
  const char* const who = std::getenv("FAKE_MPI_STALLS");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int result = PMPI_Barrier(team);
  while (who && rank == std::atoi(who) && calls >= 40) pause();
  ++calls;
  return result;
}
