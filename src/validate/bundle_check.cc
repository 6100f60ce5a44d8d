#include "validate/bundle_check.h"

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {

Launch bundle_check_launch(const std::string& folder, std::vector<std::string> nodes) {
  return {.argv = {"/bin/sh", "-c", "cd \"$0\" && exec sha256sum clusterc-*", folder},
          .nodes = std::move(nodes),
          .timeout = std::chrono::minutes(5)};
}

std::string bundle_difference(const BundleFiles& files, const std::string& folder,
                              const std::vector<std::string>& lines) {
  constexpr std::size_t kDigest = 64;  // hexadecimal digits, then two characters, then the name: sha256sum(1)
  BundleFiles there;
  for (const std::string& line : lines)
    if (line.size() > kDigest + 2 && line.find_first_not_of("0123456789abcdef") == kDigest)
      there.emplace(line.substr(kDigest + 2), line.substr(0, kDigest));
  if (there.empty())
    return format("its validators cannot be read: {}",
                  lines.empty() ? "sha256sum printed nothing" : printable(lines.back().substr(0, 400)));
  std::string absent, other;
  for (const auto& [name, digest] : files) {
    const auto at = there.find(name);
    if (at == there.end())
      absent += (absent.empty() ? "" : ", ") + name;
    else if (at->second != digest)
      other += (other.empty() ? "" : ", ") + name;
  }
  if (!other.empty()) return format("its validators in '{}' are not those of this machine: {}", folder, other);
  if (!absent.empty()) return format("its folder '{}' lacks validators: {}", folder, absent);
  return {};
}

}  // namespace clusterc
