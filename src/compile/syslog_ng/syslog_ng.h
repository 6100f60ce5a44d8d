#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kSyslogNgOutput;

// Are the logs sent to Loki on the node that watches? For any output.
bool keeps_logs_in_loki(const CompileInput&);
}  // namespace clusterc
