#include "harness/run.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/format.h"
#include "harness/deadline.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"

namespace clusterc::harness {

void refuse_busy(std::optional<double> share, const Options& options, std::string_view when) {
  if (!share || *share <= kBusyShare || options.allow_busy) return;
  throw CouldNotRun(Cause::busy,
                    format("other work used {:.0f} % of the processors' time {}, at most {:.0f} % is measurable "
                           "(--allow-busy measures all the same)",
                           *share * 100, when, kBusyShare * 100));
}

void ignore_what_writes_meet() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int print_and_end(const Program& program, std::string_view text) {
  try {
    write_to_stdout(text);
  } catch (const std::exception& e) {
    return say_could_not_run(program, e.what());
  }
  return static_cast<int>(Exit::done);
}

int say_could_not_run(const Program& program, std::string_view why) {
  const std::string text = format("clusterc-{}: error: {}\n", program.name, why);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return static_cast<int>(Exit::could_not_run);
}

int run_validator(const Program& program, int argc, char** argv, const Body& body) {
  const CommandLine line = parse_command_line(program, argc, argv);
  if (line.error) return say_could_not_run(program, line.error->message);
  ignore_what_writes_meet();
  if (!line.run) return print_and_end(program, line.print);
  catch_signals();
  Options options = *line.run;
  options.progress = options.progress || ::isatty(STDERR_FILENO) == 1;
  Reporter report(program, options, host_name(), write_to_stdout);
  const auto guarded = [&] {
    try {
      report.header(utc_now());
      {
        const std::optional<double> timeout = program.stuck_after > 0 ? options.seconds_of("--timeout") : std::nullopt;
        std::optional<Deadline>
            deadline;  // of a driver that does not answer, or a library that waits for memory for ever
        if (program.stuck_after > 0) deadline.emplace(run_pulse(), timeout.value_or(program.stuck_after), report);
        body(options, report);
      }
      return report.done();
    } catch (const std::exception& any) {
      const CouldNotRun e = as_could_not_run(any);
      return report.error(e.cause(), e.what());
    }
  };
  try {
    return static_cast<int>(guarded());
  } catch (const std::exception& e) {  // standard output itself failed: no end record, and a word to the terminal
    return say_could_not_run(program, e.what());
  }
}

}  // namespace clusterc::harness
