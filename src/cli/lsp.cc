#include <unistd.h>

#include <ctime>

#include "cli/command.h"
#include "lsp/stdio.h"

namespace clusterc::cli {
namespace {

void options_of_lsp(po::options_description& o) {
  o.add_options()("stdio", po::bool_switch(),
                  "use standard input and output: the only transport, which editors ask for")(
      "today", po::value<std::string>()->value_name("DATE"),
      "date that decides which acceptances have expired (default: today)");
}

int run_lsp(const po::variables_map& given) {
  if (!positional(given).empty()) throw UsageError{"name no file: the editor does"};
  if (::isatty(STDIN_FILENO))
    throw UsageError{"an editor starts this command and uses its standard input; for the setup see docs/editor.md"};
  lsp::ServerOptions server;
  server.today = run_options(given, {}).today;
  server.version = CLUSTERC_VERSION;
  server.keep = lsp::keep_in_cache();
  return lsp::serve(STDIN_FILENO, STDOUT_FILENO, std::move(server));
}

}  // namespace
const Command kLsp{"lsp", "the language server that editors start: findings while typing, completion, hover",
                   "clusterc lsp [--stdio]", options_of_lsp, run_lsp};
}  // namespace clusterc::cli
