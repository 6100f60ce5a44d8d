// What was captured of a running cluster, as text: `audit --save` keeps it, `audit --from` compares it again.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct Captured {
  std::string kind;  // of kCaptureKinds
  std::string name;  // the node, or the path of the file
  std::string text;
};

// "fabric": a dump of a fabric, as --fabric names it; "neighbours": one device's file of a folder, FOLDER/DEVICE.json;
// "bmc": what the BMC of the node of that name said; "node": what the probe printed on the node of that name;
// "node-unread": why it printed nothing; "node-file": a file with records of the probe; the others: files of that
// program.
inline constexpr std::string_view kCaptureKinds[] = {"fabric",    "neighbours", "bmc",     "node",      "node-unread",
                                                     "node-file", "scontrol",   "kubectl", "checksums", "netbox"};

inline constexpr std::string_view kCapturesFormat = "clusterc-audit-captures";
// One JSON document.
std::string captures_text(const std::vector<Captured>&, std::string_view program_version, std::string_view spec_digest);
// nullopt and `error` for a text that is none.
std::optional<std::vector<Captured>> read_captures(const std::string& text, std::string& error);

}  // namespace clusterc
