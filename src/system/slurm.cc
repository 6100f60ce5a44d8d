#include "system/slurm.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "model/gpu_devices.h"
#include "model/mig.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/file_systems.h"
#include "system/interfaces.h"
#include "system/node_settings.h"

namespace clusterc {

bool runs_slurmd(const Cluster& c, const NodeGroupModel& g) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->schedules.empty()) return g.computes;
  const auto& scheduled = c.memo.get("scheduled groups", [&] {
    std::set<std::string, std::less<>> names;
    for (const Value<std::string>& n : scheduler->schedules)
      if (n) names.insert(*n);
    return names;
  });
  return scheduled.contains(g.name);
}

bool runs_slurmctld(const Cluster& c, const NodeGroupModel& g) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || !scheduler->controllers) return g.has_role(Role::scheduler);
  HostPattern::Error error;
  const auto names = HostPattern::parse(*scheduler->controllers, error);
  for (std::int64_t i = 0; names && i < names->count(); ++i)
    if (g.names.index_of(names->name(i)) >= 0) return true;
  return false;
}

namespace {

// "nvidia-h100-sxm5-80" -> "h100-sxm5-80"
std::string_view without_maker(std::string_view id) {
  for (std::string_view maker : {"nvidia-", "amd-", "intel-"})
    if (id.starts_with(maker)) return id.substr(maker.size());
  return id;
}
std::string_view first_word(std::string_view id) { return id.substr(0, id.find('-')); }

// Slurm reads brackets only where one of them ends the name (fold_names); other patterns are listed.
std::string slurm_names(const HostPattern& names) {
  std::string_view rest = names.text();
  bool inside = false, bracket = false, fine = true;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '[')
      inside = bracket = true;
    else if (rest[i] == ']')
      inside = false;
    const bool ends = i + 1 == rest.size() || (!inside && rest[i + 1] == ',');
    if (ends && bracket && rest[i] != ']') fine = false;
    if (ends) bracket = false;
  }
  if (fine) return names.text();
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(names.count()));
  for (std::int64_t i = 0; i < names.count(); ++i) all.push_back(names.name(i));
  return fold_names(all);
}

// "/dev/nvidia[0-3]", "/dev/dri/renderD[128,136,144]": ranges where numbers follow one another.
std::string device_range(std::string_view stem, const std::vector<std::int64_t>& numbers) {
  std::string out(stem), list;
  for (std::size_t i = 0, last; i < numbers.size(); i = last + 1) {
    for (last = i; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    if (!list.empty()) list += ',';
    append_int(list, numbers[i]);
    if (last > i) list += '-', append_int(list, numbers[last]);
  }
  return numbers.size() == 1 ? out + list : out + '[' + list + ']';
}

// GPUs that follow one another on the same socket share a line.
std::vector<GpuDevices> devices_of(const ServerModel& server, const PcieTree& tree, std::int64_t cores_per_socket) {
  const GpuDeviceFiles files = gpu_device_files(server);
  // Cards that a bridge joins work better together than others of the node: Slurm has to know which (gres.conf(5),
  // Links: a line for each GPU). On a board with switches all are alike, and nothing is to be chosen.
  const std::int64_t joined = gpus_joined_in_server(server);
  const bool bridged = joined > 1 && joined < server.gpu_count;
  std::vector<GpuDevices> out;
  for (std::int64_t first = 0; first < server.gpu_count;) {
    const int socket = socket_of_gpu(tree, first);
    std::int64_t last = first;
    while (!bridged && last + 1 < server.gpu_count && socket_of_gpu(tree, last + 1) == socket) ++last;
    std::vector<std::int64_t> numbers(files.numbers.begin() + first, files.numbers.begin() + last + 1);
    GpuDevices d{.file = device_range(files.stem, numbers),
                 .cores = {},
                 .links = {},
                 .stem = files.stem,
                 .numbers = std::move(numbers)};
    if (bridged)
      for (std::int64_t other = 0; other < server.gpu_count; ++other)
        (d.links += other ? "," : "") += other == first ? "-1" : other / joined == first / joined ? "1" : "0";
    if (socket >= 0 && socket < server.cpu_count)
      d.cores = std::to_string(socket * cores_per_socket) + "-" + std::to_string((socket + 1) * cores_per_socket - 1);
    out.push_back(std::move(d));
    first = last + 1;
  }
  return out;
}

// slurm.conf(5), Feature, and --constraint of sbatch(1): signs join features there, and commas end one here.
bool is_slurm_feature(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':' || c == '+';
  });
}

// The group, and what the spec states.
void add_features(const NodeGroupModel& g, SlurmNodes& n, Findings& findings) {
  n.features.push_back(to_lower(g.name));
  if (g.spec)
    for (const Value<std::string>& feature : g.spec->features) {
      if (!feature) continue;
      if (is_slurm_feature(*feature))
        n.features.push_back(*feature);
      else
        findings
            .error("slurm-feature-malformed", feature.span,
                   "'" + one_line(feature->substr(0, 60)) +
                       "' cannot be a feature of Slurm: a feature has letters, digits and '_-.:+' only")
            .help("write words such as `ib` or `cpu_genoa`");
    }
}

SlurmNodes nodes_of(const System& in, int group, Findings& findings) {
  const NodeGroupModel& g = in.cluster.nodes[group];
  const ServerModel& s = g.server;
  SlurmNodes n;
  n.group = group;
  n.names = slurm_names(g.names);
  n.threads_per_core = std::max<std::int64_t>(1, s.threads_per_core);
  n.sockets = std::max<std::int64_t>(1, s.cpu_count);
  if (s.cores <= 0) {
    findings
        .error("slurm-node-facts-missing", g.span, "the cores of '" + g.name + "' are not known, and Slurm needs them")
        .help("write cpus: in the group, for example cpus: 2 x epyc-9654");
    return n;
  }
  if (!s.memory) {
    findings
        .error("slurm-node-facts-missing", g.span, "the memory of '" + g.name + "' is not known, and Slurm needs it")
        .help("write memory: in the group, for example memory: 24 x 32 GiB");
    return n;
  }
  if (s.cores % n.sockets != 0) n.sockets = 1;
  n.cores_per_socket = s.cores / n.sockets;
  n.cpus = s.cores * n.threads_per_core;
  n.memory = node_memory(in.cluster, g);
  if (n.memory.jobs > n.memory.fitted)
    findings
        .error("slurm-job-memory-beyond-installed", g.spec->job_memory.span,
               "jobs on a node of '" + g.name + "' may use " + to_text(*g.spec->job_memory) + ", but it has " +
                   to_text(*s.memory))
        .help("write `job_memory` as `slurmd -C` shows RealMemory on a node, or the memory that is fitted");
  if (n.memory.jobs <= 0) {
    findings
        .error("slurm-node-facts-missing", g.span,
               "each node of '" + g.name + "' has " + to_text(*s.memory) + " of memory, but " +
                   std::to_string(n.memory.system + n.memory.crash) +
                   " MiB are reserved for the system: no memory remains for jobs")
        .help("give the nodes more memory");
    return n;
  }
  add_features(g, n, findings);
  if (s.gpu_count > 0) {
    n.type = gres_type(in.cluster, g);
    n.features.push_back(gres_type(in.cluster, s));
    n.gpus = s.gpu_count;
    const auto cut = mig_layout(g.software);
    if (!cut && g.software->mig && *g.software->mig != "off")
      findings
          .error("slurm-mig-unknown", g.software->mig.span,
                 "'" + one_line(g.software->mig->substr(0, 60)) + "' is not a MIG layout that slurm.conf supports")
          .help(
              "use one profile on all GPUs of the group: 7x1g.10gb, 1g.10gb, or off; put nodes with another layout "
              "into their own group");
    if (cut) {
      n.mig = true;
      n.gpus *= cut->count;
    } else {
      if (s.gpu && s.gpu->vendor.value_or(Vendor::nvidia) == Vendor::amd && !s.gpu->render_nodes)
        findings
            .warning(
                "slurm-gpu-devices-unsaid", g.span,
                "part '" + s.gpu_model +
                    "' does not state how many render nodes the driver creates for each GPU, so gres.conf lists the "
                    "GPUs of '" +
                    g.name +
                    "' as renderD128 and the next ones: if that is wrong, every job can use the GPUs that are not "
                    "listed")
            .help(
                "write `render_nodes: 8` in the part of a GPU that can be partitioned (MI300 and newer), "
                "`render_nodes: 1` in others; `/sys/class/kfd/kfd/topology/nodes/*/properties` lists them as "
                "drm_render_minor");
      n.devices = devices_of(s, in.plan.pcie_tree(static_cast<std::size_t>(group)), n.cores_per_socket);
    }
    n.shards = g.software->gpu_shards.value_or(0);
    if (n.mig && n.shards > 0)
      findings
          .error("slurm-shards-of-instances", g.software->gpu_shards.span,
                 "each GPU of '" + g.name + "' is shared as " + std::to_string(n.shards) +
                     " shards and also partitioned by MIG into " + std::to_string(cut->count) +
                     (cut->count == 1 ? " instance" : " instances"))
          .note(g.software->mig.span, "the MIG layout is set here")
          .help("keep one of the two");
  }
  if (const std::int64_t spares = g.spec ? g.spec->spares.value_or(0) : 0; spares > 0) {
    std::vector<std::string> last;
    for (std::int64_t i = std::max<std::int64_t>(0, g.count - spares); i < g.count; ++i)
      last.push_back(g.names.name(i));
    n.spares = fold_names(last);
  }
  std::sort(n.features.begin(), n.features.end());
  n.features.erase(std::unique(n.features.begin(), n.features.end()), n.features.end());
  return n;
}

// Slurm's own file server for its state: NFS that every controller mounts and reaches. What is mounted on controllers
// alone is meant for it; nothing compiled mounts file systems of other kinds but by clients that somebody else
// installs.
const StorageModel* state_storage(const Cluster& c, const std::vector<int>& groups) {
  const StorageModel* found = nullptr;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (!s.spec || !s.spec->kind || *s.spec->kind != StorageKind::nfs) continue;
    if (!std::all_of(groups.begin(), groups.end(),
                     [&](int g) { return mounts(s, c.nodes[g]) && reaches(c, static_cast<int>(i), g); }))
      continue;
    const bool own = !s.spec->on.empty() && s.spec->on.size() <= groups.size();  // each of the groups is among them
    if (own) return &s;
    if (!found) found = &s;
  }
  return found;
}

// StateSaveLocation of the spec's extra lines; empty: none.
std::string asked_state(const Cluster& c) {
  if (const auto* lines = extra_lines_of(c, "slurm", "slurm.conf"))
    for (const auto& line : *lines) {
      constexpr std::string_view kKey = "statesavelocation=";
      const std::string_view text = line ? trim(*line) : std::string_view();
      if (to_lower(text.substr(0, kKey.size())) == kKey) return std::string(text.substr(kKey.size()));
    }
  return {};
}

// What a path of these groups lies on: of those that they mount above it the deepest. Null: a disk of their own.
const StorageModel* storage_at(const Cluster& c, std::string_view path, const std::vector<int>& groups) {
  const StorageModel* found = nullptr;
  for (const StorageModel& s : c.storage) {
    if (!s.spec || !s.spec->kind || !s.spec->mount || *s.spec->kind == StorageKind::local) continue;
    const std::string_view mount = *s.spec->mount;
    if (!path.starts_with(mount) || (path.size() > mount.size() && path[mount.size()] != '/')) continue;
    if (!std::all_of(groups.begin(), groups.end(), [&](int g) { return mounts(s, c.nodes[g]); })) continue;
    if (!found || mount.size() > found->spec->mount->size()) found = &s;
  }
  return found;
}

struct StatePlace {
  std::string path;
  const StorageModel* storage = nullptr;
  bool asked = false;
};
StatePlace state_place(const Cluster& c, const std::vector<int>& groups, std::int64_t controllers) {
  if (std::string asked = asked_state(c); !asked.empty()) {
    const StorageModel* at = storage_at(c, asked, groups);
    return {std::move(asked), at, true};
  }
  if (controllers > 1)
    if (const StorageModel* s = state_storage(c, groups))
      return {*s->spec->mount + "/slurm/" + to_lower(c.spec.name.value_or("cluster")) + "/state", s};
  return {"/var/spool/slurmctld", nullptr};
}

}  // namespace

bool slurm_keeps_accounts(const Cluster& c, const NodeGroupModel& g) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || (!scheduler->accounting && c.spec.teams.begin() == c.spec.teams.end())) return false;
  if (!scheduler->accounting || !scheduler->accounting->nodes) return runs_slurmctld(c, g);
  HostPattern::Error error;
  const auto names = HostPattern::parse(*scheduler->accounting->nodes, error);
  for (std::int64_t i = 0; names && i < std::min<std::int64_t>(3, names->count()); ++i)
    if (g.names.index_of(names->name(i)) >= 0) return true;
  return false;
}

std::optional<std::string> slurm_state_server(const Cluster& c) {
  std::vector<int> groups;
  std::int64_t controllers = 0;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (c.nodes[g].count == 0 || !runs_slurmctld(c, c.nodes[g])) continue;
    groups.push_back(static_cast<int>(g));
    controllers += c.nodes[g].count;
  }
  const auto& scheduler = c.spec.software->scheduler;
  HostPattern::Error error;
  if (scheduler && scheduler->controllers)
    if (const auto names = HostPattern::parse(*scheduler->controllers, error)) controllers = names->count();
  const StorageModel* s = state_place(c, groups, controllers).storage;
  if (!s) return std::nullopt;
  const bool ours =
      *s->spec->kind == StorageKind::nfs && s->nodes >= 0 && c.nodes[static_cast<std::size_t>(s->nodes)].count > 0;
  return ours ? c.nodes[static_cast<std::size_t>(s->nodes)].names.name(0) : std::string();
}

std::string gres_type(const Cluster& c, const ServerModel& server) {
  const std::string_view id = without_maker(server.gpu_model);
  const std::string_view word = first_word(id);
  for (const NodeGroupModel& g : c.nodes)
    if (g.server.gpu_count > 0 && g.server.gpu_model != server.gpu_model &&
        first_word(without_maker(g.server.gpu_model)) == word)
      return to_lower(id);
  return to_lower(word);
}

// NVML's names of instances end in the profile, and Slurm matches a part of them (gres.conf(5), Type).
std::string gres_type(const Cluster& c, const NodeGroupModel& g) {
  const auto cut = mig_layout(g.software);
  return cut ? cut->profile : gres_type(c, g.server);
}

SlurmFacts slurm_facts(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  SlurmFacts facts;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].count > 0 && runs_slurmd(c, c.nodes[g]))
      facts.nodes.push_back(nodes_of(in, static_cast<int>(g), findings));

  std::vector<int> groups;  // of the controllers
  const auto& scheduler = c.spec.software->scheduler;
  if (scheduler && scheduler->controllers) {
    HostPattern::Error error;
    if (const auto names = HostPattern::parse(*scheduler->controllers, error)) {
      for (std::int64_t i = 0; i < names->count(); ++i) {
        const std::string name = names->name(i);
        const auto g = std::find_if(c.nodes.begin(), c.nodes.end(),
                                    [&](const NodeGroupModel& n) { return n.names.index_of(name) >= 0; });
        if (g == c.nodes.end()) {
          findings.error("slurm-controller-unknown", scheduler->controllers.span,
                         "controller '" + name + "' is not a node of the cluster");
          continue;
        }
        facts.controllers.push_back(name);
        groups.push_back(static_cast<int>(g - c.nodes.begin()));
      }
    }
  } else {
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (c.nodes[g].has_role(Role::scheduler)) {
        for (std::int64_t i = 0; i < c.nodes[g].count; ++i) facts.controllers.push_back(c.nodes[g].names.name(i));
        groups.push_back(static_cast<int>(g));
      }
    if (facts.controllers.empty())
      findings
          .error("slurm-controller-missing", scheduler ? scheduler->span : c.spec.software->span,
                 "no node runs the Slurm controller")
          .help("give a node group the role scheduler, or name a node: scheduler: { kind: slurm, controllers: n1 }");
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());

  const StatePlace state = state_place(c, groups, static_cast<std::int64_t>(facts.controllers.size()));
  facts.state = state.path;
  const bool named = scheduler && scheduler->controllers;  // in the section itself, not by a role
  if (facts.controllers.size() > 1 && !state.storage && state.asked)
    findings
        .note("slurm-state-not-shared", named ? scheduler->controllers.span : c.nodes[groups.front()].span,
              "no file system of the spec is mounted at '" + one_line(state.path) + "': whether all " +
                  std::to_string(static_cast<std::int64_t>(facts.controllers.size())) +
                  " controllers share it is not known")
        .help("fail-over needs one folder that all controllers share");
  else if (facts.controllers.size() > 1 && !state.storage)
    findings
        .warning("slurm-state-not-shared", named ? scheduler->controllers.span : c.nodes[groups.front()].span,
                 std::to_string(static_cast<std::int64_t>(facts.controllers.size())) +
                     " controllers have no NFS file system that all of them mount and reach: a fail-over would lose "
                     "the queue")
        .label("StateSaveLocation stays on each controller's own disk")
        .help(
            "add storage that the controllers' network reaches, for example home: { kind: nfs, servers: { external: "
            "nas.example.org }, mount: /home }; for a file system that is mounted by other means, add an extra line, "
            "StateSaveLocation=/PATH");
  if (const auto& mpi = c.spec.software->mpi; mpi && mpi->kind) {
    // PMIx is Open MPI's interface; the MPICH family speaks PMI2 to srun (Slurm's MPI guide)
    const std::string& kind = *mpi->kind;
    if (kind == "mpich" || kind == "mvapich" || kind == "intel-mpi") facts.mpi = "pmi2";
  }
  slurm_topology(in, facts, findings);
  slurm_accounting(in, facts, findings);
  slurm_partitions(c, facts, findings);
  slurm_reservations(in, facts, findings);
  return facts;
}

// Pyxis gives srun its --container-image. It is built for one release of Slurm, and neither a distribution nor NVIDIA
// has a package of it for each; a plugin that is required and not there ends slurmd and srun. Its own `make install`
// brings pyxis.conf with the line (github.com/NVIDIA/pyxis, README, "Installation").
const NamedVersion* pyxis_of(const Cluster& c, const NodeGroupModel& g) {
  const auto& list = g.software->containers;
  const auto found = std::find_if(list.begin(), list.end(),
                                  [](const NamedVersion& v) { return v.kind && to_lower(*v.kind) == "pyxis"; });
  return g.count > 0 && runs_slurmd(c, g) && found != list.end() ? &*found : nullptr;
}

const Value<Version>* slurm_release(const Cluster& c) {
  if (const auto* wish = c.spec.outputs.find("slurm"); wish && wish->value.version) return &wish->value.version;
  const auto& s = c.spec.software->scheduler;
  return s && s->version ? &s->version : nullptr;
}

// packages.debian.org, packages.ubuntu.com. Another release comes from packages that were built as SchedMD's guide says
// (https://slurm.schedmd.com/quickstart_admin.html, "Building Debian Packages", "Building RPMs").
std::string_view distribution_slurm(std::string_view os) {
  struct Release {
    std::string_view os, release;
  };
  constexpr Release kReleases[] = {{"debian-12", "22.05"},
                                   {"debian-13", "24.11"},
                                   {"ubuntu-22.04", "21.08"},
                                   {"ubuntu-24.04", "23.11"},
                                   {"ubuntu-25.04", "24.11"}};
  for (const Release& r : kReleases)
    if (r.os == os) return r.release;
  return {};
}

void check_pyxis(const System& in, Findings& findings) {
  for (std::size_t i = 0; i < in.cluster.nodes.size(); ++i)
    if (const NamedVersion* pyxis = pyxis_of(in.cluster, in.cluster.nodes[i])) {
      if (in.makes("ansible") && !node_settings(in)[i].packages.pyxis.empty()) continue;
      findings
          .note("slurm-pyxis-unbuilt", pyxis->kind.span,
                "no output installs Pyxis: srun does not accept --container-image until it is installed")
          .help(
              "build it for your release of Slurm on every machine that runs or submits jobs: make install, then ln "
              "-s /usr/local/share/pyxis/pyxis.conf /etc/slurm/plugstack.conf.d/");
      return;
    }
}

}  // namespace clusterc
