#include "system/monitoring.h"

#include <algorithm>

#include "base/text.h"
#include "model/mig.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

bool names_program(const Cluster& c, std::initializer_list<std::string_view> words) {
  const auto named = [&](const std::vector<NamedVersion>& list) {
    return std::any_of(list.begin(), list.end(), [&](const NamedVersion& v) {
      return v.kind && std::find(words.begin(), words.end(), to_lower(*v.kind)) != words.end();
    });
  };
  return named(c.spec.software->monitoring) ||
         std::any_of(c.nodes.begin(), c.nodes.end(),
                     [&](const NodeGroupModel& g) { return named(g.software->monitoring); });
}

}  // namespace

// "name = PromQL": brackets and quotes close, and nothing but one line. Whether it is PromQL, promtool says.
std::vector<RecordingRule> extra_rules(const System& in, std::string_view file, const std::vector<std::string>& ours,
                                       Findings& findings) {
  std::vector<RecordingRule> out;
  const auto* extra = extra_lines_of(in.cluster, "prometheus", file);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::size_t equals = wish->find(" = ");
    const std::string name(trim(std::string_view(*wish).substr(0, std::min(equals, wish->size()))));
    const std::string expr(equals == std::string::npos ? std::string_view()
                                                       : trim(std::string_view(*wish).substr(equals + 3)));
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; };
    bool good = !name.empty() && !expr.empty() && letter(name[0]) &&
                std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
    std::string open;
    char quote = 0;
    for (std::size_t i = 0; i < expr.size() && good; ++i) {
      const char c = expr[i];
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        good = false;
      else if (quote) {
        if (c == '\\' && quote != '`')
          ++i;
        else if (c == quote)
          quote = 0;
      } else if (c == '"' || c == '\'' || c == '`')
        quote = c;
      else if (c == '(' || c == '{' || c == '[')
        open += c;
      else if (c == ')' || c == '}' || c == ']') {
        good = !open.empty() && open.back() == (c == ')' ? '(' : c == '}' ? '{' : '[');
        if (good) open.pop_back();
      } else if (c == '#')
        good = false;
    }
    if (!good || quote || !open.empty()) {
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(std::string_view(*wish).substr(0, 60)) + "' is not a recording rule")
          .help(
              "write one rule in each line, for example cluster:pdu_apparent:va = pduApparentPower{job=\"pdu\"} * 10");
      continue;
    }
    if (std::find(ours.begin(), ours.end(), name) != ours.end()) {
      findings
          .error("output-extra-contradicts-spec", wish.span, std::string(file) + " already has the rule '" + name + "'")
          .help("give it another name");
      continue;
    }
    out.push_back({name, expr});
  }
  return out;
}

std::string watching_node(const System& in) {
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g)
    if (in.cluster.nodes[g].count > 0 && in.cluster.nodes[g].has_role(Role::monitoring) &&
        has_plain_name(in.cluster, in.plan, static_cast<int>(g)))
      return in.cluster.nodes[g].names.name(0);
  return {};
}

bool watches_with(const Cluster& c, std::string_view program) { return names_program(c, {program}); }

std::string cut_groups(const Cluster& c) {
  std::string out;
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && g.server.gpu_count > 0 && mig_layout(*g.software)) out += (out.empty() ? "" : "|") + g.name;
  return out;
}

namespace {

// Of a GPU that is cut, the utilisation is 0 or missing; its instances have the share of the time that they were active
// (NVIDIA/dcgm-exporter, issues 216 and 430; DCGM, field 1001).
std::string gpu_utilisation(const Cluster& c) {
  const std::string cut = cut_groups(c);
  if (cut.empty()) return "avg by (group) (DCGM_FI_DEV_GPU_UTIL{job=\"dcgm\"}) / 100";
  return "avg by (group) (DCGM_FI_DEV_GPU_UTIL{job=\"dcgm\",group!~\"" + cut +
         "\"}) / 100 or avg by (group) (DCGM_FI_PROF_GR_ENGINE_ACTIVE{job=\"dcgm\",group=~\"" + cut + "\"})";
}

}  // namespace

bool pools_gpus(const Cluster& c) {
  const auto& scheduler = c.spec.software->scheduler;
  return scheduler && scheduler->kind.value_or(SchedulerKind::none) == SchedulerKind::slurm &&
         c.spec.teams.begin() != c.spec.teams.end();
}

std::vector<RecordingRule> recording_rules(const System& in, Findings& findings) {
  const Exporters e = exporters_of(in.cluster);
  std::vector<RecordingRule> rules{{"cluster:nodes_up:ratio", "avg(up{job=\"node\"})"}};
  if (e.dcgm) {
    rules.push_back({"cluster:gpu_power:watts", "sum(max by (instance, gpu) (DCGM_FI_DEV_POWER_USAGE{job=\"dcgm\"}))"});
    rules.push_back({"group:gpu_utilisation:ratio", gpu_utilisation(in.cluster)});
  }
  if (e.amd)
    rules.push_back({"group:amd_gpu_utilisation:ratio", "avg by (group) (gpu_gfx_activity{job=\"amd\"}) / 100"});
  // Metrics of slurm/team-usage.sh, which each controller writes: the same of all of them. A sample a minute is a GPU's
  // minute.
  const bool teams = pools_gpus(in.cluster);
  if (teams) {
    const auto of_team = [](std::string_view metric) {
      return "max by (team) (" + std::string(metric) + "{job=\"node\"})";
    };
    rules.push_back({"cluster:gpus_idle:sum", "max(cluster_gpus{job=\"node\",state=\"idle\"})"});
    rules.push_back({"cluster:gpus_unavailable:sum", "max(cluster_gpus{job=\"node\",state=\"unavailable\"})"});
    rules.push_back({"team:gpus_allocated:sum", of_team("cluster_team_gpus_allocated")});
    rules.push_back({"team:gpu_hours:1d", "sum_over_time(team:gpus_allocated:sum[1d:1m]) / 60"});
    rules.push_back({"team:gpus_waiting:sum", of_team("cluster_team_gpus_waiting")});
    rules.push_back({"team:jobs_waiting:sum", of_team("cluster_team_jobs_waiting")});
    rules.push_back({"team:longest_wait:seconds", of_team("cluster_team_longest_wait_seconds")});
    // Of GPUs that MIG divides the driver reports no load of the whole (cut_groups)
    if (const std::string cut = cut_groups(in.cluster); e.dcgm)
      rules.push_back({"cluster:gpus_without_load_1h:count",
                       "count(max by (instance, gpu) (max_over_time(DCGM_FI_DEV_GPU_UTIL{job=\"dcgm\"" +
                           (cut.empty() ? std::string() : ",group!~\"" + cut + "\"") + "}[1h])) == 0) or vector(0)"});
  }
  // Tens of volt-amperes (PowerNet-MIB, rPDU2DeviceStatusApparentPower: hundredths of kVA); PDUs of another maker: an
  // extra line of this name.
  if (e.snmp) rules.push_back({"cluster:pdu_apparent:va", "rPDU2DeviceStatusApparentPower{job=\"pdu\"} * 10"});
  std::vector<std::string> fixed{"cluster:nodes_up:ratio", "cluster:gpu_power:watts", "group:gpu_utilisation:ratio",
                                 "group:amd_gpu_utilisation:ratio", "cluster:feed_apparent:va"};
  if (teams)
    for (const RecordingRule& r : rules)
      if (r.name.starts_with("team:") || r.name.starts_with("cluster:gpus_")) fixed.push_back(r.name);
  for (RecordingRule& r : extra_rules(in, "recording.yml", fixed, findings)) {
    const auto ours =
        std::find_if(rules.begin(), rules.end(), [&](const RecordingRule& o) { return o.name == r.name; });
    if (ours != rules.end())
      *ours = std::move(r);
    else
      rules.push_back(std::move(r));
  }
  if (e.snmp) rules.push_back({"cluster:feed_apparent:va", "sum by (feed) (cluster:pdu_apparent:va)"});
  return rules;
}

Exporters exporters_of(const Cluster& c) {
  return {names_program(c, {"dcgm", "dcgm-exporter"}), names_program(c, {"amd", "device-metrics-exporter"}),
          names_program(c, {"slurm-exporter", "prometheus-slurm-exporter"}),
          names_program(c, {"snmp", "snmp-exporter"}), names_program(c, {"ipmi", "ipmi-exporter"})};
}

}  // namespace clusterc
