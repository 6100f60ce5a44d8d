#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "spec/storage.h"
#include "spec/target.h"
#include "targets/expect.h"
#include "targets/published.h"

namespace clusterc {

namespace {

PublishedRow port_share(std::string_view test, BytesPerSecond payload) {
  // One node on a network file system over 400 GbE: 46.6 of 49 GB/s (gds-bench report).
  constexpr double kPortShare = 0.951;
  return {test,
          "",
          kPortShare * payload.value,
          kPortShare * payload.value,
          std::nullopt,
          "transferred",
          "0.951 of the payload of its port, one node on 400 GbE (gds-bench report)"};
}

}  // namespace

// What a storage system gives all of its clients together: what it is sold (or asked) to give, and what the ports of
// both sides carry. Expected wherever the suite measures it: on systems that nodes mount.
void Expect::storage() {
  for (std::size_t i = 0; i < cluster_.storage.size(); ++i) {
    const StorageModel& s = cluster_.storage[i];
    const std::vector<int> mounts = groups_that_mount(cluster_, static_cast<int>(i));
    for (const bool read : {true, false}) {
      const auto& wished = read ? cluster_.spec.targets->storage_read : cluster_.spec.targets->storage_write;
      const auto rate =
          storage_rate(cluster_, static_cast<int>(i), read ? StorageDirection::read : StorageDirection::write);
      if (!unnamed_)  // a plan shows the systems as wholes
        for (const int group : mounts) storage_of_node(static_cast<int>(i), group, read, rate);
      if (!wished && !unnamed_ && mounts.empty()) continue;
      ExpectedFigure f{.test = read ? "storage.read" : "storage.write", .group = s.name, .scope = "storage"};
      std::optional<PublishedRow> row;
      if (rate) {
        f.ceiling = {rate->rate.value, rate->from, "the spec, the catalogue and the ports on both sides",
                     rate->confirmed};
        if (rate->from.find("ports") != std::string::npos)
          row = port_share(f.test, rate->rate);
        else
          f.missing = format("no published result of '{}': set targets.{}.floor", s.name,
                             read ? "storage_read" : "storage_write");
      } else {
        f.missing = format("neither the parts nor a demand say what it gives: write storage.{}.demand", s.name);
      }
      finish(std::move(f), row ? &*row : nullptr, without_unit(wished));
    }
  }
}

// One node while all that mount the system use it: its own ports, or the system where that is less. A node has its
// ports' figure to itself only where the system can fill the ports of all.
void Expect::storage_of_node(int system, int group, bool read, const std::optional<StorageRate>& rate) {
  const StorageModel& s = cluster_.storage[static_cast<std::size_t>(system)];
  const NodeGroupModel& nodes = cluster_.nodes[static_cast<std::size_t>(group)];
  const auto side =
      s.spec->kind && *s.spec->kind == StorageKind::local ? std::nullopt : storage_node_side(cluster_, system, group);
  ExpectedFigure f{
      .test = read ? "storage.read" : "storage.write", .group = nodes.name + "/" + s.name, .scope = "node"};
  std::optional<PublishedRow> row;
  const bool ports = side && (!rate || side->carries <= rate->rate);
  if (ports)
    f.ceiling = {side->carries.value, side->formula, "arithmetic", true};
  else if (rate)
    f.ceiling = {rate->rate.value, rate->from, "the spec, the catalogue and the ports on both sides", rate->confirmed};
  if (!rate) {
    f.missing = format("neither the parts nor a demand say what '{}' gives: write storage.{}.demand", s.name, s.name);
  } else if (const auto all = storage_clients_side(cluster_, system); ports && all && all->carries <= rate->rate) {
    row = port_share(f.test, side->carries);
  } else {
    f.missing = format("the nodes share '{}': their sum is judged", s.name);
  }
  finish(std::move(f), row ? &*row : nullptr, std::nullopt);
}

}  // namespace clusterc
