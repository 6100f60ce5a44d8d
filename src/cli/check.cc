#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/known_files.h"
#include "cli/page_file.h"
#include "cli/spec_files.h"
#include "cli/watch.h"
#include "cli/written_files.h"
#include "diag/mend.h"
#include "diag/render.h"
#include "plan/power/power_gaps.h"
#include "rules/acceptances.h"
#include "rules/baseline.h"
#include "rules/say.h"
#include "write/replace.h"

namespace clusterc::cli {
namespace {

void options_of_check(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o, "text, json, sarif, junit, github (annotations) or gitlab (code quality)");
  o.add_options()(
      "fix", po::bool_switch(),
      "fix findings that have one safe edit; keep comments and layout, and make no edit that causes an error")(
      "diff", po::bool_switch(), "show what --fix would write, and write nothing")(
      "baseline", po::value<std::string>()->value_name("FILE"),
      "ignore the findings that are in FILE; only new findings count")(
      "write-baseline", po::bool_switch(), "write the current findings to the file of --baseline")(
      "edition", po::value<std::string>()->value_name("EDITION"),
      "use this edition of the rule book, not that of the spec; newest: a preview")(
      "specs-only", po::bool_switch(),
      "skip files that are not specs, as in a folder: for hooks that pass all YAML files")(
      "accept", po::bool_switch(),
      "also print the entries of `accept` for each error and warning, to paste with a reason")(
      "verbose", po::bool_switch(), "list each check that was skipped because a key is missing")(
      "watch", po::bool_switch(), "check again whenever a file changes; Ctrl-C ends it")(
      "page", po::value<std::string>()->value_name("FILE"),
      "also write the plan of one spec as one HTML page that opens from disk, with its verdict first");
  add_known_file_options(o);
}

// Several specs in a format for machines make one document: findings of all, with the files of all.
void take_over(Run& all, Run& one) {
  const auto offset = static_cast<FileId>(all.sources.size());
  for (FileId f = 0; f < one.sources.size(); ++f)
    all.sources.add(std::string(one.sources.path(f)), std::string(one.sources.text(f)));
  const auto move = [&](SourceSpan& span) {
    if (span.valid()) span.file += offset;
  };
  for (Finding& f : one.findings.all()) {
    move(f.span);
    for (Remark& r : f.notes) move(r.span);
    for (Remark& r : f.helps) move(r.span);
    if (f.fix)
      for (Edit& e : f.fix->edits) move(e.span);
    all.findings.all().push_back(std::move(f));
  }
}

std::string all_well(const std::string& path, const Run& run) {
  const Plan& plan = *run.plan;
  std::string out = printable(path) + ": no findings: " + std::to_string(run.cluster->node_count) +
                    (run.cluster->node_count == 1 ? " node, " : " nodes, ") + std::to_string(plan.gpu_count) +
                    (plan.gpu_count == 1 ? " GPU" : " GPUs");
  const bool known = power_gaps(plan).power_known();
  if (plan.it_power.value > 0)
    out += (known ? ", " : ", at least ") + to_text(plan.it_power);
  else if (!known)
    out += ", power unknown";
  return out + "\n";
}

// The baseline that was asked for, as text; each run reads it among its own sources, so that findings can point into
// it.
class BaselineFile {
 public:
  explicit BaselineFile(const po::variables_map& given) : writing_(given["write-baseline"].as<bool>()) {
    if (!given.count("baseline")) {
      if (writing_) throw UsageError{"--write-baseline needs --baseline FILE, which it writes"};
      return;
    }
    path_ = given["baseline"].as<std::string>();
    FileError error;
    text_ = read_file(path_, 64u << 20, error);
    if (!text_ && !(writing_ && error.kind == FileError::Kind::missing))
      throw UsageError{"the baseline " + error.message};
    if (text_) {
      const FileId file = sources_.add(path_, *text_);
      if (!(old_ = read_baseline(sources_, file, findings_))) {
        findings_.sort(sources_);
        put_error(render_text(findings_, sources_));
        throw UsageError{"'" + path_ +
                         "' is not a baseline that this program can read: write it with 'clusterc check " +
                         "--baseline " + path_ + " --write-baseline SPEC...'"};
      }
      for (const auto& known : old_->specs) {
        std::error_code failed;
        if (!std::filesystem::exists(std::filesystem::path(path_).parent_path() / known.name, failed))
          absent_.push_back(known.name);
      }
    }
  }

  // Sets aside what is known; with --write-baseline everything is looked at anew.
  void apply(Run& run, const std::string& spec) const {
    if (!old_ || writing_) return;
    const FileId file = run.sources.add(path_, *text_);
    Findings ignored;  // it was read without a finding before
    if (const auto own = read_baseline(run.sources, file, ignored))
      apply_baseline(*own, path_, path_from_baseline(path_, spec), 0, run.sources, run.findings);
  }
  void learn(const Run& run, const std::string& spec) {
    if (!writing_ || !run.unreadable.empty()) return;
    Adopted adopted = adopt(path_, 0, run.sources, run.findings);
    specs_[path_from_baseline(path_, spec)] = std::move(adopted.entries);
    findings_known_ += adopted.findings;
    left_out_ += adopted.left_out;
  }
  bool writing() const { return writing_; }
  // Of a baseline that was moved, no entry fits, and every finding is new: say so once.
  std::string absent_text() const {
    if (absent_.empty()) return {};
    return format("{}: {} of its {} {} no file, as '{}': paths begin at the folder of the baseline\n", printable(path_),
                  absent_.size(), plural(static_cast<std::int64_t>(old_->specs.size()), "spec"),
                  absent_.size() == 1 ? "is" : "are", printable(absent_.front()));
  }
  int write() {
    FileError error;
    for (const std::string& name : absent_) specs_.try_emplace(name);  // an empty list leaves it out
    const std::string text = baseline_text(old_ ? &*old_ : nullptr, specs_);
    for (const std::string& name : absent_) specs_.erase(name);
    if (!(text_ ? *text_ == text || replace_file(path_, *text_, text, error) : write_file(path_, text, error))) {
      put_error("clusterc: error: " + printable(error.message) + "\n");
      return kUnjudged;
    }
    put_error(format("{}: {} finding{} of {} spec{}\n", printable(path_), findings_known_,
                     findings_known_ == 1 ? "" : "s", specs_.size(), specs_.size() == 1 ? "" : "s"));
    if (!absent_.empty())
      put_error(format("{}: left out {} without a file, as '{}'\n", printable(path_),
                       plural(static_cast<std::int64_t>(absent_.size()), "spec"), printable(absent_.front())));
    if (left_out_ == 0) return kOk;
    put_error(
        format("{}: {} left out: a baseline cannot hold findings against physics or findings of the spec reader\n",
               printable(path_), left_out_));
    return kFindings;
  }

 private:
  bool writing_;
  std::string path_;
  std::optional<std::string> text_;
  Sources sources_;
  Findings findings_;
  std::optional<Baseline> old_;
  std::map<std::string, std::vector<BaselineEntry>> specs_;
  std::vector<std::string> absent_;  // specs of the baseline of which there is no file
  std::size_t findings_known_ = 0, left_out_ = 0;
};

struct Checked {
  std::shared_ptr<Run> run;
  int status = kOk;     // of what was to be written
  std::string summary;  // of a file that is no spec
};

// Mends the text of a spec, and writes it, or shows how it would differ.
Checked mend_spec(const std::string& path, const RunOptions& options, const BaselineFile& baseline, bool write) {
  Checked out;
  std::string before = options.stdin_text;
  if (!options.from_stdin) {
    FileError error;
    auto text = read_file(path, options.max_bytes, error);
    if (!text) {
      out.run = std::make_shared<Run>();
      out.run->unreadable = error.message;
      return out;
    }
    before = std::move(*text);
  }
  const auto judge = [&](const std::string& text) {
    RunOptions with = options;
    with.from_stdin = true;
    with.stdin_text = text;
    std::shared_ptr<Run> run = run_pipeline(path, Stage::checked, with);
    baseline.apply(*run, path);
    run->findings.sort(run->sources);
    out.run = run;
    return CheckedText{run, &run->findings, &run->sources, 0, run->unreadable.empty()};
  };
  Mended mended = mend(before, judge);
  out.run = std::const_pointer_cast<Run>(std::static_pointer_cast<const Run>(mended.last.owner));
  const std::string name = path == "-" ? "standard input" : path, shown = printable(name);
  FileError error;
  if (!write) {
    put(unified_diff(name, before, mended.text));
    if (!mended.applied.empty()) out.status = kFindings;
  } else if (options.from_stdin) {
    put(mended.text);
  } else if (mended.text != before && !replace_file(path, before, mended.text, error)) {
    put_error("clusterc: error: " + printable(error.message) + ": the file was not changed\n");
    out.run = run_pipeline(path, Stage::checked, options);
    baseline.apply(*out.run, path);
    out.status = kUnjudged;
    return out;
  }
  for (const MendStep& s : mended.applied)
    put_error(
        format("{}:{}: {}: {} [{}]\n", shown, s.line, write ? "fixed" : "would be fixed", printable(s.title), s.rule));
  for (const MendStep& s : mended.refused)
    put_error(
        format("{}:{}: left as it is: {} [{}]: {}\n", shown, s.line, printable(s.title), s.rule, printable(s.why_not)));
  return out;
}

class Checking {
 public:
  explicit Checking(const po::variables_map& given)
      : given_(given), baseline_(given), fixing_(given["fix"].as<bool>()), showing_(given["diff"].as<bool>()) {
    if (given.count("edition")) edition_ = asked_edition(given["edition"].as<std::string>());
    if (fixing_ && showing_) throw UsageError{"use --fix, which writes, or --diff, which only shows, but not both"};
    if (showing_ && format_of(given) != Format::text) throw UsageError{"--diff prints text: omit --format"};
    for (const char* other : {"fix", "diff", "write-baseline", "watch"})
      if (given.count("page") && given[other].as<bool>())
        throw UsageError{std::string("--page shows the spec as it is: omit --") + other};
  }

  int run(const SpecFiles& files) {
    if (given_.count("page") && files.paths.size() != 1) throw UsageError{"--page shows one spec: name one"};
    std::string page;
    if (given_.count("page")) {
      ReadFiles reads{{files.paths.front(), "is the spec"}};
      add_read_files(reads, given_, {"baseline"});
      require_written_apart(given_, reads, {"page"});
      page = given_["page"].as<std::string>();
    }
    for (const SpecFiles::Problem& problem : files.problems) problem_with(problem);
    if (!baseline_.writing()) put_error(files.skipped_text(given_["verbose"].as<bool>()));
    const bool one_document = format_of(given_) != Format::text;
    for (const std::string& path : files.paths) {
      const Checked checked = check(path);
      read_.insert(path);
      std::error_code failed;  // parts of the built-in catalogue are no files
      for (FileId f = 0; f < checked.run->sources.size(); ++f)
        if (std::string file(checked.run->sources.path(f)); std::filesystem::exists(file, failed))
          read_.insert(std::move(file));
      worst_ = std::max(worst_, checked.status);
      if (!page.empty() && checked.run->plan)
        write_page(*checked.run, expect_figures(*checked.run->cluster, *checked.run->plan, true), path, page);
      else if (!page.empty())
        put_error("no page was written: '" + printable(path) + "' has no plan\n");
      baseline_.learn(*checked.run, path);
      if (one_document)
        collect(path, *checked.run);
      else if (!baseline_.writing())
        report(path, checked);
      else if (!checked.run->unreadable.empty())
        report(path, checked);
    }
    if (baseline_.writing()) return std::max<int>(worst_ == kUnjudged ? kUnjudged : kOk, baseline_.write());
    put_error(baseline_.absent_text());
    if (one_document)
      return std::max(
          worst_, report_findings(all_, files.paths.size() == 1 ? files.paths.front() : "", given_, to_stderr(files)));
    if (files.paths.size() > 1)
      put_error(format("{} specs: {}{}{}\n", files.paths.size(),
                       with_errors_ == 0 ? "none" : std::to_string(with_errors_),
                       with_errors_ == 1 ? " has errors" : " with errors",
                       with_warnings_ == 0 ? "" : format(", {} with warnings only", with_warnings_)));
    return worst_;
  }

  const std::set<std::string>& files_read() const { return read_; }

 private:
  static Edition asked_edition(const std::string& text) {
    if (text == "newest") return kNewestEdition;
    if (const auto edition = find_edition(text)) return *edition;
    throw UsageError{"there is no edition '" + text + "' of the rule book: newest, or one of " + edition_list()};
  }
  // What the mended text goes to cannot hold the findings, too.
  bool to_stderr(const SpecFiles& files) const {
    return (fixing_ && files.paths == std::vector<std::string>{"-"}) || showing_;
  }

  void problem_with(const SpecFiles::Problem& problem) {
    put_error("clusterc: error: " + printable(problem.text) + "\n");
    worst_ = kUnjudged;
    if (format_of(given_) != Format::text)
      all_.findings.error("spec-file-unreadable", begin_of(all_.sources, problem.path), problem.text);
  }

  Checked check(const std::string& path) {
    RunOptions options = run_options(given_, path);
    options.edition = edition_;
    options.all_cables = given_.count("page") > 0;
    if (KnownFileRun other = check_known_file(path, options, given_); other.run) {
      if (other.in_part) worst_ = kUnjudged;
      return {std::move(other.run), kOk, std::move(other.summary)};
    }
    if (fixing_ || showing_) return mend_spec(path, options, baseline_, fixing_);
    Checked out{run_pipeline(path, Stage::checked, options), kOk, {}};
    baseline_.apply(*out.run, path);
    return out;
  }

  void collect(const std::string& path, Run& one) {
    if (!one.unreadable.empty()) {
      if (one.findings.empty()) one.findings.error("spec-file-unreadable", begin_of(one.sources, path), one.unreadable);
      worst_ = kUnjudged;
    }
    take_over(all_, one);
  }

  void report(const std::string& path, const Checked& checked) {
    Run& run = *checked.run;
    const int status = report_findings(run, path, given_, (fixing_ && path == "-") || showing_);
    worst_ = std::max(worst_, status);
    const bool only_warns = run.unreadable.empty() && std::ranges::none_of(run.findings.all(), [](const Finding& f) {
                              return f.severity == Severity::error && f.counts();
                            });
    if (status != kOk) ++(only_warns ? with_warnings_ : with_errors_);
    if (status == kOk && run.findings.empty())
      put_error(run.plan ? all_well(path, run) : format("{}: no findings: {}\n", printable(path), checked.summary));
    if (given_["accept"].as<bool>()) put_text(entries_to_paste(path, run));
  }

  std::string entries_to_paste(const std::string& path, const Run& run) const {
    if (!run.cluster || !run.document) return {};
    const Date until = accepted_until(*run_options(given_, {}).today);
    std::string lines;
    std::size_t never = 0;
    for (const Finding& f : run.findings.all()) {
      if (f.severity == Severity::note || !f.counts()) continue;
      const auto entries = accepting_entries(run.cluster->spec, f, until);
      never += entries.empty();
      for (const std::string& entry : entries)
        if (lines.find(entry) == std::string::npos) lines += "  - " + entry + "\n";
    }
    if (never > 0)
      put_error(format("{}: {} cannot be accepted: fix the {}\n", printable(path),
                       plural(static_cast<std::int64_t>(never), "finding"), never == 1 ? "cause" : "causes"));
    return lines.empty() ? lines : "accept:\n" + lines;
  }

  const po::variables_map& given_;
  BaselineFile baseline_;
  bool fixing_, showing_;
  std::optional<Edition> edition_;
  Run all_;
  std::set<std::string> read_;
  int worst_ = kOk;
  std::size_t with_errors_ = 0, with_warnings_ = 0;  // warnings count with --strict
};

int run_check(const po::variables_map& given) {
  const auto arguments = positional(given);
  const auto files = [&] {
    return arguments.empty() ? specs_of_this_folder() : find_specs(arguments, given["specs-only"].as<bool>());
  };
  if (!given["watch"].as<bool>()) return Checking(given).run(files());
  for (const char* other : {"fix", "diff", "write-baseline"})
    if (given[other].as<bool>()) throw UsageError{std::string("--watch writes nothing: omit --") + other};
  if (std::ranges::find(arguments, "-") != arguments.end())
    throw UsageError{"--watch needs files: standard input does not change"};
  return watch([&] {
    Checking checking(given);
    WatchRound round;
    checking.run(files());
    round.files.assign(checking.files_read().begin(), checking.files_read().end());
    if (given.count("baseline")) round.files.push_back(given["baseline"].as<std::string>());
    if (arguments.empty()) round.folders.push_back(".");
    for (const std::string& argument : arguments) {
      std::error_code failed;
      if (std::filesystem::is_directory(argument, failed))
        round.folders.push_back(argument);
      else
        round.files.push_back(argument);
    }
    put_error(format("-- watching {} file{}, Ctrl-C ends it\n", checking.files_read().size(),
                     checking.files_read().size() == 1 ? "" : "s"));
    return round;
  });
}

}  // namespace
const Command kCheck{
    "check", "can it be built? lint specs, then judge them by the rule book",
    "clusterc check [SPEC|FOLDER|PATTERN…] [--strict] [--fix|--diff] [--baseline FILE] [--format FORMAT]",
    options_of_check, run_check};
}  // namespace clusterc::cli
