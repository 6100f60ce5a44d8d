// first/GROUP/: nccl-tests and HPL over all nodes of a group that the scheduler hands out.
#include <algorithm>

#include "compile/jobs/files.h"
#include "model/cluster.h"
#include "system/containers.h"

namespace clusterc {
namespace {

constexpr std::int64_t kNcclMinutes = 30, kHplMinutes = 240;

void head(const CompileInput& in, const FirstJob& f, std::string_view name, std::int64_t minutes, std::string& out) {
  const std::string& group = in.cluster.nodes[static_cast<std::size_t>(f.group)].name;
  sbatch_line(out, "job-name", "first-" + std::string(name));
  sbatch_line(out, "partition", group);
  sbatch_line(out, "nodes", std::to_string(f.nodes));
  sbatch_line(out, "ntasks-per-node", std::to_string(f.ranks));
  sbatch_line(out, "cpus-per-task", std::to_string(f.cpus));
  if (!f.gres.empty()) sbatch_line(out, "gres", f.gres);
  sbatch_line(out, "exclusive");
  sbatch_line(out, "mem", "0");
  sbatch_line(out, "time", std::to_string(f.limit ? std::min(*f.limit, minutes) : minutes));
  sbatch_line(out, "output", "%x-%j.out");
}

std::string srun_of(const FirstJob& f) {
  return (bind_comment(f.places) + "exec srun --mpi=" + f.mpi + " --cpus-per-task=" + std::to_string(f.cpus))
      .append(kBindRanks);
}

void nccl(const CompileInput& in, const FirstJob& f, const std::string& folder, Bundle& bundle) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(f.group)];
  const std::string_view tests = has_gpus_of(g, Vendor::amd) ? "rccl-tests" : "nccl-tests";
  bundle.open(folder + "nccl-tests.sbatch", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  (out += "# All-reduce over all GPUs of the group, a rank for each, with ").append(tests) +=
      " built with MPI=1 (NCCL_TESTS: their folder).\n";
  head(in, f, "nccl-tests", kNcclMinutes, out);
  out +=
      "set -u\n: \"${SLURM_JOB_ID:?submit this script with sbatch}\"\nprogram=${NCCL_TESTS:?the folder of "
      "all_reduce_perf: NCCL_TESTS=/PATH sbatch "
      "nccl-tests.sbatch}/all_reduce_perf\n";
  out += "# The column busbw of the largest sizes is what the plan calls the plateau of all_reduce.\n";
  out += srun_of(f) + " \"$program\" -b 8 -e 8G -f 2 -g 1 \"$@\"\n";
  bundle.close();
}

// HPL reads values from fixed lines, and takes the rest of each for a comment (HPL, TUNING).
void hpl_dat(const FirstJob& f, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "HPL.dat", "jobs");
  std::string& out = bundle.text();
  const auto line = [&](std::string value, std::string_view says) {
    value.resize(std::max<std::size_t>(value.size() + 1, 13), ' ');
    ((out += value).append(says)) += '\n';
  };
  out += "HPLinpack benchmark input file\n";
  out += "made by clusterc: N fills " + f.order_sum + "\n";
  line("HPL.out", "output file name (if any)");
  line("6", "device out (6=stdout,7=stderr,file)");
  line("1", "# of problems sizes (N)");
  line(std::to_string(f.order), "Ns");
  line("1", "# of NBs");
  line(std::to_string(f.block), "NBs");
  line("0", "PMAP process mapping (0=Row-,1=Column-major)");
  line("1", "# of process grids (P x Q)");
  line(std::to_string(f.rows), "Ps");
  line(std::to_string(f.columns), "Qs");
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
  bundle.close();
}

void hpl(const CompileInput& in, const FirstJob& f, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "hpl.sbatch", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  out += "# HPL over all nodes of the group, with the HPL.dat beside it: " + std::to_string(f.rows) + " x " +
         std::to_string(f.columns) + " ranks, ";
  out += f.gpus > 0 ? "a GPU for each (HPL: a program for GPUs; what it wants as arguments, such as --dat HPL.dat, "
                      "follows hpl.sbatch).\n"
                    : "a core for each (HPL: xhpl).\n";
  head(in, f, "hpl", kHplMinutes, out);
  out +=
      "set -u\nprogram=${HPL:?the program: HPL=/PATH/xhpl sbatch hpl.sbatch}\n"
      "cd \"${SLURM_SUBMIT_DIR:?submit this script with sbatch}\" || exit 1\n"
      "[ -e HPL.dat ] || { echo \"no HPL.dat here: submit the job in its own folder\" >&2; exit 2; }\n";
  if (f.gpus == 0) out += "export OMP_NUM_THREADS=1\n";
  out += srun_of(f) + " \"$program\" \"$@\"\n";
  bundle.close();
}

}  // namespace

void emit_first(const CompileInput& in, const FirstJob& f, Bundle& bundle) {
  const std::string folder = "jobs/first/" + in.cluster.nodes[static_cast<std::size_t>(f.group)].name + "/";
  if (f.gpus > 0) nccl(in, f, folder, bundle);
  if (f.order > 0) {
    hpl(in, f, folder, bundle);
    hpl_dat(f, folder, bundle);
  }
}

}  // namespace clusterc
