// The values of a template's expressions. For template/*.cc alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "template/budget.h"
#include "template/parse.h"
#include "template/value.h"

namespace clusterc {

[[noreturn]] void fail_template(SourceSpan, std::string message, std::string help = {});  // throws a TemplateProblem
[[noreturn]] void fail_unquoted(SourceSpan, std::string_view text, std::string help);     // of what !may_stand()

class TemplateEvaluator {
 public:
  TemplateEvaluator(const TemplateMap& names, TemplateBudget& budget) : names_(names), budget_(budget) {}

  TemplateValue value(const TemplateExpression&);    // absent where there is none
  TemplateValue present(const TemplateExpression&);  // throws where there is none
  bool truth(const TemplateExpression&);
  // The size of a quantity, or of what is compared with one: "50 Gb/s" beside a rate.
  double size_of(const TemplateValue&, Dimension, const TemplateExpression& where) const;

  // The names of loops, which hide those outside.
  std::size_t locals() const { return locals_.size(); }
  void add_local(std::string_view name, TemplateValue value) { locals_.push_back({name, std::move(value)}); }
  void drop_locals(std::size_t left) { locals_.resize(left); }

  TemplateBudget& budget() { return budget_; }

 private:
  struct Local {
    std::string_view name;
    TemplateValue value;
  };
  TemplateValue named(const TemplateExpression&);
  TemplateValue member(const TemplateExpression&);
  TemplateValue item(const TemplateValue& list, std::int64_t number) const;
  TemplateValue compared(const TemplateExpression&);
  bool is_in(const TemplateExpression&, const TemplateValue& what, const TemplateValue& where);
  bool is_item(const TemplateExpression&, const TemplateValue& what, const TemplateValue& list);
  int order_of(const TemplateValue&, const TemplateValue&, const TemplateExpression& where) const;

  const TemplateMap& names_;
  TemplateBudget& budget_;
  std::vector<Local> locals_;
};

}  // namespace clusterc
