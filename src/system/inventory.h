// The inventory: facts of single devices that no rule derives, from the CSV that the spec names.
//
//   name,port,mac,guid,serial
//   gpu001,compute1,94:6d:ae:00:00:01,0x946dae0300000001,
//   gpu001,bmc,94:6d:ae:00:01:01,,SN4711
//   leaf-compute-u1-r1,,,0xfc6a1c0300400000,MT2311
//   gpu001,drives.boot[0],,,S64GNE0T100001
//
// `name` is a host name as hosts has it, or the object's (node/gpu/001, leaf/compute/u1/r1); `port` is an interface as
// netplan calls it, `bmc`, a drive as in the PCIe tree (drives.boot[0]), or empty: the device itself. Columns stand in
// any order. `address`, `switch`, `switch_port`, `rack` and `position` describe a cluster that stands; `asset` and
// `remark` are for people, and any other column is an error.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/finding.h"

namespace clusterc {

struct InventoryRow {
  SourceSpan span;              // the device's name
  std::string_view name, port;  // views into the Sources, or into `unquoted` of the Inventory
  std::optional<std::uint64_t> mac, guid;
  std::string_view serial;  // empty: not known
  // Of a cluster that stands: the address of this port, the switch that its cable leads to, and where the device is.
  std::optional<std::uint32_t> address;
  std::string_view leaf, leaf_port, rack, position;  // empty: not known
  SourceSpan address_span, place_span;
};

class Inventory {
 public:
  Inventory() = default;
  Inventory(Inventory&&) = default;  // rows point into `unquoted_`
  Inventory& operator=(Inventory&&) = default;
  // Findings at line and column for what cannot be read; the rows that can are there all the same. Linear in the text.
  static Inventory read(const Sources&, FileId, Findings&);

  const InventoryRow* find(std::string_view name, std::string_view port) const;
  const std::vector<InventoryRow>& rows() const { return rows_; }

 private:
  friend class InventoryReader;
  std::vector<InventoryRow> rows_;
  std::deque<std::string> unquoted_;                       // cells that had quotes in them: they do not move
  std::unordered_map<std::string, std::size_t> by_place_;  // "name\nport" -> row
};

// "0x0002c90200400a7c", "0002:c902:0040:0a7c": at most 64 bits; nullopt for anything else and for 0.
std::optional<std::uint64_t> parse_guid(std::string_view);
void append_guid(std::uint64_t, std::string& out);  // "0x0002c90200400a7c"

}  // namespace clusterc
