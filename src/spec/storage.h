// The section `storage` of a spec: file systems and object stores, who serves them, who mounts them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "catalog/parts.h"
#include "spec/ha.h"

namespace clusterc {

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
// The account at the BMCs by which one server of a pair turns the other off.
struct FenceAccount {
  SourceSpan span;
  Value<std::string> user;
  std::optional<SecretRef> password;
  static constexpr std::string_view type_name = "fencing account";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("user", s.user, {.required = true, .doc = "account of the BMCs that may turn a server off"});
    v("password", s.password,
      {.required = true, .doc = "reference to its password: { file: /etc/cluster/bmc-password }"});
  }
};
struct StorageServers {
  SourceSpan span;
  Value<std::string> model, nodes, external, racks, address;
  Value<std::int64_t> count;
  Value<HaMode> ha;
  std::optional<FenceAccount> fence;
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
    v("address", s.address,
      {.doc = "nfs with `ha: active-passive`: the address that clients mount, which moves between the two servers"});
    v("fence", s.fence, {.doc = "with `address`: the account at the BMCs by which one server turns the other off"});
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
// The targets of one kind on each server, or on each fail-over pair of servers.
struct StorageTargetSet {
  SourceSpan span;
  Value<std::string> nodes, paths;
  static constexpr std::string_view type_name = "storage targets", example = "/dev/mapper/ost[0-5]";
  static bool from_text(std::string_view, StorageTargetSet&, std::string& error);  // paths
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("nodes", s.nodes, {.doc = "node group that has them; left out: the group that serves"});
    v("paths", s.paths,
      {.required = true,
       .doc =
           "on each server, or on each fail-over pair: `/dev/mapper/ost[0-5]`. lustre: block devices; beegfs: folders "
           "on mounted file systems"});
  }
};
struct StorageTargets {
  SourceSpan span;
  std::optional<StorageTargetSet> management, metadata, data;
  static constexpr std::string_view type_name = "targets of a file system";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("management", s.management,
      {.doc = "lustre: the MGT; left out: on the first MDT. beegfs: folder of the management service; "
              "left out: /var/lib/beegfs of the first metadata server"});
    v("metadata", s.metadata, {.required = true, .doc = "lustre: MDTs; beegfs: one folder of each metadata server"});
    v("data", s.data, {.required = true, .doc = "lustre: OSTs; beegfs: storage targets"});
  }
};
struct Striping {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<Bytes> size;
  static constexpr std::string_view type_name = "striping";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.doc = "targets of a file; -1: all", .least = -1, .most = 2000});
    v("size", s.size, {.doc = "bytes on one target before the next: 4 MiB"});
  }
};
// What is copied into an object store, and how often.
struct StorageCopies {
  SourceSpan span;
  Value<std::string> from, folder;
  Value<Seconds> every;
  Value<BytesPerSecond> rate;
  static constexpr std::string_view type_name = "copies";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("from", s.from, {.required = true, .doc = "storage that is copied"});
    v("folder", s.folder, {.doc = "folder of it; left out: all of it"});
    v("every", s.every, {.standard = "1 h", .why = "hourly", .doc = "time between the end of one copy and the next"});
    v("rate", s.rate, {.doc = "most bandwidth that copies take; left out: no limit"});
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
  std::optional<StorageTargets> targets;
  std::optional<Striping> stripe;
  std::optional<SecretRef> secret;
  std::optional<StorageCopies> copies;
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
              "host before it or in `servers`, filer:/vol/home; object: end point and bucket, "
              "https://s3.example.org/checkpoints"});
    v("on", s.on, {.doc = "node groups that mount it; left out: all"});
    v("drives", s.drives, {.doc = "local: entry of drives that it lies on"});
    v("capacity", s.capacity, {.doc = "usable capacity"});
    v("demand", s.demand, {.doc = "what it must sustain"});
    v("protection", s.protection, {.doc = "redundancy: raid6 8+2, erasure 8+2, replica 3"});
    v("targets", s.targets, {.doc = "lustre and beegfs on node groups: what the servers serve"});
    v("stripe", s.stripe, {.doc = "lustre and beegfs on node groups: striping of new files"});
    v("secret", s.secret,
      {.doc = "beegfs on node groups: file on servers and clients with their shared secret, { file: "
              "/etc/beegfs/conn.auth }; object: file of credentials on the nodes of `on`, { file: "
              "/etc/cluster/s3-credentials }"});
    v("copies", s.copies, {.doc = "object: checkpoints that the first node of `on` copies there"});
    v("kubernetes", s.kubernetes, {.doc = "how Kubernetes offers it"});
  }
};

}  // namespace clusterc
