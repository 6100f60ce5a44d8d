// The ports of a switch as SONiC names and numbers them, from the facts `sonic` of its part.
//
// A list of numbers is written in steps, blanks between them: "1-13/4 21 17" is 1, 5, 9, 13, 21, 17. It has one number
// for each cage, in the order of the front: the ports, then the uplinks.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "catalog/parts.h"

namespace clusterc {

// nullopt: not such a list, or more than 4,096 numbers.
std::optional<std::vector<std::int64_t>> numbers_in_steps(std::string_view);

// One port of a cage, or one of the parts that the cage is split into.
struct SonicPort {
  std::string name;        // "Ethernet8"; unique on the switch
  std::string alias;       // "etp2", "etp2b": what stands on the front, and what LLDP calls the port
  std::string lanes;       // "8,9,10,11"
  std::int64_t index = 0;  // of the cage, from 1
};

// SONiC's breakout mode "2x200G[100G,50G](4)": two ports of 200 Gb/s, or of 100 or 50, over four lanes of the cage.
struct SonicMode {
  std::string text;
  std::int64_t ways = 1, lanes = 0;  // lanes: of the cage, that the mode uses
  std::vector<std::int64_t> mbps;    // Mb/s of one way
};

class SonicPortMap {
 public:
  // nullopt: the part has no such facts, or they do not fit its ports (`why` says which).
  static std::optional<SonicPortMap> of(const SwitchPart&, std::string* why = nullptr);

  std::int64_t cages() const { return static_cast<std::int64_t>(names_.size()); }
  // Way `way` (from 0) of the cage (from 1) when it is split `ways` times for this rate. nullopt: no such cage, or its
  // lanes cannot be shared so.
  std::optional<SonicPort> port(std::int64_t cage, std::int64_t ways, std::int64_t way, BitsPerSecond) const;
  // The breakout mode for it; null: there is none, or the modes of the hardware SKU are not known.
  const SonicMode* mode(std::int64_t cage, std::int64_t ways, BitsPerSecond) const;
  // Does the hardware SKU split ports at all?
  bool splits(std::int64_t cage) const { return !modes_of(cage).empty(); }
  // Of a cage without a cable: its ports (a twin-port cage has two), and the rate of one of them.
  std::int64_t ways(std::int64_t cage) const { return is_uplink(cage) ? 1 : twin_; }
  BitsPerSecond rate(std::int64_t cage) const { return is_uplink(cage) ? uplink_rate_ : port_rate_; }

 private:
  bool is_uplink(std::int64_t cage) const { return cage > ports_; }
  const std::vector<SonicMode>& modes_of(std::int64_t cage) const { return is_uplink(cage) ? uplink_modes_ : modes_; }
  std::int64_t width(std::int64_t cage) const { return is_uplink(cage) ? uplink_width_ : width_; }

  std::vector<std::int64_t> names_, lanes_;
  std::int64_t ports_ = 0, twin_ = 1, width_ = 0, uplink_width_ = 0;  // ports_: cages that are no uplinks
  BitsPerSecond port_rate_, uplink_rate_;
  std::string alias_, split_alias_;
  std::vector<SonicMode> modes_, uplink_modes_;
};

}  // namespace clusterc
