// What differs between two texts, line by line, in the unified format that patch and git apply read.
#pragma once
#include <string>
#include <string_view>

namespace clusterc {

// Hunks alone ("@@ -1,3 +1,4 @@" and their lines, three of context), without the names of files; nothing when the texts
// are the same.
void append_hunks(std::string& out, std::string_view before, std::string_view after);

}  // namespace clusterc
