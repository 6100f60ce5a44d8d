#include "container/inside.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/format.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "container/look.h"
#include "harness/report.h"

namespace clusterc::container {
namespace {

// The first process of a container gets no signal that it does not handle: an alarm, too, would pass it by.
extern "C" void end_now(int signal) { ::_exit(128 + signal); }

constexpr int kWrongUse = 2, kArguments = 7;
// Large enough that bandwidth counts, small enough for the 64 MiB of /dev/shm that containers have (docker run
// --shm-size).
constexpr const char* kSize = "1MiB";

// Ours without the words of a launcher outside: runtimes that pass them on would have mpirun ask a Slurm that is not in
// the container.
std::vector<std::string> environment_here() {
  std::vector<std::string> out;
  for (char** at = ::environ; *at; ++at) {
    const std::string_view name = *at;
    if (!name.starts_with("SLURM_") && !name.starts_with("PMI") && !name.starts_with("OMPI_") &&
        !name.starts_with("PRTE_"))
      out.emplace_back(name);
  }
  return out;
}

}  // namespace

std::vector<std::string> inside_arguments(const Task& t) {
  return {t.program, kInside, t.token, t.root, std::to_string(t.seconds), std::to_string(t.ranks), t.device};
}

int run_inside(int argc, char** argv) {
  const auto seconds = argc == kArguments ? parse_uint(argv[4]) : std::nullopt,
             ranks = argc == kArguments ? parse_uint(argv[5]) : std::nullopt;
  if (!seconds || !ranks) {
    std::fputs("clusterc-container inside: it is started by clusterc-container alone\n", stderr);
    return kWrongUse;
  }
  for (const int signal : {SIGALRM, SIGTERM, SIGINT}) std::signal(signal, end_now);
  ::alarm(static_cast<unsigned>(*seconds));
  harness::write_to_stdout(kStarted);  // before the look: the first to open a GPU may wait a second for the driver
  const Look look = look_at(argv[3]);
  harness::write_to_stdout(look_line(look, argv[2]) + "\n");
  if (*ranks == 0) return 0;
  const std::string program = argv[0];
  Subprocess job{.argv = {look.mpirun, "-n", std::to_string(*ranks), "--oversubscribe"}};
  if (::geteuid() == 0) job.argv.emplace_back("--allow-run-as-root");
  job.argv.insert(job.argv.end(),
                  {program.substr(0, program.rfind('/') + 1) + "clusterc-nccl", "--device", argv[6], "--collectives",
                   "all_reduce", "--types", "float32", "--size", kSize, "--allow-busy"});
  job.environment = environment_here();
  job.on_line = [](std::string_view line) { harness::write_to_stdout(std::string(line) + "\n"); };
  const SubprocessResult ended = run(job);
  if (!ended.ok()) std::fputs((ended.reason + "\n" + ended.err).c_str(), stderr);
  return ended.outcome == SubprocessResult::Outcome::exited ? ended.status : kWrongUse;
}

}  // namespace clusterc::container
