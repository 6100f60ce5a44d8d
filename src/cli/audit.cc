#include <algorithm>
#include <iterator>

#include "audit/not_compared.h"
#include "cli/audit_fabric.h"
#include "cli/audit_nodes.h"
#include "cli/audit_redfish.h"
#include "cli/audit_saved.h"
#include "cli/audit_software.h"
#include "cli/command.h"
#include "cli/page_file.h"
#include "cli/written_files.h"
#include "model/cluster.h"
#include "rules/acceptances.h"
#include "rules/severities.h"

namespace clusterc::cli {
namespace {

void options_of_audit(po::options_description& o) {
  add_positional(o, "SPEC");
  o.add_options()("page", po::value<std::string>()->value_name("FILE"),
                  "also write the plan with what differs as one HTML page that opens from disk");
  add_findings_options(o, "text, json, sarif, junit, github (annotations) or gitlab (code quality)", false);
  add_fabric_options(o);
  add_redfish_options(o);
  add_node_options(o);
  add_software_options(o);
  add_saved_options(o);
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

// The plan as `plan --page` shows it, with the findings of `check`; what the audit found is a document of its own.
void write_audit_page(const Run& audited, const std::string& spec, const std::string& file, RunOptions options) {
  options.all_cables = true;
  const auto checked = run_pipeline(spec, Stage::checked, options);
  write_page(*checked, expect_figures(*checked->cluster, *checked->plan, true), spec, file,
             {{"audit", render_json(audited.findings, audited.sources)}});
}

std::unique_ptr<Run> planned_run(const std::string& path, const RunOptions& options) {
  return run_pipeline(path, Stage::planned, options);
}

// What the spec accepts, and severities that it raises; `check` reports what is wrong with them.
void apply_wishes(Run& run, const RunOptions& options) {
  Findings heard;
  Acceptances(run.cluster->spec, run.sources, options.today ? &*options.today : nullptr, heard).apply(run.findings);
  raise_severities(read_severities(run.cluster->spec, heard), run.findings);
}

std::set<std::string> keys_of_captures(const std::string& path, const RunOptions& options,
                                       const std::vector<Captured>& captures) {
  std::set<std::string> keys;
  auto earlier = planned_run(path, options);
  earlier->findings = Findings();
  if (asks_for_fabrics(captures)) audit_fabrics(*earlier, captures, {});
  if (asks_for_bmcs(captures)) audit_saved_bmcs(*earlier, captures);
  if (asks_for_nodes(captures)) audit_nodes(*earlier, captures);
  audit_software(*earlier, path, captures);
  apply_wishes(*earlier, options);
  add_keys(*earlier->cluster, earlier->findings, keys);
  return keys;
}

void require_something(const po::variables_map& given) {
  const bool live = given.count("nodes") || asks_for_software(given);
  if (!live && !given.count("fabric") && !given.count("redfish") && !given.count("from"))
    throw UsageError{
        "name what is to be compared: --fabric FILE, --redfish plan, --redfish FILE, --nodes all, --nodes DIR, "
        "--scontrol FILE, --kubectl FILE, --files DIR, --netbox FILE or --from FILE"};
  if (given.count("from") && (live || given.count("fabric") || given.count("redfish")))
    throw UsageError{
        "--from takes the place of --fabric, --redfish, --nodes, --scontrol, --kubectl, --files and --netbox"};
  if (given.count("save") && given.count("from"))
    throw UsageError{"--save keeps what is captured now, and --from compares what was kept: leave one of them out"};
}

int run_audit(const po::variables_map& given) {
  const std::string path = one_spec(given);
  require_something(given);
  ReadFiles reads{{path, "is the spec"}};
  add_read_files(reads, given,
                 {"fabric", "redfish", "nodes", "scontrol", "kubectl", "files", "netbox", "from", "against",
                  "password-file", "ca", "pin", "ssh-config"});
  require_written_apart(given, reads, {"page", "save", "names"});
  const std::string page = given.count("page") ? given["page"].as<std::string>() : std::string();
  const RunOptions options = run_options(given, path);
  auto result = planned_run(path, options);
  if (!result->plan || result->findings.count(Severity::error)) {
    report_findings_as_text(*result, path, given);
    put_error("nothing was compared: the spec has errors\n");
    return kUnjudged;
  }
  result->findings = Findings();
  std::optional<EarlierAudit> earlier;
  if (given.count("against")) earlier = earlier_audit(*result->cluster, given["against"].as<std::string>());
  std::vector<Captured> captures = capture_fabrics(path, given);
  if (given.count("from")) captures = saved_captures("from", given["from"].as<std::string>());
  const std::string names = given.count("names") ? given["names"].as<std::string>() : std::string();
  FabricsAudited fabrics;
  if (asks_for_fabrics(captures)) fabrics = audit_fabrics(*result, captures, names);
  std::string summaries = fabrics.summaries;
  RedfishAudited bmcs;
  if (given.count("redfish"))
    bmcs = audit_redfish(*result, path, given, captures);
  else if (asks_for_bmcs(captures))
    bmcs = audit_saved_bmcs(*result, captures);
  summaries += bmcs.summary;
  if (given.count("nodes"))
    for (Captured& c : capture_nodes(*result, given)) captures.push_back(std::move(c));
  for (Captured& c : capture_software(given)) captures.push_back(std::move(c));
  if (given.count("save")) save_captures(given["save"].as<std::string>(), result->spec_digest, captures);
  NodesAudited nodes;
  if (asks_for_nodes(captures)) nodes = audit_nodes(*result, captures);
  SoftwareAudited software = audit_software(*result, path, captures);
  summaries += nodes.summary + software.summary;
  apply_wishes(*result, options);
  ChangesAudited changes;
  if (earlier) {
    if (!earlier->captures.empty()) earlier->keys = keys_of_captures(path, options, earlier->captures);
    changes =
        compare_with_earlier(*result->cluster, given["against"].as<std::string>(), earlier->keys, result->findings);
    summaries += changes.summary;
  }
  const bool only_fabric = !fabrics.path.empty() && std::ranges::all_of(captures, [](const Captured& c) {
    return c.kind == "fabric" || c.kind == "neighbours";
  });
  report_findings(*result, only_fabric ? fabrics.path : path, given, false, [&](JsonWriter& json) {
    for (const JsonMembers* members :
         {&fabrics.members, &bmcs.members, &nodes.members, &software.members, &changes.members})
      if (*members) (*members)(json);
  });
  if (!page.empty()) write_audit_page(*result, path, page, options);
  const int status = status_of(result->findings);
  if (format_of(given) == Format::text) {
    put_report(summaries, given);
    if (status == kUnjudged) put_error("not all could be compared\n");
  }
  return status;
}

}  // namespace

const Command kAudit{"audit", "what is really there against the plan: cables, hardware and software",
                     "clusterc audit SPEC [--fabric [NETWORK=]FILE] [--redfish plan|FILE --user NAME …] [--nodes "
                     "all|HOSTLIST|DIR] [--scontrol FILE …] [--save FILE] [--page FILE] [--format FORMAT]",
                     options_of_audit, run_audit};
}  // namespace clusterc::cli
