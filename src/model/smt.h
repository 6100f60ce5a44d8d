// Hardware threads of a core, as `software.smt` and the kernel's arguments say it.
#pragma once
#include "model/cluster.h"
#include "spec/software.h"

namespace clusterc {

// The argument that switches SMT off: `nosmt`, `nosmt=force` (Linux, Documentation/admin-guide/kernel-parameters.txt);
// with any other value it is taken as `nosmt` (kernel/cpu.c, smt_cmdline_disable). Null: none.
const Value<std::string>* nosmt_argument(const Software&);
// An argument that switches it off where the processor has a certain fault: `mitigations=auto,nosmt`, `mds=full,nosmt`,
// `l1tf=full`, `l1tf=full,force` (the same page). Null: none.
const Value<std::string>* conditional_nosmt(const Software&);
inline bool smt_is_off(const Software& s) { return s.smt && *s.smt != Smt::on; }
// Whether the compiled kernel arguments switch it off.
inline bool kernel_switches_smt_off(const Software& s) { return s.smt && *s.smt == Smt::nosmt; }

// Fills in `smt` where only an argument says it, and sets cores and threads of the group's server as its system sees
// them. Whatever counts threads reads ServerModel::threads_per_core.
void apply_smt(NodeGroupModel&);

}  // namespace clusterc
