// What `clusterc diff` says of a spec and a compiled tree: a patch as git has it, Markdown, and data (format
// "clusterc-tree-diff", version 1).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct TreeDiff {
  struct File {
    std::string path;
    std::optional<std::string> before, after;       // none: it is not there; of a link where it points to
    std::uint32_t before_mode = 0, after_mode = 0;  // as git has them: 0100644, 0100755, kLink
    bool edited = false;                            // in the tree by hand, since it was compiled
  };
  std::string before_name, after_name, spec_sha256;
  std::vector<File> files;           // that differ, by path
  std::vector<std::string> foreign;  // of the tree, nobody compiled them
  bool other_spec = false;  // manifest.json is of another text of the spec, or of another version of this program
};

// What `git apply` and `patch -p1` make the first of the second with.
void append_patch(std::string& out, const TreeDiff::File&);
std::string render_tree_patch(const TreeDiff&);
std::string render_tree_summary(const TreeDiff&);  // lines for people, beside the patch
std::string render_tree_markdown(const TreeDiff&);
std::string render_tree_json(const TreeDiff&);

}  // namespace clusterc
