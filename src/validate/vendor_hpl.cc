#include "validate/vendor_hpl.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "validate/hpl_output.h"

namespace clusterc {
namespace {

// $1 is HPL.dat, $2 the program.
constexpr std::string_view kFind =
    "if [ ! -f \"$2\" ]; then printf \"@there is no program '%s' on %s\\n\" \"$2\" \"$(uname -n)\"; exit 127; fi; "
    "if [ ! -x \"$2\" ]; then printf \"@'%s' cannot be executed on %s\\n\" \"$2\" \"$(uname -n)\"; exit 126; fi; ";
// A shell that waits for a program in the foreground looks at signals only when that has ended, and a signal without a
// trap ends it without its EXIT trap: so the program runs beside it, is handed the signal, and the folder goes when it
// has ended. Launchers signal the whole group, and more than once: what makes and removes the folder ignores that.
// SIGKILL leaves the folder, but for that of clusterc-contain, which goes with the job.
constexpr std::string_view kFolder =
    "d=; s=; c=; trap 'trap \"\" HUP INT TERM; [ -z \"$d\" ] || rm -rf \"$d\"' EXIT; "
    "for n in HUP INT TERM; do trap 's=143; [ -z \"$c\" ] || kill \"$c\" 2> /dev/null' $n; done; "
    "d=$(trap \"\" HUP INT TERM; TMPDIR=${CLUSTERC_JOB_FOLDER:-${TMPDIR:-/tmp}} mktemp -d) && cd \"$d\" && printf %b "
    "\"$1\" > HPL.dat && shift && [ -z \"$s\" ] || "
    "exit 1; ";
constexpr std::string_view kProgram = "\"$@\"";
constexpr std::string_view kWait =
    " & c=$!; [ -z \"$s\" ] || kill \"$c\"; wait \"$c\"; r=$?; "
    "while [ -n \"$s\" ] && kill -0 \"$c\" 2> /dev/null; do wait \"$c\"; done; c=; exit \"${s:-$r}\"";

// Of the peak, what a run is planned with; the slowest published one has 0.55 (Eos, 36.5 of 66.9 TFLOP/s a GPU, TOP500,
// November 2024).
constexpr double kPlannedShare = 0.5;
// Then it may take so many times longer.
constexpr double kPatience = 4;
constexpr double kUnknownSeconds = 6 * 3600;  // without a peak, and before the patience

// As printf's %b reads it.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  return out;
}

}  // namespace

LinpackProgram linpack_program(const NodeGroupModel& group) {
  if (group.server.gpu_count == 0 || !group.server.gpu) return LinpackProgram::netlib;
  return group.server.gpu->vendor.value == Vendor::amd ? LinpackProgram::amd : LinpackProgram::nvidia;
}

void take_vendor_hpl(SuiteTest& test, const NodeGroupModel& group, const ExpectedFigure* figure,
                     const std::string& program) {
  const ServerModel& server = group.server;
  const LinpackProgram kind = linpack_program(group);
  VendorHpl vendor{.program = program, .kind = kind};
  // On hosts a rank for each core.
  if (kind == LinpackProgram::netlib)
    test.ranks_per_node = static_cast<int>(std::clamp<std::int64_t>(server.cores, 1, 4096));
  if (kind != LinpackProgram::netlib && server.gpu->memory)
    vendor.bytes_of_rank = server.gpu->memory->value;
  else if (kind == LinpackProgram::netlib && server.memory)
    vendor.bytes_of_rank = server.memory->value / test.ranks_per_node;
  vendor.bytes_of_rank *= linpack_sizes(kind).share;
  if (figure && figure->size) vendor.bytes = figure->size->value;
  test.arguments = {program};
  test.vendor = std::move(vendor);
  const LinpackInput in = vendor_input(test, test.nodes.size());
  if (in.order <= 0) {
    test.skip = "the memory of the nodes is not known, or less than one block of HPL: write `size` below targets.hpl";
    return;
  }
  const double n = static_cast<double>(in.order), work = 2.0 / 3 * n * n * n;
  test.length_unknown = !figure || !figure->ceiling.value;
  double seconds = kUnknownSeconds;
  if (!test.length_unknown) {  // of the group's peak the nodes that are measured have their share
    const double share = static_cast<double>(test.nodes.size()) / static_cast<double>(group.count);
    seconds = test.expected_s = std::ceil(work / (kPlannedShare * *figure->ceiling.value * share));
  }
  test.timeout += std::chrono::milliseconds(std::llround(seconds * kPatience * 1000));
}

LinpackInput vendor_input(const SuiteTest& test, std::size_t nodes) {
  const std::int64_t ranks = static_cast<std::int64_t>(nodes) * test.ranks_per_node;
  const double bytes =
      test.vendor->bytes > 0 ? test.vendor->bytes : test.vendor->bytes_of_rank * static_cast<double>(ranks);
  return linpack_input(bytes, linpack_sizes(test.vendor->kind).block, ranks);
}

std::vector<std::string> vendor_command(const SuiteTest& test, std::size_t nodes) {
  const LinpackInput in = vendor_input(test, nodes);
  std::string script = replace_all(kFind, "@", kHplRefused);
  script += kFolder;
  std::vector<std::string> more;
  std::string_view named;
  switch (test.vendor->kind) {
    case LinpackProgram::netlib:  // a rank for each core: its BLAS has one thread
      script.insert(0, "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; ");
      break;
    case LinpackProgram::nvidia:  // hpl.sh --dat FILE (NVIDIA HPC Benchmarks, "NVIDIA HPL Benchmark")
      named = " --dat \"$d/HPL.dat\"";
      break;
    case LinpackProgram::amd: {  // run_rochpl -P -Q -N --NB (rocHPL, README)
      const auto text = [](std::int64_t value) { return format("{}", value); };
      more = {"-P", text(in.rows), "-Q", text(in.columns), "-N", text(in.order), "--NB", text(in.block)};
      break;
    }
  }
  script += kProgram;
  script += named;
  script += kWait;
  std::vector<std::string> out{
      "/bin/sh", "-c", script, "hpl", escaped(hpl_dat(in, "made by clusterc validate")), test.vendor->program};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace clusterc
