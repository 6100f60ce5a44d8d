// What the nodes of a spec serve of Lustre or BeeGFS: the targets of each server, who takes a target over, and the
// addresses by which servers and clients know each other. Decided once, for the output lustre and for the
// mounts of clients.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/finding.h"
#include "model/cluster.h"
#include "plan/plan.h"

namespace clusterc {

// Whether it is Lustre or BeeGFS, the spec has the targets of this storage, and nodes that serve them.
bool has_targets(const StorageModel&);
// Whether nodes of the group serve a part of it: its data, its metadata or its management. No client is mounted there.
bool serves(const Cluster&, const StorageModel&, int group);
// The groups that do, ascending.
std::vector<int> server_groups(const Cluster&, const StorageModel&);

struct StorageTarget {
  enum class Kind : std::uint8_t { management, metadata, data } kind = Kind::management;
  std::int64_t index = 0;  // among those of its kind
  std::string path;
  int group = -1;
  std::int64_t member = 0;    // the server that it runs on
  std::int64_t partner = -1;  // member that takes it over; -1: none
};
// In the order of the kinds, then of the servers. With `ha`, servers of Lustre stand in pairs (the first two, the next
// two, …), and the paths are those of a pair: both servers have each of them. `active-active` deals them out, the first
// to the first server; `active-passive` has all on the first. What the spec says badly is reported, and has no targets.
std::vector<StorageTarget> storage_targets(const Cluster&, int storage, Findings&);

// "/dev/mapper/ost[0-3]" -> its four paths; nullopt: `why`. At most kMostPaths of plain characters.
constexpr std::size_t kMostPaths = 1024;
std::optional<std::vector<std::string>> target_paths(std::string_view, std::string& why);

// Lustre: what servers and clients share.
struct LustreServers {
  std::string name;                               // of the file system
  std::vector<std::pair<std::string, int>> nets;  // LNets of the `source`, each with its network
  std::vector<std::string> managers;              // NIDs of each management server: "10.3.0.5@o2ib,10.4.0.5@tcp"
  std::vector<StorageTarget> targets;
};
// nullopt: it is not Lustre with targets, or findings say why there can be none.
std::optional<LustreServers> lustre_servers(const Cluster&, const Plan&, int storage, Findings&);
// NIDs of one server in these LNets, separated by commas.
std::string lustre_nids(const Cluster&, const Plan&, const LustreServers&, int group, std::int64_t member);
// "MGS", "scratch-MDT0000", "scratch-OST000a"
std::string lustre_label(const LustreServers&, const StorageTarget&);

// Says which targets, striping and quotas of teams no output uses.
void check_targets(const Cluster&, Findings&);

}  // namespace clusterc
