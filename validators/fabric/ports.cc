#include "fabric/ports.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/text.h"
#include "harness/machine.h"

namespace clusterc::fabric {
namespace fs = std::filesystem;
using harness::read_number;
using harness::read_text;
namespace {

// Of counters/ (PortCounters of the InfiniBand Architecture Specification, volume 1, section 16.1.3.5) those that only
// errors raise: not port_xmit_wait (congestion), VL15_dropped (management packets that nobody had room for) and
// port_rcv_switch_relay_errors (adapters that hear their own multicast count it). Of hw_counters/ (mlx5:
// drivers/infiniband/hw/mlx5/counters.c) those of packets that were lost, damaged or timed out; out_of_buffer and
// rnr_nak_retry_err depend on the program that receives.
constexpr std::string_view kCounters[] = {"symbol_error",
                                          "link_error_recovery",
                                          "link_downed",
                                          "port_rcv_errors",
                                          "port_rcv_remote_physical_errors",
                                          "port_xmit_discards",
                                          "port_xmit_constraint_errors",
                                          "port_rcv_constraint_errors",
                                          "local_link_integrity_errors",
                                          "excessive_buffer_overrun_errors"};
constexpr std::string_view kHardwareCounters[] = {"packet_seq_err",       "local_ack_timeout_err",
                                                  "implied_nak_seq_err",  "out_of_sequence",
                                                  "rx_icrc_encapsulated", "req_transport_retries_exceeded"};
constexpr unsigned kMostGids = 256;  // a table has up to 255 entries on mlx5; what is beyond is not looked at
constexpr std::size_t kMostPorts = 1024;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end && out.size() < kMostPorts;
       at.increment(failed))
    out.push_back(at->path().filename().string());
  // mlx5_2 before mlx5_10: of two names without blanks in front the shorter prefix of digits is the smaller number.
  const auto key = [](const std::string& name) {
    const auto digits = name.find_last_not_of("0123456789") + 1;
    return std::tuple(name.substr(0, digits), name.size(), name);
  };
  std::sort(out.begin(), out.end(), [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return out;
}

// "4: ACTIVE" -> "ACTIVE"
std::string after_colon(const std::string& text) {
  const auto colon = text.find(": ");
  return colon == text.npos ? text : text.substr(colon + 2);
}

// "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)", "14.5 Gb/sec …": rate_show() writes tenths as ".5".
void read_rate(const std::string& text, Port& port) {
  double gigabits = 0;
  const auto [next, failed] = std::from_chars(text.data(), text.data() + text.size(), gigabits);
  const std::string_view rest(next, static_cast<std::size_t>(text.data() + text.size() - next));
  if (failed != std::errc() || !rest.starts_with(" Gb/sec (") || !(gigabits > 0 && gigabits < 1e5)) return;
  port.rate = gigabits * 1e9;
  const auto open = rest.find('('), x = rest.find('X', open), close = rest.find(')', open);
  if (x == rest.npos || close == rest.npos || close < x + 2) return;
  std::from_chars(rest.data() + open + 1, rest.data() + x, port.lanes);
  port.speed = rest.substr(x + 2, close - x - 2);
}

constexpr std::string_view kNoGid = "0000:0000:0000:0000:0000:0000:0000:0000";
constexpr std::string_view kIpv4 = "0000:0000:0000:0000:0000:ffff:";

void read_gids(const fs::path& folder, Port& port) {
  for (unsigned i = 0; i < kMostGids; ++i) {
    const auto gid = read_text(folder / "gids" / std::to_string(i));
    if (!gid) break;
    if (gid->empty() || *gid == kNoGid) continue;
    ++port.gids;
    const std::string number = std::to_string(i);
    if (const auto of = read_text(folder / "gid_attrs/ndevs" / number); of && port.interface.empty())
      port.interface = *of;
    if (port.layer != Layer::ethernet || read_text(folder / "gid_attrs/types" / number).value_or("") != "RoCE v2")
      continue;
    const bool routable = gid->starts_with(kIpv4) || !gid->starts_with("fe80:");
    if (!port.routed_gid || (routable && !port.routable)) port.routed_gid = i, port.routable = routable;
  }
}

std::optional<std::uint64_t> counter(const fs::path& file) {
  const auto value = read_number(file);
  return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

Port read_port(const fs::path& root, const fs::path& device, const std::string& number, Layer layer) {
  const fs::path folder = device / "ports" / number;
  const std::string lid = read_text(folder / "lid").value_or("");
  Port port{.device = device.filename().string(),
            .layer = layer,
            .state = after_colon(read_text(folder / "state").value_or("")),
            .physical = after_colon(read_text(folder / "phys_state").value_or(""))};
  std::from_chars(number.data(), number.data() + number.size(), port.number);
  if (lid.starts_with("0x")) std::from_chars(lid.data() + 2, lid.data() + lid.size(), port.lid, 16);
  read_rate(read_text(folder / "rate").value_or(""), port);
  read_gids(folder, port);
  if (port.interface.empty()) {  // an Ethernet port without a GID still belongs to its adapter's only interface
    const auto interfaces = names_in(device / "device/net");
    if (interfaces.size() == 1) port.interface = interfaces.front();
  }
  if (!port.interface.empty() && port.interface.find('/') == port.interface.npos)
    port.mtu = read_number(root / "sys/class/net" / port.interface / "mtu").value_or(0);
  for (const std::string_view name : kCounters)
    if (const auto value = counter(folder / "counters" / name)) port.errors.emplace(name, *value);
  for (const std::string_view name : kHardwareCounters)
    if (const auto value = counter(folder / "hw_counters" / name)) port.errors.emplace(name, *value);
  if (const auto words = counter(folder / "counters/port_xmit_data"))
    port.sent = *words * 4;  // in units of four octets, says the specification
  return port;
}

}  // namespace

std::string_view layer_text(Layer layer) { return layer == Layer::infiniband ? "InfiniBand" : "Ethernet"; }
std::string Port::name() const { return format("{}/{}", device, number); }

std::vector<Port> read_ports(const fs::path& root) {
  std::vector<Port> out;
  const fs::path folder = root / "sys/class/infiniband";
  for (const std::string& device : names_in(folder))
    for (const std::string& number : names_in(folder / device / "ports")) {
      const std::string layer = read_text(folder / device / "ports" / number / "link_layer").value_or("");
      if (layer != "InfiniBand" && layer != "Ethernet") continue;
      out.push_back(
          read_port(root, folder / device, number, layer == "Ethernet" ? Layer::ethernet : Layer::infiniband));
    }
  return out;
}

std::optional<std::vector<Demand>> parse_demands(std::string_view text, std::string& why) {
  std::vector<Demand> out;
  for (const std::string_view item : split(text, ',')) {
    Demand demand;
    std::string_view rest = item;
    const auto take = [&](std::string_view word) {
      const bool there = rest.starts_with(word);
      if (there) rest.remove_prefix(word.size());
      return there;
    };
    const auto number = [&](auto& value) {
      const auto [next, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (failed != std::errc()) return false;
      rest.remove_prefix(static_cast<std::size_t>(next - rest.data()));
      return value > 0;
    };
    bool good = take("infiniband:") || (take("ethernet:") && (demand.layer = Layer::ethernet, true));
    good = good && number(demand.count) && demand.count <= kMostPorts && take("x") && number(demand.rate) &&
           demand.rate < 1e5 && take("Gb/s");
    if (good && take(":")) good = number(demand.mtu) && demand.mtu <= 65535;
    if (!good || !rest.empty()) {
      why = format("'{}' is no 'infiniband:8x400Gb/s' or 'ethernet:2x200Gb/s:9000'", item);
      return std::nullopt;
    }
    demand.rate *= 1e9;
    out.push_back(demand);
  }
  return out;
}

Choice choose(const std::vector<Port>& ports, const std::vector<Demand>& demands) {
  Choice out;
  if (demands.empty()) {
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].active() || (ports[i].state != "DOWN" && ports[i].state != "NOP"))
        out.ports.push_back({i, std::nullopt});
    return out;
  }
  for (const Layer layer : {Layer::infiniband, Layer::ethernet}) {
    std::vector<std::size_t> have, wanted;
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].layer == layer) have.push_back(i);
    for (std::size_t i = 0; i < demands.size(); ++i)
      if (demands[i].layer == layer) wanted.push_back(i);
    std::stable_sort(have.begin(), have.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(!ports[a].active(), -ports[a].rate) < std::tuple(!ports[b].active(), -ports[b].rate);
    });
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](std::size_t a, std::size_t b) { return demands[a].rate > demands[b].rate; });
    auto next = have.begin();
    for (const std::size_t d : wanted) {
      std::size_t missing = demands[d].count;
      for (; missing > 0 && next != have.end(); ++next, --missing) out.ports.push_back({*next, d});
      if (missing > 0)
        out.absent.push_back(format("{} of {} {} ports of {} Gb/s are not there", missing, demands[d].count,
                                    layer_text(layer), demands[d].rate / 1e9));
    }
  }
  std::sort(out.ports.begin(), out.ports.end(), [](const Chosen& a, const Chosen& b) { return a.port < b.port; });
  return out;
}

std::string trouble_of(const Port& port, const Demand* demand) {
  std::string out;
  const auto say = [&](std::string text) { out += (out.empty() ? port.name() + " " : ", ") + text; };
  if (!port.active()) {
    say(format("is {} ({})", port.state.empty() ? "without a state" : port.state,
               port.physical.empty() ? "unknown" : port.physical));
    return out;
  }
  if (demand && port.rate < demand->rate * 0.999)
    say(format("runs at {} Gb/s ({}X {}), not {} Gb/s", port.rate / 1e9, port.lanes, port.speed, demand->rate / 1e9));
  if (port.layer == Layer::infiniband && port.lid == 0) say("has no LID: no subnet manager gave it one");
  if (port.layer == Layer::infiniband && port.gids == 0) say("has no GID");
  if (port.layer == Layer::ethernet && !port.routed_gid)
    say("has no RoCE v2 GID: its interface has no address, or RoCE is off");
  else if (port.layer == Layer::ethernet && !port.routable)
    say(format("has only a link-local RoCE v2 GID: {} has no IP address",
               port.interface.empty() ? "its interface" : port.interface));
  if (demand && demand->mtu > 0 && port.layer == Layer::ethernet && port.mtu != demand->mtu)
    say(port.mtu == 0 ? format("has no interface whose MTU could be read, it shall be {}", demand->mtu)
                      : format("has MTU {} on {}, not {}", port.mtu, port.interface, demand->mtu));
  return out;
}

std::string risen(const Port& before, const Port& after) {
  std::string out;
  for (const auto& [name, value] : after.errors) {
    const auto was = before.errors.find(name);
    if (was == before.errors.end() || value <= was->second) continue;
    out += format("{}{} rose by {}", out.empty() ? after.name() + " " : ", ", name, value - was->second);
  }
  return out;
}

}  // namespace clusterc::fabric
