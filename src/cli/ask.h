// A first spec from questions: what is asked, and what is made of the answers.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "catalog/catalog.h"

namespace clusterc::cli {

// Puts a question and gives the answer; nothing: the input ended.
using Answer = std::function<std::optional<std::string>(const std::string& prompt)>;
using Say = std::function<void(const std::string&)>;

// Asks again until an answer can be used; an empty one takes what stands in brackets. nullopt: the input ended before
// the last answer, and `say` got the reason. A script without input gets no spec.
std::optional<std::string> spec_from_answers(Catalog&, const Answer&, const Say&);

}  // namespace clusterc::cli
