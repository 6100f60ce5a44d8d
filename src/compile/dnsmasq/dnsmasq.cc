// dnsmasq/: dnsmasq.conf and dhcp-hosts, where dnsmasq is the server that gives addresses out (compile/dhcp/dhcp.h).

#include <algorithm>
#include <vector>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_forms.h"
#include "compile/output.h"
#include "spec/software.h"
#include "system/dhcp.h"
#include "system/name_servers.h"
#include "system/node_settings.h"

namespace clusterc {
namespace {

bool wants_dnsmasq(const Cluster& c) { return dhcp_server(c) == DhcpServer::dnsmasq; }

std::string_view key_of(std::string_view text) { return trim(text.substr(0, text.find('='))); }

bool is_option(std::string_view text) {
  const std::string_view key = key_of(text);
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '6'; };
  return !key.empty() && std::all_of(key.begin(), key.end(), word) && text.back() != '=';
}

void write_hosts(const CompileInput& in, Bundle& bundle) {
  bundle.open("dnsmasq/dhcp-hosts", "dnsmasq");
  std::string& out = bundle.text();
  out += made_by(in, "dnsmasq");
  each_reservation(
      in.system,
      [&](const DhcpNetwork& n) {
        out += "# network ", out += n.network.name, out += ' ', out += n.subnet.text(), out += '\n';
      },
      [&](const DhcpReservation& r) {
        if (!r.starts.empty() && !r.macs.empty())
          out += "set:group/", out += r.starts, out += ',';  // firmware has no name
        for (const std::uint64_t mac : r.macs) append_mac(out, mac), out += ',';
        if (!r.macs.empty())
          append_ipv4(r.address, out), out += ',', out += r.name;
        else
          out += r.name, out += ',', append_ipv4(r.address, out);
        out += '\n';
      });
  bundle.close();
}

// Keys that dnsmasq takes once: at another it does not start (2.90: "illegal repeated keyword", found with --test for
// each key of --help).
bool stands_once(std::string_view key) {
  for (const std::string_view k : {"add-cpe-id",
                                   "add-subnet",
                                   "auth-server",
                                   "auth-soa",
                                   "auth-ttl",
                                   "cache-size",
                                   "connmark-allowlist-enable",
                                   "dhcp-alternate-port",
                                   "dhcp-lease-max",
                                   "dhcp-leasefile",
                                   "dhcp-reply-delay",
                                   "dhcp-script",
                                   "dhcp-scriptuser",
                                   "dhcp-ttl",
                                   "dns-forward-max",
                                   "dnssec-limits",
                                   "dnssec-timestamp",
                                   "dumpfile",
                                   "dumpmask",
                                   "edns-packet-max",
                                   "enable-dbus",
                                   "enable-ubus",
                                   "group",
                                   "local-ttl",
                                   "log-async",
                                   "log-facility",
                                   "max-cache-ttl",
                                   "max-port",
                                   "max-tcp-connections",
                                   "max-ttl",
                                   "min-cache-ttl",
                                   "min-port",
                                   "mx-target",
                                   "neg-ttl",
                                   "pid-file",
                                   "port",
                                   "port-limit",
                                   "query-port",
                                   "servers-file",
                                   "tftp-max",
                                   "tftp-mtu",
                                   "use-stale-cache",
                                   "user"})
    if (key == k) return true;
  return false;
}

// Why an extra line would say otherwise than what stands above it in `ours`; empty: it does not.
std::string contradiction(std::string_view ours, std::string_view text, std::string_view key) {
  for (const std::string_view k : {"domain", "dhcp-hostsfile", "addn-hosts", "dhcp-range", "port"})
    if (key == k) return "an extra line sets '" + std::string(key) + "', which is already set from the spec";
  const auto written = [&](std::string_view line) {
    return ours.find("\n" + std::string(line) + "\n") != std::string_view::npos;
  };
  if (key == "bind-interfaces" && written("bind-dynamic"))
    return "'bind-interfaces' contradicts 'bind-dynamic', which the compiled file already has";
  // A flag again changes nothing; with a value it holds for some interfaces only. Of what names one folder the last
  // line holds.
  if (key == "enable-tftp" && text != key && written(key))
    return "an extra line limits 'enable-tftp' to some interfaces, but the compiled line enables it on every interface";
  if (key == "tftp-root" && written("enable-tftp"))
    return "an extra line sets 'tftp-root', which is already set from the spec: boot files are in /srv/tftp";
  return {};
}

void append_extra(const CompileInput& in, std::string& out, Findings& findings) {
  const auto* extra = extra_of(in, "dnsmasq.conf");
  if (!extra) return;
  const std::string ours = out;
  std::vector<std::string> once;
  out += "\n# outputs.dnsmasq.extra of the spec\n";
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    const std::optional<std::string> read = dnsmasq_line(text);
    const std::string said = read.value_or("");
    const std::string_view key = key_of(said);
    if (read && said.empty() && !text.empty()) {
      out += text, out += '\n';  // a comment
    } else if (!is_option(said)) {
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid line of dnsmasq.conf")
          .help("write one option in each line, for example dhcp-boot=ipxe.efi");
    } else if (const std::string why = contradiction(ours, said, key); !why.empty()) {
      findings.error("output-extra-contradicts-spec", wish.span, why).help("change the spec instead");
    } else if (stands_once(key) && std::find(once.begin(), once.end(), key) != once.end()) {
      findings
          .error("output-extra-malformed", wish.span,
                 "the extra lines of dnsmasq.conf have '" + std::string(key) + "' twice: dnsmasq does not start")
          .help("keep one of them");
    } else {
      once.emplace_back(key);
      out += text, out += '\n';
    }
  }
}

void emit_dnsmasq(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "dnsmasq", {"dnsmasq.conf"}, findings);
  bundle.open("dnsmasq/dnsmasq.conf", "dnsmasq");
  std::string& out = bundle.text();
  out += made_by(in, "dnsmasq");
  const Software& s = *c.spec.software;
  if (in.system.makes("dns")) {
    out += "# the output dns serves names, on port 53 of this machine\nport=0\n";
    if (s.domain) out += "domain=", out += *s.domain, out += '\n';
  } else {
    out +=
        "# names of the compiled hosts file, served on this machine's addresses; systemd-resolved keeps "
        "127.0.0.53\nbind-dynamic\nno-hosts\naddn-hosts=/etc/dnsmasq.cluster/hosts\ndomain-needed\nbogus-priv\n";
    if (s.domain) out += "domain=", out += *s.domain, out += "\nlocal=/", out += *s.domain, out += "/\nexpand-hosts\n";
    if (!s.name_servers.empty()) out += "no-resolv\n";
    for (const auto& server : s.name_servers)
      if (server) out += "server=", out += *server, out += '\n';
  }
  out += "\n# every address is reserved\ndhcp-authoritative\ndhcp-hostsfile=/etc/dnsmasq.cluster/dhcp-hosts\n";
  for (const DhcpNetwork& n : dhcp_networks(in.system)) {
    const std::string clocks = join(dhcp_time_servers(in.system, n), ","),
                      servers = join(dhcp_name_servers(in.system, n), ",");
    const std::string& name = n.network.name;
    out += "dhcp-range=set:", out += name, out += ',';
    append_ipv4(n.subnet.base, out);
    out += ",static,";
    append_ipv4(n.subnet.mask(), out);
    out += ',', append_int(out, kLeaseHours), out += "h\n";
    // Without a gateway the option says that there is none: else dnsmasq names itself.
    out += "dhcp-option=tag:", out += name, out += ",option:router";
    if (n.router != 0) out += ',', append_ipv4(n.router, out);
    out += '\n';
    // Likewise a name server, which dnsmasq is where it serves names; the firewall takes no questions from what manages
    // equipment.
    if (in.system.makes("dns") || is_out_of_band(n.network)) {
      out += "dhcp-option=tag:", out += name, out += ",option:dns-server";
      if (!servers.empty()) out += ',', out += servers;
      out += '\n';
    }
    if (!clocks.empty())
      out += "dhcp-option=tag:", out += name, out += ",option:ntp-server,", out += clocks, out += '\n';
  }
  // Tags with a '/' are no network's.
  if (const auto boot = network_boot(in.system)) {
    out +=
        "\n# network boot: iPXE over TFTP, then the script of the node's group over "
        "HTTP\nenable-tftp\ntftp-root=/srv/tftp\ntftp-no-fail\ndhcp-userclass=set:boot/ipxe,iPXE\n";
    for (const Loader& l : kLoaders) {
      out += "dhcp-match=set:boot/", out += l.name, out += ",option:client-arch,", append_int(out, l.architecture);
      out += '\n';
      for (const NetworkBoot::Server& at : boot->servers)
        out += "dhcp-boot=tag:boot/", out += l.name,
            out += ",tag:!boot/ipxe,tag:", out += c.networks[static_cast<std::size_t>(at.network)].name, out += ',',
            out += l.file, out += ",," + ipv4_text(at.address) + "\n";
    }
    for (const NetworkBoot::Script& script : boot->scripts)
      out += "dhcp-boot=tag:boot/ipxe,tag:group/", out += script.group, out += ',', out += script.url,
          out += ",," + ipv4_text(script.server) + "\n";
  }
  if (!in.system.makes("dns")) {
    const auto* extra = extra_of(in, "dnsmasq.conf");
    const auto known = [&](std::string_view name) {
      return extra && std::any_of(extra->begin(), extra->end(), [&](const auto& line) {
               return line && to_lower(*line).find(std::string(name) + "." + to_lower(s.domain.value_or(""))) !=
                                  std::string::npos;
             });
    };
    check_hidden_hosts(
        in.system, known,
        [&](std::string_view name) {
          return "outputs: { dnsmasq: { extra: { dnsmasq.conf: [ \"host-record=" + std::string(name) + "." +
                 s.domain.value_or("") + ",10.9.0.5\" ] } } }";
        },
        findings);
  }
  append_extra(in, out, findings);
  bundle.close();
  if (!in.judging) write_hosts(in, bundle);
}

}  // namespace

extern const Output kDnsmasqOutput;  // registry.cc names it
const Output kDnsmasqOutput{
    .id = "dnsmasq",
    .summary = "DNS and DHCP, with a reservation for every address: by MAC address of the inventory, else by host name",
    .consumers = "dnsmasq 2.85 and newer",
    .wanted = wants_dnsmasq,
    .emit = emit_dnsmasq,
};

}  // namespace clusterc
