// settings.sh, ds_config.json, megatron.args: the plan's figures in the words of each launcher.
#include "base/text.h"
#include "compile/job_settings.h"
#include "compile/jobs/files.h"
#include "model/cluster.h"
#include "spec/workload.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// A value that whoever submits the job may set: NAME=value sbatch job.sbatch.
void choice(std::string& out, std::string_view name, std::string_view value) {
  ((out += "if [ -z \"${").append(name) += ":-}\" ]; then ").append(name) += '=';
  append_shell_word(out, value);
  out += "; fi\n";
}

void settings(const CompileInput& in, const Job& j, Bundle& bundle) {
  bundle.open(job_folder(j) + "settings.sh", "jobs");
  std::string& out = bundle.text();
  out += "# shellcheck shell=bash disable=SC2089,SC2090  # quotes in texts of the spec belong to them\n";
  out += made_by(in, "");
  out += "# Read by job.sbatch; launch.sh and the training script get the variables.\n";
  ShellWriter w(out);
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(j.group)];
  plan_settings(g, j, w);
  w.blank();
  if (j.workload->launcher && j.workload->launcher->script)
    choice(out, "TRAIN", *j.workload->launcher->script);
  else
    out += ": \"${TRAIN:?the program is not set: TRAIN=/PATH/" +
           std::string(j.launcher == JobLauncher::mpi ? "program" : "train.py") + " sbatch job.sbatch}\"\n";
  if (!j.saves) {
    out += "export TRAIN\n";
  } else if (j.checkpoints.empty()) {
    out +=
        ": \"${CHECKPOINTS:?the folder of the checkpoints is not set, and the nodes share no file system of the "
        "spec: CHECKPOINTS=/PATH sbatch job.sbatch}\"\n";
  } else {
    out += "if [ -z \"${CHECKPOINTS:-}\" ]; then CHECKPOINTS=";
    append_shell_word(out, j.checkpoints);
    out += "/\"${USER:-$(id -un)}\"/checkpoints/" + j.name + "; fi\n";
  }
  if (j.saves) out += "export TRAIN CHECKPOINTS\n";
  if (!j.image.empty()) {
    choice(out, "IMAGE", j.image);
    std::string mounts;
    for (const std::string& m : j.mounts) mounts += m + ":" + m + ",";
    w.export_("SHARED_MOUNTS", mounts);
  }
  choice(out, "OMP_NUM_THREADS", std::to_string(openmp_threads(g, j)));
  out += "export OMP_NUM_THREADS\n";
  launcher_settings(j, w);
  bundle.close();
}

}  // namespace

void emit_settings(const CompileInput& in, const Job& j, Bundle& bundle) {
  settings(in, j, bundle);
  if (j.launcher == JobLauncher::deepspeed) {
    bundle.open(job_folder(j) + "ds_config.json", "jobs");
    append_deepspeed_config(j, bundle.text());
    bundle.close();
  }
  if (j.launcher == JobLauncher::megatron) {
    bundle.open(job_folder(j) + "megatron.args", "jobs");
    bundle.text() += made_by(in, "");
    append_megatron_arguments(j, bundle.text());
    bundle.close();
  }
}

}  // namespace clusterc
