// dns/: a zone of the cluster's domain with every name that hosts has, a zone of addresses for each subnet, and
// named.conf.cluster that names them.
//
// A zone of addresses ends at an octet: 10.10.0.0/16 is 10.10.in-addr.arpa, a /22 has a zone for each of its /24 that
// has addresses, so that it claims nobody else's; a /26 lies in the zone of its first three. Subnets that share one are
// in one file. Serial numbers: digits of the zone's own digest, so that one changes when a record of its zone does and
// at nothing else; they do not count up, and secondaries are told by `rndc retransfer`.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/digest.h"
#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_forms.h"
#include "compile/output.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/gateways.h"
#include "system/host_names.h"
#include "system/install.h"
#include "system/name_servers.h"
#include "system/node_settings.h"

namespace clusterc {
namespace {

bool wants_dns(const Cluster& c) {
  return c.spec.software->domain &&
         std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) { return n.subnet.has_value(); });
}

// Octets of the zones that a prefix's addresses lie in: 1 to 3.
int zone_octets(const Ipv4Prefix& subnet) { return std::clamp((subnet.length + 7) / 8, 1, 3); }

// "10.10.in-addr.arpa" of the first octets of an address.
std::string reverse_zone(std::uint32_t address, int octets) {
  std::string zone;
  for (int i = octets - 1; i >= 0; --i) append_uint(zone, (address >> (24 - 8 * i)) & 0xff), zone += '.';
  return zone + "in-addr.arpa";
}

constexpr std::string_view kNoSerial = "000000000";  // as many digits as every serial number has: 2^28 to 2^29 - 1
struct ZoneBegin {
  std::size_t file, serial;
};  // places in the bundle's text

ZoneBegin begin_zone(const CompileInput& in, std::string_view origin, const std::string& server, Bundle& bundle) {
  bundle.open("dns/db." + std::string(origin), "dns");
  std::string& out = bundle.text();
  const std::size_t begin = out.size();
  out += made_by(in, "dns", "; ");
  const std::string& domain = *in.cluster.spec.software->domain;
  out += "$ORIGIN ", out += origin, out += ".\n$TTL 3600\n@ IN SOA ", out += server, out += '.', out += domain,
      out += ". hostmaster.", out += domain, out += ". ( ";
  const std::size_t serial = out.size();
  out += kNoSerial;
  out += " 3600 900 1209600 300 )\n@ IN NS ", out += server, out += '.', out += domain, out += ".\n\n";
  return {begin, serial};
}

// 32 bits (RFC 1035, 3.3.13): the first 28 of the zone's digest and a one in front.
void end_zone(ZoneBegin at, Bundle& bundle) {
  std::string& out = bundle.text();
  const Digest digest = Sha256()(std::string_view(out).substr(at.file));
  const std::uint32_t serial = 1u << 28 | static_cast<std::uint32_t>(digest[0]) << 20 |
                               static_cast<std::uint32_t>(digest[1]) << 12 |
                               static_cast<std::uint32_t>(digest[2]) << 4 | digest[3] >> 4;
  std::string digits;
  append_uint(digits, serial);
  out.replace(at.serial, kNoSerial.size(), digits);
  bundle.close();
}

bool underscores(const CompileInput& in) {
  const auto has = [](std::string_view name) { return name.find('_') != std::string_view::npos; };
  const Cluster& c = in.cluster;
  bool found = has(*c.spec.software->domain);
  for (const NodeGroupModel& g : c.nodes) found = found || (g.count > 0 && has(g.names.name(0)));
  for (const NetworkModel& n : c.networks) found = found || has(n.name);
  for (const StorageModel& s : c.storage) found = found || has(s.name);
  return found;
}

struct ExtraRecord {
  SourceSpan span;
  std::string owner, type;
};  // both in lower case; the owner as the zone has it, "@" for the zone itself

// Words of the value by the type of the record (RFC 1035, 3.3; 2782; 3596; 8659); types with quotes or hexadecimal
// values are not written in an extra line.
std::string wrong_value(const std::string& type, const std::vector<std::string_view>& words, std::size_t first) {
  struct Shape {
    std::string_view type, form;
  };
  // What else named 9.18 knows, whose values are left to it.
  constexpr std::string_view kOthers[] = {
      "afsdb",      "amtrelay", "apl",        "atma",   "avc",    "cdnskey", "cds",   "cert",     "csync", "dhcid",
      "dlv",        "dnskey",   "doa",        "ds",     "eid",    "eui48",   "eui64", "gpos",     "hip",   "https",
      "ipseckey",   "isdn",     "key",        "kx",     "l32",    "l64",     "lp",    "mb",       "md",    "mf",
      "mg",         "minfo",    "mr",         "nid",    "nimloc", "ninfo",   "nsap",  "nsap-ptr", "nsec",  "nsec3",
      "nsec3param", "null",     "openpgpkey", "px",     "rkey",   "rrsig",   "rt",    "sig",      "sink",  "smimea",
      "spf",        "svcb",     "ta",         "talink", "uid",    "unspec",  "wks",   "x25",      "zonemd"};
  if (std::ranges::find(kOthers, std::string_view(type)) != std::end(kOthers)) return {};
  constexpr Shape kShapes[] = {{"a", "$ip"},
                               {"aaaa", "$ip"},
                               {"cname", "$any"},
                               {"ns", "$any"},
                               {"ptr", "$any"},
                               {"dname", "$any"},
                               {"mx", "$int:0:65535 $any"},
                               {"txt", "$any+"},
                               {"soa", "$any+"},
                               {"srv", "$int:0:65535 $int:0:65535 $int:0:65535 $any"},
                               {"caa", "$int:0:255 $any $any"},
                               {"naptr", "$any+"},
                               {"hinfo", "$any $any"},
                               {"rp", "$any $any"},
                               {"sshfp", "$int $int $any"},
                               {"tlsa", "$int $int $int $any"},
                               {"loc", "$any+"},
                               {"uri", "$int $int $any"}};
  std::vector<ExtraForm> rows;
  std::string value;
  for (const Shape& s : kShapes) rows.push_back({s.type, s.form});
  for (std::size_t i = first; i < words.size(); ++i) value += value.empty() ? "" : " ", value += words[i];
  const ExtraFault fault = check_form(type, value, rows, "named");
  if (!fault.why.empty()) return "not a record: " + (fault.unknown ? "named knows no type '" + type + "'" : fault.why);
  if (type == "aaaa" && words[first].find(':') == std::string_view::npos)
    return "not a record: the value of AAAA must be an IPv6 address";
  return {};
}

// "mail 3600 IN A 10.10.0.9": an owner, a lifetime and a class in any order (RFC 1035, 5.1), type and value. What is
// wrong with it; empty: nothing.
std::string read_record(const std::vector<std::string_view>& words, const std::string& domain, ExtraRecord& r) {
  std::size_t at = 1;
  const auto lifetime = [](std::string_view w) {
    return w.front() >= '0' && w.front() <= '9' && w.find('.') == std::string_view::npos;
  };
  while (at + 1 < words.size() && (lifetime(words[at]) || to_lower(words[at]) == "in")) ++at;
  if (at + 1 >= words.size()) return "not a record";
  r.type = to_lower(words[at]);
  if (r.type.front() < 'a' || r.type.front() > 'z' || words[0].front() == '"') return "not a record";
  constexpr std::string_view kTexts[] = {"txt", "spf", "hinfo", "caa", "naptr", "uri", "x25", "isdn", "gpos"};
  const bool quotes = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                                  [](std::string_view w) { return w.front() == '"'; });
  if (quotes && std::ranges::find(kTexts, std::string_view(r.type)) == std::end(kTexts))
    return "not a record: a value of " + std::string(words[at]) + " has no quotes";
  if (r.type == "uri" && words.back().front() != '"') return "not a record: the target of URI stands in quotes";
  if (r.type == "a" && !parse_ipv4(words[at + 1])) return "not a record: the value of A must be an IPv4 address";
  if (std::string wrong = wrong_value(r.type, words, at + 1); !wrong.empty()) return wrong;
  r.owner = to_lower(words[0]);
  if (!r.owner.ends_with('.')) return {};
  r.owner.pop_back();
  const std::string zone = to_lower(domain);
  if (r.owner == zone)
    r.owner = "@";
  else if (r.owner.ends_with("." + zone))
    r.owner.resize(r.owner.size() - zone.size() - 1);
  else
    return "not in the domain " + domain + ": named ignores it";
  return {};
}

// named does not load a zone with a CNAME beside anything else, or with a second SOA (RFC 1034, 3.6.2; RFC 2181, 10.1);
// with a second address of a node it answers with either.
void refuse_twice(const CompileInput& in, std::vector<ExtraRecord>& extra, Findings& findings) {
  const auto contradicts = [&](const ExtraRecord& r, std::string why) {
    findings.error("output-extra-contradicts-spec", r.span, std::move(why)).help("give it another name");
  };
  std::unordered_map<std::string_view, std::vector<const ExtraRecord*>> by_owner;
  for (const ExtraRecord& r : extra) {
    if (r.type == "soa" || (r.owner == "@" && r.type == "cname")) {
      contradicts(r, "the zone already has an SOA record" +
                         std::string(r.type == "cname" ? ", and a CNAME must be the only record of its name" : ""));
      continue;
    }
    auto& others = by_owner[r.owner];
    if (!others.empty() && (r.type == "cname" || others.front()->type == "cname"))
      findings
          .error("output-extra-malformed", r.span,
                 "'" + r.owner + "' has two records, one of them a CNAME: named does not load the zone")
          .note(others.front()->span, "the other record");
    others.push_back(&r);
  }
  if (by_owner.empty()) return;
  std::string name, full;
  each_address(
      in.system, [](const AddressPlan&) {},
      [&](const NamedAddress& n) {
        const auto look = [&](const std::string& owner) {
          const auto found = by_owner.find(owner);
          if (found == by_owner.end()) return;
          for (const ExtraRecord* r : found->second)
            if (r->type == "a" || r->type == "cname")
              contradicts(*r, "the zone already has '" + owner + "', with the address " + ipv4_text(n.address));
          by_owner.erase(found);
        };
        name = to_lower(n.name);
        if (n.plain) look(name);
        if (!n.first && n.number <= 0) return;
        full = name + '-' + to_lower(in.cluster.networks[static_cast<std::size_t>(n.network)].name);
        if (n.first) look(full);
        if (n.number > 0) append_int(full += '-', n.number), look(full);
      });
}

// The words of a record: texts in quotes are one each; a comment ends it (RFC 1035, 5.1). Empty: the line is none that
// stands for one record: signs that join lines, a directive ($INCLUDE), or quotes that do not end.
std::vector<std::string_view> words_of_record(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text[i] == ' ' || text[i] == '\t') {
      ++i;
      continue;
    }
    if (text[i] == ';') break;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f || (text[i] == '\\' && ++i == text.size()))
          return {};
      if (i == text.size()) return {};
      ++i;
    } else {
      for (; i < text.size() && std::string_view(" \t;\"").find(text[i]) == std::string_view::npos; ++i)
        if (text[i] <= 0x20 || text[i] >= 0x7f || std::string_view("()\\$").find(text[i]) != std::string_view::npos)
          return {};
    }
    out.push_back(text.substr(begin, i - begin));
  }
  return out;
}

void append_extra(const CompileInput& in, std::string_view file, std::string& out, std::vector<ExtraRecord>& records,
                  Findings& findings) {
  const auto* extra = extra_of(in, file);
  if (!extra) return;
  out += "; outputs.dns.extra of the spec\n";
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    const std::vector<std::string_view> words = words_of_record(text);
    ExtraRecord record{.span = wish.span};
    const std::string wrong =
        words.size() < 3 ? "not a record" : read_record(words, *in.cluster.spec.software->domain, record);
    if (!wrong.empty()) {
      findings.error("output-extra-malformed", wish.span, "'" + one_line(text.substr(0, 60)) + "' is " + wrong)
          .help("write one record in each line, for example mail A 10.10.0.9");
      continue;
    }
    records.push_back(std::move(record));
    out += text;
    out += '\n';
  }
  refuse_twice(in, records, findings);
}

void emit_dns(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  const std::string& domain = *c.spec.software->domain;
  const int answers = name_server_group(c, in.plan);
  const std::string server = answers < 0 ? std::string() : c.nodes[static_cast<std::size_t>(answers)].names.name(0);
  check_extra_files(in, "dns", {"zone"}, findings);
  if (server.empty()) {
    findings.warning(
        "dns-no-server", c.spec.software->domain.span,
        "no node has an address in a network of users, so that no node can serve the domain '" + domain + "'");
    return;
  }
  std::map<std::string, std::string> reverse;  // zone -> records
  std::string* back = nullptr;                 // of the zone that the last address lay in
  int octets = 0;
  std::uint32_t in_zone = 0;
  const ZoneBegin zone_begin = begin_zone(in, domain, server, bundle);
  std::string& out = bundle.text();
  std::string first;
  if (!in.judging)
    each_address(
        in.system,
        [&](const AddressPlan& a) {
          back = nullptr, octets = zone_octets(a.subnet);
          out += "; network ", out += c.networks[a.network].name, out += ' ', out += a.subnet.text(), out += '\n';
        },
        [&](const NamedAddress& n) {
          const std::string& network = c.networks[n.network].name;
          const auto record = [&](bool alias, std::int64_t number) {
            const std::size_t begin = out.size();
            out += n.name;
            if (alias) out += '-', out += network;
            if (number > 0) out += '-', append_int(out, number);
            if (first.empty()) first.assign(out, begin, out.size() - begin);
            out += " A ";
            append_ipv4(n.address, out);
            out += '\n';
          };
          first.clear();
          if (n.plain) record(false, 0);
          if (n.first) record(true, 0);
          if (n.number > 0) record(true, n.number);
          if (const std::uint32_t zone = n.address >> (32 - 8 * octets); !back || zone != in_zone)
            in_zone = zone, back = &reverse[reverse_zone(n.address, octets)];
          for (int octet = 3; octet >= octets; --octet) {
            append_uint(*back, (n.address >> (24 - 8 * octet)) & 0xff);
            *back += octet > octets ? '.' : ' ';
          }
          *back += "PTR ", *back += first, *back += '.', *back += domain, *back += ".\n";
        });
  std::vector<ExtraRecord> extra;
  append_extra(in, "zone", out, extra, findings);
  const auto answered = [&](std::string_view name) {  // by an address, or by who the name is handed on to
    return std::any_of(extra.begin(), extra.end(), [&](const ExtraRecord& r) {
      if (r.type == "ns") return name == r.owner || name.ends_with("." + r.owner);
      return (r.type == "a" || r.type == "aaaa" || r.type == "cname") && (r.owner == name || r.owner == "*");
    });
  };
  check_hidden_hosts(
      in.system, answered,
      [](std::string_view name) {
        return "outputs: { dns: { extra: { zone: [ \"" + std::string(name) + " A 10.9.0.5\" ] } } }";
      },
      findings);
  end_zone(zone_begin, bundle);
  for (const auto& [zone, records] : reverse) {
    const ZoneBegin at = begin_zone(in, zone, server, bundle);
    bundle.text() += records;
    end_zone(at, bundle);
  }
  bundle.open("dns/named.conf.cluster", "dns");
  std::string& conf = bundle.text();
  conf += made_by(in, "dns", "// ");
  conf += "// include this file in named.conf; copy the zones to the directory that `options` names\n";
  // BIND takes no underscore in the name of a host (RFC 952) unless it is told to; what refuses one is warned of where
  // the name stands.
  const bool odd = underscores(in);
  const auto zone = [&](std::string_view name) {
    conf += "zone \"", conf += name, conf += "\" { type primary; ", conf += odd ? "check-names ignore; " : "",
        conf += "file \"db.", conf += name, conf += "\"; };\n";
  };
  zone(domain);
  for (const auto& [name, records] : reverse) zone(name);
  bundle.close();
}

}  // namespace

extern const Output kDnsOutput;  // registry.cc names it
const Output kDnsOutput{
    .id = "dns",
    .summary = "DNS zones of the cluster's domain and addresses, and the configuration that loads them",
    .consumers = "BIND 9.16 and newer; any server that reads RFC 1035 zones",
    .wanted = wants_dns,
    .emit = emit_dns,
};

}  // namespace clusterc
