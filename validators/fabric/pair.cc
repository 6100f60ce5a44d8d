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

constexpr std::string_view kHello = "clusterc-fabric 1";
constexpr const char* kPrograms[] = {"ib_write_bw", "ib_write_lat"};
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

class Pair {
 public:
  Pair(Partner& partner, bool first, const std::vector<Port>& ports, const std::vector<Chosen>& chosen,
       const PairSettings& how, Reporter& report)
      : partner_(partner), first_(first), ports_(ports), how_(how), report_(report) {
    for (const Chosen& c : chosen)
      if (ports[c.port].active()) mine_.push_back(c.port);
  }

  std::vector<std::string> measure() {
    const std::vector<std::size_t> both = greet();
    for (const bool second_writes : {true, false})
      for (const std::size_t port : both)
        for (const Perftest test : {Perftest::bandwidth, Perftest::latency})
          if (!(second_writes != first_ ? write(port, test) : serve(port, test))) break;  // both know that it failed
    return std::move(failed_);
  }

 private:
  // Both say what they have; the order is the first's.
  std::vector<std::size_t> greet() {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto found = find_program(kPrograms[i]);
      if (found) programs_[i] = *found;
    }
    const bool missing = programs_[0].empty() || programs_[1].empty();
    std::string hello(kHello);
    if (missing) hello += " !";
    for (const std::size_t i : mine_) hello += " " + ports_[i].name();
    partner_.say(hello);
    const std::string said = partner_.hear(how_.timeout);
    if (missing)
      throw CouldNotRun(Cause::program_missing, "ib_write_bw and ib_write_lat (package perftest) are not on the path");
    if (!said.starts_with(kHello))
      throw CouldNotRun(Cause::communication, format("'{}' runs another version of clusterc-fabric", partner_.name()));
    std::vector<std::string_view> theirs = split(std::string_view(said).substr(kHello.size()), ' ');
    std::erase(theirs, "");
    if (!theirs.empty() && theirs.front() == "!")
      throw CouldNotRun(Cause::program_missing, format("perftest is not installed on '{}'", partner_.name()));
    std::vector<std::size_t> both;
    std::vector<std::string> ours;
    for (const std::size_t i : mine_) {
      ours.push_back(ports_[i].name());
      if (std::find(theirs.begin(), theirs.end(), ours.back()) == theirs.end())
        failed_.push_back(format("{} is not active on '{}'", ours.back(), partner_.name()));
    }
    const auto take = [&](std::string_view name) {
      for (const std::size_t i : mine_)
        if (ports_[i].name() == name) both.push_back(i);
    };
    if (first_) {
      for (const std::string& name : ours)
        if (std::find(theirs.begin(), theirs.end(), name) != theirs.end()) take(name);
    } else {
      for (const std::string_view name : theirs) take(name);
    }
    if (both.empty() && failed_.empty())
      failed_.push_back(format("'{}' has no active port that is also here", partner_.name()));
    return both;
  }

  PerftestRun run_of(const Port& port, Perftest test, bool writes) {
    PerftestRun run{.test = test,
                    .program = programs_[static_cast<std::size_t>(test)],
                    .peer = writes ? partner_.name() : "",
                    .device = port.device,
                    .port = port.number,
                    .gid_index = port.routed_gid,
                    .size = test == Perftest::bandwidth ? how_.size : kLatencySize,
                    .seconds = how_.seconds,
                    .iterations = kLatencyIterations};
    run.tcp_port = how_.tcp_port + 1 + step_++ % kTcpPorts;  // its own each time: nobody meets one who is just leaving
    return run;
  }
  double listening() const { return std::min(kListening, how_.timeout); }
  double longest(Perftest test) const { return how_.timeout + (test == Perftest::bandwidth ? how_.seconds : 0); }

  // Both sides go through the same steps: "ready" of the one who serves, "done" or "failed …" of the one who writes;
  // after that the server's own last words.
  bool serve(std::size_t index, Perftest test) {
    for (unsigned i = 0; i < how_.repetitions; ++i) {
      Subprocess process{.argv = perftest_arguments(run_of(ports_[index], test, false))};
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

  bool write(std::size_t index, Perftest test) {
    const Port& port = ports_[index];
    const bool bandwidth = test == Perftest::bandwidth;
    Measurement m{.metric = bandwidth ? "rdma.write" : "rdma.write_latency",
                  .variant = port.name(),
                  .unit = bandwidth ? "B/s" : "s",
                  .higher_is_better = bandwidth};
    std::uint64_t mtu = 0, missing = 0;
    std::vector<double> tails;
    for (unsigned i = 0; i < how_.repetitions; ++i) {
      const PerftestRun run = run_of(port, test, true);
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
        failed_.push_back(format("{} to '{}', {}: {}{}", port.name(), partner_.name(),
                                 kPrograms[static_cast<std::size_t>(test)], why,
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
      if (bandwidth && before && after && *after < kSaturated && *after - *before < result->iterations * result->size)
        missing += 1;
    }
    m.wrong = missing;
    m.device = {.backend = Backend::host,
                .label = format("link{}", index),
                .name = format("{} {}", port.name(), layer_text(port.layer))};
    m.parameters = {{"port", port.name()},
                    {"peer", partner_.name()},
                    {"layer", std::string(layer_text(port.layer))},
                    {"path_mtu", mtu}};
    if (port.routed_gid) m.parameters.emplace_back("gid_index", std::uint64_t{*port.routed_gid});
    if (bandwidth)
      m.parameters.emplace_back("seconds", std::uint64_t{how_.seconds});
    else
      m.parameters.emplace_back("p99", summarise(tails).median);
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
  std::vector<std::size_t> mine_;
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
