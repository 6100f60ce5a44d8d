// One hosts file for every machine of the cluster: gpu001 and gpu001-inband, scratch-1-inband, leaf-compute-u1-r3.
//
// A node's plain name stands at its address in the primary network (compile/common.h), or in the first network that it
// is in. Each address has an alias with the network's name; where a node has several in one network they are numbered
// from 1 and the first one is also meant without a number. Switches, PDUs and shelves stand at their management
// address: leaf-compute-u1-r3, pdu-r07-b (docs/names.md). No name stands twice (hosts/names.h).

#include <arpa/inet.h>

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/host_names.h"

namespace clusterc {
namespace {

bool wants_hosts(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) { return n.subnet.has_value(); });
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
  if (!domain.empty())
    out += '.', out += domain, out += ' ', out += name;  // the full name first: it is the canonical one
}

bool is_host_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), good) && name.front() != '-' && name.front() != '.';
}

bool is_address(std::string_view text) {
  if (parse_ipv4(text)) return true;
  in6_addr v6;
  return inet_pton(AF_INET6, std::string(text).c_str(), &v6) == 1;
}

void append_extra(const CompileInput& in, const HostNames& names, std::string& out, Findings& findings) {
  const auto* extra = extra_of(in, "hosts");
  if (!extra) return;
  out += "\n# outputs.hosts.extra of the spec\n";
  for (const auto& line : *extra) {
    if (!line) continue;
    const std::string text = one_line(trim(*line));
    const std::string plain = replace_all(std::string_view(text).substr(0, text.find('#')), "\t", " ");
    std::vector<std::string_view> words;
    for (const std::string_view word : split(plain, ' '))
      if (!word.empty()) words.push_back(word);
    const auto malformed = [&](std::string_view why) {
      findings
          .error("output-extra-malformed", line.span,
                 "'" + text + "' is not a valid line of a hosts file: " + std::string(why))
          .help("write an address and names, for example 10.0.0.9 nas");
    };
    if (words.empty()) {
      if (text.empty()) continue;  // a comment is the other case
    } else if (trim(*line).find_first_of("\r\n") != std::string_view::npos) {
      malformed("it has a line break");
      continue;
    } else if (!is_address(words[0])) {
      malformed("'" + std::string(words[0]) + "' is not an address");
      continue;
    } else if (words.size() == 1) {
      malformed("no name follows the address");
      continue;
    } else {
      bool good = true;
      for (std::size_t i = 1; i < words.size() && good; ++i) {
        if (!is_host_name(words[i]))
          malformed("'" + std::string(words[i]) + "' is not a host name"), good = false;
        else if (const std::string owner = names.owner_of(words[i]); !owner.empty()) {
          findings
              .error("output-extra-contradicts-spec", line.span,
                     "the compiled file hosts already has '" + std::string(words[i]) + "', " +
                         (HostNames::is_reserved(words[i]) ? "which every machine uses for itself"
                                                           : "which belongs to " + owner))
              .help("give it another name");
          good = false;
        }
      }
      if (!good) continue;
    }
    out += text;
    out += '\n';
  }
}

void emit_hosts(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "hosts", {"hosts"}, findings);
  const HostNames names(in.system);
  names.check(findings);
  const std::string domain = c.spec.software->domain.value_or("");

  bundle.open("hosts/hosts", "hosts");
  std::string& out = bundle.text();
  out += made_by(in, "hosts");
  out += "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  if (!in.judging)
    each_address(
        in.system,
        [&](const AddressPlan& a) {
          out += "\n# network ";
          out += c.networks[a.network].name;
          out += ' ';
          out += a.subnet.text();
          out += '\n';
        },
        [&](const NamedAddress& n) {
          append_ipv4(n.address, out);
          if (n.plain) append_plain(out, n.name, domain);
          const std::string& network = c.networks[n.network].name;
          if (n.first) append_alias(out, n.name, network, 0);
          if (n.number > 0) append_alias(out, n.name, network, n.number);
          out += '\n';
        });
  append_extra(in, names, out, findings);
  bundle.close();
}

}  // namespace

extern const Output kHostsOutput;  // registry.cc names it
const Output kHostsOutput{
    .id = "hosts",
    .summary = "one hosts file with every node, storage system, switch, PDU and shelf that has an address",
    .consumers = "any resolver: /etc/hosts, dnsmasq --addn-hosts",
    .wanted = wants_hosts,
    .emit = emit_hosts,
};

}  // namespace clusterc
