// `catalog import`: types of NetBox's library as parts.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "catalog/netbox.h"
#include "cli/command.h"
#include "rules/say.h"

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "https://github.com/netbox-community/devicetype-library";

// Files as given; of a folder, every .yaml and .yml below it.
std::vector<std::string> files_of(std::span<const std::string> given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below;
    for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed), end;
         !failed && at != end; at.increment(failed))
      if (at->path().extension() == ".yaml" || at->path().extension() == ".yml") below.push_back(at->path().string());
    std::ranges::sort(below);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

// The library's name of a file: "device-types/APC/AP8886.yaml".
std::string library_path(std::string_view path) {
  for (const std::string_view folder : {"device-types/", "module-types/", "rack-types/"})
    if (const std::size_t at = path.rfind(folder); at != path.npos) return std::string(path.substr(at));
  return std::string(path.substr(path.rfind('/') + 1));
}

std::optional<NetboxType> read_type(const std::string& path, std::size_t most, Run& run, bool& unreadable) {
  FileError error;
  auto text = read_file(path, most, error);
  if (!text) {
    unreadable = true;
    run.findings.error("spec-file-unreadable", {run.sources.add(path, std::string()), 0, 0}, error.message);
    return std::nullopt;
  }
  const auto document = parse_yaml(run.sources, run.sources.add(path, std::move(*text)), run.findings);
  return document ? read_netbox(*document, run.findings) : std::nullopt;
}

}  // namespace

int import_parts(std::span<const std::string> given, const po::variables_map& options) {
  if (given.empty()) throw UsageError{"name files or folders of NetBox types to import"};
  const auto files = files_of(given);
  const bool to_folder = options.count("output") > 0;
  if (files.size() > 1 && !to_folder)
    throw UsageError{format("{} files become one part each: name a folder for them with --output DIR", files.size())};
  const RunOptions limits = run_options(options, "");
  Run run;
  bool unreadable = false;
  std::optional<NetboxSupply> supply;
  if (options.count("supply")) {
    const std::string& path = options["supply"].as<std::string>();
    if (const auto type = read_type(path, limits.max_bytes, run, unreadable)) supply = supply_of(*type);
    if (!supply && !unreadable)
      throw UsageError{"--supply needs the module type of a power supply, not '" + path + "'"};
  }
  const std::string library = options.count("source") ? options["source"].as<std::string>() : std::string(kLibrary);
  Catalog catalog(run.sources, run.findings);
  std::map<std::string, std::pair<std::string, SourceSpan>, std::less<>> made;  // id -> text, where it came from
  for (const std::string& path : files) {
    const auto type = read_type(path, limits.max_bytes, run, unreadable);
    if (!type) continue;
    lint_netbox(*type, run.findings);
    const auto part = part_of(*type, library + ": " + library_path(path), supply, run.findings);
    if (!part) continue;
    const auto [at, fresh] = made.try_emplace(part->id, part->text, type->at);
    if (!fresh) {
      report_part_again(*type, *part, at->second.second, run.findings);
      continue;
    }
    compare_with_catalog(*type, *part, catalog, run.findings);
  }
  if (to_folder) {
    const fs::path folder = options["output"].as<std::string>();
    fs::create_directories(folder);
    for (const auto& [id, part] : made) {
      FileError error;
      if (!write_file((folder / (id + ".yaml")).string(), part.first, error)) throw std::runtime_error(error.message);
    }
  } else if (!made.empty()) {
    put(made.begin()->second.first);
  }
  const int status =
      report_findings(run, files.size() == 1 ? files[0] : format("{} files", files.size()), options, !to_folder);
  if (to_folder)
    put_error(format("{}: {} written\n", printable(options["output"].as<std::string>()),
                     plural(static_cast<std::int64_t>(made.size()), "part")));
  return unreadable ? kUnjudged : status;
}

}  // namespace clusterc::cli
