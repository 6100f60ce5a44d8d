// first/GROUP/: nccl-tests and HPL over all nodes of a group that the scheduler hands out.
#include <algorithm>

#include "compile/jobs/files.h"
#include "model/cluster.h"
#include "system/containers.h"
#include "system/slurm.h"
#include "targets/hpl_dat.h"

namespace clusterc {
namespace {

constexpr std::int64_t kNcclMinutes = 30, kHplMinutes = 240;

void head(const CompileInput& in, const FirstJob& f, std::string_view name, std::int64_t minutes, std::string& out) {
  sbatch_line(out, "job-name", "first-" + std::string(name));
  sbatch_line(out, "partition", slurm_partition_name(in.cluster, f.group));
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
  return ("exec srun --mpi=" + f.mpi + " --cpus-per-task=" + std::to_string(f.cpus)).append(kBindRanks);
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
  out += bind_comment(f.places) + srun_of(f) + " \"$program\" -b 8 -e 8G -f 2 -g 1 \"$@\"\n";
  bundle.close();
}

LinpackProgram program_of(const NodeGroupModel& g, const FirstJob& f) {
  if (f.gpus == 0) return LinpackProgram::netlib;
  return has_gpus_of(g, Vendor::amd) ? LinpackProgram::amd : LinpackProgram::nvidia;
}

std::string_view program_name(LinpackProgram program) {
  switch (program) {
    case LinpackProgram::nvidia:
      return "hpl.sh";
    case LinpackProgram::amd:
      return "run_rochpl";
    case LinpackProgram::netlib:
      break;
  }
  return "xhpl";
}

// What follows the program's name. NVIDIA HPC Benchmarks, "NVIDIA HPL Benchmark": hpl.sh --dat FILE. rocHPL, README:
// run_rochpl -P -Q -N --NB. xhpl reads HPL.dat from its folder.
std::string arguments_of(LinpackProgram program, const FirstJob& f, std::string_view folder) {
  if (program == LinpackProgram::nvidia) return std::string(" --dat \"").append(folder) += "/HPL.dat\"";
  if (program == LinpackProgram::netlib) return {};
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return " -P " + text(f.rows) + " -Q " + text(f.columns) + " -N " + text(f.order) + " --NB " + text(f.block);
}

std::string hpl_comment(LinpackProgram program, const FirstJob& f) {
  std::string out =
      "# HPL over all nodes of the group, N and NB as in the HPL.dat beside it: " + std::to_string(f.rows) + " x " +
      std::to_string(f.columns) + " ranks, ";
  switch (program) {
    case LinpackProgram::nvidia:
      return out + "a GPU for each. HPL: the path of hpl.sh, of NVIDIA's HPC Benchmarks.\n";
    case LinpackProgram::amd:
      return out + "a GPU for each. HPL: the path of run_rochpl, of AMD's rocHPL.\n";
    case LinpackProgram::netlib:
      break;
  }
  return out + "a core for each. HPL: the path of xhpl.\n";
}

// NVIDIA's container has hpl.sh in /workspace (NVIDIA HPC Benchmarks, "NVIDIA HPC Benchmarks container").
std::string in_container(const NodeGroupModel& g, const FirstJob& f) {
  const std::string rest =
      " \"${HPL:-/workspace/hpl.sh}\"" + arguments_of(LinpackProgram::nvidia, f, "/hpl") + " \"$@\"\n";
  std::string command;
  if (runs_containers(g, {"pyxis"}))
    command = " --container-image=\"$HPL_IMAGE\" --container-mounts=\"$PWD:/hpl\"" + rest;
  else if (runs_containers(g, {"apptainer"}))
    command = " apptainer exec --nv --bind \"$PWD:/hpl\" \"$HPL_IMAGE\"" + rest;
  if (command.empty()) return {};
  return "# HPL_IMAGE: the image of NVIDIA's HPC Benchmarks, in place of HPL.\nif [ -n \"${HPL_IMAGE:-}\" ]; then\n  " +
         srun_of(f) + command + "fi\n";
}

void hpl(const CompileInput& in, const FirstJob& f, const std::string& folder, Bundle& bundle) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(f.group)];
  const LinpackProgram program = program_of(g, f);
  const std::string name(program_name(program));
  bundle.open(folder + "hpl.sbatch", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  out += hpl_comment(program, f);
  head(in, f, "hpl", kHplMinutes, out);
  out +=
      "set -u\ncd \"${SLURM_SUBMIT_DIR:?submit this script with sbatch}\" || exit 1\n"
      "[ -e HPL.dat ] || { echo \"no HPL.dat here: submit the job in its own folder\" >&2; exit 2; }\n";
  out += bind_comment(f.places);
  if (program == LinpackProgram::nvidia) out += in_container(g, f);
  out += "program=${HPL:?the program: HPL=/PATH/" + name + " sbatch hpl.sbatch}\n";
  if (f.gpus == 0) out += "export OMP_NUM_THREADS=1\n";
  out += srun_of(f) + " \"$program\"" + arguments_of(program, f, "$PWD") + " \"$@\"\n";
  bundle.close();
}

// The same by Open MPI's mpirun, without the scheduler.
void hpl_mpirun(const CompileInput& in, const FirstJob& f, const std::string& folder, Bundle& bundle) {
  const LinpackProgram program = program_of(in.cluster.nodes[static_cast<std::size_t>(f.group)], f);
  const std::string name(program_name(program));
  bundle.open(folder + "hpl-mpirun.sh", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  out += hpl_comment(program, f);
  out += "# Without Slurm, by Open MPI: HPL=/PATH/" + name +
         " ./hpl-mpirun.sh HOSTFILE\n# HOSTFILE: a line for each of " + std::to_string(f.nodes) +
         " nodes, NODE slots=" + std::to_string(f.ranks) + "\n";
  out += "set -u\nprogram=${HPL:?the program: HPL=/PATH/" + name +
         " ./hpl-mpirun.sh HOSTFILE}\nhosts=$(realpath -- \"${1:?the file of the hosts}\") || exit 2\nshift\n"
         "cd \"$(dirname -- \"$0\")\" || exit 1\n";
  out += "exec mpirun -n " + std::to_string(f.nodes * f.ranks) +
         " --hostfile \"$hosts\" --map-by ppr:" + std::to_string(f.ranks) + ":node " +
         (f.gpus == 0 ? "--bind-to core -x OMP_NUM_THREADS=1" : "--bind-to none") + " --wdir \"$PWD\" \"$program\"" +
         arguments_of(program, f, "$PWD") + " \"$@\"\n";
  bundle.close();
}

}  // namespace

void emit_first(const CompileInput& in, const FirstJob& f, Bundle& bundle) {
  const std::string folder = "jobs/first/" + in.cluster.nodes[static_cast<std::size_t>(f.group)].name + "/";
  if (f.gpus > 0) nccl(in, f, folder, bundle);
  if (f.order > 0) {
    hpl(in, f, folder, bundle);
    hpl_mpirun(in, f, folder, bundle);
    bundle.open(folder + "HPL.dat", "jobs");
    bundle.text() += hpl_dat({f.order, f.block, f.rows, f.columns}, "made by clusterc: N fills " + f.order_sum);
    bundle.close();
  }
}

}  // namespace clusterc
