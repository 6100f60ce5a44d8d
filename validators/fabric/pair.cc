#include "fabric/pair.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/format.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "fabric/perftest.h"
#include "harness/loop.h"
#include "harness/outcome.h"
#include "harness/team.h"

namespace clusterc::fabric {
using namespace harness;
namespace {

constexpr std::string_view kHello = "clusterc-fabric 2";
constexpr const char* kPrograms[] = {"ib_write_bw", "ib_write_lat"};
constexpr std::size_t program_of(Perftest test) { return test == Perftest::latency ? 1 : 0; }
constexpr double kHelp = 10;  // seconds for its list of options
constexpr unsigned kLatencyIterations = 10000, kTcpPorts = 256;
constexpr std::uint64_t kLatencySize = 2;  // bytes; perftest's own default
constexpr double kListening = 10;          // seconds that perftest may take from its start until it listens
constexpr std::uint64_t kSaturated = 0xffffffffull * 4;  // of adapters whose counters have 32 bits: they stop there

std::string last_words(const SubprocessResult& ended) {
  std::string last;
  for (const std::string* text : {&ended.out, &ended.err})
    for (const std::string_view line : split(*text, '\n'))
      if (const std::string_view words = trim(line); !words.empty() && words.find_first_not_of("-*") != words.npos)
        last = words;
  return last.substr(0, 300);
}

// What is measured with the same item of the other host: a port, or a port with a GPU.
struct Item {
  std::size_t port = 0;
  std::string name;  // "mlx5_0/1"; with GPUs "mlx5_0/1#0", the second GPU of a port is #1
  std::optional<Gpu> gpu;
  Nearness nearness = Nearness::far;
};

class Pair {
 public:
  Pair(Partner& partner, bool first, const std::vector<Port>& ports, const std::vector<Chosen>& chosen,
       const PairSettings& how, Reporter& report)
      : partner_(partner), first_(first), ports_(ports), how_(how), report_(report) {
    std::vector<std::size_t> active;
    for (const Chosen& c : chosen)
      if (ports[c.port].active()) active.push_back(c.port);
    if (how.gpus) {
      add_gpus(active);
      return;
    }
    for (const std::size_t port : active) mine_.push_back({.port = port, .name = ports[port].name(), .gpu = {}});
  }

  std::vector<std::string> measure() {
    const std::vector<Item> both = greet();
    for (const bool second_writes : {true, false})
      for (const Item& item : both)
        for (const Perftest test : tests_of(second_writes))
          if (!(second_writes != first_ ? write(item, test) : serve(item, test))) break;  // both know that it failed
    return std::move(failed_);
  }

 private:
  void add_gpus(const std::vector<std::size_t>& active) {
    const std::vector<Gpu> gpus = read_gpus(how_.root, *how_.gpus);
    no_gpus_ = gpus.empty();
    unsigned number = 0;
    for (const GpuPort& pair : pair_gpus(how_.root, ports_, active, gpus)) {
      number = !mine_.empty() && mine_.back().port == pair.port ? number + 1 : 0;
      mine_.push_back({pair.port, format("{}#{}", ports_[pair.port].name(), number), gpus[pair.gpu], pair.nearness});
    }
  }
  // Both ways at once shows the same whoever begins.
  std::vector<Perftest> tests_of(bool second_writes) const {
    if (!how_.gpus) return {Perftest::bandwidth, Perftest::latency};
    return second_writes ? std::vector{Perftest::bandwidth, Perftest::both} : std::vector{Perftest::bandwidth};
  }
  // What stands against the test here, which the other host has to hear; empty: nothing.
  std::string obstacle() {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto found = find_program(kPrograms[i]);
      if (!found) return "ib_write_bw and ib_write_lat (package perftest) are not on the path";
      programs_[i] = *found;
    }
    if (!how_.gpus) return {};
    if (no_gpus_) return format("there is no GPU of {} here", *how_.gpus == Maker::nvidia ? "NVIDIA" : "AMD");
    Subprocess process{.argv = {programs_[0], "--help"}};
    process.interrupted = &interrupted();
    process.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(kHelp * 1000));
    const SubprocessResult ended = clusterc::run(process);
    check_interrupted();
    std::string why;
    return find_gpu_memory(how_.root, *how_.gpus, ended.out + ended.err, gpu_memory_, why) ? "" : why;
  }

  // Both say what they have; the order is the first's.
  std::vector<Item> greet() {
    const std::string missing = obstacle();
    std::string hello(kHello);
    if (!missing.empty()) hello += " !";
    for (const Item& item : mine_) hello += " " + item.name;
    partner_.say(hello);
    const std::string said = partner_.hear(how_.timeout);
    if (!missing.empty()) throw CouldNotRun(no_gpus_ ? Cause::no_gpu : Cause::program_missing, missing);
    if (!said.starts_with(kHello))
      throw CouldNotRun(Cause::communication, format("'{}' runs another version of clusterc-fabric", partner_.name()));
    std::vector<std::string_view> theirs = split(std::string_view(said).substr(kHello.size()), ' ');
    std::erase(theirs, "");
    if (!theirs.empty() && theirs.front() == "!")
      throw CouldNotRun(Cause::program_missing,
                        format("perftest is not installed on '{}'{}", partner_.name(),
                               how_.gpus ? ", or cannot use its GPUs: its own record says which" : ""));
    std::vector<Item> both;
    const auto has = [&](const Item& item) { return std::ranges::find(theirs, item.name) != theirs.end(); };
    for (const Item& item : mine_)
      if (!has(item))
        failed_.push_back(format("{} is not active on '{}'{}", item.name, partner_.name(),
                                 how_.gpus ? ", or has no GPU next to it there" : ""));
    const auto take = [&](std::string_view name) {
      for (const Item& item : mine_)
        if (item.name == name) both.push_back(item);
    };
    if (first_) {
      for (const Item& item : mine_)
        if (has(item)) take(item.name);
    } else {
      for (const std::string_view name : theirs) take(name);
    }
    if (both.empty() && failed_.empty())
      failed_.push_back(format("'{}' has no active port that is also here", partner_.name()));
    return both;
  }

  PerftestRun run_of(const Item& item, Perftest test, bool writes) {
    const Port& port = ports_[item.port];
    PerftestRun run{.test = test,
                    .program = programs_[program_of(test)],
                    .peer = writes ? partner_.name() : "",
                    .device = port.device,
                    .port = port.number,
                    .gid_index = port.routed_gid,
                    .size = test == Perftest::latency ? kLatencySize : how_.size,
                    .seconds = how_.seconds,
                    .iterations = kLatencyIterations};
    if (item.gpu) run.memory = gpu_memory_.arguments(*item.gpu);
    run.tcp_port = how_.tcp_port + 1 + step_++ % kTcpPorts;  // its own each time: nobody meets one who is just leaving
    return run;
  }
  double listening() const { return std::min(kListening, how_.timeout); }
  double longest(Perftest test) const { return how_.timeout + (test == Perftest::latency ? 0 : how_.seconds); }

  // Both sides go through the same steps: "ready" of the one who serves, "done" or "failed …" of the one who writes;
  // after that the server's own last words.
  bool serve(const Item& item, Perftest test) {
    for (unsigned i = 0; i < how_.repetitions; ++i) {
      Subprocess process{.argv = perftest_arguments(run_of(item, test, false))};
      std::atomic<bool> stop{false};
      process.interrupted = &stop;
      process.timeout = std::chrono::milliseconds(static_cast<std::int64_t>((longest(test) + listening()) * 1000));
      SubprocessResult ended;
      std::atomic<bool> over{false};
      std::thread server = start_thread(
          [&] {
            ended = clusterc::run(process);
            over = true;
          },
          "the thread that serves the other host");
      const auto end = [&](double patience) {  // ends by itself when its client has gone; not one that hangs
        for (const double until = now_seconds() + patience; !over && now_seconds() < until;)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        stop = true;
        server.join();
      };
      std::string said;
      try {
        partner_.say("ready");
        said = partner_.hear(longest(test) + listening() + how_.timeout);
      } catch (...) {
        end(0);
        throw;
      }
      end(said == "done" ? 5 : 0.5);
      if (said == "done") continue;
      partner_.say("said " +
                   (ended.outcome == SubprocessResult::Outcome::not_started ? ended.reason : last_words(ended)));
      return false;
    }
    return true;
  }

  Measurement begin(const Item& item, Perftest test) const {
    const Port& port = ports_[item.port];
    const bool bandwidth = test != Perftest::latency;
    const char* const metric = !bandwidth               ? "rdma.write_latency"
                               : !item.gpu              ? "rdma.write"
                               : test == Perftest::both ? "rdma.gpu_write.both"
                                                        : "rdma.gpu_write";
    Measurement m{.metric = metric,
                  .variant = item.gpu ? format("{}, GPU {}", port.name(), item.gpu->address) : port.name(),
                  .unit = bandwidth ? "B/s" : "s",
                  .higher_is_better = bandwidth};
    m.device = {.backend = Backend::host,
                // Two GPUs may share a port, and each is a figure of its own.
                .label = item.gpu ? format("link{}-gpu{}", item.port, item.gpu->number) : format("link{}", item.port),
                .name = format("{} {}", port.name(), layer_text(port.layer))};
    m.parameters = {{"port", port.name()}, {"peer", partner_.name()}, {"layer", std::string(layer_text(port.layer))}};
    if (item.gpu) {
      m.parameters.emplace_back("gpu", item.gpu->address);
      m.parameters.emplace_back("gpu_nearness", std::string(nearness_text(item.nearness)));
      m.parameters.emplace_back("gpu_memory", std::string(gpu_memory_.text()));
    }
    if (port.routed_gid) m.parameters.emplace_back("gid_index", std::uint64_t{*port.routed_gid});
    return m;
  }

  bool write(const Item& item, Perftest test) {
    const Port& port = ports_[item.port];
    Measurement m = begin(item, test);
    std::uint64_t mtu = 0, missing = 0;
    std::vector<double> tails;
    for (unsigned i = 0; i < how_.repetitions; ++i) {
      const PerftestRun run = run_of(item, test, true);
      if (const std::string said = partner_.hear(longest(test) + how_.timeout); said != "ready")
        throw CouldNotRun(Cause::communication,
                          format("'{}' said '{}' instead of 'ready'", partner_.name(), said.substr(0, 80)));
      const auto before = sent(port);
      std::string why;
      const auto result = client(run, longest(test), why);
      if (!result) {
        partner_.say("failed");
        std::string words = partner_.hear(how_.timeout);
        if (words.starts_with("said ")) words.erase(0, 5);
        failed_.push_back(format("{} to '{}', {}: {}{}", m.variant, partner_.name(), kPrograms[program_of(test)], why,
                                 words.empty() ? "" : format("; there: {}", words)));
        return false;
      }
      partner_.say("done");
      const auto after = sent(port);
      m.samples.push_back(result->value);
      m.size_bytes = result->size;
      m.checked += result->iterations;
      mtu = result->mtu;
      tails.push_back(result->tail);
      // What went through another port, or never left the adapter, is not what was to be measured.
      if (test == Perftest::bandwidth && before && after && *after < kSaturated &&
          *after - *before < result->iterations * result->size)
        missing += 1;
    }
    m.wrong = missing;
    m.parameters.emplace_back("path_mtu", mtu);
    if (test == Perftest::latency)
      m.parameters.emplace_back("p99", summarise(tails).median);
    else
      m.parameters.emplace_back("seconds", std::uint64_t{how_.seconds});
    if (missing > 0)
      m.parameters.emplace_back("first_wrong",
                                format("{} counted fewer bytes than perftest says it sent", port.name()));
    report_.measurement(m);
    return true;
  }

  std::optional<std::uint64_t> sent(const Port& port) const {
    for (const Port& now : read_ports(how_.root))
      if (now.device == port.device && now.number == port.number) return now.sent;
    return std::nullopt;
  }

  std::optional<PerftestResult> client(const PerftestRun& run, double seconds, std::string& why) const {
    const double until = now_seconds() + listening();
    for (;;) {
      Subprocess process{.argv = perftest_arguments(run)};
      process.interrupted = &interrupted();
      process.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
      const SubprocessResult ended = clusterc::run(process);
      check_interrupted();
      if (ended.outcome == SubprocessResult::Outcome::timed_out) {
        why = format("did not end within {:.0f} s", seconds);
        return std::nullopt;
      }
      if (ended.ok()) {
        auto result = parse_perftest(ended.out, run.test);
        if (!result) why = "printed no whole table";
        return result;
      }
      // perftest_communication.c: "Couldn't connect to HOST:PORT": the other one has started and does not listen yet.
      const bool early = (ended.out + ended.err).find("Couldn't connect to") != std::string::npos;
      if (early && now_seconds() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        continue;
      }
      why = last_words(ended);
      if (why.empty()) why = ended.reason;
      return std::nullopt;
    }
  }

  Partner& partner_;
  const bool first_;
  const std::vector<Port>& ports_;
  const PairSettings& how_;
  Reporter& report_;
  std::vector<Item> mine_;
  GpuMemory gpu_memory_;
  bool no_gpus_ = false;
  std::vector<std::string> failed_;
  std::string programs_[2];
  unsigned step_ = 0;
};

}  // namespace

std::vector<std::string> measure_pair(Partner& partner, bool first, const std::vector<Port>& ports,
                                      const std::vector<Chosen>& chosen, const PairSettings& how, Reporter& report) {
  return Pair(partner, first, ports, chosen, how, report).measure();
}

}  // namespace clusterc::fabric
