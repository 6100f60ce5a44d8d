// Completion for three shells, written from the tables of commands and options: what --help knows, Tab knows.
#include "base/format.h"
#include "base/text.h"
#include "cli/describe.h"

namespace clusterc::cli {
namespace {

using Kind = Takes::Kind;

std::string shell_quoted(std::string_view text) {  // for sh and zsh
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

std::vector<CommandText> commands() {
  std::vector<CommandText> all;
  for (const Command& c : all_commands()) all.push_back(describe(c));
  return all;
}

// ---- bash: the words so far are in COMP_WORDS; it parts `--format=json` at the '='
std::string bash_case(const Takes& takes) {
  switch (takes.kind) {
    case Kind::words:
      return "_clusterc_words " + shell_quoted(join(takes.words, " "));
    case Kind::file:
      return "_clusterc_files";
    case Kind::folder:
      return "_clusterc_folders";
    case Kind::specs:
      return "_clusterc_specs";
    case Kind::nothing:
    case Kind::anything:
      break;
  }
  return ":";
}

std::string bash(const std::vector<CommandText>& all) {
  std::string names, options, values, rest;
  for (const CommandText& c : all) {
    names += std::string(c.name) + " ";
    std::string mine;
    for (const OptionText& o : c.options) {
      mine += "--" + o.name + " ";
      if (o.letter) mine += std::string("-") + o.letter + " ";
      if (o.placeholder.empty()) continue;
      values += format("    {}:--{}", c.name, o.name);
      if (o.letter) values += format("|{}:-{}", c.name, o.letter);
      values += format(") {}; return ;;\n", bash_case(o.takes));
    }
    options += format("      {}) _clusterc_words {} ;;\n", c.name, shell_quoted(trim(mine)));
    rest += format("    {}) {} ;;\n", c.name, bash_case(c.takes));
  }
  return "# bash completion of clusterc, written by `clusterc completion bash`\n"
         "_clusterc_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
         "_clusterc_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); }\n"
         "_clusterc_folders() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); }\n"
         "_clusterc_specs() {\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- \"$cur\"; compgen -f -X '!*.yml' -- \"$cur\"; compgen "
         "-d -- \"$cur\")\n"
         "}\n"
         "_clusterc() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
         "  COMPREPLY=()\n"
         "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi\n"
         "  done\n"
         "  if [[ -z $command ]]; then _clusterc_words " +
         shell_quoted(names + "--help --version") +
         "; return; fi\n"
         "  case $command:$prev in\n" +
         values +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n    case $command in\n" +
         options +
         "    esac\n    return\n  fi\n"
         "  case $command in\n" +
         rest +
         "  esac\n"
         "}\n"
         "complete -F _clusterc clusterc\n";
}

// ---- zsh: _arguments reads `--name=[description]:message:action`
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Takes& takes) {
  switch (takes.kind) {
    case Kind::words:
      return "(" + join(takes.words, " ") + ")";
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    case Kind::specs:
      return "_files -g \"*.(yaml|yml)\"";
    case Kind::nothing:
    case Kind::anything:
      break;
  }
  return " ";
}

std::string zsh(const std::vector<CommandText>& all) {
  std::string names, cases;
  for (const CommandText& c : all) {
    names += "        " + shell_quoted(zsh_text(c.name) + ":" + zsh_text(c.summary)) + "\n";
    cases += format("        {})\n          _arguments", c.name);
    for (const OptionText& o : c.options) {
      const std::string behind =
          "[" + zsh_text(o.description) + "]" +
          (o.placeholder.empty() ? "" : ":" + zsh_text(o.placeholder) + ":" + zsh_action(o.takes));
      const std::string mark = o.placeholder.empty() ? "" : "=";
      cases += " \\\n            ";
      if (o.letter)
        cases += format("'(-{0} --{1})'{{-{0},--{1}{2}}}{3}", o.letter, o.name, mark, shell_quoted(behind));
      else
        cases += shell_quoted("--" + o.name + mark + behind);
    }
    if (!c.positional.empty())
      cases += " \\\n            " + shell_quoted("*:" + zsh_text(c.positional) + ":" + zsh_action(c.takes));
    cases += "\n          ;;\n";
  }
  return "#compdef clusterc\n# zsh completion of clusterc, written by `clusterc completion zsh`\n"
         "_clusterc() {\n"
         "  local curcontext=\"$curcontext\" state line\n"
         "  typeset -A opt_args\n"
         "  _arguments -C '--help[the commands]' '--version[the version]' '1:command:->command' "
         "'*::argument:->argument'\n"
         "  case $state in\n"
         "    command)\n      local -a commands\n      commands=(\n" +
         names +
         "      )\n      _describe command commands\n      ;;\n"
         "    argument)\n      case $words[1] in\n" +
         cases +
         "      esac\n      ;;\n"
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _clusterc ]; then _clusterc \"$@\"; else compdef _clusterc clusterc; fi\n";
}

// ---- fish: one `complete` a thing
std::string fish_text(std::string_view text) {
  return "'" + replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_value(const Takes& takes) {
  switch (takes.kind) {
    case Kind::words:
      return " -x -a " + fish_text(join(takes.words, " "));
    case Kind::file:
    case Kind::specs:
      return " -r -F";
    case Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::anything:
      return " -x";
    case Kind::nothing:
      break;
  }
  return "";
}

std::string fish(const std::vector<CommandText>& all) {
  std::string out =
      "# fish completion of clusterc, written by `clusterc completion fish`\ncomplete -c clusterc -f\n"
      "complete -c clusterc -n __fish_use_subcommand -l help -d 'the commands'\n"
      "complete -c clusterc -n __fish_use_subcommand -l version -d 'the version'\n";
  for (const CommandText& c : all)
    out += format("complete -c clusterc -n __fish_use_subcommand -a {} -d {}\n", c.name, fish_text(c.summary));
  for (const CommandText& c : all) {
    const std::string when = format("complete -c clusterc -n '__fish_seen_subcommand_from {}'", c.name);
    for (const OptionText& o : c.options)
      out += format("{} -l {}{}{} -d {}\n", when, o.name, o.letter ? std::string(" -s ") + o.letter : "",
                    fish_value(o.takes), fish_text(o.description));
    if (c.takes.kind == Kind::words)
      out += format("{} -a {}\n", when, fish_text(join(c.takes.words, " ")));
    else if (c.takes.kind == Kind::specs || c.takes.kind == Kind::file)
      out += format("{} -F\n", when);
  }
  return out;
}

void options_of_completion(po::options_description& o) { add_positional(o, "SHELL"); }

int run_completion(const po::variables_map& given) {
  const auto shells = positional(given);
  if (shells.size() != 1) throw UsageError{"name a shell: bash, zsh or fish"};
  if (shells[0] == "bash")
    put(bash(commands()));
  else if (shells[0] == "zsh")
    put(zsh(commands()));
  else if (shells[0] == "fish")
    put(fish(commands()));
  else
    throw UsageError{"completion exists for bash, zsh and fish, not for '" + shells[0] + "'"};
  return kOk;
}

}  // namespace
const Command kCompletion{"completion", "completion of commands and options in a shell: bash, zsh, fish",
                          "clusterc completion bash|zsh|fish", options_of_completion, run_completion};
}  // namespace clusterc::cli
