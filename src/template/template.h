// Templates of files in Jinja's spelling, a strict part of it: {{ value | filter }}, {% if %}, {% for %}, {% include
// %}, {% raw %}, {# comment #}, {%- and -%}; as with its options trim_blocks, lstrip_blocks, keep_trailing_newline and
// StrictUndefined (docs/templates.md). No commands, no environment, no clock: what a template gives follows from what
// it is given.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "template/value.h"

namespace clusterc {

struct TemplateBlock;  // a template that was read; template/parse.h

struct TemplateLimits {
  std::size_t bytes = std::size_t{64} << 20;  // of what one template gives
  std::int64_t steps = 100'000'000;           // tags and values that one rendering meets: five seconds
  std::int64_t* left = nullptr;               // in its place where several renderings share them: what is left of them
  int include_depth = 16;
};

class Template {
 public:
  // Nothing: the text is no template, and one finding (output-template-syntax) says where and why.
  static std::shared_ptr<const Template> parse(const Sources&, FileId, Findings&);
  ~Template();

  // Another template by the name that {% include %} gives it; null: there is none.
  using Include = std::function<const Template*(std::string_view name)>;
  // Appends to `out`. False: one finding (output-template-value, output-template-limit) says where it stopped and why.
  bool render(const TemplateMap& names, const Include&, std::string& out, Findings&, const TemplateLimits& = {}) const;
  // What it includes, by name.
  std::vector<std::string_view> includes() const;

 private:
  Template() = default;
  std::unique_ptr<TemplateBlock> block_;
};

}  // namespace clusterc
