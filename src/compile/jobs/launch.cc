// launch.sh: what each task of the step runs.
#include "compile/job_launch.h"
#include "compile/jobs/files.h"

namespace clusterc {
namespace {

constexpr std::string_view kTorchrun =
    R"sh((trap '' USR1; exec torchrun --nnodes="$SLURM_NNODES" --nproc-per-node="$PLAN_PROCESSES" --node-rank="$SLURM_NODEID" \
  --master-addr="$MASTER_ADDR" --master-port="$MASTER_PORT" --max-restarts=0 )sh";

void torchrun(const Job& j, std::string& out) {
  out +=
      "# One on each node. torchrun starts a process for each GPU; ranks follow Slurm's order of the nodes.\nset -u\n";
  const bool megatron = j.launcher == JobLauncher::megatron;
  if (megatron)
    out +=
        "arguments=()\nwhile IFS= read -r word; do\n  case $word in '' | '#'*) ;; *) arguments+=(\"$word\") ;; "
        "esac\ndone < \"$JOB_FOLDER/megatron.args\"\n"
        "arguments+=(--save \"$CHECKPOINTS\" --load \"$CHECKPOINTS\")\n";
  out += kTorchrun;
  out += megatron ? "\"$TRAIN\" \"${arguments[@]}\" \"$@\") &\n" : "\"$TRAIN\" \"$@\") &\n";
  out += kWatchProcesses;
  // Every release of Megatron-LM saves at SIGTERM (--exit-signal-handler); --exit-signal is newer.
  out += tell_processes(megatron ? "TERM" : "USR1", false);
  out += kWaitForProcesses;
}

constexpr std::string_view kDeepSpeed =
    R"sh(# One on each node: DeepSpeed's own launcher, without ssh. Ranks follow Slurm's order of the nodes.
set -u
(trap '' USR1; exec deepspeed --hostfile "$CHECKPOINTS/hosts.$SLURM_JOB_ID" --no_ssh --node_rank "$SLURM_NODEID" \
  --master_addr "$MASTER_ADDR" --master_port "$MASTER_PORT" "$TRAIN" --deepspeed --deepspeed_config "$JOB_FOLDER/ds_config.json" "$@") &
)sh";
constexpr std::string_view kRay =
    R"sh(# One on each node: Ray's head on the first, workers on the others, and the script on the first once all have joined.
set -u
trap '' USR1
end=$CHECKPOINTS/.ended.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}
words=(ray symmetric-run --address "$MASTER_ADDR:$MASTER_PORT" --min-nodes "$SLURM_NNODES" --num-cpus "$PLAN_CPUS" --num-gpus "$PLAN_GPUS"
  -- "${PYTHON:-python3}" "$TRAIN" "$@")
if [ "$SLURM_NODEID" = 0 ]; then
  "${words[@]}"
  status=$?
  : > "$end"
  exit "$status"
fi
"${words[@]}" &
)sh";
// A worker ends with the script, not only when it misses the head: its daemon is the child of what was started.
constexpr std::string_view kRayEnd = R"sh(until [ -e "$end" ]; do
  kill -0 "$run" 2> /dev/null || { wait "$run"; exit; }
  sleep 5
done
for pid in $(children "$run"); do kill -TERM "$pid"; done
wait "$run"
exit 0
)sh";
constexpr std::string_view kPython = R"sh(set -u
trap '' USR1   # a script that does not ask for the signal is not ended by it
exec "${PYTHON:-python3}" "$TRAIN" "$@"
)sh";
constexpr std::string_view kProgram = R"sh(# One for each rank of MPI.
set -u
trap '' USR1
exec "$TRAIN" "$@"
)sh";

bool is_watched(JobLauncher l) {
  return l == JobLauncher::torchrun || l == JobLauncher::megatron || l == JobLauncher::deepspeed;
}

}  // namespace

void emit_launch(const CompileInput& in, const Job& j, Bundle& bundle) {
  bundle.open(job_folder(j) + "launch.sh", "jobs", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/bash\n";
  out += made_by(in, "");
  if (is_watched(j.launcher)) out += "# shellcheck disable=SC2317,SC2329  # the trap calls the functions\n";
  switch (j.launcher) {
    case JobLauncher::torchrun:
    case JobLauncher::megatron:
      torchrun(j, out);
      break;
    case JobLauncher::deepspeed:
      out += kDeepSpeed;
      out += kWatchProcesses;
      out += tell_processes("USR1", true);
      out += kWaitForProcesses;
      break;
    case JobLauncher::ray:
      out += kRay;
      out += kWatchProcesses;
      out += kRayEnd;
      break;
    case JobLauncher::jax:
      out +=
          "# One for each GPU: jax.distributed.initialize() finds coordinator, ranks and its GPU in Slurm's "
          "variables.\n";
      out += kPython;
      break;
    case JobLauncher::horovod:
      out += "# One for each GPU: Horovod gets its ranks from MPI.\n";
      out += kPython;
      break;
    case JobLauncher::mpi:
      out += kProgram;
      break;
  }
  bundle.close();
}

}  // namespace clusterc
