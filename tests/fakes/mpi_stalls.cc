// In the place of MPI_Barrier, for tests alone: rank FAKE_MPI_STALLS never comes to its 40th barrier. It is no stopped
// process and no dead one: it sleeps, as a rank does whose device does not answer.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int MPI_Barrier(MPI_Comm team) {
  static int calls = 0;
  const char* const who = std::getenv("FAKE_MPI_STALLS");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (who && rank == std::atoi(who) && calls >= 40) pause();
  ++calls;
  return PMPI_Barrier(team);
}
