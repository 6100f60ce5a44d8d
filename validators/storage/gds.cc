#include "storage/gds.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "harness/library.h"
#include "storage/fio.h"

namespace clusterc::storage {
namespace fs = std::filesystem;

GdsParts look_for_gds(const fs::path& root, const std::string& gpus, const std::string& library,
                      std::string_view enghelp) {
  GdsParts out{.gpus = gpus, .missing = {}};
  if (gpus.empty()) {
    std::error_code failed;
    std::size_t count = 0;
    for (fs::directory_iterator at(root / "proc/driver/nvidia/gpus", failed), end; !failed && at != end;
         at.increment(failed))
      out.gpus += format("{}{}", count == 0 ? "" : ":", count), ++count;
  }
  const auto lacks = [&](const std::string& what) {
    out.missing += format("{}{}", out.missing.empty() ? "" : "; ", what);
  };
  if (out.gpus.empty()) lacks("no NVIDIA GPU with a driver");
  std::string why;
  const auto cufile = harness::Library::open({library.c_str()}, why);
  if (!cufile)
    lacks(why);
  else if (!cufile->symbol<int()>("cuFileDriverOpen"))
    lacks(format("'{}' lacks cuFileDriverOpen", library));
  if (!has_engine(enghelp, "libcufile")) lacks("fio is built without its engine libcufile");
  return out;
}

std::optional<NvidiaFs> parse_nvidia_fs(std::string_view stats) {
  const auto mib = [&](std::string_view key) -> std::optional<double> {
    const auto at = stats.find(key);
    if (at == stats.npos) return std::nullopt;
    std::uint64_t number = 0;
    const char* const begin = stats.data() + at + key.size();
    if (std::from_chars(begin, stats.data() + stats.size(), number).ec != std::errc()) return std::nullopt;
    return static_cast<double>(number) * 1048576;
  };
  const auto read = mib(" readMiB="), written = mib(" writeMiB=");
  if (stats.find("IO stats: Enabled") == stats.npos || !read || !written) return std::nullopt;
  return NvidiaFs{*read, *written};
}

const char* shown_by(const std::optional<double>& counted, double moved) {
  if (!counted) return "cuFile";
  return *counted >= 0.9 * moved ? "nvidia-fs" : "nobody";
}

std::string cufile_refusal(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // engines/libcufile.c of fio: these two, of a file and of the driver.
    for (const char* said : {"cufile register: ", "cuFileDriverOpen: "})
      if (const auto at = line.find(said); at != line.npos) return std::string(line.substr(at, 300));
  }
  return {};
}

}  // namespace clusterc::storage
