// Every alert with a limit takes the number from where the plan and the rules take it: the catalogue's GPU,
// pdu_breaker, feed_breaker, inlet_limit, node_memory, the rate of a port. Comparisons are strict: at the limit
// nothing is reported.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "model/group_ends.h"
#include "model/inlet.h"
#include "model/node_memory.h"
#include "model/rdma.h"
#include "plan/power/power_chain.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "system/interfaces.h"
#include "system/monitoring.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// As Prometheus prints it: no exponent below 1e21.
std::string number(double v) {
  return v == std::floor(v) && std::abs(v) < 1e15 ? std::to_string(static_cast<std::int64_t>(v))
                                                  : std::string(WriterValue(v).text());
}
std::string number(std::int64_t v) { return std::to_string(v); }

// A matcher: group="gpu". Names of groups, feeds and parts are letters, digits and hyphens (spec/check_names.cc);
// quotes are escaped all the same.
std::string matcher(std::string_view label, std::string_view value) {
  std::string out(label);
  out += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

struct Builder {
  const System& in;
  const Exporters exporters;
  std::vector<Alert> out;

  // One series against a limit: beyond it is `off` further on.
  Alert& limit(std::string name, std::string severity, std::string scope, std::string metric, Labels labels,
               const std::string& selector, std::string_view sign, double at, double off, std::string hold,
               std::string summary) {
    Alert a{std::move(name),
            std::move(severity),
            metric + "{" + selector + "} " + std::string(sign) + " " + number(at),
            std::move(hold),
            std::move(scope),
            std::move(summary),
            {},
            {},
            labels,
            0};
    a.value = sign == "<" ? at - off : at + off;
    a.query = metric + "{" + selector + "}", a.sign = sign, a.limit = at;
    a.firing.push_back({metric, labels, a.value});
    a.silent.push_back({metric, labels, at});
    out.push_back(std::move(a));
    return out.back();
  }

  Labels node_labels(const NodeGroupModel& g, std::string_view job, int port, Labels more = {}) const {
    Labels l{{"group", g.name}, {"instance", g.names.name(0) + ":" + std::to_string(port)}, {"job", std::string(job)}};
    l.insert(l.end(), more.begin(), more.end());
    std::sort(l.begin(), l.end());
    return l;
  }

  void targets() {
    Alert a{"TargetDown",
            "warning",
            "up == 0",
            "5m",
            {},
            "{{ $labels.instance }} does not answer as {{ $labels.job }}",
            {},
            {},
            {{"instance", "host:9100"}, {"job", "node"}},
            0};
    a.firing.push_back({"up", a.labels, 0});
    a.silent.push_back({"up", a.labels, 1});
    out.push_back(std::move(a));
  }

  void gpus(const NodeGroupModel& g) {
    const ServerModel& s = g.server;
    if (!exporters.dcgm || s.gpu_count == 0 || (s.gpu && s.gpu->vendor.value_or(Vendor::nvidia) != Vendor::nvidia))
      return;
    const std::string of = matcher("job", "dcgm") + "," + matcher("group", g.name);
    const Labels gpu = node_labels(g, "dcgm", 9400, {{"gpu", "0"}});
    const std::string where = "GPU {{ $labels.gpu }} of {{ $labels.instance }} ";
    if (s.gpu && s.gpu->temperature_max) {
      const double most = s.gpu->temperature_max->value;
      limit("GpuTooHot", "critical", g.name, "DCGM_FI_DEV_GPU_TEMP", gpu, of, ">", most, 1, "2m",
            where + "is at {{ $value }} C, the limit of '" + s.gpu_model + "' is " + number(most) + " C");
    } else {  // the catalogue has no figure: the GPU itself has one
      Alert a{"GpuTooHot", "critical", "DCGM_FI_DEV_GPU_TEMP{" + of + "} > DCGM_FI_DEV_GPU_MAX_OP_TEMP{" + of + "}",
              "2m",        g.name,     where + "is at {{ $value }} C, above its own maximum operating temperature",
              {},          {},         gpu,
              91};
      a.firing = {{"DCGM_FI_DEV_GPU_TEMP", gpu, 91}, {"DCGM_FI_DEV_GPU_MAX_OP_TEMP", gpu, 90}};
      a.silent = {{"DCGM_FI_DEV_GPU_TEMP", gpu, 90}, {"DCGM_FI_DEV_GPU_MAX_OP_TEMP", gpu, 90}};
      out.push_back(std::move(a));
    }
    if (s.gpu_limit)
      limit("GpuPowerLimitNotSet", "warning", g.name, "DCGM_FI_DEV_POWER_MGMT_LIMIT", gpu, of, ">", s.gpu_limit->value,
            1, "10m",
            where + "has a power limit of {{ $value }} W, the spec sets " + number(s.gpu_limit->value) + " W");
    // One GPU less than the node has.
    Alert missing{"GpuMissing",
                  "critical",
                  "count by (group, instance) (count by (group, instance, gpu) (DCGM_FI_DEV_GPU_TEMP{" + of + "})) < " +
                      number(s.gpu_count),
                  "5m",
                  g.name,
                  "{{ $labels.instance }} shows {{ $value }} GPUs, the spec has " + number(s.gpu_count),
                  {},
                  {},
                  {{"group", g.name}, {"instance", gpu[2].second}},
                  static_cast<double>(s.gpu_count - 1)};
    for (std::int64_t i = 0; i < s.gpu_count; ++i) {
      const Series one{"DCGM_FI_DEV_GPU_TEMP", node_labels(g, "dcgm", 9400, {{"gpu", std::to_string(i)}}), 40};
      if (i + 1 < s.gpu_count) missing.firing.push_back(one);
      missing.silent.push_back(one);
    }
    if (s.gpu_count > 1)
      out.push_back(std::move(missing));  // without its only one there is no series to count: TargetDown
  }

  // Metrics of AMD's exporter, in lower case (github.com/ROCm/device-metrics-exporter,
  // docs/configuration/metricslist.md; its dashboards count gpu_health < 1). A GPU in several partitions has one serial
  // number.
  void amd_gpus(const NodeGroupModel& g) {
    const ServerModel& s = g.server;
    if (!exporters.amd || s.gpu_count == 0 || !s.gpu || s.gpu->vendor.value_or(Vendor::nvidia) != Vendor::amd) return;
    const std::string of = matcher("job", "amd") + "," + matcher("group", g.name);
    Labels gpu = node_labels(g, "amd", 5000, {{"gpu_id", "0"}});
    const std::string where = "GPU {{ $labels.gpu_id }} of {{ $labels.instance }} ";
    limit("AmdGpuUnhealthy", "critical", g.name, "gpu_health", gpu, of, "<", 1, 1, "2m",
          where + "is not healthy by its exporter: look for its errors with amd-smi");
    limit("AmdGpuMemoryFailed", "critical", g.name, "gpu_ecc_uncorrect_total", gpu, of, ">", 0, 1, "1m",
          where + "had {{ $value }} uncorrectable memory errors");
    limit("AmdGpuThrottledByHeat", "warning", g.name, "gpu_violation_socket_thermal_residency_percentage", gpu, of, ">",
          0, 5, "10m", where + "runs slower for heat in {{ $value }} % of the time");
    if (s.gpu_count < 2) return;  // without its only one there is no series to count: TargetDown
    Alert missing{"AmdGpuMissing",
                  "critical",
                  "count by (group, instance) (count by (group, instance, serial_number) (gpu_health{" + of + "})) < " +
                      number(s.gpu_count),
                  "5m",
                  g.name,
                  "{{ $labels.instance }} shows {{ $value }} GPUs, the spec has " + number(s.gpu_count),
                  {},
                  {},
                  {{"group", g.name}, {"instance", gpu[2].second}},
                  static_cast<double>(s.gpu_count - 1)};
    for (std::int64_t i = 0; i < s.gpu_count; ++i) {
      const Series one{
          "gpu_health",
          node_labels(g, "amd", 5000, {{"gpu_id", std::to_string(i)}, {"serial_number", "S" + std::to_string(i)}}), 1};
      if (i + 1 < s.gpu_count) missing.firing.push_back(one);
      missing.silent.push_back(one);
    }
    out.push_back(std::move(missing));
  }

  void gpu_errors() {
    if (!exporters.dcgm) return;
    const Labels gpu{{"gpu", "0"}, {"instance", "host:9400"}, {"job", "dcgm"}};
    const std::string of = matcher("job", "dcgm"), where = "GPU {{ $labels.gpu }} of {{ $labels.instance }} ";
    limit("GpuMemoryFailed", "critical", {}, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpu, of, ">", 0, 1, "1m",
          where + "had {{ $value }} uncorrectable memory errors");
    limit("GpuRowsExhausted", "critical", {}, "DCGM_FI_DEV_ROW_REMAP_FAILURE", gpu, of, ">", 0, 1, "1m",
          where + "has no spare row left to replace a failing one: replace the GPU");
    limit("GpuXid", "warning", {}, "DCGM_FI_DEV_XID_ERRORS", gpu, of, ">", 0, 79, "1m",
          where + "reported Xid {{ $value }}");
  }

  void node(const NodeGroupModel& g) {
    const ServerModel& s = g.server;
    const std::string of = matcher("job", "node") + "," + matcher("group", g.name);
    if (s.memory && !s.virtual_machine && !s.instance) {
      const std::int64_t usable = node_memory(in.cluster, g).least_usable;
      const double least = static_cast<double>(usable * kMiB);
      limit("NodeMemoryShort", "critical", g.name, "node_memory_MemTotal_bytes", node_labels(g, "node", 9100), of, "<",
            least, static_cast<double>(kMiB), "5m",
            "{{ $labels.instance }} has less memory than the " + number(usable) +
                " MiB that Slurm gives to jobs: look for a module that is not detected");
    }
    links(g, of);
    const Value<Celsius>& high = s.part.inlet_max;
    if (exporters.ipmi && in.cluster.own_site && high) {
      const Celsius most = inlet_limit(
          *high, in.cluster.spec.site && in.cluster.spec.site->altitude ? *in.cluster.spec.site->altitude : Meters(0));
      limit("InletTooWarm", "critical", g.name, "ipmi_temperature_celsius",
            node_labels(g, "ipmi", 9290, {{"name", "Inlet Temp"}}),
            matcher("job", "ipmi") + "," + matcher("group", g.name) + ",name=~\"(?i).*inlet.*\"", ">", most.value, 1,
            "5m",
            "the inlet air of {{ $labels.instance }} is at {{ $value }} C, the limit of '" + s.id + "' is " +
                number(most.value) + " C");
    }
  }

  // Are these ports of a ConnectX or BlueField, whose driver makes an RDMA device of each?
  static bool is_mlx5(const ServerModel& s, const EndPoints& e) {
    const PortSet* set = e.ports >= 0 ? &s.ports[static_cast<std::size_t>(e.ports)] : nullptr;
    const NicPart* nic = set && set->nics >= 0 ? s.nics[static_cast<std::size_t>(set->nics)].part : nullptr;
    if (!nic) return false;
    const std::string_view name = nic->name ? std::string_view(*nic->name) : std::string_view();
    const bool infiniband = std::any_of(nic->links.begin(), nic->links.end(),
                                        [](const auto& l) { return l && *l == LinkKind::infiniband; });
    return infiniband || name.find("ConnectX") != name.npos || name.find("BlueField") != name.npos;
  }

  // InfiniBand devices are called by the kernel, not by the spec, and node_exporter lists Ethernet adapters that speak
  // RDMA among them, and ports without a cable: it is counted how many run at the rate. Of several rates the lowest is
  // the limit.
  void infiniband(const NodeGroupModel& g, int group, const std::string& of) {
    std::set<std::pair<int, std::int64_t>> cabled;  // set of ports, port
    double slowest = 0;
    const auto each_end = [&](auto&& wanted, auto&& take) {
      for (const GroupEnd& at : ends_of_group(in.cluster, group)) {
        const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(at.network)];
        const EndPoints& e = net.ends[static_cast<std::size_t>(at.end)];
        if (e.rate.value > 0 && wanted(net, e)) take(net, e);
      }
    };
    const auto cable = [&](const NetworkModel& net, const EndPoints& e) {
      const std::int64_t bond = net.kind == LinkKind::ethernet && net.spec && net.spec->bond ? *net.spec->bond : 1;
      const std::int64_t of_adapter = e.ports >= 0 ? g.server.ports[static_cast<std::size_t>(e.ports)].ports_each : 1;
      const std::int64_t joined = bond > 1 && of_adapter % bond == 0 ? bond : 1;
      for (std::int64_t k = 0; k < e.ports_each; k += joined) cabled.emplace(e.ports, e.first_port + k);
    };
    each_end([](const NetworkModel& net, const EndPoints&) { return net.kind == LinkKind::infiniband; },
             [&](const NetworkModel& net, const EndPoints& e) {
               slowest = slowest == 0 ? e.rate.value : std::min(slowest, e.rate.value);
               cable(net, e);
             });
    if (slowest == 0) return;
    const std::string rate = "node_infiniband_rate_bytes_per_second", state = "node_infiniband_state_id";
    // Ports of a RoCE network are listed with them, and those of adapters whose driver is the same: mlx5. One device is
    // all that a bond of one adapter's ports leaves (mlx5_bond_0: Linux, commit 7907f23adc18, "net/mlx5: Implement RoCE
    // LAG feature").
    each_end(
        [&](const NetworkModel& net, const EndPoints& e) {
          return net.kind == LinkKind::ethernet && (is_rdma(net) || is_mlx5(g.server, e)) && e.rate.value >= slowest;
        },
        cable);
    const auto planned = static_cast<std::int64_t>(cabled.size());
    // A node that shows none has no series to count: `up` stands in for it.
    Alert a{"LinkMissing",
            "warning",
            "(count by (group, instance) (" + rate + "{" + of + "} >= " + number(slowest / 8) +
                " and on (instance, device, port) " + state + "{" + of + "} == 4) or on (instance) 0 * up{" + of +
                "}) < " + number(planned),
            "5m",
            g.name + "/infiniband",
            "{{ $labels.instance }} has {{ $value }} RDMA ports active at " + number(slowest / 1e9) +
                " Gb/s or more, the plan has " + number(planned),
            {},
            {},
            {},
            static_cast<double>(planned - 1)};
    const Labels node = node_labels(g, "node", 9100);
    a.labels = planned > 1 ? Labels{node[0], node[1]} : node;
    for (std::vector<Series>* at : {&a.firing, &a.silent}) {
      at->push_back({"up", node, 1});
      for (std::int64_t i = 0; i <= planned; ++i) {  // one more is slow: an Ethernet adapter, or a port without a cable
        const Labels port = node_labels(g, "node", 9100, {{"device", "mlx5_" + number(i)}, {"port", "1"}});
        at->push_back({rate, port, i == planned ? slowest / 32 : slowest / 8});
        at->push_back({state, port, at == &a.firing && i == 0 ? 1.0 : 4.0});  // 4: ACTIVE (IBTA volume 1, PortInfo)
      }
    }
    out.push_back(std::move(a));
  }

  void links(const NodeGroupModel& g, const std::string& of) {
    const ServerModel& s = g.server;
    if (s.virtual_machine || s.instance) return;
    const int group = static_cast<int>(&g - in.cluster.nodes.data());
    infiniband(g, group, of);
    for (const Interface& i : interfaces_of(in.cluster, in.plan, group)) {
      const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(i.network)];
      const double rate = net.ends[static_cast<std::size_t>(i.end_points)].rate.value;
      if (net.kind != LinkKind::ethernet || net.shares >= 0 || rate <= 0) continue;
      const std::string devices = of + ",device=~\"" + join(i.names, "|") + "\"";
      const Labels port = node_labels(g, "node", 9100, {{"device", i.names.front()}});
      const std::string scope = g.name + "/" + net.name + "/" + i.port_set;
      const std::string where = "{{ $labels.device }} of {{ $labels.instance }} (network " + net.name + ") ";
      limit("LinkSlow", "warning", scope, "node_network_speed_bytes", port, devices, "<", rate / 8, rate / 16, "5m",
            where + "runs below its " + number(rate / 1e9) + " Gb/s");
      Alert& down =
          limit("LinkDown", "warning", scope, "node_network_up", port, devices, "==", 0, 0, "5m", where + "is down");
      down.silent[0].value = 1;
    }
  }

  void clocks() {
    const Labels l{{"instance", "host:9100"}, {"job", "node"}};
    Alert& a = limit("ClockNotSynchronised", "warning", {}, "node_timex_sync_status", l, matcher("job", "node"),
                     "==", 0, 0, "10m", "the clock of {{ $labels.instance }} is not synchronised with a time server");
    a.silent[0].value = 1;
  }

  void power() {
    const Cluster& c = in.cluster;
    if (!exporters.snmp || !c.own_site) return;
    std::vector<std::string> told;
    for (const RackGroupModel& r : c.racks)
      for (const PduModel& pdu : r.pdus) {
        if (!pdu.part || std::find(told.begin(), told.end(), pdu.model) != told.end()) continue;
        told.push_back(pdu.model);
        const Breaker b = pdu_breaker(c, *pdu.part);
        if (b.trip <= 0) continue;
        const std::string feed = pdu.feed >= 0 ? c.feeds[static_cast<std::size_t>(pdu.feed)].name : std::string();
        Labels l;
        if (!feed.empty()) l.emplace_back("feed", feed);
        l.insert(l.end(), {{"instance", "pdu-" + r.names.name(0) + "-a"},
                           {"job", "pdu"},
                           {"model", pdu.model},
                           {"rack", r.names.name(0)}});
        const std::string what = "{{ $labels.instance }} in rack {{ $labels.rack }} carries {{ $value }} VA, ";
        const double share = std::floor(kPduShare * b.trip);
        limit("PduAtEightyPercent", "warning", pdu.model, "cluster:pdu_apparent:va", l, matcher("model", pdu.model),
              ">", share, 1, "5m", what + "80 % of its breaker rating is " + number(share) + " VA");
        if (std::floor(b.continuous) > share + 1)
          limit("PduOverloaded", "critical", pdu.model, "cluster:pdu_apparent:va", l, matcher("model", pdu.model), ">",
                std::floor(b.continuous), 1, "1m",
                what + "its continuous limit is " + number(std::floor(b.continuous)) + " VA");
      }
    if (told.empty()) return;
    for (std::size_t f = 0; f < c.feeds.size(); ++f) {
      // What hangs on it and is no rack PDU is not measured here: its stated draw is taken off; with shelves of
      // assemblies or busbars on it there is no such figure, nor where transfer switches move PDUs to it or from it.
      const auto on_it = [&](const auto& group) {
        return group.count > 0 && std::any_of(group.shelves.begin(), group.shelves.end(),
                                              [&](const auto& s) { return s.first == static_cast<int>(f); });
      };
      const bool shelves = std::any_of(c.assemblies.begin(), c.assemblies.end(), on_it) ||
                           std::any_of(c.racks.begin(), c.racks.end(), on_it);
      const bool moves = std::any_of(c.racks.begin(), c.racks.end(), [&](const RackGroupModel& r) {
        return std::any_of(r.pdus.begin(), r.pdus.end(), [&](const PduModel& p) {
          return p.other_feed >= 0 && (p.feed == static_cast<int>(f) || p.other_feed == static_cast<int>(f));
        });
      });
      const Breaker b = feed_breaker(c, c.feeds[f]);
      if (shelves || moves || b.continuous <= 0) continue;
      const Watts others = c.feeds[f].spec && c.feeds[f].spec->in_use ? *c.feeds[f].spec->in_use : Watts(0);
      const double most = std::floor(b.continuous - in.plan.apparent(others).value);
      limit("FeedOverloaded", "critical", "feed " + c.feeds[f].name, "cluster:feed_apparent:va",
            {{"feed", c.feeds[f].name}}, matcher("feed", c.feeds[f].name), ">", most, 1, "1m",
            "the PDUs on feed {{ $labels.feed }} carry more than the " + number(most) +
                " VA that the feed has left for them");
    }
  }

  // Each controller's exporter counts all nodes.
  void slurm() {
    if (!exporters.slurm) return;
    std::int64_t spares = 0;
    for (const NodeGroupModel& g : in.cluster.nodes)
      if (g.spec && g.spec->spares) spares += *g.spec->spares;
    Alert a{"SlurmNodesOut",
            "warning",
            "max(slurm_nodes_down) + max(slurm_nodes_drain) > " + number(spares),
            "15m",
            {},
            "{{ $value }} nodes are down or drained, " + number(spares) + " of the cluster's nodes are spares",
            {},
            {},
            {},
            static_cast<double>(spares + 1)};
    const Labels l{{"instance", "ctl:8080"}, {"job", "slurm"}};
    a.firing = {{"slurm_nodes_down", l, 1}, {"slurm_nodes_drain", l, static_cast<double>(spares)}};
    a.silent = {{"slurm_nodes_down", l, 0}, {"slurm_nodes_drain", l, static_cast<double>(spares)}};
    out.push_back(std::move(a));
  }
};

}  // namespace

std::vector<Alert> alerts_of(const System& in) {
  Builder b{in, exporters_of(in.cluster), {}};
  b.targets();
  for (const NodeGroupModel& g : in.cluster.nodes)
    if (g.count > 0) b.gpus(g), b.amd_gpus(g), b.node(g);
  b.gpu_errors();
  b.clocks();
  b.power();
  b.slurm();
  return std::move(b.out);
}

std::string series_text(const Series& s) {
  std::string out = s.metric;
  out += '{';
  for (const auto& [label, value] : s.labels) {
    if (out.back() != '{') out += ',';
    out += matcher(label, value);
  }
  return out + '}';
}

}  // namespace clusterc
