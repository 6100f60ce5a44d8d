#include "cli/spec_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "diag/finding.h"
#include "yaml/scan.h"

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 64 * 1024;  // `clusterc:` is the first key of a spec; comments may stand before it
constexpr int kDeepest = 64;              // folders below each other

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// The key at the beginning of a line, without quotes; empty: there is none.
std::string_view key_of_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0 || yaml_blank(line[0]) || line[0] == '#') return {};
  std::string_view key = trim(line.substr(0, colon));
  if (key.size() > 1 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front())
    key = key.substr(1, key.size() - 2);
  return key;
}

// `clustrc: 1`: a slip in the key, and the version of the language behind it; other tools have a `cluster:` of their
// own.
bool is_near_miss(std::string_view line) {
  const std::string_view key = key_of_line(line), value = trim(line.substr(line.find(':') + 1));
  if (key.empty() || value.empty() || value.front() != '1' || (value.size() > 1 && value[1] != ' ')) return false;
  return !nearest_names(key, {"clusterc"}).empty();
}

std::string head_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kHead, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

bool is_baseline(const fs::path& path) { return head_of(path).find("\nclusterc-baseline:") != std::string::npos; }

// `clusterc:` at the beginning of a line, or of a mapping in brackets; or what was meant to be one.
bool looks_like_spec(const fs::path& path) {
  const std::string text = head_of(path);
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
  constexpr std::string_view kSections[] = {"site", "racks", "nodes", "networks", "storage", "software"};
  constexpr int kEnough = 3;
  int sections = 0;
  for (const std::string_view line : split(all, '\n')) {
    if (is_near_miss(line)) return true;
    sections += std::ranges::find(kSections, key_of_line(line)) != std::end(kSections);
  }
  return sections >= kEnough;
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
          {path.string(),
           path.empty() ? "this folder holds no spec: no *.yaml or *.yml below it has a 'clusterc:' key; "
                          "'clusterc init --example lab' prints one"
                        : "'" + path.string() + "' holds no spec: no *.yaml or *.yml below it has a 'clusterc:' key"});
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

  // One of a folder, which may be none of ours.
  void file(const fs::path& entry) {
    if (!is_yaml(entry))
      out.skipped.push_back({entry.string(), "not YAML"});
    else if (is_special(entry))
      out.skipped.push_back({entry.string(), "not a file"});
    else if (looks_like_spec(entry))
      add(entry.string());
    else if (!is_baseline(entry))
      out.skipped.push_back({entry.string(), "no `clusterc:` key"});
  }

 private:
  void walk(const fs::path& folder, int depth) {
    if (depth > kDeepest) return;
    for (const fs::path& entry : entries_of(folder, out.problems)) {
      if (hidden(entry)) {
        if (is_yaml(entry) && !is_folder(entry, true)) out.skipped.push_back({entry.string(), "hidden"});
        continue;
      }
      if (is_folder(entry, false))
        walk(entry, depth + 1);
      else if (is_yaml(entry) && is_folder(entry, true))
        out.skipped.push_back({entry.string(), "a link to a folder"});
      else if (is_yaml(entry))
        file(entry);
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

std::string SpecFiles::skipped_text(bool all) const {
  constexpr std::size_t kMostNamed = 4;
  if (skipped.empty()) return {};
  const std::size_t shown = all ? skipped.size() : std::min(skipped.size(), kMostNamed);
  std::string text = format("{} YAML file{} skipped: ", skipped.size(), skipped.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < shown; ++i)
    text += format("{}{} ({})", i == 0 ? "" : ", ", printable(skipped[i].path), skipped[i].why);
  if (shown < skipped.size()) text += format(" and {} more (--verbose names them)", skipped.size() - shown);
  return text + "\n";
}

SpecFiles specs_of_this_folder() {
  Finder finder;
  finder.folder({});
  return std::move(finder.out);
}

SpecFiles find_specs(const std::vector<std::string>& arguments, bool specs_only) {
  Finder finder;
  for (const std::string& argument : arguments) {
    std::error_code failed;
    if (argument == "-")
      finder.add(argument);
    else if (is_folder(argument, true))
      finder.folder(argument);
    else if (!fs::exists(argument, failed) && argument.find_first_of("*?[") != argument.npos)
      finder.pattern(argument);
    else if (specs_only && fs::exists(argument, failed))
      finder.file(argument);
    else
      finder.add(argument);  // a file; one that is not there is told when it is read
  }
  return std::move(finder.out);
}

}  // namespace clusterc::cli
