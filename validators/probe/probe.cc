// clusterc-probe: what is there on this machine, in one JSON object. README.md lists its members.
#include "harness/machine.h"
#include "harness/run.h"
#include "probe/facts.h"

namespace {
using namespace clusterc;
using namespace clusterc::harness;

constexpr Backend kBackends[] = {Backend::host};
constexpr double kStuckAfterLook = 60;  // a look at a large node takes seconds
constexpr ExtraOption kExtra[] = {
    {"--timeout", Kind::seconds, "SECONDS",
     "end when what is asked, as the NVIDIA driver, does not answer for so long (default 60)"}};
constexpr Program kProgram{
    .name = "probe",
    .summary = "what is there: system, processors, memory, PCI tree, GPUs, NICs, drives, mounts, limits",
    .measures = false,
    .backends = kBackends,
    .extra = kExtra,
    .stuck_after = kStuckAfterLook};

}  // namespace

int main(int argc, char** argv) {
  return run_validator(kProgram, argc, argv, [](const Options& options, Reporter& report) {
    if (options.format == Format::json)
      report.raw(probe::probe_record(host_name(), utc_now(), "/", true));
    else
      report.raw(probe::probe_text(host_name(), utc_now(), "/", true));
  });
}
