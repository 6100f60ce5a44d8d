// What a storage system can move: through its servers' ports, through its clients' ports, and by what its systems give.
#pragma once
#include <optional>
#include <string>

#include "model/cluster.h"
#include "model/group_ends.h"

namespace clusterc {

enum class HaMode;

// What headers leave of a link: 4,096 bytes of payload in 4,178 on the wire (RoCE v2 with preamble and gap 38, IPv4 20,
// UDP 8, BTH 12, ICRC 4). The highest published figures (49 of 50 GB/s) lie at it, over InfiniBand too.
constexpr double kPayloadShare = 0.98;

// How the service of a system survives the loss of a server: as `servers` says, else as the group of nodes does.
std::optional<HaMode> storage_ha(const Cluster&, const StorageModel&);
// Nodes of the serving group that serve at a time. Those of `active-passive` stand in pairs, one of each pair waits:
// neither its ports move anything nor do its drives hold more than the other's.
std::int64_t serving_nodes(const Cluster&, const StorageModel&);
// Drives of each serving node that data lies on.
std::int64_t data_drives(const Cluster&, const StorageModel&);

// Servers whose data lie on drives that each of them reaches (`shared`).
bool data_on_shared_drives(const Cluster&, const StorageModel&);
// Servers of a system that each have drives of their own, which nothing copies: what lies on one is gone when it is.
// File systems that spread copies over their servers by themselves, or are bought with their drives, are none of these.
bool data_on_single_servers(const Cluster&, const StorageModel&);

// The ends of the networks that its servers have, management ports among them, in the order of the networks.
std::vector<GroupEnd> ends_of_servers(const Cluster&, int storage);

struct StorageSide {
  std::string what, formula;  // "the servers' ports", "4 x 2 ports x 200 Gb/s x 0.98 / 8"
  BytesPerSecond carries{0};
  SourceSpan span;
};
std::optional<StorageSide> storage_servers_side(const Cluster&, int storage);
std::optional<StorageSide> storage_clients_side(const Cluster&, int storage);

// What the ports of one node of a group carry to and from the system.
std::optional<StorageSide> storage_node_side(const Cluster&, int storage, int group);

bool mounted_by(const Storage&, const NodeGroupModel&);
// The same without a look at all others, of a frozen cluster; ascending. Groups that mounted_by() is true of; storage
// that it is true of for a group, or that the group serves.
std::vector<int> groups_named_by(const Cluster&, const Storage&);
std::vector<int> storage_of_group(const Cluster&, int group);
const std::vector<int>& storage_served_by(const Cluster&, int group);
// A file system with a mount point on the nodes of these groups that compute; empty: nobody sees it as files.
std::vector<int> groups_that_mount(const Cluster&, int storage);

// The least of what is promised (else of what the systems bought give) and of what both sides carry; `from` names what
// decides. Nothing where neither a promise nor a system's figure is known.
struct StorageRate {
  BytesPerSecond rate{0};
  std::string from;  // "promised", "8 x ddn-ai400x2", "the servers' ports"
  SourceSpan span;
  bool confirmed = true;
};
enum class StorageDirection { read, write };
std::optional<StorageRate> storage_rate(const Cluster&, int storage, StorageDirection);

// Shared storage (neither local nor object) that every one of these groups mounts and that moves most; -1: none whose
// rate is known.
int fastest_shared_storage(const Cluster&, const std::vector<int>& groups, StorageDirection);

// Where a workload on these groups keeps its checkpoints: what it names (`checkpoint_to`), else the fastest that they
// share; -1: none whose rate is known.
int checkpoint_storage(const Cluster&, const Workload&, const std::vector<int>& groups, StorageDirection);

// Bytes that it can hold after its redundancy: of the systems bought, or of the serving nodes' drives; nothing where
// that is not known.
struct StorageRoom {
  Bytes bytes{0};
  std::string formula;  // "8 x 250 TB", "2 nodes x 92.16 TB x 8 / 10"
  SourceSpan span;
  bool confirmed = true;
};
std::optional<StorageRoom> storage_room(const Cluster&, int storage);

// "raid6 8+2", "erasure 8+2", "replica 3"; nothing for what is not understood.
struct Protection {
  enum class Kind { raid, erasure, replica } kind;
  std::int64_t data = 0, parity = 0;
  double share() const {
    return static_cast<double>(data) / static_cast<double>(data + parity);
  }  // of the raw bytes that hold data
};
std::optional<Protection> parse_protection(std::string_view);

}  // namespace clusterc
