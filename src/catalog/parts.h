// The parts that a spec names: here those of networks and of the room, in catalog/server_parts.h the servers. Every
// figure is a Value: its unit by type, its source document, and whether it was confirmed. Catalogue files
// (catalog/<kind>/<id>.yaml), own parts and parts written in a spec are read by the same descriptors.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "catalog/part_words.h"

namespace clusterc {

struct PsuSet {
  SourceSpan span;
  Value<std::int64_t> count, spare;
  Value<Watts> power, peak;
  Value<InletKind> inlet;
  Value<Volts> input_min, input_max;
  Value<Amperes> input_current, inrush;
  Value<double> efficiency, power_factor;
  static constexpr std::string_view type_name = "power supplies";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.doc = "number of supplies", .least = 1, .most = 64});
    v("spare", s.spare, {.doc = "how many may fail with the device at full power (4+2: 2)", .least = 0, .most = 63});
    v("power", s.power, {.doc = "output of one supply at the site's voltage"});
    v("peak", s.peak, {.doc = "output of one supply for less than a millisecond"});
    v("inlet", s.inlet, {.doc = "inlet of one supply"});
    v("input_min", s.input_min, {.doc = "lowest input voltage for that output"});
    v("input_max", s.input_max, {.doc = "highest input voltage"});
    v("input_current", s.input_current, {.doc = "highest input current of one supply, as its label states it"});
    v("efficiency", s.efficiency, {.doc = "efficiency at half load", .least = 0.5, .most = 1});
    v("power_factor", s.power_factor,
      {.doc = "power factor of one supply near full load; left out: that of `site: { supply: … }`",
       .least = 0.5,
       .most = 1});
    v("inrush", s.inrush, {.doc = "peak current of one supply when the mains returns"});
  }
};

struct OutletGroup {
  SourceSpan span;
  Value<OutletKind> kind;
  Value<std::int64_t> count;
  static constexpr std::string_view type_name = "outlets";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "outlet type"});
    v("count", s.count, {.required = true, .doc = "number of outlets", .least = 1, .most = 256});
  }
};

// How SONiC names and numbers the cages of a switch, in the order of their numbers on the front: the ports, then the
// uplinks. Lists of numbers are written as steps: 0-504/8 is 0, 8, 16 to 504 (src/model/sonic_ports.h).
struct SonicPorts {
  SourceSpan span;
  Value<std::string> platform, hwsku, names, lanes, alias, split_alias, modes, uplink_modes, lossless_lengths;
  Value<std::int64_t> width, uplink_width;
  static constexpr std::string_view type_name = "ports under SONiC";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("platform", s.platform, {.required = true, .doc = "SONiC's name of the platform: x86_64-nvidia_sn5600-r0"});
    v("hwsku", s.hwsku, {.required = true, .doc = "hardware SKU, of which the ports below are"});
    v("width", s.width, {.required = true, .doc = "lanes of one cage", .least = 1, .most = 8});
    v("uplink_width", s.uplink_width, {.doc = "lanes of one cage of the further ports", .least = 1, .most = 8});
    v("names", s.names,
      {.required = true, .doc = "number of each cage's first port: 0-504/8 names Ethernet0, Ethernet8 to Ethernet504"});
    v("lanes", s.lanes, {.required = true, .doc = "number of each cage's first lane, written like names"});
    v("alias", s.alias, {.required = true, .doc = "name of a port on the front; {cage} is the number of the cage"});
    v("split_alias", s.split_alias,
      {.doc =
           "the same of a part of a split port: {way} counts from 1, {letter} from a, {lane} is its first lane in the "
           "cage, from 1"});
    v("modes", s.modes,
      {.doc = "breakout modes of a cage, in SONiC's words: 1x400G[200G] 2x200G; left out: its hardware SKU has whole "
              "ports only"});
    v("uplink_modes", s.uplink_modes, {.doc = "breakout modes of a cage of the further ports"});
    v("lossless_lengths", s.lossless_lengths,
      {.doc = "cable lengths, in metres, that its hardware SKU has profiles of lossless buffers for: 5 40 300"});
  }
};

struct SwitchPart {
  SourceSpan span;
  Value<std::string> name;
  Value<LinkKind> link;
  Value<std::int64_t> ports, uplinks, ports_per_cage, breakout, units;
  Value<BitsPerSecond> port_rate, uplink_rate;
  Value<std::string> connector, uplink_connector, port_names;
  Value<Meters> depth;
  Value<Kilograms> weight;
  Value<Watts> power, power_typical;
  Value<bool> subnet_manager;
  Value<Seconds> latency;
  Value<AirPath> airflow;
  std::optional<PsuSet> psus;
  std::optional<SonicPorts> sonic;
  static constexpr std::string_view type_name = "switch";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("link", s.link, {.doc = "link layer"});
    v("ports", s.ports, {.doc = "ports at the port rate", .least = 1, .most = 4096});
    v("port_rate", s.port_rate, {.doc = "rate of one port, one direction"});
    v("uplinks", s.uplinks, {.doc = "further ports of a higher rate", .least = 0, .most = 256});
    v("uplink_rate", s.uplink_rate, {.doc = "rate of those"});
    v("ports_per_cage", s.ports_per_cage,
      {.doc = "ports that share one cage (twin-port OSFP: 2)", .least = 1, .most = 8});
    v("breakout", s.breakout, {.doc = "ways that one port can be split at most", .least = 1, .most = 8});
    v("connector", s.connector, {.doc = "cage: osfp (finned top), qsfp112, qsfp56, qsfp28, sfp28, rj45"});
    v("uplink_connector", s.uplink_connector, {.doc = "cage of the further ports"});
    v("port_names", s.port_names,
      {.doc = "how the operating system that it is sold with names its ports; left out: the numbers on its front (17, "
              "17/2)",
       .words = "swp"});
    v("units", s.units, {.doc = "height in rack units", .least = 1, .most = 60});
    v("depth", s.depth, {.doc = "depth of the chassis"});
    v("weight", s.weight, {.doc = "weight"});
    v("power", s.power, {.doc = "highest power at the wall with modules"});
    v("power_typical", s.power_typical, {.doc = "typical power"});
    v("subnet_manager", s.subnet_manager, {.doc = "can run the subnet manager of an InfiniBand fabric itself"});
    v("latency", s.latency, {.doc = "port to port"});
    v("airflow", s.airflow, {.doc = "way of the air through it, where the model has only one"});
    v("psus", s.psus, {.doc = "power supplies"});
    v("sonic", s.sonic, {.doc = "names and lanes of its ports under SONiC; left out: not known"});
  }
};

// A cable with its ends, a module (transceiver), or the fibre between two modules: it has no rate.
struct CablePart {
  SourceSpan span;
  Value<std::string> name;
  Value<Medium> medium;
  Value<BitsPerSecond> rate;
  std::vector<Value<BitsPerSecond>> slower;
  std::vector<Value<LinkKind>> links;
  Value<Meters> reach;
  std::vector<Value<Meters>> lengths;
  Value<std::int64_t> ends, ports;
  Value<Watts> power_per_end;
  Value<std::string> connector, far_connector, optic, fibre;
  Value<bool> module;
  static constexpr std::string_view type_name = "cable";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("medium", s.medium, {.doc = "copper, active optical, or fibre"});
    v("rate", s.rate, {.doc = "rate of the whole cable or module, one direction; left out: fibre alone"});
    v("slower", s.slower, {.doc = "lower rates of one port of a module, each on a leg of split fibre"});
    v("links", s.links, {.doc = "link layers that it carries; left out: InfiniBand and Ethernet"});
    v("reach", s.reach, {.doc = "longest length that it works over"});
    v("lengths", s.lengths, {.doc = "lengths that are sold"});
    v("ends", s.ends, {.doc = "far ends of a splitter; 1 for a plain cable", .least = 1, .most = 8});
    v("power_per_end", s.power_per_end, {.doc = "power of one end"});
    v("ports", s.ports, {.doc = "ports of a module (twin-port: 2); 1 where it is left out", .least = 1, .most = 8});
    v("connector", s.connector, {.doc = "connector at the switch; of a module, the cage that it fits"});
    v("far_connector", s.far_connector, {.doc = "connector at the far end"});
    v("optic", s.optic, {.doc = "optical interface of one port (400g-dr4): modules of one kind understand each other"});
    v("fibre", s.fibre, {.doc = "fibre connector of one port: mpo12-apc, lc"});
    v("module", s.module, {.doc = "true: a transceiver, bought by the end"});
  }
};

struct PduPart {
  SourceSpan span;
  Value<std::string> name;
  Value<Region> region;
  Value<std::int64_t> phases;
  Value<Volts> voltage;
  Value<Amperes> breaker, continuous, bank_breaker;
  Value<std::int64_t> banks, units;
  Value<Seconds> outlet_delay;
  Value<VoltAmperes> apparent;
  std::vector<OutletGroup> outlets;
  Value<std::string> inlet;
  static constexpr std::string_view type_name = "pdu";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("region", s.region, {.doc = "electrical region it is made for"});
    v("phases", s.phases, {.doc = "1 or 3", .least = 1, .most = 3});
    v("voltage", s.voltage, {.doc = "input voltage; three phases: line to line"});
    v("breaker", s.breaker, {.doc = "rating of the breaker before it"});
    v("continuous", s.continuous, {.doc = "current that it may carry without end"});
    v("apparent", s.apparent, {.doc = "continuous apparent power"});
    v("outlets", s.outlets, {.doc = "outlets by type"});
    v("inlet", s.inlet, {.doc = "plug"});
    v("banks", s.banks, {.doc = "groups of outlets behind a breaker of their own", .least = 1, .most = 64});
    v("bank_breaker", s.bank_breaker, {.doc = "rating of the breaker of one bank"});
    v("units", s.units,
      {.doc = "rack units that a horizontal PDU takes; 0: it is mounted vertically, beside or behind the devices",
       .least = 0,
       .most = 8});
    v("outlet_delay", s.outlet_delay,
      {.doc = "time from one outlet to the next when power returns; left out: all at once"});
  }
};

struct RackPart {
  SourceSpan span;
  Value<std::string> name;
  Value<std::int64_t> units, pdu_places;
  Value<Meters> width, depth, height, mounting_depth;
  Value<Kilograms> weight, static_load, dynamic_load;
  static constexpr std::string_view type_name = "rack";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("units", s.units, {.doc = "rack units", .least = 1, .most = 60});
    v("width", s.width, {.doc = "outer width"});
    v("depth", s.depth, {.doc = "outer depth"});
    v("height", s.height, {.doc = "outer height"});
    v("mounting_depth", s.mounting_depth, {.doc = "deepest device that fits between the doors"});
    v("pdu_places", s.pdu_places,
      {.doc = "vertical PDUs of full height that find a place in it", .least = 0, .most = 16});
    v("weight", s.weight, {.doc = "weight when empty"});
    v("static_load", s.static_load, {.doc = "load that it may carry standing"});
    v("dynamic_load", s.dynamic_load, {.doc = "load that it may be rolled with"});
  }
};

struct CoolingPart {
  SourceSpan span;
  Value<std::string> name, kind;
  Value<Watts> heat, power;
  Value<AirFlow> airflow;
  Value<LiquidFlow> flow;
  Value<Kelvins> approach;
  Value<std::int64_t> units;
  Value<Meters> width, depth;
  Value<Kilograms> weight;
  static constexpr std::string_view type_name = "cooling unit";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("kind", s.kind, {.doc = "crah, in-row, rear-door or cdu"});
    v("heat", s.heat, {.doc = "heat that it removes"});
    v("power", s.power, {.doc = "its own draw"});
    v("airflow", s.airflow, {.doc = "air that it moves"});
    v("flow", s.flow, {.doc = "coolant that it moves"});
    v("approach", s.approach, {.doc = "cdu: coolant supply above facility water at which it removes that heat"});
    v("units", s.units, {.doc = "height in rack units, where it stands in a rack", .least = 1, .most = 60});
    v("width", s.width, {.doc = "width"});
    v("depth", s.depth, {.doc = "depth"});
    v("weight", s.weight, {.doc = "weight"});
  }
};

struct UpsPart {
  SourceSpan span;
  Value<std::string> name;
  Value<Watts> power;
  Value<VoltAmperes> apparent;
  Value<double> efficiency;
  Value<Meters> altitude;
  Value<std::int64_t> units;
  Value<Kilograms> weight;
  Value<Volts> voltage;
  std::vector<OutletGroup> outlets;
  Value<std::string> inlet;
  static constexpr std::string_view type_name = "ups";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("name", s.name, {.doc = "name for people"});
    v("power", s.power, {.doc = "real power of one module"});
    v("apparent", s.apparent, {.doc = "apparent power of one module"});
    v("efficiency", s.efficiency, {.doc = "output over input at the usual load", .least = 0.5, .most = 1});
    v("altitude", s.altitude, {.doc = "height up to which these figures hold; left out: 1000 m"});
    v("units", s.units, {.doc = "height in rack units, where it stands in a rack", .least = 1, .most = 60});
    v("weight", s.weight, {.doc = "weight with its batteries"});
    v("voltage", s.voltage, {.doc = "output voltage; three phases: line to line"});
    v("outlets", s.outlets, {.doc = "outlets by type"});
    v("inlet", s.inlet, {.doc = "plug"});
  }
};

}  // namespace clusterc
