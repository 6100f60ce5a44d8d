// The sections `networks` and `nvlink` of a spec.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/parts.h"

namespace clusterc {

enum class Rdma { none, roce, iwarp };
template <>
struct EnumNames<Rdma> {
  static constexpr auto names = enum_table<Rdma>({{Rdma::none, "none"}, {Rdma::roce, "roce"}, {Rdma::iwarp, "iwarp"}});
};
enum class NetworkTopology { rail_optimised, fat_tree, rail_only, single, point_to_point };
template <>
struct EnumNames<NetworkTopology> {
  static constexpr auto names = enum_table<NetworkTopology>({{NetworkTopology::rail_optimised, "rail-optimised"},
                                                             {NetworkTopology::fat_tree, "fat-tree"},
                                                             {NetworkTopology::rail_only, "rail-only"},
                                                             {NetworkTopology::single, "single"},
                                                             {NetworkTopology::point_to_point, "point-to-point"}});
};
enum class SwitchOs { sonic, cumulus };
template <>
struct EnumNames<SwitchOs> {
  static constexpr auto names = enum_table<SwitchOs>({{SwitchOs::sonic, "sonic"}, {SwitchOs::cumulus, "cumulus"}});
};
enum class PodsOf { units, rails };
template <>
struct EnumNames<PodsOf> {
  static constexpr auto names = enum_table<PodsOf>({{PodsOf::units, "units"}, {PodsOf::rails, "rails"}});
};
enum class Traffic { compute, storage, inband, oob };
template <>
struct EnumNames<Traffic> {
  static constexpr auto names = enum_table<Traffic>({{Traffic::compute, "compute"},
                                                     {Traffic::storage, "storage"},
                                                     {Traffic::inband, "inband"},
                                                     {Traffic::oob, "oob"}});
};

enum class RackSide { front, rear };
template <>
struct EnumNames<RackSide> {
  static constexpr auto names = enum_table<RackSide>({{RackSide::front, "front"}, {RackSide::rear, "rear"}});
};

// How one group is connected: `2` (two ports of each node), `all`, { ports: compute }, { ports: data, count: 1 }.
struct Connection {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<std::string> ports;
  Value<bool> all;
  static constexpr std::string_view type_name = "connection";
  static bool from_text(std::string_view, Connection&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.doc = "ports of each node", .least = 1, .most = 1024});
    v("ports", s.ports, {.doc = "named group of ports"});
    v("all", s.all, {.doc = "every port"});
  }
};
struct Connects {  // `everything`, or a mapping of groups
  SourceSpan span;
  Value<bool> everything;  // every management port of nodes, switches, PDUs and power shelves
  NamedMap<Connection> groups;
  static constexpr std::string_view type_name = "connects";
  static bool from_text(std::string_view, Connects&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("everything", s.everything, {.doc = "the management port of every node, switch, PDU and power shelf"});
    v.rest(s.groups, {.doc = "node group or storage system: how it is connected"});
  }
};

// The usual lossless class, and the code point whose upper three bits are that class (26 / 8 = 3): what switches that
// trust DSCP map to it.
constexpr std::string_view kRocePriority = "3", kRoceDscp = "26";
struct RocePlan {  // how the fabric keeps RoCE from losing packets
  SourceSpan span;
  Value<std::int64_t> priority, dscp, gid_index;
  Value<bool> pfc, ecn;
  Value<Bytes> headroom;
  static constexpr std::string_view type_name = "roce plan";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("priority", s.priority,
      {.standard = kRocePriority, .why = "the usual lossless class", .doc = "lossless class", .least = 0, .most = 7});
    v("dscp", s.dscp,
      {.standard = kRoceDscp,
       .why = "26 / 8 = 3: what switches that trust DSCP map to class 3",
       .doc = "code point that adapters mark RoCE packets with",
       .least = 0,
       .most = 63});
    v("pfc", s.pfc,
      {.standard = "true",
       .why = "adapters expect a lossless class",
       .doc = "pause frames (priority flow control) on that class, on every hop"});
    v("ecn", s.ecn,
      {.standard = "true",
       .why = "pause frames alone spread congestion",
       .doc = "switches mark packets before their queues are full, adapters slow down (DCQCN)"});
    v("headroom", s.headroom, {.doc = "buffer kept for each port's lossless queue after it has sent a pause"});
    v("gid_index", s.gid_index,
      {.doc = "GID index that software is told to use; left out: software chooses", .least = 0, .most = 255});
  }
};

struct OwnLeaves {  // leaves that only these members are plugged into
  SourceSpan span;
  std::vector<Value<std::string>> connects;
  Value<double> oversubscription;
  static constexpr std::string_view type_name = "leaves of their own";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("connects", s.connects, {.required = true, .doc = "node groups and storage systems on these leaves: [login]"});
    v("oversubscription", s.oversubscription,
      {.doc = "of these leaves; left out: as the network's", .least = 0.1, .most = 1000});
  }
};

struct Network {
  SourceSpan span;
  Value<LinkKind> kind;
  Value<Rdma> rdma;
  Value<bool> spectrum_x, sharp, adaptive_routing;
  Value<BitsPerSecond> rate, uplink_rate;
  Value<std::string> switch_model, racks, shares_switches_with, subnet, gateway, routing;
  std::vector<Value<Medium>> media;
  NamedMap<Value<std::string>> tiers;
  std::optional<RocePlan> roce;
  Value<NetworkTopology> topology;
  Value<SwitchOs> switch_os;
  Value<PodsOf> pods;
  NamedMap<OwnLeaves> leaves;
  Value<AirPath> airflow;
  Value<RackSide> ports_face;
  Value<std::int64_t> rails, planes, breakout, bond, vlan, mtu, asn;
  Value<std::int64_t> spines, links_per_spine;
  Value<double> oversubscription, core_oversubscription;
  Value<bool> room_for_cores, leaf_per_rack;
  NamedMap<Value<std::int64_t>> built_for;
  std::vector<Value<Traffic>> carries;
  Connects connects;
  static constexpr std::string_view type_name = "network";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.doc = "link layer; a network that shares another's switches takes it from there"});
    v("rdma", s.rdma,
      {.standard = "none",
       .why = "plain Ethernet unless it is written; InfiniBand has its own",
       .doc = "remote memory access over Ethernet"});
    v("spectrum_x", s.spectrum_x,
      {.doc = "Spectrum-X: adaptive routing and congestion control of switch and NIC together"});
    v("sharp", s.sharp, {.doc = "in-network reduction"});
    v("adaptive_routing", s.adaptive_routing, {.doc = "packets choose among equal paths"});
    v("rate", s.rate, {.doc = "rate of one node port, one direction"});
    v("uplink_rate", s.uplink_rate,
      {.doc = "rate of one link between switches; left out: switch ports are split for these as for node ports"});
    v("switch", s.switch_model, {.doc = "catalogue switch"});
    v("switch_os", s.switch_os,
      {.doc = "operating system of the switches: their configuration is compiled for it; left out: none is compiled"});
    v("tiers", s.tiers, {.doc = "other switches by tier: { spine: nvidia-sn5600 }"});
    v("roce", s.roce,
      {.doc = "lossless class and congestion control of RoCE; left out: none is planned, written or checked; `{}`: the "
              "defaults of its keys"});
    v("racks", s.racks, {.doc = "rack group for the switches; left out: beside the nodes"});
    v("shares_switches_with", s.shares_switches_with, {.doc = "network on whose switches this one runs"});
    v("topology", s.topology,
      {.doc = "left out: one switch where all ports fit, else a fat tree; point-to-point: one cable and no switch"});
    v("pods", s.pods,
      {.standard = "units",
       .why = "nodes of one unit are then in one pod on every rail",
       .doc = "what shares the spines of a pod where there are cores: the leaves of some units, or those of one rail"});
    v("leaves", s.leaves,
      {.doc = "leaves of their own for some members: { service: { connects: [login], oversubscription: 4 } }"});
    v("airflow", s.airflow, {.doc = "way of the air through the switches that are ordered"});
    v("ports_face", s.ports_face,
      {.standard = "rear",
       .why = "beside the ports of the servers",
       .doc = "side of the rack that the switches' ports face; the front is the cold side"});
    v("rails", s.rails, {.doc = "rails; left out: compute ports of one node", .least = 1, .most = 64});
    v("planes", s.planes, {.standard = "1", .why = "one fabric", .doc = "parallel planes", .least = 1, .most = 16});
    v("oversubscription", s.oversubscription,
      {.standard = "1",
       .why = "full bandwidth unless it is written",
       .doc = "node bandwidth over uplink bandwidth of a leaf: 3, 4/3",
       .least = 0.1,
       .most = 1000});
    v("spines", s.spines,
      {.doc = "spines of a plane, or of each pod where there are cores; left out: the fewest that carry the uplinks",
       .least = 1,
       .most = 1024});
    v("links_per_spine", s.links_per_spine,
      {.doc = "links of each leaf to each of its spines; left out: what `oversubscription` asks for",
       .least = 1,
       .most = 256});
    v("core_oversubscription", s.core_oversubscription,
      {.standard = "1",
       .why = "full bandwidth unless it is written",
       .doc = "links down over links up of a spine, where there are cores: 2",
       .least = 1,
       .most = 1000});
    v("leaf_per_rack", s.leaf_per_rack,
      {.doc =
           "true: a leaf (with `bond: 2` a pair) in each rack of nodes, for as many as `per_rack` of the first group "
           "says; `racks` is for the spines"});
    v("room_for_cores", s.room_for_cores,
      {.doc = "true: two tiers leave half of the ports of each spine free for cores that come later"});
    v("breakout", s.breakout,
      {.doc = "node ports on one switch port; left out: switch port rate over node rate", .least = 1, .most = 8});
    v("media", s.media,
      {.doc =
           "kinds of cable that may be used: [multimode, single-mode]; left out: any, the cheapest kind that reaches"});
    v("bond", s.bond,
      {.standard = "1", .why = "single links", .doc = "links bonded to a pair of switches", .least = 1, .most = 8});
    v("built_for", s.built_for, {.doc = "node counts to leave ports and cables for: { gpu: 128 }"});
    v("subnet", s.subnet, {.doc = "IPv4 prefix"});
    v("gateway", s.gateway, {.doc = "default gateway"});
    v("vlan", s.vlan, {.doc = "VLAN id", .least = 1, .most = 4094});
    v("mtu", s.mtu, {.doc = "largest packet", .least = 576, .most = 65520, .example = "9000"});
    v("asn", s.asn, {.doc = "first BGP number", .least = 1, .most = 4294967294.0});
    v("routing", s.routing, {.doc = "routing engine or protocol"});
    v("carries", s.carries, {.doc = "traffic: compute, storage, inband, oob; left out: from the network's name"});
    v("connects", s.connects, {.required = true, .doc = "who is connected, and with which ports"});
  }
};

struct NvlinkDomain {
  SourceSpan span;
  std::vector<Value<std::string>> nodes;
  Value<std::int64_t> size;
  Value<BytesPerSecond> rate;
  static constexpr std::string_view type_name = "nvlink domain";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("nodes", s.nodes, {.required = true, .doc = "node groups"});
    v("size", s.size, {.required = true, .doc = "GPUs of one domain", .least = 2, .most = 100000});
    v("rate", s.rate, {.doc = "one way for one GPU; left out: the GPU's"});
  }
};

}  // namespace clusterc
