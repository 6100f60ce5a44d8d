// kea/kea-dhcp4.conf, where Kea is the server that gives addresses out (compile/dhcp/dhcp.h). Plain JSON, without the
// comments that Kea would take, so that every other program reads it too: what it was made from stands in
// `user-context`.
//
// Kea reserves by MAC, 16,384 in a second. A client without one in the inventory is known by its name: a class for that
// name, and a pool of one address for that class.

#include <algorithm>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "compile/extra_json.h"
#include "compile/extra_yaml.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/dhcp.h"
#include "system/name_servers.h"

namespace clusterc {
namespace {

bool wants_kea(const Cluster& c) { return dhcp_server(c) == DhcpServer::kea; }

constexpr std::string_view kKeaFile = "kea-dhcp4.conf";
constexpr std::int64_t kSocketRetries = 17280, kSocketWaitMilliseconds = 5000;  // a day
// Keys of Dhcp4 that are written here: an extra line may not repeat them.
constexpr std::string_view kKeaKeys[] = {"user-context",
                                         "interfaces-config",
                                         "authoritative",
                                         "valid-lifetime",
                                         "host-reservation-identifiers",
                                         "ip-reservations-unique",
                                         "reservations-global",
                                         "reservations-in-subnet",
                                         "reservations-out-of-pool",
                                         "option-data",
                                         "client-classes",
                                         "subnet4",
                                         "comment",
                                         "shared-networks"};

void option(JsonWriter& json, std::string_view name, std::string_view data) {
  json.begin_object(JsonWriter::Layout::line).field("name", name).field("data", data).end_object();
}

std::string class_of(std::string_view name) { return "name-" + std::string(name); }

// Kea 2.2 compares every pool with all others when it starts: 4,096 take 2 s, 52,000 take 6 minutes (measured).
constexpr std::size_t kMostByName = 4096;

void write_subnets(const CompileInput& in, JsonWriter& json, Findings& findings) {
  json.array("subnet4");
  struct Known {
    std::string name;
    std::uint32_t address;
  };
  std::vector<Known> by_name;      // of one network: their pools stand behind its reservations
  std::vector<std::string> names;  // of all
  std::int64_t id = 0;
  const auto end_network = [&] {
    if (id == 0) return;
    json.end_array().array("pools");
    for (const Known& k : by_name) {
      const std::string ip = ipv4_text(k.address);
      json.begin_object(JsonWriter::Layout::line)
          .field("pool", ip + "-" + ip)
          .field("client-class", class_of(k.name))
          .end_object();
      names.push_back(k.name);
    }
    by_name.clear();
    json.end_array().end_object();
  };
  std::string mac_text;
  const auto boot = network_boot(in.system);
  each_reservation(
      in.system,
      [&](const DhcpNetwork& n) {
        end_network();
        json.begin_object().field("id", ++id).field("subnet", n.subnet.text());
        json.object("user-context", JsonWriter::Layout::line).field("network", n.network.name).end_object();
        if (boot)
          for (const NetworkBoot::Server& s : boot->servers)
            if (s.network == n.index) json.field("next-server", ipv4_text(s.address));
        json.array("option-data");
        if (n.router != 0) option(json, "routers", ipv4_text(n.router));
        if (const std::string servers = join(dhcp_name_servers(in.system, n), ", "); !servers.empty())
          option(json, "domain-name-servers", servers);
        if (const std::string clocks = join(dhcp_time_servers(in.system, n), ", "); !clocks.empty())
          option(json, "ntp-servers", clocks);
        json.end_array().array("reservations");
      },
      [&](const DhcpReservation& r) {
        if (r.macs.empty()) by_name.push_back({std::string(r.name), r.address});
        for (const std::uint64_t mac : r.macs) {
          mac_text.clear();
          append_mac(mac_text, mac);
          json.begin_object(JsonWriter::Layout::line)
              .field("hw-address", mac_text)
              .field("ip-address", ipv4_text(r.address))
              .field("hostname", r.name);
          if (!r.starts.empty()) json.array("client-classes").value("group/" + std::string(r.starts)).end_array();
          json.end_object();
        }
      });
  end_network();
  if (names.size() > kMostByName) {
    const auto* wish = in.cluster.spec.outputs.find("kea");
    findings
        .error("kea-without-macs", wish ? wish->name_span : SourceSpan{},
               std::to_string(names.size()) +
                   " machines have no MAC address in an inventory, Kea starts in seconds with at most " +
                   std::to_string(kMostByName) + " that it knows by name only")
        .help(
            "add their MAC addresses to the inventory, or remove kea from `outputs`: dnsmasq accepts any number of "
            "names");
  }
  json.end_array().array("client-classes");
  for (const std::string& name : names)  // host names: letters, digits, '-', '.' and '_' only
    json.begin_object(JsonWriter::Layout::line)
        .field("name", class_of(name))
        .field("test", "option[host-name].text == '" + name + "'")
        .end_object();
  // The class of a group comes with the reservation, so that its script is looked for once that is found (KNOWN).
  if (boot) {
    const std::string ipxe = "substring(option[user-class].hex, 0, 4) == 'iPXE'";
    const auto loads = [&](std::string_view name, const std::string& test, std::string_view file) {
      json.begin_object(JsonWriter::Layout::line)
          .field("name", name)
          .field("test", test)
          .field("boot-file-name", file)
          .end_object();
    };
    for (const Loader& l : kLoaders) {
      std::string code;
      append_hex(code, static_cast<std::uint64_t>(l.architecture), 4);
      loads("boot/" + std::string(l.name), "option[93].hex == 0x" + code + " and not (" + ipxe + ")", l.file);
    }
    for (const NetworkBoot::Script& script : boot->scripts) {
      const std::string group = "group/" + std::string(script.group);
      json.begin_object(JsonWriter::Layout::line).field("name", group).end_object();
      loads("script/" + std::string(script.group), ipxe + " and member('KNOWN') and member('" + group + "')",
            script.url);
    }
  }
  json.end_array();
}

void emit_kea(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Software& s = in.cluster.spec.software;
  check_extra_files(in, "kea", {kKeaFile}, findings);
  bundle.open("kea/" + std::string(kKeaFile), "kea");
  std::string& out = bundle.text();
  JsonWriter json(out, {.indent = 2});
  json.begin_object().object("Dhcp4");
  json.object("user-context").field("comment", trim(made_by(in, "kea", ""))).end_object();
  json.object("interfaces-config").array("interfaces", JsonWriter::Layout::line).value("*").end_array();
  // Networks that come up behind it: the plays set them up later than this server, and cables are plugged in when they
  // are.
  json.field("service-sockets-max-retries", kSocketRetries)
      .field("service-sockets-retry-wait-time", kSocketWaitMilliseconds)
      .end_object();
  json.field("authoritative", true).field("valid-lifetime", kLeaseHours * 3600);
  // Ports of one bond have one address between them; what is reserved lies in no pool that somebody else could be given
  // it from.
  json.array("host-reservation-identifiers", JsonWriter::Layout::line).value("hw-address").end_array();
  json.field("ip-reservations-unique", false)
      .field("reservations-global", false)
      .field("reservations-in-subnet", true)
      .field("reservations-out-of-pool", true);
  json.array("option-data");
  if (s.domain) option(json, "domain-name", *s.domain);
  json.end_array();
  write_subnets(in, json, findings);
  // outputs.kea.extra of the spec
  yaml_entries(in, kKeaFile, {std::begin(kKeaKeys), std::end(kKeaKeys)}, "renew-timer: 900", findings,
               [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
                 json.key(key);
                 write_extra_value(json, d, value);
                 return {};
               });
  json.end_object().end_object();
  out += '\n';
  bundle.close();
}

}  // namespace

extern const Output kKeaOutput;  // registry.cc names it
const Output kKeaOutput{
    .id = "kea",
    .summary =
        "DHCP in place of dnsmasq, if `outputs` of the spec names it, with a reservation for every address: by MAC "
        "address of the inventory, else by host name",
    .consumers = "Kea 2.2 to 2.6",
    .wanted = wants_kea,
    .emit = emit_kea,
};

}  // namespace clusterc
