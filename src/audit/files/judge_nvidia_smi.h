// What nvidia-smi says of the GPUs of one machine: `nvidia-smi -q -x` (XML) and `nvidia-smi topo -m`.
#pragma once
#include "audit/files/judge.h"

namespace clusterc {

// The summaries: "8 GPUs, driver 535.104.05"; "8 GPUs, 10 network adapters".
std::string judge_nvidia_smi_xml(const Sources&, FileId, Findings&);
std::string judge_nvidia_smi_topo(const Sources&, FileId, Findings&);

}  // namespace clusterc
