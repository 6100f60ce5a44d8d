// clusterc-storage: what one node gets from a mounted file system: bandwidth and IOPS through fio, metadata rates, a
// checkpoint written and read. README.md says what it proves.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/subprocess.h"
#include "harness/deadline.h"
#include "harness/fault.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#include "harness/supervise.h"
#include "storage/files.h"
#include "storage/fio.h"
#include "storage/gds.h"
#include "storage/place.h"

namespace clusterc::storage {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host,
                                 Backend::cuda};  // cuda: GPUDirect Storage, by fio: our build needs no CUDA for it
constexpr std::string_view kTests = "sequential|random|metadata|checkpoint";
constexpr ExtraOption kExtra[] = {
    {"--path", Kind::text, "DIR", "folder on the file system to be measured (default: the current one)"},
    {"--mounted", Kind::toggle, "", "DIR must be a mount point itself: nothing is measured where it is not mounted"},
    {"--tests", Kind::choices, kTests, "which (default: all)"},
    {"--jobs", Kind::count, "COUNT", "processes of fio, threads of the rest (default: one for each core, at most 16)"},
    {"--block", Kind::bytes, "BYTES", "one sequential transfer (default 1MiB)"},
    {"--random-block", Kind::bytes, "BYTES", "one random transfer (default 4KiB)"},
    {"--depth", Kind::count, "COUNT", "transfers under way of each job, where fio has libaio (default 32)"},
    {"--files", Kind::count, "COUNT", "files of each thread in a metadata pass (default 1000)"},
    {"--checkpoint", Kind::bytes, "BYTES", "all shards together, in whole 16 MiB a thread (default: as --size)"},
    {"--pass", Kind::seconds, "SECONDS", "length of one timed repetition of fio (default 1)"},
    {"--gpus", Kind::text, "IDS", "cuda: those whose memory is read to and written from, as 0:1 (default: all)"},
    {"--cufile", Kind::text, "LIBRARY", "cuda: the library of GPUDirect Storage (default libcufile.so.0)"},
    {"--nvidia-fs", Kind::text, "FILE", "cuda: what the kernel's part counts (default /proc/driver/nvidia-fs/stats)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when no pass finishes for so long beyond its length (default 300)"}};
constexpr MetricFacts kMetrics[] = {
    {"storage.write", "B/s", "large blocks in order"},
    {"storage.read", "B/s", "large blocks in order"},
    {"storage.random_write", "1/s", "small blocks anywhere"},
    {"storage.random_read", "1/s", "small blocks anywhere"},
    {"storage.gds_write", "B/s", "cuda: large blocks in order, from the memory of GPUs past that of the host"},
    {"storage.gds_read", "B/s", "cuda: the same, to the memory of GPUs"},
    {"storage.create", "1/s", "empty files made"},
    {"storage.stat", "1/s", "of files just made"},
    {"storage.unlink", "1/s", "files removed"},
    {"storage.checkpoint_write", "B/s", "one shard a thread, flushed and renamed"},
    {"storage.checkpoint_read", "B/s", "the shards read back in order"}};
constexpr unsigned kMostJobsAsked = 1024;  // a process of fio and a thread each
std::string wrong_options(const Options& options) {
  for (const char* block : {"--block", "--random-block"}) {
    const auto bytes = options.bytes(block);
    if (bytes && (*bytes < 4096 || *bytes % 4096 != 0 || *bytes > 1ull << 30))
      return format("'{}' has 4 KiB to 1 GiB, in whole 4 KiB", block);
  }
  if (const auto jobs = options.count("--jobs"); jobs && *jobs > kMostJobsAsked)
    return format("'--jobs {}': at most {}", *jobs, kMostJobsAsked);
  return {};
}
constexpr Program kProgram{.name = "storage",
                           .summary =
                               "bandwidth, IOPS, metadata rates and checkpoints on a mounted file system, as one node "
                               "sees it; with --device cuda GPUDirect Storage",
                           .size_kind = Kind::bytes,
                           .size_help = "of the files of fio, all jobs together (default 1GiB)",
                           .backends = kBackends,
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .wrong_options = wrong_options};

constexpr std::uint64_t kDefaultSize = 1ull << 30, kDefaultBlock = 1ull << 20, kDefaultRandomBlock = 4096;
constexpr unsigned kMostJobs = 16, kDefaultDepth = 32, kDefaultFiles = 1000, kRepetitions = 5;
constexpr double kRepetitionSeconds = 1, kTimeout = 300;
// A page cache that holds more than this of what is read answers too much of it: of 1 GiB in 1 s, 5 % move the figure
// by as much.
constexpr double kMostCached = 0.05;

// Processor time of this process and of the programs that it has waited for.
double own_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

struct Series {
  std::vector<double> samples;
  std::vector<double> medians, tails;  // latencies of fio, seconds
  std::optional<double> load;
};

class Runner {
 public:
  Runner(const Options& options, Reporter& report)
      : options_(options), report_(report), place_(look_at(options.text("--path", "."), options.has("--mounted"))) {}

  void gds() {
    // Files that cuFile does not reach directly are refused, whatever its configuration says.
    ::setenv("CUFILE_ALLOW_COMPAT_MODE", "false", 1);
    ::setenv("CUFILE_FORCE_COMPAT_MODE", "false", 1);
    const auto found = find_program("fio");
    fio_ = found.value_or("");
    const std::string engines = found ? start_fio({fio_, "--enghelp"}).out : "";
    GdsParts parts =
        look_for_gds("/", options_.text("--gpus", ""), options_.text("--cufile", "libcufile.so.0"), engines);
    if (!found) parts.missing += "; fio is not on the path";
    if (!parts.missing.empty()) throw CouldNotRun(Cause::not_applicable, "GPUDirect Storage: " + parts.missing);
    const unsigned jobs = options_.count("--jobs").value_or(
        std::clamp<unsigned>(static_cast<unsigned>(allowed_cpus().size()), 1, kMostJobs));
    const std::uint64_t size = options_.size.value_or(kDefaultSize);
    prepare(size);
    Deadline deadline(pulse_, options_.seconds_of("--timeout").value_or(kTimeout) + seconds_, report_);
    make_folder();
    if (!place_.direct)
      throw CouldNotRun(Cause::not_applicable, format("GPUDirect Storage: {} at '{}' does not take O_DIRECT",
                                                      place_.mount.type, place_.mount.point));
    with_gds(size, jobs, parts.gpus, choose_engine(engines));
    pulse_.doing(format("removing '{}'", folder_));
    remove_scratch();
  }

  void all() {
    const std::vector<std::string> tests = options_.choices("--tests", kTests);
    const auto wanted = [&](std::string_view test) { return std::ranges::find(tests, test) != tests.end(); };
    const std::set<int> allowed = allowed_cpus();
    const unsigned jobs =
        options_.count("--jobs").value_or(std::clamp<unsigned>(static_cast<unsigned>(allowed.size()), 1, kMostJobs));
    const std::uint64_t size = options_.size.value_or(kDefaultSize),
                        shards = wanted("checkpoint") ? options_.bytes("--checkpoint").value_or(size) : 0;
    const bool uses_fio = wanted("sequential") || wanted("random");
    if (uses_fio) {
      const auto found = find_program("fio");
      if (!found)
        throw CouldNotRun(Cause::program_missing,
                          "fio is not on the path; '--tests metadata,checkpoint' do without it");
      fio_ = *found;
    }
    // A checkpoint is renamed over the one before it when it is whole: for a moment there are two.
    prepare((uses_fio ? size : 0) + 2 * shards);
    Deadline deadline(pulse_, options_.seconds_of("--timeout").value_or(kTimeout) + seconds_, report_);
    make_folder();
    if (uses_fio) with_fio(size, jobs, wanted("sequential"), wanted("random"));

    std::vector<int> cpus(jobs);
    for (unsigned i = 0; i < jobs; ++i)
      cpus[i] = *std::next(allowed.begin(), static_cast<std::ptrdiff_t>(i % allowed.size()));
    Team team(cpus);
    if (wanted("metadata")) metadata(team);
    if (wanted("checkpoint")) checkpoint(team, shards / jobs);
    pulse_.doing(format("removing '{}'", folder_));
    remove_scratch();
  }

 private:
  void prepare(std::uint64_t need) {
    if (need > place_.free) {
      throw CouldNotRun(Cause::no_space,
                        format("the files take {}, '{}' has {} free", bytes_text(static_cast<double>(need)),
                               place_.path, bytes_text(static_cast<double>(place_.free))));
    }
    refuse_busy(load_at_rest(kWatchSeconds), options_, "before the run");
    repetitions_ = options_.iterations.value_or(kRepetitions);
    seconds_ = options_.seconds ? *options_.seconds / repetitions_
                                : options_.seconds_of("--pass").value_or(kRepetitionSeconds);
  }
  void make_folder() {
    pulse_.doing(format("making a folder in '{}'", place_.path));
    folder_ = make_scratch(place_.path, "storage");
    place_.direct = takes_direct(folder_);
    memory_ = place_.mount.type == "tmpfs" || place_.mount.type == "ramfs";
  }

  Measurement figure(std::string metric, std::string unit, const Series& series, std::uint64_t size,
                     bool cached) const {
    Measurement m{.metric = std::move(metric), .unit = std::move(unit)};
    m.samples = series.samples;
    m.warmup = 1;
    m.size_bytes = size;
    m.device = {.backend = Backend::host,
                .label = "path0",
                .name = format("{}, {} on {}", place_.path, place_.mount.type, place_.mount.source)};
    m.other_load = series.load;
    m.parameters = {{"mount", place_.mount.point},
                    {"file_system", place_.mount.type},
                    {"source", place_.mount.source},
                    {"page_cache", cached || memory_}};
    return m;
  }

  // Timed repetitions under one watch of the load.
  template <class Once>
  Series repeat(const std::string& what, const Once& once) {
    Series series;
    LoadMeter meter;
    const double own = own_seconds();
    Progress progress(options_.progress ? what : "");
    const double begin = now_seconds();
    for (unsigned i = 0; i < repetitions_; ++i) {
      check_interrupted();
      pulse_.doing(what);
      once(series);
      progress.at(i + 1, repetitions_, now_seconds() - begin, 0);
    }
    series.load = meter.share(own_seconds() - own);
    refuse_busy(series.load, options_, "during " + what);
    return series;
  }

  SubprocessResult start_fio(const std::vector<std::string>& arguments) const {
    Subprocess process{.argv = arguments};
    process.directory = folder_;
    process.interrupted = &interrupted();
    SubprocessResult ended = clusterc::run(process);
    check_interrupted();
    if (ended.outcome != SubprocessResult::Outcome::exited) throw CouldNotRun(Cause::system, ended.reason);
    return ended;
  }

  FioResult fio(const FioRun& how, SubprocessResult* said = nullptr) const {
    const bool write = how.pattern == Pattern::write || how.pattern == Pattern::random_write;
    const SubprocessResult ended = start_fio(fio_arguments(fio_, how));
    const auto result = parse_fio(ended.out, write);
    const std::vector<std::string> damaged = parse_verify_errors(ended.err);
    if (const std::string refused = how.engine == "libcufile" ? cufile_refusal(ended.err) : ""; !refused.empty()) {
      throw CouldNotRun(Cause::not_applicable, format("GPUDirect Storage: cuFile does not reach '{}' directly ({}); "
                                                      "through the host's memory it is not measured",
                                                      place_.path, refused));
    }
    if (!result || (damaged.empty() && (result->error != 0 || ended.status != 0))) {
      const int error = result ? result->error : 0;
      std::string last = ended.err.substr(0, ended.err.find_last_not_of('\n') + 1);
      if (const auto cut = last.rfind('\n'); cut != last.npos) last.erase(0, cut + 1);
      throw CouldNotRun(error == ENOSPC || error == EDQUOT ? Cause::no_space
                        : error == EROFS                   ? Cause::read_only
                                                           : Cause::system,
                        format("{}: {}", pulse_.doing(),
                               error != 0     ? std::string(std::strerror(error))
                               : last.empty() ? format("fio ended with status {}", ended.status)
                                              : last.substr(0, 300)));
    }
    if (said) *said = ended;
    return *result;
  }

  void with_fio(std::uint64_t size, unsigned jobs, bool sequential, bool random) {
    pulse_.doing("asking fio for its engines");
    const std::string engine = choose_engine(start_fio({fio_, "--enghelp"}).out);
    FioRun how{.folder = folder_,
               .block = options_.bytes("--block").value_or(kDefaultBlock),
               .jobs = jobs,
               .depth = options_.count("--depth").value_or(kDefaultDepth),
               .direct = place_.direct,
               .engine = engine,
               .seed = options_.seed};
    if (engine == "psync") how.depth = 1;
    how.size = std::max<std::uint64_t>(size / jobs / how.block, 1) * how.block * jobs;
    // Laid out once: what follows overwrites, and so neither allocates nor reads what was never written.
    pulse_.doing(format("laying out {} in '{}'", bytes_text(static_cast<double>(how.size)), folder_));
    fio(how);
    const auto pair = [&](const char* name, const char* unit, Pattern write, Pattern read, std::uint64_t block) {
      FioRun timed = how;
      timed.block = block;
      timed.seconds = seconds_;
      const bool rate = std::string_view(unit) == "B/s";
      const auto series = [&](Pattern pattern, const std::string& what) {
        return repeat(what, [&](Series& out) {
          timed.pattern = pattern;
          timed.seed += 1;  // other places and other data in each
          const FioResult r = fio(timed);
          out.samples.push_back(rate ? r.bytes_per_second : r.operations_per_second);
          out.medians.push_back(r.latency_median);
          out.tails.push_back(r.latency_p99);
        });
      };
      const std::string prefix = std::string("storage.") + name;
      const Series written = series(write, prefix + "write"), got = series(read, prefix + "read");
      const std::vector<std::string> damaged = verify(how);
      for (const Series* s : {&written, &got}) {
        Measurement m = figure(prefix + (s == &written ? "write" : "read"), unit, *s, how.size, !place_.direct);
        m.checked = how.size / 4096;
        m.wrong = damaged.size();
        m.parameters.insert(m.parameters.end(), {{"block", block},
                                                 {"jobs", std::uint64_t{jobs}},
                                                 {"depth", std::uint64_t{how.depth}},
                                                 {"engine", engine},
                                                 {"direct", place_.direct},
                                                 {"latency_median", summarise(s->medians).median},
                                                 {"latency_p99", summarise(s->tails).median}});
        if (!damaged.empty()) m.parameters.emplace_back("first_wrong", damaged.front());
        report_.measurement(m);
      }
    };
    if (sequential) pair("", "B/s", Pattern::write, Pattern::read, how.block);
    if (random)
      pair("random_", "1/s", Pattern::random_write, Pattern::random_read,
           options_.bytes("--random-block").value_or(kDefaultRandomBlock));
    for (unsigned job = 0; job < jobs; ++job) ::remove(format("{}/data.{}.0", folder_, job).c_str());
  }

  // Timed writes carry what lies in the GPUs, which nobody can check: after them the files are laid out again, from the
  // GPUs, with content that can. It is read back twice: to the GPUs, and by the host.
  void with_gds(std::uint64_t size, unsigned jobs, const std::string& gpus, const std::string& host_engine) {
    FioRun how{.folder = folder_,
               .block = options_.bytes("--block").value_or(kDefaultBlock),
               .jobs = jobs,
               .direct = true,
               .engine = "libcufile",
               .gpus = gpus,
               .seed = options_.seed};
    how.size = std::max<std::uint64_t>(size / jobs / how.block, 1) * how.block * jobs;
    const auto lay_out = [&] {
      pulse_.doing(format("laying out {} in '{}' from the GPUs", bytes_text(static_cast<double>(how.size)), folder_));
      fio(how);
    };
    lay_out();
    FioRun timed = how;
    timed.seconds = seconds_;
    timed.checked_content = false;
    const auto counted = [&] {
      return parse_nvidia_fs(read_text(options_.text("--nvidia-fs", "/proc/driver/nvidia-fs/stats")).value_or(""));
    };
    struct Passes {
      Series series;
      double moved = 0;
      std::optional<double> carried;  // by nvidia-fs
    };
    const auto passes = [&](Pattern pattern, const std::string& what) {
      Passes out;
      timed.pattern = pattern;
      const auto before = counted();
      out.series = repeat(what, [&](Series& series) {
        timed.seed += 1;
        const FioResult r = fio(timed);
        out.moved += static_cast<double>(r.bytes);
        series.samples.push_back(r.bytes_per_second);
        series.medians.push_back(r.latency_median);
        series.tails.push_back(r.latency_p99);
      });
      if (const auto after = counted(); before && after)
        out.carried = pattern == Pattern::read ? after->read - before->read : after->written - before->written;
      return out;
    };
    const Passes written = passes(Pattern::write, "storage.gds_write");
    lay_out();
    const Passes got = passes(Pattern::read, "storage.gds_read");
    std::vector<std::string> damaged = verify(how);
    FioRun by_host = how;
    by_host.engine = host_engine;
    for (std::string& place : verify(by_host)) {
      if (std::ranges::find(damaged, place) == damaged.end()) damaged.push_back(std::move(place));
    }
    for (const Passes* p : {&written, &got}) {
      Measurement m =
          figure(p == &written ? "storage.gds_write" : "storage.gds_read", "B/s", p->series, how.size, false);
      m.device.backend = Backend::cuda;
      m.checked = how.size / 4096;
      m.wrong = damaged.size();
      m.parameters.insert(m.parameters.end(), {{"block", how.block},
                                               {"jobs", std::uint64_t{jobs}},
                                               {"gpus", gpus},
                                               {"engine", how.engine},
                                               {"direct", true},
                                               {"latency_median", summarise(p->series.medians).median},
                                               {"latency_p99", summarise(p->series.tails).median},
                                               {"direct_shown_by", std::string(shown_by(p->carried, p->moved))}});
      if (p->carried) m.parameters.emplace_back("nvidia_fs_share", p->moved > 0 ? *p->carried / p->moved : 0.0);
      if (!damaged.empty()) m.parameters.emplace_back("first_wrong", damaged.front());
      report_.measurement(m);
    }
    for (unsigned job = 0; job < jobs; ++job) ::remove(format("{}/data.{}.0", folder_, job).c_str());
  }

  // Reads every block of every file again and checks its header and CRC.
  std::vector<std::string> verify(FioRun how) {
    pulse_.doing(format("verifying {} in '{}'", bytes_text(static_cast<double>(how.size)), folder_));
    flip_in_file();
    how.pattern = Pattern::verify;
    SubprocessResult said;
    fio(how, &said);
    flip_in_file();
    return parse_verify_errors(said.err);
  }
  void flip_in_file() const {
    if (kFaultBuild) {
      FILE* const file = std::fopen((folder_ + "/data.0.0").c_str(), "r+b");
      unsigned char byte = 0;
      if (!file || std::fseek(file, 2000, SEEK_SET) != 0 || std::fread(&byte, 1, 1, file) != 1)
        throw CouldNotRun(Cause::system, "the fault build found no file to damage");
      fault_flip_bit(&byte, 0);
      std::fseek(file, 2000, SEEK_SET);
      std::fwrite(&byte, 1, 1, file);
      std::fclose(file);
    }
  }

  void metadata(Team& team) {
    Metadata files(folder_, team, options_.count("--files").value_or(kDefaultFiles), pulse_);
    const double count = static_cast<double>(files.files());
    pulse_.doing("a metadata pass to warm up");
    files.once();
    std::vector<double> create, stat, unlink;
    Series series = repeat("storage.create, stat and unlink", [&](Series&) {
      const Metadata::Times t = files.once();
      create.push_back(count / t.create), stat.push_back(count / t.stat), unlink.push_back(count / t.unlink);
    });
    const std::pair<const char*, std::vector<double>*> all[] = {
        {"create", &create}, {"stat", &stat}, {"unlink", &unlink}};
    for (const auto& [name, samples] : all) {
      series.samples = *samples;
      Measurement m = figure(std::string("storage.") + name, "1/s", series, 0, false);
      m.checked = files.checked();
      m.wrong = files.wrong();
      m.parameters.insert(m.parameters.end(), {{"threads", std::uint64_t{team.size()}}, {"files", files.files()}});
      report_.measurement(m);
    }
  }

  void checkpoint(Team& team, std::uint64_t shard) {
    Checkpoint shards(folder_, team, shard, place_.direct, options_.seed, pulse_);
    const double bytes = static_cast<double>(shards.bytes());
    pulse_.doing("a checkpoint to warm up");
    shards.write();
    const Series written =
        repeat("storage.checkpoint_write", [&](Series& out) { out.samples.push_back(bytes / shards.write()); });
    double cached = 0;
    const Series got = repeat("storage.checkpoint_read", [&](Series& out) {
      out.samples.push_back(bytes / shards.read());
      cached = std::max(cached, shards.cached());
    });
    pulse_.doing("verifying the checkpoint");
    std::string where;
    const std::uint64_t wrong = shards.count_wrong(where);
    for (const Series* s : {&written, &got}) {
      Measurement m = figure(s == &written ? "storage.checkpoint_write" : "storage.checkpoint_read", "B/s", *s,
                             shards.bytes(), s == &got && cached > kMostCached);
      m.checked = shards.bytes() / 8;
      m.wrong = wrong;
      m.parameters.emplace_back("shards", std::uint64_t{team.size()});
      if (s == &got) m.parameters.emplace_back("cached_share", cached);
      if (!where.empty()) m.parameters.emplace_back("first_wrong", where);
      report_.measurement(m);
    }
  }

  const Options& options_;
  Reporter& report_;
  Place place_;
  TextPulse pulse_;
  std::string fio_, folder_;
  unsigned repetitions_ = kRepetitions;
  double seconds_ = options_.seconds_of("--pass").value_or(kRepetitionSeconds);
  bool memory_ = false;
};

void body(const Options& options, Reporter& report) {
  Runner runner(options, report);
  options.device == Backend::cuda ? runner.gds() : runner.all();
}

}  // namespace
}  // namespace clusterc::storage

int main(int argc, char** argv) {
  namespace h = clusterc::harness;
  return h::supervise(
      [&] { return h::run_validator(clusterc::storage::kProgram, argc, argv, clusterc::storage::body); });
}
