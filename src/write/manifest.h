// manifest.json: what was generated, from which spec, file by file. Format "clusterc-manifest", version 1.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/digest.h"

namespace clusterc {

constexpr std::string_view kManifestName = "manifest.json";

struct ManifestEntry {
  std::string_view path;
  std::uint32_t mode = 0644;
  Digest sha256{};
  std::string_view origin;
};

std::string manifest_text(std::span<const ManifestEntry>, std::string_view spec_digest, std::string_view tool_version);

// Of an earlier manifest only the digests are wanted: they tell what was changed by hand since.
using ManifestDigests = std::unordered_map<std::string, std::string>;  // path -> 64 hex digits
std::optional<ManifestDigests> read_manifest(std::string_view text, std::string& error);

}  // namespace clusterc
