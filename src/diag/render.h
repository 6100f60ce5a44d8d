// The same findings as text, JSON, SARIF 2.1.0, JUnit, and as two code hosts read them. Pure: nothing but the arguments
// decides a byte.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/printable.h"
#include "diag/finding.h"

namespace clusterc {

struct RuleText {  // what formats that carry rule metadata need to know of a rule
  std::string_view id, code, summary, explanation, help_uri;
  Severity severity = Severity::error;
};

struct TextStyle {
  bool color = false;
  std::uint32_t width = 0; /* 0: no cut */
};

std::string render_text(const Findings&, const Sources&, TextStyle = {});
std::string render_text(const Finding&, const Findings& among, const Sources&, TextStyle = {});
std::string render_summary(const Findings&);  // "2 errors, 1 warning, 3 notes (1 accepted)"
// Format "clusterc-findings", version 1; `more` writes further members of the document.
using JsonMembers = std::function<void(JsonWriter&)>;
std::string render_json(const Findings&, const Sources&, const JsonMembers& more = {});
std::string render_sarif(const Findings&, const Sources&, std::span<const RuleText>,
                         std::string_view version = {} /* of this program */);
// A file without a finding has a suite, too, which says so; unless it is `unasked`: a part of the built-in catalogue
// that was looked at.
std::string render_junit(const Findings&, const Sources&, bool (*unasked)(std::string_view path) = nullptr);
std::string render_github(const Findings&,
                          const Sources&);  // workflow commands: one ::error, ::warning or ::notice line each
std::string render_gitlab(const Findings&, const Sources&);  // code quality report

// One for each finding, in their order: what stays the same when lines move (rule, path of keys, objects), told apart
// by a number where two are alike. 32 hexadecimal digits.
std::vector<std::string> fingerprints(const Findings&, const Sources&);

}  // namespace clusterc
