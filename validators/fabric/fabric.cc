// clusterc-fabric: ports of RDMA adapters against what the machine is said to have, and between two machines through
// perftest. README.md says what it proves.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/text.h"
#include "fabric/pair.h"
#include "fabric/ports.h"
#include "harness/fault.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/run.h"
#include "harness/supervise.h"

namespace clusterc::fabric {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host};
constexpr ExtraOption kExtra[] = {
    {"--sysfs", Kind::text, "DIR",
     "folder that holds a tree as /sys, for tests and for trees of other machines (default: /)"},
    {"--ports", Kind::text, "LIST",
     "what shall be there: infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000 (ports, rate, MTU of their interfaces)"},
    {"--hosts", Kind::text, "PATTERN",
     "hosts that measure each other in pairs: n[1-4] is n1 with n2, n3 with n4; to be started on all of them"},
    {"--gpudirect", Kind::choices, "cuda|rocm",
     "with --hosts: from the memory of each GPU through the port next to it to that of the other host's GPU, instead "
     "of "
     "the host's memory"},
    {"--as", Kind::text, "NAME",
     "which of --hosts this one is (default: $CLUSTERC_NODE, $SLURMD_NODENAME, else the host name)"},
    {"--tcp-port", Kind::count, "PORT",
     "on which the first of a pair listens; perftest takes the 256 above it (default 18700)"},
    {"--timeout", Kind::seconds, "SECONDS",
     "that the other host, and one run of perftest beyond its length, may take (default 30)"}};
constexpr MetricFacts kMetrics[] = {
    {"fabric.link", "B/s", "one direction of a port, as negotiated"},
    {"fabric.links", "B/s", "the ports that shall be there, together; without --ports all that are active"},
    {"rdma.write", "B/s", "each port to the port of the same name on the other host, large messages"},
    {"rdma.write_latency", "s", "the same, 2 bytes, one way", false},
    {"rdma.gpu_write", "B/s", "--gpudirect: each GPU and the port next to it to the same of the other host"},
    {"rdma.gpu_write.both", "B/s", "both ways at once, together"}};
constexpr std::string_view kMakers = "cuda|rocm";
constexpr unsigned kTcpPort = 18700, kMostTcpPort = 65535 - 256;  // perftest takes 256 ports above it
std::string wrong_options(const Options& options) {
  if (const unsigned port = options.count("--tcp-port").value_or(kTcpPort); port > kMostTcpPort)
    return format("'--tcp-port {}': 1 to {}, perftest takes the 256 above it", port, kMostTcpPort);
  if (options.has("--gpudirect")) {
    if (!options.has("--hosts")) return "'--gpudirect' is of two hosts: say --hosts";
    if (options.choices("--gpudirect", kMakers).size() != 1) return "'--gpudirect': cuda or rocm, one of them";
  }
  return options.wrong_folder("--sysfs");
}
constexpr Program kProgram{.name = "fabric",
                           .summary =
                               "InfiniBand and RoCE ports: state, rate, MTU, GIDs and error counters; RDMA bandwidth "
                               "and latency between two hosts",
                           .size_kind = Kind::bytes,
                           .size_help = "of a message of rdma.write (default 64KiB)",
                           .backends = kBackends,
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .wrong_options = wrong_options};
constexpr unsigned kRepetitions = 5;
constexpr std::uint64_t kMessage = 65536;  // perftest's own default for bandwidth
constexpr double kTimeout = 30;
constexpr double kBetween = 0.1;  // seconds between two looks at the counters, without --seconds

// Sleeps, but not through a signal.
void wait_for(double seconds) {
  for (const double until = now_seconds() + seconds; now_seconds() < until;) {
    check_interrupted();
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(0.05, std::max(until - now_seconds(), 0.0))));
  }
  check_interrupted();
}

void append(std::string& list, const std::string& text) {
  if (!text.empty()) list += (list.empty() ? "" : "; ") + text;
}

struct Watched {
  std::vector<Port> before, after;
  std::vector<Demand> demands;
  Choice choice;
  const Demand* demand_of(const Chosen& c) const { return c.demand ? &demands[*c.demand] : nullptr; }
};

void report_links(const Watched& w, Reporter& report) {
  double sum = 0;
  std::uint64_t wrong = 0, active = 0;
  std::string troubles, idle;
  for (const std::string& absent : w.choice.absent) append(troubles, absent);
  for (const Chosen& chosen : w.choice.ports) {
    const Port &first = w.before[chosen.port], &second = w.after[chosen.port];
    Port third = second;
    if (kFaultBuild) fault_flip_bit(&third.lanes, 0);
    std::string trouble = trouble_of(first, w.demand_of(chosen));
    if (const std::string errors = risen(first, second); !errors.empty())
      trouble += (trouble.empty() ? "" : "; ") + errors;
    append(troubles, trouble);
    if (!first.active()) continue;
    const bool changed = first.state != third.state || first.rate != third.rate || first.lanes != third.lanes;
    sum += first.rate / 8;
    ++active;
    wrong += changed;
    Measurement m{.metric = "fabric.link", .variant = first.name(), .unit = "B/s"};
    m.samples = {first.rate / 8};
    m.device = {.backend = Backend::host,
                .label = format("link{}", chosen.port),
                .name = format("{} {}", first.name(), layer_text(first.layer))};
    m.checked = 1;
    m.wrong = changed;
    std::uint64_t errors = 0;
    for (const auto& [name, value] : second.errors) errors += value;
    m.parameters = {{"port", first.name()},
                    {"layer", std::string(layer_text(first.layer))},
                    {"state", first.state},
                    {"physical", first.physical},
                    {"lanes", static_cast<std::uint64_t>(std::max(first.lanes, 0))},
                    {"speed", first.speed},
                    {"interface", first.interface},
                    {"mtu", static_cast<std::uint64_t>(std::max<std::int64_t>(first.mtu, 0))},
                    {"gids", std::uint64_t{first.gids}},
                    {"errors", errors}};
    if (first.layer == Layer::infiniband) m.parameters.emplace_back("lid", first.lid);
    if (first.routed_gid) m.parameters.emplace_back("gid_index", std::uint64_t{*first.routed_gid});
    if (!trouble.empty()) m.parameters.emplace_back("slow", trouble);
    report.measurement(m);
  }
  for (const Port& port : w.before)
    if (!port.active()) append(idle, format("{} {} ({})", port.name(), port.state, port.physical));
  if (active == 0) throw CouldNotRun(Cause::device_error, "no port is active: " + troubles);
  Measurement m{.metric = "fabric.links", .variant = "all together", .unit = "B/s"};
  m.samples = {sum};
  m.device = {.backend = Backend::host, .label = "host", .name = format("{} ports", active)};
  m.checked = active;
  m.wrong = wrong;
  m.parameters = {{"ports", active}};
  if (!idle.empty()) m.parameters.emplace_back("not_active", idle);
  if (!troubles.empty()) m.parameters.emplace_back("slow", troubles);
  report.measurement(m);
}

std::string own_name(const Options& options) {
  std::string name = host_name();
  for (const char* variable : {"SLURMD_NODENAME", "CLUSTERC_NODE"})  // the second: clusterc over ssh
    if (const char* const value = std::getenv(variable); value && *value) name = value;
  return options.text("--as", name);
}

// Whom this host measures with; nullopt: --hosts is not given.
std::optional<Neighbour> neighbour(const Options& options) {
  if (!options.has("--hosts")) return std::nullopt;
  HostPattern::Error error;
  const auto hosts = HostPattern::parse(options.text("--hosts", ""), error);
  if (!hosts) throw CouldNotRun(Cause::system, "'--hosts': " + error.message);
  const std::string name = own_name(options);
  std::int64_t i = hosts->index_of(name);
  if (i < 0) i = hosts->index_of(split(name, '.').front());
  if (i < 0)
    throw CouldNotRun(Cause::system, format("this host, '{}', is none of --hosts: say which it is with --as", name));
  const std::int64_t other = i ^ 1;
  if (other >= hosts->count())
    throw CouldNotRun(Cause::not_applicable,
                      format("'{}' is the last of an odd number of hosts: nobody is left to measure with", name));
  return Neighbour{hosts->name(other), i < other};
}

// What could not be measured between the two; the ports are reported all the same.
std::optional<CouldNotRun> with_neighbour(const Neighbour& other, const Watched& w, const Options& options,
                                          Reporter& report) {
  PairSettings how{.root = options.text("--sysfs", "/"),
                   .tcp_port = options.count("--tcp-port").value_or(kTcpPort),
                   .size = options.size.value_or(kMessage),
                   .repetitions = options.iterations.value_or(kRepetitions),
                   .timeout = options.seconds_of("--timeout").value_or(kTimeout)};
  if (options.has("--gpudirect"))
    how.gpus = options.choices("--gpudirect", kMakers).front() == "cuda" ? Maker::nvidia : Maker::amd;
  if (options.seconds)
    how.seconds = static_cast<unsigned>(std::clamp(std::ceil(*options.seconds / how.repetitions), 1.0, 3600.0));
  try {
    Partner partner = other.we_are_first ? Partner::listen(how.tcp_port, other.name, how.timeout)
                                         : Partner::connect(other.name, how.tcp_port, how.timeout);
    const std::vector<std::string> failed =
        measure_pair(partner, other.we_are_first, w.before, w.choice.ports, how, report);
    if (failed.empty()) return std::nullopt;
    std::string all;
    for (const std::string& text : failed) append(all, text);
    return CouldNotRun(Cause::communication, all);
  } catch (const CouldNotRun& e) {
    if (e.cause() == Cause::interrupted) throw;
    return e;
  }
}

void body(const Options& options, Reporter& report) {
  const auto other = neighbour(options);
  const std::string root = options.text("--sysfs", "/");
  Watched w;
  if (options.has("--ports")) {
    std::string why;
    auto demands = parse_demands(options.text("--ports", ""), why);
    if (!demands) throw CouldNotRun(Cause::system, why);
    w.demands = std::move(*demands);
  }
  w.before = read_ports(root);
  if (w.before.empty() && w.demands.empty())
    throw CouldNotRun(Cause::not_applicable, "there is no InfiniBand or RoCE adapter here");
  if (w.before.empty())
    throw CouldNotRun(Cause::device_error,
                      "there is no InfiniBand or RoCE adapter here, or its driver is not loaded: '" +
                          options.text("--ports", "") + "' shall be there");
  w.choice = choose(w.before, w.demands);
  if (w.choice.ports.empty() && w.demands.empty())
    throw CouldNotRun(Cause::not_applicable, format("none of {} RDMA ports here is in use", w.before.size()));
  std::optional<CouldNotRun> failed;
  if (other) {
    refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
    failed = with_neighbour(*other, w, options, report);
  } else {
    wait_for(options.seconds.value_or(kBetween));
  }
  w.after = read_ports(root);
  const auto same = [](const Port& a, const Port& b) { return a.device == b.device && a.number == b.number; };
  if (!std::equal(w.before.begin(), w.before.end(), w.after.begin(), w.after.end(), same))
    throw CouldNotRun(Cause::device_error,
                      format("{} ports at first, {} a moment later", w.before.size(), w.after.size()));
  report_links(w, report);
  if (failed) throw CouldNotRun(*failed);
}

}  // namespace
}  // namespace clusterc::fabric

int main(int argc, char** argv) {
  namespace h = clusterc::harness;
  return h::supervise([&] { return h::run_validator(clusterc::fabric::kProgram, argc, argv, clusterc::fabric::body); });
}
