#include <algorithm>
#include <iterator>

#include "audit/not_compared.h"
#include "cli/audit_fabric.h"
#include "cli/audit_nodes.h"
#include "cli/audit_redfish.h"
#include "cli/command.h"
#include "model/cluster.h"
#include "rules/acceptances.h"
#include "rules/severities.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o, "text, json, sarif, junit, github (annotations) or gitlab (code quality)", false);
  add_fabric_options(o);
  add_redfish_options(o);
  add_node_options(o);
}

// 1: something differs. 2: nothing does, but not all could be compared.
int status_of(const Findings& findings) {
  int status = kOk;
  for (const Finding& f : findings.all()) {
    if (!f.counts() || f.severity == Severity::note) continue;
    if (std::ranges::find(kNotCompared, f.rule) == std::end(kNotCompared)) return kFindings;
    status = kUnjudged;
  }
  return status;
}

int run(const po::variables_map& given) {
  const std::string path = one_spec(given);
  if (!given.count("fabric") && !given.count("redfish") && !given.count("nodes"))
    throw UsageError{
        "name what is to be compared: --fabric FILE, --redfish plan, --redfish FILE, --nodes all or --nodes DIR"};
  const RunOptions options = run_options(given, path);
  auto result = run_pipeline(path, Stage::planned, options);
  if (!result->plan || result->findings.count(Severity::error)) {
    report_findings_as_text(*result, path, given);
    put_error("nothing was compared: the spec has errors\n");
    return kUnjudged;
  }
  result->findings = Findings();
  FabricsAudited fabrics;
  if (given.count("fabric")) fabrics = audit_fabrics(*result, path, given);
  std::string summaries = fabrics.summaries;
  RedfishAudited bmcs;
  if (given.count("redfish")) bmcs = audit_redfish(*result, path, given);
  summaries += bmcs.summary;
  NodesAudited nodes;
  if (given.count("nodes")) nodes = audit_nodes(*result, capture_nodes(*result, given));
  summaries += nodes.summary;
  Findings heard;  // `check` reports what is wrong with `accept` and `severity`
  Acceptances(result->cluster->spec, result->sources, options.today ? &*options.today : nullptr, heard)
      .apply(result->findings);
  raise_severities(read_severities(result->cluster->spec, heard), result->findings);
  report_findings(*result, fabrics.path.empty() || given.count("redfish") || given.count("nodes") ? path : fabrics.path,
                  given, false, [&](JsonWriter& json) {
                    if (fabrics.members) fabrics.members(json);
                    if (bmcs.members) bmcs.members(json);
                    if (nodes.members) nodes.members(json);
                  });
  const int status = status_of(result->findings);
  if (format_of(given) == Format::text) {
    put_text(summaries);
    if (status == kUnjudged) put_error("not all could be compared\n");
  }
  return status;
}

}  // namespace

const Command kAudit{"audit", "what is really there against the plan: cables, hardware and software",
                     "clusterc audit SPEC [--fabric [NETWORK=]FILE] [--redfish plan|FILE --user NAME …] [--nodes "
                     "all|HOSTLIST|DIR] [--format FORMAT]",
                     options, run};
}  // namespace clusterc::cli
