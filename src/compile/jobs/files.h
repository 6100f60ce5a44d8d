// The files of the output jobs, each by a function of its own.
#pragma once
#include <string>
#include <string_view>

#include "compile/common.h"
#include "system/jobs.h"

namespace clusterc {

// jobs/workload/NAME/
std::string job_folder(const Job&);
void emit_batch(const CompileInput&, const Job&, Bundle&);       // job.sbatch
void emit_launch(const CompileInput&, const Job&, Bundle&);      // launch.sh
void emit_settings(const CompileInput&, const Job&, Bundle&);    // settings.sh, ds_config.json, megatron.args
void emit_job_readme(const CompileInput&, const Job&, Bundle&);  // README.md
// jobs/first/GROUP/: nccl-tests.sbatch, hpl.sbatch, HPL.dat
void emit_first(const CompileInput&, const FirstJob&, Bundle&);

// One `#SBATCH --name=value` line. Values are names of groups, teams and workloads, and numbers: nothing to quote.
void sbatch_line(std::string& out, std::string_view name, std::string_view value = {});
// Words of srun that bind several tasks on a node, and the comment that says why.
constexpr std::string_view kBindRanks = " --cpu-bind=cores --distribution=block:block";
std::string bind_comment(RankPlaces);
// A text of the spec between `…`: one line, and no ` in it.
std::string code_text(std::string_view);

}  // namespace clusterc
