// As write_file (base/file.h), of bytes that come piece by piece and are nowhere as a whole.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace clusterc {

// `make` is called once, and hands its pieces to what it is given. After a piece that could not be written the rest is
// dropped, and the file is what it was.
using Pieces = std::function<void(const std::function<void(std::string_view)>& write)>;
bool write_file_in_pieces(const std::string& path, const Pieces& make, FileError& error, mode_t mode = 0666);

}  // namespace clusterc
