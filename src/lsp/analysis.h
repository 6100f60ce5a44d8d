// What the whole program knows of one state of a document, kept between requests.
#pragma once
#include <memory>

#include "lsp/text.h"
#include "pipeline.h"

namespace clusterc::lsp {

struct Analysis {
  std::shared_ptr<const TextDocument> text;
  std::unique_ptr<Run> run;  // the plan and the figures are not kept: nobody asks for them afterwards
  std::optional<Date> today;
  bool good() const { return run && run->cluster; }
};

// Stops where a text is not YAML or no spec, as `clusterc check` does. `path` is where the spec lies: what it names
// lies beside it.
std::shared_ptr<const Analysis> analyse(std::shared_ptr<const TextDocument>, const std::string& path,
                                        std::optional<Date> today);

// file: URIs and paths. nullopt: another scheme, or another host.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

}  // namespace clusterc::lsp
