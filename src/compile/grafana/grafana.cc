// grafana/: provisioning (the data source, where dashboards lie) and dashboards. What they show is what the rules of
// the output prometheus know: a panel for each recording rule, and one for each alert with a limit, with that limit
// drawn in it. Expressions and limits come from there (recording_rules, alerts_of), so that what is red in a panel is
// where the alert fires.

#include <algorithm>
#include <map>
#include <memory>

#include "base/json_writer.h"
#include "base/text.h"
#include "compile/common.h"
#include "system/logs.h"
#include "system/monitoring.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kSource = "cluster-prometheus";  // uid of the data source
constexpr int kWidth = 12, kHeight = 8, kColumns = 24;      // two panels side by side: Grafana's grid has 24 columns
// Of many series the worst are shown: a browser does not draw those of 131,072 GPUs.
constexpr int kWorst = 20;

bool wants_grafana(const Cluster& c) { return watches_with(c, "grafana") && watches_with(c, "prometheus"); }

struct GraphPanel {
  std::string title, expr, legend, unit, sign;
  double limit = 0;
};

class Dashboard {
 public:
  Dashboard(const CompileInput& in, std::string uid, std::string title, Bundle& bundle) : bundle_(bundle) {
    bundle_.open("grafana/dashboards/" + uid + ".json", "grafana");
    json_ = std::make_unique<JsonWriter>(bundle_.text(), JsonStyle{.indent = 1});
    const std::string cluster = one_line(in.cluster.spec.name.value_or(""));
    JsonWriter& j = *json_;
    j.begin_object().field("uid", "cluster-" + uid).field("title", cluster + ": " + title);
    j.field("description", "made by clusterc from spec '" + cluster + "'; a change here is lost: copy the dashboard");
    j.array("tags", JsonWriter::Layout::line).value("clusterc").end_array();
    j.field("editable", false)
        .field("graphTooltip", 1)
        .field("refresh", "1m")
        .field("schemaVersion", 36)
        .field("timezone", "browser")
        .field("version", 1);
    j.object("time", JsonWriter::Layout::line).field("from", "now-6h").field("to", "now").end_object();
    j.array("panels");
  }
  void row(std::string_view title) {
    if (column_ > 0) line_ += kHeight, column_ = 0;
    json_->begin_object().field("id", ++id_).field("type", "row").field("title", title).field("collapsed", false);
    position(kColumns, 1);
    json_->array("panels").end_array().end_object();
    line_ += 1;
  }
  void panel(const GraphPanel& p) {
    JsonWriter& j = *json_;
    j.begin_object().field("id", ++id_).field("type", "timeseries").field("title", p.title);
    place(j);
    j.object("fieldConfig").object("defaults").field("unit", p.unit);
    if (!p.sign.empty()) {
      // Colours of steps hold from their value on; the first has none.
      const bool below = p.sign == "<";
      j.object("thresholds").field("mode", "absolute").array("steps");
      j.begin_object(JsonWriter::Layout::line).field("color", below ? "red" : "green").key("value").null().end_object();
      j.begin_object(JsonWriter::Layout::line)
          .field("color", below ? "green" : "red")
          .field("value", p.limit)
          .end_object();
      j.end_array().end_object();
      j.object("custom")
          .object("thresholdsStyle", JsonWriter::Layout::line)
          .field("mode", "line+area")
          .end_object()
          .end_object();
    }
    j.end_object().array("overrides").end_array().end_object();
    targets(p);
    j.end_object();
  }
  void table(std::string_view title, std::string_view expr) {
    JsonWriter& j = *json_;
    j.begin_object().field("id", ++id_).field("type", "table").field("title", title);
    place(j);
    j.array("targets")
        .begin_object()
        .field("refId", "A")
        .field("expr", expr)
        .field("format", "table")
        .field("instant", true);
    source(j);
    j.end_object().end_array().end_object();
  }
  void finish() {
    json_->end_array().end_object();
    bundle_.text() += '\n';
    bundle_.close();
  }

 private:
  static void source(JsonWriter& j) {
    j.object("datasource", JsonWriter::Layout::line).field("type", "prometheus").field("uid", kSource).end_object();
  }
  void position(int width, int height) {
    json_->object("gridPos", JsonWriter::Layout::line)
        .field("h", height)
        .field("w", width)
        .field("x", column_)
        .field("y", line_)
        .end_object();
  }
  void place(JsonWriter& j) {
    position(kWidth, kHeight);
    column_ += kWidth;
    if (column_ >= kColumns) column_ = 0, line_ += kHeight;
    source(j);
  }
  void targets(const GraphPanel& p) {
    JsonWriter& j = *json_;
    j.array("targets")
        .begin_object()
        .field("refId", "A")
        .field("expr", p.expr)
        .field("legendFormat", p.legend.empty() ? "__auto" : p.legend);
    source(j);
    j.end_object().end_array();
  }

  Bundle& bundle_;
  std::unique_ptr<JsonWriter> json_;
  int id_ = 0, column_ = 0, line_ = 0;
};

// Grafana's words for units (grafana-data, valueFormats/categories.ts), by how Prometheus's metrics end and DCGM's are
// called.
std::string unit_of(std::string_view metric) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"ratio", "percentunit"},     {"watts", "watt"},      {":va", "voltamp"},
      {"bytes_per_second", "Bps"},  {"speed_bytes", "Bps"}, {"_bytes", "bytes"},
      {"celsius", "celsius"},       {"seconds", "s"},       {"_TEMP", "celsius"},
      {"POWER_MGMT_LIMIT", "watt"}, {"POWER_USAGE", "watt"}};
  for (const auto& [end, unit] : kUnits)
    if (metric.ends_with(end)) return std::string(unit);
  return "short";
}

// The series that come nearest to the limit, or are furthest beyond it; where one value is right and all others wrong,
// how many are wrong.
std::string worst(const Alert& a) {
  if (a.sign == "<" || a.sign == ">")
    return (a.sign == "<" ? "bottomk(" : "topk(") + std::to_string(kWorst) + ", " + a.query + ")";
  return "count(" + a.expr + ") or vector(0)";
}

GraphPanel panel_of(const Alert& a) {
  GraphPanel p{.title = a.name + (a.scope.empty() ? "" : " (" + a.scope + ")"), .expr = worst(a)};
  if (a.sign == "<" || a.sign == ">") {
    p.unit = unit_of(std::string_view(a.query).substr(0, a.query.find('{')));
    p.sign = a.sign;
    p.limit = a.limit;
  } else {
    p.unit = "short", p.sign = ">", p.limit = 1;
    p.title += ": how many";
  }
  return p;
}

void emit_grafana(const CompileInput& own, Bundle& bundle, Findings& findings) {
  check_extra_files(own, "grafana", {}, findings);

  Dashboard overview(own, "overview", "overview", bundle);
  overview.table("Alerts that fire", "ALERTS{alertstate=\"firing\"}");
  Findings of_prometheus;  // it says what is wrong with its lines
  const std::vector<RecordingRule> rules = recording_rules(own.system, of_prometheus);
  const auto of_teams = [&](const RecordingRule& r) {
    return pools_gpus(own.cluster) && (r.name.starts_with("team:") || r.name.starts_with("cluster:gpus_"));
  };
  const auto show = [&](Dashboard& board, const RecordingRule& r) {
    board.panel({.title = r.name, .expr = r.name, .legend = {}, .unit = unit_of(r.name), .sign = {}});
  };
  for (const RecordingRule& r : rules)
    if (!of_teams(r)) show(overview, r);
  overview.finish();
  if (pools_gpus(own.cluster)) {
    Dashboard teams(own, "teams", "teams", bundle);
    for (const RecordingRule& r : rules)
      if (of_teams(r)) show(teams, r);
    teams.finish();
  }

  // A row for each kind of alert, in their order; limits of different groups and networks side by side.
  const std::vector<Alert> alerts = alerts_of(own.system);
  std::vector<std::string> kinds;
  std::map<std::string, std::vector<const Alert*>> of_kind;
  for (const Alert& a : alerts) {
    if (a.query.empty()) continue;
    if (!of_kind.contains(a.name)) kinds.push_back(a.name);
    of_kind[a.name].push_back(&a);
  }
  if (!kinds.empty()) {
    Dashboard limits(own, "limits", "limits of the spec", bundle);
    for (const std::string& kind : kinds) {
      limits.row(kind);
      for (const Alert* a : of_kind[kind]) limits.panel(panel_of(*a));
    }
    limits.finish();
  }

  bundle.open("grafana/provisioning/datasources/cluster.yaml", "grafana");
  bundle.text() += made_by(own, "");
  YamlWriter d(bundle.text());
  d.begin_map().field("apiVersion", 1).list("datasources").begin_map();
  d.field("name", "Prometheus of the cluster")
      .field("uid", kSource)
      .field("type", "prometheus")
      .field("access", "proxy");
  d.comment("on the host of Grafana, where prometheus.yml also scrapes Prometheus itself");
  d.field("url", "http://localhost:9090").field("isDefault", true).field("editable", false);
  d.map("jsonData").comment("the scrape interval of prometheus.yml").field("timeInterval", kScrapeInterval).end_map();
  d.end_map();
  if (keeps_logs_in_loki(own.system)) {
    d.begin_map()
        .field("name", "Logs of the cluster")
        .field("uid", "cluster-logs")
        .field("type", "loki")
        .field("access", "proxy");
    d.comment("on the host of Grafana, to which syslog-ng sends the logs")
        .field("url", "http://localhost:3100")
        .field("editable", false)
        .end_map();
  }
  d.end_list().end_map();
  bundle.close();
  bundle.open("grafana/provisioning/dashboards/cluster.yaml", "grafana");
  bundle.text() += made_by(own, "");
  YamlWriter p(bundle.text());
  p.begin_map().field("apiVersion", 1).list("providers").begin_map();
  p.field("name", "cluster")
      .field("folder", own.cluster.spec.name.value_or(""))
      .field("type", "file")
      .field("disableDeletion", true)
      .field("allowUiUpdates", false);
  p.map("options").field("path", "/var/lib/grafana/dashboards/cluster").end_map().end_map().end_list().end_map();
  bundle.close();
}

}  // namespace

extern const Output kGrafanaOutput;  // registry.cc names it
const Output kGrafanaOutput{
    .id = "grafana",
    .summary =
        "data source and dashboards: every recording rule, and the limit of every alert beside the value that is "
        "nearest to it",
    .consumers = "Grafana 9 and newer",
    .wanted = wants_grafana,
    .emit = emit_grafana,
};

}  // namespace clusterc
