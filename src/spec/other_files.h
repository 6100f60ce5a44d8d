// Files that newcomers hand over in place of a spec: named, with what clusterc does with such a file.
#pragma once
#include <optional>
#include <string_view>

namespace clusterc {

struct OtherFile {
  std::string_view name;     // "a slurm.conf"
  std::string_view way_out;  // what to do, for a help
};

// By signs that no spec has. Nothing: a spec, or something unknown.
std::optional<OtherFile> recognise_other_file(std::string_view text);

}  // namespace clusterc
