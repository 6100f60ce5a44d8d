#include "audit/file_sums.h"

#include <algorithm>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kDigits = 64, kLongestPath = 4096, kMostSums = std::size_t{1} << 22;

bool is_digest(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Parts that two paths have in common, from their ends.
std::size_t common_end(std::string_view a, std::string_view b) {
  const auto x = split(a, '/'), y = split(b, '/');
  std::size_t n = 0;
  while (n < x.size() && n < y.size() && x[x.size() - 1 - n] == y[y.size() - 1 - n]) ++n;
  return n;
}

bool names_node(std::string_view path, std::string_view node) {
  return std::ranges::any_of(split(path, '/'), [&](std::string_view part) {
    return part == node || (part.starts_with(node) && part.size() > node.size() && part[node.size()] == '.');
  });
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

std::vector<std::string_view> compiled_files_of(const CompiledSums& compiled, std::string_view path,
                                                std::string_view node) {
  std::vector<std::string_view> out;
  std::size_t most = 1;
  for (const auto& [file, digest] : compiled) {
    if (file.size() < 2 || path.substr(path.rfind('/') + 1) != std::string_view(file).substr(file.rfind('/') + 1))
      continue;
    const std::size_t n = common_end(file, path);
    if (n > most) out.clear();
    if (n >= most) out.push_back(file);
    most = std::max(most, n);
  }
  if (std::ranges::any_of(out, [&](std::string_view file) { return names_node(file, node); }))
    std::erase_if(out, [&](std::string_view file) { return !names_node(file, node); });
  return out;
}

FileCounts compare_files(const CompiledSums& compiled, NodePlace place, std::string_view node,
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
    const auto files = compiled_files_of(compiled, sum.path, node);
    if (files.empty()) {
      to.fact_unread(place, format("'{}', of which no compiled file has the name,", printable(sum.path)));
      continue;
    }
    ++counts.compared;
    const bool same =
        std::ranges::any_of(files, [&](std::string_view f) { return compiled.find(f)->second == sum.digest; });
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
