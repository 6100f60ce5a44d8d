#include "system/logs.h"

#include <algorithm>

#include "base/text.h"
#include "system/monitoring.h"

namespace clusterc {
namespace {

// One statement: whatever it opens it closes, and it ends with ';'.
bool is_statement(std::string_view text) {
  if (text.starts_with("@include \"") || text.starts_with("@define ") || text.starts_with("@module "))
    return text.find('\n') == text.npos;
  std::string open;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return false;
    if (quote) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '(') {
      open += c == '{' ? '}' : ')';
    } else if (c == '}' || c == ')') {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
    } else if (c == '#' || (c == ';' && open.empty() && i + 1 != text.size())) {
      return false;
    }
  }
  return !quote && open.empty() && text.size() > 1 && text.ends_with(';');
}

}  // namespace

std::string_view first_watching(const Cluster& c, const std::vector<std::string_view>& programs) {
  for (const std::string_view p : programs)
    if (watches_with(c, p)) return p;
  return {};
}

std::string log_statements(const System& in, Findings& findings) {
  std::string out;
  const auto* extra = extra_lines_of(in.cluster, "syslog-ng", "syslog-ng.conf");
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    if (is_statement(text))
      out += text, out += '\n';
    else
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a syslog-ng statement")
          .help(
              "write one whole statement, for example log { source(s_cluster); destination { file(\"/var/log/all\"); "
              "}; };");
  }
  return out;
}

bool defines_destination(std::string_view extra, std::string_view destination) {
  constexpr std::string_view kWord = "destination", kBlank = " \t";
  for (std::string_view line : split(extra, '\n')) {
    if (!line.starts_with(kWord)) continue;
    line.remove_prefix(kWord.size());
    const auto begin = line.find_first_not_of(kBlank);
    if (begin == 0 && line.front() != '"') continue;  // another word
    line.remove_prefix(std::min(begin, line.size()));
    const bool quoted = line.starts_with('"');
    line.remove_prefix(quoted);
    if (line.starts_with(destination) &&
        (line.size() == destination.size() ||
         std::string_view(quoted ? "\"" : " \t{").find(line[destination.size()]) != std::string::npos))
      return true;
  }
  return false;
}

bool keeps_logs_in_loki(const System& in) {
  Findings said;  // the output says what is wrong with its lines
  return in.makes("syslog-ng") && watches_with(in.cluster, "loki") && !watching_node(in).empty() &&
         !defines_destination(log_statements(in, said), kLokiDestination);
}

}  // namespace clusterc
