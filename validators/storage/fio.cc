#include "storage/fio.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.h"

namespace clusterc::storage {
namespace {

constexpr unsigned kInterval =
    4096;  // one checked header in so many bytes, whatever the block: sequential and random passes share the files

const char* rw_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::write:
      return "write";
    case Pattern::read:
      return "read";
    case Pattern::random_write:
      return "randwrite";
    case Pattern::random_read:
      return "randread";
    case Pattern::verify:
      return "read";
  }
  return "read";
}

// fio takes a ':' for the end of one folder and the begin of the next, unless a '\' stands before it (fio(1),
// directory=).
std::string one_folder(std::string_view path) {
  std::string out;
  for (const char c : path) (c == ':' ? out += '\\' : out) += c;
  return out;
}

}  // namespace

std::vector<std::string> fio_arguments(const std::string& program, const FioRun& run) {
  const bool writes = run.pattern == Pattern::write || run.pattern == Pattern::random_write;
  std::vector<std::string> out = {program,
                                  "--output-format=json",
                                  "--name=data",
                                  "--directory=" + one_folder(run.folder),
                                  format("--rw={}", rw_of(run.pattern)),
                                  format("--bs={}", run.block),
                                  format("--size={}", run.size / run.jobs / run.block * run.block),
                                  format("--numjobs={}", run.jobs),
                                  "--group_reporting",
                                  format("--ioengine={}", run.engine),
                                  format("--iodepth={}", run.depth),
                                  format("--direct={}", run.direct ? 1 : 0),
                                  format("--randseed={}", run.seed),
                                  "--norandommap=1",
                                  "--randrepeat=0"};
  if (run.seconds > 0)
    out.insert(out.end(), {"--time_based", format("--runtime={}ms", static_cast<long>(run.seconds * 1000))});
  // Every block carries a header with its offset and a CRC of its random content. A timed read does not check: the
  // check is a pass of its own.
  if ((writes && run.checked_content) || run.pattern == Pattern::verify)
    out.insert(out.end(), {"--verify=crc32c", format("--verify_interval={}", kInterval), "--verify_state_save=0"});
  if (writes) out.insert(out.end(), {"--do_verify=0", "--end_fsync=1"});
  // Threads: a GPU takes few processes (examples/libcufile-cufile.fio of fio).
  if (run.engine == "libcufile") out.insert(out.end(), {"--cuda_io=cufile", "--gpu_dev_ids=" + run.gpus, "--thread"});
  if (run.pattern == Pattern::verify) out.push_back("--continue_on_error=verify");
  return out;
}

std::optional<FioResult> parse_fio(std::string_view text, bool write) {
  const auto begin = text.find('{');
  if (begin == text.npos) return std::nullopt;
  using nlohmann::json;
  const json root = json::parse(text.substr(begin), nullptr, false);
  if (!root.is_object() || !root.contains("jobs") || !root["jobs"].is_array() || root["jobs"].size() != 1)
    return std::nullopt;
  const json& job = root["jobs"][0];
  const auto number = [](const json& from, std::initializer_list<const char*> path) {
    const json* at = &from;
    for (const char* key : path) {
      if (!at->is_object() || !at->contains(key)) return 0.0;
      at = &(*at)[key];
    }
    return at->is_number() ? at->get<double>() : 0.0;
  };
  if (!job.is_object() || !job.contains(write ? "write" : "read")) return std::nullopt;
  const json& side = job[write ? "write" : "read"];
  FioResult out;
  out.error = static_cast<int>(number(job, {"error"}));
  out.bytes = static_cast<std::uint64_t>(number(side, {"io_bytes"}));
  out.operations = static_cast<std::uint64_t>(number(side, {"total_ios"}));
  out.bytes_per_second = number(side, {"bw_bytes"});
  out.operations_per_second = number(side, {"iops"});
  out.latency_median = number(side, {"clat_ns", "percentile", "50.000000"}) * 1e-9;
  out.latency_p99 = number(side, {"clat_ns", "percentile", "99.000000"}) * 1e-9;
  return out;
}

std::vector<std::string> parse_verify_errors(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto line_end = text.find('\n');
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(line_end == text.npos ? text.size() : line_end + 1);
    // "crc32c: verify failed at file DIR/data.1.0 offset 5255168, length 4096 (…)", "verify: bad magic header 0, wanted
    // acca at file … offset …"
    const auto file = line.find(" at file "), offset = line.find(" offset ", file == line.npos ? 0 : file);
    if (file == line.npos || offset == line.npos || line.find("verify") == line.npos) continue;
    std::string_view name = line.substr(file + 9, offset - file - 9);
    if (const auto slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
    std::string_view number = line.substr(offset + 8);
    number = number.substr(0, number.find_first_not_of("0123456789"));
    std::string place = format("{} at {}", name, number);
    if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(std::move(place));
  }
  return out;
}

bool has_engine(std::string_view enghelp, std::string_view name) {
  for (std::string_view rest = enghelp; !rest.empty();) {
    const auto line_end = rest.find('\n');
    std::string_view line = rest.substr(0, line_end);
    rest.remove_prefix(line_end == rest.npos ? rest.size() : line_end + 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line == name) return true;
  }
  return false;
}

std::string choose_engine(std::string_view enghelp) { return has_engine(enghelp, "libaio") ? "libaio" : "psync"; }

}  // namespace clusterc::storage
