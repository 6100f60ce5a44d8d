// Checksums of files on nodes against what is compiled.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/node_differences.h"

namespace clusterc {

struct FileSum {
  std::string digest, path;  // SHA-256 in hexadecimal digits; the path on the node
};
// Lines of sha256sum(1), "DIGEST  PATH"; with "NODE: " in front where `of_node` is empty. What is no such line is
// counted in `unread`.
struct FileSums {
  std::map<std::string, std::vector<FileSum>, std::less<>> by_node;
  std::int64_t unread = 0;
};
FileSums read_file_sums(std::string_view text, std::string_view of_node);

// By path in the compiled tree.
using CompiledSums = std::map<std::string, std::string, std::less<>>;

// Finds the compiled files that a path on a node can be, in a time that does not grow with their number.
class CompiledFiles {
 public:
  explicit CompiledFiles(CompiledSums);
  CompiledFiles(const CompiledFiles&) = delete;
  CompiledFiles& operator=(const CompiledFiles&) = delete;

  // Those that have most of the last parts of the path in common; of these the ones that name the node, else the ones
  // that name its group, else all. Empty: none.
  std::vector<std::string_view> of(std::string_view path, std::string_view node, std::string_view group) const;
  std::string_view digest(std::string_view file) const { return sums_.find(file)->second; }

 private:
  using Files = std::vector<std::string_view>;
  Files naming(std::string_view name, std::string_view ending, const Files& all) const;

  CompiledSums sums_;                                   // the views below are of its keys
  std::unordered_map<std::string_view, Files> ending_;  // "slurm/slurm.conf", "slurm.conf"
  std::unordered_map<std::string_view, Files> part_;    // of each part, and of its beginnings before a '.'
};

struct FileCounts {
  std::int64_t compared = 0, same = 0;
};
FileCounts compare_files(const CompiledFiles&, NodePlace, std::string_view node, std::string_view group,
                         const std::vector<FileSum>&, NodeDifferences& to);

}  // namespace clusterc
