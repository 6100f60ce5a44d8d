// The site part of a spec: electricity, cooling, racks, what already stands there.
#pragma once
#include "catalog/parts.h"

namespace clusterc {

enum class SiteKind { own, cloud };
template <>
struct EnumNames<SiteKind> {
  static constexpr auto names = enum_table<SiteKind>({{SiteKind::own, "own"}, {SiteKind::cloud, "cloud"}});
};
enum class CoolingMethod { room_air, contained_air, in_row, rear_door, liquid };
template <>
struct EnumNames<CoolingMethod> {
  static constexpr auto names = enum_table<CoolingMethod>({{CoolingMethod::room_air, "room-air"},
                                                           {CoolingMethod::contained_air, "contained-air"},
                                                           {CoolingMethod::in_row, "in-row"},
                                                           {CoolingMethod::rear_door, "rear-door"},
                                                           {CoolingMethod::liquid, "liquid"}});
};
enum class Fluid { water, pg25 };
template <>
struct EnumNames<Fluid> {
  static constexpr auto names = enum_table<Fluid>({{Fluid::water, "water"}, {Fluid::pg25, "pg25"}});
};
enum class CableRoute { overhead, underfloor };
template <>
struct EnumNames<CableRoute> {
  static constexpr auto names =
      enum_table<CableRoute>({{CableRoute::overhead, "overhead"}, {CableRoute::underfloor, "underfloor"}});
};

enum class TransferKind { static_switch, automatic };
template <>
struct EnumNames<TransferKind> {
  static constexpr auto names =
      enum_table<TransferKind>({{TransferKind::static_switch, "static"}, {TransferKind::automatic, "automatic"}});
};

struct Supply {
  SourceSpan span;
  Value<std::int64_t> phases;
  Value<Volts> voltage;
  Value<Hertz> frequency;
  Value<double> power_factor;
  static constexpr std::string_view type_name = "supply";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("phases", s.phases, {.required = true, .doc = "1 or 3", .least = 1, .most = 3});
    v("voltage", s.voltage, {.required = true, .doc = "three phases: line to line; one phase: across the load"});
    v("frequency", s.frequency, {.doc = "mains frequency"});
    v("power_factor", s.power_factor,
      {.standard = "0.96",
       .why = "supplies with active correction near full load",
       .doc = "of the whole load",
       .least = 0.5,
       .most = 1});
  }
};

struct UpsSet {
  SourceSpan span;
  Value<std::string> model;
  Value<std::int64_t> modules, spare;
  Value<Seconds> runtime;
  static constexpr std::string_view type_name = "ups";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("model", s.model, {.required = true, .doc = "catalogue part of one module"});
    v("modules", s.modules, {.standard = "1", .why = "one module", .doc = "modules in all", .least = 1, .most = 1000});
    v("spare", s.spare,
      {.standard = "0",
       .why = "no redundancy unless it is written",
       .doc = "modules that may fail",
       .least = 0,
       .most = 999});
    v("runtime", s.runtime, {.doc = "how long its batteries carry the planned load: 5 min"});
  }
};

// What takes over when the mains fail.
struct Generator {
  SourceSpan span;
  Value<Watts> rating;
  Value<Seconds> start;
  static constexpr std::string_view type_name = "generator";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rating", s.rating, {.required = true, .doc = "power that it supplies without end"});
    v("start", s.start,
      {.doc = "time from the loss of the mains until it has taken the load, transfer switch included"});
  }
};

// One independent source of power in the room: capacity in kVA, or the breaker it comes through.
struct Feed {
  SourceSpan span;
  Value<VoltAmperes> capacity;
  Value<Amperes> breaker;
  Value<double> continuous;
  Value<Watts> in_use;
  std::optional<UpsSet> ups;
  Value<std::string> generator;
  static constexpr std::string_view type_name = "feed";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("capacity", s.capacity, {.doc = "apparent power that the feed may carry without end"});
    v("breaker", s.breaker, {.doc = "rating of its main breaker"});
    v("continuous", s.continuous,
      {.doc = "share of the breaker's rating that it carries without end; left out: 80 % in region na, 100 % in iec. "
              "Write 100 % for a breaker that is listed for it",
       .least = 0.5,
       .most = 1});
    v("in_use", s.in_use, {.doc = "what other equipment already draws from it"});
    v("ups", s.ups, {.doc = "uninterruptible supply on this feed"});
    v("generator", s.generator, {.doc = "name of the generator behind it; `generators` has its figures"});
  }
};

// Takes its load from one of two sources, and from the other when that one fails.
struct TransferSwitch {
  SourceSpan span;
  Value<TransferKind> kind;
  std::vector<Value<std::string>> sources;
  Value<Amperes> rating;
  Value<Seconds> time;
  Value<bool> each_pdu;
  static constexpr std::string_view type_name = "transfer switch";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "static: semiconductors; automatic: contacts that move"});
    v("sources", s.sources, {.doc = "the two feeds or panels that supply it, the preferred one first: [A, B]"});
    v("rating", s.rating, {.required = true, .doc = "current that it carries without end, on each line"});
    v("time", s.time,
      {.doc = "longest break while it changes over; static, left out: 20 ms at most. After a longer break the "
              "equipment behind it restarts, and it counts as no second source"});
    v("each_pdu", s.each_pdu,
      {.doc = "true: each PDU that names it has a switch of its own (a rack ATS); left out: one for all of them"});
  }
};

// A panel or busway between feed and PDUs.
struct Panel {
  SourceSpan span;
  Value<std::string> feed, transfer;
  Value<Amperes> breaker;
  Value<double> continuous;
  Value<bool> busway;
  static constexpr std::string_view type_name = "panel";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("feed", s.feed, {.doc = "feed that supplies it"});
    v("transfer", s.transfer, {.doc = "transfer switch that supplies it, in place of `feed`"});
    v("breaker", s.breaker, {.required = true, .doc = "rating of its breaker"});
    v("continuous", s.continuous,
      {.doc = "share of the breaker's rating that panel or busway carry without end; left out: 80 % in region na, "
              "100 % in iec",
       .least = 0.5,
       .most = 1});
    v("busway", s.busway, {.doc = "true: an overhead busway with tap-off boxes"});
  }
};

struct CoolingEach {
  SourceSpan span;
  Value<Watts> heat;
  Value<AirFlow> airflow;
  static constexpr std::string_view type_name = "cooling unit figures";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("heat", s.heat, {.doc = "heat that one unit removes"});
    v("airflow", s.airflow, {.doc = "air that one unit moves"});
  }
};
struct FacilityLoop {
  SourceSpan span;
  Value<Celsius> supply;
  Value<LiquidFlow> flow;
  static constexpr std::string_view type_name = "facility loop";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("supply", s.supply, {.doc = "temperature of the facility water"});
    v("flow", s.flow, {.doc = "facility water that the building gives"});
  }
};
struct CduSet {
  SourceSpan span;
  Value<std::string> model;
  Value<std::int64_t> count, spare;
  std::vector<Value<std::string>> feeds;
  static constexpr std::string_view type_name = "coolant distribution units";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("model", s.model, {.required = true, .doc = "catalogue part"});
    v("count", s.count, {.standard = "1", .why = "one unit", .doc = "units in all", .least = 1, .most = 1000});
    v("spare", s.spare,
      {.standard = "0",
       .why = "no redundancy unless it is written",
       .doc = "units that may fail",
       .least = 0,
       .most = 999});
    v("feeds", s.feeds, {.doc = "feeds that supply them"});
  }
};

struct CoolingZone {
  SourceSpan span;
  Value<CoolingMethod> method;
  Value<std::string> model;
  Value<std::int64_t> units, spare;
  std::optional<CoolingEach> each;
  Value<Celsius> supply, dew_point;
  Value<double> humidity;
  Value<Kelvins> rise;
  Value<AirFlow> airflow;
  Value<Fluid> fluid;
  std::optional<FacilityLoop> facility;
  std::optional<CduSet> cdus;
  std::vector<Value<std::string>> feeds;
  static constexpr std::string_view type_name = "cooling zone";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("method", s.method, {.required = true, .doc = "how heat leaves the racks"});
    v("model", s.model, {.doc = "catalogue part of one unit"});
    v("units", s.units,
      {.standard = "1", .why = "one unit; rear doors: one a rack", .doc = "units in all", .least = 1, .most = 100000});
    v("spare", s.spare,
      {.standard = "0",
       .why = "no redundancy unless it is written",
       .doc = "units that may fail",
       .least = 0,
       .most = 99999});
    v("each", s.each, {.doc = "figures of one unit, where no model is named"});
    v("supply", s.supply, {.doc = "temperature of the air or coolant that reaches the equipment"});
    v("dew_point", s.dew_point, {.doc = "highest dew point of the room"});
    v("humidity", s.humidity, {.doc = "relative humidity", .least = 0, .most = 1});
    v("airflow", s.airflow, {.doc = "air of the whole zone, where it is not per unit"});
    v("fluid", s.fluid, {.doc = "coolant"});
    v("rise", s.rise,
      {.doc = "how much the coolant of a liquid loop may warm up in the equipment (10 K if it is not written)",
       .least = 0.1,
       .most = 100});
    v("facility", s.facility, {.doc = "facility water behind the coolant loop"});
    v("cdus", s.cdus, {.doc = "coolant distribution units"});
    v("feeds", s.feeds, {.doc = "feeds that supply the cooling"});
  }
};

struct Door {
  SourceSpan span;
  Value<Meters> height, width;
  static constexpr std::string_view type_name = "door";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("height", s.height, {.doc = "clear height"});
    v("width", s.width, {.doc = "clear width"});
  }
};

struct Emission {  // "380 g/kWh"
  SourceSpan span;
  Value<double> grams_per_kwh;
  static constexpr std::string_view type_name = "emission";
  static bool from_text(std::string_view, Emission&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("grams_per_kwh", s.grams_per_kwh, {.required = true, .doc = "grams of CO2 equivalent", .least = 0, .most = 1e6});
  }
};

struct AwsSite {  // what instances at AWS are started with, made there before
  SourceSpan span;
  Value<std::string> subnet, head_subnet, key_pair, head_instance, image;
  static constexpr std::string_view type_name = "aws";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("subnet", s.subnet, {.required = true, .doc = "subnet of the compute nodes: subnet-0123456789abcdef0"});
    v("head_subnet", s.head_subnet, {.doc = "subnet of the head node; left out: the same"});
    v("key_pair", s.key_pair, {.doc = "name of the key pair with which the administrator logs in to the head node"});
    v("head_instance", s.head_instance, {.required = true, .doc = "instance type of the head node: m7i.2xlarge"});
    v("image", s.image, {.doc = "image of the compute nodes: ami-0123456789abcdef0; left out: AWS's own"});
  }
};

struct Site {
  SourceSpan span;
  Value<SiteKind> kind;
  Value<std::string> provider, location;
  std::optional<AwsSite> aws;
  Value<Region> region;
  Value<Meters> altitude;
  std::optional<Supply> supply;
  Value<Watts> utility;
  Value<double> pue;
  std::optional<Emission> carbon;
  NamedMap<Generator> generators;
  NamedMap<Feed> feeds;
  NamedMap<TransferSwitch> transfer_switches;
  NamedMap<Panel> panels;
  NamedMap<CoolingZone> cooling;
  Value<FloorLoad> floor_load;
  Value<Kilograms> tile_load;
  Value<Meters> aisle;
  std::optional<Door> door;
  Value<CableRoute> cable_route;
  static constexpr std::string_view type_name = "site";
  static bool from_text(std::string_view, Site&, std::string& error);  // "cloud"
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind,
      {.standard = "own",
       .why = "a site of our own unless it says cloud",
       .doc = "own: the room is ours to plan; cloud: nodes are instances and facility rules do not apply"});
    v("provider", s.provider, {.doc = "cloud provider"});
    v("location", s.location, {.doc = "place or cloud region"});
    v("aws", s.aws, {.doc = "at AWS: subnets, key pair and head node, for the output parallelcluster"});
    v("region", s.region,
      {.doc = "electrical region (required for a site of one's own): na or iec; continuous-load factors and plugs "
              "follow from it"});
    v("altitude", s.altitude, {.doc = "height above sea level", .least = -500, .most = 9000});
    v("supply", s.supply, {.doc = "voltage that reaches the racks"});
    v("utility", s.utility, {.doc = "power that the building may draw for all of this, cooling included"});
    v("pue", s.pue,
      {.doc = "power of the building over power of the equipment, where it is known", .least = 1, .most = 5});
    v("carbon", s.carbon, {.doc = "CO2 equivalent of the energy bought: 380 g/kWh"});
    v("generators", s.generators, {.doc = "generators behind the feeds, by name"});
    v("feeds", s.feeds, {.doc = "independent sources of power, by name"});
    v("transfer_switches", s.transfer_switches,
      {.doc = "static or automatic transfer switches before panels or PDUs, by name"});
    v("panels", s.panels, {.doc = "panels or busways between feeds and PDUs, by name"});
    v("cooling", s.cooling, {.doc = "cooling zones and loops, by name"});
    v("floor_load", s.floor_load, {.doc = "load that the floor carries"});
    v("tile_load", s.tile_load, {.doc = "load that one foot may put on a tile of a raised floor"});
    v("aisle", s.aisle, {.doc = "clear width of the cold aisle, where devices are pulled out"});
    v("door", s.door, {.doc = "smallest door on the way to the racks"});
    v("cable_route", s.cable_route,
      {.standard = "overhead", .why = "the usual route in new rooms", .doc = "where cables run between racks"});
  }
};

// PDUs of one kind in every rack of a group; two entries are two PDUs.
struct RackPdu {
  SourceSpan span;
  Value<std::string> model, feed, panel, transfer;
  static constexpr std::string_view type_name = "rack pdu";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("model", s.model, {.required = true, .doc = "catalogue part"});
    v("feed", s.feed, {.doc = "feed that supplies it"});
    v("panel", s.panel, {.doc = "panel or busway that supplies it"});
    v("transfer", s.transfer, {.doc = "transfer switch that supplies it, in place of `feed` or `panel`"});
  }
};
struct Occupied {
  SourceSpan span;
  std::vector<Value<UnitRange>> units;
  Value<Watts> power;
  Value<Kilograms> weight;
  std::vector<Value<std::string>> racks;
  static constexpr std::string_view type_name = "occupied";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("units", s.units, {.doc = "rack units that are taken: U1-U6"});
    v("power", s.power, {.doc = "power that it draws in each rack"});
    v("weight", s.weight, {.doc = "its weight in each rack"});
    v("racks", s.racks, {.doc = "racks where it stands; left out: every rack of the group"});
  }
};
struct ShelfCount {  // "4 shelves"
  SourceSpan span;
  Value<std::int64_t> shelves;
  static constexpr std::string_view type_name = "power shelves";
  static bool from_text(std::string_view, ShelfCount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("shelves", s.shelves, {.required = true, .doc = "power shelves on this feed", .least = 0, .most = 64});
  }
};
// The DC busbar of an ordinary rack, and the power shelves that supply it.
struct Busbar {
  SourceSpan span;
  NamedMap<ShelfCount> feeds;
  Value<Watts> shelf_power;
  Value<Volts> input_min, input_max;
  Value<std::int64_t> phases, spare;
  Value<double> efficiency;
  Value<Amperes> shelf_breaker;
  static constexpr std::string_view type_name = "busbar";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("feeds", s.feeds, {.doc = "power shelves of each rack by feed: { A: 1 shelf, B: 1 shelf }"});
    v("shelf_power", s.shelf_power,
      {.required = true, .doc = "output of one shelf to the busbar; of a shelf with a spare rectifier: without it"});
    v("spare", s.spare,
      {.standard = "0",
       .why = "no redundancy unless it is written",
       .doc = "shelves of each rack that may fail",
       .least = 0,
       .most = 63});
    v("input_min", s.input_min, {.doc = "lowest input voltage of a shelf; three phases: line to line"});
    v("input_max", s.input_max, {.doc = "highest input voltage of a shelf"});
    v("phases", s.phases, {.doc = "phases that a shelf needs: 1 or 3", .least = 1, .most = 3});
    v("efficiency", s.efficiency,
      {.standard = "0.94",
       .why = "80 PLUS Platinum at half load",
       .doc = "of a shelf at half load",
       .least = 0.5,
       .most = 1});
    v("shelf_breaker", s.shelf_breaker, {.doc = "breaker of the circuit, whip and cord of one power shelf: 32 A"});
  }
};
struct RackGroup {
  SourceSpan span;
  Value<std::string> names, model, cooling, liquid, shipping;
  Value<std::int64_t> per_row;
  Value<Meters> row_pitch;
  Value<Watts> budget;
  std::vector<RackPdu> pdus;
  std::optional<Busbar> busbar;
  std::vector<Occupied> occupied;
  NamedMap<Value<std::string>> floor;
  static constexpr std::string_view type_name = "rack group";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("names", s.names, {.required = true, .doc = "host-name style pattern: r[01-32]"});
    v("model", s.model, {.required = true, .doc = "catalogue part"});
    v("cooling", s.cooling, {.doc = "cooling zone whose air the racks take"});
    v("liquid", s.liquid, {.doc = "cooling loop whose coolant they take"});
    v("pdus", s.pdus, {.doc = "PDUs in every rack"});
    v("busbar", s.busbar, {.doc = "DC busbar and power shelves of every rack"});
    v("per_row", s.per_row,
      {.standard = "10", .why = "planning default", .doc = "racks in one row", .least = 1, .most = 10000});
    v("row_pitch", s.row_pitch,
      {.standard = "3 m",
       .why = "1.2 m rack, 1.2 m cold aisle and half of a hot aisle, rounded",
       .doc = "distance from row to row"});
    v("budget", s.budget, {.doc = "power that each rack may draw, where the site sets one"});
    v("shipping", s.shipping,
      {.doc = "empty: devices are built in where the rack stands; integrated: it is rolled in with everything inside",
       .words = "empty|integrated"});
    v("occupied", s.occupied, {.doc = "what already stands in them"});
    v("floor", s.floor, {.doc = "floor positions by rack, where they do not follow from rows: { r01: A1 }"});
  }
};

struct AssemblyCooling {
  SourceSpan span;
  Value<std::string> liquid, air;
  static constexpr std::string_view type_name = "assembly cooling";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("liquid", s.liquid, {.doc = "loop that takes the liquid share"});
    v("air", s.air, {.doc = "zone that takes the rest"});
  }
};
struct AssemblyGroup {
  SourceSpan span;
  Value<std::string> names, model;
  Value<std::int64_t> per_row;
  NamedMap<ShelfCount> feeds;
  Value<Amperes> shelf_breaker;
  std::optional<AssemblyCooling> cooling;
  static constexpr std::string_view type_name = "assembly group";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("names", s.names, {.required = true, .doc = "pattern: nvl[1-8]"});
    v("model", s.model, {.required = true, .doc = "catalogue part"});
    v("feeds", s.feeds, {.doc = "power shelves of each assembly by feed: { A: 4 shelves, B: 4 shelves }"});
    v("shelf_breaker", s.shelf_breaker, {.doc = "breaker of the circuit, whip and cord of one power shelf: 63 A"});
    v("cooling", s.cooling, {.doc = "loop and zone that take the heat"});
    v("per_row", s.per_row,
      {.standard = "10", .why = "planning default", .doc = "assemblies in one row", .least = 1, .most = 10000});
  }
};

}  // namespace clusterc
