// How expected figures are made: one class, a file for each family (expect_*.cc). Only targets.cc hands it out.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/merge.h"
#include "model/mig.h"
#include "model/power_cap.h"
#include "spec/spec.h"
#include "spec/target.h"
#include "targets/paths.h"
#include "targets/targets.h"

namespace clusterc {

struct ComputePorts;
struct PublishedRow;
struct StorageRate;

// What the spec asks of one test, whatever the unit of its floor.
struct Wished {
  SourceSpan span, floor_span;
  std::optional<double> floor, guard;
  std::optional<TargetScope> scope;
  Value<Bytes> size;
  std::optional<std::string> skip;
};

class Expect {
 public:
  Expect(const Cluster& c, const Plan& p, bool unnamed) : cluster_(c), plan_(p), unnamed_(unnamed) {}
  ExpectedFigures all();

 private:
  // expect_hosts.cc
  void host_group(const NodeGroupModel&);
  void host_memory(const NodeGroupModel&);
  void host_products(const NodeGroupModel&);
  void linpack(const ExpectedFigure& node, const NodeGroupModel&);
  // expect_gpus.cc
  void gpu_group(const NodeGroupModel&);
  void gpu_memory(const NodeGroupModel&);
  void gpu_products(const NodeGroupModel&);
  void gpu_linpack(const NodeGroupModel&);
  static ExpectedFigure of_gpu(const NodeGroupModel&, std::string test, Dimension, Figure ceiling, std::string_view key,
                               std::string scope = "gpu");
  // expect_links.cc
  void links(const NodeGroupModel&);
  void pcie_paths(const NodeGroupModel&, const GpuPart&);
  void nvlink_paths(const NodeGroupModel&);
  // expect_network.cc
  void network_paths(const NodeGroupModel&);
  void rdma_paths(const NodeGroupModel&);
  void all_reduce(const NodeGroupModel&);
  void whole();
  std::string over_tcp(const ComputePorts&) const;
  // expect_storage.cc
  void storage();
  void storage_of_node(int system, int group, bool read, const std::optional<StorageRate>&);
  // targets.cc
  void take_back_of_cut(ExpectedFigure&) const;
  // Lays the published row and the spec's wish over a figure that has its ceiling, and keeps it. Null: none.
  void finish(ExpectedFigure, const PublishedRow*, const std::optional<Wished>&);
  // A single path, all-to-all or storage: expected where the spec names it, where the suite measures it, or where all
  // that can be said is asked for. `missing`: why there is no ceiling; `unlike`: why there is no published figure.
  void path(const NodeGroupModel&, std::string test, std::string scope, Figure ceiling, std::string missing,
            const PublishedRow*, const std::optional<Wished>&, const std::string& unlike = "", bool measured = false);
  // Healthy figures are published of parts at full power: of what a limit slows there is none.
  static void slow(ExpectedFigure&, const PublishedRow*&, const std::string& why);

  // The cluster's wish with what the group says of its own laid over it, key by key.
  template <class M>
  std::optional<Wished> wish(std::string_view group, M member) const {
    auto wished = (*cluster_.spec.targets).*member;
    if (const auto* own = cluster_.spec.targets->groups.find(group))
      if (const auto& above = own->value.*member) {
        if (wished)
          lay_over(*wished, *above);
        else
          wished = above;
      }
    return without_unit(wished);
  }
  template <class W>
  static std::optional<Wished> without_unit(const std::optional<W>& wished) {
    if (!wished) return std::nullopt;
    Wished out{.span = wished->span, .floor_span = wished->floor.span, .size = wished->size};
    if (wished->floor) out.floor = wished->floor->value;
    out.guard = wished->guard.value;
    out.scope = wished->scope.value;
    out.skip = wished->skip.value;
    return out;
  }
  template <class T>
  static Figure from(const Value<T>& fact, double times, std::string derivation) {
    if (!fact) return {};
    return {fact->value * times, std::move(derivation), fact.source, fact.confirmed};
  }

  const Cluster& cluster_;
  const Plan& plan_;
  bool unnamed_;
  const NodeGroupModel* cut_ = nullptr;  // the group whose figures are made, where MIG cuts its GPUs
  ExpectedFigures out_;
};

}  // namespace clusterc
