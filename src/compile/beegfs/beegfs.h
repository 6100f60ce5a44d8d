// The scripts of a BeeGFS, beside its settings: beegfs/STORAGE/.
#pragma once
#include "compile/output.h"
#include "system/beegfs.h"

namespace clusterc {

void emit_beegfs_scripts(const CompileInput&, const BeegfsServers&, Bundle&);

}  // namespace clusterc
