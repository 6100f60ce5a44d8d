// A template as it was read: blocks of nodes, expressions as trees. For template/*.cc alone.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"
#include "template/value.h"

namespace clusterc {

// What is wrong, and where: thrown while a template is read or rendered, and made a finding by who began it.
struct TemplateProblem {
  SourceSpan span;
  std::string message, help;
  bool limit = false;
  std::vector<SourceSpan> through = {};  // the tags that included the place, the nearest first
};

struct TemplateExpression {
  enum class Kind : std::uint8_t {
    literal,
    name,
    member,
    list,
    negation,
    both,
    either,
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    in,
    not_in,
    defined,
    undefined,
    filter
  };
  Kind kind = Kind::literal;
  SourceSpan span;
  TemplateValue value;                                        // literal
  std::string_view word;                                      // name, member (empty: by the second operand), filter
  std::vector<std::unique_ptr<TemplateExpression>> operands;  // filter: what it takes, then its arguments
};
using TemplateExpressionPtr = std::unique_ptr<TemplateExpression>;

struct TemplateNode;
struct TemplateBlock {
  std::vector<TemplateNode> nodes;
};

struct TemplateNode {
  enum class Kind : std::uint8_t { text, value, branch, loop, include };
  Kind kind = Kind::text;
  SourceSpan span;
  std::string_view text;                     // text; include: the name as written, when it is a literal
  TemplateExpressionPtr expression;          // value; loop: the list
  std::string_view first, second;            // loop: its names; the second one may be empty
  std::vector<TemplateExpressionPtr> tests;  // branch: of each part; the last part may have none
  std::vector<TemplateBlock> parts;          // branch; loop: its body
};

TemplateBlock parse_template(const Sources&, FileId);  // throws TemplateProblem

}  // namespace clusterc
