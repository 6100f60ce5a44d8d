#include "compile/site_templates.h"

#include <algorithm>

#include "compile/common.h"
#include "compile/template_names.h"

namespace clusterc {
namespace {

constexpr std::string_view kEnding = ".tmpl";
constexpr std::size_t kNamed = 2000;  // paths of an output that a slip of the pen is held against

std::string_view output_of(std::string_view path) { return path.substr(0, path.find('/')); }

// For people, at the top of the folder.
bool is_read_me(std::string_view path) { return path.find('/') == path.npos && path.starts_with("README"); }

// What of a file would surprise the program that reads it; empty: nothing. Compiled files are UTF-8 without a mark in
// front, their lines end as Unix has them.
std::string_view oddity(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "is UTF-16, as some editors write it";
  if (text.starts_with("\xef\xbb\xbf"))
    return "begins with a byte order mark, which most programs read as part of the first word";
  if (text.find('\0') != text.npos) return "contains zero bytes";
  if (text.find("\r\n") != text.npos)
    return "has Windows line ends: most programs read the carriage return as part of the value";
  return {};
}

}  // namespace

Replacing::Replacing(const System& in, const SiteTemplates& from, Findings& findings)
    : from_(from), names_(template_names(in)) {
  for (const SiteTemplates::File& f : from.files) {
    File& file = files_[f.path];
    file.id = f.file;
    file.is_template = f.path.ends_with(kEnding);
    if (is_read_me(f.path)) {
      file.used = true;
      continue;
    }
    if (file.is_template) {
      file.parsed = Template::parse(*from.sources, f.file, findings);
      file.broken = !file.parsed;
    }
    if (const std::string_view odd = oddity(from.sources->text(f.file)); !odd.empty())
      findings
          .warning("output-template-odd", place(file), "'" + f.path + "' in the template folder " + std::string(odd))
          .help(odd == "is empty" ? "if the program must read nothing, write a comment into the file"
                                  : "save it as UTF-8 with Unix line ends");
    const std::string path = file.is_template ? f.path.substr(0, f.path.size() - kEnding.size()) : f.path;
    made_[std::string(output_of(path))];
    if (const auto [at, fresh] = replaced_.try_emplace(path, &file); !fresh) {
      findings
          .error("output-template-twice", place(file),
                 "'" + path + std::string(kEnding) + "' and '" + path +
                     "' are both in the template folder: each would replace '" + path + "' of the compiled tree")
          .help("remove one of them");
      file.used = true;
    }
  }
}

const Template* Replacing::included(std::string_view name, Findings& findings) {
  const auto at = files_.find(name);
  if (at == files_.end()) return nullptr;
  File& file = at->second;
  file.used = true;
  if (!file.parsed && !file.broken) {
    file.parsed = Template::parse(*from_.sources, file.id, findings);
    file.broken = !file.parsed;
  }
  static const std::shared_ptr<const Template> nothing = [] {
    Sources none;
    Findings unheard;
    return Template::parse(none, none.add("", ""), unheard);
  }();
  return file.parsed ? file.parsed.get() : nothing.get();  // what is wrong with it was said
}

void Replacing::put(const Bundle::File& made, std::string_view bytes, Bundle& to, Findings& findings) {
  if (const auto paths = made_.find(output_of(made.path)); paths != made_.end() && paths->second.size() < kNamed)
    paths->second.push_back(made.path);
  const auto at = replaced_.find(made.path);
  if (at == replaced_.end()) {
    if (made.mode == kLink)
      to.link(made.path, made.origin, bytes);
    else
      to.add(made.path, made.origin, bytes, made.mode);
    return;
  }
  File& file = *at->second;
  file.used = true;
  const std::uint32_t mode = made.mode == kLink ? 0644u : made.mode;
  const std::string origin =
      from_.folder + "/" + made.path + std::string(file.is_template ? kEnding : std::string_view());
  if (!file.is_template) {
    to.add(made.path, origin, from_.sources->text(file.id), mode);
    return;
  }
  if (file.broken || steps_left_ < 0)
    return;  // nothing is written with an error among the findings, and that no steps are left is said once
  std::vector<std::pair<std::string, TemplateValue>> names = names_;
  names.emplace_back("path", TemplateValue::of(made.path, true));
  names.emplace_back("compiled", made.mode == kLink ? TemplateValue::absent(
                                                          "the compiled file is a link to another file of the tree, '" +
                                                          std::string(bytes) + "'")
                                                    : TemplateValue::borrowed(bytes, true));
  to.open(made.path, origin, mode);
  file.parsed->render(TemplateMap(std::move(names)), [&](std::string_view name) { return included(name, findings); },
                      to.text(), findings, {.left = &steps_left_});
  to.close();
}

void Replacing::tell_unused(const std::set<std::string, std::less<>>& only, std::span<const std::string_view> compiled,
                            Findings& findings) const {
  for (const auto& [path, file] : files_) {
    if (file.used || file.broken) continue;
    const std::string_view id = output_of(path);
    const bool output = find_output(id) != nullptr;
    if (output && !only.empty() && !only.contains(id)) continue;  // today's wish, not the spec's
    Finding& f = findings.warning(
        "output-template-unused", place(file),
        "'" + path + "' in the template folder replaces no compiled file, and no template includes it");
    if (!output) {
      std::vector<std::string_view> ids;
      for (const Output* o : all_outputs()) ids.push_back(o->id);
      const auto near = path.find('/') == path.npos ? std::nullopt : nearest_name(id, ids);
      f.help(near ? "did you mean the folder '" + std::string(*near) + "'?"
                  : "use the path of the file in the compiled tree: slurm/slurm.conf.tmpl for slurm/slurm.conf");
      continue;
    }
    if (std::find(compiled.begin(), compiled.end(), id) == compiled.end()) {
      f.help("this cluster does not need the output '" + std::string(id) + "', or `outputs` skips it");
      continue;
    }
    const auto made = made_.find(id);
    std::vector<std::string_view> paths;
    if (made != made_.end()) paths.assign(made->second.begin(), made->second.end());
    const bool ending = path.ends_with(kEnding);
    const auto near =
        nearest_name(std::string_view(path).substr(0, path.size() - (ending ? kEnding.size() : 0)), paths);
    if (near)
      f.help("did you mean '" + std::string(*near) + std::string(ending ? kEnding : std::string_view()) + "'?");
    else
      f.help("see manifest.json of a compiled tree for the paths of all files");
  }
}

}  // namespace clusterc
