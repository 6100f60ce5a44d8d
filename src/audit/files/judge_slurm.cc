#include "audit/files/judge_slurm.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "audit/files/slurm_cluster.h"
#include "audit/files/slurm_devices.h"
#include "audit/files/slurm_topology.h"
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
    bool devices_open = false;
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
      devices_open = true;
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
    const bool open = !fenced || devices_open;
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
    if (!lines.empty()) f.help(format("write {} in slurm.conf", join(lines, " and ")));
    if (devices_open) f.help("write ConstrainDevices=yes in cgroup.conf");
    f.note({}, "slurm.conf(5), TaskPlugin and ProctrackType; cgroup.conf(5), ConstrainDevices");
  }

  // slurm.conf(5), CPUs: the number of sockets, of cores or of threads; slurmctld resets another one.
  void processors() {
    for (const SlurmNodeLine& n : c_.nodes) {
      const SlurmSetting* cpus = n.find("cpus") ? n.find("cpus") : n.find("procs");
      const auto given = number_of(cpus), boards = number_of(n.find("boards")),
                 per_board = number_of(n.find("socketsperboard")), cores = number_of(n.find("corespersocket"));
      auto sockets = number_of(n.find("sockets"));
      if (!sockets && per_board) sockets = boards.value_or(1) * *per_board;
      const std::int64_t threads = number_of(n.find("threadspercore")).value_or(1);
      if (!given || !sockets || !cores || *sockets > 1024 || *cores > 65536 || threads > 64) continue;
      const std::int64_t all_cores = *sockets * *cores, all = all_cores * threads;
      if (*given == all || *given == all_cores || *given == *sockets || !fresh(cpus->span)) continue;
      findings_
          .error(
              "file-slurm-cpus-differ", cpus->span,
              format("CPUs={} is neither the cores nor the threads of a node, which has {} and {}: slurmctld replaces "
                     "it",
                     *given, counted(all_cores, "core"), counted(all, "thread")))
          .label(format("{} sockets x {} cores x {} threads = {}", *sockets, *cores, threads, all))
          .note({}, "slurm.conf(5), CPUs")
          .help(format(
              "write CPUs={}, or correct Sockets, CoresPerSocket and ThreadsPerCore to what `slurmd -C` prints", all));
    }
  }

  void gres_types() {
    const SlurmNodeLine* first = nullptr;
    for (const SlurmNodeLine& n : c_.nodes)
      if (!first && gpus_of(n) > 0) first = &n;
    if (!first) return;
    const SlurmSetting* types = c_.find("grestypes");
    const std::string list = types ? to_lower(types->value) : "";
    bool named = false;
    for (const std::string_view type : split(list, ',')) named |= trim(type) == "gpu";
    if (!named && c_.text.whole)
      findings_
          .error("file-slurm-gres-unmanaged", types ? types->span : first->find("gres")->span,
                 "Slurm does not manage the GPUs of the nodes: GresTypes does not name gpu")
          .note({}, "slurm.conf(5), GresTypes: no generic resources are managed by default")
          .help("write GresTypes=gpu");
    const SlurmSetting* select = c_.find("selecttype");
    const std::string type = select ? to_lower(select->value) : "";
    if (select && type != "select/cons_tres" && type != "select/cray_aries")
      findings_
          .warning("file-slurm-gres-unmanaged", select->span,
                   format("with SelectType={} Slurm has no --gpus, --gpus-per-node and --gpus-per-task", select->value))
          .note({},
                "slurm.conf(5), SelectType; slurm.schedmd.com/gres.html, \"Running Jobs\": these options need "
                "select/cons_tres")
          .help("write SelectType=select/cons_tres");
  }

  void names() {
    if (!c_.text.whole) return;
    std::unordered_map<std::string, const SlurmNodeLine*> nodes;
    bool twice = false;
    for (const SlurmNodeLine& n : c_.nodes)
      for (std::int64_t i = 0; i < n.count(); ++i) {
        const auto [found, fresh] = nodes.try_emplace(n.each[static_cast<std::size_t>(i)], &n);
        if (fresh || twice) continue;
        twice = true;
        findings_
            .error("file-slurm-node-twice", n.record->settings.front().second.span,
                   format("node '{}' is defined twice: slurmctld does not start", found->first))
            .note(found->second->record->settings.front().second.span, "the first definition")
            .note({}, "slurm.conf(5), NodeName")
            .help("take it out of one of the two lines");
      }
    defined_ = true;
    for (auto& [name, line] : nodes) known_.insert(name);
    std::set<std::string, std::less<>> sets;
    for (const SlurmEntry& s : c_.node_sets) sets.insert(s.names);
    for (const SlurmEntry& p : c_.partitions) {
      const SlurmSetting* list = p.find("nodes");
      if (list) unknown(*list, sets, format("partition '{}'", p.names), "slurm.conf(5), Nodes");
      if (p.find("maxtime") || p.find("defaulttime")) continue;
      unlimited_.push_back(&p);
    }
    if (unlimited_.empty() || (c_.find("accountingstorageenforce"))) return;
    Finding& f = findings_.note(
        "file-slurm-time-unlimited", unlimited_.front()->record->settings.front().second.span,
        unlimited_.size() == 1
            ? format("jobs of partition '{}' have no time limit: one that hangs holds its GPUs for ever",
                     unlimited_.front()->names)
            : format("jobs of {} have no time limit ('{}' is the first): one that hangs holds its GPUs for ever",
                     counted(static_cast<std::int64_t>(unlimited_.size()), "partition"), unlimited_.front()->names));
    f.note({}, "slurm.conf(5), MaxTime and DefaultTime: the default is UNLIMITED")
        .help("write DefaultTime=08:00:00 MaxTime=7-00:00:00");
  }

  void unkillable() {
    constexpr std::int64_t kDefault = 60;
    const SlurmSetting* timeout = c_.find("unkillablesteptimeout");
    const auto seconds = number_of(timeout);
    if (!seconds || *seconds >= kDefault) return;
    findings_
        .warning("file-slurm-unkillable-short", timeout->span,
                 format("UnkillableStepTimeout={} is below the default of {} s: slurmd drains a node whose processes "
                        "only take long to free GPU memory or to write a core file",
                        *seconds, kDefault))
        .note({}, "slurm.conf(5), UnkillableStepTimeout")
        .help("leave the line out, or write a larger value");
  }

  void topology(const SlurmCluster& topology, std::string_view file) {
    const bool yaml = file.ends_with(".yaml");
    std::set<std::string, std::less<>> switches;
    for (const SlurmRecord& r : topology.text.records)
      if (const SlurmSetting* name = r.find("switchname"))
        for (const std::string& s : host_list_names(name->value, left_).value_or(std::vector<std::string>()))
          switches.insert(s);
    const std::set<std::string, std::less<>> none;
    for (const SlurmRecord& r : topology.text.records) {
      if (const SlurmSetting* nodes = r.find("nodes"); nodes && (r.find("switchname") || r.find("blockname")))
        unknown(*nodes, none, format("'{}'", r.settings.front().second.value),
                format("{}(5), {}: slurmctld reports a lookup failure", file, yaml ? "nodes" : "Nodes"));
      const SlurmSetting* children = r.find("switches");
      if (!children || !topology.text.whole) continue;
      for (const std::string& s : host_list_names(children->value, left_).value_or(std::vector<std::string>()))
        if (!switches.contains(s) && findings_.all().size() < kMostReported) {
          findings_
              .error("file-slurm-topology-unknown", children->span,
                     format("{} defines no switch '{}': slurmctld does not start", file, s))
              .note({}, format("{}(5), {}", file, yaml ? "children" : "Switches"))
              .help(yaml ? format("write an entry `switch: {}` with its nodes, or take it out here", s)
                         : format("write a line SwitchName={} Nodes=…, or take it out here", s));
          break;
        }
    }
  }

  // The topology that a partition chooses (slurm.conf(5), Topology), of those that topology.yaml has.
  void topology_names(const SlurmTopologyFile& file) {
    if (file.file != "topology.yaml" || !file.cluster.text.whole) return;
    for (const SlurmRecord& r : c_.text.records) {
      const SlurmSetting *partition = r.find("partitionname"), *chosen = r.find("topology");
      if (!partition || !chosen || std::ranges::find(file.names, chosen->value) != file.names.end()) continue;
      findings_
          .error("file-slurm-topology-unknown", chosen->span,
                 format("topology.yaml has no topology '{}': slurmctld does not start",
                        one_line(chosen->value.substr(0, 60))))
          .note({}, "slurm.conf(5), Topology")
          .help(file.names.empty() ? std::string("leave the setting out")
                                   : "write one of these: Topology=" + join(file.names, ", Topology="));
      return;
    }
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
      if (*mib - system >= *mib * percent / 100 || !fresh(memory->span)) continue;
      const bool power = std::has_single_bit(static_cast<std::uint64_t>(*mib));
      const std::string all = format("{} GiB", *mib / 1024);
      Finding& f =
          power ? findings_.error("file-slurm-memory-overstated", memory->span,
                                  format("RealMemory promises all {} of a node, but firmware and kernel hold a part: "
                                         "slurmd finds less, and slurmctld drains the node",
                                         all))
                : findings_.warning("file-slurm-memory-overstated", memory->span,
                                    format("RealMemory is exactly {}: if the node has no more memory, slurmd "
                                           "finds less, because firmware and kernel hold a part, and slurmctld drains "
                                           "the node",
                                           modules));
      f.label(format("{} = {}; less 1/32 for the system: {} MiB", modules, all, *mib - system))
          .note({}, format("slurm.conf(5), RealMemory and SlurmctldParameters=node_reg_mem_percent (here {}): if a "
                           "node has less memory, slurmctld registers it as invalid, \"Low RealMemory\"",
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

  // A value of NodeName=DEFAULT is reported once.
  bool fresh(SourceSpan span) {
    return findings_.all().size() < kMostReported && reported_.insert({span.file, span.begin}).second;
  }

  void unknown(const SlurmSetting& list, const std::set<std::string, std::less<>>& sets, const std::string& who,
               std::string_view source) {
    if (!defined_ || findings_.all().size() >= kMostReported) return;
    std::vector<std::string> missing;
    std::int64_t count = 0;
    for (const std::string_view term : host_list_terms(list.value)) {
      if (to_lower(term) == "all" || sets.contains(term)) continue;
      for (const std::string& name : host_list_names(term, left_).value_or(std::vector<std::string>()))
        if (!known_.contains(name) && ++count <= 64) missing.push_back(name);
    }
    if (count == 0) return;
    findings_
        .error("file-slurm-node-unknown", list.span,
               format("{} names {} that no NodeName line defines: '{}'{}", who, counted(count, "node"),
                      fold_names(missing), count > 64 ? format(" and {} more", grouped(count - 64)) : ""))
        .note({}, std::string(source))
        .help("define them with NodeName=…, or take them out here");
  }

  static constexpr std::size_t kMostReported = 1000;  // of one file: judge.cc shows some of each kind
  const SlurmCluster& c_;
  FileId file_;
  Findings& findings_;
  std::set<std::pair<FileId, std::uint32_t>> reported_;
  bool defined_ = false;  // every node is known
  std::unordered_set<std::string> known_;
  std::vector<const SlurmEntry*> unlimited_;
  std::int64_t left_ = 4 * kMostSlurmNames;  // names that lists may have in all
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
  const auto topology = read_slurm_topology(sources, read, findings);
  if (c.unread)
    findings
        .warning("file-slurm-unread", c.unread->settings.front().second.span,
                 format("these nodes were not checked: their names are no host list that can be read, or more than {}",
                        grouped(kMostSlurmNames)))
        .help("write them as Slurm does: NodeName=n[01-16],m7 (slurm.conf(5), NodeName)");
  if (c.node_count == 0 && !c.unread && !c.find("maxnodecount"))  // dynamic nodes register themselves
    findings.warning("file-slurm-unread", {file, 0, 0}, "the file has no node: no node was checked")
        .help("write a line NodeName=… for the nodes, or put the file of the Include line beside this one");
  Judge judge(c, file, findings);
  judge.confinement(cgroup, read != nullptr);
  judge.gres_types();
  judge.processors();
  judge.memory();
  judge.names();
  judge.unkillable();
  const SlurmSetting* plugin = c.find("topologyplugin");
  const bool used = plugin && to_lower(plugin->value) != "topology/none" && to_lower(plugin->value) != "topology/flat";
  if (topology && (used || topology->file == "topology.yaml")) judge.topology(topology->cluster, topology->file);
  if (topology) judge.topology_names(*topology);
  if (gres) judge_slurm_devices(c, *gres, findings);
  std::string out = counted(c.node_count, "node") + ", " + counted(c.gpu_count, "GPU");
  std::vector<std::string_view> read_too;
  if (gres) read_too.push_back("gres.conf");
  if (cgroup) read_too.push_back("cgroup.conf");
  if (topology) read_too.push_back(topology->file);
  if (!read_too.empty()) out += ", with " + join(read_too, ", ");
  return out;
}

}  // namespace clusterc
