#include "model/named_hosts.h"

#include <algorithm>

#include "base/text.h"
#include "spec/software.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

// "ldaps://ldap1.example.org:636/, ldap2": the hosts alone.
void directories(const Value<std::string>& servers, std::vector<NamedHost>& out) {
  if (!servers) return;
  for (std::string_view server : split(*servers, ',')) {
    server = trim(server);
    if (const std::size_t scheme = server.find("://"); scheme != server.npos) server.remove_prefix(scheme + 3);
    server = server.substr(0, server.find('/'));
    if (const std::size_t at = server.rfind('@'); at != server.npos) server.remove_prefix(at + 1);
    server = server.substr(0, server.find(':'));
    if (!server.empty()) out.push_back({servers.span, std::string(server)});
  }
}

// What stands before the folder: "10.3.0.5@o2ib,10.4.0.5@tcp:10.3.0.6@o2ib:/scratch", "filer:/vol", "mgmt1".
void sources(const StorageModel& s, std::vector<NamedHost>& out) {
  const Value<std::string>& source = s.spec->source;
  if (!source || s.nodes >= 0) return;
  for (const std::string_view server : split(std::string_view(*source).substr(0, source->find('/')), ':'))
    for (const std::string_view nid : split(server, ','))
      if (const std::string_view host = trim(nid.substr(0, nid.find('@'))); !host.empty())
        out.push_back({source.span, std::string(host), !s.part});
}

}  // namespace

std::vector<NamedHost> named_hosts(const Cluster& c) {
  std::vector<NamedHost> out;
  const auto add = [&](const Value<std::string>& v, bool outside = false) {
    if (v) out.push_back({v.span, *v, outside});
  };
  for (const StorageModel& s : c.storage) {
    if (!s.spec) continue;
    if (s.spec->servers && s.spec->servers->external) {
      add(s.spec->servers->external, true);
      const auto& kind = s.spec->kind;  // who mounts by `source` knows nothing of it
      out.back().asked = !(s.spec->source && kind && (*kind == StorageKind::lustre || *kind == StorageKind::beegfs));
    }
    sources(s, out);
  }
  const Software& s = c.spec.software;
  for (const auto& server : s.name_servers) add(server);
  for (const auto& server : s.time_servers) add(server);
  if (s.scheduler && s.scheduler->accounting && s.scheduler->accounting->database &&
      *s.scheduler->accounting->database != "localhost")
    add(s.scheduler->accounting->database);
  if (s.identity) directories(s.identity->server, out);
  if (s.mirror) add(s.mirror->server);
  return out;
}

std::vector<NamedHost> directory_hosts(const Software& s) {
  std::vector<NamedHost> out;
  if (s.identity) directories(s.identity->server, out);
  return out;
}

// Domains are the same in any case of letters (RFC 4343, section 3).
std::string_view without_domain(const Cluster& c, std::string_view host) {
  const Value<std::string>& domain = c.spec.software->domain;
  if (!domain || domain->empty() || host.size() < domain->size() + 2) return host;
  const std::size_t dot = host.size() - domain->size() - 1;
  return host[dot] == '.' && to_lower(host.substr(dot + 1)) == to_lower(*domain) ? host.substr(0, dot) : host;
}

std::vector<std::uint32_t> addresses_outside(const Cluster& c, const Ipv4Prefix& subnet) {
  const auto& all = c.memo.get("addresses outside", [&] {
    std::vector<std::uint32_t> addresses;
    for (const NamedHost& h : named_hosts(c))
      if (const auto address = h.outside ? parse_ipv4(h.host) : std::nullopt) addresses.push_back(*address);
    for (const StorageModel& s : c.storage)  // no host's own: it moves between two
      if (s.spec && s.spec->servers && s.spec->servers->address)
        if (const auto address = parse_ipv4(*s.spec->servers->address)) addresses.push_back(*address);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    return addresses;
  });
  return {std::lower_bound(all.begin(), all.end(), subnet.base),
          std::upper_bound(all.begin(), all.end(), subnet.broadcast())};
}

}  // namespace clusterc
