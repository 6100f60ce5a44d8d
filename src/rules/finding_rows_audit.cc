// The findings of `audit`, by id (finding_table.cc).
#include "rules/finding_rows.h"

namespace clusterc {
namespace {

constexpr FindingRow kRows[] = {
    {"audit-adapters-differ", Severity::warning, kAuditReporter, Standing::acceptable,
     "hosts have adapters with other numbers in a fabric than the other hosts of their group"},
    {"audit-adapters-unnamed", Severity::warning, kAuditReporter, Standing::acceptable,
     "adapters in the dump of a fabric do not name their host: their cables are not judged"},
    {"audit-bmc-unread", Severity::error, kAuditReporter, Standing::acceptable,
     "a BMC could not be read over Redfish, or not in full, or answers for several nodes: not all was compared"},
    {"audit-cable-misplaced", Severity::error, kAuditReporter, Standing::acceptable,
     "a cable of a running fabric joins other places than planned; the finding says which ends to move"},
    {"audit-capture-unread", Severity::warning, kAuditReporter, Standing::acceptable,
     "a captured file has a line that cannot be read or contradicts an earlier one, or lacks records"},
    {"audit-device-missing", Severity::error, kAuditReporter, Standing::acceptable,
     "a running fabric has no link of a planned node or switch"},
    {"audit-device-unplanned", Severity::warning, kAuditReporter, Standing::acceptable,
     "a running fabric has a device that the plan does not have"},
    {"audit-fabric-unrecognised", Severity::error, kAuditReporter, Standing::acceptable,
     "the dump of a fabric cannot be recognised as the planned network: nothing was compared"},
    {"audit-fact-unread", Severity::note, kAuditReporter, Standing::acceptable,
     "a capture or a BMC does not say a fact that the spec plans; it was not compared"},
    {"audit-file-differs", Severity::error, kAuditReporter, Standing::acceptable,
     "a file on a node is not as it is compiled"},
    {"audit-hardware-differs", Severity::error, kAuditReporter, Standing::acceptable,
     "a server has other processors, GPUs, memory, drives, adapters or power supplies than planned"},
    {"audit-hardware-unequal", Severity::warning, kAuditReporter, Standing::acceptable,
     "a node differs from its group in firmware or in the model of a part"},
    {"audit-health", Severity::error, kAuditReporter, Standing::acceptable,
     "a BMC reports that a part is not healthy, is disabled or is switched off"},
    {"audit-link-errors", Severity::warning, kAuditReporter, Standing::acceptable,
     "a port of a running fabric has counted errors of its cable since its counters were cleared"},
    {"audit-link-missing", Severity::error, kAuditReporter, Standing::acceptable,
     "a planned cable has no link in the running fabric, though both devices are there"},
    {"audit-link-slow", Severity::error, kAuditReporter, Standing::acceptable,
     "a link of a running fabric is slower or narrower than planned"},
    {"audit-link-unplanned", Severity::warning, kAuditReporter, Standing::acceptable,
     "a running fabric has a link between planned devices where none is planned"},
    {"audit-names-differ", Severity::note, kAuditReporter, Standing::acceptable,
     "devices of a running fabric are called otherwise than planned, and were recognised by their cables"},
    {"audit-netbox-differs", Severity::warning, kAuditReporter, Standing::acceptable,
     "NetBox has a device at another place than planned, or other devices or cables"},
    {"audit-node-differs", Severity::error, kAuditReporter, Standing::acceptable,
     "a node has other hardware, software, kernel arguments or limits than planned"},
    {"audit-node-unequal", Severity::warning, kAuditReporter, Standing::acceptable,
     "a node differs from its group in hardware, firmware, software or settings"},
    {"audit-node-unread", Severity::warning, kAuditReporter, Standing::acceptable,
     "a node, or a fact of it that the spec plans, was not read: not all was compared"},
    {"audit-scheduler-differs", Severity::error, kAuditReporter, Standing::acceptable,
     "the scheduler has other nodes, resources, releases, controllers or switches than planned, or a node is down"},
    {"audit-scheduler-unread", Severity::warning, kAuditReporter, Standing::acceptable,
     "what the scheduler or sha256sum printed could not be read, or lacks a fact: not all was compared"},
    {"audit-tls-unverified", Severity::warning, kAuditReporter, Standing::acceptable,
     "the certificates of BMCs were not verified, because --insecure was given"},
};

}  // namespace

std::span<const FindingRow> audit_finding_rows() { return kRows; }

}  // namespace clusterc
