// The files of catalog/ as they were when the program was built (made by cmake/embed.cc).
#pragma once
#include <span>
#include <string_view>

namespace clusterc {

enum class PartKind;
std::string_view part_folder(PartKind);  // "gpus": the folder of a kind in catalog/

struct EmbeddedFile {
  std::string_view folder;  // "gpus"
  std::string_view name;    // id or alias
  std::string_view id;      // the file's stem
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();                                     // sorted by folder, then name
const EmbeddedFile* find_embedded(std::string_view folder, std::string_view name);  // nullptr when there is none

}  // namespace clusterc
