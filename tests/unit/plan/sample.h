// Clusters built in code. Figures of parts are those of their data sheets; the tests say which of them they rest on.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "spec/sections.h"
#include "yaml/document.h"

namespace clusterc::test {

template <class T>
Value<T> known(T v) {
  return Value<T>(std::move(v), {}, Origin::catalog);
}

inline HostPattern pattern(const std::string& text) {
  HostPattern::Error error;
  auto p = HostPattern::parse(text, error);
  return p ? *p : HostPattern{};
}

// Owns what a Cluster points to. Add racks, then groups, then networks; call done() once.
struct Sample {
  std::unique_ptr<Cluster> cluster = std::make_unique<Cluster>();
  SwitchPart qm9700, sn4600c, sn2201, sn5610;
  RackPart rack48;
  PduPart na60, na30;
  StoragePart ddn;
  std::vector<std::unique_ptr<RackGroup>> rack_specs;
  std::vector<std::unique_ptr<NodeGroup>> node_specs;
  std::vector<std::unique_ptr<Network>> network_specs;
  std::vector<std::unique_ptr<Feed>> feed_specs;
  std::vector<std::unique_ptr<CoolingZone>> zone_specs;
  std::vector<std::unique_ptr<Storage>> storage_specs;

  Sample() {
    auto sw = [](SwitchPart& p, LinkKind link, std::int64_t ports, double rate, std::int64_t units, double watts,
                 double kg) {
      p.link = known(link);
      p.ports = known(ports);
      p.port_rate = known(BitsPerSecond(rate));
      p.units = known(units);
      p.power = known(Watts(watts));
      p.weight = known(Kilograms(kg));
    };
    sw(qm9700, LinkKind::infiniband, 64, 400e9, 1, 1720, 14.8);
    qm9700.breakout = known<std::int64_t>(2);
    sw(sn4600c, LinkKind::ethernet, 64, 100e9, 2, 820, 14.64);
    sw(sn2201, LinkKind::ethernet, 48, 1e9, 1, 98, 7.41);
    sn2201.uplinks = known<std::int64_t>(4);
    sn2201.uplink_rate = known(BitsPerSecond(100e9));
    sw(sn5610, LinkKind::ethernet, 64, 800e9, 2, 2080, 26.9);
    sn5610.breakout = known<std::int64_t>(2);
    rack48.units = known<std::int64_t>(48);
    rack48.width = known(Meters(0.8));
    rack48.height = known(Meters(2.285));
    rack48.weight = known(Kilograms(185));
    rack48.static_load = known(Kilograms(1500));
    for (auto [p, va] : {std::pair{&na60, 34500.0}, std::pair{&na30, 17250.0}}) {
      p->phases = known<std::int64_t>(3);
      p->apparent = known(VoltAmperes(va));
    }
    ddn.units = known<std::int64_t>(2);
    ddn.power = known(Watts(2200));
    ddn.weight = known(Kilograms(50));
    cluster->continuous_factor = 0.8;
    cluster->spec.site.emplace();
    cluster->spec.site->supply.emplace();
    cluster->spec.site->supply->power_factor = known(0.96);
    cluster->spec.site->altitude = known(Meters(0));
  }

  int feed(const std::string& name, double va) {
    feed_specs.push_back(std::make_unique<Feed>());
    FeedModel f;
    f.name = name;
    f.spec = feed_specs.back().get();
    f.capacity = known(VoltAmperes(va));
    cluster->feeds.push_back(std::move(f));
    return static_cast<int>(cluster->feeds.size()) - 1;
  }
  int zone(const std::string& name) {
    zone_specs.push_back(std::make_unique<CoolingZone>());
    ZoneModel z;
    z.name = name;
    z.spec = zone_specs.back().get();
    cluster->zones.push_back(std::move(z));
    return static_cast<int>(cluster->zones.size()) - 1;
  }
  RackGroupModel& racks(const std::string& name, const std::string& names, const PduPart& pdu,
                        const std::vector<int>& feeds, int zone = -1) {
    rack_specs.push_back(std::make_unique<RackGroup>());
    RackGroupModel r;
    r.name = name;
    r.spec = rack_specs.back().get();
    r.names = pattern(names);
    r.count = r.names.count();
    r.first = cluster->rack_count;
    r.part = &rack48;
    r.model = "generic-48u";
    for (int f : feeds) {
      PduModel m;
      m.part = &pdu;
      m.model = "pdu";
      m.feed = f;
      r.pdus.push_back(std::move(m));
    }
    r.cooling = zone;
    cluster->rack_count += r.count;
    cluster->racks.push_back(std::move(r));
    return cluster->racks.back();
  }
  NodeGroupModel& nodes(const std::string& name, const std::string& names, int racks, std::int64_t units, double watts,
                        double kg) {
    node_specs.push_back(std::make_unique<NodeGroup>());
    NodeGroupModel g;
    g.name = name;
    g.spec = node_specs.back().get();
    g.names = pattern(names);
    g.count = g.names.count();
    g.first = cluster->node_count;
    g.racks = racks;
    g.server.id = name + "-server";
    g.server.units = known(units);
    g.server.power = known(Watts(watts));
    g.server.part.weight = known(Kilograms(kg));
    cluster->node_count += g.count;
    cluster->nodes.push_back(std::move(g));
    return cluster->nodes.back();
  }
  NodeGroup& spec_of(const NodeGroupModel& g) {
    return *node_specs[static_cast<std::size_t>(&g - cluster->nodes.data())];
  }
  StorageModel& storage(const std::string& name, std::int64_t count, int racks) {
    storage_specs.push_back(std::make_unique<Storage>());
    StorageModel s;
    s.name = name;
    s.spec = storage_specs.back().get();
    s.part = &ddn;
    s.model = "ddn";
    s.count = count;
    s.racks = racks;
    cluster->storage.push_back(std::move(s));
    return cluster->storage.back();
  }
  NetworkModel& network(const std::string& name, const SwitchPart& part, double rate, int racks) {
    network_specs.push_back(std::make_unique<Network>());
    NetworkModel n;
    n.name = name;
    n.spec = network_specs.back().get();
    n.kind = *part.link;
    n.switch_part = &part;
    n.switch_model = name + "-switch";
    n.racks = racks;
    n.rate = BitsPerSecond(rate);
    cluster->networks.push_back(std::move(n));
    return cluster->networks.back();
  }
  Network& network_spec(int i) { return *network_specs[i]; }
  void connect(int network, int group, std::int64_t ports_each, std::int64_t built_for = 0, int port_set = 0) {
    EndPoints e;
    e.group = group;
    e.ports = port_set;
    e.members = cluster->nodes[group].count;
    e.ports_each = ports_each;
    e.built_for = built_for ? built_for : e.members;
    e.rate = cluster->networks[network].rate;
    cluster->networks[network].ends.push_back(e);
  }
  void connect_storage(int network, int storage, std::int64_t ports_each) {
    EndPoints e;
    e.storage = storage;
    e.members = e.built_for = cluster->storage[storage].count;
    e.ports_each = ports_each;
    cluster->networks[network].ends.push_back(e);
  }
};

}  // namespace clusterc::test
