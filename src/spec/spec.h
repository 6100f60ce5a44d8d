// The spec language, version 1, as types. docs/language.md explains it; schemas/spec.schema.json and
// docs/spec-reference.md are generated from here.
#pragma once
#include <functional>
#include <string>

#include "spec/prices.h"
#include "spec/site.h"
#include "spec/software.h"
#include "yaml/document.h"

namespace clusterc {

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

struct NodeGroup : Fittings {
  SourceSpan span;
  Value<std::string> names, model, racks, from, instance;
  std::optional<ServerPart> server;
  std::optional<VirtualMachine> virtual_machine;
  std::vector<Value<Role>> roles;
  Value<HaMode> ha;
  Value<std::int64_t> per_rack, scalable_unit, spares;
  NamedMap<RackPosition> at;
  Value<Watts> power_cap, gpu_power_limit;
  std::optional<Software> software;
  static constexpr std::string_view type_name = "node group";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("names", s.names, {.required = true, .doc = "host names: gpu[001-127]"});
    v("model", s.model, {.doc = "catalogue server"});
    v("server", s.server,
      {.doc = "a catalogue server with changes (like: …), or all of it in the catalogue's own fields"});
    v("from", s.from, {.doc = "trays of assemblies, in order: nvl.compute-trays"});
    v("instance", s.instance, {.doc = "cloud instance type (a catalogue server)"});
    v("virtual_machine", s.virtual_machine, {.doc = "a virtual machine of this size"});
    v("racks", s.racks, {.doc = "rack group that they stand in"});
    v("per_rack", s.per_rack,
      {.doc = "nodes in each rack; left out: as many as fit and the lines of their PDUs carry",
       .least = 1,
       .most = 60});
    v("at", s.at, {.doc = "places of single nodes: { gpu001: r01/U5 }"});
    v("scalable_unit", s.scalable_unit,
      {.doc = "nodes of one scalable unit; left out: what one leaf switch takes", .least = 1, .most = 1e6});
    v("roles", s.roles, {.doc = "what they do besides (or instead of) computing"});
    v("ha", s.ha, {.doc = "how their service survives the loss of one"});
    v("spares", s.spares, {.doc = "nodes held back for repair", .least = 0, .most = 1e6});
    v("power_cap", s.power_cap, {.doc = "power limit that is enforced on each node"});
    v("gpu_power_limit", s.gpu_power_limit, {.doc = "power limit that is set on each GPU"});
    Fittings::describe(s, v);
    v("software", s.software, {.doc = "what differs for this group"});
  }
};

enum class Rdma { none, roce, iwarp };
template <>
struct EnumNames<Rdma> {
  static constexpr auto names = enum_table<Rdma>({{Rdma::none, "none"}, {Rdma::roce, "roce"}, {Rdma::iwarp, "iwarp"}});
};
enum class NetworkTopology { rail_optimised, fat_tree, rail_only, single };
template <>
struct EnumNames<NetworkTopology> {
  static constexpr auto names = enum_table<NetworkTopology>({{NetworkTopology::rail_optimised, "rail-optimised"},
                                                             {NetworkTopology::fat_tree, "fat-tree"},
                                                             {NetworkTopology::rail_only, "rail-only"},
                                                             {NetworkTopology::single, "single"}});
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

struct Network {
  SourceSpan span;
  Value<LinkKind> kind;
  Value<Rdma> rdma;
  Value<bool> spectrum_x, sharp, adaptive_routing;
  Value<BitsPerSecond> rate;
  Value<std::string> switch_model, racks, shares_switches_with, subnet, gateway, routing;
  std::vector<Value<Medium>> media;
  NamedMap<Value<std::string>> tiers;
  std::optional<RocePlan> roce;
  Value<NetworkTopology> topology;
  Value<AirPath> airflow;
  Value<RackSide> ports_face;
  Value<std::int64_t> rails, planes, breakout, bond, vlan, mtu, asn;
  Value<double> oversubscription;
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
    v("switch", s.switch_model, {.doc = "catalogue switch"});
    v("tiers", s.tiers, {.doc = "other switches by tier: { spine: nvidia-sn5600 }"});
    v("roce", s.roce,
      {.doc = "lossless class and congestion control of RoCE; left out: none is planned, written or checked; `{}`: the "
              "defaults of its keys"});
    v("racks", s.racks, {.doc = "rack group for the switches; left out: beside the nodes"});
    v("shares_switches_with", s.shares_switches_with, {.doc = "network on whose switches this one runs"});
    v("topology", s.topology, {.doc = "left out: one switch where all ports fit, else a fat tree"});
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

enum class StorageKind { lustre, beegfs, nfs, object, local, gpfs, daos, weka, vast };
template <>
struct EnumNames<StorageKind> {
  static constexpr auto names = enum_table<StorageKind>({{StorageKind::lustre, "lustre"},
                                                         {StorageKind::beegfs, "beegfs"},
                                                         {StorageKind::nfs, "nfs"},
                                                         {StorageKind::object, "object"},
                                                         {StorageKind::local, "local"},
                                                         {StorageKind::gpfs, "gpfs"},
                                                         {StorageKind::daos, "daos"},
                                                         {StorageKind::weka, "weka"},
                                                         {StorageKind::vast, "vast"}});
};
struct StorageServers {
  SourceSpan span;
  Value<std::string> model, nodes, external, racks;
  Value<std::int64_t> count;
  Value<HaMode> ha;
  static constexpr std::string_view type_name = "storage servers";
  static bool from_text(std::string_view, StorageServers&, std::string& error);  // a node group's name
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("model", s.model, {.doc = "catalogue storage system that is bought"});
    v("count", s.count, {.standard = "1", .why = "one", .doc = "how many are bought", .least = 1, .most = 100000});
    v("racks", s.racks, {.doc = "rack group for them"});
    v("nodes", s.nodes, {.doc = "node group that serves"});
    v("external", s.external, {.doc = "host that is not part of this cluster"});
    v("ha", s.ha, {.doc = "how the service survives the loss of one"});
  }
};
struct StorageDemand {
  SourceSpan span;
  Value<BytesPerSecond> read, write;
  Value<OpsPerSecond> metadata;
  static constexpr std::string_view type_name = "storage demand";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("read", s.read, {.doc = "bandwidth that is promised to readers"});
    v("write", s.write, {.doc = "bandwidth that is promised to writers"});
    v("metadata", s.metadata, {.doc = "metadata operations"});
  }
};
struct StorageClass {
  SourceSpan span;
  Value<std::string> name, access;
  static constexpr std::string_view type_name = "storage class";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("class", s.name, {.required = true, .doc = "StorageClass name"});
    v("access", s.access, {.doc = "nodes that may mount it for writing", .words = "one|many"});
  }
};
struct Storage {
  SourceSpan span;
  Value<StorageKind> kind;
  Value<Version> version;
  std::optional<StorageServers> servers;
  Value<std::string> mount, source, protection, drives;
  Value<Bytes> capacity;
  std::optional<StorageDemand> demand;
  std::optional<StorageClass> kubernetes;
  std::vector<Value<std::string>> on;
  static constexpr std::string_view type_name = "storage";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "file system or protocol"});
    v("version", s.version, {.doc = "release, as text"});
    v("servers", s.servers, {.doc = "bought systems, a node group, or an outside host"});
    v("mount", s.mount, {.doc = "where clients see it"});
    v("source", s.source,
      {.doc = "what clients mount. lustre: management servers and name, 10.3.0.5@o2ib:10.3.0.6@o2ib:/scratch; beegfs: "
              "host of the management service; nfs: folder of the server where it is not called as `mount`, with the "
              "host before it or in `servers`, filer:/vol/home"});
    v("on", s.on, {.doc = "node groups that mount it; left out: all"});
    v("drives", s.drives, {.doc = "local: entry of drives that it lies on"});
    v("capacity", s.capacity, {.doc = "usable capacity"});
    v("demand", s.demand, {.doc = "what it must sustain"});
    v("protection", s.protection, {.doc = "redundancy: raid6 8+2, erasure 8+2, replica 3"});
    v("kubernetes", s.kubernetes, {.doc = "how Kubernetes offers it"});
  }
};

struct QuotaAmount {  // "32 gpus", "1200 cores"
  SourceSpan span;
  Value<std::int64_t> amount;
  Value<std::string> of;
  static constexpr std::string_view type_name = "quota";
  static bool from_text(std::string_view, QuotaAmount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("amount", s.amount, {.required = true, .doc = "how many", .least = 0, .most = 1e9});
    v("of", s.of, {.required = true, .doc = "what is counted", .words = "gpus|cores|nodes"});
  }
};
struct Team {
  SourceSpan span;
  Value<double> share;
  NamedMap<QuotaAmount> quota;
  std::vector<Value<std::string>> users;
  static constexpr std::string_view type_name = "team";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("share", s.share, {.doc = "fair share: 60 %", .least = 0, .most = 1});
    v("quota", s.quota, {.doc = "most that it may use, by node group: { h100: 32 gpus }"});
    v("users", s.users, {.doc = "accounts"});
  }
};

struct ModelShape {
  SourceSpan span;
  Value<double> parameters, active_parameters;
  Value<std::int64_t> layers, hidden, sequence, heads, kv_heads, head_size, ffn, vocabulary, experts, experts_per_token;
  Value<Bytes> kv_per_token;
  static constexpr std::string_view type_name = "model";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("parameters", s.parameters, {.required = true, .doc = "parameters: 70e9", .least = 1, .most = 1e15});
    v("active_parameters", s.active_parameters,
      {.doc = "parameters used for one token (mixture of experts)", .least = 1, .most = 1e15});
    v("layers", s.layers, {.doc = "layers", .least = 1, .most = 100000});
    v("hidden", s.hidden, {.doc = "hidden size", .least = 1, .most = 1e7});
    v("heads", s.heads, {.doc = "attention heads", .least = 1, .most = 1e6});
    v("kv_heads", s.kv_heads, {.doc = "key-value heads", .least = 1, .most = 1e6});
    v("head_size", s.head_size, {.doc = "numbers of one head; left out: hidden / heads", .least = 1, .most = 1e6});
    v("ffn", s.ffn, {.doc = "width of the feed-forward layers; left out: 4 x hidden", .least = 1, .most = 1e8});
    v("vocabulary", s.vocabulary, {.doc = "tokens of the vocabulary", .least = 1, .most = 1e9});
    v("experts", s.experts, {.doc = "experts", .least = 1, .most = 1e6});
    v("experts_per_token", s.experts_per_token,
      {.doc = "experts that each token goes through", .least = 1, .most = 1e6});
    v("kv_per_token", s.kv_per_token,
      {.doc = "keys and values of one token, where 2 x layers x kv_heads x head size x bytes does not hold (latent "
              "attention)"});
    v("sequence", s.sequence, {.doc = "tokens of one sequence", .least = 1, .most = 1e9});
  }
};
struct TokenCount {  // "4194304 tokens"
  SourceSpan span;
  Value<std::int64_t> tokens;
  static constexpr std::string_view type_name = "tokens";
  static bool from_text(std::string_view, TokenCount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("tokens", s.tokens, {.required = true, .doc = "tokens", .least = 1, .most = 1e18});
  }
};
struct ModelSplit {  // how one copy of the model lies over GPUs, and how many copies there are
  SourceSpan span;
  Value<std::int64_t> tensor, pipeline, data, context, expert, interleave, micro_batch;
  Value<std::string> sharded, recompute;
  static constexpr std::string_view type_name = "split";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("tensor", s.tensor,
      {.standard = "1",
       .why = "no tensor parallelism unless it is written",
       .doc = "GPUs that share each layer",
       .least = 1,
       .most = 1e6});
    v("pipeline", s.pipeline,
      {.standard = "1",
       .why = "one stage unless it is written",
       .doc = "stages of layers, one after the other",
       .least = 1,
       .most = 1e6});
    v("data", s.data, {.doc = "copies of the model; left out: what the GPUs give", .least = 1, .most = 1e6});
    v("context", s.context, {.doc = "GPUs that share each sequence (context parallelism)", .least = 1, .most = 1e6});
    v("expert", s.expert,
      {.doc = "GPUs that the experts are spread over (expert parallelism), out of those that hold copies",
       .least = 1,
       .most = 1e6});
    v("interleave", s.interleave,
      {.doc = "chunks of layers on each stage of the pipeline (virtual stages)", .least = 1, .most = 1e6});
    v("micro_batch", s.micro_batch, {.doc = "sequences that go through the model at a time", .least = 1, .most = 1e6});
    v("recompute", s.recompute,
      {.doc = "what of the forward pass is done again instead of kept: none, selective (attention), alternate (all but "
              "attention and every second matrix product), full (each layer)",
       .words = "none|selective|alternate|full"});
    v("sharded", s.sharded,
      {.standard = "none",
       .why = "each copy holds all of its state unless it is written",
       .doc = "what the copies divide among them: optimizer (ZeRO-1), gradients (ZeRO-2), all (ZeRO-3, FSDP)",
       .words = "none|optimizer|gradients|all"});
  }
};
struct Workload {
  SourceSpan span;
  Value<std::string> kind, precision, kv_precision, optimizer, checkpoint_to;
  std::optional<ModelShape> model;
  std::optional<ModelSplit> split;
  std::optional<TokenCount> batch, train;
  NamedMap<Value<std::int64_t>> on;
  Value<Seconds> within, checkpoint_every, checkpoint_within, resume_within;
  Value<std::int64_t> keep_checkpoints;
  Value<BytesPerSecond> read_per_gpu;
  Value<double> trained_parameters, tokens_per_second, efficiency, gpu_hours_per_interruption;
  static constexpr std::string_view type_name = "workload";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind,
      {.standard = "training",
       .why = "the usual large job",
       .doc = "kind of job",
       .words = "training|fine-tuning|inference|hpc"});
    v("model", s.model, {.doc = "shape of the model"});
    v("precision", s.precision, {.doc = "arithmetic of the matrix products", .words = "bf16|fp16|fp8|fp4|fp32|fp64"});
    v("kv_precision", s.kv_precision,
      {.doc = "inference: of keys and values that are kept; left out: bf16", .words = "bf16|fp16|fp8|fp4"});
    v("optimizer", s.optimizer,
      {.standard = "adam",
       .why = "what large models are trained with",
       .doc = "its state is 12 bytes a parameter (adam), 6 (adam-8bit) or 8 (sgd with momentum), FP32 master weights "
              "included",
       .words = "adam|adam-8bit|sgd"});
    v("trained_parameters", s.trained_parameters,
      {.doc = "fine-tuning: parameters that are trained (adapters); left out: all", .least = 1, .most = 1e15});
    v("split", s.split, {.doc = "how the model is divided over GPUs: { tensor: 8, pipeline: 2, sharded: optimizer }"});
    v("batch", s.batch,
      {.doc = "training: global batch, 4194304 tokens; inference: tokens whose keys and values one copy of the model "
              "holds at once"});
    v("train", s.train, {.doc = "tokens to train on in all"});
    v("within", s.within, {.doc = "time in which it is to be done"});
    v("on", s.on, {.doc = "nodes of each group: { gpu: 64 }"});
    v("checkpoint_every", s.checkpoint_every, {.doc = "time between checkpoints"});
    v("checkpoint_within", s.checkpoint_within, {.doc = "time that one may take"});
    v("checkpoint_to", s.checkpoint_to, {.doc = "storage that keeps them"});
    v("keep_checkpoints", s.keep_checkpoints,
      {.doc = "checkpoints that are kept on shared storage", .least = 1, .most = 1e6});
    v("resume_within", s.resume_within, {.doc = "time from an interruption to the next step of the job"});
    v("read_per_gpu", s.read_per_gpu, {.doc = "training data that each GPU reads while it computes: 0.5 GB/s"});
    v("tokens_per_second", s.tokens_per_second,
      {.doc = "inference: tokens that all copies of the model together are to generate each second",
       .least = 1,
       .most = 1e15});
    v("efficiency", s.efficiency,
      {.doc = "share of the GPU's matrix rate that the layers reach, where it was measured; left out: that of "
              "published runs",
       .least = 0.01,
       .most = 1});
    v("gpu_hours_per_interruption", s.gpu_hours_per_interruption,
      {.doc = "from the logs of the cluster; left out: 50,677, what Llama 3 reports", .least = 1, .most = 1e12});
  }
};

enum class TargetScope { node, pair, rail, group, whole, nvlink_domain };
template <>
struct EnumNames<TargetScope> {
  static constexpr auto names = enum_table<TargetScope>({{TargetScope::node, "node"},
                                                         {TargetScope::pair, "pair"},
                                                         {TargetScope::rail, "rail"},
                                                         {TargetScope::group, "group"},
                                                         {TargetScope::whole, "whole"},
                                                         {TargetScope::nvlink_domain, "nvlink-domain"}});
};
// What the user asks of one test: a floor of their own, another guard, a scope, or to skip it with a reason.
template <class Figure>
struct TargetWish {
  SourceSpan span;
  Value<Figure> floor;
  Value<double> guard;
  Value<TargetScope> scope;
  Value<Bytes> size;
  Value<std::string> skip;
  static constexpr std::string_view type_name = "target";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("floor", s.floor, {.doc = "figure below which it fails; the derived floor is printed beside it"});
    v("guard", s.guard,
      {.standard = "0.97",
       .why = "one discount for measurement spread",
       .doc = "times the lowest healthy figure published for this hardware is the floor",
       .least = 0.5,
       .most = 1});
    v("scope", s.scope, {.doc = "how many take part"});
    v("size", s.size, {.doc = "message or problem size"});
    v("skip", s.skip, {.doc = "the reason for not running it"});
  }
};
struct TestTargets {
  SourceSpan span;
  std::optional<TargetWish<BytesPerSecond>> memory, pcie, nvlink, all_reduce, all_gather, all_to_all, rdma,
      storage_read, storage_write;
  std::optional<TargetWish<FlopsPerSecond>> gemm, hpl;
  static constexpr std::string_view type_name = "targets";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("memory", s.memory, {.doc = "memory bandwidth"});
    v("gemm", s.gemm, {.doc = "matrix multiplication"});
    v("pcie", s.pcie, {.doc = "host to device copy"});
    v("nvlink", s.nvlink, {.doc = "GPU to GPU in one node"});
    v("all_reduce", s.all_reduce, {.doc = "all-reduce bus bandwidth"});
    v("all_gather", s.all_gather, {.doc = "all-gather bus bandwidth"});
    v("all_to_all", s.all_to_all, {.doc = "all-to-all bus bandwidth"});
    v("rdma", s.rdma, {.doc = "one adapter to another"});
    v("hpl", s.hpl, {.doc = "LINPACK"});
    v("storage_read", s.storage_read, {.doc = "storage, reading"});
    v("storage_write", s.storage_write, {.doc = "storage, writing"});
  }
};
struct Targets : TestTargets {
  NamedMap<TestTargets> groups;
  Value<Seconds> burn_in;
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    TestTargets::describe(s, v);
    v("groups", s.groups, {.doc = "what differs for one node group"});
    v("burn_in", s.burn_in,
      {.doc = "time that all nodes run under load before the cluster is accepted; `check` says what a clean run of it "
              "proves",
       .least = 60,
       .most = 3.2e7});
  }
};

struct Acceptance {
  SourceSpan span;
  Value<std::string> rule, at, reason;
  Value<Date> until;
  static constexpr std::string_view type_name = "acceptance";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rule", s.rule, {.required = true, .doc = "rule to accept"});
    v("at", s.at, {.required = true, .doc = "place: path of the key (networks.oob) or name of the object (rack/r07)"});
    v("reason", s.reason, {.required = true, .doc = "why; it stays in the report"});
    v("until", s.until, {.required = true, .doc = "last day: 2027-03-31"});
  }
};

// How cables are chosen and ordered.
struct CablingWish {
  SourceSpan span;
  Value<double> spares;
  Value<Meters> slack;
  Value<std::int64_t> bundle;
  static constexpr std::string_view type_name = "cabling";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("spares", s.spares,
      {.standard = "2 %",
       .why = "planning default: one in fifty, and one at least of every part",
       .doc = "share of each cable, module and fibre that is bought on top, rounded up",
       .least = 0,
       .most = 1});
    v("slack", s.slack,
      {.standard = "0.5 m", .why = "planning default: service loop and cable arm", .doc = "length on top at each end"});
    v("bundle", s.bundle,
      {.standard = "24",
       .why = "planning default: what a hand can tie and an arm can carry",
       .doc = "most cables of one bundle between two racks",
       .least = 1,
       .most = 1000});
  }
};

struct OutputWish {
  SourceSpan span;
  Value<Version> version;
  Value<bool> skip;
  NamedMap<std::vector<Value<std::string>>> extra;
  static constexpr std::string_view type_name = "output";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("version", s.version, {.doc = "release of the program that reads it"});
    v("skip", s.skip, {.doc = "true: do not write it"});
    v("extra", s.extra, {.doc = "further lines by file: { slurm.conf: [ \"SchedulerParameters=bf_continue\" ] }"});
  }
};

// A limit as it was written; the rule that it belongs to says whether that is a share, a count or a quantity.
struct WrittenLimit {
  std::string as_written;
  static constexpr std::string_view type_name = "figure", example = "30 kg", pattern = "^[0-9].*$";
  static std::optional<WrittenLimit> parse(std::string_view text, std::string& error);
  std::string text() const { return as_written; }
  bool operator==(const WrittenLimit&) const = default;
};

struct Spec {
  SourceSpan span;
  Value<std::int64_t> language;
  Value<Version> rules;
  Value<std::string> name, description, inventory, templates;
  std::vector<Value<std::string>> parts;
  std::optional<Site> site;
  NamedMap<RackGroup> racks;
  NamedMap<AssemblyGroup> assemblies;
  NamedMap<NodeGroup> nodes;
  NamedMap<Network> networks;
  CablingWish cabling;
  NamedMap<NvlinkDomain> nvlink;
  NamedMap<Storage> storage;
  Software software;
  NamedMap<Team> teams;
  NamedMap<Workload> workloads;
  Targets targets;
  std::optional<Prices> prices;
  NamedMap<Phase> phases;
  std::vector<Acceptance> accept;
  NamedMap<Value<std::string>> severity;
  NamedMap<Value<WrittenLimit>> thresholds;
  NamedMap<OutputWish> outputs;
  static constexpr std::string_view type_name = "spec";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("clusterc", s.language, {.required = true, .doc = "version of this language: 1", .least = 1, .most = 1});
    v("rules", s.rules,
      {.standard = "2026.11",
       .why = "the only edition so far",
       .doc = "edition of the rule book that judges this spec"});
    v("name", s.name, {.required = true, .doc = "name of the cluster: letters, digits and hyphens"});
    v("description", s.description, {.doc = "one sentence for people"});
    v("parts", s.parts, {.doc = "folders of own parts, relative to the spec"});
    v("inventory", s.inventory,
      {.doc = "CSV with MAC, serial, BMC address and asset tag of each device, relative to the spec"});
    v("templates", s.templates, {.doc = "folder of overrides for compiled files, relative to the spec"});
    v("site", s.site, {.required = true, .doc = "the room, or cloud"});
    v("racks", s.racks, {.doc = "racks by group"});
    v("assemblies", s.assemblies, {.doc = "rack-scale systems by group"});
    v("nodes", s.nodes, {.required = true, .doc = "nodes by group"});
    v("networks", s.networks, {.doc = "networks by name"});
    v("cabling", s.cabling, {.doc = "slack, spares and bundles of cables"});
    v("nvlink", s.nvlink, {.doc = "NVLink domains that span nodes, where no assembly says so"});
    v("storage", s.storage, {.doc = "storage by name"});
    v("software", s.software, {.doc = "software of every node"});
    v("teams", s.teams, {.doc = "who shares the cluster"});
    v("workloads", s.workloads, {.doc = "jobs that it is built for"});
    v("targets", s.targets, {.doc = "figures that it must reach"});
    v("prices", s.prices, {.doc = "what things cost, for the cost of the plan"});
    v("phases", s.phases, {.doc = "steps in which the cluster grows, in order; the last one is the whole spec"});
    v("accept", s.accept, {.doc = "findings that are accepted, with reason and date"});
    v("severity", s.severity, {.doc = "rules whose severity is raised: { cool-density-beyond-method: error }"});
    v("thresholds", s.thresholds,
      {.doc = "limits of policy that this site sets otherwise, by rule: { rack-heavy-device-placed-high: 30 kg }"});
    v("outputs", s.outputs, {.doc = "wishes for compiled files, by output"});
  }
};

// Reads the typed spec; everything wrong with it is in `findings`, nothing is dropped silently. nullopt when too little
// is there to go on (the root is no mapping, or `clusterc:` names another language). Beyond the descriptors it checks:
// the name's letters, name patterns, prefixes and paths are well formed, a secret reference has exactly one of its
// keys, exactly one of model/server/from/instance/virtual_machine in a node group (a model or server may be changed by
// the group's own fittings), `region` and `supply` on a site of one's own. `change`: done to the spec when it was read
// and before it is judged (`--option`).
std::optional<Spec> read_spec(const Document&, const Sources&, Findings&,
                              const std::function<void(Spec&)>& change = {});

}  // namespace clusterc
