// The ConfigMap of a training job: its figures, and what each pod runs. The files are those of a job of Slurm, but for
// what Kubernetes gives in other ways: the number of a pod, the end of its time.
#include "base/text.h"
#include "compile/job_launch.h"
#include "compile/job_settings.h"
#include "compile/kubernetes/workloads.h"
#include "model/cluster.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

constexpr std::string_view kBegin = R"sh(set -u
# shellcheck source=/dev/null
. /job/settings.sh
)sh";
// Kubernetes ends a pod by TERM. The program then saves and ends with status 0, which Kubernetes takes for a finished
// job: the pod ends with 143 (128 + TERM) instead, and is started again.
constexpr std::string_view kTold = R"sh(told=
trap 'told=yes; tell' TERM
trap '[ -z "$told" ] || exit 143' EXIT
)sh";
constexpr std::string_view kTorchrun =
    R"sh((trap '' USR1; exec torchrun --nnodes="$PLAN_NODES" --nproc-per-node="$PLAN_PROCESSES" --node-rank="$NODE_RANK" \
  --master-addr="$MASTER_ADDR" --master-port="$MASTER_PORT" --max-restarts=0 )sh";
constexpr std::string_view kMegatron = R"sh(arguments=()
while IFS= read -r word; do
  case $word in '' | '#'*) ;; *) arguments+=("$word") ;; esac
done < /job/megatron.args
arguments+=(--save "$CHECKPOINTS" --load "$CHECKPOINTS")
)sh";
constexpr std::string_view kDeepSpeed = R"sh(for ((node = 0; node < PLAN_NODES; ++node)); do
  echo "${MASTER_ADDR/-0-0./-0-$node.} slots=$PLAN_PROCESSES"
done > /tmp/hosts
(trap '' USR1; exec deepspeed --hostfile /tmp/hosts --no_ssh --node_rank "$NODE_RANK" \
  --master_addr "$MASTER_ADDR" --master_port "$MASTER_PORT" "$TRAIN" --deepspeed --deepspeed_config /job/ds_config.json "$@") &
)sh";
// A process for each GPU; jax.distributed.initialize() gets its arguments from these variables.
constexpr std::string_view kJax =
    R"sh(export JAX_COORDINATOR_ADDRESS=$MASTER_ADDR:$MASTER_PORT JAX_NUM_PROCESSES=$PLAN_WORLD
pids=()
for ((local = 0; local < PLAN_PROCESSES; ++local)); do
  (trap '' USR1; JAX_PROCESS_ID=$((NODE_RANK * PLAN_PROCESSES + local)) JAX_LOCAL_DEVICE_IDS=$local exec "${PYTHON:-python3}" "$TRAIN" "$@") &
  pids+=($!)
done
tell() { kill -USR1 "${pids[@]}" 2> /dev/null; }
)sh";
// The first that fails ends the others: they would wait for it.
constexpr std::string_view kJaxEnd = R"sh(left=${#pids[@]}
while [ "$left" -gt 0 ]; do
  wait -n
  status=$?
  [ -n "$told" ] && [ "$status" -gt 128 ] && continue   # the signal ended the wait, not a process
  left=$((left - 1))
  if [ "$status" -ne 0 ]; then
    kill -KILL "${pids[@]}" 2> /dev/null
    exit "$status"
  fi
done
)sh";
constexpr std::string_view kPython = "exec \"${PYTHON:-python3}\" \"$TRAIN\" \"$@\"\n";

bool saves(const Job& j) { return j.saves && !j.checkpoints.empty(); }

std::string settings(const KubernetesOutput& o, const Job& j) {
  std::string out = "# shellcheck shell=bash\n";
  ShellWriter w(out);
  const NodeGroupModel& g = o.in.cluster.nodes[static_cast<std::size_t>(j.group)];
  plan_settings(g, j, w);
  w.blank();
  w.export_("TRAIN", *j.workload->launcher->script);
  if (saves(j)) {
    w.export_("CHECKPOINTS", j.checkpoints + "/checkpoints/" + j.name);
    out += "mkdir -p \"$CHECKPOINTS\" || exit 1\n";
  }
  w.export_("OMP_NUM_THREADS", openmp_threads(g, j));
  launcher_settings(j, w);
  // NCCL finds its peers over the network that every pod has; the rails are further interfaces.
  w.export_("NCCL_SOCKET_IFNAME", "eth0");
  if (j.launcher != JobLauncher::ray && j.launcher != JobLauncher::horovod && j.launcher != JobLauncher::mpi) {
    w.export_("MASTER_ADDR", service_of(j)).export_("MASTER_PORT", 29500);
    out += "export NODE_RANK=${JOB_COMPLETION_INDEX:-0}   # of an indexed Job\n";
  }
  return out;
}

std::string launch(const Job& j) {
  std::string out = "#!/bin/bash\n";
  out += "# shellcheck disable=SC2317,SC2329  # the traps call the functions\n";
  out += kBegin;
  const bool megatron = j.launcher == JobLauncher::megatron;
  switch (j.launcher) {
    case JobLauncher::torchrun:
    case JobLauncher::megatron:
      if (megatron) out += kMegatron;
      out += kTorchrun;
      out += megatron ? "\"$TRAIN\" \"${arguments[@]}\" \"$@\") &\n" : "\"$TRAIN\" \"$@\") &\n";
      out += kWatchProcesses;
      out += tell_processes(megatron ? "TERM" : "USR1", false, {});
      break;
    case JobLauncher::deepspeed:
      out += kDeepSpeed;
      out += kWatchProcesses;
      out += tell_processes("USR1", true, {});
      break;
    case JobLauncher::jax:
      out += kJax;
      out += kTold;
      return out += kJaxEnd;
    case JobLauncher::ray:
    case JobLauncher::horovod:
      return out += kPython;
    case JobLauncher::mpi:
      return out += "exec \"$TRAIN\" \"$@\"\n";
  }
  out += kTold;
  return out += kWaitForProcesses;
}

}  // namespace

bool uses_trainer(const Job& j) {
  using enum JobLauncher;
  return j.launcher != horovod && j.launcher != mpi && j.launcher != ray && j.workload->launcher &&
         j.workload->launcher->job_operator.value_or("jobset") == "trainer";
}
std::string_view replicated_job(const Job& j) { return uses_trainer(j) ? "node" : "workers"; }
std::string service_of(const Job& j) { return j.name + "-" + std::string(replicated_job(j)) + "-0-0." + j.name; }

void emit_job_config(const KubernetesOutput& o, const Job& j, ObjectFile& file) {
  YamlWriter& y = file.object("v1", "ConfigMap", j.name, j.account);
  y.map("data");
  y.field("settings.sh", settings(o, j)).field("launch.sh", launch(j));
  std::string text;
  if (j.launcher == JobLauncher::deepspeed) {
    append_deepspeed_config(j, text);
    y.field("ds_config.json", text);
  }
  if (j.launcher == JobLauncher::megatron) {
    append_megatron_arguments(j, text);
    y.field("megatron.args", text);
  }
  y.end_map();
}

}  // namespace clusterc
