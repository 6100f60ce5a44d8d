#include "cli/describe.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "cli/examples.h"
#include "compile/output.h"
#include "launch/launcher.h"
#include "rules/finding_table.h"

namespace clusterc::cli {
namespace {

// The placeholder says what belongs there; the one list in the program that knows what each stands for.
Takes takes_of(std::string_view command, std::string_view placeholder) {
  using Kind = Takes::Kind;
  Takes takes{Kind::words, {}};
  if (placeholder.empty()) return {};
  if (placeholder == "SPEC") return {Kind::specs, {}};
  if (placeholder == "FILE") return {Kind::file, {}};
  if (placeholder == "DIR") return {Kind::folder, {}};
  if (placeholder == "FORMAT")
    takes.words = command == "check"  ? format_names()
                  : command == "diff" ? std::vector<std::string>{"text", "markdown", "json"}
                                      : std::vector<std::string>{"text", "json"};
  if (placeholder == "WHEN") takes.words = {"auto", "always", "never"};
  if (placeholder == "NAME" && command == "init")
    for (const Example& e : examples()) takes.words.emplace_back(e.name);
  if (placeholder == "SHELL") takes.words = {"bash", "zsh", "fish"};
  if (placeholder == "NAME" && command == "validate")
    for (const std::string_view id : launcher_ids()) takes.words.emplace_back(id);
  if (placeholder == "EDITION") {
    takes.words = {"newest"};
    for (const Edition& e : kEditions) takes.words.push_back(e.text());
  }
  if (placeholder == "RULE")
    for (const FindingKind& kind : all_finding_kinds()) takes.words.emplace_back(kind.id);
  if (placeholder == "COMMAND")
    for (const Command& c : all_commands()) takes.words.emplace_back(c.name);
  if (placeholder == "LIST" && command == "compile")
    for (const Output* output : all_outputs()) takes.words.emplace_back(output->id);
  if (placeholder == "PART") {
    Sources sources;
    Findings findings;
    for (const PartInfo& part : Catalog(sources, findings).list()) {
      const std::string kind(part_kind_name(part.kind));
      if (std::ranges::find(takes.words, kind) == takes.words.end()) takes.words.push_back(kind);
      takes.words.emplace_back(part.id);
    }
  }
  if (takes.words.empty()) takes.kind = Kind::anything;
  return takes;
}

}  // namespace

CommandText describe(const Command& command) {
  CommandText text{command.name, command.summary, command.usage, {}, {}, {}};
  po::options_description options;
  command.options(options);
  add_help(options);
  for (const auto& o : options.options()) {
    // "arg (=text)" or "FORMAT (=text)"
    std::string parameter = o->semantic()->max_tokens() == 0 ? std::string() : o->format_parameter();
    OptionText option;
    if (const auto at = parameter.find(" (="); at != parameter.npos) {
      option.standard = parameter.substr(at + 3, parameter.size() - at - 4);
      parameter.resize(at);
    }
    option.placeholder = parameter;
    if (o->long_name() == "arguments") {
      text.positional = option.placeholder;
      text.takes = takes_of(command.name, option.placeholder);
      continue;
    }
    option.name = o->long_name();
    const std::string letter = o->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (letter.size() == 2 && letter[0] == '-') option.letter = letter[1];
    option.description = o->description();
    option.takes = takes_of(command.name, option.placeholder);
    text.options.push_back(std::move(option));
  }
  return text;
}

}  // namespace clusterc::cli
