// jobs/: what starts the workloads of the spec under Slurm, and the first jobs of a new cluster.
#include <algorithm>

#include "base/text.h"
#include "compile/jobs/files.h"
#include "spec/software.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

bool wants_jobs(const Cluster& c) {
  const auto& s = c.spec.software->scheduler;
  return s && s->kind && *s->kind == SchedulerKind::slurm &&
         std::any_of(c.nodes.begin(), c.nodes.end(),
                     [&](const NodeGroupModel& g) { return g.count > 0 && runs_slurmd(c, g); });
}

// Slurm never starts a first job of a team whose quota is smaller than the group.
void quotas(const CompileInput& in, const JobFacts& facts, std::string& out) {
  std::string rows;
  for (const FirstJob& f : facts.first)
    for (const JobQuota& q : f.too_small)
      rows += "| " + code_text(q.team) + " | `" + in.cluster.nodes[static_cast<std::size_t>(f.group)].name + "` | " +
              std::to_string(f.nodes) + " | " + std::to_string(q.nodes) + " |\n";
  if (rows.empty()) return;
  out +=
      "\nThe quotas of these teams are smaller than a first job: Slurm would never start it for their users. Submit it "
      "as a user of another team, or nccl-tests on fewer nodes, with `sbatch --nodes=NUMBER`. For HPL on fewer nodes, "
      "write `Ps`, `Qs` and `Ns` of `HPL.dat` anew: P x Q is the number of ranks, and N is smaller by the square root "
      "of the share of the nodes.\n\n| team | group | nodes of the job | nodes of the quota |\n| --- | --- | --- | --- "
      "|\n";
  out += rows;
}

void emit_readme(const CompileInput& in, const JobFacts& facts, Bundle& bundle) {
  bundle.open("jobs/README.md", "jobs");
  std::string& out = bundle.text();
  out += "<!--\n";
  out += made_by(in, "", "");
  out += "-->\n\n# Jobs\n\n";
  out +=
      "Copy this folder to a file system that all nodes mount. Submit each job in its own folder, because its script "
      "reads the files beside it.\n";
  if (!facts.first.empty()) {
    out +=
        "\n## First jobs\n\nRun them on a new cluster, and after each large change. Neither program is installed by an "
        "output: name them in the variables, or use a container image that has them.\n\n| folder | job | nodes | "
        "ranks |\n| --- | --- | --- | --- |\n";
    for (const FirstJob& f : facts.first) {
      const std::string folder = "`first/" + in.cluster.nodes[static_cast<std::size_t>(f.group)].name + "`";
      const std::string counts = " | " + std::to_string(f.nodes) + " | " + std::to_string(f.nodes * f.ranks) + " |\n";
      if (f.gpus > 0) out += "| " + folder + " | `NCCL_TESTS=FOLDER sbatch nccl-tests.sbatch`" + counts;
      if (f.order > 0) out += "| " + folder + " | `HPL=PROGRAM sbatch hpl.sbatch`" + counts;
    }
    quotas(in, facts, out);
    out +=
        "\nHPL: `hpl.sh` of NVIDIA's HPC Benchmarks for NVIDIA's GPUs, `run_rochpl` of rocHPL for AMD's, `xhpl` for "
        "hosts. "
        "The scripts pass N, NB and the grid. `HPL=PROGRAM ./hpl-mpirun.sh HOSTFILE` is the same run without Slurm. "
        "`clusterc validate SPEC --only hpl --hpl PROGRAM` starts the program and judges its result.\n";
    out += "\n`clusterc plan` prints the figures to expect (*Expected figures*).\n";
  }
  if (!facts.jobs.empty()) {
    out += "\n## Workloads\n\n| folder | launcher | nodes | processes |\n| --- | --- | --- | --- |\n";
    for (const Job& j : facts.jobs)
      out += "| [`workload/" + j.name + "`](workload/" + j.name + "/README.md) | " +
             std::string(launcher_word(j.launcher)) + " | " + std::to_string(j.nodes) + " | " +
             std::to_string(j.world()) + " |\n";
  }
  if (!facts.left.empty()) {
    out += "\n## Workloads without a job\n\n";
    for (const JobLeft& l : facts.left) out += "- " + code_text(l.name) + ": " + l.why + ".\n";
  }
  bundle.close();
}

void emit_jobs(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const JobFacts& facts = job_facts(in.system);
  for (const Job& j : facts.jobs) {
    emit_batch(in, j, bundle);
    emit_launch(in, j, bundle);
    emit_settings(in, j, bundle);
    emit_job_readme(in, j, bundle);
  }
  for (const FirstJob& f : facts.first) emit_first(in, f, bundle);
  emit_readme(in, facts, bundle);
  check_extra_files(in, "jobs", {}, findings);
}

}  // namespace

std::string job_folder(const Job& j) { return "jobs/workload/" + j.name + "/"; }

void sbatch_line(std::string& out, std::string_view name, std::string_view value) {
  (out += "#SBATCH --").append(name);
  if (!value.empty()) (out += '=').append(value);
  out += '\n';
}

std::string bind_comment(RankPlaces places) {
  std::string out =
      "# block:block: ranks fill the sockets of a node one after another; Slurm's default deals them out to the "
      "sockets "
      "in turn (srun(1), --distribution).\n";
  if (places == RankPlaces::near) out += "# So rank N of a node is on the socket of its GPU N, as the plan has them.\n";
  if (places == RankPlaces::unknown)
    out +=
        "# The plan does not know which GPU is on which socket: compare with `nvidia-smi topo -m` or `rocm-smi "
        "--showtopo`.\n";
  if (places == RankPlaces::elsewhere)
    out +=
        "# As the plan has them, some GPU N is not on the socket of rank N: the program should choose the GPU that is "
        "near to its cores.\n";
  return out;
}

std::string code_text(std::string_view text) {
  std::string out = one_line(text);
  std::replace(out.begin(), out.end(), '`', '\'');
  return "`" + out + "`";
}

extern const Output kJobsOutput;  // registry.cc names it
const Output kJobsOutput{
    .id = "jobs",
    .summary =
        "job scripts for each workload as the plan divides it (torchrun, DeepSpeed, Megatron-LM, Ray, JAX, Horovod, "
        "MPI), with checkpoints and requeue, and first jobs: nccl-tests, HPL",
    .consumers = "sbatch and srun of Slurm 22.05 and newer; the launchers named",
    .wanted = wants_jobs,
    .emit = emit_jobs,
};

}  // namespace clusterc
