// What a client of Lustre, BeeGFS or NFS is told to mount, as a spec writes it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

// "10.3.0.5@o2ib,10.4.0.5@tcp1:10.3.0.6@o2ib:/scratch": NIDs of management servers, those of one server parted by
// commas, then the file system's name, and a folder in it (mount.lustre(8); Lustre Operations Manual, "Lustre
// networking": an LNet is tcp or o2ib and a number, tcp where none is written).
struct LustreNid {
  std::uint32_t address = 0;
  std::string net;
};  // 0: a host by name, which the client looks up
struct LustreSource {
  std::vector<LustreNid> nids;
};
std::optional<LustreSource> read_lustre_source(std::string_view, std::string& why);

// A host name or an IPv4 address.
bool is_mount_host(std::string_view);

// "filer:/vol/home", "/vol/home": a folder of an NFS server, whose host may stand in `servers`.
struct NfsSource {
  std::string host, folder;
};
std::optional<NfsSource> read_nfs_source(std::string_view, std::string& why);

}  // namespace clusterc
