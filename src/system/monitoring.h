// What watches the cluster: the programs that the spec names, who runs them, the rules and the alerts with their
// limits.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "system/system.h"

namespace clusterc {

// Programs that `monitoring` of the spec names: their targets and alerts are written, others are not.
struct Exporters {
  bool dcgm = false, amd = false, slurm = false, snmp = false, ipmi = false;
};
Exporters exporters_of(const Cluster&);

using Labels = std::vector<std::pair<std::string, std::string>>;  // in the order of their names
struct Series {
  std::string metric;
  Labels labels;
  double value = 0;
};
std::string series_text(const Series&);  // up{instance="gpu001:9100",job="node"}

struct Alert {
  std::string name, severity, expr, hold;  // hold: "5m"
  std::string scope;    // what sets it apart from others of its name: "gpu", "gpu/lan", "feed A"; empty: there is one
  std::string summary;  // {{ $labels.instance }} and {{ $value }} stand for what they stand for in Prometheus
  // Its test: with `firing` there it fires, with these labels besides its name, severity and scope, and this value;
  // with `silent`, right at the limit, it does not.
  std::vector<Series> firing, silent;
  Labels labels;
  double value = 0;
  // Where it holds series against a number: `query` `sign` `limit` is its expression.
  std::string query, sign;
  double limit = 0;
};
std::vector<Alert> alerts_of(const System&);
// Teams share GPUs under Slurm: what each of them uses is watched.
bool pools_gpus(const Cluster&);
// "a|b": groups whose GPUs are cut by MIG, as a regular expression.
std::string cut_groups(const Cluster&);

// Recording rules, those of the spec's extra lines among them.
struct RecordingRule {
  std::string name, expr;
};
std::vector<RecordingRule> recording_rules(const System&, Findings&);
// Extra lines of the spec for recording.yml or alerts.yml, "name = PromQL"; `ours`: names that are taken.
std::vector<RecordingRule> extra_rules(const System&, std::string_view file, const std::vector<std::string>& ours,
                                       Findings&);

std::string watching_node(
    const System&);  // the first node with the role monitoring, by its name in hosts; empty: there is none
bool watches_with(const Cluster&,
                  std::string_view program);  // does `monitoring` name it, of the cluster or of a group?

// Planning default: half a minute sees what heats up and loads a store of 16,384 nodes with some hundred thousand
// samples a second.
constexpr std::string_view kScrapeInterval = "30s";

// Share of its breaker's rating at which a PDU is reported: NEC 210.20 lets a branch carry so much without end, and
// elsewhere it leaves time to act.
constexpr double kPduShare = 0.80;

}  // namespace clusterc
