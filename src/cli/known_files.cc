#include "cli/known_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "audit/fabric_audit.h"
#include "audit/fabric_dump.h"
#include "audit/fabric_spec.h"
#include "audit/not_compared.h"
#include "audit/port_counters.h"
#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

// A pipe or a device is not looked into: what is read of it is gone.
std::string head_of(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string head(kOtherFileHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

FileChoices choices_of(const po::variables_map& given) {
  constexpr std::int64_t kMostGpus = 1 << 21;
  FileChoices out;
  if (given.count("gpus")) {
    out.gpus = given["gpus"].as<std::int64_t>();
    if (out.gpus < 1 || out.gpus > kMostGpus)
      throw UsageError{format("--gpus must be a number from 1 to {}, not {}", kMostGpus, out.gpus)};
  }
  if (given.count("gpu-memory")) {
    const std::string& text = given["gpu-memory"].as<std::string>();
    QuantityError error;
    const auto bytes = parse_quantity(text, Dimension::bytes, error);
    if (!bytes || *bytes <= 0)
      throw UsageError{"--gpu-memory must be a size with its unit, as '80 GB', not '" + text + "'"};
    out.gpu_memory = Bytes(*bytes);
  }
  return out;
}

// The cabling of a fabric by what most of its cables say: as `init --from` describes it, compared with itself.
std::string check_fabric(Run& run, const OtherFile& known, FileId file, const RunOptions& options) {
  const SeenFabric seen = read_fabric_dump(run.sources, file, run.findings);
  if (seen.links.empty() && seen.counted) {
    report_counters(seen, run.findings);
    return format("{}: {} ports with more than {} errors", known.name, seen.counters.size(), kMostErrors);
  }
  if (seen.links.empty()) {
    run.unreadable = format("{} has no link", known.name);
    return {};
  }
  std::string error;
  RunOptions described = options;
  described.from_stdin = true;
  {
    Sources sources;
    Findings findings;
    Catalog catalog(sources, findings);
    described.stdin_text = spec_of_fabric(seen, "the dump", catalog, error);
  }
  if (!error.empty()) {
    run.unreadable = error;
    return {};
  }
  const auto spec = run_pipeline("-", Stage::planned, described);
  if (!spec->plan || spec->plan->fabrics.empty() || spec->plan->fabrics.front().tiers.empty()) {
    run.unreadable = "no plan describes this fabric: write a spec and compare it (clusterc audit SPEC --fabric FILE)";
    return {};
  }
  const AuditedFabric audited = audit_fabric_by_itself(seen, *spec->plan);
  report_fabric(audited, file, run.findings);
  return format("{}, by what most of its cables say: {}", known.name, fabric_summary(audited));
}

}  // namespace

void add_known_file_options(po::options_description& o) {
  o.add_options()("gpus", po::value<std::int64_t>()->value_name("N"), "for an HPL.dat: GPUs that the run has")(
      "gpu-memory", po::value<std::string>()->value_name("SIZE"), "for an HPL.dat: memory of one GPU, as '80 GB'");
}

ReadBeside files_beside(const std::string& path, Sources& sources, std::size_t max_bytes) {
  const auto read = std::make_shared<std::map<std::string, std::optional<FileId>>>();
  return [=, &sources](const std::string& name) -> std::optional<FileId> {
    const auto [found, fresh] = read->try_emplace(name);
    if (!fresh) return found->second;
    const std::string there = (fs::path(path).parent_path() / name).string();
    std::error_code failed;
    if (!fs::is_regular_file(there, failed)) return std::nullopt;
    FileError error;
    auto other = read_file(there, max_bytes, error);
    if (other) found->second = sources.add(there, std::move(*other));
    return found->second;
  };
}

KnownFileRun check_known_file(const std::string& path, const RunOptions& options, const po::variables_map& given) {
  KnownFileRun out;
  const OtherFile* known = recognise_other_file(options.from_stdin ? options.stdin_text : head_of(path));
  const bool fabric = known && (known->kind == FileKind::ibnetdiscover || known->kind == FileKind::iblinkinfo ||
                                known->kind == FileKind::ibdiagnet_lst || known->kind == FileKind::ibdiagnet_csv ||
                                known->kind == FileKind::port_counters);
  if (!known || (!fabric && !is_judged(known->kind))) return out;
  out.run = std::make_shared<Run>();
  Run& run = *out.run;
  std::string text = options.stdin_text;
  if (!options.from_stdin) {
    FileError error;
    auto whole = read_file(path, options.max_bytes, error);
    if (!whole) {
      run.unreadable = error.message;
      return out;
    }
    text = std::move(*whole);
  } else if (text.size() > options.max_bytes) {
    run.unreadable = format("standard input is larger than {} bytes (--max-bytes)", options.max_bytes);
    return out;
  }
  const FileId file = run.sources.add(path, std::move(text));
  if (fabric) {
    out.summary = check_fabric(run, *known, file, options);
    bool differs = false;
    for (const Finding& f : run.findings.all())
      if (f.severity != Severity::note)
        (std::ranges::find(kNotCompared, f.rule) == std::end(kNotCompared) ? differs : out.in_part) = true;
    out.in_part &= !differs;
    return out;
  }
  out.summary =
      judge_file(*known, run.sources, file, choices_of(given),
                 options.from_stdin ? ReadBeside() : files_beside(path, run.sources, options.max_bytes), run.findings)
          .value_or("");
  bool wrong = false;
  for (const Finding& f : run.findings.all())
    if (f.severity == Severity::error)
      (std::ranges::find(kFileNotRead, f.rule) == std::end(kFileNotRead) ? wrong : out.in_part) = true;
  out.in_part &= !wrong;
  return out;
}

}  // namespace clusterc::cli
