// clusterc-container: containers of every runtime start, see the GPUs and RDMA adapters of the machine, and run a
// collective. README.md says what it proves.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/format.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "container/inside.h"
#include "container/look.h"
#include "container/runtimes.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "harness/supervise.h"

namespace clusterc::container {
namespace {
using namespace harness;
using Outcome = SubprocessResult::Outcome;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr std::string_view kGpuWays = "cdi|hook";
constexpr ExtraOption kExtra[] = {
    {"--runtimes", Kind::choices, kRuntimes, "which, each must be there (default: all that are installed)"},
    {"--image", Kind::text, "NAME",
     "what containers are started from, as the runtime names it; it must be on this machine: nothing is pulled"},
    {"--rootfs", Kind::text, "DIR",
     "a folder in place of an image, where the runtime takes one (default for podman: /)"},
    {"--gpus", Kind::choices, kGpuWays, "how NVIDIA's GPUs come into a container (default cdi)"},
    {"--timeout", Kind::seconds, "SECONDS", "that one container may take (default 60)"},
    {"--sysfs", Kind::text, "DIR",
     "folder that holds dev/ and sys/, outside and in the container, for tests (default: /)"}};
constexpr MetricFacts kMetrics[] = {
    {"container.start", "s", "from the runtime's start until the first word of the program in the container", false},
    {"container.all_reduce", "B/s",
     "bus bandwidth of clusterc-nccl in the container, 1 MiB, where the image has mpirun"}};
constexpr Program kProgram{.name = "container",
                           .summary =
                               "container runtimes: containers start, see the GPUs and RDMA adapters that the machine "
                               "has, and run a collective",
                           .backends = kBackends,
                           .extra = kExtra,
                           .metrics = kMetrics};
constexpr unsigned kStarts = 10, kWarmup = 1, kFewestRanks = 2;
constexpr double kTimeout = 60;
constexpr std::size_t kSaid = 300;  // characters of a runtime's last words

std::string last_words(const SubprocessResult& ended) {
  std::string text = ended.err.substr(0, ended.err.find_last_not_of(" \n") + 1);
  if (const auto cut = text.rfind('\n'); cut != text.npos) text.erase(0, cut + 1);
  return text.substr(0, kSaid);
}

// One container, from the start of the runtime to its end.
struct Lived {
  double until_word = 0;  // seconds, until the first line
  std::optional<Answer> answer;
  std::vector<std::string> lines;  // records behind the answer
  std::string said;                // last words on standard error
};
constexpr std::size_t kMostLines = 1000,
                      kLongestLine = 65536;  // of records that are kept; a container may print without end

class OneRuntime {
 public:
  OneRuntime(Runtime runtime, const Options& options, Reporter& report, Look outside, std::string names)
      : options_(options),
        report_(report),
        outside_(std::move(outside)),
        names_(std::move(names)),
        timeout_(options.seconds_of("--timeout").value_or(kTimeout)) {
    start_.runtime = runtime;
    const auto program = program_of(runtime);
    if (!program) throw CouldNotRun(Cause::program_missing, format("{} is not on the path", programs_text(runtime)));
    start_.program = *program;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    start_.bundle = self.parent_path().string();
    task_.program = self.string();
    task_.root = options.text("--sysfs", "/");
    task_.seconds = static_cast<unsigned>(std::ceil(timeout_)) + 1;
    task_.device = backend_text(options.device);
    start_.image = options.text("--image", "");
    start_.rootfs = options.text("--rootfs", runtime == Runtime::podman && start_.image.empty() ? "/" : "");
    start_.hook = options.has("--gpus") && options.choices("--gpus", kGpuWays) == std::vector<std::string>{"hook"};
    if (task_.root == "/") hand_in_devices();
    if (const std::string why = refused(start_); !why.empty())
      throw CouldNotRun(needs_image(start_) ? Cause::not_applicable : Cause::system, why);
  }

  void measure_all() {
    std::optional<Difference> seen;
    Look inside;
    std::uint64_t strangers = 0;
    const Loop loop = loop_from(options_, kStarts, kWarmup, format("container.start of {}", name()));
    Measurement m{.metric = "container.start", .variant = name(), .unit = "s", .higher_is_better = false};
    m.samples = measure(
        loop,
        [&] {
          const Lived lived = live(0);
          inside = lived.answer->look;
          strangers += lived.answer->token != task_.token;
          Difference now = compare(outside_, inside);
          if (!seen || now.found.size() > seen->found.size()) seen = std::move(now);  // the worst of all
          return lived.until_word;
        },
        [] {});
    m.warmup = loop.warmup;
    m.device = device(Backend::host);
    m.checked = m.samples.size() + loop.warmup + seen->compared;
    m.wrong = strangers + seen->found.size();
    m.parameters = {{"runtime", name()},
                    {"program", start_.program},
                    {"from", start_.image.empty() ? start_.rootfs : start_.image},
                    {"gpus_outside", outside_.gpus.size()},
                    {"gpus_inside", inside.gpus.size()},
                    {"adapters_outside", outside_.adapters.size()},
                    {"adapters_inside", inside.adapters.size()},
                    {"verbs_outside", outside_.verbs.size()},
                    {"verbs_inside", inside.verbs.size()},
                    {"locked_memory", inside.locked_memory}};
    const std::string left_out = collective_left_out(inside);
    if (!left_out.empty()) m.parameters.emplace_back("collective_left_out", left_out);
    if (!seen->found.empty()) m.parameters.emplace_back("slow", join(seen->found, "; "));
    report_.measurement(m);
    if (left_out.empty()) collective();
  }

 private:
  std::string name() const { return std::string(runtime_text(start_.runtime)); }
  Device device(Backend backend) const {
    return {.backend = backend,
            .label = "host",
            .name = format("{} from {}", start_.program, start_.image.empty() ? start_.rootfs : start_.image)};
  }

  void hand_in_devices() {
    const auto of = [&](std::string_view stem) {
      return static_cast<std::size_t>(std::count_if(outside_.gpus.begin(), outside_.gpus.end(),
                                                    [&](const std::string& g) { return g.starts_with(stem); }));
    };
    start_.gpus = of("nvidia");
    start_.nvidia = start_.gpus > 0;
    start_.amd = of("dri/") > 0;
    for (const std::string& node : outside_.verbs) start_.verbs.push_back("/dev/" + node);
  }

  std::string collective_left_out(const Look& inside) const {
    if (inside.mpirun.empty()) return "the image has no mpirun";
    std::error_code failed;
    if (!std::filesystem::exists(start_.bundle + "/clusterc-nccl", failed))
      return format("there is no clusterc-nccl in '{}'", start_.bundle);
    if (options_.device == Backend::cuda && inside.gpus.size() < kFewestRanks) return "a collective needs two GPUs";
    return {};
  }

  // Throws when the container does not come, does not answer, does not end, or fails.
  Lived live(unsigned ranks) {
    ++count_;
    start_.name = format("{}{}", names_, count_);
    task_.ranks = ranks;
    task_.token = format("{:016x}", random_bits(options_.seed, count_));
    start_.command = inside_arguments(task_);
    Lived out;
    Subprocess process{.argv = start_arguments(start_)};
    process.timeout = std::chrono::milliseconds(std::llround(timeout_ * 1000));
    process.interrupted = &interrupted();
    const double begin = now_seconds();
    process.on_line = [&](std::string_view line) {
      if (out.until_word == 0) out.until_word = now_seconds() - begin;
      if (!out.answer)
        out.answer = parse_look(line);
      else if (ranks > 0 && out.lines.size() < kMostLines && line.size() <= kLongestLine && line.starts_with('{'))
        out.lines.emplace_back(line);
    };
    const SubprocessResult ended = clusterc::run(process);
    if (!ended.ok()) remove();
    out.said = last_words(ended);
    check_interrupted();
    if (ended.outcome == Outcome::not_started) throw CouldNotRun(Cause::program_missing, ended.reason);
    if (ended.outcome == Outcome::timed_out)
      throw CouldNotRun(Cause::timeout, format("{}: a container {} within {:g} s", name(),
                                               !out.answer ? "did not answer"
                                               : ranks > 0 ? "did not end its collective"
                                                           : "answered and did not end",
                                               timeout_));
    if (ended.outcome != Outcome::exited || !out.answer || (ranks == 0 && ended.status != 0)) {
      throw CouldNotRun(Cause::system, format("{}: {}", name(),
                                              !out.said.empty() ? out.said
                                              : ended.ok()      ? "the container said nothing"
                                                                : ended.reason));
    }
    if (kFaultBuild) fault_flip_bit(out.answer->token.data(), 0);
    return out;
  }

  // A container that outlives the program that started it is ended by name; that it is gone already is no error.
  void remove() const {
    for (const std::vector<std::string>& arguments : remove_arguments(start_)) {
      Subprocess process{.argv = arguments};
      process.timeout = std::chrono::seconds(20);
      clusterc::run(process);
    }
  }

  void collective() {
    using nlohmann::json;
    const unsigned ranks =
        options_.device == Backend::cuda ? static_cast<unsigned>(outside_.gpus.size()) : kFewestRanks;
    const Lived lived = live(ranks);
    Measurement m{.metric = "container.all_reduce", .variant = name(), .unit = "B/s"};
    std::string why = "no end record came out of the container" + (lived.said.empty() ? "" : "; " + lived.said);
    bool done = false;
    for (const std::string& line : lived.lines) {
      const json record = json::parse(line, nullptr, false);
      if (!record.is_object()) continue;
      const auto text = [&](const char* key) {
        return record.contains(key) && record[key].is_string() ? record[key].get<std::string>() : std::string();
      };
      const auto count = [&](const char* key) {
        return record.contains(key) && record[key].is_number_unsigned() ? record[key].get<std::uint64_t>() : 0;
      };
      if (text("record") == "end") {
        done = text("status") == "done";
        why = text("reason") + ": " + text("detail");
      }
      if (text("metric") != "nccl.all_reduce.busbw" || !record.contains("value") || !record["value"].is_number() ||
          !record.contains("parameters"))
        continue;
      m.checked += count("checked");
      m.wrong += count("wrong");
      m.size_bytes = count("size");
      // Both placements are checked; the figure is the one that every back end has.
      if (const auto& p = record["parameters"];
          !p.is_object() || !p.contains("in_place") || !p["in_place"].is_boolean() || !p["in_place"].get<bool>())
        m.samples.push_back(record["value"].get<double>());
    }
    if (!done || m.samples.empty())
      throw CouldNotRun(Cause::communication,
                        format("{}: the collective in the container: {}", name(), why.substr(0, kSaid)));
    m.device = device(options_.device);
    m.wrong += lived.answer->token != task_.token;
    m.parameters = {{"runtime", name()}, {"ranks", std::uint64_t{ranks}}};
    report_.measurement(m);
  }

  const Options& options_;
  Reporter& report_;
  const Look outside_;
  const std::string names_;  // what the names of its containers begin with
  const double timeout_;
  Start start_;
  Task task_;
  unsigned count_ = 0;
};

// One run's containers begin with this: of no other process, in whatever name space it counts.
std::string names_of_run() {
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) random = static_cast<std::uint64_t>(now_seconds() * 1e9);
  return format("clusterc-{}-{:016x}-", ::getpid(), random);
}

// Of a run that was killed: whoever makes containers may still be at it, or have left one.
void remove_leftovers(const std::string& names) {
  const auto asked = [](std::vector<std::string> argv) {
    Subprocess process{.argv = std::move(argv)};
    process.timeout = std::chrono::seconds(20);
    return clusterc::run(process);
  };
  for (const std::string_view text : split(kRuntimes, '|')) {
    const Runtime runtime = *runtime_of(text);
    const auto program = program_of(runtime);
    const std::vector<std::string> list = program ? list_arguments(runtime, *program) : std::vector<std::string>();
    if (list.empty()) continue;
    const std::string out = asked(list).out;
    for (const std::string_view name : split(out, '\n')) {
      if (!name.starts_with(names)) continue;
      for (const auto& argv : remove_arguments({.runtime = runtime, .program = *program, .name = std::string(name)}))
        asked(argv);
    }
  }
}

void body(const Options& options, Reporter& report, const std::string& names) {
  std::vector<Runtime> runtimes;
  for (const std::string& name : options.choices("--runtimes", kRuntimes))
    if (const auto runtime = runtime_of(name); runtime && (options.has("--runtimes") || program_of(*runtime)))
      runtimes.push_back(*runtime);
  if (runtimes.empty())
    throw CouldNotRun(Cause::not_applicable,
                      "no container runtime is installed here: " + replace_all(kRuntimes, "|", ", "));
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  const Look outside = look_at(options.text("--sysfs", "/"));
  std::vector<std::string> troubles;
  std::optional<Cause> cause;  // of the first that failed; what only lacks an image says so where nothing worse
                               // happened, and is no failure unless it was asked for
  for (const Runtime runtime : runtimes) {
    try {
      OneRuntime(runtime, options, report, outside, names).measure_all();
    } catch (const CouldNotRun& e) {
      if (e.cause() == Cause::interrupted) throw;
      if (!cause || *cause == Cause::not_applicable) cause = e.cause();
      troubles.emplace_back(e.what());
    }
  }
  if (!cause || (*cause == Cause::not_applicable && !options.has("--runtimes") && troubles.size() < runtimes.size()))
    return;
  throw CouldNotRun(*cause == Cause::not_applicable && troubles.size() < runtimes.size() ? Cause::system : *cause,
                    join(troubles, "; "));
}

}  // namespace
}  // namespace clusterc::container

int main(int argc, char** argv) {
  namespace c = clusterc::container;
  namespace h = clusterc::harness;
  if (argc > 1 && std::string_view(argv[1]) == c::kInside) return c::run_inside(argc, argv);
  const std::string names = c::names_of_run();
  const auto body = [&](const h::Options& options, h::Reporter& report) { c::body(options, report, names); };
  const int status = h::supervise([&] { return h::run_validator(c::kProgram, argc, argv, body); });
  if (status > 128) c::remove_leftovers(names);
  return status;
}
