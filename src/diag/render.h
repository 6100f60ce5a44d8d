// The same findings as text, JSON, SARIF 2.1.0 and JUnit. Pure: nothing but the arguments decides a byte.
#pragma once
#include <span>
#include <string>

#include "diag/finding.h"

namespace clusterc {

struct RuleText {            // what formats that carry rule metadata need to know of a rule
  std::string_view id, code, summary, explanation, help_uri;
  Severity severity = Severity::error;
};

struct TextStyle { bool color = false; std::uint32_t width = 0; /* 0: no cut */ };

std::string render_text(const Findings&, const Sources&, TextStyle = {});
std::string render_text(const Finding&, const Findings& among, const Sources&, TextStyle = {});
std::string render_summary(const Findings&);   // "2 errors, 1 warning, 3 notes (1 accepted)"
std::string render_json(const Findings&, const Sources&);      // format "clusterc-findings", version 1
std::string render_sarif(const Findings&, const Sources&, std::span<const RuleText>);
std::string render_junit(const Findings&, const Sources&);

}  // namespace clusterc
