#include "launch/launcher.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"

namespace clusterc {

std::vector<NodeState> Launcher::copy(const std::string&, const std::string&,
                                      std::span<const std::string> nodes) const {
  return std::vector<NodeState>(nodes.size(),
                                NodeState{false, "the launcher '" + std::string(id()) + "' does not copy validators"});
}

std::vector<std::string> bundle_programs(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::string> out;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (const std::string name = at->path().filename().string();
        name.starts_with("clusterc-") && fs::is_regular_file(at->path(), failed))
      out.push_back(folder + "/" + name);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> last_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    // mpirun frames what it says with lines of dashes.
    if (trim(line).find_first_not_of("-=*") != std::string_view::npos) lines.emplace_back(trim(line));
  if (lines.size() > 20) lines.erase(lines.begin(), lines.end() - 20);
  return lines;
}

std::vector<std::string_view> launcher_ids() { return {"local", "mpirun", "slurm", "kubernetes"}; }

}  // namespace clusterc
