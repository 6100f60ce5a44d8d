// What a slurm.conf shows stands in the spec; what the language has no word for stands as an extra line of the compiled
// file where that keeps it, and in a comment where it does not.
#include "audit/files/slurm_spec.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "audit/files/judge_slurm.h"
#include "audit/files/slurm_beside.h"
#include "audit/files/slurm_groups.h"
#include "audit/files/slurm_node_settings.h"
#include "audit/files/slurm_partitions.h"
#include "audit/files/slurm_parts.h"
#include "audit/files/slurm_topology.h"
#include "audit/files/slurm_values.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// Text of a file in one line of a spec.
std::string clean(std::string_view text) { return printable(one_line(text)); }

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kMostShown = 64;  // lines of a list in comments
constexpr std::size_t kMostLost = 256;  // settings in the list of those that the spec does not have

using Key = std::string_view;
template <std::size_t N>
bool is_one_of(Key key, const std::array<Key, N>& keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// Keys of slurm.conf that follow from a spec, and what clusterc writes where it writes always the same.
constexpr std::array<std::pair<Key, Key>, 8> kDerived = {{{"selecttype", "select/cons_tres"},
                                                          {"proctracktype", "proctrack/cgroup"},
                                                          {"taskplugin", "task/affinity,task/cgroup"},
                                                          {"grestypes", ""},
                                                          {"accountingstoragetype", ""},
                                                          {"accountingstoragehost", ""},
                                                          {"accountingstoragebackuphost", ""},
                                                          {"accountingstoragetres", ""}}};
// Programs that the plays write (system/slurm.h, kSlurmFolder). Those of the site under these names must move.
constexpr std::array<Key, 4> kPrograms = {"/etc/slurm/prolog", "/etc/slurm/epilog", "/etc/slurm/taskprolog",
                                          "/etc/slurm/healthcheck"};
// Read into the spec elsewhere.
constexpr std::array<Key, 11> kRead = {"clustername",   "slurmctldhost",  "controlmachine", "backupcontroller",
                                       "jobrequeue",    "resumeprogram",  "suspendprogram", "suspendtime",
                                       "resumetimeout", "suspendtimeout", "authtype"};
// Of older releases, or of slurmdbd.conf: newer ones do not read them, or not there.
constexpr std::array<Key, 13> kOld = {"controladdr",
                                      "backupaddr",
                                      "fastschedule",
                                      "cryptotype",
                                      "cachegroups",
                                      "accountingstorageloc",
                                      "accountingstorageuser",
                                      "checkpointtype",
                                      "jobcheckpointdir",
                                      "slurmctldaddr",
                                      "accountingstoragejobcomment",
                                      "accountingstorejobcomment",
                                      "launchtype"};
// Lines that clusterc writes so anyway.
constexpr std::array<Key, 3> kSame = {"selecttypeparameters=cr_core_memory", "returntoservice=1", "slurmuser=slurm"};
class Describer {
 public:
  Describer(const Sources& sources, const SlurmCluster& c, SlurmGroups groups, Catalog& catalog)
      : sources_(sources), c_(c), all_(std::move(groups)), catalog_(catalog), parts_(catalog) {}

  void beside(const std::optional<SlurmCluster>& gres, const std::optional<SlurmCluster>& cgroup,
              const std::optional<SlurmCluster>& topology, std::optional<SlurmCluster> slurmdbd,
              std::vector<std::string> unread) {
    for (std::string& file : unread) differs(std::move(file));
    slurmdbd_ = std::move(slurmdbd);
    if (gres) read_gres(*gres);
    if (cgroup) read_cgroup(*cgroup);
    if (topology) read_topology(*topology);
  }
  SlurmSpec write(std::string_view shown, const Findings& faults);

 private:
  void read_settings();
  void read_partitions();
  void read_accounting();
  void read_nodes();
  void read_slurmdbd(const std::string* storage, const std::string& host);
  void read_gres(const SlurmCluster&);
  void read_cgroup(const SlurmCluster&);
  void read_topology(const SlurmCluster&);
  void write_group(YamlWriter&, const SlurmGroup&);
  void write_site(YamlWriter&) const;
  void write_scheduler(YamlWriter&) const;
  void write_extra(YamlWriter&) const;
  std::string as_written(const SlurmSetting& s, std::string_view key) const {
    const std::string_view text = sources_.text(s.span);
    const bool plain = text.find_first_of("\n\r\\") == text.npos && text.find('=') != text.npos;
    return plain ? std::string(text) : format("{}={}", key, clean(s.value));
  }
  const std::string* value(Key key) const {
    const SlurmSetting* s = c_.find(key);
    return s ? &s->value : nullptr;
  }
  // A line of a compiled file, if a spec can hold it.
  void keep(std::vector<std::string>& lines, std::string line) {
    if (line.size() <= kLongestLine && clean(line) == line)
      lines.push_back(std::move(line));
    else
      differs(format("too long for a spec, or with characters that no text has: {}…", clean(line.substr(0, 60))));
  }
  // Of several programs Slurm runs those of a pattern (slurm.conf(5), Prolog): the compiled one and that of the site.
  void keep_program(const std::string& line, const std::string& stem, bool patterns) {
    keep(extra_, format("{}={}{}", line.substr(0, line.find('=')), stem, patterns ? ".*sh" : ".site.sh"));
    differs(
        format("{}: the plays write a program of their own there. Copy yours to {}.site.sh on each machine first: "
               "the extra line runs it{}",
               line, stem, patterns ? " and the compiled one" : ""));
  }
  void differs(std::string text) { differences_.push_back(std::move(text)); }

  const Sources& sources_;
  const SlurmCluster& c_;
  SlurmGroups all_;
  Catalog& catalog_;
  SlurmParts parts_;
  std::optional<SlurmCluster> slurmdbd_;
  SlurmDatabaseSpec database_;
  std::vector<std::string> extra_, cgroup_extra_, slurmdbd_extra_, differences_, topology_;
  std::string longest_;  // MaxTime of all partitions, in minutes
  std::vector<SlurmPartitionSpec> partitions_;
  std::string databases_;  // nodes that run slurmdbd, where it is not the first controller alone
  bool power_saving_ = false, accounting_ = false;
};

void Describer::read_nodes() {
  const SlurmNodeSettings nodes =
      slurm_node_settings(c_, [this](const SlurmSetting& s, std::string_view key) { return as_written(s, key); });
  if (!nodes.of_all.empty()) keep(extra_, "NodeName=DEFAULT " + join(nodes.of_all, " "));
  for (const std::string& lost : nodes.lost) differs(clean(lost));
  for (const SlurmGroup& g : all_.groups) {
    if (!g.left_out.empty())
      differs(clean(format("{} of group '{}': Slurm has no such feature", join(g.left_out, " "), g.name)));
    const SlurmHardware& h = g.hardware;
    if (const std::int64_t threads = h.sockets * h.cores_per_socket * h.threads; h.cpus > 0 && h.cpus != threads)
      differs(format("CPUs={} of group '{}': clusterc writes CPUs={}, all threads", h.cpus, g.name, threads));
  }
  for (const SlurmRecord& r : c_.text.records)
    if (r.settings.front().first == "frontendname")
      differs(format("FrontendName={}: clusterc describes no front ends", clean(r.settings.front().second.value)));
}

void Describer::read_partitions() {
  std::set<std::string> limits;
  for (const SlurmEntry& p : c_.partitions) {
    const SlurmSetting* time = p.find("maxtime");
    limits.insert(time ? time->value : "");
  }
  const auto minutes = limits.size() == 1 ? slurm_minutes(*limits.begin()) : std::nullopt;
  if (minutes && *minutes > 0) longest_ = std::to_string(*minutes);
  bool more = false;
  std::set<std::string, std::less<>> named;
  std::set<const SlurmEntry*> held;
  for (const SlurmPartitionNodes& p : all_.partitions) {
    auto spec = slurm_partition_spec(
        all_, p, [this](const SlurmSetting& s, std::string_view key) { return as_written(s, key); });
    if (!spec || !named.insert(to_lower(spec->name)).second) continue;
    held.insert(p.entry);
    const bool of_group = std::ranges::any_of(all_.groups, [&](const SlurmGroup& g) { return g.partition == p.entry; });
    more = more || spec->says_more || !of_group || (longest_.empty() && spec->minutes);
    partitions_.push_back(std::move(*spec));
  }
  for (const SlurmPartitionSpec& p : partitions_)
    for (const std::string& lost : p.lost) differs(clean(format("partition '{}' cannot have {}", p.name, lost)));
  if (!more) partitions_.clear();
  for (const SlurmGroup& g : all_.groups)
    if (!g.partition && partitions_.empty())
      differs(
          format("clusterc writes a partition '{}' for group '{}', which slurm.conf does not have", g.name, g.name));
  for (const SlurmEntry* p : all_.other_partitions) {
    if (held.contains(p)) continue;
    std::string line;
    std::set<std::string> seen;
    for (const auto& [key, setting] : p->record->settings)
      if (p->record->find(key) == &setting) line += (line.empty() ? "" : " ") + as_written(setting, key);
    if (p->defaults)
      for (const auto& [key, setting] : *p->defaults)
        if (!p->record->find(key)) line += " " + as_written(setting, key);
    keep(extra_, std::move(line));
  }
  for (const SlurmRecord& r : c_.text.records) {
    if (r.settings.front().first != "downnodes") continue;
    std::string line;
    for (const auto& [key, setting] : r.settings)
      if (r.find(key) == &setting) line += (line.empty() ? "" : " ") + as_written(setting, key);
    keep(extra_, std::move(line));
  }
  std::vector<std::string> sets;  // before the partitions that use them
  for (const SlurmEntry& s : c_.node_sets) {
    std::string line;
    for (const auto& [key, setting] : s.record->settings)
      if (s.record->find(key) == &setting) line += (line.empty() ? "" : " ") + as_written(setting, key);
    keep(sets, std::move(line));
  }
  extra_.insert(extra_.begin(), sets.begin(), sets.end());
}

void Describer::read_accounting() {
  const std::string* storage = value("accountingstoragetype");
  const std::string* host = value("accountingstoragehost");
  if (storage && to_lower(*storage) == "accounting_storage/slurmdbd") {
    const std::string at = host ? *host : "localhost";
    const auto in_spec = [&](const std::string& name) {
      return std::ranges::find(all_.controllers, name) != all_.controllers.end() ||
             std::ranges::any_of(
                 all_.groups, [&](const SlurmGroup& g) { return std::ranges::find(g.names, name) != g.names.end(); });
    };
    accounting_ = at == "localhost" || in_spec(at);
    if (accounting_ && at != "localhost" && (all_.controllers.empty() || at != all_.controllers.front()))
      databases_ = at;
    if (!accounting_)
      differs(
          format("slurmdbd runs on '{}', which is no node here: give it a group, and name it in "
                 "software.scheduler.accounting.nodes",
                 clean(at)));
    if (const std::string* backup = value("accountingstoragebackuphost"))
      differs(
          format("AccountingStorageBackupHost={}: write both hosts in software.scheduler.accounting.nodes, and the "
                 "database that both reach in accounting.database",
                 clean(*backup)));
    if (const std::string* tres = value("accountingstoragetres"))
      for (const std::string_view what : split(*tres, ','))
        if (!to_lower(trim(what)).starts_with("gres/gpu"))
          differs(format("AccountingStorageTRES has '{}': clusterc writes the GPUs and shards of the nodes",
                         clean(what.substr(0, 60))));
  } else if (storage && to_lower(*storage) != "accounting_storage/none") {
    differs(format("AccountingStorageType={}: clusterc writes accounting_storage/slurmdbd, or none", clean(*storage)));
  }
  read_slurmdbd(storage, host ? *host : "localhost");
}

void Describer::read_slurmdbd(const std::string* storage, const std::string& host) {
  if (!slurmdbd_) {
    if (storage && to_lower(*storage) == "accounting_storage/slurmdbd")
      differs(
          "slurmdbd.conf: clusterc cannot read one beside slurm.conf. Copy it there from the machine of slurmdbd and "
          "run init again, or compare it with the compiled one");
    return;
  }
  database_ = slurm_database_spec(*slurmdbd_, accounting_ ? std::optional(host) : std::nullopt,
                                  [this](const SlurmSetting& s, std::string_view key) { return as_written(s, key); });
  for (std::string& line : database_.extra) keep(slurmdbd_extra_, std::move(line));
  for (const std::string& lost : database_.lost) differs(lost);
}

void Describer::read_settings() {
  for (const std::string& host_at : all_.addresses)
    differs(
        format("SlurmctldHost={}: the address is not kept. Write it in the inventory, and the name must resolve to it",
               clean(host_at)));
  const bool clouds = std::ranges::any_of(all_.groups, [](const SlurmGroup& g) { return g.cloud; });
  power_saving_ = clouds && value("resumeprogram") && value("suspendprogram");
  for (const auto& [key, setting] : c_.settings) {
    const std::string line = as_written(setting, key);
    if (key.find("pass") != key.npos) {
      differs(format("{} is not copied: it can be a password", key));
    } else if (key == "topologyplugin") {
      differs(format("{}: clusterc writes the topology that follows from a network of the spec", line));
    } else if (key == "routeplugin" && to_lower(setting.value) == "route/topology") {
      // slurmctld 22.05: "fatal: ROUTE: route/topology requires topology/tree"
      differs(
          format("{}: slurmctld does not start with it unless topology.conf is compiled. Describe the network, then "
                 "write the line in outputs.slurm.extra",
                 line));
    } else if (key == "suspendexcparts" || key == "suspendexcnodes") {
      differs(format("{}: clusterc writes the groups that software.scheduler.power_saving does not name", line));
    } else if (is_one_of(key, kRead)) {
      if (key == "jobrequeue" && setting.value != "0" && setting.value != "1")
        differs(format("{}: write software.scheduler.requeue, true or false", line));
      if (key == "authtype" && to_lower(setting.value) != "auth/munge")
        differs(format("{}: clusterc writes AuthType=auth/munge", line));
      if (!power_saving_ && key == "resumetimeout")
        keep(extra_, line);
      else if (!power_saving_ && (key.starts_with("resume") || key.starts_with("suspend")))
        differs(format("{}: power saving needs nodes with State=CLOUD, ResumeProgram and SuspendProgram", line));
    } else if ((key == "accountingstorageenforce" || key == "accountingstorageport") && !accounting_) {
      differs(
          format("{}: it needs slurmdbd on a node of the spec. Write the line in outputs.slurm.extra when "
                 "software.scheduler.accounting is set",
                 line));
    } else if (const auto stem = std::ranges::find_if(
                   kPrograms, [&](Key program) { return setting.value == std::string(program) + ".sh"; });
               stem != kPrograms.end()) {
      keep_program(line, std::string(*stem), key == "prolog" || key == "epilog");
    } else if (is_one_of(key, kOld)) {
      differs(format("{}: of an older release, or no setting of slurm.conf", line));
    } else if (const auto d = std::ranges::find(kDerived, key, &std::pair<Key, Key>::first); d != kDerived.end()) {
      if (!d->second.empty() && to_lower(setting.value) != d->second)
        differs(format("{}: clusterc writes {}", line, d->second));
    } else if (!is_one_of(format("{}={}", key, to_lower(setting.value)), kSame)) {
      keep(extra_, line);
    }
  }
  const std::string* types = value("grestypes");
  if (types)
    for (const std::string_view type : split(*types, ','))
      if (const std::string low = to_lower(trim(type)); low != "gpu" && low != "shard")
        differs(format("GresTypes has '{}', for which the language has no word", clean(low.substr(0, 40))));
}

void Describer::read_gres(const SlurmCluster& gres) {
  for (std::string& lost : slurm_gres_lost(gres)) differs(std::move(lost));
}

void Describer::read_cgroup(const SlurmCluster& cgroup) {
  SlurmFileSpec file =
      slurm_cgroup_spec(cgroup, [this](const SlurmSetting& s, std::string_view key) { return as_written(s, key); });
  for (std::string& line : file.extra) keep(cgroup_extra_, std::move(line));
  for (std::string& lost : file.lost) differs(std::move(lost));
}

void Describer::read_topology(const SlurmCluster& topology) {
  if (!topology.text.records.empty())
    differs("the switches of topology.conf: they stand in a comment. Describe the network, and clusterc writes them");
  for (const SlurmRecord& r : topology.text.records) {
    if (topology_.size() == kMostShown) {
      topology_.emplace_back("…");
      break;
    }
    std::string line;
    for (const auto& [key, setting] : r.settings) line += (line.empty() ? "" : " ") + as_written(setting, key);
    topology_.push_back(clean(line.substr(0, 400)));
  }
}

void Describer::write_group(YamlWriter& yaml, const SlurmGroup& g) {
  const SlurmHardware& h = g.hardware;
  yaml.map(g.name).field("names", fold_names(g.names));
  // A map without entries holds no comments.
  if (h.cores_per_socket == 0)
    yaml.comment("slurm.conf does not say which processors the nodes have: write cpus, such as 2 x epyc-9354");
  if (h.memory <= 1) yaml.comment("slurm.conf has no RealMemory: write memory, such as 16 x 64 GiB");
  yaml.map("server");
  if (h.cores_per_socket > 0) {
    const std::int64_t cores = h.sockets * h.cores_per_socket, threads = cores * h.threads;
    if (h.cpus > 0 && h.cpus != threads)
      yaml.comment(format("CPUs={}: clusterc writes CPUs={}, all threads.", h.cpus, threads));
    yaml.field("cpus", format("{} x {}", h.sockets, parts_.cpu(h)));
  }
  if (h.memory > 1) {
    const SlurmMemory memory = slurm_memory(h.memory);
    yaml.comment(memory.comment);
    yaml.field("memory", memory.modules);
  }
  std::int64_t gpus = 0;
  if (!h.gpus.empty()) {
    std::string comment;
    const std::string part = parts_.gpu(h.gpus.front(), comment);
    if (!comment.empty()) yaml.comment(comment);
    gpus = std::min<std::int64_t>(h.gpus.front().count, 1 << 16);
    yaml.field("gpus", format("{} x {}", gpus, part));
    if (const GpuPart* known = parts_.has(part) ? nullptr : catalog_.gpu(part); known && known->form)
      yaml.list("gpu_forms").value(enum_text(*known->form)).end_list();  // they run in it
    for (std::size_t i = 1; i < std::min<std::size_t>(h.gpus.size(), 8); ++i)
      yaml.comment(format("A group has GPUs of one model: {} x '{}' beside them cannot be described.", h.gpus[i].count,
                          clean(h.gpus[i].type)));
  }
  yaml.end_map();
  if (h.memory > 1 && slurm_memory(h.memory).fits) yaml.field("job_memory", format("{} MiB", h.memory));
  if (!g.features.empty()) {
    yaml.list("features");
    for (const std::string& feature : g.features) yaml.value(feature);
    yaml.end_list();
  }
  if (g.weight > 0) yaml.field("weight", g.weight);
  if (h.shards > 0 && gpus > 0) {
    if (h.shards % gpus == 0 && h.shards / gpus >= 2 && h.shards / gpus <= 1024)
      yaml.map("software").field("gpu_shards", h.shards / gpus).end_map();
    else
      yaml.comment(format("{} shards are no whole number of at least 2 for each GPU.", h.shards));
  }
  yaml.end_map();
}

void Describer::write_site(YamlWriter& yaml) const {
  const auto unknown = [&](std::string_view key) {
    yaml.map(key).field("unknown", "slurm.conf does not show it").end_map();
  };
  yaml.comment(
      "The room is not known, so power, cooling and racks are not checked. Write region, altitude, supply, "
      "racks, feeds and cooling.");
  yaml.map("site");
  unknown("region");
  yaml.map("supply");
  unknown("phases");
  unknown("voltage");
  yaml.end_map().end_map();
}

void Describer::write_scheduler(YamlWriter& yaml) const {
  yaml.comment(
      "The operating system, the GPU driver and the release of Slurm are not known: write os, gpu_driver and "
      "scheduler.version.");
  yaml.map("software").map("scheduler").field("kind", "slurm");
  if (!all_.controllers.empty()) yaml.field("controllers", join(all_.controllers, ","));  // the first is the primary
  if (const std::string* requeue = value("jobrequeue"); requeue && (*requeue == "0" || *requeue == "1"))
    yaml.field("requeue", *requeue == "1");
  if (accounting_) {
    yaml.map("accounting");
    if (!databases_.empty())
      yaml.field("nodes", databases_);
    else if (!database_.database.empty() && !all_.controllers.empty())
      yaml.field("nodes", all_.controllers.front());
    if (!database_.database.empty()) yaml.field("database", clean(database_.database));
    if (database_.password) {
      yaml.comment("The file has the line StoragePass=… of your slurmdbd.conf, mode 0600, and belongs to SlurmUser.");
      yaml.map("password").field("file", "/etc/slurm/slurmdbd.password.conf").end_map();
    }
    yaml.end_map();
  }
  write_slurm_partitions(yaml, partitions_);
  if (partitions_.empty() && !longest_.empty()) yaml.map("limits").field("time", longest_ + " min").end_map();
  if (power_saving_) {
    yaml.map("power_saving").list("groups");
    for (const SlurmGroup& g : all_.groups)
      if (g.cloud) yaml.value(g.name);
    yaml.end_list();
    const auto time = [&](std::string_view key, Key ours) {
      const std::string* text = value(ours);
      if (const auto seconds = text ? parse_uint(*text) : std::nullopt; seconds && *seconds > 0 && *seconds < 1'000'000)
        yaml.field(key, format("{} s", *seconds));
    };
    time("idle", "suspendtime");
    time("start", "resumetimeout");
    time("stop", "suspendtimeout");
    yaml.field("resume", clean(*value("resumeprogram"))).field("suspend", clean(*value("suspendprogram")));
    yaml.end_map();
  }
  yaml.end_map().end_map();
}

void Describer::write_extra(YamlWriter& yaml) const {
  if (extra_.empty() && cgroup_extra_.empty() && slurmdbd_extra_.empty()) return;
  yaml.comment("Settings that the language has no word for: clusterc writes these lines behind its own.");
  yaml.map("outputs").map("slurm").map("extra");
  const auto file = [&](std::string_view name, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    yaml.list(name);
    for (const std::string& line : lines) yaml.value(line);
    yaml.end_list();
  };
  file("slurm.conf", extra_);
  file("cgroup.conf", cgroup_extra_);
  file("slurmdbd.conf", slurmdbd_extra_);
  yaml.end_map().end_map().end_map();
}

std::string cluster_name(const std::string* given) {
  std::string name;
  for (const char c : given ? to_lower(*given) : std::string("cluster"))
    name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
  if (name.size() > 40) name.resize(40);
  while (name.starts_with('-')) name.erase(0, 1);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "cluster" : name;
}

SlurmSpec Describer::write(std::string_view shown, const Findings& faults) {
  read_accounting();
  read_settings();
  read_nodes();
  read_partitions();
  const std::string name = cluster_name(value("clustername"));
  if (const std::string* given = value("clustername"); !given || to_lower(*given) != name)
    differs(given ? format("ClusterName={}: a name has letters, digits and hyphens", clean(given->substr(0, 60)))
                  : std::string("there is no ClusterName"));
  if (c_.unread)
    differs(
        "some NodeName lines have no list of names that can be read, or too many names: their nodes are missing "
        "here");
  if (all_.controllers.empty()) differs("there is no SlurmctldHost: write software.scheduler.controllers");

  // The groups first: which parts there are follows from them.
  std::string nodes;
  {
    YamlWriter yaml(nodes);
    yaml.begin_map().map("nodes");
    for (const SlurmGroup& g : all_.groups) write_group(yaml, g);
    if (!all_.outside.empty()) {
      yaml.comment("slurm.conf says nothing of these machines but their names.");
      yaml.map("controllers").field("names", fold_names(all_.outside));
      yaml.list("roles").value("scheduler").end_list().map("server").end_map().end_map();
    }
    yaml.end_map().end_map();
    if (!nodes.ends_with('\n')) nodes += '\n';
  }
  SlurmSpec out;
  for (std::size_t i = 0; i < std::min(differences_.size(), kMostLost); ++i)
    out.lost.push_back(clean(differences_[i].substr(0, 400)));
  if (differences_.size() > kMostLost) out.lost.push_back(format("and {} more", differences_.size() - kMostLost));
  YamlWriter yaml(out.spec);
  yaml.comment(format(
      "The cluster of '{}' as its files describe it. Complete it: what they cannot show is in comments.", shown));
  const auto is_fault = [](const Finding& f) { return f.severity != Severity::note; };
  if (std::ranges::any_of(faults.all(), is_fault)) {
    yaml.comment("Faults of the files, which the compiled ones do not have (clusterc check slurm.conf explains them):");
    std::size_t count = 0;
    for (const Finding& f : faults.all())
      if (is_fault(f) && ++count <= kMostShown) yaml.comment("- " + clean(f.message.substr(0, 400)));
  }
  if (!differences_.empty()) {
    yaml.comment("What the compiled files of Slurm will not have as these files have it:");
    for (const std::string& lost : out.lost) yaml.comment("- " + lost);
  }
  yaml.comment(
      "The plays change machines that run: time zone, host name, /etc/hosts, files in /etc/slurm; slurmctld and slurmd "
      "restart. They begin with no preview while the spec has no inventory. First: ansible-playbook site.yml --check "
      "--diff --limit ONE-NODE");
  yaml.begin_map();
  yaml.field("clusterc", 1).field("rules", "2026.11").field("name", name);
  if (!parts_.all().empty()) yaml.list("parts").value(kSlurmParts).end_list();
  write_site(yaml);
  if (!topology_.empty()) {
    yaml.comment(
        "The switches of Slurm's topology. Describe them as a network with kind, rate, switch and connects: then "
        "clusterc writes the topology.");
    for (const std::string& line : topology_) yaml.comment("  " + line);
  }
  yaml.end_map();
  if (!out.spec.ends_with('\n')) out.spec += '\n';
  out.spec += nodes;
  std::string rest;
  YamlWriter after(rest);
  after.begin_map();
  write_scheduler(after);
  write_extra(after);
  after.end_map();
  out.spec += rest;
  if (!out.spec.ends_with('\n')) out.spec += '\n';
  out.parts = parts_.all();
  return out;
}

std::optional<SlurmCluster> read_beside(const Sources& sources, const ReadBeside& read, const std::string& name,
                                        Findings& findings) {
  const auto file = read ? read(name) : std::nullopt;
  if (!file) return std::nullopt;
  return slurm_cluster(read_slurm_text(sources, *file, read, findings));
}

}  // namespace

SlurmSpec spec_of_slurm(const Sources& sources, FileId file, std::string_view shown, const ReadBeside& read,
                        Catalog& catalog, Findings& faults) {
  judge_slurm(sources, file, read, faults);
  Findings findings;  // those of reading, which are among the faults
  const SlurmCluster c = slurm_cluster(read_slurm_text(sources, file, read, findings));
  SlurmGroups groups = slurm_groups(c);
  if (!groups.error.empty()) {
    SlurmSpec none;
    none.error = std::move(groups.error);
    return none;
  }
  Describer describer(sources, c, std::move(groups), catalog);
  std::optional<SlurmCluster> topology;
  if (auto found = read_slurm_topology(sources, read, findings)) topology = std::move(found->cluster);
  describer.beside(read_beside(sources, read, "gres.conf", findings),
                   read_beside(sources, read, "cgroup.conf", findings), topology,
                   read_beside(sources, read, "slurmdbd.conf", findings), slurm_files_unread(read));
  return describer.write(shown, faults);
}

}  // namespace clusterc
