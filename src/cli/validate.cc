#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <set>

#include "base/format.h"
#include "base/json_writer.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/kubernetes_choices.h"
#include "cli/validate_choices.h"
#include "cli/validate_files.h"
#include "diag/render.h"
#include "report/comparison_report.h"
#include "report/validation_plan.h"
#include "report/validation_report.h"
#include "targets/metrics.h"
#include "validate/repeat.h"
#include "validate/run_verdict.h"
#include "write/writers.h"

namespace clusterc::cli {
namespace {

std::atomic<bool> interrupted{false};
extern "C" void on_signal(int) { interrupted.store(true); }

void options_of_validate(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()(
      "launcher", po::value<std::string>()->value_name("NAME"),
      "local, mpirun (over ssh), slurm or kubernetes (default: slurm if it is the spec's scheduler, else local)")(
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
      "it)")(
      "hpl", po::value<std::string>()->value_name("PROGRAM"),
      "LINPACK by this program, at the same path on every node: NVIDIA's hpl.sh, AMD's run_rochpl, or xhpl where "
      "no node has GPUs (default: the validators' own)")(
      "only", po::value<std::string>()->value_name("LIST"),
      "these validators only: probe,memory,pcie,nvlink,fabric,container,gemm,nccl,hpl,mpi,storage,memtest,burn "
      "(the last two run only if named)")("output,o", po::value<std::string>()->value_name("FILE"),
                                          "also write the report as JSON")(
      "stage", po::value<std::string>()->value_name("LIST"),
      "these stages only: inventory,node,pair,group,whole,soak; ..pair is all up to pair (default: all but soak)")(
      "nodes", po::value<std::string>()->value_name("HOSTLIST"), "these nodes only: n[1-4,7]")(
      "racks", po::value<std::string>()->value_name("HOSTLIST"), "the nodes in these racks only: r[01-02]")(
      "time-budget", po::value<std::string>()->value_name("DURATION"),
      "shorten measurements, then leave tests out, so that the expected time fits: '30 min'")(
      "soak", po::value<std::string>()->value_name("DURATION"),
      "add the soak stage (memtest and burn) of this length: '8 h'")(
      "dry-run", po::bool_switch(), "show the tests with nodes, ranks, expected time and command lines; run nothing")(
      "keep-going", po::bool_switch(), "use nodes that failed a stage in the later stages, too")(
      "hosts", po::value<std::string>()->value_name("HOSTS"),
      "mpirun: the nodes to reach: a file with lines 'NAME [ADDRESS]', or a host list (default: all, by the addresses "
      "of "
      "the plan)")("ssh-config", po::value<std::string>()->value_name("FILE"),
                   "mpirun: read by ssh in place of ~/.ssh/config")(
      "copy-bundle", po::value<std::string>()->value_name("DIR"),
      "copy the validators into this folder of each node first")(
      "sbatch", po::value<std::string>()->value_name("DIR"),
      "slurm: jobs of sbatch in place of srun; DIR is a folder that all nodes share, for what the jobs print")(
      "partition", po::value<std::string>()->value_name("PARTITION"), "slurm: as srun takes it")(
      "account", po::value<std::string>()->value_name("ACCOUNT"), "slurm: as srun takes it")(
      "reservation", po::value<std::string>()->value_name("RESERVATION"), "slurm: as srun takes it")(
      "pod-image", po::value<std::string>()->value_name("NAME"), "kubernetes: the image that the pods start from")(
      "bundle-in-image", po::value<std::string>()->value_name("DIR"),
      "kubernetes: the folder of that image which has the validators (default: --bundle, a folder of the nodes)")(
      "kube-context", po::value<std::string>()->value_name("CONTEXT"), "kubernetes: as kubectl takes it")(
      "namespace", po::value<std::string>()->value_name("NAMESPACE"), "kubernetes: of the pods")(
      "service-account", po::value<std::string>()->value_name("ACCOUNT"), "kubernetes: of the pods")(
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

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int show_plan(const po::variables_map& given, const Cluster& cluster, const Launcher& launcher,
              const ChosenSuite& chosen, const std::string& bundle) {
  const ValidationPlan plan{*cluster.spec.name, chosen.selection, bundle, chosen.measurement, &chosen.suite, &launcher};
  if (text_or_json(given, "a plan of tests is") == Format::json)
    put(render_validation_plan_json(plan));
  else
    put_report(render_validation_plan_text(plan), given);
  if (launcher.id() == "local") {  // of the others, a dry run asks nobody
    std::set<std::string> nodes;
    for (const SuiteTest& test : chosen.suite) nodes.insert(test.nodes.begin(), test.nodes.end());
    const std::vector<std::string> all(nodes.begin(), nodes.end());
    const std::vector<NodeState> states = launcher.states(all);
    const auto others = std::ranges::count(states, false, &NodeState::usable);
    if (others > 0)
      put_error(
          format("{} of {} nodes are not this machine, and `--launcher local` reaches no other: their tests would end "
                 "as errors; name another launcher\n",
                 others, all.size()));
  }
  return kOk;
}

int run_validate(const po::variables_map& given) {
  if (given["list"].as<bool>()) return list_metrics(given);
  const std::string path = one_spec(given);
  const Format format_wanted = text_or_json(given, "a validation is");
  RunOptions pipeline = run_options(given, path);
  pipeline.all_cables = given.count("page") > 0;
  auto result = run_pipeline(path, Stage::checked, pipeline);
  if (!result->plan || result->findings.count(Severity::error)) {
    report_findings(*result, path, given, true);
    put_error("nothing was run: the spec has errors\n");
    return kUnjudged;
  }
  result->findings.sort(result->sources);
  const Cluster& cluster = *result->cluster;
  const bool dry = given["dry-run"].as<bool>();
  if (given.count("journal") && given["journal"].as<std::string>().empty()) throw UsageError{"--journal names no file"};
  const std::string journal = given.count("journal") ? given["journal"].as<std::string>()
                              : dry                  ? std::string()
                                                     : default_journal(*cluster.spec.name, result->spec_digest);
  const std::unique_ptr<Launcher> launcher = chosen_launcher(given, *result, journal, &interrupted);
  ChosenSuite chosen = chosen_suite(given, cluster, *result->plan, *result->expected);
  const std::string here = find_bundle(given["bundle"].as<std::string>());
  if (launcher->id() == "local" && !dry) require_hpl_here(given);
  const std::string copied = copy_folder(given);
  const std::string in_image = image_folder(given);
  const std::string& bundle = !in_image.empty() ? in_image : copied.empty() ? here : copied;
  if (dry) {
    if (const auto earlier = failed_report(given)) {
      const Report now{.cluster = *cluster.spec.name,
                       .launcher = std::string(launcher->id()),
                       .program_version = CLUSTERC_VERSION,
                       .bundle_digest = bundle_digest(here)};
      if (const std::string why = why_not_repeated(*earlier, now, result->spec_digest); !why.empty())
        throw UsageError{"--failed: the earlier report cannot be continued: " + why};
      chosen.suite = tests_to_repeat(chosen.suite, earlier->report);
      chosen.selection += (chosen.selection.empty() ? "" : " ") + ("--failed " + given["failed"].as<std::string>());
    }
    return show_plan(given, cluster, *launcher, chosen, bundle);
  }
  ReportFiles files(given, *result, path);

  ValidateOptions how;
  how.bundle = bundle;
  if (!copied.empty()) how.copy_from = here;
  if (launcher->id() != "local") how.bundle_files = bundle_files(here);
  how.journal = journal;
  how.tell_journal = !given.count("journal");
  how.spec_digest = result->spec_digest;
  how.selection = chosen.selection;
  how.options = options_of_run(given);
  how.plan = &*result->plan;
  how.spec.clear();
  append_shell_word(how.spec, path);
  how.time_budget = chosen.budget;
  how.keep_going = given["keep-going"].as<bool>();
  how.fresh = given["fresh"].as<bool>();
  how.interrupted = &interrupted;
  if (!is_quiet(given)) how.progress = [](const std::string& line) { put_error(printable(line) + "\n"); };
  how.program_version = CLUSTERC_VERSION;
  how.bundle_digest = bundle_digest(here);
  how.clock = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  how.stopwatch = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  how.whole_suite = &chosen.whole;
  if (files.failed()) {
    how.earlier = files.failed();
    chosen.suite = tests_to_repeat(chosen.suite, how.earlier->report);
  }
  catch_signals();
  FileError unwritten;
  bool delivered = false;
  // The run has ended when its report is written: until then the same command makes the report from the journal.
  how.deliver = [&](const Report& done) {
    delivered = true;
    files.compare(done);
    return files.write(done, unwritten);
  };
  const Report report = run_suite(cluster, *result->expected, chosen.suite, *launcher, how);
  // What could not begin takes the place of no report whose failures were to be repeated.
  if (!delivered && !(files.failed() && !report.error.empty())) how.deliver(report);
  if (format_wanted == Format::json)
    write_validation_json(report, result->spec_digest, files.comparison(),
                          [](std::string_view piece) { put_text(std::string(piece)); });
  else
    put_report(render_validation_text(report, use_color(given, STDOUT_FILENO)), given);
  if (files.comparison() && format_wanted != Format::json)
    put_report("\n" + render_comparison_text(*files.comparison()), given);
  if (!unwritten.message.empty()) {
    put_error("clusterc validate: error: " + printable(unwritten.message) + "; the results are in '" +
              printable(how.journal) + "': the same command uses them again\n");
    return kUnjudged;
  }
  if (!report.error.empty() && format_wanted == Format::json)
    put_error("clusterc validate: error: " + printable(report.error) + "\n");
  const RunVerdict verdict = run_verdict(report);
  return is_good(verdict) ? kOk : verdict == RunVerdict::failed ? kFindings : kUnjudged;
}

}  // namespace

const Command kValidate{"validate", "run the suite on the cluster and judge it",
                        "clusterc validate SPEC [--launcher NAME] [--stage LIST] [--dry-run] [--journal FILE] [--page "
                        "FILE] [--format text|json]",
                        options_of_validate, run_validate};
}  // namespace clusterc::cli
