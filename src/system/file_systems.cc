#include "system/file_systems.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/storage.h"
#include "system/addresses_in_use.h"
#include "system/each_address.h"
#include "system/interfaces.h"
#include "system/mount_source.h"
#include "system/storage_targets.h"

namespace clusterc {
namespace {

// Sizes on a label and of the drive itself differ by what vendors keep back; the next size that is sold is 4 % away
// (1.92 and 2 TB).
constexpr double kSizeTolerance = 0.02;

bool is_local(const StorageModel& s) { return s.spec && s.spec->kind && *s.spec->kind == StorageKind::local; }
bool is_nfs(const StorageModel& s) { return s.spec && s.spec->kind && *s.spec->kind == StorageKind::nfs; }

// Whether these nodes keep the data of this storage.
bool keeps(const Cluster& c, const StorageModel& s, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  if (!s.spec || !s.spec->mount || g.count == 0) return false;
  if (is_local(s)) return mounts(s, g) && (g.computes || !s.spec->on.empty());
  return is_nfs(s) && s.nodes == group;
}

// The groups that may keep it so, ascending.
std::vector<int> keepers_of(const Cluster& c, int storage) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (!s.spec) return {};
  if (is_local(s)) return groups_named_by(c, *s.spec);
  return is_nfs(s) && s.nodes >= 0 ? std::vector<int>{s.nodes} : std::vector<int>{};
}

// The entry of the nodes' drives that it lies on; null: `why` says why none does.
const Named<Drives>* entry_of(const Cluster& c, int storage, int group, std::string& why) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const Named<Drives>* found = nullptr;
  for (const auto& d : g.server.part.drives) {
    if (s.spec->drives ? d.name != *s.spec->drives : d.name == "boot") continue;
    if (found)
      return why = "'" + g.name + "' has several entries of drives besides boot, and `drives` names none of them",
             nullptr;
    found = &d;
  }
  if (!found)
    return why = "'" + g.name + "' has no drives " +
                 (s.spec->drives ? "named '" + *s.spec->drives + "'" : std::string("besides boot")),
           nullptr;
  if (!found->value.size) return why = "the size of drives '" + found->name + "' is not known", nullptr;
  // An installer takes the entry `boot` (install.cc): a system lies there, and no second file system is ever made
  // beside it.
  if (found->name == "boot") return why = "the operating system of '" + g.name + "' is on 'boot'", nullptr;
  return found;
}

// Drives that other machines reach too: to mount them from one is to destroy what the other writes.
bool is_shared(const Named<Drives>* entry) { return entry && entry->value.shared.value_or(false); }

// The level that makes one device of all drives; nullopt: the spec does not say how. What has no redundancy of its own
// is striped where it is scratch: its room is the sum of its drives (rule storage-scratch-absent-or-small).
std::optional<std::string> raid_of(const StorageModel& s, std::int64_t count, std::string& why) {
  const Value<std::string>& text = s.spec->protection;
  if (!text) {
    if (count == 1) return std::string();
    if (is_local(s)) return "0";
    return why = "it has " + std::to_string(count) + " drives on each node and no `protection`, such as raid6 " +
                 std::to_string(std::max<std::int64_t>(count - 2, 1)) + "+2",
           std::nullopt;
  }
  const auto p = parse_protection(*text);
  const std::string_view level = p && p->kind == Protection::Kind::raid
                                     ? std::string_view(*text).substr(4, text->find(' ') - 4)
                                     : std::string_view();
  const bool fits = (level == "0" && p->parity == 0) || (level == "1" && p->data == 1) ||
                    (level == "5" && p->parity == 1) || (level == "6" && p->parity == 2) ||
                    (level == "10" && p->parity == p->data);
  if (!fits)
    return why =
               "'" + one_line(*text) +
               "' is not a RAID level that a node can create (raid0 4+0, raid1 1+1, raid5 4+1, raid6 8+2, raid10 4+4)",
           std::nullopt;
  if (p->data + p->parity != count)
    return why = "'" + one_line(*text) + "' needs " + std::to_string(p->data + p->parity) +
                 " drives, but each node has " + std::to_string(count),
           std::nullopt;
  return std::string(level);
}

// The network over which the group reaches who serves the storage: one that is for storage alone before one that
// carries it too, before any other; -1: none.
int network_between(const Cluster& c, int storage, int group) {
  const auto is_in = [&](const GroupEnd& at) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    const EndPoints& e = net.ends[static_cast<std::size_t>(at.end)];
    return e.members > 0 && !is_management_port(c, net, e);
  };
  int best = -1, rank = 0;
  std::vector<GroupEnd> servers = ends_of_servers(c, storage);
  std::erase_if(servers, std::not_fn(is_in));
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const int n = at.network;
    const NetworkModel& net = c.networks[static_cast<std::size_t>(n)];
    if (!net.subnet || !is_in(at) || !std::ranges::binary_search(servers, n, {}, &GroupEnd::network)) continue;
    const int mine = !net.carries_traffic(Traffic::storage) ? 1 : net.carries_traffic(Traffic::inband) ? 2 : 3;
    if (mine > rank) best = n, rank = mine;
  }
  return best;
}

// The server as hosts calls its address in that network; empty: none that these nodes reach.
std::string nfs_server(const Cluster& c, const Plan& plan, int storage, int group) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (s.spec->servers && s.spec->servers->external) return *s.spec->servers->external;
  const int n = network_between(c, storage, group);
  if (n < 0) return {};
  const std::string& network = c.networks[static_cast<std::size_t>(n)].name;
  if (s.nodes < 0) return s.name + "-1-" + network;
  const std::string server = c.nodes[static_cast<std::size_t>(s.nodes)].names.name(0);
  return home_of(c, plan, s.nodes).network == n ? server : server + "-" + network;
}

// Where the group is in a network with the address; -1: nowhere.
int network_at(const Cluster& c, std::uint32_t address, int group) {
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    const EndPoints& e = net.ends[static_cast<std::size_t>(at.end)];
    if (net.subnet && net.subnet->contains(address) && e.members > 0 && !is_management_port(c, net, e))
      return at.network;
  }
  return -1;
}

bool is_of(const StorageModel& s, StorageKind kind) {
  return s.spec && s.spec->kind && *s.spec->kind == kind && s.spec->mount;
}

// The network that NODE-NETWORK of hosts means; nullopt: it is no such name.
std::optional<int> network_of_alias(const Cluster& c, std::string_view host) {
  const std::string_view name = without_domain(c, host);
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const std::string behind = "-" + c.networks[n].name;
    if (!name.ends_with(behind)) continue;
    for (const NodeGroupModel& g : c.nodes)
      if (g.names.index_of(name.substr(0, name.size() - behind.size())) >= 0) return static_cast<int>(n);
  }
  return std::nullopt;
}

// What a client of this kind mounts; nullopt: the spec does not say, or says it badly.
std::optional<NetworkMount> mount_of_source(const Cluster& c, const StorageModel& s, int group) {
  if (!s.spec->source) return std::nullopt;
  std::string why;
  if (is_of(s, StorageKind::lustre)) {
    const auto source = read_lustre_source(*s.spec->source, why);
    const bool reached = source && std::any_of(source->nids.begin(), source->nids.end(), [&](const LustreNid& nid) {
                           return nid.address == 0 || network_at(c, nid.address, group) >= 0;
                         });
    // flock: locks of files hold between nodes, which is the default since Lustre 2.13 only (mount.lustre(8))
    return reached ? std::optional(NetworkMount{*s.spec->source, *s.spec->mount, "lustre", "flock,_netdev"})
                   : std::nullopt;
  }
  if (!is_of(s, StorageKind::beegfs) || !is_mount_host(*s.spec->source)) return std::nullopt;
  if (const auto network = network_of_alias(c, *s.spec->source); network && end_points_of(c, *network, group) < 0)
    return std::nullopt;
  // The file is the client package's own, and names the file with the secret of connections (connAuthFile,
  // /etc/beegfs/conn.auth).
  return NetworkMount{"beegfs_nodev", *s.spec->mount, "beegfs",
                      "cfgFile=/etc/beegfs/beegfs-client.conf,sysMgmtdHost=" + *s.spec->source + ",_netdev"};
}

std::optional<NetworkMount> network_mount(const Cluster& c, const Plan& plan, int storage, int group) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (serves(c, s, group) || !mounts(s, c.nodes[static_cast<std::size_t>(group)])) return std::nullopt;
  if (!is_nfs(s)) return mount_of_source(c, s, group);
  NfsSource from{"", *s.spec->mount};
  std::string why;
  if (s.nodes < 0 && s.spec->source) from = read_nfs_source(*s.spec->source, why).value_or(from);
  if (asks_for_failover(c, s)) {  // the address that moves: only its network leads to it
    const auto address = s.spec->servers->address ? parse_ipv4(*s.spec->servers->address) : std::nullopt;
    if (!address || network_at(c, *address, group) < 0) return std::nullopt;
    from.host = ipv4_text(*address);
  }
  if (from.host.empty()) from.host = nfs_server(c, plan, storage, group);
  if (from.host.find(':') != std::string::npos && !from.host.starts_with('['))
    from.host = "[" + from.host + "]";  // IPv6: nfs(5)
  return from.host.empty()
             ? std::nullopt
             : std::optional(NetworkMount{from.host + ":" + from.folder, *s.spec->mount, "nfs", "hard,_netdev"});
}

bool by_source(const StorageModel& s) { return is_of(s, StorageKind::lustre) || is_of(s, StorageKind::beegfs); }

// Says who does not get what is mounted by its source, and what the others need for it.
void note_source(const Cluster& c, const Plan& plan, int storage, Findings& findings) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  const auto& source = s.spec->source;
  const bool lustre = is_of(s, StorageKind::lustre);
  std::vector<std::string> left;
  for (const int g : groups_named_by(c, *s.spec))
    if (const NodeGroupModel& of = c.nodes[static_cast<std::size_t>(g)];
        of.count > 0 && !serves(c, s, g) && (of.computes || !s.spec->on.empty()) && !network_mount(c, plan, storage, g))
      left.push_back("'" + of.name + "'");
  if (!left.empty())
    findings
        .note("storage-not-mounted", source.span,
              "'" + s.name + "' is not mounted on " + join(left, ", ") +
                  ": no network with a subnet connects them to its management servers")
        .help("no output sets up LNet routers between networks, or a mount through them: set up both by hand");
  findings
      .note("storage-client-uninstalled", s.span,
            "'" + s.name + "' is mounted by fstab, but no output installs the client of " +
                (lustre ? "Lustre" : "BeeGFS"))
      .help(lustre ? "install the client that is built for the nodes' kernel; the health check fails until the file "
                     "system is mounted"
                   : "install beegfs-client, and put the connection secret into the file that its beegfs-client.conf "
                     "names; the health check fails until the file system is mounted");
}

// o2ib is LNet over RDMA: an Ethernet port without it has none.
void check_lnets(const Cluster& c, const StorageModel& s, const LustreSource& source, Findings& findings) {
  for (const LustreNid& nid : source.nids)
    for (const NetworkModel& n : c.networks) {
      if (!nid.net.starts_with("o2ib") || nid.address == 0 || !n.subnet || !n.subnet->contains(nid.address) ||
          n.kind != LinkKind::ethernet)
        continue;
      if (n.spec && (n.spec->rdma.value_or(Rdma::none) != Rdma::none || n.spec->roce)) continue;
      findings
          .warning("storage-lnet-without-rdma", s.spec->source.span,
                   "'" + nid.net + "' is LNet over RDMA, but '" + ipv4_text(nid.address) + "' is in network '" +
                       n.name + "', which is Ethernet without `rdma`")
          .help("use @tcp in the `source`, or write `rdma: roce` in the network");
      return;
    }
}

// A `source` beside servers that are bought: the plan gives these their addresses, and hosts and zones have those.
void check_bought_source(const Cluster& c, const Plan& plan, int storage, Findings& findings) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (!s.part || !s.spec || !s.spec->source) return;
  std::vector<std::uint32_t> written;
  std::string why;
  if (is_of(s, StorageKind::lustre)) {
    if (const auto source = read_lustre_source(*s.spec->source, why))
      for (const LustreNid& nid : source->nids)
        if (nid.address != 0) written.push_back(nid.address);
  } else if (is_of(s, StorageKind::beegfs)) {
    if (const auto address = parse_ipv4(*s.spec->source)) written.push_back(*address);
  }
  std::vector<std::pair<const AddressPlan*, int>> planned;  // with an EndPoints of its servers
  for (const AddressPlan& a : plan.addresses) {
    const std::vector<EndPoints>& ends = c.networks[static_cast<std::size_t>(a.network)].ends;
    for (std::size_t e = 0; e < ends.size(); ++e)
      if (ends[e].storage == storage && a.first[e] != 0) planned.emplace_back(&a, static_cast<int>(e));
  }
  for (const std::uint32_t address : written) {
    if (planned.empty() || std::any_of(planned.begin(), planned.end(), [&](const auto& p) {
          return AddressesInUse(plan, *p.first).contains(p.second, address);
        }))
      continue;
    findings
        .warning("storage-source-elsewhere", s.spec->source.span,
                 "'" + ipv4_text(address) + "' is not an address of the servers of '" + s.name +
                     "': in the plan their first address is " +
                     ipv4_text(plan.address(planned[0].first->network, planned[0].second, 0)) +
                     ", so /etc/hosts and the mounts would name different machines")
        .help(
            "use the address that stands for `" + s.name +
            "-1-NETWORK` in the compiled file hosts; if its management servers are other machines, accept the finding");
    return;
  }
}

// What to write where data_drives() says `why` there is no file system.
std::string drives_help(const Cluster& c, int storage, int group, const std::string& why) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  std::string ignored, of_raid;
  if (const auto* entry = entry_of(c, storage, group, ignored)) {
    const std::int64_t count = entry->value.count.value_or(1);
    if (!raid_of(s, count, of_raid) && of_raid == why)
      return count == 1   ? std::string("leave `protection` out: each node has one drive for it")
             : count == 2 ? std::string("write `protection: raid1 1+1`")
             : count == 3 ? std::string("write `protection: raid5 2+1`")
                          : "write `protection: raid6 " + std::to_string(count - 2) +
                                "+2`, or another RAID level of all " + std::to_string(count) + " drives";
  }
  return std::string(
             "choose an entry of the nodes' `drives` that has a `size`, is not `boot` and holds no other storage (add "
             "one if "
             "there is none), and write its name in `drives` of this storage") +
         (is_local(s) ? "" : "; if the entry has several drives, write their RAID level in `protection`");
}

}  // namespace

DriveChoice drive_choice(const Drives& d) {
  DriveChoice out{.count = d.count.value_or(1), .kind = enum_text(d.kind.value_or(DriveKind::nvme))};
  out.least = static_cast<std::uint64_t>(d.size->value * (1 - kSizeTolerance) / kSector);
  out.most = static_cast<std::uint64_t>(d.size->value * (1 + kSizeTolerance) / kSector);
  return out;
}

namespace {

std::optional<DataDrives> drives_of(const Cluster& c, int storage, int group, std::string& missing) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  const auto* entry = entry_of(c, storage, group, missing);
  if (!entry) return std::nullopt;
  for (const int before : storage_of_group(c, group)) {
    if (before >= storage) break;
    std::string of_other;
    if (keeps(c, c.storage[static_cast<std::size_t>(before)], group) && entry_of(c, before, group, of_other) == entry)
      return missing = "'" + c.storage[static_cast<std::size_t>(before)].name + "' already uses the drives '" +
                       entry->name + "' of '" + c.nodes[static_cast<std::size_t>(group)].name + "'",
             std::nullopt;
  }
  const DriveChoice drives = drive_choice(entry->value);
  const auto raid = raid_of(s, drives.count, missing);
  return raid ? std::optional(DataDrives{s.name, *s.spec->mount, drives, *raid}) : std::nullopt;
}

}  // namespace

std::optional<DataDrives> data_drives(const Cluster& c, int storage, int group, std::string* why) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  std::string reason;
  std::string& missing = why ? *why : reason;
  if (!keeps(c, s, group) || asks_for_failover(c, s)) return std::nullopt;
  const auto* entry = entry_of(c, storage, group, missing);
  if (is_shared(entry))
    return missing = "the drives '" + entry->name + "' of '" + c.nodes[static_cast<std::size_t>(group)].name +
                     "' are shared, and only NFS that fails over uses such drives",
           std::nullopt;
  return entry ? drives_of(c, storage, group, missing) : std::nullopt;
}

bool asks_for_failover(const Cluster& c, const StorageModel& s) {
  if (!served_by_nodes(c, s)) return false;
  if (s.spec->servers->address || s.spec->servers->fence) return true;
  std::string why;
  return is_shared(entry_of(c, static_cast<int>(&s - c.storage.data()), s.nodes, why));
}

std::optional<DataDrives> shared_drives(const Cluster& c, int storage, std::string* why) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  std::string reason;
  std::string& missing = why ? *why : reason;
  const auto* entry = entry_of(c, storage, s.nodes, missing);
  if (entry && !is_shared(entry))
    return missing = "the drives '" + entry->name + "' of '" + c.nodes[static_cast<std::size_t>(s.nodes)].name +
                     "' are inside the servers: after a failure no other server reaches them",
           std::nullopt;
  return entry ? drives_of(c, storage, s.nodes, missing) : std::nullopt;
}

std::vector<NetworkMount> network_mounts(const Cluster& c, const Plan& plan, int group) {
  std::vector<NetworkMount> out;
  for (const int i : storage_of_group(c, group))
    if (auto mount = network_mount(c, plan, i, group)) out.push_back(*std::move(mount));
  return out;
}

std::string lnet_options(const Cluster& c, const Plan& plan, int group, const GroupNetwork& network) {
  std::vector<std::pair<std::string, std::vector<std::string>>> nets;  // as the spec has them first
  for (int i = 0; i < static_cast<int>(c.storage.size()); ++i) {       // servers need not be among those that mount it
    const StorageModel& s = c.storage[static_cast<std::size_t>(i)];
    std::string why;
    if (!s.spec || !s.spec->kind || *s.spec->kind != StorageKind::lustre) continue;
    const bool server = has_targets(s) && serves(c, s, group);  // of Lustre, here
    if (!s.spec->source || !(server || network_mount(c, plan, i, group))) continue;
    const auto source = read_lustre_source(*s.spec->source, why);
    if (!source) continue;
    for (const LustreNid& nid : source->nids) {
      if (nid.address == 0) continue;  // LNet's own choice
      const int over = network_at(c, nid.address, group);
      if (over < 0) continue;
      auto at = std::find_if(nets.begin(), nets.end(), [&](const auto& n) { return n.first == nid.net; });
      if (at == nets.end()) at = nets.insert(nets.end(), {nid.net, {}});
      for (const std::string& device : network.devices_in(over))
        if (std::find(at->second.begin(), at->second.end(), device) == at->second.end()) at->second.push_back(device);
    }
  }
  std::string out;
  for (const auto& [net, devices] : nets)
    if (!devices.empty()) out += (out.empty() ? "" : ",") + net + "(" + join(devices, ",") + ")";
  return out.empty() ? out : "options lnet networks=\"" + out + "\"\n";
}

const Value<std::string>* mounts_from_outside(const Cluster& c, const Plan& plan, int storage, int group) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (!s.spec || !s.spec->servers || !s.spec->servers->external || is_of(s, StorageKind::lustre) ||
      !network_mount(c, plan, storage, group))
    return nullptr;
  return is_nfs(s) ? &s.spec->servers->external : &s.spec->source;
}

bool mounts_over_network(const Cluster& c, const Plan& plan, int storage, int group) {
  return network_mount(c, plan, storage, group).has_value();
}

bool is_mounted_by_us(const Cluster& c, const Plan& plan, int storage, int group) {
  return data_drives(c, storage, group) || mounts_over_network(c, plan, storage, group);
}

void check_sources(const Cluster& c, const Plan& plan, Findings& findings) {
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    check_bought_source(c, plan, static_cast<int>(i), findings);
    if (s.spec && s.spec->servers && s.spec->servers->external)
      for (const int of : groups_of_host(c, without_domain(c, *s.spec->servers->external))) {
        const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(of)];
        findings
            .error("storage-external-own", s.spec->servers->external.span,
                   "'" + *s.spec->servers->external + "' is a node of '" + g.name +
                       "', but `external` is for hosts outside the cluster: no node would export '" + s.name + "'")
            .help("write `servers: { nodes: " + g.name + " }`");
      }
    if (!s.spec || !s.spec->source || !s.spec->kind) continue;
    const auto& source = s.spec->source;
    if (!s.spec->mount && (*s.spec->kind == StorageKind::lustre || *s.spec->kind == StorageKind::beegfs || is_nfs(s)))
      findings
          .warning("storage-source-unused", source.span,
                   "'" + s.name + "' has a `source` but no `mount`: no node mounts it")
          .help("write `mount: /" + s.name + "`, or remove the source");
    const std::string shown = "'" + one_line(source->substr(0, 80)) + "'";
    std::string why;
    if (*s.spec->kind == StorageKind::lustre) {
      if (!read_lustre_source(*source, why))
        findings
            .error("storage-source-malformed", source.span, shown + " is not a source that Lustre can mount: " + why)
            .help("write the NIDs of the management servers, then the name: 10.3.0.5@o2ib:10.3.0.6@o2ib:/scratch");
      else
        check_lnets(c, s, *read_lustre_source(*source, why), findings);
    } else if (*s.spec->kind == StorageKind::beegfs) {
      if (s.nodes >= 0 && !has_targets(s) && is_mount_host(*source) && !parse_ipv4(*source)) {
        const HostPattern& servers = c.nodes[static_cast<std::size_t>(s.nodes)].names;
        const std::string_view name = without_domain(c, *source);
        bool theirs = servers.index_of(name) >= 0;
        for (std::size_t at = name.rfind('-'); !theirs && at != name.npos && at > 0; at = name.rfind('-', at - 1))
          theirs = servers.index_of(name.substr(0, at)) >= 0;
        if (!theirs)
          findings
              .warning("storage-source-elsewhere", source.span,
                       shown + " is not one of the nodes " + servers.text() + " that serve '" + s.name +
                           "': /etc/hosts and the mounts would name different machines")
              .help("use one of these nodes; if the management service runs on another host, accept the finding");
      }
      if (!is_mount_host(*source))
        findings
            .error("storage-source-malformed", source.span,
                   shown + " is not a valid host of the BeeGFS management service")
            .help("write one host name or address: mgmt1");
    } else if (is_nfs(s) && s.nodes < 0) {
      const auto from = read_nfs_source(*source, why);
      const std::string named = !s.spec->servers            ? ""
                                : s.spec->servers->external ? *s.spec->servers->external
                                : s.part                    ? s.name
                                                            : "";
      if (from && !from->host.empty() && !named.empty() && from->host != named)
        why = "its host is '" + one_line(from->host) + "', but `servers` names '" + one_line(named) + "'";
      if (!why.empty())
        findings.error("storage-source-malformed", source.span, shown + " is not a source that NFS can mount: " + why)
            .help(
                "write the path that the server exports, and the host before it if `servers` does not name the host: "
                "filer:/vol/home");
    } else if (*s.spec->kind != StorageKind::object) {  // object_store.h
      findings
          .warning(
              "storage-source-unused", source.span,
              "'" + s.name + "' is " + std::string(enum_text(*s.spec->kind)) + ", for which `source` has no effect")
          .help("remove it; the exports of the cluster's own nodes follow from `servers` and `mount`");
    }
  }
}

void check_file_systems(const Cluster& c, const Plan& plan, Findings& findings) {
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (is_nfs(s) && s.spec->mount && s.nodes >= 0 && c.nodes[static_cast<std::size_t>(s.nodes)].count > 1 &&
        !asks_for_failover(c, s)) {
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(s.nodes)];
      findings
          .note("storage-takeover-unmade", s.span,
                "'" + s.name + "' is mounted from " + g.names.name(0) +
                    " only: no output implements fail-over to the other nodes of '" + g.name + "'")
          .help(
              "write `shared: true` at drives of an enclosure that both servers reach, and in `servers` `ha: "
              "active-passive`, `address` and `fence`: Pacemaker then moves the service");
    }
    std::string why;
    int keeper = -1;
    for (const int g : keepers_of(c, static_cast<int>(i)))
      if (why.empty()) data_drives(c, static_cast<int>(i), keeper = g, &why);
    if (!why.empty()) {
      findings
          .note("storage-drives-unsaid", s.span,
                "no output creates the file system '" + s.name + "', and no health check covers it: " + why)
          .help(drives_help(c, static_cast<int>(i), keeper, why));
      continue;
    }
    if (!s.spec || !s.spec->kind || !s.spec->mount || is_local(s) || *s.spec->kind == StorageKind::object) continue;
    if (is_nfs(s)) {
      std::vector<std::string> left;
      if (s.spec->mount)
        for (const int g : groups_named_by(c, *s.spec))
          if (const NodeGroupModel& of = c.nodes[static_cast<std::size_t>(g)];
              of.count > 0 && s.nodes != g && (of.computes || !s.spec->on.empty()) &&
              !network_mount(c, plan, static_cast<int>(i), g))
            left.push_back("'" + of.name + "'");
      if (!left.empty())
        findings
            .note("storage-not-mounted", s.span,
                  "'" + s.name + "' is not mounted on " + join(left, ", ") +
                      ": no network with a subnet connects them to its servers")
            .help("name these nodes and the servers in `connects` of one network with a subnet");
    }
    if (is_nfs(s)) continue;
    if (by_source(s) && s.spec->source) {
      note_source(c, plan, static_cast<int>(i), findings);
      continue;
    }
    findings
        .note("storage-not-mounted", s.span,
              "no output mounts '" + s.name + "' (" + std::string(enum_text(*s.spec->kind)) +
                  "), and no health check covers it")
        .help(by_source(s) ? "set its `source`; the nodes then mount it with a client that you install"
                           : "install the vendor's client, and mount it with that client");
  }
}

bool mounts(const StorageModel& s, const NodeGroupModel& g) {
  if (!s.spec || !s.spec->mount) return false;
  if (s.spec->on.empty()) return true;
  return std::any_of(s.spec->on.begin(), s.spec->on.end(),
                     [&](const Value<std::string>& name) { return name.value == g.name; });
}

bool reaches(const Cluster& c, int storage, int group) {
  const StorageModel& s = c.storage[storage];
  const bool outside = s.spec && s.spec->servers && s.spec->servers->external;
  const std::vector<GroupEnd> servers = ends_of_servers(c, storage);
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
    if (is_management_port(c, net, net.ends[static_cast<std::size_t>(at.end)])) continue;
    if (std::ranges::binary_search(servers, at.network, {}, &GroupEnd::network) || (outside && net.subnet)) return true;
  }
  return s.nodes == group && group >= 0;
}

bool served_by_nodes(const Cluster& c, const StorageModel& s) {
  return s.spec && s.spec->kind && *s.spec->kind == StorageKind::nfs && s.spec->mount && s.nodes >= 0 &&
         c.nodes[s.nodes].count > 0;
}

}  // namespace clusterc
