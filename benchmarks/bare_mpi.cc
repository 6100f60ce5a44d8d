// The patterns of clusterc-mpi as anybody would write them bare: no harness, no checks, a clock around the calls.
//   mpirun -n 2 bare_mpi PATTERN BYTES REPETITIONS WARMUP      pattern: pingpong, bandwidth, allreduce
// Rank 0 prints one line: the seconds of each repetition, of the slowest rank.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr int kWindow = 64,
              kLeast = 4;  // as osu_bw; fewer above 1 MiB, so that a window stays within 64 MiB, at least 4
int window_of(long bytes) {
  const long fit = (64l << 20) / bytes;
  return static_cast<int>(fit > kWindow ? kWindow : fit < kLeast ? kLeast : fit);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5 || ranks != 2) {
    if (rank == 0)
      std::fprintf(stderr, "usage: mpirun -n 2 bare_mpi pingpong|bandwidth|allreduce BYTES REPETITIONS WARMUP\n");
    MPI_Finalize();
    return 2;
  }
  const char* const pattern = argv[1];
  const long bytes = std::atol(argv[2]);
  const int repetitions = std::atoi(argv[3]), warmup = std::atoi(argv[4]), count = static_cast<int>(bytes),
            other = 1 - rank;
  const int window = std::strcmp(pattern, "bandwidth") == 0 ? window_of(bytes) : 1;
  std::vector<char> out(static_cast<std::size_t>(bytes)),
      in(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(window), 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<char>(i * 2654435761u >> 13);  // no zeros; 2^32 / golden ratio (Knuth, 6.4)
  std::vector<MPI_Request> requests(static_cast<std::size_t>(window));
  std::vector<double> seconds, slowest;
  for (int i = -warmup; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    if (std::strcmp(pattern, "pingpong") == 0) {
      if (rank == 0) {
        MPI_Send(out.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD);
        MPI_Recv(in.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(in.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      }
    } else if (std::strcmp(pattern, "bandwidth") == 0) {
      char answer = 0;
      for (int w = 0; w < window; ++w) {
        char* const slot = in.data() + static_cast<long>(w) * bytes;
        if (rank == 0)
          MPI_Isend(out.data(), count, MPI_BYTE, other, 2, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(w)]);
        else
          MPI_Irecv(slot, count, MPI_BYTE, other, 2, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(w)]);
      }
      MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
      if (rank == 0)
        MPI_Recv(&answer, 1, MPI_CHAR, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      else
        MPI_Send(&answer, 1, MPI_CHAR, other, 3, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(out.data(), in.data(), count / 4, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    }
    if (i >= 0) seconds.push_back(now() - begin);
  }
  slowest.resize(seconds.size());
  MPI_Reduce(seconds.data(), slowest.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (const double s : slowest) std::printf("%.9f ", s);
    std::printf("%d\n", window);
  }
  MPI_Finalize();
  return 0;
}
