// What one rendering may still take: steps, which bound its time, and the size of what it gives. For template/*.cc
// alone.
#pragma once
#include <string>
#include <string_view>

#include "template/parse.h"
#include "template/template.h"

namespace clusterc {

// Every refusal is thrown as a TemplateProblem.
class TemplateBudget {
 public:
  // `out`: what the rendering appends to.
  TemplateBudget(const std::string& out, const TemplateLimits& limits)
      : out_(out),
        limits_(limits),
        most_(out.size() + limits.bytes),
        own_(limits.steps),
        left_(limits.left ? *limits.left : own_) {}
  TemplateBudget(const TemplateBudget&) = delete;
  TemplateBudget& operator=(const TemplateBudget&) = delete;

  void step(SourceSpan at, std::int64_t steps = 1) {
    left_ -= steps;
    if (left_ < 0)
      throw TemplateProblem{at,
                            (limits_.left ? "the templates take more than " : "the template takes more than ") +
                                std::to_string(limits_.steps) + " steps",
                            "look for loops in loops over many nodes", true};
  }
  // What goes through a whole text costs as much as it is long.
  void charge(std::string_view text, SourceSpan at) { step(at, static_cast<std::int64_t>(text.size() / 256) + 1); }
  // Of a text by itself.
  void check_size(std::size_t size, SourceSpan at, std::string help = {}) const {
    if (size > most_)
      throw TemplateProblem{at, "the template gives more than " + std::to_string(limits_.bytes >> 20) + " MiB",
                            std::move(help), true};
  }
  // Of what the rendering gave so far, and so many bytes more.
  void check_room(std::size_t more, SourceSpan at, std::string help = {}) const {
    check_size(out_.size() + more, at, std::move(help));
  }
  void check_include_depth(int depth, SourceSpan at) const {
    if (depth > limits_.include_depth)
      throw TemplateProblem{at, "files include each other more than " + std::to_string(limits_.include_depth) + " deep",
                            "one of them includes itself", true};
  }

 private:
  const std::string& out_;
  const TemplateLimits& limits_;
  std::size_t most_;  // size that `out` may reach
  std::int64_t own_;
  std::int64_t& left_;  // own_, or what several renderings share
};

}  // namespace clusterc
