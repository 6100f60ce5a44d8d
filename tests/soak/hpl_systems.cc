// Solves many small systems with the hpl validator's solver on grids of 1 to 8 ranks, and holds every solution against
// LAPACK:
//   mpirun -n 8 hpl_systems CASES [SEED [device] [fp32|bf16|fp16]]
// With `device` the matrix lies in a fake accelerator (fakes/accelerator.h) and the solver takes the order that it
// takes with GPUs; with a precision it is the solver of the mixed-precision mode, whose matrix has sqrt(N) added on its
// diagonal where it is not a singular one. Every rank solves with those of its grid; rank 0 solves alone with LAPACK's
// dgesv, which shares no code with ours, checks
//   the solution   ||x - x'|| / ||x'|| <= 4 N eps / rcond, rcond by dgecon: two backward stable solutions differ by no
//   more
//                  (N. J. Higham, "Accuracy and stability of numerical algorithms", 2nd ed., 2002, theorems 9.4 and 7.2
//                  with the growth that random matrices have);
//   the residual   recomputed in extended precision, below HPL's 16;
// and that matrices without an inverse are reported. In mixed precision a matrix that no pivots are needed for passes
// in few steps, with factors as good as their precision. Exit status 0: all agreed.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "fakes/accelerator.h"
#include "hpl/mixed.h"
#include "hpl/solver.h"

namespace clusterc::hpl {
namespace {

using Dgesv = void(const int* n, const int* nrhs, double* a, const int* lda, int* pivots, double* b, const int* ldb,
                   int* info);
using Dgecon = void(const char* norm, const int* n, const double* a, const int* lda, const double* anorm, double* rcond,
                    double* work, int* iwork, int* info);
using Dlange = double(const char* norm, const int* m, const int* n, const double* a, const int* lda, double* work);

struct Lapack {
  Dgesv* dgesv = nullptr;
  Dgecon* dgecon = nullptr;
  Dlange* dlange = nullptr;
};

struct Reference {
  std::vector<double> x;
  double rcond = 0;
};

std::vector<double> matrix_of(const Problem& p) {
  std::vector<double> a(static_cast<std::size_t>(p.n * p.n));
  for (Index j = 0; j < p.n; ++j) {
    for (Index i = 0; i < p.n; ++i) a[static_cast<std::size_t>(i + j * p.n)] = p.element(i, j);
  }
  return a;
}

Reference solve_alone(const Lapack& lapack, const Problem& p) {
  Reference out;
  std::vector<double> a = matrix_of(p), work(static_cast<std::size_t>(4 * p.n));
  std::vector<int> pivots(static_cast<std::size_t>(p.n));
  for (Index i = 0; i < p.n; ++i) out.x.push_back(p.element(i, p.n));
  const int n = static_cast<int>(p.n), one = 1;
  int info = 0;
  const double norm = lapack.dlange("I", &n, &n, a.data(), &n, work.data());
  lapack.dgesv(&n, &one, a.data(), &n, pivots.data(), out.x.data(), &n, &info);
  if (info == 0) lapack.dgecon("I", &n, a.data(), &n, &norm, &out.rcond, work.data(), pivots.data(), &info);
  return out;
}

double scaled_residual(const Problem& p, const std::vector<double>& x) {
  long double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
  for (Index i = 0; i < p.n; ++i) {
    long double sum = p.element(i, p.n), size = 0;
    norm_b = std::max<long double>(norm_b, std::fabs(p.element(i, p.n)));
    for (Index j = 0; j < p.n; ++j) {
      sum -= static_cast<long double>(p.element(i, j)) * x[static_cast<std::size_t>(j)];
      size += std::fabs(p.element(i, j));
    }
    if (!(std::fabs(sum) <= worst)) worst = std::fabs(sum);
    norm_a = std::max(norm_a, size);
    norm_x = std::max<long double>(norm_x, std::fabs(x[static_cast<std::size_t>(i)]));
  }
  return static_cast<double>(worst / (0x1p-53L * (norm_a * norm_x + norm_b) * static_cast<long double>(p.n)));
}

// How the systems are solved.
struct Mode {
  bool device = false;
  std::optional<Precision> precision;  // mixed
};

// Small pieces, so that there are several; every third accelerator is as late as it may be, the others by chance.
constexpr double kPiece = 50'000;
std::unique_ptr<Accelerator> fake(const Problem& p, const std::shared_ptr<harness::Blas>& blas) {
  return std::make_unique<FakeAccelerator>(blas, p.seed % 3 == 0 ? 0 : p.seed);
}

// What is wrong with the factors: they leave of b what rounding makes of them, no more and no less. Those of a few
// blocks are hardly rounded.
std::string wrong_factors(const Problem& p, Precision precision, const MixedSolution& s) {
  if (!(s.left_by_factors < most_left(precision, p.n))) return format("the factors leave {} of b", s.left_by_factors);
  if (p.n >= 4 * p.nb && p.n >= 64 && precision != Precision::fp32 &&
      s.left_by_factors < half_last_place(precision) / 64)
    return format("the factors leave {} of b, too little for their precision", s.left_by_factors);
  if (s.steps > 7) return format("{} steps of refinement", s.steps);
  return {};
}

// What went wrong, on rank 0; empty on the others.
std::string one_case(const Problem& p, const std::shared_ptr<harness::Blas>& blas, const Lapack& lapack, int rank,
                     int solves, const Mode& mode) {
  Pulse pulse;
  Grid grid = make_grid(MPI_COMM_WORLD, p.rows, p.columns);
  std::vector<double> x(static_cast<std::size_t>(p.n)), all(x.size());
  Solution solution;
  MixedSolution mixed;
  Residual residual;
  if (grid.all != MPI_COMM_NULL && mode.precision) {
    const auto part = mode.device ? mixed_device_part(fake(p, blas), kPiece) : mixed_host_part(blas);
    MixedSolver solver(p, *mode.precision, grid, blas, *part, pulse);
    for (int i = 0; i < solves; ++i) mixed = solver.solve();
    residual = solver.residual(mixed);
    solution.x = mixed.x;
    solution.no_pivot = mixed.no_pivot;
    solution.damage.damaged = mixed.damaged;
  } else if (grid.all != MPI_COMM_NULL) {
    const auto part = mode.device ? device_part(fake(p, blas), kPiece) : host_part(blas);
    Solver solver(p, grid, blas, *part, pulse);
    for (int i = 0; i < solves; ++i) {
      solver.fill();
      solution = solver.solve();
    }
    residual = solver.residual(solution);
  }
  if (grid.all != MPI_COMM_NULL) {
    const Axis columns{.nb = p.nb, .parts = p.columns, .me = grid.my_column};
    for (std::size_t i = 0; i < solution.x.size() && grid.my_row == 0; ++i)
      x[static_cast<std::size_t>(columns.global(static_cast<Index>(i)))] = solution.x[i];
  }
  free_grid(grid);
  MPI_Reduce(x.data(), all.data(), static_cast<int>(p.n), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return {};

  if (p.kind != MatrixKind::random) {
    if (solution.no_pivot >= 0) return {};
    if (mode.precision)
      return residual.scaled < kThreshold ? format("a singular matrix was solved, residual {}", residual.scaled)
                                          : std::string();
    if (solution.smallest_pivot <= 0x1p-53 * static_cast<double>(p.n) * residual.norm_a)
      return {};  // as hpl.cc calls it singular
    return format("a singular matrix was not noticed, its smallest pivot is {}", solution.smallest_pivot);
  }
  if (solution.no_pivot >= 0) return format("no pivot in column {} of a matrix that has an inverse", solution.no_pivot);
  if (solution.damage.damaged > 0) return format("{} panels arrived changed", solution.damage.damaged);
  const double own = scaled_residual(p, all);
  if (!(own < kThreshold) || !(residual.scaled < kThreshold) || residual.wrong_rows != 0)
    return format("residual {} ({} by the solver, {} rows wrong)", own, residual.scaled, residual.wrong_rows);
  if (mode.precision) {
    if (const std::string wrong = wrong_factors(p, *mode.precision, mixed); !wrong.empty()) return wrong;
  }
  const Reference reference = solve_alone(lapack, p);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    difference = std::max(difference, std::fabs(all[i] - reference.x[i]));
    size = std::max(size, std::fabs(reference.x[i]));
  }
  const double allowed = (mode.precision ? 4 + kThreshold : 4) * static_cast<double>(p.n) * 0x1p-53 /
                         reference.rcond;  // refinement ends where the test passes
  if (!(difference <= allowed * size))
    return format("differs from LAPACK by {} of {}, allowed {}", difference / size, size, allowed);
  return {};
}

Problem draw(std::uint64_t seed, std::uint64_t index, int ranks) {
  auto below = [&, draws = std::uint64_t{0}](std::uint64_t limit) mutable {
    return static_cast<Index>(harness::random_bits(harness::stream_seed(seed, index), draws++) % limit);
  };
  constexpr Index kPrimes[] = {2, 3, 7, 31, 97, 101, 193, 257, 331};
  Problem p;
  // Orders of every size alike: 1, 2 to 3, 4 to 7, ... 256 to 511; every fourth is a prime.
  const Index octave = below(9);
  p.n = (Index{1} << octave) + below(std::uint64_t{1} << octave);
  if (index % 4 == 1) p.n = kPrimes[below(std::size(kPrimes))];
  // Blocks of one column up to more than the matrix.
  const Index choice = below(8);
  p.nb = choice == 0   ? 1 + below(3)
         : choice == 1 ? p.n + below(20)
                       : 1 + below(static_cast<std::uint64_t>(std::min<Index>(p.n, 96)));
  if (p.n > 128) p.nb = std::max<Index>(p.nb, 4);  // a block column costs messages
  do {
    p.rows = 1 + static_cast<int>(below(static_cast<std::uint64_t>(ranks)));
    p.columns = 1 + static_cast<int>(below(static_cast<std::uint64_t>(ranks)));
  } while (p.rows * p.columns > ranks);
  p.seed = harness::stream_seed(seed, index ^ 0x5eed);
  if (index % 10 == 9) p.kind = static_cast<MatrixKind>(1 + below(3));
  if (p.kind == MatrixKind::equal_rows && p.n == 1) p.kind = MatrixKind::zero;
  return p;
}

int run(int cases, std::uint64_t seed, const Mode& mode) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto blas = std::make_shared<harness::Blas>(1);
  std::string why;
  const auto library = harness::Library::open({"liblapack.so.3"}, why);
  Lapack lapack;
  if (library)
    lapack = {library->symbol<Dgesv>("dgesv_"), library->symbol<Dgecon>("dgecon_"), library->symbol<Dlange>("dlange_")};
  if (!lapack.dgesv || !lapack.dgecon || !lapack.dlange) {
    if (rank == 0) std::printf("skipped: no LAPACK to compare with: %s\n", why.c_str());
    const char* ci = std::getenv("CI");  // scripts/test brings it
    return ci && *ci ? 1 : 77;
  }
  std::vector<Problem> problems = {{.n = 1, .nb = 1},
                                   {.n = 1, .nb = 64, .rows = 1, .columns = ranks},
                                   {.n = 1, .nb = 1, .rows = ranks},
                                   {.n = 5, .nb = 64, .rows = 1, .columns = ranks},
                                   {.n = 64, .nb = 64, .rows = ranks},
                                   {.n = 128, .nb = 32, .rows = 1, .columns = ranks},
                                   {.n = 97, .nb = 1, .rows = 1, .columns = ranks},
                                   {.n = 331, .nb = 48, .rows = ranks},
                                   {.n = 300, .nb = 300, .rows = ranks},
                                   {.n = 1, .nb = 1, .kind = MatrixKind::zero},
                                   {.n = 50, .nb = 8, .rows = 1, .columns = ranks, .kind = MatrixKind::zero_column},
                                   {.n = 50, .nb = 8, .rows = ranks, .kind = MatrixKind::equal_rows}};
  for (std::uint64_t i = problems.size(); i < static_cast<std::uint64_t>(cases); ++i)
    problems.push_back(draw(seed, i, ranks));
  problems.resize(static_cast<std::size_t>(cases));
  int failed = 0, singular = 0;
  bool grids[9][9] = {};
  for (Problem& p : problems) {
    if (mode.precision && p.kind == MatrixKind::random) p.diagonal = std::sqrt(static_cast<double>(p.n));
    const std::string wrong = one_case(p, blas, lapack, rank, p.n < 64 ? 2 : 1, mode);
    singular += p.kind != MatrixKind::random;
    if (p.rows < 9 && p.columns < 9) grids[p.rows][p.columns] = true;
    if (wrong.empty()) continue;
    ++failed;
    std::printf("N %lld NB %lld %d x %d kind %d seed %llu: %s\n", static_cast<long long>(p.n),
                static_cast<long long>(p.nb), p.rows, p.columns, static_cast<int>(p.kind),
                static_cast<unsigned long long>(p.seed), wrong.c_str());
  }
  if (rank == 0) {
    int kinds = 0;
    for (const auto& row : grids) kinds += static_cast<int>(std::count(std::begin(row), std::end(row), true));
    std::printf("%d systems on %d different grids of 1 to %d ranks (%d singular): %d failed\n", cases, kinds, ranks,
                singular, failed);
  }
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace clusterc::hpl

int main(int argc, char** argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  MPI_Init(&argc, &argv);
  clusterc::hpl::Mode mode;
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "device")
      mode.device = true;
    else
      mode.precision = clusterc::hpl::precision_of(word);
  }
  const int status =
      clusterc::hpl::run(argc > 1 ? std::atoi(argv[1]) : 200, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1, mode);
  MPI_Finalize();
  return status;
}
