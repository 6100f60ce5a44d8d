#include "audit/files/judge_slurm.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "audit/files/slurm_cluster.h"
#include "audit/files/slurm_devices.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"
#include "model/node_memory.h"

namespace clusterc {
namespace {

// Of settings in one value, "a=1,b": the value of a, "" without one; nullopt: it is not there.
std::optional<std::string> option_of(const SlurmSetting* setting, std::string_view name) {
  if (!setting) return std::nullopt;
  const std::string all = to_lower(setting->value);
  for (const std::string_view item : split(all, ',')) {
    const std::size_t equals = item.find('=');
    if (trim(item.substr(0, equals)) == name)
      return equals == item.npos ? std::string() : std::string(trim(item.substr(equals + 1)));
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_of(const SlurmSetting* setting) {
  if (!setting) return std::nullopt;
  const auto number = parse_uint(setting->value);
  if (!number || *number > (std::uint64_t{1} << 40)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

class Judge {
 public:
  Judge(const SlurmCluster& c, FileId file, Findings& findings) : c_(c), file_(file), findings_(findings) {}

  // `cgroup`: the cgroup.conf beside it, where there is one; `folder_known`: without one there is none.
  void confinement(const std::optional<SlurmCluster>& cgroup, bool folder_known) {
    const SlurmNodeLine* gpus = nullptr;
    std::int64_t most = 0;
    for (const SlurmNodeLine& n : c_.nodes)
      if (const std::int64_t count = gpus_of(n); count > most) most = count, gpus = &n;
    if (most < 2) return;
    std::vector<std::pair<SourceSpan, std::string>> reasons;
    std::vector<std::string> lines;
    const SlurmSetting* plugins = c_.find("taskplugin");
    const std::string list = plugins ? to_lower(plugins->value) : "";
    const std::vector<std::string_view> names = split(list, ',');
    const bool fenced = std::any_of(names.begin(), names.end(),
                                    [](std::string_view p) { return trim(p) == "task/cgroup" || trim(p) == "cgroup"; });
    if (!fenced) {
      reasons.emplace_back(plugins ? plugins->span : SourceSpan{},
                           plugins ? format("TaskPlugin={} has no task/cgroup", plugins->value)
                                   : std::string("TaskPlugin is not set: its default is task/none"));
      lines.emplace_back("TaskPlugin=task/affinity,task/cgroup");
    }
    const SlurmSetting* devices = cgroup ? cgroup->find("constraindevices") : nullptr;
    if ((cgroup || folder_known) && (!devices || to_lower(devices->value) != "yes")) {
      if (cgroup)
        reasons.emplace_back(devices ? devices->span : SourceSpan{},
                             devices ? format("cgroup.conf says ConstrainDevices={}", devices->value)
                                     : std::string("cgroup.conf does not set ConstrainDevices: its default is no"));
      else
        reasons.emplace_back(SourceSpan{},
                             "there is no cgroup.conf beside slurm.conf: the default of ConstrainDevices is no");
      lines.emplace_back("ConstrainDevices=yes (in cgroup.conf)");
    }
    // Slurm tracks the processes of a step by other means: they can leave its cgroup's reach.
    const SlurmSetting* tracking = c_.find("proctracktype");
    if (tracking && to_lower(tracking->value) != "proctrack/cgroup" &&
        to_lower(tracking->value) != "proctrack/cray_aries") {
      reasons.emplace_back(tracking->span,
                           format("ProctrackType={} can miss processes of a job (slurm.conf(5))", tracking->value));
      lines.emplace_back("ProctrackType=proctrack/cgroup");
    }
    if (reasons.empty()) return;
    const auto placed = std::ranges::find_if(reasons, [](const auto& r) { return r.first.valid(); });
    const SourceSpan at = placed == reasons.end() ? gpus->record->span : placed->first;
    const bool open = lines.size() > 1 || lines.front() != "ProctrackType=proctrack/cgroup";
    Finding& f =
        open ? findings_.error("file-slurm-gpus-unconfined", at,
                               format("a job can use all {} GPUs of a node, not only those that it requested", most))
             : findings_.warning("file-slurm-gpus-unconfined", at,
                                 "processes of a job can outlive it, and keep its GPUs in use");
    for (auto& [place, reason] : reasons) {
      if (place == at)
        f.label(std::move(reason));
      else
        f.note(place, std::move(reason));
    }
    f.help(format("write {}", join(lines, ", ")))
        .note({}, "slurm.conf(5), TaskPlugin and ProctrackType; cgroup.conf(5), ConstrainDevices");
  }

  void memory() {
    if (option_of(c_.find("slurmdparameters"), "config_overrides")) return;
    const auto given = option_of(c_.find("slurmctldparameters"), "node_reg_mem_percent");
    const std::int64_t percent = given ? static_cast<std::int64_t>(parse_uint(*given).value_or(100)) : 100;
    for (const SlurmNodeLine& n : c_.nodes) {
      const SlurmSetting* memory = n.find("realmemory");
      const auto mib = number_of(memory);
      if (!mib) continue;
      const SlurmSetting* state = n.find("state");
      if (!given && state && to_lower(state->value).starts_with("cloud")) continue;
      const std::string modules = modules_of(*mib);
      if (modules.empty()) continue;
      const std::int64_t system = system_memory_of_real_machine(*mib);
      if (*mib - system >= *mib * percent / 100) continue;
      const bool power = std::has_single_bit(static_cast<std::uint64_t>(*mib));
      const std::string all = format("{} GiB", *mib / 1024);
      Finding& f = findings_.add(
          power ? Severity::error : Severity::warning, "file-slurm-memory-overstated", memory->span,
          power
              ? format("RealMemory promises all {} of a node, but firmware and kernel hold a part: slurmd finds less, "
                       "and slurmctld drains the node",
                       all)
              : format("RealMemory is exactly what {} hold: if that is all of the node, slurmd finds less, because "
                       "firmware and kernel hold a part, and slurmctld drains the node",
                       modules));
      f.label(format("{} = {}; less 1/32 for the system: {} MiB", modules, all, *mib - system))
          .note({}, format("slurm.conf(5), RealMemory and SlurmctldParameters=node_reg_mem_percent (here {}): a node "
                           "with less registers as invalid, \"Low RealMemory\"",
                           percent))
          .help(format("write RealMemory={}, or what `slurmd -C` prints on the node", *mib - system))
          .object(format("node/{}", n.names));
    }
  }

 private:
  static std::int64_t gpus_of(const SlurmNodeLine& n) {
    std::int64_t count = 0;
    if (const SlurmSetting* gres = n.find("gres"))
      for (const SlurmGres& g : gpus_of_gres(gres->value)) count += g.count;
    return count;
  }

  // "16 x 64 GiB" where so much memory is a usual number of equal modules as they are sold; empty: it is none.
  static std::string modules_of(std::int64_t mib) {
    if (mib < 64 * 1024) return {};
    for (const std::int64_t count : {16, 24, 32, 12, 8, 4, 2})
      for (const std::int64_t gib : {64, 32, 128, 16, 96, 48, 256})
        if (mib == count * gib * 1024) return format("{} x {} GiB", count, gib);
    return {};
  }

  const SlurmCluster& c_;
  FileId file_;
  Findings& findings_;
};

std::optional<SlurmCluster> beside(const Sources& sources, const ReadBeside& read, const std::string& name,
                                   Findings& findings) {
  const auto file = read ? read(name) : std::nullopt;
  if (!file) return std::nullopt;
  return slurm_cluster(read_slurm_text(sources, *file, read, findings));
}

}  // namespace

std::string judge_slurm(const Sources& sources, FileId file, const ReadBeside& read, Findings& findings) {
  const SlurmCluster c = slurm_cluster(read_slurm_text(sources, file, read, findings));
  const auto gres = beside(sources, read, "gres.conf", findings),
             cgroup = beside(sources, read, "cgroup.conf", findings);
  Judge judge(c, file, findings);
  judge.confinement(cgroup, read != nullptr);
  judge.memory();
  if (gres) judge_slurm_devices(c, *gres, findings);
  std::string out = counted(c.node_count, "node") + ", " + counted(c.gpu_count, "GPU");
  std::vector<std::string_view> read_too;
  if (gres) read_too.push_back("gres.conf");
  if (cgroup) read_too.push_back("cgroup.conf");
  if (!read_too.empty()) out += ", with " + join(read_too, " and ");
  return out;
}

}  // namespace clusterc
