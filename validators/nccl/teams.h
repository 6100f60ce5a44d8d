// Who works together in a collective: all ranks, those of a rail, or those of some nodes; every team at the same time.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/job.h"

namespace clusterc::nccl {

// How the ranks of a job are divided: "all"; "rail": the ranks that have the same place in their nodes; "2": those of
// two nodes that follow each other in the order of ranks, the last team with what is left. 1: inside each node.
struct Division {
  bool rail = false;
  unsigned nodes = 0;  // of a team; 0: all
  bool whole() const { return !rail && nodes == 0; }
};
bool parse_division(std::string_view text, Division& out);  // false: it is none of the three

struct TeamFacts {
  std::string name;  // "gpu[001-018]", "rail 3"; empty: all ranks
  std::uint64_t ranks = 0, nodes = 0;
};

class Teams {
 public:
  // Every rank of the job must call it. Throws CouldNotRun(not_applicable) where a team would have one rank.
  Teams(const mpi::Job&, const Division&);
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  MPI_Comm comm() const { return comm_; }  // of this rank's team
  int rank() const { return rank_; }       // in it
  int ranks() const { return ranks_; }
  std::uint64_t number() const { return number_; }                // of this rank's team, from 0: teams get other data
  int most_ranks() const { return most_ranks_; }                  // of the largest team
  const std::vector<TeamFacts>& facts() const { return facts_; }  // of all teams; on rank 0 of the job
  // Whether this is so for every team: the same answer on every rank of the job.
  bool for_all(bool here) const;
  // What the first rank of each team has, one behind the other in the order of facts(); on rank 0 of the job, elsewhere
  // nothing.
  std::vector<double> gather(std::span<const double> of_first) const;
  std::vector<std::uint64_t> gather(std::span<const std::uint64_t> of_first) const;

 private:
  template <class T>
  std::vector<T> gather_as(std::span<const T>, MPI_Datatype) const;

  MPI_Comm comm_ = MPI_COMM_NULL,
           firsts_ = MPI_COMM_NULL;  // firsts_: the first ranks of the teams; rank 0 of the job is rank 0 there
  int rank_ = 0, ranks_ = 1, most_ranks_ = 1;
  std::uint64_t number_ = 0;
  std::vector<TeamFacts> facts_;
};

}  // namespace clusterc::nccl
