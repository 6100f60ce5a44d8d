#include "harness/run.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "base/format.h"
#include "harness/deadline.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/machine.h"

namespace clusterc::harness {

void refuse_busy(std::optional<double> share, const Options& options, std::string_view when) {
  if (!share || *share <= kBusyShare || options.allow_busy) return;
  throw CouldNotRun(Cause::busy, format("other work used {:.0f} % of the processors' time {}, at most {:.0f} % is measurable "
                                        "(--allow-busy measures all the same)",
                                        *share * 100, when, kBusyShare * 100));
}

int run_validator(const Program& program, int argc, char** argv, const Body& body) {
  const CommandLine line = parse_command_line(program, argc, argv);
  if (line.error) {
    const std::string text = format("clusterc-{}: error: {}\n", program.name, line.error->message);
    std::fwrite(text.data(), 1, text.size(), stderr);
    return static_cast<int>(Exit::could_not_run);
  }
  if (!line.run) {
    write_to_stdout(line.print);
    return static_cast<int>(Exit::done);
  }
  catch_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failed write, with its message
  Options options = *line.run;
  options.progress = options.progress || ::isatty(STDERR_FILENO) == 1;
  Reporter report(program, options, host_name(), write_to_stdout);
  const auto guarded = [&] {
    try {
      report.header(utc_now());
      {
        const std::optional<double> timeout = program.stuck_after > 0 ? options.seconds_of("--timeout") : std::nullopt;
        const bool driver = options.device == Backend::cuda || !program.measures;
        std::optional<Deadline> deadline;   // of a driver that does not answer; a host's repetition may last
        if (program.stuck_after > 0 && (timeout || driver)) deadline.emplace(run_pulse(), timeout.value_or(program.stuck_after), report);
        body(options, report);
      }
      return report.done();
    } catch (const CouldNotRun& e) {
      return report.error(e.cause(), e.what());
    } catch (const std::bad_alloc&) {
      return report.error(Cause::no_memory, "an allocation failed");
    }
  };
  try {
    return static_cast<int>(guarded());
  } catch (const std::exception& e) {  // standard output itself failed, or a bug of ours: no end record, and a word to the terminal
    const std::string text = format("clusterc-{}: error: {}\n", program.name, e.what());
    std::fwrite(text.data(), 1, text.size(), stderr);
    return static_cast<int>(Exit::could_not_run);
  }
}

}  // namespace clusterc::harness
