// What was captured of a running cluster, as text: `audit --save` keeps it, `audit --from` compares it again.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct Captured {
  std::string kind;  // of kCaptureKinds
  std::string name;  // the node, or the path of the file
  std::string text;
};

// "node": what the probe printed on the node of that name; "node-unread": why it printed nothing; "node-file": a file
// with records of the probe; the others: files of that program.
inline constexpr std::string_view kCaptureKinds[] = {"node",     "node-unread", "node-file",
                                                     "scontrol", "kubectl",     "checksums"};

}  // namespace clusterc
