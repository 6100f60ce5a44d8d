// What the readers of fabric dumps share: devices by their GUIDs, names as adapters and switches write them, and links
// that two lines tell.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "audit/seen_fabric.h"

namespace clusterc {

class FabricRecords {
 public:
  FabricRecords(SeenFabric& out, Findings& findings) : out_(out), findings_(findings) {}
  // The device of this GUID; a new one where it was not met. The first description that is not empty names it.
  std::int32_t device(bool is_switch, const std::string& guid, std::string_view description, SourceSpan);
  // One more GUID of the device: that of a port of an adapter. Text that is no GUID is left out.
  void port_guid(std::int32_t device, std::string_view digits);
  // Both ends of a cable report it: the first report counts.
  void add(SeenLink);
  // "localhost HCA-1" on many machines names none of them.
  void drop_shared_names();

 private:
  SeenFabric& out_;
  Findings& findings_;
  std::unordered_map<std::string, std::int32_t> by_id_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::pair<std::int32_t, std::int64_t>> by_port_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> link_of_;
};

// "0x2c9" and "2c9" as 16 digits, in small letters; empty: no GUID.
std::string full_guid(std::string_view digits);

}  // namespace clusterc
