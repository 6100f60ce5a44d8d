// What HPL prints on standard output, read back: netlib's, NVIDIA's and AMD's alike. Anything may stand in it: another
// machine wrote it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "targets/hpl_dat.h"
#include "validate/record.h"

namespace clusterc {

// How a line begins in which the shell that starts the program (vendor_command) says why it did not.
inline constexpr std::string_view kHplRefused = "clusterc-hpl: ";

// The one result, as clusterc-hpl would have brought it: hpl.score, right if every residual passed. An error where
// there is none, or more than one, or where it is not of `asked`. `program`: as the report calls it.
ResultRecords read_hpl_output(const std::vector<std::string>& lines, const LinpackInput& asked,
                              const std::string& program);

}  // namespace clusterc
