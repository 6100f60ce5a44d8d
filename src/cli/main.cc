// One table of commands, one catch. Everything that is wrong with the input comes out as findings; what ends up here as
// an exception is wrong usage, a machine that refuses (no memory, no disk), or a bug of ours.
#include <csignal>
#include <cstdio>
#include <new>
#include <utility>

#include "base/format.h"
#include "cli/command.h"
#include "diag/render.h"

namespace clusterc::cli {

namespace {

std::string overview() {
  std::string out =
      "clusterc: one YAML spec becomes a verdict, a plan, configuration and proof for a GPU cluster\n\nusage: clusterc "
      "COMMAND …\n\n";
  for (const Command& c : all_commands()) out += format("  {:<10} {}\n", c.name, c.summary);
  return out + "\n'clusterc COMMAND --help' prints the options of a command.\n";
}

std::string help_of(const Command& c) {
  po::options_description options("options");
  c.options(options);
  std::string out = format("{}\n\nusage: {}\n", c.summary, c.usage);
  bool first = true;
  for (const auto& o : options.options()) {
    if (o->long_name() == "arguments") continue;
    if (std::exchange(first, false)) out += "\noptions:\n";
    const std::string parameter = o->format_parameter();
    const std::string name = "--" + o->long_name() + (o->semantic()->max_tokens() == 0 ? "" : " " + parameter);
    out += format("  {:<34} {}\n", name, o->description());
  }
  return out;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    put(overview());
    return words.empty() ? kUnjudged : kOk;
  }
  if (words[0] == "--version") {
    put("clusterc " CLUSTERC_VERSION "\n");
    return kOk;
  }
  const Command* command = nullptr;
  std::vector<std::string_view> known;
  for (const Command& c : all_commands()) {
    known.push_back(c.name);
    if (c.name == words[0]) command = &c;
  }
  if (!command) {
    const auto near = nearest_name(words[0], known);
    put_error("clusterc: error: there is no command '" + printable(words[0]) + "'" +
              (near ? "; did you mean '" + std::string(*near) + "'?" : "") + "\n\n" + overview());
    return kUnjudged;
  }
  po::options_description options;
  command->options(options);
  add_help(options);
  po::positional_options_description rest;
  rest.add("arguments", -1);
  const bool takes_arguments = options.find_nothrow("arguments", false) != nullptr;
  if (!takes_arguments) add_positional(options, "");
  po::variables_map given;
  try {
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(std::vector<std::string>(words.begin() + 1, words.end()))
                  .options(options)
                  .positional(rest)
                  .style(style)
                  .run(),
              given);
    po::notify(given);
    if (given["help"].as<bool>()) {
      put(help_of(*command));
      return kOk;
    }
    if (const auto words_left = positional(given); !takes_arguments && !words_left.empty())
      throw UsageError{"this command accepts only options, not '" + words_left.front() + "'"};
    return command->run(given);
  } catch (const UsageError& e) {
    put_error(format("clusterc {}: error: {}\nusage: {}\n", command->name, printable(e.message), command->usage));
  } catch (const po::error& e) {
    put_error(format("clusterc {}: error: {}\nusage: {}\n", command->name, printable(e.what()), command->usage));
  }
  return kUnjudged;
}

}  // namespace
}  // namespace clusterc::cli

int main(int argc, char** argv) {
  using namespace clusterc::cli;
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return dispatch(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("clusterc: error: out of memory\n", stderr);
  } catch (const std::logic_error& e) {
    std::fprintf(stderr, "clusterc: internal error: %s; this is a bug\n", clusterc::printable(e.what()).c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "clusterc: error: %s\n", clusterc::printable(e.what()).c_str());
  }
  return kUnjudged;
}
