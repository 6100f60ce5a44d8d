#include "cli/bundle.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "cli/command.h"

namespace clusterc::cli {

namespace fs = std::filesystem;

std::string find_bundle(const std::string& given) {
  std::error_code failed;
  fs::path folder = given;
  if (given.empty())
    folder = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path() / "libexec" / "clusterc";
  folder = fs::absolute(folder, failed);
  if (!fs::exists(folder / "clusterc-probe", failed))
    throw UsageError{"there are no validators in '" + folder.string() + "': name their folder with --bundle"};
  return folder.string();
}

std::string bundle_digest(const std::string& folder) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;  // of a program; with device code some 100 MB
  std::error_code failed;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (const std::string name = at->path().filename().string();
        name.starts_with("clusterc-") && fs::is_regular_file(at->path(), failed))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  Sha256 sha;
  for (const std::string& name : names) {
    FileError unreadable;
    const auto bytes = read_file(folder + "/" + name, kLargest, unreadable);
    if (!bytes) throw UsageError{"the validators cannot be read: " + unreadable.message};
    sha.update(name + '\0' + std::to_string(bytes->size()) + '\0');
    sha.update(*bytes);
  }
  return to_hex(sha.finish());
}

}  // namespace clusterc::cli
