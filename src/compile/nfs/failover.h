// The files of a pair of NFS servers that fails over, beside its exports: nfs/<storage>/.
#pragma once
#include "compile/output.h"
#include "system/nfs_failover.h"

namespace clusterc {

void emit_failover(const CompileInput&, const NfsFailover&, Bundle&);

}  // namespace clusterc
