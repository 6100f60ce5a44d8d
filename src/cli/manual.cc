// Manual pages, written from the tables of commands and options. man(7), which every man(1) reads.
#include "base/format.h"
#include "base/text.h"
#include "cli/describe.h"

namespace clusterc::cli {
namespace {

// Text of a line: a backslash, and a dot or quote that begins the line, would be requests; a hyphen of an option is a
// minus.
std::string roff(std::string_view text) {
  std::string out = replace_all(text, "\\", "\\e");
  out = replace_all(out, "-", "\\-");
  out = replace_all(out, "…", "...");
  if (out.starts_with('.') || out.starts_with('\'')) out = "\\&" + out;
  return out;
}
std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}
std::string head(const std::string& page, std::string_view summary) {
  return format(
      ".\\\" written by `clusterc manual`\n.TH {} 1 \"\" \"clusterc\" \"clusterc manual\"\n.SH NAME\n{} \\- {}\n",
      upper(page), roff(page), roff(summary));
}

std::string overview() {
  std::string out =
      head("clusterc", "a compiler for GPU clusters: one YAML spec becomes a verdict, a plan, configuration and proof");
  out += ".SH SYNOPSIS\n.B clusterc\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n";
  for (const Command& c : all_commands())
    out += format(".TP\n.B {}\n{}; see\n.BR clusterc\\-{} (1)\n", c.name, roff(c.summary), roff(c.name));
  out +=
      ".SH OPTIONS\n.TP\n.B \\-\\-help\nthe commands; after a command: its options\n.TP\n.B \\-\\-version\nthe "
      "version\n";
  return out;
}

// As docs/commands.md has them.
std::string statuses(std::string_view command) {
  struct Row {
    std::string_view none, one, two;
  };
  const Row row = command == "check" || command == "plan" || command == "show" || command == "lsp"
                      ? Row{"no error; with \\-\\-strict no warning", "findings",
                            "could not be judged: unreadable, not YAML, over a limit; or a mistake on the command line"}
                  : command == "compile"
                      ? Row{"written, or with \\-\\-check up to date",
                            "findings (nothing is written), a file changed by hand, or not up to date",
                            "could not be judged, or a mistake on the command line"}
                  : command == "validate" ? Row{"all demanded figures passed", "otherwise", "could not run"}
                                          : Row{"done", "", "could not, or a mistake on the command line"};
  std::string out = ".SH EXIT STATUS\n";
  out += format(".TP\n.B 0\n{}\n", row.none);
  if (!row.one.empty()) out += format(".TP\n.B 1\n{}\n", row.one);
  return out + format(".TP\n.B 2\n{}\n", row.two);
}

std::string page(const CommandText& c) {
  std::string out = head("clusterc-" + std::string(c.name), c.summary);
  std::string_view usage = c.usage;
  const std::string_view lead = "clusterc ";
  if (usage.starts_with(lead)) usage.remove_prefix(lead.size());
  out += format(".SH SYNOPSIS\n.B clusterc\n{}\n.SH OPTIONS\n", roff(usage));
  for (const OptionText& o : c.options) {
    out += ".TP\n";
    const std::string value = o.placeholder.empty() ? "" : " \\fI" + roff(o.placeholder) + "\\fR";
    if (o.letter) out += format("\\fB\\-{}\\fR{}, ", o.letter, value);
    out += format("\\fB\\-\\-{}\\fR{}\n{}\n", roff(o.name), value,
                  roff(o.description + (o.standard.empty() ? "" : " (default: " + o.standard + ")")));
  }
  return out + statuses(c.name) + ".SH SEE ALSO\n.BR clusterc (1)\n";
}

void options_of_manual(po::options_description& o) { add_positional(o, "COMMAND"); }

int run_manual(const po::variables_map& given) {
  const auto names = positional(given);
  if (names.size() > 1) throw UsageError{"name one command"};
  if (names.empty()) {
    put(overview());
    return kOk;
  }
  for (const Command& c : all_commands())
    if (c.name == names[0]) {
      put(page(describe(c)));
      return kOk;
    }
  throw UsageError{"there is no command '" + names[0] + "'"};
}

}  // namespace
const Command kManual{"manual", "a manual page: of the program, or of a command, for man -l -",
                      "clusterc manual [COMMAND]", options_of_manual, run_manual};
}  // namespace clusterc::cli
