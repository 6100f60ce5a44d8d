#include "audit/file_sums.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kDigits = 64, kLongestPath = 4096, kMostSums = std::size_t{1} << 22;

bool is_digest(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool names(std::string_view path, std::string_view name) {
  return std::ranges::any_of(split(path, '/'), [&](std::string_view part) {
    return part.starts_with(name) && (part.size() == name.size() || part[name.size()] == '.');
  });
}

bool ends_with_parts(std::string_view path, std::string_view ending) {
  return path.ends_with(ending) && (path.size() == ending.size() || path[path.size() - ending.size() - 1] == '/');
}

}  // namespace

FileSums read_file_sums(std::string_view text, std::string_view of_node) {
  FileSums out;
  std::size_t sums = 0;
  for (const std::string_view whole : split(text, '\n')) {
    std::string_view line = trim(whole), node = of_node;
    if (line.empty()) continue;
    if (const auto colon = line.find(": "); colon != line.npos && !is_digest(line.substr(0, kDigits))) {
      if (of_node.empty()) node = line.substr(0, colon);
      line = trim(line.substr(colon + 2));
    }
    // Two characters between them: a blank, and a blank or '*'.
    const std::string_view path = line.size() > kDigits + 2 ? line.substr(kDigits + 2) : std::string_view();
    if (!is_digest(line.substr(0, kDigits)) || path.empty() || path.size() > kLongestPath || node.empty() ||
        node.size() > 255 || ++sums > kMostSums) {
      ++out.unread;
      continue;
    }
    out.by_node[std::string(node)].push_back({std::string(line.substr(0, kDigits)), std::string(path)});
  }
  return out;
}

CompiledFiles::CompiledFiles(CompiledSums sums) : sums_(std::move(sums)) {
  for (const auto& [key, digest] : sums_) {
    const std::string_view file = key;
    if (file.size() < 2) continue;
    for (auto slash = file.rfind('/');; slash = file.rfind('/', slash - 1)) {
      ending_[slash == file.npos ? file : file.substr(slash + 1)].push_back(file);
      if (slash == file.npos || slash == 0) break;
    }
    for (const std::string_view part : split(file, '/'))
      for (std::size_t end = part.find('.', 1);; end = part.find('.', end + 1)) {
        Files& of_part = part_[part.substr(0, end)];
        if (of_part.empty() || of_part.back() != file) of_part.push_back(file);
        if (end == part.npos) break;
      }
  }
}

// Of `all`, which end so; the shorter of two lists is looked through.
CompiledFiles::Files CompiledFiles::naming(std::string_view name, std::string_view ending, const Files& all) const {
  Files out;
  const auto part = part_.find(name);
  if (part == part_.end()) return out;
  if (part->second.size() < all.size())
    std::ranges::copy_if(part->second, std::back_inserter(out),
                         [&](std::string_view file) { return ends_with_parts(file, ending); });
  else
    std::ranges::copy_if(all, std::back_inserter(out), [&](std::string_view file) { return names(file, name); });
  return out;
}

std::vector<std::string_view> CompiledFiles::of(std::string_view path, std::string_view node,
                                                std::string_view group) const {
  for (std::string_view ending = path;;) {
    if (const auto at = ending_.find(ending); at != ending_.end()) {
      for (const std::string_view name : {node, group})
        if (Files own = naming(name, ending, at->second); !own.empty()) return own;
      return at->second;
    }
    const auto slash = ending.find('/');
    if (slash == ending.npos) return {};
    ending.remove_prefix(slash + 1);
  }
}

FileCounts compare_files(const CompiledFiles& compiled, NodePlace place, std::string_view node, std::string_view group,
                         const std::vector<FileSum>& sums, NodeDifferences& to) {
  FileCounts counts;
  to.met(place);
  std::map<std::string_view, std::string_view> met;
  for (const FileSum& sum : sums) {
    const auto [before, fresh] = met.emplace(sum.path, sum.digest);
    if (!fresh) {
      if (before->second != sum.digest)
        to.fact_unread(place, format("'{}', which is listed with two checksums,", printable(sum.path)));
      continue;
    }
    const auto files = compiled.of(sum.path, node, group);
    if (files.empty()) {
      to.fact_unread(place, format("'{}', of which no compiled file has the name,", printable(sum.path)));
      continue;
    }
    ++counts.compared;
    const bool same = std::ranges::any_of(files, [&](std::string_view f) { return compiled.digest(f) == sum.digest; });
    if (same) {
      ++counts.same;
      continue;
    }
    const std::string which = files.size() == 1 ? "'" + std::string(files.front()) + "'"
                                                : format("any of {} files, as '{}'", files.size(), files.front());
    to.differs(place, "file", "has", format("a '{}' that is not as compiled: {}", printable(sum.path), which), "");
  }
  return counts;
}

}  // namespace clusterc
