// `lspci -vvv` of one machine: PCIe links below what both of their ends can do, and ACS on bridges.
#pragma once
#include "audit/files/judge.h"

namespace clusterc {

// The summary: "8 GPUs, 10 network adapters".
std::string judge_lspci(const Sources&, FileId, Findings&);

}  // namespace clusterc
