// A value in words: what a message calls it, and its text in a file. For template/*.cc alone.
#pragma once
#include <string>
#include <string_view>

#include "template/value.h"

namespace clusterc {

std::string_view word_of(TemplateValue::Kind);  // "a list"
std::string text_of(const TemplateValue&);      // of a scalar; empty of others
std::string shortened(std::string_view);        // for a message
std::string excerpt(std::string_view);          // the same of text that may have several lines

bool is_scalar(const TemplateValue&);
bool is_number(const TemplateValue&);
double number_of(const TemplateValue&);
bool is_there(const TemplateValue&);  // it is set: `is defined`

// Whether it may stand in a file as it is: it was quoted, or nothing in it begins, ends or divides anything in the
// formats that clusters are configured with.
bool may_stand(const TemplateValue&);
// What filters change is as safe as before, unless it was safe by its quotes alone.
bool stays_safe(const TemplateValue&);
TemplateValue in_quotes(std::string text);

}  // namespace clusterc
