// One file of templates/ by its path; none of that name is a bug of ours.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "compile/templates.h"

namespace clusterc {

inline std::string_view template_text(std::string_view path) {
  for (const TemplateFile& file : template_files())
    if (file.path == path) return file.text;
  throw std::logic_error("no template " + std::string(path));
}

}  // namespace clusterc
