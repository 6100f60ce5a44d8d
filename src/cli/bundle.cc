#include "cli/bundle.h"

#include <filesystem>

#include "base/digest.h"
#include "base/file.h"
#include "cli/command.h"
#include "launch/launcher.h"

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

namespace {

// Calls use(name, bytes) for each program, in the order of their names.
template <class F>
void each_program(const std::string& folder, F&& use) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;  // of a program; with device code some 100 MB
  for (const std::string& path : bundle_programs(folder)) {
    FileError unreadable;
    const auto bytes = read_file(path, kLargest, unreadable);
    if (!bytes) throw UsageError{"the validators cannot be read: " + unreadable.message};
    use(path.substr(path.rfind('/') + 1), *bytes);
  }
}

}  // namespace

std::map<std::string, std::string> bundle_files(const std::string& folder) {
  std::map<std::string, std::string> out;
  each_program(folder, [&](const std::string& name, const std::string& bytes) {
    Sha256 sha;
    sha.update(bytes);
    out.emplace(name, to_hex(sha.finish()));
  });
  return out;
}

std::string bundle_digest(const std::string& folder) {
  Sha256 sha;
  each_program(folder, [&](const std::string& name, const std::string& bytes) {
    sha.update(name + '\0' + std::to_string(bytes.size()) + '\0');
    sha.update(bytes);
  });
  return to_hex(sha.finish());
}

}  // namespace clusterc::cli
