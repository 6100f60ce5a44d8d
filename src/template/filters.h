// The filters of templates: {{ value | filter }}. For template/*.cc alone.
#pragma once
#include <string_view>
#include <vector>

#include "template/evaluate.h"

namespace clusterc {

// The filters, in the order in which messages name them, with the numbers of arguments that each takes.
struct TemplateFilter {
  std::string_view name;
  int least, most;
};
const std::vector<TemplateFilter>& template_filters();

// The value of an expression with a filter of template_filters(); the parser lets no other through.
TemplateValue apply_filter(TemplateEvaluator&, const TemplateExpression&);

// Where `what` begins in a text, at `from` or behind it; npos: nowhere. Linear whatever the texts are, unlike
// std::string_view::find.
std::size_t find_in(std::string_view text, std::string_view what, std::size_t from = 0);

}  // namespace clusterc
