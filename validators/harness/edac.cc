#include "harness/edac.h"

#include <algorithm>

#include "base/format.h"
#include "harness/machine.h"

namespace clusterc::harness {
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> folders(const fs::path& in, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator at(in, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == name.npos &&
        name.size() > prefix.size())
      out.push_back(at->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint64_t count(const fs::path& file) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(read_number(file).value_or(0), 0));
}

}  // namespace

std::optional<EdacCounters> read_edac(const fs::path& root) {
  const std::vector<fs::path> controllers = folders(root / "sys/devices/system/edac/mc", "mc");
  if (controllers.empty()) return std::nullopt;
  EdacCounters out;
  for (const fs::path& controller : controllers) {
    out.corrected += count(controller / "ce_count");
    out.uncorrected += count(controller / "ue_count");
    for (const fs::path& module : folders(controller, "dimm")) {
      const std::string place = controller.filename().string() + "/" + module.filename().string();
      std::string label = read_text(module / "dimm_label").value_or("");
      out.modules.emplace_back(label.empty() ? place : label,
                               count(module / "dimm_ce_count") + count(module / "dimm_ue_count"));
    }
  }
  return out;
}

std::string risen_modules(const EdacCounters& before, const EdacCounters& after) {
  std::string out;
  for (std::size_t i = 0; i < after.modules.size() && i < before.modules.size(); ++i) {
    const auto& [label, now] = after.modules[i];
    if (label != before.modules[i].first || now <= before.modules[i].second) continue;
    out += format("{}{} ({} errors)", out.empty() ? "" : ", ", label, now - before.modules[i].second);
  }
  return out;
}

}  // namespace clusterc::harness
