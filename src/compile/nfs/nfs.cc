// nfs/<storage>/: exports, and where two servers fail over the files of the pair (failover.h).
//
// exports: what the nodes of a spec that serve NFS let others mount. The path on the server is the one
// that clients mount at, as the compiled mounts say (cloud-init).
#include <algorithm>

#include "base/ip.h"
#include "compile/common.h"
#include "compile/nfs/failover.h"
#include "model/storage_path.h"
#include "spec/storage.h"
#include "system/file_systems.h"

namespace clusterc {

namespace {

bool wants_nfs(const Cluster& c) {
  return std::any_of(c.storage.begin(), c.storage.end(), [&](const StorageModel& s) { return served_by_nodes(c, s); });
}

// Whether nodes that mount it are in the network, besides those that serve it.
bool has_clients(const Cluster& c, const StorageModel& s, int network) {
  const NetworkModel& net = c.networks[static_cast<std::size_t>(network)];
  const auto is_client = [&](const EndPoints& e) {
    return e.group >= 0 && e.group != s.nodes && !is_management_port(c, net, e);
  };
  if (s.spec->on.empty()) return std::ranges::any_of(net.ends, is_client);
  return std::ranges::any_of(groups_named_by(c, *s.spec), [&](int g) {
    return std::ranges::any_of(ends_of_group(c, g), [&](const GroupEnd& at) {
      return at.network == network && is_client(net.ends[static_cast<std::size_t>(at.end)]);
    });
  });
}

// A path stands between quotes, signs that are not plain by their octal code (exports(5)).
void append_path(std::string& out, std::string_view path) {
  out += '"';
  for (const char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-+@,:=").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += '\\', out += static_cast<char>('0' + (u >> 6)), out += static_cast<char>('0' + (u >> 3 & 7)),
          out += static_cast<char>('0' + (u & 7));
  }
  out += '"';
}

void emit_nfs(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "nfs", {}, findings);
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (!served_by_nodes(c, s)) continue;
    // The networks that both are in: clients come from there, and from nowhere else.
    // What fails over is reached at its address alone.
    const NfsFailover* pair = nfs_failover_of(in.system, s.nodes);
    if (!pair && asks_for_failover(c, s)) continue;  // check_nfs_failover() says why
    std::vector<Ipv4Prefix> clients;
    int last = -1;
    for (const GroupEnd& at : ends_of_group(c, s.nodes)) {
      const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
      if (!net.subnet || at.network == last || is_management_port(c, net, net.ends[static_cast<std::size_t>(at.end)]))
        continue;
      last = at.network;
      if (pair && pair->network != at.network) continue;
      if (has_clients(c, s, at.network)) clients.push_back(*net.subnet);
    }
    if (clients.empty()) {
      findings.warning("nfs-no-clients", s.span,
                       "'" + s.name +
                           "' is exported to no client: no network with a `subnet` connects its servers to nodes that "
                           "mount it");
      continue;
    }
    bundle.open("nfs/" + s.name + "/exports", "nfs");
    std::string& out = bundle.text();
    out += made_by(in, "");
    out += "# for ", out += c.nodes[s.nodes].names.text(), out += ": /etc/exports.d/", out += s.name,
        out += ".exports\n";
    append_path(out, *s.spec->mount);
    // root of a node is nobody here; sync: what a client was told is written survives the server
    // mp: nothing is exported while the file system of its drives is not mounted, so that nobody writes onto the
    // system's
    const std::string_view mounted = pair || data_drives(c, static_cast<int>(i), s.nodes) ? ",mp" : "";
    for (const Ipv4Prefix& p : clients)
      out += ' ', out += p.text(), out += "(rw,sync,no_subtree_check,root_squash", out += mounted, out += ')';
    out += '\n';
    bundle.close();
    if (pair) emit_failover(in, *pair, bundle);
  }
}

}  // namespace

extern const Output kNfsOutput;  // registry.cc names it
const Output kNfsOutput{
    .id = "nfs",
    .summary = "exports of the nodes that serve NFS, and fail-over of two servers",
    .consumers = "nfs-utils 1.3, Pacemaker 2",
    .wanted = wants_nfs,
    .emit = emit_nfs,
};

}  // namespace clusterc
