// The reference SuperPOD: examples/superpod.yaml, with the figures of its parts.
#pragma once
#include "plan/fabric/fabric.h"
#include "spec/network.h"
#include "spec/sections.h"
#include "unit/plan/sample.h"
#include "yaml/document.h"

namespace clusterc::test {

// The fabrics alone: nothing is placed, powered or addressed.
inline Plan fabrics_of(const Sample& s) {
  Plan p;
  p.cluster = s.cluster.get();
  plan_fabrics(p);
  return p;
}

enum SuperpodNetwork { kCompute, kStorage, kInband, kOob };

// `nodes_pattern` and `built_for` may differ, to see what growth moves.
inline Sample superpod(const std::string& nodes_pattern = "gpu[001-127]", std::int64_t built_for = 128) {
  Sample s;
  const int a = s.feed("A", 1.6e6), b = s.feed("B", 1.6e6), c = s.feed("C", 1.6e6);
  const int hall = s.zone("hall");
  s.racks("compute", "r[01-32]", s.na60, {a, b, c}, hall);
  s.rack_specs[0]->per_row = known<std::int64_t>(8);
  s.racks("management", "m[1-6]", s.na30, {a, b}, hall);
  NodeGroupModel& gpu = s.nodes("gpu", nodes_pattern, 0, 8, 10200, 130.45);
  s.spec_of(gpu).per_rack = known<std::int64_t>(4);
  s.spec_of(gpu).scalable_unit = known<std::int64_t>(32);
  gpu.server.gpu_count = 8;
  gpu.server.airflow = known(AirFlow(1105 * kCubicMetersPerSecondPerCfm));
  for (const char* group : {"head", "login"}) {
    NodeGroupModel& g = s.nodes(group, std::string(group) + "[1-2]", 1, 2, 800, 25);
    g.computes = false;
  }
  NodeGroupModel& fm = s.nodes("fm", "fm[1-4]", 1, 1, 500, 15);
  fm.computes = false;
  s.storage("scratch", 8, 1);

  s.network("compute", s.qm9700, 400e9, 1);
  s.network_spec(0).topology = known(NetworkTopology::rail_optimised);
  s.connect(kCompute, 0, 8, built_for);
  s.connect(kCompute, 3, 1);
  s.network("storage", s.qm9700, 400e9, 1);
  s.network_spec(1).oversubscription = known(4.0 / 3);
  s.connect(kStorage, 0, 2);
  s.connect_storage(kStorage, 0, 8);
  s.network("inband", s.sn4600c, 100e9, 1);
  s.network_spec(2).bond = known<std::int64_t>(2);
  s.cluster->networks[kInband].carries = {Traffic::inband};
  s.connect(kInband, 0, 2);
  s.connect(kInband, 1, 2);
  s.connect(kInband, 2, 2);
  s.connect(kInband, 3, 1);
  s.network("oob", s.sn2201, 1e9, -1);
  s.cluster->networks[kOob].everything = true;
  for (int g = 0; g < 4; ++g) s.connect(kOob, g, 1, 0, -1);
  s.connect_storage(kOob, 0, 1);
  return s;
}

}  // namespace clusterc::test
