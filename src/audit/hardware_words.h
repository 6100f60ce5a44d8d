// Whether a BMC's word for a part means the catalogue's part. Vendors write models freely: what cannot be told apart is
// nullopt, never agreement.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.h"

namespace clusterc {

// "Intel(R) Xeon(R) Platinum 8462Y+" is xeon-8462y.
std::optional<bool> is_cpu(const CpuPart&, std::string_view seen);
// "H100 80GB HBM3" is nvidia-h100-sxm5-80: by the word of the model, the size of the memory and the form. A name that
// leaves out what tells the variants of its model apart ("NVIDIA H100") is nullopt.
std::optional<bool> is_gpu(const GpuPart&, std::string_view seen);
// The family of an adapter: "MCX75310AAS-NEAT", "NVIDIA ConnectX-7 1 x NDR OSFP": "ConnectX-7". Empty: none that is
// known.
std::string adapter_family(std::string_view words);

}  // namespace clusterc
