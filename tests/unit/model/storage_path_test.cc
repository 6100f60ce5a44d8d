#include "model/storage_path.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

TEST(StoragePath, TheSuperPodsStorageKeepsItsPromise) {
  Resolved r;
  r.example("superpod");
  // 8 systems x 8 ports x 200 Gb/s x 0.98 / 8 = 1,568 GB/s
  const auto servers = storage_servers_side(*r.cluster, 0);
  ASSERT_TRUE(servers);
  EXPECT_NEAR(servers->carries.value, 1568e9, 1);
  // 127 nodes x 2 ports x 400 Gb/s x 0.98 / 8 = 12,446 GB/s
  const auto clients = storage_clients_side(*r.cluster, 0);
  ASSERT_TRUE(clients);
  EXPECT_NEAR(clients->carries.value, 12446e9, 1);
  const auto read = storage_rate(*r.cluster, 0, StorageDirection::read);
  ASSERT_TRUE(read);
  EXPECT_DOUBLE_EQ(read->rate.value, 160e9);  // what it promises is the least
  EXPECT_EQ(read->from, "promised");
  EXPECT_EQ(fastest_shared_storage(*r.cluster, {r.cluster->find_node_group("gpu")}, StorageDirection::write), 0);
  const auto room = storage_room(*r.cluster, 0);
  ASSERT_TRUE(room);
  EXPECT_DOUBLE_EQ(room->bytes.value, 2e15);  // 8 x 250 TB
}

constexpr const char* kFourServers = R"(
clusterc: 1
name: case
site: cloud
nodes:
  cpu: { names: "n[01-64]", server: { like: generic-2u, nics: { data: cx6-vpi-200 } } }
  oss: { names: "s[1-4]", server: { like: generic-2u, nics: { data: cx6-vpi-200 }, drives: { boot: 2 x 960 GB nvme, data: 10 x 10 TB hdd } }, roles: [storage] }
networks:
  lan: { kind: ethernet, rate: 200 Gb/s, carries: [storage], connects: { cpu: { ports: data }, oss: { ports: data } } }
storage:
  scratch: { kind: lustre, servers: { nodes: oss }, mount: /scratch, protection: erasure 4+1, demand: { read: 200 GB/s } }
  quiet: { kind: nfs, servers: { nodes: oss }, mount: /home }
)";

TEST(StoragePath, PortsOfTheServersDecide) {
  Resolved r;
  r.text(kFourServers);
  const auto read = storage_rate(*r.cluster, 0, StorageDirection::read);
  ASSERT_TRUE(read);
  EXPECT_NEAR(read->rate.value, 98e9, 1);  // 4 x 200 Gb/s x 0.98 / 8, less than the promise
  EXPECT_EQ(read->from, "the servers' ports");
  EXPECT_FALSE(storage_rate(*r.cluster, 0, StorageDirection::write));  // nobody says how fast it writes
  EXPECT_EQ(fastest_shared_storage(*r.cluster, {0}, StorageDirection::write), -1);
}

TEST(StoragePath, OneNodeHasItsOwnPorts) {
  Resolved r;
  r.text(kFourServers);
  const auto node = storage_node_side(*r.cluster, 0, 0);
  ASSERT_TRUE(node);
  EXPECT_NEAR(node->carries.value, 24.5e9, 1);        // 200 Gb/s x 0.98 / 8
  EXPECT_FALSE(storage_node_side(*r.cluster, 0, 1));  // those who serve are no clients
  EXPECT_EQ(groups_that_mount(*r.cluster, 0), std::vector<int>{0});
}

TEST(StoragePath, RedundancyTakesItsShareOfTheDrives) {
  Resolved r;
  r.text(kFourServers);
  EXPECT_DOUBLE_EQ(storage_room(*r.cluster, 0)->bytes.value, 320e12);  // 4 x 100 TB x 4 / 5, boot drives left out
  EXPECT_DOUBLE_EQ(storage_room(*r.cluster, 1)->bytes.value, 400e12);
  EXPECT_DOUBLE_EQ(parse_protection("replica 3")->share(), 1.0 / 3);
  EXPECT_FALSE(parse_protection("lots"));
}

// One of the two serves, and the other holds nothing more: ports and drives count once, whoever says that it is so.
TEST(StoragePath, OneOfAPairServes) {
  const std::string pair = R"(
clusterc: 1
name: case
site: cloud
nodes:
  cpu: { names: "n[1-8]", server: { like: generic-2u, nics: { data: cx6-vpi-200 } } }
  nfs: { names: "s[1-2]", server: { like: generic-2u, nics: { data: cx6-vpi-200 }, drives: { boot: 2 x 960 GB nvme, data: 10 x 10 TB hdd } }, roles: [storage] }
networks:
  lan: { kind: ethernet, rate: 200 Gb/s, carries: [storage], connects: { cpu: { ports: data }, nfs: { ports: data } } }
storage:
  alone: { kind: nfs, servers: { nodes: nfs }, mount: /a }
  pair: { kind: nfs, servers: { nodes: nfs, ha: active-passive }, mount: /b }
  raid: { kind: nfs, servers: { nodes: nfs, ha: active-passive }, mount: /c, protection: raid6 8+2 }
  copies: { kind: nfs, servers: { nodes: nfs, ha: active-passive }, mount: /d, protection: replica 2 }
  both: { kind: nfs, servers: { nodes: nfs, ha: active-active }, mount: /e }
)";
  Resolved r;
  r.text(pair);
  const auto room = [&](int s) { return storage_room(*r.cluster, s)->bytes.value; };
  const auto ports = [&](int s) { return storage_servers_side(*r.cluster, s)->carries.value; };
  EXPECT_DOUBLE_EQ(room(0), 200e12);
  EXPECT_DOUBLE_EQ(room(1), 100e12);  // 10 x 10 TB of the one
  EXPECT_DOUBLE_EQ(room(2), 80e12);   // x 8 / 10
  EXPECT_DOUBLE_EQ(room(3), 100e12);  // 2 x 100 TB / 2
  EXPECT_DOUBLE_EQ(room(4), 200e12);
  EXPECT_NEAR(ports(0), 49e9, 1);  // 2 x 200 Gb/s x 0.98 / 8
  EXPECT_NEAR(ports(1), 24.5e9, 1);
  EXPECT_NEAR(ports(4), 49e9, 1);
}

}  // namespace
}  // namespace clusterc
