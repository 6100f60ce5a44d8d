// Rewriting a file of the user's in its place: a spec that was mended, a baseline.
#pragma once
#include <string>
#include <string_view>

#include "base/file.h"

namespace clusterc {

// Puts `bytes` into the file that held `expected` when it was read. Whole or not at all (beside it first, then one
// rename); a link of the caller's own or of root stays a link, mode and owner stay. Refused, with the reason in
// `error`: a file that holds something else by now, is read-only, is no regular file, has further names (hard links:
// they would keep the old text), lies in a folder of another user or behind another user's link (base/place.h), or
// whose owner could not be kept.
bool replace_file(const std::string& path, std::string_view expected, std::string_view bytes, FileError& error);

}  // namespace clusterc
