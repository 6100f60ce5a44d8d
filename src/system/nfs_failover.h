// NFS of two servers over drives that both reach: one serves, Pacemaker starts the other one in its place. What the
// pair is made of is decided here; the output nfs writes it, the plays bring it to the servers.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "system/file_systems.h"
#include "system/system.h"

namespace clusterc {

struct NfsFailover {
  int storage = -1, group = -1;
  int network = -1;  // that has the address
  std::uint32_t address = 0;
  int prefix = 0;  // length of the network's subnet
  DataDrives drives;
  // Stable: the same for a spec of this name, whatever machine compiles it, after every new installation of a server.
  std::string file_system_uuid, array_uuid;  // as XFS and as MD write them
  std::string user, password_file;           // the BMCs'
  struct Server {
    std::string name;
    std::vector<std::uint32_t> links;  // its address in each network that both are in
    std::uint32_t bmc = 0;
  };
  std::array<Server, 2> servers;
};

// In the order of the storage; without those that check_nfs_failover() has an error for.
const std::vector<NfsFailover>& nfs_failovers(const System&);
// Of a group of servers; null: none of it fails over.
const NfsFailover* nfs_failover_of(const System&, int group);

// Says what is missing before a pair can fail over, or what would destroy its data.
void check_nfs_failover(const System&, Findings&);

}  // namespace clusterc
