#include "audit/captures.h"

#include <simdjson.h>

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostCaptures = std::size_t{1} << 20;
using simdjson::dom::element;

std::string text(const element& e, std::string_view key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? std::string(v) : std::string();
}

}  // namespace

std::string captures_text(const std::vector<Captured>& captures, std::string_view program_version,
                          std::string_view spec_digest) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", kCapturesFormat)
      .field("version", 1)
      .field("program_version", program_version)
      .field("spec_digest", spec_digest)
      .array("captures");
  for (const Captured& c : captures)
    json.begin_object().field("kind", c.kind).field("name", c.name).field("text", c.text).end_object();
  json.end_array().end_object();
  return out + "\n";
}

std::optional<std::vector<Captured>> read_captures(const std::string& bytes, std::string& error) {
  simdjson::dom::parser parser;
  element root;
  if (const auto failed = parser.parse(bytes).get(root); failed != simdjson::SUCCESS) {
    error = std::string("it is cut or no JSON: ") + simdjson::error_message(failed);
    return std::nullopt;
  }
  std::int64_t version = 0;
  simdjson::dom::array all;
  if (!root.is_object() || text(root, "format") != kCapturesFormat ||
      root["version"].get(version) != simdjson::SUCCESS || root["captures"].get(all) != simdjson::SUCCESS) {
    error = "it is no file that `clusterc audit --save` wrote";
    return std::nullopt;
  }
  if (version != 1) {
    error = format("it has version {}: this program reads version 1", version);
    return std::nullopt;
  }
  std::vector<Captured> out;
  for (const element e : all) {
    if (!e.is_object() || out.size() >= kMostCaptures) {
      error = "it has a capture that is no object, or too many";
      return std::nullopt;
    }
    Captured c{text(e, "kind"), text(e, "name"), text(e, "text")};
    if (std::ranges::find(kCaptureKinds, c.kind) == std::end(kCaptureKinds)) {
      error = format("it has a capture of the unknown kind '{}'", printable(c.kind.substr(0, 40)));
      return std::nullopt;
    }
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace clusterc
