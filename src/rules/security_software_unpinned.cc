#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/security_say.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/prices.h"
#include "spec/site.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

// Tags that name another release tomorrow.
constexpr std::array<std::string_view, 4> kMoving = {"latest", "nightly", "rolling", "edge"};

bool is_word_end(char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }

std::optional<std::string_view> moving_tag(std::string_view text) {
  if (text.find("@sha256:") != std::string_view::npos) return std::nullopt;  // the digest decides, whatever the tag
  for (const std::string_view tag : kMoving)
    for (std::size_t at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + 1)) {
      const bool begins =
          at == 0 || text[at - 1] == ':' || text[at - 1] == '-' || text[at - 1] == ' ' || text[at - 1] == '/';
      const std::size_t end = at + tag.size();
      if (begins && (end == text.size() || is_word_end(text[end]))) return tag;
    }
  return std::nullopt;
}

void security_software_unpinned(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_written_text(in.cluster.spec, [&](const std::string& path, const Value<std::string>& v) {
    // Prose and reasons may speak of what they like; names of groups and parts are no software.
    const bool software =
        path.starts_with("software.") || path.find(".software.") != std::string::npos || path.starts_with("outputs.");
    if (!software) return;
    const auto tag = moving_tag(*v);
    if (!tag) return;
    findings.warning(rule.id, v.span, format("'{}' at '{}' is not pinned: '{}' can change", *v, path, *tag))
        .help("write a release, or an image by its digest: name@sha256:…");
  });
}

}  // namespace

extern const Rule kSecuritySoftwareUnpinned;  // registry.cc names it
const Rule kSecuritySoftwareUnpinned = {
    .id = "security-software-unpinned",
    .code = "SEC-005",
    .severity = Severity::warning,
    .physics = false,
    .summary = "software is named by a tag that can change",
    .explanation = R"(## What it checks

Software, and the lines that the spec adds to compiled files, are named by release or digest, not by a tag that can
change.

## Why it matters

Two nodes installed a week apart differ although nobody changed anything. Results cannot be reproduced, and the software
that runs is not the software that was checked.

## Formula

```
latest, nightly, rolling, edge    as a word of an `os`, a container, a framework or an image;  not with @sha256:…
```

Unit: none. Words are compared.

Source: Kubernetes documentation, container images ("avoid using the :latest tag"); NIST SP 800-190 section 4.1.5 (untrusted images, by digest).

## Example

`pull: nvcr.io/nvidia/pytorch:latest`.

## How to fix

`nvcr.io/nvidia/pytorch:25.06-py3@sha256:…`; `os: ubuntu-24.04`.

## When to accept

On a test system that should always have the latest version.
)",
    .check = security_software_unpinned,
};

}  // namespace clusterc
