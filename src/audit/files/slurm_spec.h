// A first spec of a cluster whose slurm.conf is there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/judge.h"
#include "catalog/catalog.h"

namespace clusterc {

inline constexpr std::string_view kSlurmParts = "slurm-parts";  // folder of the parts, beside the spec

struct SlurmSpec {
  struct Part {
    std::string file, text;  // "slurm-parts/cpu-32x1.yaml"
  };
  std::string spec, error;        // error: why there is none
  std::vector<std::string> lost;  // what the spec does not have, a line each; it names them in a comment, too
  std::vector<Part> parts;  // processors, and GPUs that the catalogue does not have: what Slurm's files say of them
};
// `shown`: the path of the slurm.conf for a comment. `faults`: what judge_file() finds in the files; the spec names
// them in a comment, and what is compiled from it does not have them.
SlurmSpec spec_of_slurm(const Sources&, FileId slurm_conf, std::string_view shown, const ReadBeside&, Catalog&,
                        Findings& faults);

}  // namespace clusterc
