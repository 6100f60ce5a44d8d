// prometheus/: prometheus.yml, targets/ (a file a job), rules/ (recording and alerts), tests/ for promtool,
// alertmanager.yml, dcgm-counters.csv.
//
// Nodes and equipment are named as hosts names them, so an alert speaks of `gpu017:9100` and `pdu-r07-b`. A job is
// there where the spec's `monitoring` names its exporter: node exporter with Prometheus itself, `dcgm`,
// `slurm-exporter`, `snmp-exporter`, `ipmi-exporter`.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "model/mig.h"
#include "plan/equipment.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/monitoring.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_prometheus(const Cluster& c) { return watches_with(c, "prometheus"); }

// One file of targets: entries of hosts with the labels that they share.
class Targets {
 public:
  Targets(const CompileInput& in, std::string_view job, Bundle& bundle) : bundle_(bundle) {
    bundle_.open("prometheus/targets/" + std::string(job) + ".yml", "prometheus");
    bundle_.text() += made_by(in, "prometheus");
    y_.emplace(bundle_.text());
    y_->begin_list();
  }
  void entry(const std::vector<std::string>& hosts, const Labels& labels) {
    if (hosts.empty()) return;
    y_->begin_map().key("targets").flow(hosts).map("labels");
    for (const auto& [name, value] : labels) y_->field(name, value);
    y_->end_map().end_map();
  }
  void finish() {
    y_->end_list();
    bundle_.close();
  }

 private:
  Bundle& bundle_;
  std::optional<YamlWriter> y_;
};

// The nodes of some groups, rack by rack.
void node_targets(const CompileInput& in, std::string_view job, int port, Bundle& bundle,
                  const std::function<bool(const NodeGroupModel&)>& take) {
  const Cluster& c = in.cluster;
  Targets targets(in, job, bundle);
  std::string ending = ":";
  append_int(ending, port);
  std::vector<std::string> hosts;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (!take(group) || !has_plain_name(c, in.plan, static_cast<int>(g))) continue;
    for (std::int64_t i = 0; i < group.count;) {
      const std::int32_t rack = in.plan.node_rack[static_cast<std::size_t>(group.first + i)];
      hosts.clear();
      while (i < group.count && hosts.size() < static_cast<std::size_t>(kBucket) &&
             in.plan.node_rack[static_cast<std::size_t>(group.first + i)] == rack) {
        std::string& host = hosts.emplace_back();
        group.names.append_name(i++, host);
        host += ending;
      }
      Labels labels{{"group", group.name}};
      if (rack >= 0) labels.emplace_back("rack", c.rack_name(rack));
      targets.entry(hosts, labels);
    }
  }
  targets.finish();
}

bool equipment_has_addresses(const Plan& plan, FabricBlock::What what) {
  return std::any_of(plan.addresses.begin(), plan.addresses.end(), [&](const AddressPlan& a) {
    return std::any_of(a.equipment.begin(), a.equipment.end(),
                       [&](const EquipmentAddresses& e) { return e.what == what && e.first; });
  });
}

void switch_targets(const CompileInput& in, Bundle& bundle) {
  const Cluster& c = in.cluster;
  Targets targets(in, "switches", bundle);
  for (std::size_t f = 0; f < in.plan.fabrics.size(); ++f) {
    const Fabric& fabric = in.plan.fabrics[f];
    for (std::size_t t = 0; t < fabric.tiers.size(); ++t) {
      std::vector<std::string> hosts;
      for (std::int64_t i = 0; i < fabric.tiers[t].count; ++i)
        if (const SwitchRef ref{static_cast<int>(t), i}; in.plan.switch_address(static_cast<int>(f), ref))
          hosts.push_back(in.plan.switch_host_name(static_cast<int>(f), ref));
      targets.entry(
          hosts, {{"model", fabric.tiers[t].model}, {"network", c.networks[f].name}, {"tier", fabric.tiers[t].word}});
    }
  }
  targets.finish();
}

void pdu_targets(const CompileInput& in, Bundle& bundle) {
  const Cluster& c = in.cluster;
  Targets targets(in, "pdus", bundle);
  std::int64_t pdu = 0;
  for (const RackGroupModel& r : c.racks)
    for (std::int64_t rack = 0; rack < r.count; ++rack)
      for (const PduModel& p : r.pdus) {
        const std::int64_t number = pdu++;
        if (!in.plan.pdu_address(number)) continue;
        Labels labels{{"model", p.model}, {"rack", r.names.name(rack)}};
        if (p.feed >= 0) labels.insert(labels.begin(), {"feed", c.feeds[static_cast<std::size_t>(p.feed)].name});
        targets.entry({equipment_host_name(in.plan, FabricBlock::What::pdus, -1, number)}, labels);
      }
  targets.finish();
}

// Where no group has the role scheduler, the spec names the controllers.
std::vector<std::string> named_controllers(const CompileInput& in) {
  std::vector<std::string> out;
  const auto& s = in.cluster.spec.software->scheduler;
  HostPattern::Error error;
  const auto pattern = s && s->controllers ? HostPattern::parse(*s->controllers, error) : std::nullopt;
  if (!pattern) return out;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(pattern->count(), kBucket); ++i) {
    const std::string name = pattern->name(i);
    for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
      if (in.cluster.nodes[g].names.index_of(name) >= 0 && has_plain_name(in.cluster, in.plan, static_cast<int>(g)))
        out.push_back(name + ":8080");
  }
  return out;
}

struct Job {
  std::string name, file, path, module;
};  // module: over the SNMP exporter

std::vector<Job> write_targets(const CompileInput& in, Bundle& bundle) {
  const Exporters e = exporters_of(in.cluster);
  std::vector<Job> jobs;
  const auto nodes = [&](std::string name, int port, const std::function<bool(const NodeGroupModel&)>& take) {
    bool any = false;
    for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
      any |= in.cluster.nodes[g].count > 0 && take(in.cluster.nodes[g]) &&
             has_plain_name(in.cluster, in.plan, static_cast<int>(g));
    if (!any) return;
    node_targets(in, name, port, bundle, take);
    jobs.push_back({name, name + ".yml", {}, {}});
  };
  // Ports are those that the exporters listen on when nothing is said (Prometheus wiki, "Default port allocations").
  nodes("node", 9100, [](const NodeGroupModel&) { return true; });
  if (e.dcgm)
    nodes("dcgm", 9400, [](const NodeGroupModel& g) {
      return g.server.gpu_count > 0 &&
             (!g.server.gpu || g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia);
    });
  if (e.amd)  // github.com/ROCm/device-metrics-exporter, docs/configuration: port 5000
    nodes("amd", 5000, [](const NodeGroupModel& g) {
      return g.server.gpu_count > 0 && g.server.gpu && g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::amd;
    });
  if (e.ipmi)
    nodes("ipmi", 9290, [](const NodeGroupModel& g) { return !g.server.virtual_machine && !g.server.instance; });
  if (e.slurm) {
    const bool role = std::any_of(in.cluster.nodes.begin(), in.cluster.nodes.end(),
                                  [](const NodeGroupModel& g) { return g.count > 0 && g.has_role(Role::scheduler); });
    if (role)
      nodes("slurm", 8080, [](const NodeGroupModel& g) { return g.has_role(Role::scheduler); });
    else if (const std::vector<std::string> hosts = named_controllers(in); !hosts.empty()) {
      Targets targets(in, "slurm", bundle);
      targets.entry(hosts, {{"group", "controllers"}});
      targets.finish();
      jobs.push_back({"slurm", "slurm.yml", {}, {}});
    }
  }
  if (e.snmp && equipment_has_addresses(in.plan, FabricBlock::What::switches))
    switch_targets(in, bundle), jobs.push_back({"switch", "switches.yml", "/snmp", "if_mib"});
  if (e.snmp && equipment_has_addresses(in.plan, FabricBlock::What::pdus))
    pdu_targets(in, bundle), jobs.push_back({"pdu", "pdus.yml", "/snmp", "pdu"});
  return jobs;
}

void write_config(const CompileInput& in, const std::vector<Job>& jobs, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto extra = yaml_entries(in, "prometheus.yml", {"global", "rule_files", "scrape_configs"},
                                  "remote_write: [ { url: 'https://…' } ]", findings);
  const auto replaced = [&](std::string_view key) {
    return std::any_of(extra.begin(), extra.end(), [&](const YamlEntry& e) { return e.key == key; });
  };
  bundle.open("prometheus/prometheus.yml", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  YamlWriter y(out);
  y.begin_map();
  y.comment(
      "planning default: half a minute is short enough to see heating, and loads the store of 16,384 nodes with some "
      "hundred thousand samples a second");
  y.map("global")
      .field("scrape_interval", kScrapeInterval)
      .field("scrape_timeout", "10s")
      .field("evaluation_interval", kScrapeInterval);
  y.map("external_labels").field("cluster", c.spec.name.value_or("")).end_map().end_map();
  y.list("rule_files").value("rules/recording.yml").value("rules/alerts.yml").end_list();
  if (!replaced("alerting")) {
    y.map("alerting").list("alertmanagers").begin_map().list("static_configs").begin_map().list("targets");
    y.value("localhost:9093");  // beside Prometheus: it answers there alone, as it asks nobody who they are
    y.end_list().end_map().end_list().end_map().end_list().end_map();
  }
  y.list("scrape_configs");
  y.begin_map()
      .field("job_name", "prometheus")
      .list("static_configs")
      .begin_map()
      .list("targets")
      .value("localhost:9090")
      .end_list()
      .end_map()
      .end_list()
      .end_map();
  for (const Job& j : jobs) {
    y.begin_map().field("job_name", j.name);
    if (!j.path.empty())
      y.field("metrics_path", j.path).map("params").list("module").value(j.module).end_list().end_map();
    y.list("file_sd_configs").begin_map().list("files").value("targets/" + j.file).end_list().end_map().end_list();
    if (!j.module.empty()) {  // the exporter, here on this host, asks the device that is named
      y.list("relabel_configs");
      y.begin_map()
          .list("source_labels")
          .value("__address__")
          .end_list()
          .field("target_label", "__param_target")
          .end_map();
      y.begin_map()
          .list("source_labels")
          .value("__param_target")
          .end_list()
          .field("target_label", "instance")
          .end_map();
      y.begin_map().field("target_label", "__address__").field("replacement", "localhost:9116").end_map();
      y.end_list();
    }
    y.end_map();
  }
  y.end_list().end_map();
  if (!extra.empty()) out += "# outputs.prometheus.extra of the spec\n";
  for (const YamlEntry& e : extra) out += e.text;
  bundle.close();
}

void write_recording(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const std::vector<RecordingRule> rules = recording_rules(in.system, findings);
  bundle.open("prometheus/rules/recording.yml", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  YamlWriter y(out);
  y.begin_map().list("groups").begin_map().field("name", "recording").list("rules");
  for (const RecordingRule& r : rules) y.begin_map().field("record", r.name).field("expr", r.expr).end_map();
  y.end_list().end_map().end_list().end_map();
  bundle.close();
}

void write_alerts(const CompileInput& in, const std::vector<Alert>& alerts, Bundle& bundle, Findings& findings) {
  std::vector<std::string> ours;
  for (const Alert& a : alerts) ours.push_back(a.name);
  const std::vector<RecordingRule> extra = extra_rules(in.system, "alerts.yml", ours, findings);
  bundle.open("prometheus/rules/alerts.yml", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  YamlWriter y(out);
  y.begin_map().list("groups").begin_map().field("name", "limits-of-the-spec").list("rules");
  for (const Alert& a : alerts) {
    y.begin_map().field("alert", a.name).field("expr", a.expr).field("for", a.hold);
    y.map("labels").field("severity", a.severity);
    if (!a.scope.empty()) y.field("scope", a.scope);
    y.end_map().map("annotations").field("summary", a.summary).end_map().end_map();
  }
  for (const RecordingRule& r : extra) {
    y.begin_map().field("alert", r.name).field("expr", r.expr).field("for", "5m");
    y.map("labels").field("severity", "warning").end_map();
    y.map("annotations")
        .field("summary", "{{ $labels.instance }}: " + r.name + " of outputs.prometheus.extra")
        .end_map()
        .end_map();
  }
  y.end_list().end_map().end_list().end_map();
  bundle.close();
}

// What Prometheus makes of a summary with these labels and this value.
std::string expanded(std::string text, const Labels& labels, double value) {
  for (const auto& [name, v] : labels) text = replace_all(text, "{{ $labels." + name + " }}", v);
  std::string n;
  append_int(n, static_cast<std::int64_t>(value));
  if (static_cast<double>(static_cast<std::int64_t>(value)) != value) n = WriterValue(value).text();
  return replace_all(text, "{{ $value }}", n);
}

// promtool test rules: each alert fires beyond its limit, and at the limit it does not.
void write_tests(const CompileInput& in, const std::vector<Alert>& alerts, Bundle& bundle) {
  bundle.open("prometheus/tests/alerts_test.yml", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  YamlWriter y(out);
  y.begin_map();
  y.list("rule_files").value("../rules/recording.yml").value("../rules/alerts.yml").end_list();
  y.field("evaluation_interval", "1m").list("tests");
  const auto inputs = [&](const std::vector<Series>& series) {
    y.list("input_series");
    for (const Series& s : series) {
      const std::string value(WriterValue(s.value).text());
      y.begin_map().field("series", series_text(s)).field("values", value + "+0x30").end_map();
    }
    y.end_list();
  };
  for (const Alert& a : alerts) {
    y.begin_map().field("interval", "1m").field("name", a.name + " beyond its limit");
    inputs(a.firing);
    y.list("alert_rule_test")
        .begin_map()
        .field("eval_time", "25m")
        .field("alertname", a.name)
        .list("exp_alerts")
        .begin_map();
    y.map("exp_labels").field("severity", a.severity);
    if (!a.scope.empty()) y.field("scope", a.scope);
    for (const auto& [name, value] : a.labels) y.field(name, value);
    y.end_map().map("exp_annotations").field("summary", expanded(a.summary, a.labels, a.value)).end_map();
    y.end_map().end_list().end_map().end_list().end_map();
    y.begin_map().field("interval", "1m").field("name", a.name + " at its limit");
    inputs(a.silent);
    y.list("alert_rule_test")
        .begin_map()
        .field("eval_time", "25m")
        .field("alertname", a.name)
        .list("exp_alerts")
        .end_list()
        .end_map()
        .end_list()
        .end_map();
  }
  y.end_list().end_map();
  bundle.close();
}

std::set<std::string> receiver_names(const Document& d, NodeId list) {
  std::set<std::string> out;
  for (std::size_t i = 0; d.is_sequence(list) && i < d.size(list); ++i)
    if (const NodeId name = d.is_mapping(d.item(list, i)) ? d.find(d.item(list, i), "name") : kNoNode; name != kNoNode)
      out.emplace(d.scalar(name));
  return out;
}

// What Alertmanager does not start with: two of one name, and a key that is neither `name` nor a list of some kind of
// addresses (its configuration, <receiver>).
std::string receivers_refused(const Document& d, NodeId list) {
  std::set<std::string> seen;
  for (std::size_t i = 0; d.is_sequence(list) && i < d.size(list); ++i) {
    const NodeId receiver = d.item(list, i);
    if (!d.is_mapping(receiver)) return "a receiver must be a mapping with a `name`";
    for (std::size_t k = 0; k < d.size(receiver); ++k) {
      const std::string key(d.scalar(d.key(receiver, k)));
      if (key == "name" && !seen.emplace(d.scalar(d.value(receiver, k))).second)
        return "two receivers have the name '" + one_line(std::string(d.scalar(d.value(receiver, k))).substr(0, 60)) +
               "'";
      if (key != "name" && !key.ends_with("_configs"))
        return "a receiver cannot have the key '" + one_line(key.substr(0, 60)) +
               "': all keys except `name` end in _configs";
    }
    if (d.find(receiver, "name") == kNoNode) return "a receiver has no `name`";
  }
  return d.is_sequence(list) ? std::string() : "`receivers` must be a list";
}

// The first receiver of a route, or of those below it, whom nobody is; empty: none.
std::string unknown_receiver(const Document& d, NodeId route, const std::set<std::string>& named, int depth) {
  constexpr int kDeepest = 64;
  if (!d.is_mapping(route) || depth > kDeepest) return {};
  if (const NodeId to = d.find(route, "receiver"); to != kNoNode && !named.contains(std::string(d.scalar(to))))
    return std::string(d.scalar(to));
  const NodeId below = d.find(route, "routes");
  for (std::size_t i = 0; below != kNoNode && d.is_sequence(below) && i < d.size(below); ++i)
    if (std::string nobody = unknown_receiver(d, d.item(below, i), named, depth + 1); !nobody.empty()) return nobody;
  return {};
}

// Each top-level key that an extra line names takes the place of what stands here.
void write_alertmanager(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const auto* lines = extra_of(in, "alertmanager.yml");
  const bool routed = lines && std::any_of(lines->begin(), lines->end(),
                                           [](const auto& line) { return line && trim(*line).starts_with("route:"); });
  constexpr std::string_view kExample =
      "receivers: [ { name: operators, webhook_configs: [ { url: 'http://pager:8000/' } ] } ]";
  // Receivers and the routes to them may stand in two lines: their names first, then each line by itself.
  Findings said_below;
  std::optional<std::set<std::string>> named;
  yaml_entries(in, "alertmanager.yml", {}, kExample, said_below,
               [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
                 if (key == "receivers") named = receiver_names(d, value);
                 return {};
               });
  const auto look = [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
    if (key == "receivers") {
      if (std::string why = receivers_refused(d, value); !why.empty()) return {std::move(why), false};
      if (!routed && !named->contains("operators"))
        return {"no receiver has the name 'operators', to which alerts go unless an extra line has a `route`", true};
    }
    if (key == "route" && (!d.is_mapping(value) || d.find(value, "receiver") == kNoNode))
      return {"the first route has no `receiver` for alerts that no other route matches", false};
    if (key == "route")
      if (const std::string nobody = unknown_receiver(d, value, named.value_or(std::set<std::string>{"operators"}), 0);
          !nobody.empty())
        return {"a route uses the receiver '" + one_line(nobody.substr(0, 60)) + "', but " +
                    (named ? "no receiver of an extra line has that name"
                           : "the only receiver is 'operators' unless an extra line has `receivers`"),
                false};
    return {};
  };
  const auto extra = yaml_entries(in, "alertmanager.yml", {}, kExample, findings, look);
  const auto replaced = [&](std::string_view key) {
    return std::any_of(extra.begin(), extra.end(), [&](const YamlEntry& e) { return e.key == key; });
  };
  bundle.open("prometheus/alertmanager.yml", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  out +=
      "# the spec does not say where alerts go: add receivers by outputs.prometheus.extra, with passwords in files "
      "(smtp_auth_password_file, …_url_file)\n";
  YamlWriter y(out);
  y.begin_map();
  if (!replaced("route")) {
    y.map("route").field("receiver", "operators").key("group_by").flow({"alertname", "rack", "feed"});
    y.field("group_wait", "30s").field("group_interval", "5m").field("repeat_interval", "12h");
    y.list("routes")
        .begin_map()
        .list("matchers")
        .value("severity = critical")
        .end_list()
        .field("receiver", "operators")
        .field("repeat_interval", "1h")
        .end_map()
        .end_list()
        .end_map();
  }
  if (!replaced("receivers")) y.list("receivers").begin_map().field("name", "operators").end_map().end_list();
  if (!replaced("inhibit_rules")) {
    // An overloaded feed, and a PDU over its rating, say all that the milder alert says.
    y.list("inhibit_rules");
    y.begin_map()
        .list("source_matchers")
        .value("alertname = PduOverloaded")
        .end_list()
        .list("target_matchers")
        .value("alertname = PduAtEightyPercent")
        .end_list()
        .key("equal")
        .flow({"instance"})
        .end_map();
    y.begin_map()
        .list("source_matchers")
        .value("alertname = TargetDown")
        .end_list()
        .list("target_matchers")
        .value("alertname =~ \"LinkDown|LinkSlow|LinkMissing|ClockNotSynchronised\"")
        .end_list()
        .key("equal")
        .flow({"instance"})
        .end_map();
    y.end_list();
  }
  y.end_map();
  if (!extra.empty()) out += "# outputs.prometheus.extra of the spec\n";
  for (const YamlEntry& e : extra) out += e.text;
  bundle.close();
}

// What DCGM exporter is to read: what the rules need, and what people look at first. Names: dcgm_fields.h; lines:
// field, type, help.
void write_counters(const CompileInput& in, Bundle& bundle) {
  constexpr std::array<std::array<std::string_view, 3>, 20> kFields{{
      {"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock (MHz)"},
      {"DCGM_FI_DEV_GPU_TEMP", "gauge", "temperature of the GPU (C)"},
      {"DCGM_FI_DEV_GPU_MAX_OP_TEMP", "gauge", "highest operating temperature of the GPU (C)"},
      {"DCGM_FI_DEV_MEMORY_TEMP", "gauge", "temperature of its memory (C)"},
      {"DCGM_FI_DEV_POWER_USAGE", "gauge", "power draw (W)"},
      {"DCGM_FI_DEV_POWER_MGMT_LIMIT", "gauge", "power limit in force (W)"},
      {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "energy since boot (mJ)"},
      {"DCGM_FI_DEV_GPU_UTIL", "gauge", "utilisation of the GPU (%)"},
      {"DCGM_FI_DEV_FB_USED", "gauge", "memory in use (MiB)"},
      {"DCGM_FI_DEV_FB_FREE", "gauge", "free memory (MiB)"},
      {"DCGM_FI_DEV_XID_ERRORS", "gauge", "last Xid"},
      {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "corrected memory errors since boot"},
      {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "uncorrectable memory errors since boot"},
      {"DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "1: no row is left to replace a failing one"},
      {"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "rows replaced for corrected errors"},
      {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "rows replaced for uncorrectable errors"},
      {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe replays"},
      {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink bandwidth of all lanes"},
      {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "share of cycles with the matrix units active"},
      {"DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "share of cycles with the memory active"},
  }};
  bundle.open("prometheus/dcgm-counters.csv", "prometheus");
  std::string& out = bundle.text();
  out += made_by(in, "prometheus");
  for (const auto& [field, type, help] : kFields) ((((out += field) += ", ") += type) += ", ") += help, out += '\n';
  if (!cut_groups(in.cluster).empty())
    out += "DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, share of the time that an instance was active\n";
  bundle.close();
}

void emit_prometheus(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "prometheus", {"prometheus.yml", "recording.yml", "alerts.yml", "alertmanager.yml"}, findings);
  const std::vector<Job> jobs = write_targets(in, bundle);
  const std::vector<Alert> alerts = alerts_of(in.system);
  write_config(in, jobs, bundle, findings);
  write_recording(in, bundle, findings);
  write_alerts(in, alerts, bundle, findings);
  write_tests(in, alerts, bundle);
  write_alertmanager(in, bundle, findings);
  if (exporters_of(in.cluster).dcgm) write_counters(in, bundle);
}

}  // namespace

extern const Output kPrometheusOutput;  // registry.cc names it
const Output kPrometheusOutput{
    .id = "prometheus",
    .summary =
        "scrape targets, recording and alert rules from the limits of the spec, tests of the rules, Alertmanager, "
        "fields of the DCGM exporter",
    .consumers = "Prometheus 2.42 and newer, Alertmanager 0.25 and newer",
    .wanted = wants_prometheus,
    .emit = emit_prometheus,
};

}  // namespace clusterc
