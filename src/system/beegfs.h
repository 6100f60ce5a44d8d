// The servers of BeeGFS that the spec has: who runs which service, with which numbers, folders, networks and mirrors.
// Decided once, for the output beegfs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/finding.h"
#include "model/cluster.h"
#include "plan/plan.h"
#include "system/storage_targets.h"

namespace clusterc {

struct BeegfsServer {
  int group = -1;
  std::int64_t member = 0;
  std::int64_t id = 0;                                        // nodeNumID, among those of its service
  std::vector<std::pair<std::int64_t, std::string>> targets;  // number and folder; metadata: one, with the server's id
};

struct BeegfsServers {
  int storage = -1;
  bool seven = false;   // release 7.4: other names of some settings, beegfs-ctl in place of beegfs
  std::string manager;  // as the others are told: the `source`
  int manager_group = -1;
  std::int64_t manager_member = 0;
  std::string manager_folder, secret;
  std::vector<int> networks;         // of all servers, those for storage first
  std::vector<std::string> subnets;  // whom services may speak with
  bool rdma = false, mirrored = false, quotas = false;
  std::vector<BeegfsServer> metadata, data;
};

// The ports of BeeGFS's services (their configuration files of releases 7.4 and 8.3, which agree).
inline constexpr std::int64_t kBeegfsManagerPort = 8008, kBeegfsMetaPort = 8005, kBeegfsStoragePort = 8003,
                              kBeegfsClientPort = 8004, kBeegfsGrpcPort = 8010;

// nullopt: it is not BeeGFS with targets, or findings say what is missing.
std::optional<BeegfsServers> beegfs_servers(const Cluster&, const Plan&, int storage, Findings&);

}  // namespace clusterc
