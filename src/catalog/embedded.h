// The files of catalog/ as they were when the program was built (made by cmake/embed.cc).
#pragma once
#include <cstdint>
#include <optional>
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

// Sorted by folder, then name.
std::size_t embedded_count();
EmbeddedFile embedded_file(std::size_t);
std::optional<EmbeddedFile> find_embedded(std::string_view folder, std::string_view name);

// The generated table: places in two texts and nothing that the loader would have to relocate.
struct EmbeddedRow {
  std::uint32_t folder, folder_size, name, name_size, id, id_size, text, text_size;
};
struct EmbeddedIndex {
  const char* names;
  const char* texts;
  std::span<const EmbeddedRow> rows;
};
EmbeddedIndex embedded_index();

}  // namespace clusterc
