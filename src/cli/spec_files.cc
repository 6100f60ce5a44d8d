#include "cli/spec_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>

#include "base/text.h"

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 64 * 1024;  // `clusterc:` is the first key of a spec; comments may stand before it
constexpr int kDeepest = 64;              // folders below each other

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// `clusterc:` at the beginning of a line, or of a mapping in brackets.
bool looks_like_spec(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kHead, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  std::string_view all = text;
  if (all.starts_with("\xef\xbb\xbf")) all.remove_prefix(3);
  for (std::string_view line : split(all, '\n')) {
    if (line.starts_with('{')) line = trim(line.substr(1));
    const bool quoted = line.starts_with('"') || line.starts_with('\'');
    if (quoted) line.remove_prefix(1);
    if (!line.starts_with("clusterc")) continue;
    line.remove_prefix(8);
    if (quoted && !line.empty()) line.remove_prefix(1);
    if (trim(line).starts_with(':')) return true;
  }
  return false;
}

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

std::vector<fs::path> entries_of(const fs::path& folder, std::vector<SpecFiles::Problem>& problems) {
  std::error_code failed;
  std::vector<fs::path> entries;
  for (fs::directory_iterator i(folder.empty() ? fs::path(".") : folder, failed), end; !failed && i != end;
       i.increment(failed))
    entries.push_back(folder / i->path().filename());
  if (failed) problems.push_back({folder.string(), "'" + folder.string() + "' cannot be read: " + failed.message()});
  std::ranges::sort(entries);
  return entries;
}

bool is_folder(const fs::path& path, bool follow) {
  std::error_code failed;
  return (follow ? fs::status(path, failed) : fs::symlink_status(path, failed)).type() == fs::file_type::directory;
}

// A pipe, a socket or a device, which may give no end of bytes, or none ever: read where it is named, not where it is
// found.
bool is_special(const fs::path& path) {
  std::error_code failed;
  const fs::file_type type = fs::status(path, failed).type();
  return type == fs::file_type::fifo || type == fs::file_type::socket || type == fs::file_type::character ||
         type == fs::file_type::block;
}

class Finder {
 public:
  SpecFiles out;

  void folder(const fs::path& path) {
    const std::size_t before = found_;
    walk(path, 0);
    if (found_ == before && out.problems.empty())
      out.problems.push_back(
          {path.string(), "'" + path.string() + "' holds no spec: no *.yaml or *.yml below it has a 'clusterc:' key"});
  }

  void pattern(const std::string& text) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(text, '/'))
      if (!part.empty()) parts.emplace_back(part);
    const std::size_t before = found_;
    match(text.starts_with('/') ? fs::path("/") : fs::path(), parts, 0);
    if (found_ == before) out.problems.push_back({text, "no file matches '" + text + "'"});
  }

  void add(const std::string& path) {
    ++found_;
    if (seen_.insert(path == "-" ? path : fs::path(path).lexically_normal().string()).second) out.paths.push_back(path);
  }

 private:
  void walk(const fs::path& folder, int depth) {
    if (depth > kDeepest) return;
    for (const fs::path& entry : entries_of(folder, out.problems)) {
      if (hidden(entry)) continue;
      if (is_folder(entry, false))
        walk(entry, depth + 1);
      else if (is_yaml(entry) && !is_folder(entry, true) && !is_special(entry) && looks_like_spec(entry))
        add(entry.string());
    }
  }

  // A file that a pattern names is checked whatever it holds; a folder stands for its specs.
  void match(const fs::path& at, std::span<const std::string> parts, int depth) {
    if (depth > kDeepest) return;
    if (parts.empty()) {
      if (is_folder(at, true))
        walk(at, depth);
      else if (!is_special(at))
        add(at.string());
      return;
    }
    if (parts[0] == "**") match(at, parts.subspan(1), depth + 1);
    std::vector<SpecFiles::Problem> unreadable;  // a part of the tree that a pattern only passes through
    for (const fs::path& entry : entries_of(at, unreadable)) {
      const std::string name = entry.filename().string();
      if (parts[0] == "**") {
        if (!hidden(entry) && is_folder(entry, false)) match(entry, parts, depth + 1);
      } else if (::fnmatch(parts[0].c_str(), name.c_str(), FNM_PERIOD) == 0 &&
                 (parts.size() == 1 || is_folder(entry, true))) {
        match(entry, parts.subspan(1), depth + 1);
      }
    }
  }

  std::set<std::string> seen_;
  std::size_t found_ = 0;
};

}  // namespace

SpecFiles find_specs(const std::vector<std::string>& arguments) {
  Finder finder;
  for (const std::string& argument : arguments) {
    std::error_code failed;
    if (argument == "-")
      finder.add(argument);
    else if (is_folder(argument, true))
      finder.folder(argument);
    else if (!fs::exists(argument, failed) && argument.find_first_of("*?[") != argument.npos)
      finder.pattern(argument);
    else
      finder.add(argument);  // a file; one that is not there is told when it is read
  }
  return std::move(finder.out);
}

}  // namespace clusterc::cli
