#include "mpi/program.h"

#include <mpi.h>

#include <cstdio>
#include <new>

#include "base/format.h"
#include "harness/outcome.h"
#include "harness/loop.h"

namespace clusterc::mpi {
using namespace harness;

int run_rank_program(const RankProgram& p, int argc, char** argv) {
  // --help and --version answer without MPI: the handshake runs before any launcher does.
  const CommandLine line = parse_command_line(p.program, argc, argv);
  std::string wrong = line.error ? line.error->message : line.run && p.wrong_options ? p.wrong_options(*line.run) : "";
  if (!line.run && !line.error) {
    write_to_stdout(line.print);
    return static_cast<int>(Exit::done);
  }
  catch_signals();
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return static_cast<int>(Exit::could_not_run);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (wrong.empty() && p.wrong_shape) wrong = p.wrong_shape(*line.run, static_cast<unsigned>(ranks));
  int status = static_cast<int>(Exit::could_not_run);
  if (!wrong.empty()) {
    if (rank == 0) std::fprintf(stderr, "clusterc-%s: error: %s\n", std::string(p.program.name).c_str(), wrong.c_str());
  } else {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    status = p.run(*line.run);
  }
  MPI_Finalize();
  return status;
}

int run_rank(Reporter& report, int rank, const std::function<bool(Cause)>& by_all, const std::function<void()>& body) {
  try {
    body();
    return static_cast<int>(rank == 0 ? report.done() : Exit::done);
  } catch (const CouldNotRun& e) {
    const bool all_ranks = by_all(e.cause());
    // A signal reaches all; where the launcher sends it because another rank has ended, that one has told the cause.
    if (rank == 0 || (!all_ranks && e.cause() != Cause::interrupted)) report.error(e.cause(), e.what());
    if (!all_ranks) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::could_not_run));
    return static_cast<int>(exit_of(e.cause()));
  } catch (const std::bad_alloc&) {
    report.error(Cause::no_memory, format("rank {}: an allocation failed", rank));
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::could_not_run));
  }
  return static_cast<int>(Exit::could_not_run);
}

}  // namespace clusterc::mpi
