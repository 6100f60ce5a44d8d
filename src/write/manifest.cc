#include "write/manifest.h"

#include <simdjson.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "write/tree.h"

namespace clusterc {

std::string manifest_text(std::span<const ManifestEntry> entries, std::string_view spec_digest,
                          std::string_view tool_version) {
  std::string out;
  out.reserve(200 + entries.size() * 190);
  JsonWriter json(out, {.indent = 1});
  json.begin_object().field("format", "clusterc-manifest").field("version", 1);
  json.field("spec", spec_digest).field("tool", tool_version).array("files");
  std::string mode;
  for (const ManifestEntry& entry : entries) {
    mode = entry.mode == kLink ? "120" : "0";
    mode += static_cast<char>('0' + ((entry.mode >> 6) & 7));
    mode += static_cast<char>('0' + ((entry.mode >> 3) & 7));
    mode += static_cast<char>('0' + (entry.mode & 7));
    json.begin_object(JsonWriter::Layout::line).field("path", entry.path).field("mode", mode);
    json.field("sha256", to_hex(entry.sha256)).field("origin", entry.origin).end_object();
  }
  json.end_array().end_object();
  out += '\n';
  return out;
}

bool each_in_manifest(std::string_view text, std::string& error,
                      const std::function<bool(std::string_view path, std::string_view sha256)>& visit) {
  const auto fail = [&](std::string why) {
    error = std::move(why);
    return false;
  };
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(text);
  simdjson::ondemand::document document;
  std::string_view format;
  std::int64_t version = 0;
  if (parser.iterate(padded).get(document) || document["format"].get_string().get(format) ||
      format != "clusterc-manifest" || document["version"].get_int64().get(version))
    return fail("is no manifest of clusterc");
  if (version != 1) return fail("has format version " + std::to_string(version) + ", this clusterc reads version 1");
  simdjson::ondemand::array files;
  if (document["files"].get_array().get(files)) return fail("has no list of files");
  for (auto item : files) {
    simdjson::ondemand::object object;
    std::string_view path, sha256;
    if (item.get_object().get(object) || object["path"].get_string().get(path) ||
        object["sha256"].get_string().get(sha256))
      return fail("is damaged in its list of files");
    if (!visit(path, sha256)) return true;
  }
  return true;
}

std::optional<ManifestDigests> read_manifest(std::string_view text, std::string& error) {
  ManifestDigests digests;
  const bool whole = each_in_manifest(text, error, [&](std::string_view path, std::string_view sha256) {
    digests.emplace(path, sha256);
    return true;
  });
  if (!whole) return std::nullopt;
  return digests;
}

}  // namespace clusterc
