// manifest.json: what was generated, from which spec, file by file. Format "clusterc-manifest", version 1.
#pragma once
#include <cstdint>
#include <functional>
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

// Each file that an earlier manifest names, in its order, until `visit` returns false; the texts are good during the
// call only. False: it is no manifest, or is damaged as far as it was read, and `error` says so.
bool each_in_manifest(std::string_view text, std::string& error,
                      const std::function<bool(std::string_view path, std::string_view sha256)>& visit);
// The digests of all: they tell what was changed by hand since.
using ManifestDigests = std::unordered_map<std::string, std::string>;  // path -> 64 hex digits
std::optional<ManifestDigests> read_manifest(std::string_view text, std::string& error);

}  // namespace clusterc
