#include "system/nfs_failover.h"

#include <algorithm>
#include <optional>

#include "base/digest.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/storage_path.h"
#include "plan/fabric/addresses.h"
#include "plan/fabric/bgp.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "system/addresses_in_use.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

constexpr std::string_view kId = "nfs-failover-incomplete";

// 128 bits that follow from a text: those of a UUID of version 8 (RFC 9562, section 5.8), as XFS writes it.
std::string uuid_of(std::string_view text) {
  std::string hex = sha256_hex(text).substr(0, 32);
  hex[12] = '8';
  hex[16] = "89ab"[hex[16] >= 'a' ? (hex[16] - 'a' + 10) % 4 : (hex[16] - '0') % 4];
  for (const std::size_t at : {20, 16, 12, 8}) hex.insert(at, "-");
  return hex;
}

// The same bits as mdadm writes them: four words of 32 bits.
std::string array_uuid_of(std::string_view text) {
  std::string hex = replace_all(uuid_of(text), "-", "");
  for (const std::size_t at : {24, 16, 8}) hex.insert(at, ":");
  return hex;
}

// Agents of resources put the path into shell words: what is plain needs no quotes there.
bool is_plain_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-").find(c) != std::string_view::npos;
  });
}

class Judge {
 public:
  Judge(const System& in, int storage)
      : in_(in),
        c_(in.cluster),
        s_(c_.storage[static_cast<std::size_t>(storage)]),
        g_(c_.nodes[static_cast<std::size_t>(s_.nodes)]),
        servers_(*s_.spec->servers) {
    out_.storage = storage, out_.group = s_.nodes;
  }

  std::optional<NfsFailover> judge(Findings& findings) {
    findings_ = &findings;
    mode();
    drives();
    address();
    fence();
    links();
    alone();
    if (!good_) return std::nullopt;
    const std::string name = c_.spec.name.value_or("") + "/" + s_.name;
    out_.file_system_uuid = uuid_of("clusterc nfs file system " + name);
    out_.array_uuid = array_uuid_of("clusterc nfs array " + name);
    return out_;
  }

 private:
  void fail(SourceSpan at, const std::string& why, const std::string& help) {
    good_ = false;
    findings_->error(kId, at.valid() ? at : s_.span, "'" + s_.name + "' cannot fail over: " + why).help(help);
  }

  void mode() {
    const auto ha = storage_ha(c_, s_);
    if (ha != HaMode::active_passive)
      fail(servers_.ha ? servers_.ha.span : servers_.span,
           ha ? "only one of its two servers can serve at a time, but `ha` is " + std::string(enum_text(*ha))
              : "it has no `ha`",
           "write `ha: active-passive` in its `servers`");
    if (g_.count != 2)
      fail(g_.span, "a pair has two servers, but '" + g_.name + "' has " + std::to_string(g_.count),
           "write two names; further servers are groups of their own, each with its storage");
    for (const auto& d : g_.server.part.drives)
      if (d.name == "boot" && d.value.shared.value_or(false))
        fail(d.value.shared.span, "the drives that '" + g_.name + "' starts from are shared",
             "leave `shared` out of `boot`: each server starts from its own drives");
  }

  void drives() {
    std::string why;
    if (auto found = shared_drives(c_, out_.storage, &why)) {
      out_.drives = *std::move(found);
    } else {
      const std::int64_t count = data_drives(c_, s_);
      const std::string half = std::to_string(count / 2);
      fail(s_.spec->protection ? s_.spec->protection.span : s_.span, why,
           !data_on_shared_drives(c_, s_)
               ? "write `shared: true` at drives of an enclosure that both servers reach, `drives: { data: { count: 4, "
                 "size: 7.68 TB, kind: sas, shared: true } }`, and their RAID level: `protection: raid10 2+2`"
           : count == 2     ? std::string("write `protection: raid1 1+1`")
           : count % 2 == 0 ? "write `protection: raid10 " + half + "+" + half + "`"
                            : "write a RAID level of all " + std::to_string(count) + " drives in `protection`");
    }
    alike();
    if (!is_plain_path(*s_.spec->mount))
      fail(s_.spec->mount.span, "the agents that mount it accept only letters, digits and / . _ - in a path",
           "write another path in `mount`");
  }

  // Installers and the role drives choose drives by kind and size: they could take the shared ones for a server's own.
  void alike() {
    if (out_.drives.storage.empty()) return;
    const DriveChoice& shared = out_.drives.drives;
    for (const auto& d : g_.server.part.drives) {
      if (d.value.shared.value_or(false) || !d.value.size) continue;
      const DriveChoice own = drive_choice(d.value);
      if (own.kind == shared.kind && own.least <= shared.most && shared.least <= own.most)
        fail(d.value.size.span,
             "its shared drives have the same kind and size as the drives '" + d.name + "' inside '" + g_.name +
                 "', so the file system for these drives could be created on shared drives",
             "write drives of another kind or size for '" + d.name + "', or for the shared ones");
    }
  }

  // Networks of the servers in which an address can move from one to the other, the first for storage before others.
  std::vector<int> networks() const {
    std::vector<int> out;
    for (const GroupEnd& at : ends_of_group(c_, s_.nodes)) {
      const NetworkModel& net = c_.networks[static_cast<std::size_t>(at.network)];
      const AddressPlan* a = in_.plan.addresses_of(at.network);
      if (!a || !has_addresses(*a) || is_management_port(c_, net, net.ends[static_cast<std::size_t>(at.end)])) continue;
      if (out.empty() || out.back() != at.network) out.push_back(at.network);
    }
    std::stable_partition(out.begin(), out.end(), [&](int n) {
      return c_.networks[static_cast<std::size_t>(n)].carries_traffic(Traffic::storage);
    });
    return out;
  }

  std::string free_address() const {
    for (const int n : networks()) {
      if (has_member_links(in_.plan, n)) continue;
      const AddressPlan& a = *in_.plan.addresses_of(n);
      const std::vector<std::uint32_t> taken = addresses_outside(c_, a.subnet);
      const AddressesInUse in_use(in_.plan, a);
      // Behind the gateway and what is usually set up by hand there.
      for (std::uint32_t address = a.subnet.base + 9; address < a.subnet.broadcast(); ++address)
        if (!in_use.contains(address) && !std::binary_search(taken.begin(), taken.end(), address))
          return ipv4_text(address);
    }
    return "10.10.0.9";
  }

  void address() {
    const std::string help = "write `address: " + free_address() +
                             "` in its `servers`: an address that no host has, "
                             "in a network of the servers and of their clients";
    if (!servers_.address) return fail(servers_.span, "it has no `address` that moves between the servers", help);
    const auto address = parse_ipv4(*servers_.address);
    if (!address) return fail(servers_.address.span, "its `address` is none", help);
    const std::string text = ipv4_text(*address);
    for (const int n : networks()) {
      const AddressPlan& a = *in_.plan.addresses_of(n);
      if (!a.subnet.contains(*address)) continue;
      const std::string& network = c_.networks[static_cast<std::size_t>(n)].name;
      if (has_member_links(in_.plan, n))
        return fail(servers_.address.span,
                    "'" + text + "' is in '" + network + "', whose leaves route: no address moves between ports there",
                    "write an address of another network");
      if (*address == a.subnet.base || *address == a.subnet.broadcast() ||
          AddressesInUse(in_.plan, a).contains(*address))
        return fail(servers_.address.span,
                    "'" + text + "' is the address of another host of '" + network + "', or of the network itself",
                    help);
      out_.address = *address, out_.network = n, out_.prefix = a.subnet.length;
    }
    if (out_.network < 0)
      return fail(servers_.address.span, "'" + text + "' is in no network of '" + g_.name + "'", help);
    for (const NamedHost& host : named_hosts(c_))
      if (parse_ipv4(host.host) == address)
        return fail(servers_.address.span, "'" + text + "' is the address of a host that the spec names elsewhere",
                    help);
    for (const StorageModel& other : c_.storage)
      if (&other < &s_ && asks_for_failover(c_, other) && other.spec->servers->address &&
          parse_ipv4(*other.spec->servers->address) == address)
        fail(servers_.address.span, "'" + other.name + "' has the same address", help);
  }

  void fence() {
    const std::string help =
        "write `fence: { user: fence, password: { file: /etc/cluster/bmc-password } }` in its `servers`: the account "
        "at "
        "the BMCs, and the file on both servers that has its password";
    if (!servers_.fence)
      return fail(servers_.span,
                  "it has no `fence`. A server that does not answer may still write: it must be off before the other "
                  "one mounts the same drives",
                  help);
    out_.user = servers_.fence->user.value_or("");
    const auto& password = servers_.fence->password;
    if (!password || !password->file)
      fail(servers_.fence->span, "the password of its `fence` must be a file on both servers", help);
    else if (!is_plain_path(*password->file))
      fail(password->file.span, "the path of the password has other signs than letters, digits and / . _ -", help);
    else
      out_.password_file = *password->file;
  }

  void links() {
    for (std::size_t m = 0; m < out_.servers.size(); ++m) {
      NfsFailover::Server& server = out_.servers[m];
      const auto member = static_cast<std::int64_t>(m);
      if (g_.count != 2) return;
      server.name = g_.names.name(member);
      for (const int n : networks())
        if (server.links.size() < kMostLinks)
          server.links.push_back(in_.plan.address(n, end_points_of(c_, n, s_.nodes), member));
      for (const GroupEnd& at : ends_of_group(c_, s_.nodes)) {
        const NetworkModel& net = c_.networks[static_cast<std::size_t>(at.network)];
        if (server.bmc == 0 && is_management_port(c_, net, net.ends[static_cast<std::size_t>(at.end)]))
          server.bmc = in_.plan.address(at.network, at.end, member);
      }
    }
    if (out_.servers[0].links.empty())
      fail(g_.span, "its servers have addresses in no network",
           "connect '" + g_.name + "' to a network with a `subnet`");
    if (out_.servers[0].bmc == 0 || out_.servers[1].bmc == 0)
      fail(g_.span, "the BMCs of '" + g_.name + "' have no addresses, so neither server can turn the other off",
           "add a network with a `subnet` and `connects: everything`, which has the management ports");
  }

  // The kernel has one NFS server, which is where the drives are.
  void alone() {
    for (const int i : storage_served_by(c_, s_.nodes)) {
      const StorageModel& other = c_.storage[static_cast<std::size_t>(i)];
      if (i != out_.storage && served_by_nodes(c_, other) && (i < out_.storage || !asks_for_failover(c_, other)))
        fail(s_.span, "its servers also serve '" + other.name + "', and a pair serves one storage",
             "give one of them servers of its own, or make it a folder of the other");
    }
  }

  static constexpr std::size_t kMostLinks = 8;  // of knet: corosync.conf(5), linknumber 0 to 7

  const System& in_;
  const Cluster& c_;
  const StorageModel& s_;
  const NodeGroupModel& g_;
  const StorageServers& servers_;
  Findings* findings_ = nullptr;
  NfsFailover out_;
  bool good_ = true;
};

struct All {
  std::vector<NfsFailover> pairs;
  Findings findings;
};

const All& all_of(const System& in) {
  return in.memo.get("nfs failover", [&] {
    All out;
    for (std::size_t i = 0; i < in.cluster.storage.size(); ++i)
      if (asks_for_failover(in.cluster, in.cluster.storage[i]))
        if (auto pair = Judge(in, static_cast<int>(i)).judge(out.findings)) out.pairs.push_back(*std::move(pair));
    return out;
  });
}

}  // namespace

const std::vector<NfsFailover>& nfs_failovers(const System& in) { return all_of(in).pairs; }

const NfsFailover* nfs_failover_of(const System& in, int group) {
  for (const NfsFailover& pair : nfs_failovers(in))
    if (pair.group == group) return &pair;
  return nullptr;
}

void check_nfs_failover(const System& in, Findings& findings) {
  for (const NfsFailover& pair : nfs_failovers(in))
    findings
        .note(
            "nfs-enclosure-unplanned", in.cluster.storage[static_cast<std::size_t>(pair.storage)].span,
            "the enclosure with the drives of '" + pair.drives.storage + "' is in no rack, no bill and no power budget")
        .help("keep rack units and power free for it, and order it with its drives and cables");
  for (const Finding& f : all_of(in).findings.all()) findings.all().push_back(f);
}

}  // namespace clusterc
