#include "system/storage_targets.h"

#include <algorithm>
#include <array>

#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/rdma.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/spec.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/interfaces.h"
#include "system/mount_source.h"

namespace clusterc {
namespace {

using TargetKind = StorageTarget::Kind;

constexpr std::int64_t kMostIndices = 0xffff;  // an index has four hexadecimal digits (ldev.conf(5))

bool is_of(const StorageModel& s, StorageKind kind) { return s.spec && s.spec->kind && *s.spec->kind == kind; }

int group_named(const Cluster& c, std::string_view name) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].name == name) return static_cast<int>(g);
  return -1;
}

int group_of(const Cluster& c, const StorageModel& s, const StorageTargetSet& set) {
  return set.nodes ? group_named(c, *set.nodes) : s.nodes;
}

std::array<std::pair<TargetKind, const std::optional<StorageTargetSet>*>, 3> sets_of(const StorageModel& s) {
  const StorageTargets& t = *s.spec->targets;
  return {{{TargetKind::management, &t.management}, {TargetKind::metadata, &t.metadata}, {TargetKind::data, &t.data}}};
}

// `ha` of the group that has these targets, else of the storage.
std::optional<HaMode> ha_of(const Cluster& c, const StorageModel& s, int group) {
  const auto& own = c.nodes[static_cast<std::size_t>(group)].spec->ha;
  return own && group != s.nodes ? own.value : storage_ha(c, s);
}

// The path that two targets of one server, or of one pair, have in common.
bool two_alike(const std::vector<StorageTarget>& targets, const StorageTarget& t) {
  return std::any_of(targets.begin(), targets.end(), [&](const StorageTarget& o) {
    if (o.group != t.group || o.path != t.path) return false;
    return o.member == t.member || o.member == t.partner || o.partner == t.member ||
           (o.partner >= 0 && o.partner == t.partner);
  });
}

}  // namespace

bool has_targets(const StorageModel& s) {
  return s.spec && s.spec->targets && s.spec->targets->data && s.spec->targets->metadata && s.nodes >= 0 &&
         (is_of(s, StorageKind::lustre) || is_of(s, StorageKind::beegfs));
}

bool serves(const Cluster& c, const StorageModel& s, int group) {
  if (group < 0) return false;
  if (s.nodes == group) return true;
  if (!has_targets(s)) return false;
  for (const auto& [kind, set] : sets_of(s))
    if (*set && group_of(c, s, **set) == group) return true;
  return false;
}

std::vector<int> server_groups(const Cluster& c, const StorageModel& s) {
  std::vector<int> out;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].count > 0 && serves(c, s, static_cast<int>(g))) out.push_back(static_cast<int>(g));
  return out;
}

std::optional<std::vector<std::string>> target_paths(std::string_view text, std::string& why) {
  const auto plain = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("/._-:+").find(c) != std::string_view::npos;
    });
  };
  const std::size_t open = std::min(text.find('['), text.size());
  const std::size_t close = std::min(text.find(']', open), text.size());
  const std::string_view before = text.substr(0, open), behind = close < text.size() ? text.substr(close + 1) : "";
  if (!text.starts_with('/') || text.size() > 1000) return why = "it does not begin with '/'", std::nullopt;
  if (!plain(before) || !plain(behind))
    return why = "only letters, digits, '/._-:+' and one range in brackets are allowed", std::nullopt;
  const std::string whole(text);
  if (whole.find("//") != std::string::npos || ("/" + whole + "/").find("/../") != std::string::npos ||
      whole.ends_with('/'))
    return why = "it has an empty part, or '..'", std::nullopt;
  if (open == text.size()) return std::vector<std::string>{whole};
  // The brackets of host names, behind a letter that is none of the path.
  HostPattern::Error error;
  const auto range = HostPattern::parse("x" + std::string(text.substr(open, close - open + 1)), error);
  if (!range) return why = error.message, std::nullopt;
  if (range->count() > static_cast<std::int64_t>(kMostPaths))
    return why = "it has more than " + std::to_string(kMostPaths) + " paths", std::nullopt;
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < range->count(); ++i)
    out.push_back(std::string(before) + range->name(i).substr(1) + std::string(behind));
  return out;
}

std::vector<StorageTarget> storage_targets(const Cluster& c, int storage, Findings& findings) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  std::vector<StorageTarget> out;
  if (!has_targets(s)) return out;
  for (const auto& [kind, set] : sets_of(s)) {
    if (!*set || !(*set)->paths) continue;
    const Value<std::string>& text = (*set)->paths;
    const int group = group_of(c, s, **set);
    if (group < 0) continue;
    std::string why;
    const auto paths = target_paths(*text, why);
    if (!paths) {
      findings
          .error("storage-targets-malformed", text.span,
                 "'" + one_line(text->substr(0, 80)) + "' does not name paths of targets: " + why)
          .help("write one path, with a range of numbers in brackets for several: /dev/mapper/ost[0-5]");
      return {};
    }
    const std::int64_t nodes = c.nodes[static_cast<std::size_t>(group)].count;
    const auto ha = ha_of(c, s, group);
    const bool pairs = is_of(s, StorageKind::lustre) && ha && *ha != HaMode::quorum;
    const std::int64_t count = static_cast<std::int64_t>(paths->size());
    // One management service: on the first server, or the first pair.
    const std::int64_t last = kind == TargetKind::management ? std::min<std::int64_t>(nodes, 1) : nodes;
    if ((kind == TargetKind::management && count != 1) || count * last > kMostIndices) {
      findings
          .error("storage-targets-malformed", text.span,
                 kind == TargetKind::management
                     ? "'" + s.name + "' has " + std::to_string(count) + " management targets, but needs 1"
                     : "'" + s.name + "' has " + std::to_string(count * last) + " targets of one kind, above " +
                           std::to_string(kMostIndices))
          .help(kind == TargetKind::management ? "write one path for `management`"
                                               : "write fewer paths, or set up fewer servers");
      return {};
    }
    std::int64_t index = 0;
    for (std::int64_t first = 0; first < last; first += pairs ? 2 : 1)
      for (std::int64_t i = 0; i < count; ++i) {
        StorageTarget t{kind, index++, (*paths)[static_cast<std::size_t>(i)], group, first, -1};
        if (pairs && first + 1 < nodes) {
          t.partner = first + 1;
          if (*ha == HaMode::active_active && i % 2 == 1) std::swap(t.member, t.partner);
        }
        if (two_alike(out, t)) {
          findings
              .error("storage-targets-malformed", text.span,
                     "two targets of '" + s.name + "' lie at '" + t.path + "' of '" +
                         c.nodes[static_cast<std::size_t>(group)].name + "'")
              .help("give each target of a server, or of a pair, a path of its own");
          return {};
        }
        out.push_back(std::move(t));
      }
  }
  return out;
}

std::string lustre_label(const LustreServers& of, const StorageTarget& t) {
  if (t.kind == TargetKind::management) return "MGS";
  std::string out = of.name + (t.kind == TargetKind::metadata ? "-MDT" : "-OST");
  append_hex(out, static_cast<std::uint64_t>(t.index), 4);
  return out;
}

namespace {

// The first address of a node in a network; 0: none.
std::uint32_t address_in(const Cluster& c, const Plan& plan, int network, int group, std::int64_t member) {
  const int end = end_points_of(c, network, group);
  return end < 0 ? 0 : plan.address(network, end, member, 0);
}

std::string nids(const Cluster& c, const Plan& plan, const std::vector<std::pair<std::string, int>>& nets, int group,
                 std::int64_t member) {
  std::string out;
  for (const auto& [net, network] : nets)
    if (const std::uint32_t address = address_in(c, plan, network, group, member); address != 0)
      out += (out.empty() ? "" : ",") + ipv4_text(address) + "@" + net;
  return out;
}

// The servers that run the management service: of its target, else of the first MDT.
std::vector<std::int64_t> manager_members(const StorageTarget& t) {
  std::vector<std::int64_t> out{t.member};
  if (t.partner >= 0) out.push_back(t.partner);
  return out;
}

std::string source_of(const LustreServers& of) { return join(of.managers, ":") + ":/" + of.name; }

// The LNet that a spec without a `source` could have: over the first network that all servers are in, with storage's
// traffic before others.
std::vector<std::pair<std::string, int>> likely_nets(const Cluster& c, const Plan& plan,
                                                     const std::vector<StorageTarget>& targets) {
  int best = -1;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    if (!net.subnet || is_out_of_band(net)) continue;
    if (!std::all_of(targets.begin(), targets.end(), [&](const StorageTarget& t) {
          return address_in(c, plan, static_cast<int>(n), t.group, t.member) != 0;
        }))
      continue;
    if (best < 0 || (!c.networks[static_cast<std::size_t>(best)].carries_traffic(Traffic::storage) &&
                     net.carries_traffic(Traffic::storage)))
      best = static_cast<int>(n);
  }
  if (best < 0) return {};
  return {{is_rdma(c.networks[static_cast<std::size_t>(best)]) ? "o2ib" : "tcp", best}};
}

void report_source(const StorageModel& s, const LustreServers& of, bool missing, Findings& findings) {
  Finding& f = findings.error(
      "lustre-source-differs", missing ? s.spec->targets->span : s.spec->source.span,
      missing ? "'" + s.name + "' has targets but no `source`: clients would not know its management servers"
              : "the `source` of '" + s.name + "' does not name the NIDs of its management servers, which are " +
                    join(of.managers, " and "));
  if (!of.managers.empty() && !of.name.empty()) f.help("write `source: \"" + source_of(of) + "\"`");
}

}  // namespace

std::string lustre_nids(const Cluster& c, const Plan& plan, const LustreServers& of, int group, std::int64_t member) {
  return nids(c, plan, of.nets, group, member);
}

std::optional<LustreServers> lustre_servers(const Cluster& c, const Plan& plan, int storage, Findings& findings) {
  const StorageModel& s = c.storage[static_cast<std::size_t>(storage)];
  if (!is_of(s, StorageKind::lustre) || !has_targets(s)) return std::nullopt;
  LustreServers out;
  out.targets = storage_targets(c, storage, findings);
  if (out.targets.empty()) return std::nullopt;
  const std::vector<std::int64_t> managers = manager_members(out.targets.front());
  const int group = out.targets.front().group;
  const auto fill = [&] {
    out.managers.clear();
    for (const std::int64_t m : managers) out.managers.push_back(nids(c, plan, out.nets, group, m));
    std::erase(out.managers, std::string());
  };
  if (!s.spec->source) {
    out.nets = likely_nets(c, plan, out.targets);
    out.name = s.name.substr(0, 8);
    fill();
    return report_source(s, out, true, findings), std::nullopt;
  }
  std::string why;
  const auto source = read_lustre_source(*s.spec->source, why);
  if (!source) return std::nullopt;  // check_sources says why
  const std::string_view text = *s.spec->source;
  out.name = text.substr(text.find(":/") + 2);
  out.name = out.name.substr(0, out.name.find('/'));
  std::vector<std::string> written;
  for (const LustreNid& nid : source->nids) {
    written.push_back(ipv4_text(nid.address) + "@" + nid.net);
    for (std::size_t n = 0; nid.address != 0 && n < c.networks.size(); ++n)
      if (c.networks[n].subnet && c.networks[n].subnet->contains(nid.address) &&
          std::none_of(out.nets.begin(), out.nets.end(), [&](const auto& o) { return o.first == nid.net; }))
        out.nets.emplace_back(nid.net, static_cast<int>(n));
  }
  fill();
  std::vector<std::string> planned;
  for (const std::string& m : out.managers)
    for (const std::string_view nid : split(m, ',')) planned.emplace_back(nid);
  std::sort(written.begin(), written.end());
  std::sort(planned.begin(), planned.end());
  if (written != planned || out.managers.size() != managers.size()) {
    if (planned.empty()) out.nets = likely_nets(c, plan, out.targets), fill();
    return report_source(s, out, false, findings), std::nullopt;
  }
  for (const StorageTarget& t : out.targets)
    for (const std::int64_t m : manager_members(t))
      if (nids(c, plan, out.nets, t.group, m).empty()) {
        const std::string node = c.nodes[static_cast<std::size_t>(t.group)].names.name(m);
        findings
            .error("lustre-server-unreached", s.spec->targets->span,
                   "server '" + node + "' of storage '" + s.name +
                       "' has no address in the networks of the `source` of '" + s.name + "'")
            .help("connect '" + c.nodes[static_cast<std::size_t>(t.group)].name +
                  "' to a network of the management servers");
        return std::nullopt;
      }
  return out;
}

void check_targets(const Cluster& c, Findings& findings) {
  const auto report = [&](SourceSpan at, const std::string& what, const StorageModel& s) {
    findings
        .warning("storage-layout-unmade", at,
                 what + " storage '" + s.name + "' has no effect: no output sets up its servers")
        .help("such keys are for `kind: lustre` or `kind: beegfs` with `servers: { nodes: … }` and `targets`");
  };
  for (const StorageModel& s : c.storage) {
    if (!s.spec || has_targets(s)) continue;
    if (s.spec->targets) report(s.spec->targets->span, "`targets` of", s);
    if (s.spec->stripe) report(s.spec->stripe->span, "`stripe` of", s);
    for (const auto& team : c.spec.teams)
      if (const auto* quota = team.value.storage.find(s.name))
        report(quota->name_span, "the quota of team '" + team.name + "' on", s);
  }
}

}  // namespace clusterc
