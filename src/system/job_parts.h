// What the planner of jobs and the checks of jobs share; nobody else includes it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "spec/team.h"
#include "system/jobs.h"

namespace clusterc {

// Why this launcher cannot do what the plan has; empty: it can.
std::string cannot_split(JobLauncher, const Layout&, const Transformer&);
// File systems that all nodes of the group see at one place.
std::vector<const StorageModel*> shared_storage(const Cluster&, int group);
// Whole minutes, one at least.
std::optional<std::int64_t> minutes_of(const Value<Seconds>&);
std::optional<std::int64_t> limit_of(const Cluster&, int group);  // of all jobs there
// Nodes of a group that fit into a quota on it, of jobs that have whole nodes (`--exclusive`); nullopt: it says nothing
// of what these nodes have.
std::optional<std::int64_t> nodes_within(const QuotaAmount&, std::int64_t gpus, std::int64_t cores);
const QuotaAmount* quota_on(const Team&, std::string_view group);

}  // namespace clusterc
