#include "targets/hpl_dat.h"

#include <algorithm>
#include <cmath>

#include "targets/linpack_model.h"

namespace clusterc {

// Hosts: 80 % of the memory, blocks of 192 (netlib.org/benchmark/hpl/faqs.html: "80 % of the total amount of memory";
// NB of 32 to 256). NVIDIA: 90 % of the GPUs' memory, blocks of 1,024 (NVIDIA HPC Benchmarks, sample-dat). AMD: blocks
// of 512 (rocHPL, README, "Performance evaluation": its sample runs fill 97 %; 90 % leaves room for the libraries).
LinpackSizes linpack_sizes(LinpackProgram program) {
  switch (program) {
    case LinpackProgram::nvidia:
      return {0.9, 1024};
    case LinpackProgram::amd:
      return {0.9, 512};
    case LinpackProgram::netlib:
      break;
  }
  return {0.8, 192};
}

LinpackInput linpack_input(double bytes, std::int64_t block, std::int64_t ranks) {
  LinpackInput out{.block = block, .rows = linpack_rows(ranks)};
  out.columns = ranks / out.rows;
  if (bytes > 0 && block > 0) out.order = static_cast<std::int64_t>(std::sqrt(bytes / 8)) / block * block;
  return out;
}

std::string hpl_dat(const LinpackInput& in, std::string_view second_line) {
  std::string out = "HPLinpack benchmark input file\n";
  (out += second_line) += '\n';
  const auto line = [&](std::string value, std::string_view says) {
    value.resize(std::max<std::size_t>(value.size() + 1, 13), ' ');
    ((out += value).append(says)) += '\n';
  };
  line("HPL.out", "output file name (if any)");
  line("6", "device out (6=stdout,7=stderr,file)");
  line("1", "# of problems sizes (N)");
  line(std::to_string(in.order), "Ns");
  line("1", "# of NBs");
  line(std::to_string(in.block), "NBs");
  line("0", "PMAP process mapping (0=Row-,1=Column-major)");
  line("1", "# of process grids (P x Q)");
  line(std::to_string(in.rows), "Ps");
  line(std::to_string(in.columns), "Qs");
  line("16.0", "threshold");
  line("1", "# of panel fact");
  line("2", "PFACTs (0=left, 1=Crout, 2=Right)");
  line("1", "# of recursive stopping criterium");
  line("4", "NBMINs (>= 1)");
  line("1", "# of panels in recursion");
  line("2", "NDIVs");
  line("1", "# of recursive panel fact.");
  line("1", "RFACTs (0=left, 1=Crout, 2=Right)");
  line("1", "# of broadcast");
  line("1", "BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)");
  line("1", "# of lookahead depth");
  line("1", "DEPTHs (>=0)");
  line("2", "SWAP (0=bin-exch,1=long,2=mix)");
  line("64", "swapping threshold");
  line("0", "L1 in (0=transposed,1=no-transposed) form");
  line("0", "U  in (0=transposed,1=no-transposed) form");
  line("1", "Equilibration (0=no,1=yes)");
  line("8", "memory alignment in double (> 0)");
  return out;
}

}  // namespace clusterc
