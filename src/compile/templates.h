// The files of templates/ as they were when the program was built (made by cmake/embed.cc).
#pragma once
#include <span>
#include <string_view>

namespace clusterc {

struct TemplateFile {
  std::string_view path;  // "ansible/roles/base/tasks/main.yml"
  std::string_view text;
};

std::span<const TemplateFile> template_files();  // sorted by path

}  // namespace clusterc
