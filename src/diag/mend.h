// A text mended by the fixes of its findings, and checked again after each step: a fix that would bring up an error
// that was not there, or leave its finding standing, is not applied. Pure; who checks is the caller's business.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diag/apply_fixes.h"

namespace clusterc {

// What a check of a text found. `owner` keeps the rest alive.
struct CheckedText {
  std::shared_ptr<const void> owner;
  const Findings* findings = nullptr;
  const Sources* sources = nullptr;
  FileId file = kNoFile;  // the text; edits of other files are not ours to make
  bool readable = true;   // false: a mistake of syntax hid all others
};
using Judge = std::function<CheckedText(const std::string& text)>;

struct MendStep {
  std::string rule, title;
  std::uint32_t line = 0;  // of the text as it was when the fix was looked at
  std::string why_not;     // empty: applied
};

struct Mended {
  std::string text;
  std::vector<MendStep> applied, refused;
  CheckedText last;  // of that text
};

// At most `most_checks` checks: what they do not suffice for is left, and said in `refused`.
Mended mend(std::string text, const Judge&, std::size_t most_checks = 200);

}  // namespace clusterc
