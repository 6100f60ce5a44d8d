// The folder that `templates:` of the spec names: what lies in it stands in the place of compiled files
// (docs/templates.md).
//   FOLDER/slurm/slurm.conf.tmpl   a template (template/template.h): what it gives is slurm/slurm.conf of the tree
//   FOLDER/slurm/slurm.conf        is slurm/slurm.conf as it is
#pragma once
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "template/template.h"

namespace clusterc {

struct SiteTemplates {  // read by the pipeline
  struct File {
    std::string path;
    FileId file;
  };                   // as seen from the folder, '/' separated
  std::string folder;  // as the spec names it
  const Sources* sources = nullptr;
  std::vector<File> files;  // by path
};

// One compile's: templates are read once, and asked for each file that an output made.
class Replacing {
 public:
  Replacing(const System&, const SiteTemplates&, Findings&);
  // The file as it was made, or what stands in its place, into `to`.
  void put(const Bundle::File&, std::string_view bytes, Bundle& to, Findings&);
  // What replaced nothing, of outputs that were to be made: nothing in it would be heard of otherwise. `compiled`: ids
  // of outputs that this cluster calls for.
  void tell_unused(const std::set<std::string, std::less<>>& only, std::span<const std::string_view> compiled,
                   Findings&) const;

 private:
  struct File {
    FileId id = 0;
    bool is_template = false;
    std::shared_ptr<const Template> parsed;
    bool broken = false, used = false;
  };
  const Template* included(std::string_view name, Findings&);
  SourceSpan place(const File& f) const { return {f.id, 0, 0}; }

  const SiteTemplates& from_;
  std::int64_t steps_left_ = TemplateLimits{}.steps;  // of all of them: thousands of files take no longer than one
  std::vector<std::pair<std::string, TemplateValue>> names_;
  std::map<std::string, File, std::less<>> files_;      // by the path in the folder
  std::map<std::string, File*, std::less<>> replaced_;  // by the path in the tree
  std::map<std::string, std::vector<std::string>, std::less<>>
      made_;  // paths of outputs that a file here may have meant, for did-you-mean
};

}  // namespace clusterc
