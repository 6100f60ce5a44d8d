#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/validate_files.h"
#include "diag/render.h"
#include "report/comparison_report.h"
#include "report/validation_report.h"
#include "spec/software.h"
#include "targets/metrics.h"
#include "validate/repeat.h"

namespace clusterc::cli {
namespace {

std::atomic<bool> interrupted{false};
extern "C" void on_signal(int) { interrupted.store(true); }

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("launcher", po::value<std::string>()->value_name("NAME"),
                  "local or slurm (default: the spec's scheduler, else local)")(
      "bundle", po::value<std::string>()->default_value("")->value_name("DIR"),
      "folder of the validators, the same path on every node")(
      "journal", po::value<std::string>()->value_name("FILE"),
      "where results are kept (default: below $XDG_STATE_HOME/clusterc, else ~/.local/state/clusterc)")(
      "fresh", po::bool_switch(), "start again, even if the last run was interrupted")(
      "seconds", po::value<double>()->default_value(0)->value_name("N"),
      "length of each measurement (default: the validators' own)")(
      "allow-busy", po::bool_switch(),
      "measure even if other work uses the machines: a figure that is too low is then an error, not a fail")(
      "max-size", po::value<std::string>()->value_name("BYTES"),
      "largest message of collectives, such as 4MiB (default: the validators' own)")(
      "image", po::value<std::string>()->value_name("NAME"),
      "image of the containers, which must be on the nodes (default: their own file system, if the runtime supports "
      "it)")("only", po::value<std::string>()->value_name("LIST"),
             "these validators only: probe,memory,pcie,nvlink,fabric,container,gemm,nccl,hpl,mpi,storage,memtest,burn "
             "(the last two run only if named)")("output,o", po::value<std::string>()->value_name("FILE"),
                                                 "also write the report as JSON")(
      "list", po::bool_switch(), "the metrics: unit, validator and its options, scope, judgement, target");
  add_report_options(o);
}

// The table of metrics, as text or (--format json) for programs.
int list_metrics(const po::variables_map& given) {
  if (text_or_json(given, "the list of metrics is") == Format::text) {
    for (const Metric& m : all_metrics())
      put(format("{:<26} {:<7} {:<7} {:<10} {:<8} {}\n", m.name, unit_name(m.unit), m.better, m.validator, m.scope,
                 judged_by_name(m.judged)));
    return kOk;
  }
  std::string out;
  JsonWriter json(out, {.indent = 2});
  json.begin_object().field("format", "clusterc-metrics").field("version", 1).array("metrics");
  for (const Metric& m : all_metrics())
    json.begin_object()
        .field("name", m.name)
        .field("unit", unit_name(m.unit))
        .field("better", m.better)
        .field("validator", m.validator)
        .field("options", m.options)
        .field("scope", m.scope)
        .field("judged_by", judged_by_name(m.judged))
        .field("target", m.target)
        .field("origin", m.origin)
        .end_object();
  json.end_array().end_object();
  put(out + "\n");
  return kOk;
}

std::string this_host() {
  char buffer[256] = {};
  ::gethostname(buffer, sizeof buffer - 1);
  return std::string(split(buffer, '.').front());
}

// Not where the command was given: a file that came with a repository would be taken for results. One for each spec, so
// that a changed one begins its own.
std::string default_journal(const std::string& cluster, const std::string& spec_digest) {
  namespace fs = std::filesystem;
  // XDG Base Directory Specification 0.8: a relative path is to be ignored.
  const auto absolute = [](const char* path) { return path && *path == '/' ? fs::path(path) : fs::path(); };
  fs::path state = absolute(std::getenv("XDG_STATE_HOME"));
  if (state.empty()) {
    fs::path home = absolute(std::getenv("HOME"));
    if (const passwd* const user = home.empty() ? ::getpwuid(::geteuid()) : nullptr) home = absolute(user->pw_dir);
    if (home.empty())
      throw UsageError{"neither XDG_STATE_HOME nor HOME names a folder for the journal: name a file with --journal"};
    state = home / ".local" / "state";
  }
  const fs::path folder = state / "clusterc";
  std::error_code failed;
  for (fs::path part; const fs::path& step : folder) {
    part /= step;
    // For its owner alone, as the specification has it.
    if (!fs::is_directory(part, failed) && ::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      throw UsageError{"cannot create the folder for the journal: '" + part.string() +
                       "': " + std::generic_category().message(errno) + ": name a file with --journal"};
  }
  std::string name;
  for (const char c : cluster.substr(0, 64)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return folder / (name + "-" + spec_digest.substr(0, 16) + ".journal");
}

int run(const po::variables_map& given) {
  if (given["list"].as<bool>()) return list_metrics(given);
  const std::string path = one_spec(given);
  const Format format_wanted = text_or_json(given, "a validation is");
  auto result = run_pipeline(path, Stage::checked, run_options(given, path));
  if (!result->plan || result->findings.count(Severity::error)) {
    report_findings(*result, path, given, true);
    put_error("nothing was run: the spec has errors\n");
    return kUnjudged;
  }
  const Cluster& cluster = *result->cluster;
  std::string launcher_id = "local";
  if (given.count("launcher"))
    launcher_id = given["launcher"].as<std::string>();
  else if (cluster.spec.software->scheduler && cluster.spec.software->scheduler->kind &&
           *cluster.spec.software->scheduler->kind == SchedulerKind::slurm)
    launcher_id = "slurm";
  std::unique_ptr<Launcher> launcher;
  if (launcher_id == "local")
    launcher = make_local_launcher(this_host());
  else if (launcher_id == "slurm")
    launcher = make_slurm_launcher();
  else
    throw UsageError{"--launcher must be " + join(launcher_ids(), " or ") + ", not '" + launcher_id + "'"};

  ReportFiles files(given, *result, path);
  ValidateOptions how;
  how.bundle = find_bundle(given["bundle"].as<std::string>());
  how.journal = given.count("journal") ? given["journal"].as<std::string>()
                                       : default_journal(*cluster.spec.name, result->spec_digest);
  if (!given.count("journal")) put_error("results are kept in '" + printable(how.journal) + "'\n");
  how.spec_digest = result->spec_digest;
  how.fresh = given["fresh"].as<bool>();
  how.interrupted = &interrupted;
  how.progress = [](const std::string& line) { put_error(printable(line) + "\n"); };
  how.program_version = CLUSTERC_VERSION;
  how.bundle_digest = bundle_digest(how.bundle);
  how.clock = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);

  const double seconds = given["seconds"].as<double>();
  if (!(seconds >= 0 && seconds <= 86400)) throw UsageError{"--seconds must be 0 to 86400"};
  const auto wanted =
      given.count("only") ? split(given["only"].as<std::string>(), ',') : std::vector<std::string_view>();
  const auto asked = [&](std::string_view validator) {
    return std::find(wanted.begin(), wanted.end(), validator) != wanted.end();
  };
  std::vector<SuiteTest> suite =
      plan_suite(cluster, *result->expected,
                 {.seconds = seconds,
                  .allow_busy = given["allow-busy"].as<bool>(),
                  .max_size = given.count("max-size") ? given["max-size"].as<std::string>() : "",
                  .image = given.count("image") ? given["image"].as<std::string>() : "",
                  .memtest = asked("memtest"),
                  .burn = asked("burn")});
  const std::vector<SuiteTest> whole = suite;
  if (given.count("only")) {
    for (const std::string_view w : wanted)
      if (const auto all = suite_validators(); std::find(all.begin(), all.end(), w) == all.end())
        throw UsageError{"--only must be " + join(all, ", ") + ", not '" + std::string(w) + "'"};
    std::erase_if(suite, [&](const SuiteTest& t) { return !asked(t.validator); });
  }
  how.whole_suite = &whole;
  if (files.failed()) {
    how.earlier = files.failed();
    suite = tests_to_repeat(suite, how.earlier->report);
  }
  FileError unwritten;
  bool delivered = false;
  // The run has ended when its report is written: until then the same command makes the report from the journal.
  how.deliver = [&](const Report& done) {
    delivered = true;
    files.compare(done);
    return files.write(done, unwritten);
  };
  const Report report = run_suite(cluster, *result->expected, suite, *launcher, how);
  // What could not begin takes the place of no report whose failures were to be repeated.
  if (!delivered && !(files.failed() && !report.error.empty())) how.deliver(report);
  put_text(format_wanted == Format::json ? render_validation_json(report, result->spec_digest, files.comparison())
                                         : render_validation_text(report, use_color(given, STDOUT_FILENO)));
  if (files.comparison() && format_wanted != Format::json) put_text("\n" + render_comparison_text(*files.comparison()));
  if (!unwritten.message.empty()) {
    put_error("clusterc validate: error: " + printable(unwritten.message) + "; the results are in '" +
              printable(how.journal) + "': the same command uses them again\n");
    return kUnjudged;
  }
  if (!report.error.empty()) {
    if (format_wanted == Format::json) put_error("clusterc validate: error: " + printable(report.error) + "\n");
    return kUnjudged;
  }
  return report.interrupted ? kUnjudged : report.passed() ? kOk : kFindings;
}

}  // namespace

const Command kValidate{"validate", "run the suite on the cluster and judge it",
                        "clusterc validate SPEC [--launcher local|slurm] [--journal FILE] [--format text|json]",
                        options, run};
}  // namespace clusterc::cli
