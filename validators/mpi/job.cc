#include "mpi/job.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/format.h"
#include "harness/machine.h"
#include "harness/outcome.h"

namespace clusterc::mpi {
using namespace harness;

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw CouldNotRun(Cause::communication,
                    format("{}: {}", call, std::string_view(text, static_cast<std::size_t>(length))));
}

Job describe_job() {
  Job job;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &job.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &job.ranks), "MPI_Comm_size");
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job.rank, MPI_INFO_NULL, &job.node),
        "MPI_Comm_split_type");
  int local = 0, locals = 1;
  MPI_Comm_rank(job.node, &local);
  MPI_Comm_size(job.node, &locals);
  int leader = local == 0 ? 1 : 0;
  check(MPI_Allreduce(&leader, &job.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");

  constexpr std::size_t kMaskBytes = 8192 / 8;  // as allowed_cpus()
  std::vector<unsigned char> mask(kMaskBytes), all(kMaskBytes);
  for (const int cpu : allowed_cpus())
    mask[static_cast<std::size_t>(cpu) / 8] |= static_cast<unsigned char>(1u << (cpu % 8));
  check(MPI_Allreduce(mask.data(), all.data(), static_cast<int>(kMaskBytes), MPI_UNSIGNED_CHAR, MPI_BOR, job.node),
        "MPI_Allreduce");
  for (int cpu = 0; cpu < static_cast<int>(kMaskBytes * 8); ++cpu) {
    if (all[static_cast<std::size_t>(cpu) / 8] >> (cpu % 8) & 1) job.node_cpus.insert(cpu);
  }
  int crowded = locals > static_cast<int>(job.node_cpus.size()) ? 1 : 0, any = 0;
  check(MPI_Allreduce(&crowded, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  job.oversubscribed = any != 0;

  constexpr int kName = 256, kFew = 16;
  char name[kName] = {};
  if (local == 0) std::snprintf(name, sizeof name, "%s", host_name().c_str());
  std::vector<char> names(job.rank == 0 ? static_cast<std::size_t>(job.ranks) * kName : 0);
  check(MPI_Gather(name, kName, MPI_CHAR, names.data(), kName, MPI_CHAR, 0, MPI_COMM_WORLD), "MPI_Gather");
  if (job.rank == 0 && job.nodes <= kFew) {
    for (int rank = 0; rank < job.ranks; ++rank) {
      const char* const host = names.data() + static_cast<std::size_t>(rank) * kName;
      if (*host != '\0') job.hosts += format("{}{}", job.hosts.empty() ? "" : ",", host);
    }
  }
  return job;
}

std::optional<double> worst_share(const LoadMeter& meter, const Job& job) {
  double own = meter.own_seconds(), node_own = 0;
  check(MPI_Allreduce(&own, &node_own, 1, MPI_DOUBLE, MPI_SUM, job.node), "MPI_Allreduce");
  double share = meter.share(node_own).value_or(-1), worst = -1;
  check(MPI_Allreduce(&share, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return worst < 0 ? std::nullopt : std::optional(worst);
}

bool is_last(const Loop& loop, std::size_t done, double begin) {
  if (loop.seconds <= 0) return done + 1 >= loop.iterations;
  int last = done + 1 >= Loop::kMost || (done + 1 >= Loop::kFewest && now_seconds() - begin >= loop.seconds);
  check(MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return last != 0;
}

}  // namespace clusterc::mpi
