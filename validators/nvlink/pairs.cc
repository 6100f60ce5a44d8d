#include "nvlink/pairs.h"

#include "base/format.h"
#include "base/nvlink_rate.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "nvlink/links.h"

namespace clusterc::nvlink {
using namespace harness;
namespace {

constexpr std::uint64_t kCudaBytes = 512ull << 20,
                        kHostBytes = 32ull << 20;  // NVIDIA/nvbandwidth's own; enough to show the logic
constexpr unsigned kRepetitions = 20, kWarmup = 3;

void append(std::string& list, const std::string& text) {
  if (!text.empty()) list += (list.empty() ? "" : "; ") + text;
}

std::string_view family(Join join) {
  return join == Join::none ? "peer" : join == Join::part ? "nvlink.part" : "nvlink";
}
std::string_view join_text(Join join) {
  return join == Join::all    ? "all links"
         : join == Join::part ? "some of their links"
         : join == Join::none ? "no link"
                              : "not known";
}

class Run {
 public:
  Run(const Gpus& gpus, const std::optional<Nvml>& nvml, const std::string& why, Demand demand, const Options& options,
      Reporter& report)
      : gpus_(gpus),
        nvml_(nvml),
        why_(why),
        demand_(demand),
        options_(options),
        report_(report),
        bytes_(options.size.value_or(options.device == Backend::cuda ? kCudaBytes : kHostBytes)) {
    for (int gpu = 0; gpu < gpus_.count(); ++gpu) {
      devices_.push_back(gpus_.device(gpu));
      uuids_.push_back(devices_.back().uuid);
    }
  }

  void all() {
    before_ = read_links(nvml_, why_, uuids_);
    for (int first = 0; first < gpus_.count(); ++first)
      for (int second = first + 1; second < gpus_.count(); ++second) measure_pair(first, second);
    report_links();
    conclude();
  }

 private:
  const Gpus& gpus_;
  const std::optional<Nvml>& nvml_;
  const std::string& why_;
  Demand demand_;
  const Options& options_;
  Reporter& report_;
  std::uint64_t bytes_;
  std::vector<Device> devices_;
  std::vector<std::string> uuids_;
  std::vector<GpuLinks> before_;
  std::vector<std::string> no_access_ =
      std::vector<std::string>(static_cast<std::size_t>(gpus_.count()));  // whom each GPU does not reach
  std::string denied_, absent_;  // pairs that shall reach each other and do not; GPUs without a link that is up
  std::uint64_t measured_ = 0;

  std::string label(int gpu) const { return devices_[static_cast<std::size_t>(gpu)].label; }

  void measure_pair(int first, int second) {
    const Join join = join_of(before_, static_cast<std::size_t>(first), static_cast<std::size_t>(second));
    bool denied = false;
    for (const auto& [from, to] : {std::pair{first, second}, {second, first}}) {
      if (gpus_.can_access(from, to)) continue;
      denied = true;
      std::string& whom = no_access_[static_cast<std::size_t>(from)];
      whom += (whom.empty() ? "" : ", ") + label(to);
      if (join == Join::all || join == Join::part || (join == Join::unknown && demand_.links > 0))
        append(denied_, format("{} cannot access the memory of {}", label(from), label(to)));
    }
    if (denied) return;
    const auto pair = gpus_.open(first, second, bytes_, options_.seed);
    for (const Way way : {Way::forth, Way::back, Way::both}) measure_copies(*pair, way, first, second, join);
    for (const Way way : {Way::forth, Way::back}) measure_walks(*pair, way, first, second, join);
    ++measured_;
  }

  Measurement begin(std::string metric, std::string unit, Way way, int first, int second, Join join) const {
    const int from = way == Way::back ? second : first, to = way == Way::back ? first : second;
    Measurement m{.metric = std::move(metric), .unit = std::move(unit)};
    m.device = {.backend = devices_.front().backend,
                .label = format("{}-{}", label(from), label(to)),
                .name = devices_[static_cast<std::size_t>(from)].name};
    m.parameters = {{"from", uuids_[static_cast<std::size_t>(from)]},
                    {"to", uuids_[static_cast<std::size_t>(to)]},
                    {"joined_by", std::string(join_text(join))}};
    return m;
  }

  template <class Once>
  void time(Measurement& m, Pair& pair, const Once& once, double work) {
    const Loop loop = loop_from(options_, kRepetitions, kWarmup, format("{} of {}", m.metric, m.device.label));
    pair.poison();
    LoadMeter meter;
    const std::vector<double> seconds = measure(loop, once, [&] { pair.poison(); });
    m.other_load = meter.share();
    refuse_busy(m.other_load, options_, "during " + m.metric);
    m.warmup = loop.warmup;
    if (m.higher_is_better)
      m.samples = rates(seconds, work);
    else
      for (const double s : seconds) m.samples.push_back(s / work);
  }

  void measure_copies(Pair& pair, Way way, int first, int second, Join join) {
    Measurement m =
        begin(format("{}.copy{}", family(join), way == Way::both ? ".both" : ""), "B/s", way, first, second, join);
    const std::uint64_t moved = way == Way::both ? 2 * pair.bytes() : pair.bytes();
    time(
        m, pair, [&] { return pair.copy(way); }, static_cast<double>(moved));
    m.size_bytes = pair.bytes();
    m.checked = moved / sizeof(std::uint64_t);
    m.wrong = pair.count_wrong(way);
    report_.measurement(m);
  }

  void measure_walks(Pair& pair, Way way, int first, int second, Join join) {
    Measurement m = begin(format("{}.latency", family(join)), "s", way, first, second, join);
    m.higher_is_better = false;
    time(
        m, pair, [&] { return pair.walk(way); }, static_cast<double>(kSteps));
    m.size_bytes = sizeof(std::uint64_t);
    auto found = pair.found(way);
    if (kFaultBuild) fault_flip_bit(found.data(), 0);
    const auto right =
        end_of_walk(make_walk(stream_seed(options_.seed, way == Way::forth ? kWalkOfSecond : kWalkOfFirst)).data());
    m.checked = found.size();
    for (std::size_t i = 0; i < found.size(); ++i) m.wrong += found[i] != right[i];
    report_.measurement(m);
  }

  void report_links() {
    stage("asking NVML for the links again");
    std::vector<GpuLinks> after = read_links(nvml_, why_, uuids_);
    for (int gpu = 0; gpu < gpus_.count(); ++gpu) {
      const GpuLinks &was = before_[static_cast<std::size_t>(gpu)], &is = after[static_cast<std::size_t>(gpu)];
      if (!was.unknown.empty()) continue;
      const unsigned up = was.up(), later = is.up() ^ (kFaultBuild ? 1u : 0u);
      std::string trouble = trouble_of(was, label(gpu), demand_.links);
      if (up == 0) {
        if (!was.links.empty() || demand_.links > 0)
          append(absent_,
                 trouble.empty() ? format("{} has none of {} NVLinks up", label(gpu), was.links.size()) : trouble);
        continue;
      }
      const int capability = gpus_.capability(gpu);
      const auto rate = nvlink_rate(capability);
      if (!rate)
        throw CouldNotRun(
            Cause::device_error,
            format("what an NVLink of {} carries (compute capability {}.{}) is not known to this release: {} are up",
                   label(gpu), capability / 10, capability % 10, up));
      if (const std::string errors = risen(was, is); !errors.empty())
        append(trouble, format("{}: {}", label(gpu), errors));
      if (later != up) append(trouble, format("{} had {} NVLinks up at first, {} later", label(gpu), up, later));
      Measurement m{.metric = "nvlink.links", .unit = "B/s"};
      m.samples = {*rate * up};
      m.device = devices_[static_cast<std::size_t>(gpu)];
      m.checked = 1;
      m.wrong = later != up;
      m.parameters = {{"links", std::uint64_t{up}},
                      {"links_of_gpu", std::uint64_t{was.links.size()}},
                      {"address", was.address},
                      {"errors_counted", was.counted()}};
      if (!no_access_[static_cast<std::size_t>(gpu)].empty())
        m.parameters.emplace_back("no_access", no_access_[static_cast<std::size_t>(gpu)]);
      if (!trouble.empty()) m.parameters.emplace_back("slow", trouble);
      report_.measurement(m);
    }
  }

  // What could not be shown, after all that could.
  void conclude() const {
    std::string unknown;
    for (const GpuLinks& gpu : before_)
      if (unknown.empty()) unknown = gpu.unknown;
    bool linked = false;
    for (const GpuLinks& gpu : before_) linked = linked || gpu.up() > 0;
    // A GPU without any link that is up, among others that have some or where some shall be.
    if (!absent_.empty() && (linked || demand_.links > 0))
      throw CouldNotRun(Cause::device_error, absent_ + (denied_.empty() ? "" : "; " + denied_));
    if (!denied_.empty()) throw CouldNotRun(Cause::device_error, denied_);
    if (demand_.links > 0 && !unknown.empty())
      throw CouldNotRun(nvml_ ? Cause::device_error : Cause::library_missing,
                        format("{} NVLinks shall be there, and nothing is known of them: {}", demand_.links, unknown));
    if (measured_ == 0)
      throw CouldNotRun(Cause::not_applicable,
                        format("none of the {} GPUs can access the memory of another", gpus_.count()));
  }
};

}  // namespace

std::vector<std::uint64_t> make_walk(std::uint64_t seed) {
  std::vector<std::uint64_t> next(kPlaces), words(kPlaces * kWordsOfPlace, kPoison);
  for (std::uint64_t i = 0; i < kPlaces; ++i) next[i] = i;
  for (std::uint64_t i = kPlaces - 1; i > 0; --i) std::swap(next[i], next[random_bits(seed, i) % i]);
  for (std::uint64_t i = 0; i < kPlaces; ++i) words[i * kWordsOfPlace] = next[i];
  return words;
}

std::array<std::uint64_t, 2> end_of_walk(const std::uint64_t* words) {
  std::uint64_t at = 0, sum = 0;
  for (std::uint64_t i = 0; i < kSteps; ++i) sum += at = words[at % kPlaces * kWordsOfPlace];
  return {at, sum};
}

void measure_gpus(const Gpus& gpus, const std::optional<Nvml>& nvml, const std::string& why, Demand demand,
                  const Options& options, Reporter& report) {
  if (gpus.count() < 2) throw CouldNotRun(Cause::not_applicable, "there is one GPU: no other that it could reach");
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  Run(gpus, nvml, why, demand, options, report).all();
}

}  // namespace clusterc::nvlink
