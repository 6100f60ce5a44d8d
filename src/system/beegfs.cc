#include "system/beegfs.h"

#include <algorithm>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/rdma.h"
#include "model/storage_path.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/each_address.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

using ServiceKind = StorageTarget::Kind;

// Numbers of nodes and targets have 16 bits (beegfs-setup-storage, -i and -s: 1 to 65535). Target 305 is the fifth of
// server 3: what is added behind keeps the numbers of what is there.
constexpr std::int64_t kMostTargets = 99, kMostServers = 654;
// beegfs-mgmtd.toml, db-file
constexpr std::string_view kManagerFolder = "/var/lib/beegfs";
// beegfs entry set, --chunk-size: a power of two from 64 KiB to 4 GiB
constexpr double kLeastChunk = 65536, kMostChunk = 2147483648;

bool is_beegfs(const StorageModel& s) { return has_targets(s) && *s.spec->kind == StorageKind::beegfs; }

// Values stand in files without quotes.
bool is_plain_path(std::string_view path) {
  return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("/._-").find(c) != std::string_view::npos;
         });
}

class Judge {
 public:
  Judge(const Cluster& c, const Plan& plan, int storage, Findings& findings)
      : c_(c), plan_(plan), s_(c.storage[static_cast<std::size_t>(storage)]), findings_(findings) {
    out_.storage = storage;
  }

  std::optional<BeegfsServers> judge() {
    const std::vector<StorageTarget> targets = storage_targets(c_, out_.storage, findings_);
    if (targets.empty()) return std::nullopt;
    out_.seven = s_.spec->version && s_.spec->version->text().starts_with("7.");
    alone();
    place(targets);
    if (out_.metadata.empty() || out_.data.empty()) return std::nullopt;
    mirrors();
    stripes();
    networks();
    source();
    secret();
    out_.quotas = std::any_of(c_.spec.teams.begin(), c_.spec.teams.end(),
                              [&](const auto& team) { return team.value.storage.find(s_.name) != nullptr; });
    return good_ ? std::optional(out_) : std::nullopt;
  }

 private:
  void fail(SourceSpan at, const std::string& why, const std::string& help) {
    good_ = false;
    findings_
        .error("beegfs-servers-incomplete", at.valid() ? at : s_.span,
               "the servers of '" + s_.name + "' cannot be set up: " + why)
        .help(help);
  }

  std::string node(int group, std::int64_t member) const {
    return c_.nodes[static_cast<std::size_t>(group)].names.name(member);
  }

  // One configuration file of each kind of service on a machine, and one of the client.
  void alone() {
    for (const StorageModel& other : c_.storage)
      if (&other < &s_ && is_beegfs(other))
        fail(s_.span, "'" + other.name + "' is BeeGFS with `targets`, too, and files are compiled for one such storage",
             "take `targets` of one of them out, and set its servers up by hand");
    if (s_.spec->servers->ha)
      fail(s_.spec->servers->ha.span, "clusterc compiles no fail-over of BeeGFS services, which `ha` asks for",
           "take `ha` out; with `protection: replica 2`, buddy mirrors still work if one server fails");
  }

  void place(const std::vector<StorageTarget>& targets) {
    const auto into = [](std::vector<BeegfsServer>& servers, const StorageTarget& t) -> BeegfsServer& {
      if (servers.empty() || servers.back().member != t.member)
        servers.push_back({t.group, t.member, static_cast<std::int64_t>(servers.size()) + 1, {}});
      return servers.back();
    };
    for (const StorageTarget& t : targets) {
      if (t.kind == ServiceKind::management) {
        out_.manager_group = t.group, out_.manager_member = t.member, out_.manager_folder = t.path;
      } else {
        BeegfsServer& server = into(t.kind == ServiceKind::metadata ? out_.metadata : out_.data, t);
        server.targets.emplace_back(t.kind == ServiceKind::metadata
                                        ? server.id
                                        : server.id * 100 + static_cast<std::int64_t>(server.targets.size()) + 1,
                                    t.path);
      }
    }
    if (out_.metadata.empty() || out_.data.empty())
      return fail(s_.spec->targets->span, "a group of its servers has no nodes", "give it names of nodes");
    if (out_.manager_group < 0) {
      out_.manager_group = out_.metadata.front().group, out_.manager_member = out_.metadata.front().member;
      out_.manager_folder = kManagerFolder;
    }
    const StorageTargets& set = *s_.spec->targets;
    if (out_.metadata.front().targets.size() != 1)
      fail(set.metadata->paths.span, "a metadata service has one folder, and `metadata` names several",
           "write one path in `metadata`");
    if (static_cast<std::int64_t>(out_.data.front().targets.size()) > kMostTargets ||
        static_cast<std::int64_t>(out_.data.size()) > kMostServers)
      fail(set.data->paths.span,
           format("it has more than {} servers, or {} targets on a server", kMostServers, kMostTargets),
           "write fewer paths in `data`, or fewer nodes");
  }

  void mirrors() {
    const auto& text = s_.spec->protection;
    const auto protection = text ? parse_protection(*text) : std::nullopt;
    if (!protection || protection->kind != Protection::Kind::replica) return;
    out_.mirrored = true;
    if (protection->data + protection->parity != 2)
      fail(text.span, "a buddy mirror has two copies", "write `protection: replica 2`");
    else if (out_.metadata.size() % 2 != 0 || out_.data.size() % 2 != 0)
      fail(text.span,
           format("servers mirror each other in pairs, and there are {} for metadata and {} for data",
                  out_.metadata.size(), out_.data.size()),
           "add a server, or take `protection` out");
  }

  void stripes() {
    if (!s_.spec->stripe) return;
    const auto& [span, count, size] = *s_.spec->stripe;
    const auto targets = static_cast<std::int64_t>(out_.data.size() * out_.data.front().targets.size());
    const std::int64_t most = out_.mirrored ? targets / 2 : targets;
    if (count && (*count < 1 || *count > most))
      fail(count.span,
           format("a file lies on 1 to {} {} of it, and `count` is {}", most, out_.mirrored ? "mirrors" : "targets",
                  *count),
           format("write `count: {}` or less", most));
    if (!size) return;
    const double bytes = size->value;
    const auto whole = static_cast<std::uint64_t>(bytes);
    if (bytes < kLeastChunk || bytes > kMostChunk || (whole & (whole - 1)) != 0)
      fail(size.span, "a chunk of " + to_text(*size) + " is no power of two from 64 KiB to 2 GiB",
           "write `size: 1 MiB`");
  }

  std::uint32_t address(int network, int group, std::int64_t member) const {
    const int end = end_points_of(c_, network, group);
    return end < 0 ? 0 : plan_.address(network, end, member, 0);
  }

  bool is_everywhere(int network) const {
    const auto in = [&](const BeegfsServer& server) { return address(network, server.group, server.member) != 0; };
    return address(network, out_.manager_group, out_.manager_member) != 0 &&
           std::all_of(out_.metadata.begin(), out_.metadata.end(), in) &&
           std::all_of(out_.data.begin(), out_.data.end(), in);
  }

  void networks() {
    for (std::size_t n = 0; n < c_.networks.size(); ++n)
      if (c_.networks[n].subnet && !is_out_of_band(c_.networks[n]) && is_everywhere(static_cast<int>(n)))
        out_.networks.push_back(static_cast<int>(n));
    std::stable_partition(out_.networks.begin(), out_.networks.end(), [&](int n) {
      return c_.networks[static_cast<std::size_t>(n)].carries_traffic(Traffic::storage);
    });
    if (out_.networks.empty())
      return fail(s_.spec->targets->span, "no network with a `subnet` connects all of its servers",
                  "connect them to one network");
    for (const int n : out_.networks) {
      const NetworkModel& net = c_.networks[static_cast<std::size_t>(n)];
      out_.subnets.push_back(net.subnet->text());
      out_.rdma |= is_rdma(net);
    }
  }

  // The name of the management server in the first of the networks.
  std::string manager_name() const {
    const std::string name = node(out_.manager_group, out_.manager_member);
    if (out_.networks.empty() || home_of(c_, plan_, out_.manager_group).network == out_.networks.front()) return name;
    return name + "-" + c_.networks[static_cast<std::size_t>(out_.networks.front())].name;
  }

  void source() {
    const std::string help = "write `source: " + manager_name() + "`";
    if (!s_.spec->source)
      return fail(s_.spec->targets->span, "it has no `source`, by which servers and clients know its management server",
                  help);
    out_.manager = *s_.spec->source;
    const std::string plain = node(out_.manager_group, out_.manager_member);
    const std::string_view name = without_domain(c_, out_.manager);
    const auto literal = parse_ipv4(out_.manager);
    bool found = name == plain && std::find(out_.networks.begin(), out_.networks.end(),
                                            home_of(c_, plan_, out_.manager_group).network) != out_.networks.end();
    for (const int n : out_.networks)
      found |= name == plain + "-" + c_.networks[static_cast<std::size_t>(n)].name ||
               (literal && *literal == address(n, out_.manager_group, out_.manager_member));
    if (!found)
      fail(s_.spec->source.span,
           "its `source` does not name the management server '" + plain + "' in a network of all servers", help);
  }

  void secret() {
    const std::string help =
        "write `secret: { file: /etc/beegfs/conn.auth }`: the same file on all servers and clients";
    const auto& secret = s_.spec->secret;
    if (!secret)
      return fail(s_.span, "it has no `secret`, without which anybody in its networks could read and write everything",
                  help);
    if (!secret->file) return fail(secret->span, "its `secret` must be a file on servers and clients", help);
    if (!is_plain_path(*secret->file))
      return fail(secret->file.span, "the path of its `secret` has other signs than letters, digits and / . _ -", help);
    out_.secret = *secret->file;
  }

  const Cluster& c_;
  const Plan& plan_;
  const StorageModel& s_;
  Findings& findings_;
  BeegfsServers out_;
  bool good_ = true;
};

}  // namespace

std::optional<BeegfsServers> beegfs_servers(const Cluster& c, const Plan& plan, int storage, Findings& findings) {
  if (!is_beegfs(c.storage[static_cast<std::size_t>(storage)])) return std::nullopt;
  return Judge(c, plan, storage, findings).judge();
}

}  // namespace clusterc
