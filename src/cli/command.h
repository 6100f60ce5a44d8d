// A command of the program: a row in commands.cc and a file of its own. Options are declared once; parsing, --help and
// completion read them.
#pragma once
#include <boost/program_options.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "pipeline.h"

#ifndef CLUSTERC_VERSION
#define CLUSTERC_VERSION "0.1.0"
#endif

namespace clusterc {
struct WriteResult;
}

namespace clusterc::cli {

namespace po = boost::program_options;

enum Exit { kOk = 0, kFindings = 1, kUnjudged = 2 };

struct Command {
  std::string_view name, summary, usage;
  void (*options)(po::options_description&);
  int (*run)(const po::variables_map&);
};

std::span<const Command> all_commands();

// Thrown for wrong usage; main prints it with the command's usage line and exits 2.
struct UsageError {
  std::string message;
};

// Options that several commands share.
// --format, --color, --quiet, --today, --max-bytes and, where warnings need not be a failure, --strict
void add_findings_options(po::options_description&, const char* formats = "text or json", bool strict = true);
void add_help(po::options_description&);  // --help, which every command has
void add_positional(po::options_description&, const char* name);
std::vector<std::string> positional(const po::variables_map&);
std::string one_spec(const po::variables_map&);  // exactly one, or UsageError
RunOptions run_options(const po::variables_map&, const std::string& path);

enum class Format { text, json, sarif, junit, github, gitlab };
std::vector<std::string> format_names();
Format format_of(const po::variables_map&);
Format text_or_json(const po::variables_map&,
                    std::string_view what);  // "a plan is"; UsageError for the formats that findings alone have
bool use_color(const po::variables_map&, int fd);
bool is_quiet(const po::variables_map&);

std::set<std::string, std::less<>> output_ids(const po::variables_map&);  // of --only; UsageError for what is none

// The first place of what could not be read: readers of SARIF want a place for each result.
SourceSpan begin_of(Sources&, const std::string& path);
// Prints the findings of one run in the wanted format to standard output (`to_stderr`: text that goes beside another
// result) and gives the exit status. `more`: what else the JSON document has.
int report_findings(Run&, const std::string& path, const po::variables_map&, bool to_stderr = false,
                    const JsonMembers& more = {});
int report_findings_as_text(Run&, const std::string& path,
                            const po::variables_map&);  // to standard error, whatever --format says
// What became of a tree, to standard error: what was changed by hand, what is not ours, counts. The exit status:
// `status`, or at least 1 where something was kept. Throws where nothing was written.
void report_kept(const WriteResult&, const std::string& folder, bool force, std::string_view way_out);
int report_tree(const WriteResult&, const std::string& folder, bool force, std::string_view way_out, int status);
void put(std::string_view text);        // whole, to standard output; a closed pipe ends the program quietly
void put_text(std::string text);        // the same for text that people read: no line of it is a command to a CI runner
void put_error(std::string_view text);  // likewise
// A report for people: on a terminal it is folded to its width, and coloured as --color says.
void put_report(std::string text, const po::variables_map&);

int import_parts(std::span<const std::string> files, const po::variables_map&);  // `catalog import`

extern const Command kCheck, kPlan, kCompile, kAudit, kValidate, kShow, kDiff, kExplain, kCatalog, kSchema, kInit, kLsp,
    kCompletion, kManual, kFmt;

}  // namespace clusterc::cli
