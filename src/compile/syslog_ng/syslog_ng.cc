// syslog-ng/GROUP.conf: what the nodes of a group log, the journal and Slurm's own files, sent to Loki or Elasticsearch
// on the machine that watches. What cannot be sent waits on the node's disk, and behind that in the journal: nothing is
// dropped because the other end is away or busy.
#include "compile/syslog_ng/syslog_ng.h"

#include <algorithm>

#include "base/text.h"
#include "compile/ansible/settings.h"
#include "compile/common.h"
#include "compile/prometheus/prometheus.h"
#include "compile/slurm/slurm.h"

namespace clusterc {
namespace {

// https://grafana.com/docs/loki/latest/reference/loki-http-api/#ingest-logs: labels, then [time in ns, line, structured
// metadata]. A stream for each node: what else sets lines apart is metadata, because each set of labels is a stream of
// its own. format-json makes a string of the message; substr takes its braces and key away. Port: `http_listen_port`
// (https://grafana.com/docs/loki/latest/configure/#server).
void loki(const std::string& host, std::string_view cluster, std::string_view group, std::string& out) {
  out += "    http(\n        url(\"http://" + host +
         ":3100/loki/api/v1/push\") method(\"POST\") headers(\"Content-Type: application/json\")\n";
  out += "        body-prefix('{\"streams\":[') delimiter(',') body-suffix(']}')\n";
  out += "        body('{\"stream\":$(format-json --scope none cluster=", out += cluster,
      out += " group=", out += group, out += " host=$LOGHOST),\"values\":[[\"${UNIXTIME}${USEC}000\",";
  out +=
      "$(substr \"$(format-json --scope none m=$MSG)\" 5 -1),$(format-json --scope none level=$LEVEL "
      "facility=$FACILITY program=$PROGRAM pid=$PID)]]}')\n";
}

// https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk: an action, then a document, a line each.
// The data stream is logs-DATASET-NAMESPACE, which Elasticsearch has a template for; names have no '-' in them and no
// capitals. Fields are those of the Elastic Common Schema. Port: `http.port`, OpenSearch's alike.
void elasticsearch(const std::string& host, std::string_view cluster, std::string_view group, std::string& out) {
  std::string name = to_lower(cluster);
  std::replace(name.begin(), name.end(), '-', '_');
  out += "    http(\n        url(\"http://" + host + ":9200/logs-syslog-" + name +
         "/_bulk\") method(\"POST\") headers(\"Content-Type: application/x-ndjson\")\n";
  out += "        body-suffix(\"\\n\")\n";
  out +=
      "        body(\"{\\\"create\\\":{}}\\n$(format-json --scope none "
      "@timestamp=${YEAR}-${MONTH}-${DAY}T${HOUR}:${MIN}:${SEC}.${USEC}Z message=$MSG host.name=$LOGHOST "
      "log.level=$LEVEL log.syslog.facility.name=$FACILITY process.name=$PROGRAM process.pid=$PID labels.cluster=";
  out += cluster, out += " labels.group=", out += group, out += ")\")\n";
}

struct Receiver {
  std::string_view destination;            // name in the file; an extra line that defines it takes its place
  std::vector<std::string_view> programs;  // names in `monitoring`
  void (*write)(const std::string& host, std::string_view cluster, std::string_view group, std::string& out);
};
const Receiver kReceivers[] = {{"d_loki", {"loki"}, loki},
                               {"d_elasticsearch", {"elasticsearch", "elk", "opensearch"}, elasticsearch}};

// The first of them that `monitoring` names; empty: none. It looks at every group.
std::string_view first_named(const Cluster& c, const std::vector<std::string_view>& programs) {
  for (const std::string_view p : programs)
    if (watches_with(c, p)) return p;
  return {};
}
bool any_named(const Cluster& c, const std::vector<std::string_view>& programs) {
  return !first_named(c, programs).empty();
}
bool named(const Cluster& c, const Receiver& r) { return any_named(c, r.programs); }

// Who names another program that ships logs has it already: two would send each line twice, and syslog-ng takes
// rsyslog's place.
bool wanted(const Cluster& c) {
  return c.node_count > 0 &&
         std::any_of(std::begin(kReceivers), std::end(kReceivers), [&](const Receiver& r) { return named(c, r); }) &&
         !any_named(c, {"alloy", "filebeat", "fluent-bit", "promtail", "rsyslog", "vector"});
}

// One statement: whatever it opens it closes, and it ends with ';'.
bool is_statement(std::string_view text) {
  if (text.starts_with("@include \"") || text.starts_with("@define ") || text.starts_with("@module "))
    return text.find('\n') == text.npos;
  std::string open;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return false;
    if (quote) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '(') {
      open += c == '{' ? '}' : ')';
    } else if (c == '}' || c == ')') {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
    } else if (c == '#' || (c == ';' && open.empty() && i + 1 != text.size())) {
      return false;
    }
  }
  return !quote && open.empty() && text.size() > 1 && text.ends_with(';');
}

std::string statements(const CompileInput& in, Findings& findings) {
  std::string out;
  const auto* extra = extra_of(in, "syslog-ng.conf");
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    if (is_statement(text))
      out += text, out += '\n';
    else
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is no statement of syslog-ng")
          .help(
              "write one whole statement, for example log { source(s_cluster); destination { file(\"/var/log/all\"); "
              "}; };");
  }
  return out;
}

bool defines(std::string_view extra, std::string_view destination) {
  constexpr std::string_view kWord = "destination", kBlank = " \t";
  for (std::string_view line : split(extra, '\n')) {
    if (!line.starts_with(kWord)) continue;
    line.remove_prefix(kWord.size());
    const auto begin = line.find_first_not_of(kBlank);
    if (begin == 0 && line.front() != '"') continue;  // another word
    line.remove_prefix(std::min(begin, line.size()));
    const bool quoted = line.starts_with('"');
    line.remove_prefix(quoted);
    if (line.starts_with(destination) &&
        (line.size() == destination.size() ||
         std::string_view(quoted ? "\"" : " \t{").find(line[destination.size()]) != std::string::npos))
      return true;
  }
  return false;
}

// What all destinations share. A code that says "later" is no reason to drop a batch (RFC 9110, 15.6; RFC 6585, 4):
// syslog-ng 3.38 does so at 504. The buffer is on the disk, 256 MiB; behind it the journal waits, because of
// flow-control.
constexpr std::string_view kPatience =
    "        batch-lines(1000) batch-bytes(1048576) batch-timeout(1000)\n"
    "        response-action(429 => disconnect, 500 => disconnect, 502 => disconnect, 503 => disconnect, 504 => "
    "disconnect)\n"
    "        disk-buffer(reliable(no) mem-buf-length(10000) disk-buf-size(268435456))\n";

void write(const CompileInput& in, const std::vector<const Receiver*>& receivers, bool slurm, const NodeGroupModel& g,
           const std::string& host, std::string_view extra, Bundle& bundle) {
  const Cluster& c = in.cluster;
  const std::string_view cluster = c.spec.name ? std::string_view(*c.spec.name) : std::string_view();
  bundle.open("syslog-ng/" + g.name + ".conf", "syslog-ng");
  std::string& out = bundle.text();
  out += "@version: 3.25\n";  // the oldest that it is written for; a newer one says so and reads it as that did
  out += made_by(in, "syslog-ng");
  out += "# for " + std::string(g.names.text()) + ": /etc/syslog-ng/syslog-ng.conf\n@include \"scl.conf\"\n\n";
  out +=
      "options { use-dns(no); dns-cache(no); use-fqdn(no); chain-hostnames(no); keep-hostname(yes); "
      "time-zone(\"UTC\"); stats-freq(0); time-reopen(10); };\n\n";
  out += "source s_cluster {\n    system();     # the journal, and the kernel's messages with it\n    internal();\n";
  const auto file = [&](std::string_view program) {
    out += "    file(\"/var/log/slurm/", out += program, out += ".log\" program-override(\"", out += program,
        out += "\") flags(no-parse) follow-freq(1));\n";
  };
  if (slurm) {
    if (runs_slurmd(c, g)) file("slurmd");
    if (runs_slurmctld(c, g)) file("slurmctld");
    if (slurm_keeps_accounts(c, g)) file("slurmdbd");
  }
  out += "};\n";
  if (!extra.empty()) out += "\n# outputs.syslog-ng.extra of the spec\n", out += extra;
  for (const Receiver* r : receivers) {
    if (!defines(extra, r->destination)) {
      if (host.empty()) continue;
      out += "\ndestination ", out += r->destination, out += " {\n";
      r->write(host, cluster, g.name, out);
      out += kPatience, out += "    );\n};\n";
    }
    out += "log { source(s_cluster); destination(", out += r->destination, out += "); flags(flow-control); };\n";
  }
  bundle.close();
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "syslog-ng", {"syslog-ng.conf"}, findings);
  const std::string host = watching_node(in), extra = statements(in, findings);
  std::vector<const Receiver*> receivers;
  for (const Receiver& r : kReceivers) {
    const std::string_view program = first_named(c, r.programs);
    if (program.empty()) continue;
    receivers.push_back(&r);
    if (host.empty() && !defines(extra, r.destination))
      findings
          .warning("output-logs-unreceived", c.spec.software.span,
                   "`monitoring` names " + std::string(program) +
                       ", and no node has the role monitoring: the logs are sent nowhere")
          .help(
              "give a group the role monitoring, or say where they go: outputs: { syslog-ng: { extra: { "
              "syslog-ng.conf: [ \"destination " +
              std::string(r.destination) + " { … };\" ] } } }");
  }
  const bool slurm = is_made(c, "slurm");
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0) write(in, receivers, slurm, g, host, extra, bundle);
}

}  // namespace

bool keeps_logs_in_loki(const CompileInput& of_another) {
  CompileInput in = of_another;
  const auto* wish = in.cluster.spec.outputs.find("syslog-ng");
  in.wish = wish ? &wish->value : nullptr;
  Findings said;  // it says what is wrong with its lines
  return is_made(in.cluster, "syslog-ng") && named(in.cluster, kReceivers[0]) && !watching_node(in).empty() &&
         !defines(statements(in, said), kReceivers[0].destination);
}

const Output kSyslogNgOutput{
    .id = "syslog-ng",
    .summary =
        "for each group of nodes what sends their journal and Slurm's logs to Loki or Elasticsearch, where "
        "`monitoring` of the spec names one",
    .consumers = "syslog-ng 3.25 to 4.8; Loki 3, Elasticsearch 7.9 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
