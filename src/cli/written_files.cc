#include "cli/written_files.h"

#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/format.h"
#include "cli/command.h"

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

std::string shown_option(std::string_view option) { return option == "output" ? "-o" : "--" + std::string(option); }

fs::path place_of(const std::string& path) {
  std::error_code failed;
  return fs::weakly_canonical(fs::absolute(path, failed), failed);
}

void require_writable(const std::string& option, const std::string& path, std::string_view what) {
  const std::string name = shown_option(option);
  std::error_code failed;
  if (path.empty()) throw UsageError{name + " names no file"};
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (path == "-")
    throw UsageError{name + " names a file" +
                     (option == "output" ? "; for JSON on standard output: --format json" : "")};
  if (fs::is_directory(path, failed))
    throw UsageError{format("'{}' is a folder: {} names the file of {}", path, name, what)};
  if (!fs::is_directory(folder, failed))
    throw UsageError{format("there is no folder '{}' for {}", folder.string(), what)};
  if (FileError error; !can_write_file(path, error)) throw UsageError{format("{} {}", what, error.message)};
}

}  // namespace

void add_read_files(ReadFiles& files, const po::variables_map& given, std::initializer_list<const char*> options) {
  for (const char* option : options) {
    if (!given.count(option)) continue;
    const auto& value = given[option].value();
    std::vector<std::string> paths;
    if (const auto* one = boost::any_cast<std::string>(&value)) paths.push_back(*one);
    if (const auto* many = boost::any_cast<std::vector<std::string>>(&value)) paths = *many;
    for (const std::string& path : paths) {
      const std::string what = format("is read by --{}", option);
      files.emplace_back(path, what);
      if (const std::size_t equals = path.find('='); equals != std::string::npos)
        files.emplace_back(path.substr(equals + 1), what);
    }
  }
}

void require_written_apart(const po::variables_map& given, const ReadFiles& reads,
                           std::initializer_list<const char*> options, std::string_view what) {
  std::error_code failed;
  std::map<fs::path, std::string> taken;
  for (const auto& [path, is] : reads)
    if (!path.empty()) taken.emplace(place_of(path), is);
  for (const char* option : options) {
    if (!given.count(option)) continue;
    const std::string path = given[option].as<std::string>(), name = shown_option(option);
    if (!path.empty() && (!fs::exists(path, failed) || fs::is_regular_file(path, failed)))
      if (const auto [at, fresh] = taken.emplace(place_of(path), "is the file of " + name); !fresh)
        throw UsageError{format("'{}' {}: name another file with {}", path, at->second, name)};
    require_writable(option, path, what);
  }
}

}  // namespace clusterc::cli
