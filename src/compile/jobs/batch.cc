// job.sbatch: the request for nodes; the step that runs launch.sh on them; what happens before the time limit.
#include "compile/jobs/files.h"
#include "model/cluster.h"
#include "system/containers.h"
#include "system/slurm.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kBegin = R"sh(set -u
here=${SLURM_SUBMIT_DIR:?submit this script with sbatch}
if [ ! -e "$here/launch.sh" ] || [ ! -e "$here/settings.sh" ]; then
  echo "$here has no launch.sh and settings.sh: submit the job in its own folder, on a file system that all nodes mount" >&2
  exit 2
fi
# shellcheck source=/dev/null
. "$here/settings.sh"
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1
MASTER_ADDR=${hosts%%$'\n'*}
MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))   # below the ports that the kernel hands out
JOB_FOLDER=$here
export MASTER_ADDR MASTER_PORT JOB_FOLDER
echo "start $((${SLURM_RESTART_COUNT:-0} + 1)) of job $SLURM_JOB_ID on $SLURM_JOB_NODELIST${CHECKPOINTS:+, checkpoints in $CHECKPOINTS}"
)sh";

constexpr std::string_view kMounts = R"sh(mounts=$SHARED_MOUNTS$here:$here
for file in /etc/nccl.conf /etc/rccl.conf /etc/ucx/ucx.conf; do
  if [ -e "$file" ]; then mounts=$mounts,$file:$file:ro; fi
done
)sh";

constexpr std::string_view kRun = R"sh("${run[@]}" bash "$here/launch.sh" "$@" &
step=$!
wait "$step"
status=$?
)sh";

// A node that fails ends the job; Slurm itself puts it back into the queue where the spec wants that (--requeue).
constexpr std::string_view kTrap = R"sh(step='' stop=''
trap 'stop=yes; if [ -n "$step" ]; then kill -USR1 "$step" 2> /dev/null; fi' USR1   # srun hands it to launch.sh on each node
)sh";
constexpr std::string_view kTrapAlone = R"sh(step='' stop=''
trap 'stop=yes' USR1
)sh";
constexpr std::string_view kRequeue = R"sh(  echo "the time limit is near: the job goes back into the queue"
  scontrol requeue "$SLURM_JOB_ID" || exit 1
  exit 0
fi
)sh";
// Without a requeue: `wait` returned at the signal, and the step ends by itself once all have saved.
constexpr std::string_view kEnd =
    R"sh(  echo "the time limit is near: the processes save and end; sbatch job.sbatch goes on from there"
  while kill -0 "$step" 2> /dev/null; do
    wait "$step"
    status=$?
  done
fi
)sh";

void request(const CompileInput& in, const Job& j, std::string& out) {
  sbatch_line(out, "job-name", j.name);
  sbatch_line(out, "partition", slurm_partition_name(in.cluster, j.group));
  if (!j.account.empty()) sbatch_line(out, "account", j.account);
  sbatch_line(out, "nodes", std::to_string(j.nodes));
  sbatch_line(out, "ntasks-per-node", std::to_string(j.tasks));
  if (j.tasks > 1) sbatch_line(out, "cpus-per-task", std::to_string(j.cpus));
  if (!j.gres.empty()) sbatch_line(out, "gres", j.gres);
  sbatch_line(out, "exclusive");
  sbatch_line(out, "mem", "0");
  if (j.limit) sbatch_line(out, "time", std::to_string(*j.limit));
  if (j.requeues) sbatch_line(out, "requeue");
  sbatch_line(out, "open-mode", "append");
  sbatch_line(out, "output", "%x-%j.out");
  if (j.is_warned()) {
    out += "# seconds before the time limit: " + j.warning_sum + "\n";
    sbatch_line(out, "signal", "B:USR1@" + std::to_string(j.warning));
  }
}

void step(const CompileInput& in, const Job& j, std::string& out) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(j.group)];
  if (j.container != JobContainer::none && !j.image.empty()) out += kMounts;
  if (j.tasks > 1) out += bind_comment(j.places);
  out += "run=(srun --kill-on-bad-exit=1";
  if (!j.mpi.empty()) out += " --mpi=" + j.mpi;
  if (j.tasks > 1)
    (out += " --cpus-per-task=" + std::to_string(j.cpus)).append(kBindRanks);
  else
    out += " --cpu-bind=none";
  if (!j.image.empty() && j.container == JobContainer::pyxis)
    out += " \\\n  --container-image=\"$IMAGE\" --container-mounts=\"$mounts\" --container-workdir=\"$here\"";
  if (!j.image.empty() && j.container == JobContainer::apptainer) {
    out += " \\\n  apptainer exec";
    if (g.server.gpu_count > 0) out += has_gpus_of(g, Vendor::amd) ? " --rocm" : " --nv";
    out += " --bind \"$mounts\" \"$IMAGE\"";
  }
  out += ")\n";
  out += kRun;
}

}  // namespace

void emit_batch(const CompileInput& in, const Job& j, Bundle& bundle) {
  bundle.open(job_folder(j) + "job.sbatch", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  out += "# Starts workload '" + j.name + "' (README.md). In this folder: sbatch job.sbatch [ARGUMENTS]\n";
  request(in, j, out);
  out += kBegin;
  if (j.saves) out += "mkdir -p \"$CHECKPOINTS\" || exit 1\n";
  if (j.launcher == JobLauncher::deepspeed)
    out +=
        "while read -r host; do echo \"$host slots=$PLAN_PROCESSES\"; done <<< \"$hosts\" > "
        "\"$CHECKPOINTS/hosts.$SLURM_JOB_ID\" || exit 1\n";
  if (j.is_warned()) out += j.saves_when_told() ? kTrap : kTrapAlone;
  step(in, j, out);
  if (j.is_warned()) {
    out += "if [ -n \"$stop\" ]; then\n";
    if (j.requeues && j.saves_when_told()) {
      constexpr std::int64_t kReserve = 30;  // seconds for the requeue itself
      out +=
          "  # Processes that do not end keep their place in the queue, and lose what they did since their last "
          "checkpoint.\n  for ((left = " +
          std::to_string(std::max<std::int64_t>(1, j.warning - kReserve)) +
          "; left > 0; --left)); do\n    kill -0 \"$step\" 2> /dev/null || break\n    sleep 1\n  done\n";
    }
    out += j.requeues ? kRequeue : kEnd;
  }
  out += "exit \"$status\"\n";
  bundle.close();
}

}  // namespace clusterc
