#include "mpi/gpus.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <set>

#include "harness/gpu_users.h"
#include "harness/machine.h"
#include "harness/outcome.h"

namespace clusterc::mpi {

GpuChoice choose_gpu(const Job& job, const std::vector<std::string>& visible) {
  int local = 0, locals = 1;
  check(MPI_Comm_rank(job.node, &local), "MPI_Comm_rank");
  check(MPI_Comm_size(job.node, &locals), "MPI_Comm_size");
  std::string text;  // one UUID a line
  for (const std::string& uuid : visible) text += uuid + '\n';
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(locals)), begins(static_cast<std::size_t>(locals));
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, job.node), "MPI_Allgather");
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
  check(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, job.node),
        "MPI_Allgatherv");
  std::vector<std::vector<std::string>> of_all(static_cast<std::size_t>(locals));
  for (std::size_t rank = 0; rank < of_all.size(); ++rank) {
    std::string_view rest(all.data() + begins[rank], static_cast<std::size_t>(lengths[rank]));
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
      of_all[rank].emplace_back(rest.substr(0, end));
  }
  return harness::share_gpus(of_all)[static_cast<std::size_t>(local)];
}

void refuse_used_gpu(const Job& job, const harness::Options& options, int gpu, const std::string& uuid) {
  if (options.allow_busy) return;
  std::array<char, 512> text{};
  // A library of MPI that knows GPUs opens them when it starts, each rank those that it sees.
  int ranks_here = 1;
  check(MPI_Comm_size(job.node, &ranks_here), "MPI_Comm_size");
  std::vector<int> ours(static_cast<std::size_t>(ranks_here));
  const int me = ::getpid();
  check(MPI_Allgather(&me, 1, MPI_INT, ours.data(), 1, MPI_INT, job.node), "MPI_Allgather");
  const std::string users = harness::users_of_gpus({uuid}, gpu, std::set<unsigned>(ours.begin(), ours.end()));
  std::snprintf(text.data(), text.size(), "rank %d on '%s': other processes use the GPU: %s", job.rank,
                harness::host_name().c_str(), users.c_str());
  const int mine = users.empty() ? job.ranks : job.rank;
  int first = 0;
  check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
  if (first == job.ranks) return;
  check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, MPI_COMM_WORLD), "MPI_Bcast");
  throw harness::CouldNotRun(harness::Cause::busy, text.data());
}

}  // namespace clusterc::mpi
