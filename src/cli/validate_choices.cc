#include "cli/validate_choices.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/format.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cli/kubernetes_choices.h"
#include "launch/hosts.h"
#include "spec/software.h"
#include "validate/selection.h"

namespace clusterc::cli {
namespace {

std::optional<std::string> text_of(const po::variables_map& given, const char* option) {
  return given.count(option) ? std::optional(given[option].as<std::string>()) : std::nullopt;
}

std::string this_host() {
  char buffer[256] = {};
  ::gethostname(buffer, sizeof buffer - 1);
  return std::string(split(buffer, '.').front());
}

// "30 min"; UsageError names the option.
std::optional<double> duration_of(const po::variables_map& given, const char* option) {
  const auto text = text_of(given, option);
  if (!text) return std::nullopt;
  QuantityError error;
  const auto seconds = parse_quantity(*text, Dimension::time, error);
  constexpr double kMonth = 31 * 86400.0;
  if (!seconds || !(*seconds > 0 && *seconds <= kMonth))
    throw UsageError{
        format("--{} must be a duration of at most 31 days, such as '30 min' or '8 h', not '{}'", option, *text)};
  return seconds;
}

// As the validators take it (validators/harness/options.cc): a mistake is told before they run.
std::string message_size_of(const po::variables_map& given) {
  const std::string text = text_of(given, "max-size").value_or("");
  QuantityError error;
  const auto bytes = parse_quantity(text, Dimension::bytes, error);
  if (given.count("max-size") && !(bytes && *bytes >= 1 && *bytes == std::floor(*bytes)))
    throw UsageError{"--max-size must be whole bytes with their unit, such as 4MiB, not '" + text + "'"};
  return text;
}

std::string launcher_name(const po::variables_map& given, const Cluster& cluster) {
  if (const auto name = text_of(given, "launcher")) return *name;
  const auto& scheduler = cluster.spec.software->scheduler;
  return scheduler && scheduler->kind && *scheduler->kind == SchedulerKind::slurm ? "slurm" : "local";
}

void refuse_options_of_others(const po::variables_map& given, const std::string& launcher) {
  constexpr std::pair<const char*, const char*> kOwned[] = {{"hosts", "mpirun"},
                                                            {"ssh-config", "mpirun"},
                                                            {"sbatch", "slurm"},
                                                            {"partition", "slurm"},
                                                            {"account", "slurm"},
                                                            {"reservation", "slurm"},
                                                            {"kube-context", "kubernetes"},
                                                            {"namespace", "kubernetes"},
                                                            {"service-account", "kubernetes"},
                                                            {"pod-image", "kubernetes"},
                                                            {"bundle-in-image", "kubernetes"}};
  for (const auto& [option, owner] : kOwned)
    if (given.count(option) && launcher != owner)
      throw UsageError{format("--{} belongs to --launcher {}, and the launcher is '{}'", option, owner, launcher)};
  if (given.count("copy-bundle") && launcher == "local")
    throw UsageError{"--copy-bundle copies to other nodes, and --launcher local reaches only this machine"};
}

MpirunOptions mpirun_options(const po::variables_map& given, const Cluster& cluster, const Plan& plan,
                             const std::atomic<bool>* interrupted) {
  MpirunOptions out{planned_hosts(cluster, plan), text_of(given, "ssh-config").value_or(""), interrupted};
  std::error_code failed;
  if (!out.ssh_config.empty() && !std::filesystem::is_regular_file(out.ssh_config, failed))
    throw UsageError{"there is no file '" + out.ssh_config + "' for --ssh-config"};
  const auto hosts = text_of(given, "hosts");
  if (!hosts) return out;
  std::string error;
  std::optional<std::vector<Host>> named;
  if (std::filesystem::exists(*hosts, failed)) {
    // A line for each of 2^17 nodes, with the longest names, is 64 MiB.
    FileError unreadable;
    const auto text = read_file(*hosts, std::size_t{64} << 20, unreadable);
    if (!text) throw UsageError{"--hosts: " + unreadable.message};
    named = hosts_of_file(*text, out.hosts, error);
  } else if (hosts->find('/') != std::string::npos) {
    throw UsageError{"there is no file '" + *hosts + "' for --hosts"};
  } else {
    named = hosts_of_list(*hosts, out.hosts, error);
  }
  if (!named) throw UsageError{"--hosts '" + *hosts + "': " + error};
  out.hosts = std::move(*named);
  return out;
}

SlurmOptions slurm_options(const po::variables_map& given, const std::atomic<bool>* interrupted) {
  SlurmOptions out{text_of(given, "partition").value_or(""), text_of(given, "account").value_or(""),
                   text_of(given, "reservation").value_or(""), text_of(given, "sbatch").value_or(""), interrupted};
  if (out.batch_folder.empty()) return out;
  std::error_code failed;
  out.batch_folder = std::filesystem::absolute(out.batch_folder, failed).string();
  if (!std::filesystem::is_directory(out.batch_folder, failed))
    throw UsageError{"there is no folder '" + out.batch_folder + "' for --sbatch: make one that all nodes see"};
  return out;
}

std::set<std::string> chosen_nodes(const po::variables_map& given, const Cluster& cluster, const Plan& plan) {
  std::set<std::string> out;
  std::string error;
  if (const auto list = text_of(given, "nodes")) {
    const auto named = nodes_named(cluster, *list, error);
    if (!named) throw UsageError{"--nodes '" + *list + "': " + error};
    out.insert(named->begin(), named->end());
  }
  if (const auto list = text_of(given, "racks")) {
    const auto named = nodes_in_racks(cluster, plan, *list, error);
    if (!named) throw UsageError{"--racks '" + *list + "': " + error};
    out.insert(named->begin(), named->end());
  }
  return out;
}

std::string vendor_program(const po::variables_map& given) {
  const std::string program = text_of(given, "hpl").value_or("");
  if (given.count("hpl") && (program.size() < 2 || program.front() != '/' || program.find('\n') != program.npos))
    throw UsageError{"--hpl must be an absolute path, the same on every node, such as /opt/hpl/hpl.sh, not '" +
                     program + "'"};
  return program;
}

std::string selection_of(const po::variables_map& given) {
  std::string out;
  for (const char* option : {"stage", "nodes", "racks", "only", "time-budget", "seconds", "max-size", "hpl"}) {
    if (!given.count(option) || given[option].defaulted()) continue;
    const std::string value =
        std::string(option) == "seconds" ? format("{}", given[option].as<double>()) : given[option].as<std::string>();
    out += format("{}--{} {}", out.empty() ? "" : " ", option, value);
  }
  for (const char* option : {"allow-busy", "keep-going"})
    if (given[option].as<bool>()) out += format("{}--{}", out.empty() ? "" : " ", option);
  return out;
}

}  // namespace

std::unique_ptr<Launcher> chosen_launcher(const po::variables_map& given, const Run& run, const std::string& journal,
                                          const std::atomic<bool>* interrupted) {
  const Cluster& cluster = *run.cluster;
  const std::string name = launcher_name(given, cluster);
  const auto all = launcher_ids();
  if (std::find(all.begin(), all.end(), name) == all.end())
    throw UsageError{"--launcher must be " + join(all, ", ") + ", not '" + name + "'"};
  refuse_options_of_others(given, name);
  if (name == "mpirun") return make_mpirun_launcher(mpirun_options(given, cluster, *run.plan, interrupted));
  if (name == "slurm") return make_slurm_launcher(slurm_options(given, interrupted));
  if (name == "kubernetes") return make_kubernetes_launcher(kubernetes_options(given, run, journal, interrupted));
  return make_local_launcher(this_host());
}

ChosenSuite chosen_suite(const po::variables_map& given, const Cluster& cluster, const Plan& plan,
                         const ExpectedFigures& expected) {
  const double seconds = given["seconds"].as<double>();
  if (!(seconds >= 0 && seconds <= 86400)) throw UsageError{"--seconds must be 0 to 86400"};
  const std::string only = text_of(given, "only").value_or("");
  const auto wanted = given.count("only") ? split(only, ',') : std::vector<std::string_view>();
  for (const std::string_view w : wanted)
    if (const auto all = suite_validators(); std::find(all.begin(), all.end(), w) == all.end())
      throw UsageError{"--only must be " + join(all, ", ") + ", not '" + std::string(w) + "'"};
  const auto asked = [&](std::string_view validator) {
    return std::find(wanted.begin(), wanted.end(), validator) != wanted.end();
  };
  std::optional<std::set<SuiteStage>> stages;
  if (const auto list = text_of(given, "stage")) {
    std::string error;
    stages = parse_stages(*list, error);
    if (!stages) throw UsageError{"--stage " + error};
  }
  const auto soak = duration_of(given, "soak");
  const bool whole_soak = wanted.empty() && (soak || (stages && stages->contains(SuiteStage::soak)));
  SuiteOptions options{.seconds = seconds,
                       .allow_busy = given["allow-busy"].as<bool>(),
                       .max_size = message_size_of(given),
                       .image = text_of(given, "image").value_or(""),
                       .hpl = vendor_program(given),
                       .memtest = whole_soak || asked("memtest"),
                       .burn = whole_soak || asked("burn"),
                       .soak_seconds = soak.value_or(0),
                       .plan = &plan,
                       .nodes = chosen_nodes(given, cluster, plan)};
  const auto plan_for = [&](double length) {
    options.seconds = length;
    std::vector<SuiteTest> suite = plan_suite(cluster, expected, options);
    std::erase_if(suite, [&](const SuiteTest& t) {
      const bool stage_wanted = !stages || stages->contains(t.stage) || (soak && t.stage == SuiteStage::soak);
      return !stage_wanted || (!wanted.empty() && !asked(t.validator));
    });
    return suite;
  };
  ChosenSuite out;
  out.selection = selection_of(given);
  SuiteOptions unlimited = options;
  unlimited.nodes.clear();
  out.whole = plan_suite(cluster, expected, unlimited);
  if (const auto budget = duration_of(given, "time-budget")) {
    Budgeted fitted = fit_budget(plan_for, seconds, *budget);
    out.suite = std::move(fitted.suite);
    out.measurement = fitted.seconds;
    out.budget = *budget;
  } else {
    out.suite = plan_for(seconds);
  }
  return out;
}

void require_hpl_here(const po::variables_map& given) {
  const std::string program = vendor_program(given);
  if (program.empty()) return;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(program, failed))
    throw UsageError{"--hpl: there is no program '" + program + "' on this machine"};
  if (::access(program.c_str(), X_OK) != 0)
    throw UsageError{"--hpl: '" + program + "' cannot be executed: " + std::generic_category().message(errno)};
}

std::string plain_folder(const po::variables_map& given, const char* option) {
  const std::string folder = text_of(given, option).value_or("");
  const bool plain = std::all_of(folder.begin(), folder.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '-' ||
           c == '_' || c == '.';
  });
  if (given.count(option) && (folder.size() < 2 || folder.front() != '/' || !plain))
    throw UsageError{
        format("--{} must be an absolute path of letters, digits, '/', '-', '_' and '.', not '{}'", option, folder)};
  return folder;
}

std::string copy_folder(const po::variables_map& given) { return plain_folder(given, "copy-bundle"); }

// Options of the launcher, of the bundle and of reports change no result: what they name is compared by itself, or the
// test that they change has other arguments.
std::string options_of_run(const po::variables_map& given) {
  std::string out = selection_of(given);
  for (const char* option : {"soak", "image"})
    if (const auto value = text_of(given, option)) out += format("{}--{} {}", out.empty() ? "" : " ", option, *value);
  return out;
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

}  // namespace clusterc::cli
