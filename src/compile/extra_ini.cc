#include "compile/extra_ini.h"

#include <algorithm>

#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// Letters, digits and what names of sections and keys have besides: "RoutingPolicyRule", "bond-port", "route1_options".
bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

}  // namespace

std::string ini_lines(const CompileInput& in, std::string_view file, std::string_view example, Findings& findings,
                      const std::function<std::string(std::string_view, std::string_view, std::string_view)>& refuses) {
  std::string out, section;
  IniWriter ini(out);
  const auto* extra = extra_of(in, file);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals),
                           value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    const bool heading =
        text.size() > 2 && text.front() == '[' && text.back() == ']' && is_name(text.substr(1, text.size() - 2));
    bool good = false;
    if (heading) {
      section = text.substr(1, text.size() - 2);
      ini.section(section);
      good = true;
    } else if (!section.empty() && equals != std::string_view::npos && is_name(key)) {
      const std::string why = refuses(section, key, value);
      if (!why.empty()) {
        findings.error("output-extra-contradicts-spec", wish.span, why).help("change the spec instead");
        continue;
      }
      IniWriter line(out);
      line.field(key, value);
      good = line.ok();
    }
    if (!good)
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid line of " + std::string(file))
          .help("write [Section] or Key=value in each line, a section first, for example " + std::string(example));
  }
  return out;
}

}  // namespace clusterc
