#include "audit/fabric_audit.h"
#include "audit/hardware_audit.h"
#include "base/file.h"
#include "cli/audit_redfish.h"
#include "cli/command.h"
#include "model/cluster.h"
#include "rules/acceptances.h"
#include "rules/severities.h"

namespace clusterc::cli {
namespace {

constexpr std::uint64_t kLargestDump = std::uint64_t{512} << 20;  // 131,072 GPUs: about 100 MB

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o, "text, json, sarif, junit, github (annotations) or gitlab (code quality)");
  o.add_options()("fabric", po::value<std::vector<std::string>>()->composing()->value_name("[NETWORK=]FILE"),
                  "what ibnetdiscover printed on the running fabric; several times for several fabrics");
  add_redfish_options(o);
}

// The fabrics that a dump can be of: with switches of ours, of InfiniBand.
std::vector<int> fabrics_of(const Run& run, const std::string& network) {
  const Cluster& c = *run.cluster;
  std::vector<int> out;
  for (std::size_t n = 0; n < c.networks.size(); ++n)
    if (c.networks[n].kind == LinkKind::infiniband && c.networks[n].shares < 0 && !run.plan->fabrics[n].tiers.empty() &&
        (network.empty() || c.networks[n].name == network))
      out.push_back(static_cast<int>(n));
  if (!out.empty()) return out;
  if (network.empty()) throw UsageError{"the spec plans no InfiniBand network with switches"};
  throw UsageError{"--fabric: the spec plans no InfiniBand network '" + network + "' with switches"};
}

int run(const po::variables_map& given) {
  const std::string path = one_spec(given);
  if (!given.count("fabric") && !given.count("redfish"))
    throw UsageError{"name what is to be compared: --fabric FILE, --redfish plan or --redfish FILE"};
  auto result = run_pipeline(path, Stage::planned, run_options(given, path));
  if (!result->plan || result->findings.count(Severity::error)) {
    report_findings_as_text(*result, path, given);
    put_error("nothing was compared: the spec has errors\n");
    return kUnjudged;
  }
  result->findings = Findings();
  std::string summaries;
  const auto dumps =
      given.count("fabric") ? given["fabric"].as<std::vector<std::string>>() : std::vector<std::string>();
  for (const std::string& word : dumps) {
    const std::size_t equals = word.find('=');
    const std::string network = equals == std::string::npos ? std::string() : word.substr(0, equals);
    const std::string file = equals == std::string::npos ? word : word.substr(equals + 1);
    const std::vector<int> fabrics = fabrics_of(*result, network);
    FileError error;
    auto text = read_file(file, kLargestDump, error);
    if (!text) throw UsageError{error.message};
    const FileId dump = result->sources.add(file, std::move(*text));
    const SeenFabric seen = read_ibnetdiscover(result->sources, dump, result->findings);
    if (seen.links.empty()) throw UsageError{"'" + file + "' has no link: it is not what ibnetdiscover prints"};
    const AuditedFabric audited = audit_fabric(seen, *result->plan, fabrics);
    report_fabric(seen, audited, dump, result->findings);
    summaries += fabric_summary(audited) + "\n";
  }
  if (given.count("redfish")) summaries += audit_redfish(*result, path, given);
  Findings heard;  // `check` reports what is wrong with `accept` and `severity`
  const RunOptions options = run_options(given, path);
  Acceptances(result->cluster->spec, result->sources, options.today ? &*options.today : nullptr, heard)
      .apply(result->findings);
  raise_severities(read_severities(result->cluster->spec, heard), result->findings);
  const int status = report_findings(*result, path, given);
  if (format_of(given) == Format::text) put_text(summaries);
  if (only_unread(result->findings)) return kUnjudged;
  if (status != kOk) return status;
  return result->findings.count(Severity::warning) > 0 ? kFindings : kOk;
}

}  // namespace

const Command kAudit{
    "audit",
    "what is really there against the plan: the cables of a running InfiniBand fabric, the hardware of servers",
    "clusterc audit SPEC [--fabric [NETWORK=]FILE] [--redfish plan|FILE --user NAME …] [--format FORMAT]", options,
    run};
}  // namespace clusterc::cli
