// A running fabric as its own tools describe it: devices, and the links between their ports.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "diag/finding.h"

namespace clusterc {

struct SeenDevice {
  std::string id;            // GUID, 16 hexadecimal digits
  std::string name;          // a switch as it calls itself; the host of an adapter, empty where the adapter names none
  std::string model;         // of a switch, as "MQM9700"; empty: not named
  std::int64_t adapter = 0;  // number of the adapter in its host, from 1; 0: not named
  bool is_switch = false;
  bool aggregation = false;  // the processor inside a switch (SHARP): no cable leads to it
  bool listed = false;       // the capture has what this device itself sees, not only what others see of it
  SourceSpan span;
};

struct SeenLink {
  std::int32_t a = 0, b = 0;            // devices; a: a switch where one end is one
  std::int64_t a_port = 0, b_port = 0;  // as the devices number them, from 1
  std::string a_name, b_name;           // of the ports, where they have names (Ethernet); else their numbers tell them
  std::int64_t lanes = 0;
  std::string speed;      // "4xNDR"
  BitsPerSecond rate{0};  // 0: the dump does not say, or in a word that is not known
  bool twice = false;     // both of its ends report it
  SourceSpan span;        // of the line that it was read from
};

// Errors that a port has counted since its counters were cleared.
struct PortCounters {
  std::string guid;  // of the device or of the port, 16 digits
  std::string name;  // as the file calls the device; empty: it does not
  std::int64_t port = 0;
  std::vector<std::pair<std::string_view, std::int64_t>> beyond;  // "symbol errors", 12: those above their threshold
  SourceSpan span;
};

struct SeenFabric {
  bool ethernet = false;
  std::vector<SeenDevice> devices;
  std::vector<SeenLink> links;                                   // each once, in the order of the file
  std::vector<std::pair<std::string, std::int32_t>> port_guids;  // of adapters: further names of devices
  std::vector<PortCounters> counters;                            // of ports with errors
  bool counted = false;                                          // the capture has counters of errors
};

// The devices and links of another dump: of another plane of the same fabric.
void append(SeenFabric& to, SeenFabric from);

constexpr std::uint64_t kLargestDump = std::uint64_t{512} << 20;  // bytes; 131,072 GPUs: about 100 MB

// What `ibnetdiscover` prints (infiniband-diags, manual page ibnetdiscover(8)). A line that is none of its lines is a
// finding, and the rest is read all the same. So is a dump that lacks records: it was cut, or edited. Linear in the
// text.
SeenFabric read_ibnetdiscover(const Sources&, FileId, Findings&);

// Bits per second of one lane as ibnetdiscover abbreviates it ("NDR"), data rate in one direction; 0: not known.
// InfiniBand Architecture Specification, volume 1, PortInfo: LinkSpeedActive, LinkSpeedExtActive.
BitsPerSecond lane_rate(std::string_view speed);

}  // namespace clusterc
