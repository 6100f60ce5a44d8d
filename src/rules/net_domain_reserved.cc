#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Names whose last label resolvers treat apart: RFC 6762, 3 (.local); RFC 6761, 6.3 and 6.4 (.localhost, .invalid);
// RFC 7686, 2 (.onion).
struct Reserved {
  std::string_view label, why;
};
constexpr std::array kReserved = {
    Reserved{"local", "resolvers look it up by multicast DNS, not on name servers (RFC 6762)"},
    Reserved{"localhost", "it always means the machine itself (RFC 6761)"},
    Reserved{"invalid", "resolvers answer that it does not exist (RFC 6761)"},
    Reserved{"onion", "resolvers do not send it to name servers (RFC 7686)"},
};

void net_domain_reserved(const Rule& rule, const RuleInput& in, Findings& findings) {
  const auto& domain = in.cluster.spec.software->domain;
  if (!domain) return;
  const std::string name = to_lower(*domain);
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  const auto reserved =
      std::find_if(kReserved.begin(), kReserved.end(), [&](const Reserved& r) { return r.label == last; });
  if (reserved == kReserved.end()) return;
  findings
      .warning(rule.id, domain.span,
               format("domain '{}' ends in '.{}', which is reserved: {}", one_line(*domain), last, reserved->why))
      .help("use a domain of your own, or a name below home.arpa: `domain: gpu.example.org`");
}

}  // namespace

extern const Rule kNetDomainReserved;  // registry.cc names it
const Rule kNetDomainReserved = {
    .id = "net-domain-reserved",
    .code = "NET-027",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the cluster's domain ends in a name that resolvers treat apart",
    .explanation = R"(## What it checks

The last label of `software.domain`. Resolvers treat `.local`, `.localhost`, `.invalid` and `.onion` apart, so a name server that answers for such a domain may never be asked.

## Why it matters

With multicast DNS on a node (Avahi, systemd-resolved), names of `.local` are looked for on the link. The cluster's name server has them and is not asked: nodes find each other in `/etc/hosts` alone.
Containers do not have that file and find no node. In Kubernetes, `cluster.local` is also the default domain of services, so a node and a service can share a name.

## Formula

```
last label of software.domain is none of local, localhost, invalid, onion
```

Unit: none. Names are compared.

Source: RFC 6762, section 3 and appendix G; RFC 6761, section 6; RFC 7686, section 2; Kubernetes documentation, DNS for Services and Pods (cluster.local).

## Example

`domain: cluster.local`.

## How to fix

Take a subdomain of a domain that is registered for you (`gpu.example.org`), or one below `home.arpa` (RFC 8375).

## When to accept

In an existing cluster whose nodes run no multicast DNS, where the names cannot be changed.
)",
    .check = net_domain_reserved,
};

}  // namespace clusterc
