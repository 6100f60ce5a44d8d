#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/ha.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

std::string_view client_of(StorageKind kind) {
  return kind == StorageKind::beegfs ? "beegfs" : kind == StorageKind::lustre ? "lustre" : "";
}

// "7.4" stands for any 7.4.x: where one of them will do, nothing is wrong.
bool series_of(const Version& v, std::string_view release) {
  const std::string& text = v.as_written;
  return release.size() > text.size() && release.starts_with(text) && release[text.size()] == '.';
}

void storage_client_unsupported_by_kernel(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const StorageModel& s : in.cluster.storage) {
    const Value<Version>& release = s.spec->version;
    if (!release || !s.spec->kind) continue;
    const std::string_view client = client_of(*s.spec->kind);
    for (const NodeGroupModel& g : in.cluster.nodes) {
      if (g.count == 0 || !mounted_by(*s.spec, g)) continue;
      const std::string_view kernel = kernel_of(g.software);
      if (kernel.empty()) continue;
      const ClientKernel* needs = nullptr;  // of the newest listed kernel that this one is, or comes after
      for (const ClientKernel& k : kClientKernels)
        if (k.client == client && !(Version{std::string(kernel)} < Version{std::string(k.kernel)})) needs = &k;
      if (!needs || !(*release < Version{std::string(needs->release)}) || series_of(*release, needs->release)) continue;
      Finding& f =
          findings.warning(rule.id, release.span,
                           format("'{}' has {} {}, whose client is not known to build for kernel {} of '{}': support "
                                  "for kernel {} begins with release {}",
                                  s.name, client, release->text(), kernel, g.name, needs->kernel, needs->release));
      f.note(first_place(g.software->kernel.span, g.software->os.span, g.span),
             g.software->kernel ? "the kernel is set here" : "the kernel of this system");
      f.help(format("use {} {} or newer, or hold an older kernel", client, needs->release))
          .object("storage." + s.name)
          .object("nodes." + g.name);
      break;  // one finding for a release: further groups have the same cause
    }
  }
}

}  // namespace

extern const Rule kStorageClientUnsupportedByKernel;  // registry.cc names it
const Rule kStorageClientUnsupportedByKernel = {
    .id = "storage-client-unsupported-by-kernel",
    .code = "STOR-009",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a file system's client is too old for the kernel of the nodes",
    .explanation = R"(## What it checks

The client of a parallel file system (`storage`, `version`) is a release that supports the kernel of the nodes that
mount it: the one written in `software` (`kernel`), or the default kernel of the operating system.

## Why it matters

The client is a kernel module that is built on the node. With a newer kernel it does not compile, or compiles and fails:
after an image update all nodes lose the file system at once.

## Formula

```
kernel   6.1      needs BeeGFS 7.3.4 or newer
         6.8                   7.4.5
         6.11                  7.4.6
         5.11           Lustre 2.15.0
         6.4                   2.15.7
         6.8                   2.16.0
         6.12                  2.17.0
```

Unit: none. Releases are compared.

A release of two numbers (7.4) stands for any of its series. Newer kernels than these are not judged.

Source: release notes of BeeGFS 7.3.4, 7.4.5 and 7.4.6; ChangeLog of Lustre 2.14.0, 2.15.0 to 2.15.8, 2.16.0 and 2.17.0 (other kernels "may also work"); catalog/compatibility/file-system-clients.yaml. Clients of other file systems are not judged: their tables were not read.

## Example

`{ kind: beegfs, version: 7.4.3 }` for nodes with `os: ubuntu-24.04` (kernel 6.8).

## How to fix

Use a release that supports the kernel, or hold a kernel that the release supports in the image.

## When to accept

Where the client was built and tested on that kernel, or the vendor ported it.
)",
    .check = storage_client_unsupported_by_kernel,
};

}  // namespace clusterc
