#include "mpi/program.h"

#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/outcome.h"
#include "harness/run.h"

namespace clusterc::mpi {
using namespace harness;

namespace {

// What a launcher tells the ranks that it starts: MPICH's and Slurm's PMI, Open MPI's mpirun. (Slurm's own variables
// stand in a job's shell, too.)
struct LauncherWords {
  const char *launcher, *size, *rank;
};
constexpr LauncherWords kLaunchers[] = {{"MPICH's or Slurm's PMI", "PMI_SIZE", "PMI_RANK"},
                                        {"Open MPI's", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}};

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  int number = 0;
  if (text) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

// Each rank alone, as MPI starts what the launcher of another family started: figures of nothing. Only the first of
// them speaks.
std::optional<int> end_of_strangers(const Program& program, const Options& options, int ranks) {
  for (const LauncherWords& words : kLaunchers) {
    const int told = number_in(words.size);
    if (told <= ranks) continue;
    Reporter report(program, options, host_name(), write_to_stdout);
    if (number_in(words.rank) != 0) return static_cast<int>(Exit::could_not_run);
    report.header(utc_now());
    return static_cast<int>(report.error(
        Cause::communication,
        format("the launcher ({}) started {} ranks, MPI sees {}: it is of another MPI than this program was built with",
               words.launcher, told, ranks)));
  }
  return std::nullopt;
}

// Standard output may fail at any record: the others must not wait for a rank that has nobody to tell.
template <class Run>
int guarded(const Program& program, int ranks, const Run& run) {
  try {
    return run();
  } catch (const std::exception& e) {
    const int status = say_could_not_run(program, e.what());
    if (ranks > 1) MPI_Abort(MPI_COMM_WORLD, status);
    return status;
  }
}

}  // namespace

int run_rank_program(const RankProgram& p, int argc, char** argv) {
  // --help and --version answer without MPI: the handshake runs before any launcher does.
  const CommandLine line = parse_command_line(p.program, argc, argv);
  std::string wrong = line.error ? line.error->message : line.run && p.wrong_options ? p.wrong_options(*line.run) : "";
  ignore_what_writes_meet();
  if (!line.run && !line.error) return print_and_end(p.program, line.print);
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
    status = guarded(p.program, ranks, [&] {
      const std::optional<int> ended = end_of_strangers(p.program, *line.run, ranks);
      return ended ? *ended : p.run(*line.run);
    });
  }
  MPI_Finalize();
  return status;
}

int run_rank(Reporter& report, int rank, const std::function<bool(Cause)>& by_all, const std::function<void()>& body) {
  try {
    body();
    return static_cast<int>(rank == 0 ? report.done() : Exit::done);
  } catch (const std::bad_alloc&) {
    report.error(Cause::no_memory, format("rank {}: an allocation failed", rank));
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::could_not_run));
  } catch (const std::exception& any) {
    const CouldNotRun e = as_could_not_run(any);
    const bool all_ranks = by_all(e.cause());
    // A signal reaches all; where the launcher sends it because another rank has ended, that one has told the cause.
    if (rank == 0 || (!all_ranks && e.cause() != Cause::interrupted)) report.error(e.cause(), e.what());
    if (!all_ranks) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::could_not_run));
    return static_cast<int>(exit_of(e.cause()));
  }
  return static_cast<int>(Exit::could_not_run);
}

}  // namespace clusterc::mpi
