#include "cli/validate_files.h"

#include "base/digest.h"
#include "base/file_pieces.h"
#include "base/format.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/written_files.h"
#include "report/certificate.h"
#include "report/page.h"
#include "report/plan_report.h"
#include "report/validation_report.h"

namespace clusterc::cli {
namespace {

constexpr std::uint64_t kLargestReport = std::uint64_t{2} << 30;
constexpr std::uint64_t kLargestHashed = std::uint64_t{4} << 30;

EarlierReport read_earlier(const std::string& option, const std::string& path) {
  FileError unreadable;
  const auto bytes = read_file(path, kLargestReport, unreadable);
  if (!bytes) throw UsageError{"--" + option + ": " + unreadable.message};
  std::string why;
  auto report = read_report(*bytes, why);
  if (!report) throw UsageError{"--" + option + ": '" + path + "' cannot be used: " + why};
  return std::move(*report);
}

std::string hash_of_file(const std::string& path, std::uint64_t* length = nullptr) {
  FileError unreadable;
  const auto bytes = read_file(path, kLargestHashed, unreadable);
  if (!bytes) return {};
  if (length) *length = bytes->size();
  return sha256_hex(*bytes);
}

std::vector<AcceptedFinding> accepted_of(const Run& run) {
  std::vector<AcceptedFinding> out;
  for (const Finding& f : run.findings.all()) {
    if (!f.accepted) continue;
    const bool placed = f.span.valid();
    const LineColumn at = placed ? run.sources.position(f.span.file, f.span.begin) : LineColumn{};
    out.push_back({f.rule,
                   placed ? format("{}:{}:{}", run.sources.path(f.span.file), at.line, at.column) : std::string(),
                   f.message, *f.accepted});
  }
  return out;
}

}  // namespace

void add_report_options(po::options_description& o) {
  o.add_options()("junit", po::value<std::string>()->value_name("FILE"), "also write the verdicts as JUnit XML")(
      "certificate", po::value<std::string>()->value_name("FILE"),
      "also write the certificate of acceptance: HTML to print and sign")(
      "prometheus", po::value<std::string>()->value_name("FILE"),
      "also write metrics for the textfile collector of Prometheus's node_exporter")(
      "page", po::value<std::string>()->value_name("FILE"),
      "also write the plan with the results as one HTML page that opens from disk")(
      "compare", po::value<std::string>()->value_name("FILE"),
      "compare with the report of an earlier run (its -o FILE): changes, and which are more than noise")(
      "failed", po::value<std::string>()->value_name("FILE"),
      "repeat only what did not pass in this report (the -o FILE of an earlier run); the new report has both results");
}

std::optional<EarlierReport> failed_report(const po::variables_map& given) {
  if (!given.count("failed")) return std::nullopt;
  return read_earlier("failed", given["failed"].as<std::string>());
}

std::string ReportFiles::path_of(const char* option) const {
  return given_.count(option) ? given_[option].as<std::string>() : std::string();
}

ReportFiles::ReportFiles(const po::variables_map& given, const Run& run, const std::string& spec_path)
    : given_(given), run_(run), spec_path_(spec_path) {
  ReadFiles reads{{spec_path, "is the spec"}};
  if (given.count("journal")) reads.emplace_back(given["journal"].as<std::string>(), "is the journal");
  require_written_apart(given, reads, {"output", "junit", "certificate", "prometheus", "page"}, "the report");
  if (given.count("compare")) before_ = read_earlier("compare", path_of("compare"));
  failed_ = failed_report(given);
}

void ReportFiles::compare(const Report& report) {
  if (before_) comparison_ = compare_reports(before_->report, before_->spec_digest, report, run_.spec_digest);
}

bool ReportFiles::write_certificate(const Report& report, FileError& error) const {
  CertificateFacts facts{.spec_path = spec_path_, .spec_sha256 = run_.spec_digest, .accepted = accepted_of(run_)};
  // As `plan SPEC -o DIR` writes it.
  const PlanVerdict verdict{run_.findings, run_.sources};
  facts.plan_sha256 = sha256_hex(render_plan_json(
      *run_.cluster, *run_.plan, expect_figures(*run_.cluster, *run_.plan, true), run_.spec_digest, &verdict));
  if (!report.journal.empty()) facts.journal_sha256 = hash_of_file(report.journal, &facts.journal_bytes);
  facts.program_sha256 = hash_of_file("/proc/self/exe");
  return write_file(path_of("certificate"), render_certificate(report, facts), error);
}

bool ReportFiles::write_page(const Report& report, FileError& error) const {
  const PlanVerdict verdict{run_.findings, run_.sources};
  return write_file(
      path_of("page"),
      render_page(*run_.cluster, *run_.plan, expect_figures(*run_.cluster, *run_.plan, true), verdict, run_.spec_digest,
                  spec_path_, {{"acceptance", render_validation_json(report, run_.spec_digest, comparison())}}),
      error);
}

bool ReportFiles::write(const Report& report, FileError& error) const {
  return (!given_.count("output") || write_file_in_pieces(
                                         path_of("output"),
                                         [&](const std::function<void(std::string_view)>& sink) {
                                           write_validation_json(report, run_.spec_digest, comparison(), sink);
                                         },
                                         error)) &&
         (!given_.count("junit") || write_file(path_of("junit"), render_validation_junit(report), error)) &&
         (!given_.count("prometheus") ||
          write_file(path_of("prometheus"), render_validation_prometheus(report), error)) &&
         (!given_.count("certificate") || write_certificate(report, error)) &&
         (!given_.count("page") || write_page(report, error));
}

}  // namespace clusterc::cli
