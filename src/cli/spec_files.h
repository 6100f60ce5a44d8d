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
  struct Skipped {
    std::string path, why;
  };
  std::vector<Skipped> skipped;              // YAML files of folders that are not read, in name order
  std::string skipped_text(bool all) const;  // a line for people; empty: none
};

// A folder stands for every *.yaml and *.yml below it with a `clusterc:` key, or with what is nearly one and a version
// behind it, or with three sections of a spec (other YAML is somebody else's); hidden
// folders are passed over and links to folders not followed. `*`, `?`, `[…]` and `**` are for shells that do not expand
// them; a file of that very name wins.
// `specs_only`: of files that are named, too, those alone that a folder would give.
SpecFiles find_specs(const std::vector<std::string>& arguments, bool specs_only = false);
SpecFiles specs_of_this_folder();  // as find_specs({"."}), with paths that do not begin with "./"

}  // namespace clusterc::cli
