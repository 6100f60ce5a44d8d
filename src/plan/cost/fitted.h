// What is ordered beside a server because the spec fits more than the server comes with: GPUs, processors, memory,
// adapters, drives, bridges. A part of the catalogue, and one of the spec's own `parts`, comes with what it states; a
// server that the spec writes in full comes with nothing. A planning default is no product that anything comes with: of
// each kind that the spec writes, all is ordered.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

enum class FittedKind : std::uint8_t { gpu, cpu, memory, nic, drive, nvlink_bridge };
std::string_view fitted_kind_word(FittedKind);  // "gpu", "nvlink-bridge": as `prices.kinds` has them

struct FittedPart {
  FittedKind kind = FittedKind::gpu;
  std::string id;  // catalogue id; "dimm-32-gib", "drive-nvme-1.92-tb", "nvlink-bridge-2-nvidia-h100-pcie-80" (what
                   // joins two of these cards)
  std::int64_t count = 0;  // in one server; below 0: it comes with so many more than are wanted
  bool operator==(const FittedPart&) const = default;
};
bool is_planning_default(const ServerModel&);
// By kind.
std::vector<FittedPart> fitted_parts(const Cluster&, const NodeGroupModel&);

// Groups whose servers are ordered alike, in the order of the spec.
struct ServerFit {
  std::vector<int> groups;  // numbers of node groups
  std::int64_t count = 0;   // servers
  bool tray = false;        // comes with its assembly: only the parts are ordered
  std::vector<FittedPart> parts;
  std::string what;  // "server", "server, fitted for 'gpu' without 8 x cx7-400", "instance", "virtual machine 'head' of
                     // 16 processors and 64 GiB"
  const ServerModel* server = nullptr;
};
// Instances and virtual machines too, which have no parts; the latter where they are rented (a cloud) or priced by
// their group.
std::vector<ServerFit> server_fits(const Cluster&);

// The bill with what is put into the servers below each line of them: what is ordered, as people and programs read it.
struct BillRow {
  std::string part, what;
  std::string_view kind;  // bill_kind_word or fitted_kind_word
  std::int64_t count = 0, spares = 0;
  Meters length{0};
  bool planning_default = false;
  int fit = -1;         // of servers, what is in them, and what is rented: their place among the fits
  bool put_in = false;  // a part of such a server
};
// A step of growth buys no rack, and none of its PDUs, before something stands in it.
enum class RacksBought : std::uint8_t { all, used };
std::vector<BillRow> bill_rows(const Plan&, const std::vector<ServerFit>&, RacksBought = RacksBought::all);
std::vector<BillRow> bill_rows(const Plan&, RacksBought = RacksBought::all);
std::int64_t empty_racks(const Plan&, const RackGroupModel&);

}  // namespace clusterc
