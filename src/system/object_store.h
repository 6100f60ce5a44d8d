// Object stores that the spec has, by the protocol S3, and what is copied there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/finding.h"
#include "model/cluster.h"
#include "plan/plan.h"

namespace clusterc {

struct ObjectStore {
  int storage = -1;
  std::string name, end_point, bucket, credentials;
  std::vector<int> groups;  // that reach it
  // What is copied: `from` empty: nothing. By the first node of the first group.
  std::string from, mount, prefix;                     // prefix: in the bucket
  std::int64_t every_seconds = 0, kib_per_second = 0;  // 0: no limit
};

// Whether the spec says how it is reached.
bool is_reached(const StorageModel&);
// nullopt: it is none, or findings say what is missing.
std::optional<ObjectStore> object_store(const Cluster&, const Plan&, int storage, Findings&);

}  // namespace clusterc
