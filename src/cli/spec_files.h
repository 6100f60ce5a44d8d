// Which specs the arguments of a command mean: files, folders, patterns, standard input.
#pragma once
#include <string>
#include <vector>

namespace clusterc::cli {

struct SpecFiles {
  std::vector<std::string>
      paths;  // in the order of the arguments, those of a folder or pattern in name order; none twice
  struct Problem {
    std::string path, text;
  };
  std::vector<Problem>
      problems;  // a folder without a spec, a pattern that nothing matches, a folder that cannot be read
};

// A folder stands for every *.yaml and *.yml below it with a `clusterc:` key (other YAML is somebody else's); hidden
// folders are passed over and links to folders not followed. `*`, `?`, `[…]` and `**` are for shells that do not expand
// them; a file of that very name wins.
SpecFiles find_specs(const std::vector<std::string>& arguments);

}  // namespace clusterc::cli
