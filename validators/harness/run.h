// main() of a validator: options, header, a look at the load, the measurements, the end record. What differs is the
// body.
#pragma once
#include <functional>

#include "harness/report.h"

namespace clusterc::harness {

// How long the machine is watched before the first measurement: 40 ticks of 10 ms per processor.
inline constexpr double kWatchSeconds = 0.4;

// What `stuck_after` of a program is that copies or computes: a repetition lasts seconds at most, filling and checking
// a device's memory not much longer. Who asks for larger ones on a few processors says --timeout, too.
inline constexpr double kStuckAfter = 300;

using Body = std::function<void(const Options&, Reporter&)>;

int run_validator(const Program&, int argc, char** argv, const Body&);

// A reader that went away (SIGPIPE) and a limit of a file's size (SIGXFSZ) are failed writes, with their messages, and
// no deaths.
void ignore_what_writes_meet();

// --help and the like: the text on standard output, or why not on standard error; the exit status.
int print_and_end(const Program&, std::string_view text);

// What remains where standard output takes nothing: a line on standard error, and the status.
int say_could_not_run(const Program&, std::string_view why);

// Throws CouldNotRun(busy) when `share` says that other work uses the machine and the user did not allow it.
void refuse_busy(std::optional<double> share, const Options&, std::string_view when);

}  // namespace clusterc::harness
