// README.md of a workload: its figures, how it is started, what its script has to do.
#include "base/quantity.h"
#include "base/text.h"
#include "compile/jobs/files.h"
#include "model/cluster.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void row(std::string& out, std::string_view what, const std::string& value) {
  ((out += "| ").append(what) += " | ") += value + " |\n";
}

std::string number(std::int64_t n) { return std::to_string(n); }

void figures(const CompileInput& in, const Job& j, std::string& out) {
  out += "\n| figure | value |\n| --- | --- |\n";
  row(out, "nodes of `" + in.cluster.nodes[static_cast<std::size_t>(j.group)].name + "`",
      j.nodes == j.asked ? number(j.nodes)
                         : number(j.nodes) + " of " + number(j.asked) + ": the split has no work for more");
  row(out, "processes", number(j.nodes) + " x " + number(j.processes) + " = " + number(j.world()));
  // Not in the script: the topology plugin looks for the fewest by itself, and a job that waits for them would start
  // later after each failure of a node.
  if (j.switches > 0)
    row(out, "fewest leaf switches",
        number(j.switches) + ": Slurm looks for them; `sbatch --switches=" + number(j.switches) + "` waits for them");
  if (j.split) {
    const JobSplit& s = *j.split;
    row(out, "tensor x pipeline x context x data",
        number(s.tensor) + " x " + number(s.pipeline) + " x " + number(s.context) + " x " + number(s.data) + " = " +
            number(s.processes()));
    if (s.expert > 1) row(out, "expert", number(s.expert));
    if (s.interleave > 1) row(out, "chunks of layers on each stage", number(s.interleave));
    row(out, "data x micro batch x accumulation",
        number(s.data) + " x " + number(s.micro_batch) + " x " + number(s.accumulation) + " = " + number(s.batch) +
            " sequences of " + number(s.sequence) + " tokens");
  }
  if (j.step) row(out, "time of a step, as planned", to_text(*j.step));
  if (j.steps) row(out, "steps", number(*j.steps));
  if (j.checkpoint_every)
    row(out, "time between checkpoints",
        to_text(*j.checkpoint_every) + (j.every_assumed ? ", assumed" : "") +
            (j.checkpoint_steps ? " (" + number(*j.checkpoint_steps) + " steps)" : ""));
  row(out, "time limit of one start", j.limit ? number(*j.limit) + " min" : "none: `sbatch --time=…` sets one");
  if (j.is_warned()) row(out, "signal before the limit", number(j.warning) + " s: " + j.warning_sum);
}

void at_limit(const Job& j, std::string& out) {
  out += "- **Time limit.** ";
  if (!j.saves) {
    out +=
        "Slurm ends the job. The spec names no checkpoints (`checkpoint_every`), so a new start would begin anew: the "
        "job is not requeued.\n";
    return;
  }
  if (!j.saves_when_told()) {
    out += j.requeues ? "The job goes back into the queue. " : "Slurm ends the job. ";
    out += "Ray's workers get no signal: what they did since the last checkpoint is lost.\n";
    return;
  }
  out += "The signal " + std::string(j.launcher == JobLauncher::megatron ? "SIGTERM" : "SIGUSR1") +
         " reaches every process that trains. They save and end, and the job ";
  out += j.requeues ? "goes back into the queue.\n" : "ends.\n";
}

void resume(const Job& j, std::string& out) {
  out += "\n## Interruptions\n\n- **A node fails.** Slurm ends the job";
  if (j.requeues) {
    out += " and puts it back into the queue (`--requeue`). It starts on other nodes ";
    out += j.saves ? "and goes on from its last checkpoint.\n" : "and begins anew.\n";
  } else {
    out += ". It is not started again (`requeue: false` of the spec).\n";
  }
  at_limit(j, out);
  if (j.saves) out += "- **The script fails.** The job ends with its status. It is not started again.\n";
  if (j.saves && !j.requeues)
    out +=
        "\nTo resume a job that ended, submit it again in this folder, with the same variables: `sbatch job.sbatch`. "
        "It "
        "goes on from its last checkpoint.\n";
}

// `PLAN_PIPELINE` and the others are set where the plan has a split.
void mesh(const Job& j, std::string_view call, std::string_view what, std::string& out) {
  (out += "- call `").append(call) += "`, and ";
  if (j.split)
    (out += "make its ").append(what) +=
        " pipeline, data, context, tensor, in this order, with the sizes `PLAN_PIPELINE`, `PLAN_DATA`, "
        "`PLAN_CONTEXT`, `PLAN_TENSOR`;\n";
  else
    out += "divide model and batch among its `PLAN_WORLD` processes by itself;\n";
}

void duties(const Job& j, std::string& out) {
  out +=
      "\n## The script\n\n`TRAIN` is the script; arguments behind `job.sbatch` are handed to it. It gets the figures "
      "above as variables (`settings.sh`), and has to\n\n";
  switch (j.launcher) {
    case JobLauncher::megatron:
      out +=
          "- be a program of Megatron-LM, such as `pretrain_gpt.py`. `megatron.args` has the arguments of model and "
          "split; data, tokenizer and learning rate are arguments of `sbatch`. `--save` and `--load` name the "
          "folder of the checkpoints. The spec does not say everything of a model: normalization, bias and position "
          "embedding are yours to add, for a Llama for example `--normalization RMSNorm --disable-bias-linear "
          "--position-embedding-type rope`.\n";
      return;
    case JobLauncher::deepspeed:
      out +=
          "- call `deepspeed.add_config_arguments()` and `deepspeed.initialize()`: `ds_config.json` has batch and "
          "ZeRO stage. ";
      out += j.split && j.split->pipeline > 1 ? "Its `PipelineModule` has `PLAN_PIPELINE` stages;\n"
                                              : "Optimizer and learning rate are the script's;\n";
      break;
    case JobLauncher::ray:
      out +=
          "- use `ScalingConfig(num_workers=PLAN_WORLD, use_gpu=True)` and `RunConfig(storage_path=CHECKPOINTS, "
          "name=…)` with one name for all starts. Ray 2.49 or newer is needed (`ray symmetric-run`);\n";
      break;
    case JobLauncher::jax:
      mesh(j, "jax.distributed.initialize()", "mesh of the axes", out);
      break;
    case JobLauncher::horovod:
      out += "- call `hvd.init()`. Horovod must be built with MPI;\n";
      break;
    case JobLauncher::mpi:
      out += "- be a program of the MPI library that Slurm starts (`srun --mpi`);\n";
      break;
    case JobLauncher::torchrun:
      mesh(j, "init_process_group()", "device mesh of the dimensions", out);
      break;
  }
  if (!j.saves) {
    out += "- end with status 0 when it is done.\n";
    return;
  }
  out += "- load the newest complete checkpoint of the folder `CHECKPOINTS` when it starts, if there is one;\n";
  if (j.saves_when_told()) out += "- save a checkpoint and end with status 0 after the signal SIGUSR1;\n";
  out += "- save under another name first and rename, so that a kill at any moment leaves the checkpoint before it.\n";
  if (j.launcher == JobLauncher::torchrun)
    out += "\n`examples/train/train.py` of clusterc is a small script that does all of it.\n";
}

}  // namespace

void emit_job_readme(const CompileInput& in, const Job& j, Bundle& bundle) {
  bundle.open(job_folder(j) + "README.md", "jobs");
  std::string& out = bundle.text();
  out += "<!--\n";
  out += made_by(in, "", "");
  out += "-->\n\n# Workload " + code_text(j.name) + "\n\n";
  out += "Copy this folder to a file system that all nodes mount, and submit the job there:\n\n```sh\n";
  const auto& launcher = j.workload->launcher;
  if (!launcher || !launcher->script)
    out += "export TRAIN=/PATH/" + std::string(j.launcher == JobLauncher::mpi ? "program" : "train.py") + "\n";
  if (j.saves && j.checkpoints.empty()) out += "export CHECKPOINTS=/PATH\n";
  out += "sbatch job.sbatch\n```\n\n";
  out += "Variables that change it: `TRAIN`";
  if (j.saves)
    out += ", `CHECKPOINTS` (the folder of the checkpoints" +
           (j.checkpoints.empty() ? std::string(", needed)") : "; left out: below " + code_text(j.checkpoints) + ")");
  out += j.image.empty() ? ".\n" : ", `IMAGE`.\n";
  if (!j.split && !j.unknown.empty())
    out += "\nThe plan has no split for this workload (" + one_line(j.unknown) + "): the job has its nodes" +
           (j.gres.empty() ? "" : " and GPUs") + ", and the script divides the model.\n";
  figures(in, j, out);
  resume(j, out);
  duties(j, out);
  bundle.close();
}

}  // namespace clusterc
