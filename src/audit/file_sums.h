// Checksums of files on nodes against what is compiled.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
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

// The compiled files that the path on the node can be: those that have most of its last parts in common, of which those
// that name the node come first. Empty: none.
std::vector<std::string_view> compiled_files_of(const CompiledSums&, std::string_view path, std::string_view node);

struct FileCounts {
  std::int64_t compared = 0, same = 0;
};
FileCounts compare_files(const CompiledSums&, NodePlace, std::string_view node, const std::vector<FileSum>&,
                         NodeDifferences& to);

}  // namespace clusterc
