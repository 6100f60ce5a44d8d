#include "mpi/gpus.h"

#include <numeric>

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

}  // namespace clusterc::mpi
