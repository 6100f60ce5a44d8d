// syslog-ng/GROUP.conf: what the nodes of a group log, the journal and Slurm's own files, sent to Loki or Elasticsearch
// on the machine that watches. What cannot be sent waits on the node's disk, and behind that in the journal: nothing is
// dropped because the other end is away or busy.
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "spec/software.h"
#include "system/logs.h"
#include "system/monitoring.h"
#include "system/node_settings.h"
#include "system/slurm.h"

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
const Receiver kReceivers[] = {{kLokiDestination, {"loki"}, loki},
                               {"d_elasticsearch", {"elasticsearch", "elk", "opensearch"}, elasticsearch}};

bool named(const Cluster& c, const Receiver& r) { return !first_watching(c, r.programs).empty(); }

// Who names another program that ships logs has it already: two would send each line twice, and syslog-ng takes
// rsyslog's place.
bool wants_syslog_ng(const Cluster& c) {
  return c.node_count > 0 &&
         std::any_of(std::begin(kReceivers), std::end(kReceivers), [&](const Receiver& r) { return named(c, r); }) &&
         first_watching(c, {"alloy", "filebeat", "fluent-bit", "promtail", "rsyslog", "vector"}).empty();
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
    if (!defines_destination(extra, r->destination)) {
      if (host.empty()) continue;
      out += "\ndestination ", out += r->destination, out += " {\n";
      r->write(host, cluster, g.name, out);
      out += kPatience, out += "    );\n};\n";
    }
    out += "log { source(s_cluster); destination(", out += r->destination, out += "); flags(flow-control); };\n";
  }
  bundle.close();
}

void emit_syslog_ng(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "syslog-ng", {"syslog-ng.conf"}, findings);
  const std::string host = watching_node(in.system), extra = log_statements(in.system, findings);
  std::vector<const Receiver*> receivers;
  for (const Receiver& r : kReceivers) {
    const std::string_view program = first_watching(c, r.programs);
    if (program.empty()) continue;
    receivers.push_back(&r);
    if (host.empty() && !defines_destination(extra, r.destination))
      findings
          .warning("output-logs-unreceived", c.spec.software->span,
                   "`monitoring` names " + std::string(program) +
                       ", but no node has the role monitoring: the logs are sent nowhere")
          .help(
              "give a group the role monitoring, or define the destination: outputs: { syslog-ng: { extra: { "
              "syslog-ng.conf: [ \"destination " +
              std::string(r.destination) + " { … };\" ] } } }");
  }
  const bool slurm = in.system.makes("slurm");
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0) write(in, receivers, slurm, g, host, extra, bundle);
}

}  // namespace

extern const Output kSyslogNgOutput;  // registry.cc names it
const Output kSyslogNgOutput{
    .id = "syslog-ng",
    .summary =
        "configuration for each node group that sends the journal and Slurm's logs to Loki or Elasticsearch, if "
        "`monitoring` of the spec names one",
    .consumers = "syslog-ng 3.25 to 4.8; Loki 3, Elasticsearch 7.9 and newer",
    .wanted = wants_syslog_ng,
    .emit = emit_syslog_ng,
};

}  // namespace clusterc
