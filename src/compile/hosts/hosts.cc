// One hosts file for every machine of the cluster: gpu001 and gpu001-inband, scratch-1-inband, leaf-compute-u1-r3.
//
// A node's plain name stands at its address in the primary network (compile/common.h), or in the first network that it is in.
// Each address has an alias with the network's name; where a node has several in one network they are numbered from 1 and the
// first one is also meant without a number. No name stands twice.
#include "compile/hosts/hosts.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) { return n.subnet.has_value(); });
}

// The network and end points whose first address a group's plain names mean.
struct Home { int network = -1, end_points = -1; };
Home home_of(const Cluster& c, const Plan& plan, int group) {
  Home first;
  const int primary = primary_network(c);
  for (const AddressPlan& a : plan.addresses) {
    const NetworkModel& net = c.networks[a.network];
    for (std::size_t e = 0; e < net.ends.size(); ++e) {
      if (net.ends[e].group != group || is_management_port(c, net, net.ends[e])) continue;
      if (a.network == primary) return {a.network, static_cast<int>(e)};
      if (first.network < 0) first = {a.network, static_cast<int>(e)};
    }
  }
  return first;
}

void append_alias(std::string& out, std::string_view name, std::string_view network, std::int64_t number) {
  out += ' ';
  out += name;
  out += '-';
  out += network;
  if (number == 0) return;
  out += '-';
  append_int(out, number);
}

void append_plain(std::string& out, std::string_view name, std::string_view domain) {
  out += ' ';
  out += name;
  if (!domain.empty()) out += '.', out += domain, out += ' ', out += name;   // the full name first: it is the canonical one
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "hosts", {"hosts"}, findings);
  std::vector<Home> homes;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) homes.push_back(home_of(c, in.plan, static_cast<int>(g)));
  const std::string domain = c.spec.software.domain.value_or("");

  bundle.open("hosts/hosts", "hosts");
  std::string& out = bundle.text();
  out += made_by(in, "hosts");
  out += "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  std::string name;
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = c.networks[a.network];
    out += "\n# network ";
    out += net.name;
    out += ' ';
    out += a.subnet.text();
    out += '\n';
    for (std::size_t e = 0; e < net.ends.size(); ++e) {
      const EndPoints& ends = net.ends[e];
      const bool node = ends.group >= 0;
      const bool home = node && homes[ends.group].network == a.network && homes[ends.group].end_points == static_cast<int>(e);
      std::int64_t before = 0, all = 0;   // addresses that the same member has through other end points of this network
      for (std::size_t o = 0; o < net.ends.size(); ++o)
        if (net.ends[o].group == ends.group && net.ends[o].storage == ends.storage) {
          if (o < e) before += a.stride[o];
          all += a.stride[o];
        }
      for (std::int64_t m = 0; m < ends.members; ++m) {
        name.clear();
        if (node) c.nodes[ends.group].names.append_name(m, name);
        else name = c.storage[ends.storage].name, name += '-', append_int(name, m + 1);
        for (std::int64_t p = 0; p < a.stride[e]; ++p) {
          append_ipv4(in.plan.address(a.network, static_cast<int>(e), m, p), out);
          if (home && p == 0) append_plain(out, name, domain);
          if (before + p == 0) append_alias(out, name, net.name, 0);
          if (all > 1) append_alias(out, name, net.name, before + p + 1);
          out += '\n';
        }
      }
    }
  }
  if (const auto* extra = extra_of(in, "hosts")) {
    out += "\n# outputs.hosts.extra of the spec\n";
    for (const auto& line : *extra) {
      if (!line) continue;
      const std::string_view text = trim(*line);
      const std::string_view first = text.substr(0, text.find_first_of(" \t"));
      if (!text.starts_with('#') && (first.size() == text.size() || (!parse_ipv4(first) && first.find(':') == std::string_view::npos))) {
        findings.error("output-extra-malformed", line.span, "'" + one_line(text) + "' is no line of hosts").help("write an address and names, for example 10.0.0.9 nas");
        continue;
      }
      out += one_line(text);
      out += '\n';
    }
  }
  bundle.close();
}

}  // namespace

const Output kHostsOutput{
    .id = "hosts",
    .summary = "one hosts file with every node, storage system and switch that has an address",
    .consumers = "any resolver: /etc/hosts, dnsmasq --addn-hosts",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
