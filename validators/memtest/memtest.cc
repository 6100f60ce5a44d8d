// clusterc-memtest: patterns, walking bits and addresses over a share of the memory; every wrong word is found with its
// place and bits. README.md says what it proves.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <thread>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/deadline.h"
#include "harness/edac.h"
#include "harness/fault.h"
#include "harness/gpu_users.h"
#include "harness/kernel_log.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#include "harness/sensors.h"
#include "memtest/backend.h"

namespace clusterc::memtest {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr std::string_view kTests = "solid|walking|address|random|inversions|hold";
constexpr ExtraOption kExtra[] = {
    {"--percent", Kind::count, "COUNT", "share of what is available that is tested, 1 to 99 (default 80)"},
    {"--tests", Kind::choices, kTests, "which (default: all)"},
    {"--hold", Kind::seconds, "SECONDS",
     "how long the memory is left alone between writing and comparing in the hold test (default 10, with --seconds at "
     "most a tenth of them)"},
    {"--threads", Kind::count, "COUNT", "host: threads (default: one for each core)"},
    {"--timeout", Kind::seconds, "SECONDS", "end when no sweep over the memory finishes for so long (default 600)"}};
constexpr MetricFacts kMetrics[] = {
    {"memtest.solid", "B/s", "all bits 0, 1, and every other one"},
    {"memtest.walking", "B/s", "one set bit, and one clear bit, in each of 64 places"},
    {"memtest.address", "B/s", "each word holds its own address, and its complement"},
    {"memtest.random", "B/s", "random words, and their complement"},
    {"memtest.inversions", "B/s", "random words compared and inverted in one sweep, upwards and downwards"},
    {"memtest.hold", "B/s", "random words left alone for a while"}};
constexpr unsigned kPercent = 80;
constexpr double kHold = 10, kTimeout = 600;
constexpr std::uint64_t kLeastShare = 1 << 20;  // bytes; who wants less says --size

std::string wrong_options(const Options& options) {
  if (const unsigned percent = options.count("--percent").value_or(kPercent); percent > 99)
    return format("'--percent {}': some is needed for the rest of the machine, at most 99", percent);
  return options.warmup ? "'--warmup': every sweep over the memory counts, none is left out" : "";
}

constexpr Program kProgram{
    .name = "memtest",
    .summary = "memory faults: patterns, walking bits and addresses, each wrong word with its place and bits",
    .size_kind = Kind::bytes,
    .size_help = "of the memory that is tested, instead of a share of it",
    .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
    .extra = kExtra,
    .metrics = kMetrics,
    .wrong_options = wrong_options};
constexpr unsigned kPlaces = 64;  // of a bit in a word
// Of the walking bits, so that the first few lie apart: 0, 32, 16, 48, 8 …
constexpr unsigned place_of_turn(unsigned turn) {
  unsigned place = 0;
  for (unsigned bit = 0; bit < 6; ++bit) place |= (turn >> bit & 1) << (5 - bit);
  return place;
}

// Keeps a run within --seconds. Whatever the size of the memory, a round begins only if there is time for its shortest
// form: every test, the walking bits in one place. Without --seconds there is always time.
class Budget {
 public:
  Budget(std::optional<double> seconds, double hold, const std::vector<std::string>& tests)
      : seconds_(seconds), hold_(hold), tests_(tests), begin_(now_seconds()) {}

  // A sweep took so long. The first one is not like the others: the kernel gives the memory only then.
  void swept(double seconds) {
    if (count_++ == 0) return;
    sum_ += seconds;
  }
  // Whether the tests from `first` on, walking bits in `places` places, end in time.
  bool has_room(std::string_view first, unsigned places) const {
    return !seconds_ || now_seconds() - begin_ + needs(first, places) <= *seconds_;
  }
  double spent() const { return now_seconds() - begin_; }
  // `done` of its sweeps are over.
  void require_round(unsigned done) const {
    const double least = needs("solid", 1) + spent() - done * each();
    if (seconds_ && least > *seconds_)
      throw CouldNotRun(Cause::timeout,
                        format("its shortest round takes about {:.2g} s here: '--seconds' (its share of "
                               "{:.2g} s) has to be more, or '--size' less",
                               least, *seconds_));
  }

 private:
  double each() const { return count_ > 1 ? sum_ / (count_ - 1) : 0; }
  double needs(std::string_view first, unsigned places) const {
    const std::pair<std::string_view, unsigned> sweeps[] = {{"solid", 8},  {"walking", 4 * places}, {"address", 4},
                                                            {"random", 4}, {"inversions", 6},       {"hold", 2}};
    double sum = 0;
    bool counts = false;
    for (const auto& [test, number] : sweeps) {
      counts = counts || test == first;
      if (counts && std::ranges::find(tests_, test) != tests_.end())
        sum += number * each() + (test == "hold" ? hold_ : 0);
    }
    return sum;
  }

  const std::optional<double> seconds_;
  const double hold_;
  const std::vector<std::string>& tests_;
  const double begin_;
  unsigned count_ = 0;
  double sum_ = 0;
};

struct Outcome {
  std::vector<double> rates;  // of each sweep: bytes written and read a second
  std::uint64_t checked = 0;
  Wrong wrong;
};

class Tester {
 public:
  // `sensors`: of the GPU; none for the host.
  Tester(Memory& memory, GpuSensors* sensors, const Options& options, std::optional<double> seconds, Reporter& report,
         TextPulse& pulse)
      : memory_(memory), sensors_(sensors), options_(options), seconds_(seconds), report_(report), pulse_(pulse) {}

  bool has_room() const { return budget_.has_room("solid", 1); }
  double spent() const { return budget_.spent(); }

  void round(unsigned number) {
    number_ = number;
    const auto test = [&](const char* name, const auto& body) {
      if (std::ranges::find(tests_, name) == tests_.end()) return;
      pulse_.doing(format("{} test of {} on {}", name, bytes_text(static_cast<double>(memory_.words() * 8)),
                          memory_.device().label));
      outcome_ = {};
      damaged_ = false;
      LoadMeter meter;
      const auto edac = memory_.device().backend == Backend::host ? read_edac() : std::nullopt;
      if (sensors_) sensors_->restart();
      log_.xids();  // what came before is not ours
      body();
      print(name, meter.share(), edac);
    };
    const std::uint64_t seed = stream_seed(options_.seed, number);
    test("solid", [&] {
      for (const std::uint64_t value : {std::uint64_t{0}, 0x5555555555555555u})
        for (const bool inverse : {false, true}) written_and_read({Content::solid, value, inverse});
    });
    test("walking", [&] {
      for (places_ = 0; places_ < kPlaces && (places_ == 0 || budget_.has_room("walking", 1)); ++places_)
        for (const bool inverse : {false, true})
          written_and_read({Content::walking, place_of_turn((places_ + (number - 1) * 21) % kPlaces), inverse});
    });
    test("address", [&] {
      for (const bool inverse : {false, true}) written_and_read({Content::address, 0, inverse});
    });
    test("random", [&] {
      for (const bool inverse : {false, true}) written_and_read({Content::random, stream_seed(seed, 0), inverse});
    });
    test("inversions", [&] {
      const Step plain{Content::random, stream_seed(seed, 1), false},
          inverse{Content::random, stream_seed(seed, 1), true};
      sweep(1, memory_.fill(plain));
      damage();
      compared(2, [&] { return memory_.replace(plain, inverse, false, outcome_.wrong); });
      compared(2, [&] { return memory_.replace(inverse, plain, true, outcome_.wrong); });
      compared(1, [&] { return memory_.compare(plain, outcome_.wrong); });
    });
    test("hold", [&] {
      const Step step{Content::random, stream_seed(seed, 2), false};
      sweep(1, memory_.fill(step));
      damage();
      hold(hold_);
      compared(1, [&] { return memory_.compare(step, outcome_.wrong); });
    });
  }

 private:
  void sweep(unsigned times, double seconds) {
    check_interrupted();
    pulse_.beat();
    outcome_.rates.push_back(static_cast<double>(memory_.words() * 8 * times) / seconds);
    budget_.swept(seconds);
    if (++sweeps_ == 2) budget_.require_round(sweeps_);
  }
  template <class Compare>
  void compared(unsigned times, const Compare& compare) {
    sweep(times, compare());
    outcome_.checked += memory_.words();
  }
  void written_and_read(const Step& step) {
    sweep(1, memory_.fill(step));
    damage();
    compared(1, [&] { return memory_.compare(step, outcome_.wrong); });
  }
  // The fault build: once in each test.
  void damage() {
    if (kFaultBuild && !damaged_) memory_.damage(memory_.words() / 2);
    damaged_ = true;
  }
  void hold(double seconds) const {
    if (options_.progress)
      std::fputs(format("clusterc: memtest: holding {} for {:.3g} s\n",
                        bytes_text(static_cast<double>(memory_.words() * 8)), seconds)
                     .c_str(),
                 stderr);
    for (const double until = now_seconds() + seconds; now_seconds() < until;) {
      check_interrupted();
      pulse_.beat();
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(0.05, seconds)));
    }
  }

  void print(const char* name, std::optional<double> load, const std::optional<EdacCounters>& before) {
    Measurement m{.metric = std::string("memtest.") + name, .unit = "B/s"};
    m.samples = outcome_.rates;
    m.size_bytes = memory_.words() * 8;
    m.device = memory_.device();
    m.checked = outcome_.checked;
    m.wrong = outcome_.wrong.words;
    m.other_load = load;
    m.parameters = memory_.parameters();
    m.parameters.emplace_back("round", std::uint64_t{number_});
    if (m.metric == "memtest.walking" && places_ < kPlaces)
      m.parameters.emplace_back("walking_places", std::uint64_t{places_});
    if (const std::uint64_t all = memory_.memory_bytes(); all > m.size_bytes)
      m.parameters.emplace_back("untested_bytes", all - m.size_bytes);
    if (sensors_) add_sensors(m);
    if (before) {
      if (const auto after = read_edac()) {
        const std::uint64_t uncorrected = after->uncorrected - std::min(before->uncorrected, after->uncorrected);
        m.parameters.emplace_back("ecc_corrected", after->corrected - std::min(before->corrected, after->corrected));
        m.parameters.emplace_back("ecc_uncorrected", uncorrected);
        if (const std::string modules = risen_modules(*before, *after); !modules.empty())
          m.parameters.emplace_back("ecc_modules", modules);
        m.wrong += uncorrected;
      }
    }
    if (const auto& first = outcome_.wrong.first) {
      // A bit is named where the second reading has it, too: the memory holds it wrong. Else the way to it is at fault.
      std::string bits;
      for (unsigned bit = 0; bit < 64; ++bit)
        if ((first->expected ^ first->again) >> bit & 1) bits += format("{}{}", bits.empty() ? "" : ",", bit);
      m.parameters.emplace_back("first_wrong_offset", first->offset);
      m.parameters.emplace_back("first_wrong_bits", bits.empty() ? "none when read again" : bits);
      m.parameters.emplace_back("wrong_again", outcome_.wrong.again);
      m.parameters.emplace_back("first_wrong_expected", format("0x{:016x}", first->expected));
      m.parameters.emplace_back("first_wrong_got", format("0x{:016x}", first->got));
      m.parameters.emplace_back("first_wrong_again", format("0x{:016x}", first->again));
      m.parameters.emplace_back("all_wrong_bits", format("0x{:016x}", outcome_.wrong.bits));
      if (const std::string where = memory_.address_of(first->offset); !where.empty())
        m.parameters.emplace_back("first_wrong_address", where);
    }
    report_.measurement(m);
  }

  // ECC counters, replaced rows and Xids of the GPU since the test began. What could not be corrected is wrong data,
  // whatever the words say.
  void add_sensors(Measurement& m) {
    for (auto& parameter : sensors_->parameters())
      if (parameter.first != "clock_reasons") m.parameters.push_back(std::move(parameter));
    std::string trouble;
    const auto add = [&](const std::string& more) {
      if (!more.empty()) trouble += format("{}{}", trouble.empty() ? "" : "; ", more);
    };
    if (const GpuSensors::Errors errors = sensors_->uncorrected(); errors.count > 0) {
      m.wrong += errors.count;
      add(errors.text);
    }
    if (const std::string rows = sensors_->rows_text(); !rows.empty()) {
      m.wrong += 1;
      add(rows);
    }
    if (!log_.readable()) {
      m.parameters.emplace_back("xids", std::string("unknown: the kernel's log cannot be read"));
    } else if (const std::vector<Xid> all = log_.xids(); !all.empty()) {
      m.parameters.emplace_back("xids", xids_text(all));
      const std::vector<Xid> ours = xids_of(all, memory_.pci_address());
      m.wrong += ours.size();
      if (!ours.empty()) add(format("Xid {}", xids_text(ours)));
    }
    if (!trouble.empty()) m.parameters.emplace_back("first_wrong", trouble);
  }

  Memory& memory_;
  GpuSensors* sensors_;
  const Options& options_;
  const std::optional<double> seconds_;  // of this memory
  Reporter& report_;
  TextPulse& pulse_;
  const std::vector<std::string> tests_ = options_.choices("--tests", kTests);
  const double hold_ = options_.seconds_of("--hold").value_or(seconds_ ? std::min(kHold, *seconds_ / 10) : kHold);
  Budget budget_{seconds_, hold_, tests_};
  KernelLog log_;
  Outcome outcome_;
  bool damaged_ = false;
  unsigned number_ = 1, sweeps_ = 0, places_ = 0;
};

// `share`: of --seconds, which memories that are tested one after the other have to share.
void test_memory(Memory& memory, GpuSensors* sensors, const Options& options, double share, Reporter& report,
                 TextPulse& pulse) {
  const std::optional<double> seconds = options.seconds ? std::optional(*options.seconds * share) : std::nullopt;
  Tester tester(memory, sensors, options, seconds, report, pulse);
  Progress progress(options.progress ? "memtest" : "");
  const unsigned rounds = options.iterations.value_or(1);
  for (unsigned round = 1; seconds ? round == 1 || tester.has_room() : round <= rounds; ++round) {
    tester.round(round);
    progress.at(round, seconds ? 0 : rounds, tester.spent(), seconds.value_or(0));
  }
}

void body(const Options& options, Reporter& report) {
  const unsigned percent = options.count("--percent").value_or(kPercent);
  TextPulse pulse;
  Deadline deadline(pulse, options.seconds_of("--timeout").value_or(kTimeout), report);
  if (options.device == Backend::cuda) {
    const int gpus = require_gpus();
#ifdef CLUSTERC_CUDA
    refuse_used_gpus(options, visible_gpus());
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const Device device = gpu_device(gpu);
      pulse.doing(format("asking NVML for {}", device.label));
      std::string why;
      std::optional<Nvml> nvml = Nvml::open(why);
      GpuSensors sensors(std::move(nvml), why, {{device.label, device.uuid}});
      test_memory(*open_cuda(gpu, options.size, percent), &sensors, options, 1.0 / gpus, report, pulse);
    }
#else
    (void)gpus;
#endif
    return;
  }
  const std::uint64_t share = free_memory() / 100 * percent;
  if (!options.size && share < kLeastShare && available_memory() > 0)
    throw CouldNotRun(Cause::no_memory,
                      format("{} % of what is available are {}: a test of less than {} says nothing", percent,
                             bytes_text(static_cast<double>(share)), bytes_text(static_cast<double>(kLeastShare))));
  test_memory(*open_host(options.size.value_or(share), options.count("--threads").value_or(0), pulse), nullptr, options,
              1, report, pulse);
}

}  // namespace
}  // namespace clusterc::memtest

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::memtest::kProgram, argc, argv, clusterc::memtest::body);
}
