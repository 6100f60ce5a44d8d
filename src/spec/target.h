// The section `targets` of a spec: figures that the cluster must reach.
#pragma once
#include <optional>
#include <string>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

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

}  // namespace clusterc
