// The section `nodes` of a spec: groups of nodes, what they are made of, do and stand in.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "catalog/server_parts.h"
#include "fields/apart.h"
#include "spec/ha.h"

namespace clusterc {

struct Software;

enum class Role {
  compute,
  login,
  scheduler,
  provisioning,
  fabric_manager,
  storage,
  control_plane,
  etcd,
  monitoring,
  gateway
};
template <>
struct EnumNames<Role> {
  static constexpr auto names = enum_table<Role>({{Role::compute, "compute"},
                                                  {Role::login, "login"},
                                                  {Role::scheduler, "scheduler"},
                                                  {Role::provisioning, "provisioning"},
                                                  {Role::fabric_manager, "fabric-manager"},
                                                  {Role::storage, "storage"},
                                                  {Role::control_plane, "control-plane"},
                                                  {Role::etcd, "etcd"},
                                                  {Role::monitoring, "monitoring"},
                                                  {Role::gateway, "gateway"}});
};

struct VirtualMachine {
  SourceSpan span;
  Value<std::int64_t> cpus;
  Value<Bytes> memory;
  Value<std::string> host;
  static constexpr std::string_view type_name = "virtual machine";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("cpus", s.cpus, {.required = true, .doc = "virtual processors", .least = 1, .most = 4096});
    v("memory", s.memory, {.required = true, .doc = "memory"});
    v("host", s.host, {.doc = "node group or outside host that carries it"});
  }
};

struct RackPosition {  // where one node stands: "r01/U5"
  SourceSpan span;
  Value<std::string> rack;
  Value<std::int64_t> unit;
  static constexpr std::string_view type_name = "rack position";
  static bool from_text(std::string_view, RackPosition&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rack", s.rack, {.required = true, .doc = "rack"});
    v("unit", s.unit, {.doc = "lowest rack unit, counted from the bottom", .least = 1, .most = 60});
  }
};

// A circuit of the building that nodes without a rack are plugged into.
struct WallCircuit {
  SourceSpan span;
  Value<Volts> voltage;
  Value<Amperes> breaker;
  Value<std::int64_t> nodes;
  Value<std::string> cooling;
  static constexpr std::string_view type_name = "wall circuit";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("voltage", s.voltage, {.required = true, .doc = "voltage of the outlet: 120 V, 230 V"});
    v("breaker", s.breaker, {.required = true, .doc = "rating of its breaker: 15 A, 16 A"});
    v("nodes", s.nodes,
      {.standard = "1", .why = "a circuit for each", .doc = "nodes on one circuit", .least = 1, .most = 100});
    v("cooling", s.cooling, {.doc = "cooling zone of the room where they stand, which takes their heat"});
  }
};

struct Spot {  // instances that the provider may take away
  SourceSpan span;
  Value<double> interrupted;
  static constexpr std::string_view type_name = "spot";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("interrupted", s.interrupted,
      {.required = true,
       .doc = "share of the instances that the provider takes away in a month: 0.05. AWS publishes it by type and "
              "region as the frequency of interruption",
       .least = 0,
       .most = 1});
  }
};

struct NodeGroup : Fittings {
  SourceSpan span;
  Value<std::string> names, model, racks, from, instance;
  std::optional<ServerPart> server;
  std::optional<VirtualMachine> virtual_machine;
  std::vector<Value<Role>> roles;
  Value<HaMode> ha;
  Value<std::int64_t> per_rack, scalable_unit, spares, weight;
  std::vector<Value<std::string>> features;
  Value<Bytes> job_memory;
  Value<double> billing;
  NamedMap<RackPosition> at;
  std::optional<WallCircuit> wall;
  std::optional<Spot> spot;
  Value<Watts> power_cap, gpu_power_limit;
  MaybeApart<Software> software;
  static constexpr std::string_view type_name = "node group";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("names", s.names, {.required = true, .doc = "host names: gpu[001-127]"});
    v("model", s.model, {.doc = "catalogue server"});
    v("server", s.server,
      {.doc = "a catalogue server with changes (like: …), or all of it in the catalogue's own fields"});
    v("from", s.from, {.doc = "trays of assemblies, in order: nvl.compute-trays"});
    v("instance", s.instance, {.doc = "cloud instance type (a catalogue server)"});
    v("spot", s.spot, {.doc = "the instances are spot instances: { interrupted: 0.05 }"});
    v("virtual_machine", s.virtual_machine, {.doc = "a virtual machine of this size"});
    v("racks", s.racks, {.doc = "rack group that they stand in"});
    v("per_rack", s.per_rack,
      {.doc = "nodes in each rack; left out: as many as fit and the lines of their PDUs carry",
       .least = 1,
       .most = 60});
    v("wall", s.wall, {.doc = "circuit of nodes that stand in no rack: { voltage: 120 V, breaker: 15 A }"});
    v("at", s.at, {.doc = "places of single nodes: { gpu001: r01/U5 }"});
    v("scalable_unit", s.scalable_unit,
      {.doc = "nodes of one scalable unit; left out: what one leaf switch takes", .least = 1, .most = 1e6});
    v("roles", s.roles, {.doc = "what they do besides (or instead of) computing"});
    v("ha", s.ha, {.doc = "how their service survives the loss of one"});
    v("spares", s.spares, {.doc = "nodes held back for repair", .least = 0, .most = 1e6});
    v("features", s.features,
      {.doc = "Slurm: further features that jobs may ask for (`--constraint`), besides the group and the type of its "
              "GPUs"});
    v("weight", s.weight,
      {.doc = "Slurm: nodes with a smaller weight get jobs first; left out: 1", .least = 1, .most = 4294967294.0});
    v("job_memory", s.job_memory,
      {.doc =
           "memory of a node that jobs may use, as `slurmd -C` shows it; left out: `memory` less what firmware, kernel "
           "and daemons hold"});
    v("billing", s.billing,
      {.doc =
           "what an hour of a whole node counts in the shares of teams, in hours of one thread; left out: its threads, "
           "and for nodes with GPUs the threads of the largest node",
       .least = 1,
       .most = 1e9});
    v("power_cap", s.power_cap, {.doc = "power limit that is enforced on each node"});
    v("gpu_power_limit", s.gpu_power_limit, {.doc = "power limit that is set on each GPU"});
    Fittings::describe(s, v);
    v("software", s.software, {.doc = "what differs for this group"});
  }
};

}  // namespace clusterc
