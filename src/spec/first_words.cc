// Words of other tools and of the trade for keys and values of a spec. A line that is shown is one that can be written
// as it stands. Examples are of releases that the catalogue's tables know (catalog/compatibility).
#include "spec/first_words.h"

namespace clusterc {
namespace {

constexpr FirstWords kWords[] = {
    {.type = "site",
     .key = "region",
     .slips = "eu|europe|emea|uk|gb|de|fr|ch|nl|no|se|apac|asia|jp|cn|in|au|world|other|international="
              "outside of North America it is iec: write `region: iec`;"
              "us|usa|ca|canada|america|americas|north-america|north america|nec="
              "North America is na: write `region: na`"},
    {.type = "feed", .key = "capacity", .called = "power|kva|size"},
    {.type = "feed", .key = "breaker", .called = "amps|amperes|rating|fuse|current"},
    {.type = "rack group", .key = "names", .example = "\"r[01-06]\"", .called = "count|racks|number|quantity"},
    {.type = "node group",
     .key = "names",
     .example = "\"gpu[01-12]\"",
     .called = "count|hosts|hostnames|nodes|number|quantity|host_names"},
    {.type = "node group", .key = "model", .called = "type|machine|hardware|chassis|node_type|device_type"},
    {.type = "node group", .key = "racks", .called = "rack_group|rack_name|rack_id|location"},
    {.type = "network",
     .key = "kind",
     .called = "type|fabric|protocol|link",
     .slips = "roce|rocev2|roce v2|roce_v2|rdma=RoCE is Ethernet with RDMA: write `kind: ethernet` and `rdma: roce`;"
              "ib|infini-band|infini band|ndr|hdr|xdr|quantum=write `kind: infiniband`;"
              "eth|lan|ip|tcp|spectrum|spectrum-x|gbe=write `kind: ethernet`"},
    {.type = "network", .key = "rate", .called = "speed|bandwidth|link_speed|port_speed"},
    {.type = "network", .key = "switch", .called = "model|switches|leaf|switch_model|switch_type"},
    {.type = "network", .key = "subnet", .called = "cidr|prefix|network|ip_range|address|addresses"},
    {.type = "network", .key = "connects", .called = "nodes|members|groups|attaches|connect_to|hosts"},
    {.type = "software", .key = "os", .called = "distribution|distro|operating_system|image"},
    {.type = "software", .key = "kernel", .example = "6.8"},
    {.type = "software",
     .key = "gpu_driver",
     .example = "580",
     .called = "driver|nvidia_driver|driver_version|gpu-driver"},
    {.type = "software", .key = "cuda", .example = "13.0"},
    {.type = "software", .key = "nccl", .example = "2.27"},
    {.type = "scheduler",
     .key = "version",
     .slips = "latest|newest|stable|lts=a release by its number: write `version: 24.11` (Slurm) or `version: 1.34` "
              "(Kubernetes)"},
};

}  // namespace

std::span<const FirstWords> first_words() { return kWords; }

}  // namespace clusterc
