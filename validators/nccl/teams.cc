#include "nccl/teams.h"

#include <algorithm>
#include <cstdio>

#include "base/format.h"
#include "base/host_pattern.h"
#include "harness/machine.h"
#include "harness/options.h"
#include "harness/outcome.h"

namespace clusterc::nccl {
using harness::Cause;
using harness::CouldNotRun;
using mpi::check;

bool parse_division(std::string_view text, Division& out) {
  if (text == "all") return true;
  if (text == "rail") return out.rail = true;
  const auto nodes = harness::parse_count(text);
  if (nodes) out.nodes = *nodes;
  return nodes.has_value();
}

namespace {

// The number of this rank's node, from 0 in the order of their first ranks.
int number_of_node(const mpi::Job& job, bool first) {
  const int leads = first ? 1 : 0;
  int before = 0;
  check(MPI_Exscan(&leads, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Exscan");
  int number = job.rank == 0 ? 0 : before;
  check(MPI_Bcast(&number, 1, MPI_INT, 0, job.node), "MPI_Bcast");
  return number;
}

}  // namespace

Teams::Teams(const mpi::Job& job, const Division& division) {
  int local = 0;
  check(MPI_Comm_rank(job.node, &local), "MPI_Comm_rank");
  const int node = number_of_node(job, local == 0);
  const int color = division.rail ? local : division.nodes > 0 ? node / static_cast<int>(division.nodes) : 0;
  number_ = static_cast<std::uint64_t>(color);
  check(MPI_Comm_split(MPI_COMM_WORLD, color, job.rank, &comm_), "MPI_Comm_split");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &ranks_), "MPI_Comm_size");
  check(MPI_Comm_split(MPI_COMM_WORLD, rank_ == 0 ? 0 : MPI_UNDEFINED, job.rank, &firsts_), "MPI_Comm_split");
  check(MPI_Allreduce(&ranks_, &most_ranks_, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");

  // The hosts of a team, told by the first of its ranks on each.
  constexpr int kName = 256;
  char name[kName] = {};
  int first_here = rank_, mine = rank_;  // on a rail each rank is alone on its node
  if (!division.rail) check(MPI_Allreduce(&mine, &first_here, 1, MPI_INT, MPI_MIN, job.node), "MPI_Allreduce");
  if (rank_ == first_here) std::snprintf(name, sizeof name, "%s", harness::host_name().c_str());
  std::vector<char> names(rank_ == 0 ? static_cast<std::size_t>(ranks_) * kName : 0);
  check(MPI_Gather(name, kName, MPI_CHAR, names.data(), kName, MPI_CHAR, 0, comm_), "MPI_Gather");
  std::vector<std::string> hosts;
  for (int r = 0; rank_ == 0 && r < ranks_; ++r)
    if (const char* host = names.data() + static_cast<std::size_t>(r) * kName; *host != '\0') hosts.emplace_back(host);
  std::string text = rank_ != 0 || division.whole() ? "" : division.rail ? format("rail {}", color) : fold_names(hosts);
  if (text.size() >= kName) text = format("{} and {} more", hosts.front(), hosts.size() - 1);
  std::snprintf(name, sizeof name, "%s", text.c_str());
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(ranks_), static_cast<std::uint64_t>(hosts.size())};
  const std::vector<std::uint64_t> all =
      gather(std::span<const std::uint64_t>(rank_ == 0 ? std::span(sizes) : std::span<const std::uint64_t>()));
  if (rank_ == 0) {
    std::vector<char> texts(job.rank == 0 ? all.size() / 2 * kName : 0);
    check(MPI_Gather(name, kName, MPI_CHAR, texts.data(), kName, MPI_CHAR, 0, firsts_), "MPI_Gather");
    for (std::size_t i = 0; job.rank == 0 && i < all.size() / 2; ++i)
      facts_.push_back({texts.data() + i * kName, all[2 * i], all[2 * i + 1]});
  }
  if (!for_all(ranks_ > 1))
    throw CouldNotRun(Cause::not_applicable,
                      "a team has one rank: nothing crosses a link (more ranks a node, or larger teams)");
}

Teams::~Teams() {
  if (firsts_ != MPI_COMM_NULL) MPI_Comm_free(&firsts_);
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

bool Teams::for_all(bool here) const {
  int mine = here ? 1 : 0, all = 0;
  check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
  return all != 0;
}

template <class T>
std::vector<T> Teams::gather_as(std::span<const T> of_first, MPI_Datatype type) const {
  if (firsts_ == MPI_COMM_NULL) return {};
  int rank = 0, teams = 1;
  check(MPI_Comm_rank(firsts_, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(firsts_, &teams), "MPI_Comm_size");
  const int count = static_cast<int>(of_first.size());
  std::vector<T> out(rank == 0 ? of_first.size() * static_cast<std::size_t>(teams) : 0);
  check(MPI_Gather(of_first.data(), count, type, out.data(), count, type, 0, firsts_), "MPI_Gather");
  return out;
}
std::vector<double> Teams::gather(std::span<const double> of_first) const { return gather_as(of_first, MPI_DOUBLE); }
std::vector<std::uint64_t> Teams::gather(std::span<const std::uint64_t> of_first) const {
  return gather_as(of_first, MPI_UINT64_T);
}

}  // namespace clusterc::nccl
