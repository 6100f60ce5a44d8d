#include "cli/known_files.h"

#include <filesystem>
#include <fstream>
#include <map>

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
  std::string head(kFileHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

}  // namespace

void add_known_file_options(po::options_description&) {}

KnownFileRun check_known_file(const std::string& path, const RunOptions& options, const po::variables_map&) {
  KnownFileRun out;
  const KnownFile* known = recognise_file(options.from_stdin ? options.stdin_text : head_of(path));
  if (!known) return out;
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
  std::map<std::string, std::optional<FileId>> read;
  const auto beside = [&](const std::string& name) -> std::optional<FileId> {
    if (options.from_stdin) return std::nullopt;
    const auto [found, fresh] = read.try_emplace(name);
    if (!fresh) return found->second;
    const std::string there = (fs::path(path).parent_path() / name).string();
    std::error_code failed;
    if (!fs::is_regular_file(there, failed)) return std::nullopt;
    FileError error;
    auto other = read_file(there, options.max_bytes, error);
    if (other) found->second = run.sources.add(there, std::move(*other));
    return found->second;
  };
  const FileJudgement judgement = judge_file(*known, run.sources, file, {}, beside, run.findings);
  out.summary = judgement.summary;
  if (!judgement.unjudged.empty())
    run.unreadable = format("{}: {}", path == "-" ? "standard input" : path, judgement.unjudged);
  return out;
}

}  // namespace clusterc::cli
