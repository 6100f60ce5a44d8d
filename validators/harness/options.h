// The options that every validator has, in one style, and the few that one of them adds. Boost is not on the nodes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::harness {

enum class Backend : std::uint8_t { host, cuda };
enum class Format : std::uint8_t { json, text };

std::string_view backend_text(Backend);

enum class Kind : std::uint8_t {
  none,    // there is no such option
  toggle,  // takes no value
  count,   // a whole number of at least 1
  bytes,   // with their unit
  seconds,
  text,     // anything but nothing: a path
  choices,  // some of the words in `argument`, which separates them by '|'; the user separates them by ','
};

struct ExtraOption {
  std::string_view name;  // "--threads"
  Kind kind;
  std::string_view argument;  // "COUNT"
  std::string_view help;
};

// One figure that a program brings, for --list.
struct MetricFacts {
  std::string_view name;  // "memory.triad"
  std::string_view unit;  // of the record: SI without a prefix
  std::string_view what;  // one line, with the back ends where not all have it
  bool higher_is_better = true;
};

struct Program {
  std::string_view name;     // "memory"
  std::string_view summary;  // one line for --help
  bool measures = true;      // false: has no --device, --iterations and the like
  Kind size_kind = Kind::none;
  std::string_view size_help;         // what --size means here
  std::span<const Backend> backends;  // that this build has
  std::span<const ExtraOption> extra;
  std::span<const MetricFacts> metrics;  // in the order in which they are measured
  double stuck_after =
      0;  // seconds without a repetition or a stage (loop.h) after which a run is given up; 0: it watches over itself
  std::string (*wrong_options)(const struct Options&) =
      nullptr;  // what is wrong with options that are right one by one; empty: nothing
};

struct Options {
  Backend device = Backend::host;
  std::optional<std::uint64_t> size;  // bytes or a count, as the program's size_kind says
  std::optional<unsigned> iterations;
  std::optional<unsigned> warmup;
  std::optional<double> seconds;  // measure for at least this long, instead of a number of iterations
  Format format = Format::json;
  bool allow_busy = false;
  bool progress = false;  // say on standard error how far a long run is
  std::uint64_t seed = 1;
  std::map<std::string, std::string, std::less<>> extra;  // "--threads" -> "2"; checked by its kind
  std::vector<std::string> arguments;                     // as given, for the header record

  bool has(std::string_view name) const { return extra.contains(name); }
  std::optional<unsigned> count(std::string_view name) const;
  std::optional<std::uint64_t> bytes(std::string_view name) const;
  std::optional<double> seconds_of(std::string_view name) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  // Why the folder that `name` gives is none; empty: it is one, or the option was not given.
  std::string wrong_folder(std::string_view name) const;
  // The words chosen, in the order of `all` ("a|b|c"); all of them where the option is not given.
  std::vector<std::string> choices(std::string_view name, std::string_view all) const;
};

// Wrong use: the message for standard error; the program ends with Exit::could_not_run.
struct UsageError {
  std::string message;
};

// What the command line asks for: a run, or a text for standard output (--help, --version).
struct CommandLine {
  std::optional<Options> run;
  std::string print;
  std::optional<UsageError> error;
};

CommandLine parse_command_line(const Program&, int argc, const char* const* argv);

std::string help_text(const Program&);
std::string list_text(const Program&, Format);  // --list: the figures, a table or one JSON object a line
std::string version_record(const Program&);     // the handshake: one JSON object, with its line end
std::string_view program_version();

// "128MiB", "1 GiB", "512B". Bytes carry their unit; a bare number is refused, because it is ambiguous.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
// A whole number from 1 to 2^31-1 without a unit.
std::optional<unsigned> parse_count(std::string_view text);
// "0.5", "10", "10s": seconds, more than 0.
std::optional<double> parse_seconds(std::string_view text);

// The inverse, for people: "128 MiB".
std::string bytes_text(double bytes);

}  // namespace clusterc::harness
