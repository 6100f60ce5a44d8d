#include "cli/audit_software.h"

#include <algorithm>
#include <filesystem>

#include "audit/file_sums.h"
#include "audit/netbox.h"
#include "audit/scheduler_audit.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "compile/compile.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/kubernetes.h"
#include "system/slurm.h"

namespace clusterc::cli {
namespace {

constexpr std::pair<const char*, const char*> kOptions[] = {
    {"scontrol", "scontrol"}, {"kubectl", "kubectl"}, {"files", "checksums"}, {"netbox", "netbox"}};

Captured read_one(const char* option, const char* kind, const std::string& path) {
  FileError error;
  auto text = read_file(path == "-" ? "/dev/stdin" : path, kLargestSchedulerFile, error);
  if (!text) throw UsageError{format("--{}: {}", option, error.message)};
  return {kind, path == "-" ? "standard input" : path, std::move(*text)};
}

std::optional<NodePlace> place_of(const Cluster& c, std::string_view name) {
  for (const std::string_view host : {name, without_domain(c, name), name.substr(0, name.find('.'))}) {
    const int group = host.empty() ? -1 : group_of_host(c, host);
    if (group >= 0) return NodePlace{group, c.nodes[at(group)].names.index_of(host)};
  }
  return std::nullopt;
}

SchedulerKind scheduler_of(const Cluster& c) {
  const auto& scheduler = c.spec.software->scheduler;
  return scheduler && scheduler->kind ? *scheduler->kind : SchedulerKind::none;
}

// "gpu:h100:8,shard:24", as slurm.conf has it
std::set<std::string> gres_of(const SlurmNodes& n) {
  std::set<std::string> out;
  if (n.gpus <= 0) return out;
  out.insert(format("gpu:{}{}", n.type.empty() ? "" : n.type + ":", n.gpus));
  if (n.shards > 0) out.insert(format("shard:{}", n.shards * n.gpus));
  return out;
}

PlannedScheduler planned_slurm(const Run& run) {
  Findings ignored;  // `check` reports them
  const Cluster& c = *run.cluster;
  const SlurmFacts facts = slurm_facts(*run.system, ignored);
  PlannedScheduler out;
  out.product = "Slurm";
  if (const auto& scheduler = c.spec.software->scheduler; scheduler->version) out.version = scheduler->version->text();
  out.cluster = to_lower(c.spec.name.value_or("cluster"));
  out.controllers = facts.controllers;
  for (const SlurmNodes& n : facts.nodes) {
    HostPattern::Error wrong;
    const auto names = HostPattern::parse(n.names, wrong);
    const auto spares = n.spares.empty() ? std::nullopt : HostPattern::parse(n.spares, wrong);
    for (std::int64_t i = 0; names && i < names->count(); ++i) {
      PlannedSchedulerNode node;
      node.name = names->name(i);
      const auto place = place_of(c, node.name);
      if (!place) continue;
      node.node = *place;
      node.cpus = n.cpus, node.sockets = n.sockets, node.cores_per_socket = n.cores_per_socket;
      node.threads_per_core = n.threads_per_core, node.memory_mib = n.memory.jobs;
      node.gres = gres_of(n);
      node.features.insert(n.features.begin(), n.features.end());
      node.spare = spares && spares->index_of(node.name) >= 0;
      out.nodes.push_back(std::move(node));
    }
  }
  out.topology = facts.topology != SlurmTopology::none;
  auto& of_tree = facts.topology == SlurmTopology::block ? out.switches_by_name : out.switches;
  auto& of_blocks = facts.topology == SlurmTopology::block ? out.switches : out.switches_by_name;
  for (const SlurmSwitch& s : facts.switches) of_tree.push_back({s.name, s.nodes, s.switches});
  for (const SlurmBlock& b : facts.blocks) of_blocks.push_back({b.name, b.nodes, {}});
  return out;
}

PlannedScheduler planned_kubernetes(const Run& run) {
  Findings ignored;
  const KubernetesFacts facts = kubernetes_facts(*run.system, ignored);
  PlannedScheduler out;
  out.product = "Kubernetes";
  out.version = facts.release;
  const auto add = [&](const KubernetesMachine& m, const KubernetesWorkers* workers) {
    PlannedSchedulerNode node;
    node.node = {m.group, m.member};
    node.name = m.name;
    if (workers) {
      node.labels = m.labels;  // only those of workers are compiled (objects/nodes.yaml)
      node.cpus = workers->cpus;
      if (workers->gpu == "nvidia.com/gpu") node.gpus = workers->gpus;
    }
    out.nodes.push_back(std::move(node));
  };
  std::set<std::string> met;
  for (const KubernetesWorkers& w : facts.workers) {
    out.spares[w.group] = w.spares;
    for (const KubernetesMachine& m : w.nodes)
      if (met.insert(m.name).second) add(m, &w);
  }
  for (const KubernetesMachine& m : facts.control_plane)
    if (met.insert(m.name).second) add(m, nullptr);
  return out;
}

CompiledSums compiled_sums(const Run& run) {
  CompiledSums out;
  Sha256 digest;
  Findings ignored;
  Bundle files([&](const Bundle::File& file, std::string_view bytes) {
    if (file.mode != kLink) out.emplace(file.path, to_hex(digest(bytes)));
  });
  const CompileWish wish{.templates = run.templates ? &*run.templates : nullptr};
  compile_outputs(*run.system, wish, files, ignored);
  files.flush();
  return out;
}

void unread(Run& run, const Captured& c, std::string_view why) {
  const FileId file = run.sources.add(c.name, std::string());
  report_unread(AuditSubject::scheduler, SourceSpan{file, 0, 0},
                format("'{}' was not compared, or not in full: {}", printable(c.name), why), run.findings);
}

std::string counts_text(const NodeCounts& counts) {
  std::string out = format("{} of {} nodes as planned", counts.as_planned, counts.read() + counts.unread);
  if (counts.in_part > 0) out += format(", {} as far as they were read", counts.in_part);
  if (counts.differing > 0) out += format(", {} not", counts.differing);
  return out;
}

void audit_scheduler(Run& run, SourceSpan place, const std::vector<Captured>& captures, SoftwareAudited& out,
                     std::vector<JsonMembers>& members) {
  SeenScheduler slurm, kubernetes;
  for (const Captured& c : captures) {
    std::string error;
    if ((c.kind == "scontrol" && !read_scontrol(c.text, slurm, error)) ||
        (c.kind == "kubectl" && !read_kubectl(c.text, kubernetes, error)))
      unread(run, c, error);
  }
  const auto compare = [&](const PlannedScheduler& planned, const SeenScheduler& seen) {
    NodeDifferences differences(*run.plan, run.findings, AuditSubject::scheduler);
    compare_scheduler(planned, seen, place, run.findings, differences);
    const NodeCounts counts = differences.report();
    if (!seen.has_nodes) return;
    out.summary += format("{}: {}\n", planned.product, counts_text(counts));
    members.emplace_back([counts](JsonWriter& json) {
      json.object("scheduler_nodes")
          .field("as_planned", counts.as_planned)
          .field("in_part", counts.in_part)
          .field("differing", counts.differing)
          .field("unread", counts.unread)
          .end_object();
    });
  };
  const bool any_slurm = slurm.has_nodes || slurm.has_config || slurm.has_topology;
  if (any_slurm && scheduler_of(*run.cluster) != SchedulerKind::slurm)
    throw UsageError{"--scontrol: the scheduler of the spec is not Slurm"};
  if (kubernetes.has_nodes && scheduler_of(*run.cluster) != SchedulerKind::kubernetes)
    throw UsageError{"--kubectl: the scheduler of the spec is not Kubernetes"};
  if (any_slurm) compare(planned_slurm(run), slurm);
  if (kubernetes.has_nodes) compare(planned_kubernetes(run), kubernetes);
}

// Those that --nodes probed beside, where it names some; else all of the plan.
std::vector<NodePlace> asked_nodes(const Cluster& c, const std::vector<Captured>& captures) {
  std::vector<NodePlace> out;
  for (const Captured& one : captures)
    if (one.kind == "node" || one.kind == "node-unread")
      if (const auto place = place_of(c, one.name)) out.push_back(*place);
  if (!out.empty()) return out;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    for (std::int64_t i = 0; i < c.nodes[g].count; ++i) out.push_back({static_cast<int>(g), i});
  return out;
}

void audit_files(Run& run, const std::vector<Captured>& captures, SoftwareAudited& out,
                 std::vector<JsonMembers>& members) {
  if (std::ranges::none_of(captures, [](const Captured& c) { return c.kind == "checksums"; })) return;
  const Cluster& cluster = *run.cluster;
  const CompiledFiles compiled(compiled_sums(run));
  NodeDifferences differences(*run.plan, run.findings, AuditSubject::files);
  std::map<NodePlace, std::vector<FileSum>> sums;
  for (const Captured& c : captures) {
    if (c.kind != "checksums") continue;
    const std::string stem = std::filesystem::path(c.name).stem().string();
    const FileSums read = read_file_sums(c.text, place_of(cluster, stem) ? stem : "");
    if (read.unread > 0 || read.by_node.empty())
      unread(run, c,
             read.by_node.empty() ? std::string("it has no line of sha256sum with its node")
                                  : format("{} of its lines are none of sha256sum, or name no node", read.unread));
    for (const auto& [node, of_node] : read.by_node) {
      const auto place = place_of(cluster, node);
      if (place)
        sums[*place].insert(sums[*place].end(), of_node.begin(), of_node.end());
      else
        unread(run, c, format("the spec has no node '{}'", printable(node)));
    }
  }
  FileCounts all;
  for (const auto& [place, of_node] : sums) {
    const FileCounts counts = compare_files(compiled, place, cluster.nodes[at(place.group)].names.name(place.member),
                                            cluster.nodes[at(place.group)].name, of_node, differences);
    all.compared += counts.compared, all.same += counts.same;
  }
  for (const NodePlace& node : asked_nodes(cluster, captures))
    if (!sums.contains(node)) differences.node_unread(node, "no checksums were collected");
  differences.report();
  out.summary += format("files: {} of {} as compiled, on {} {}\n", all.same, all.compared, sums.size(),
                        sums.size() == 1 ? "node" : "nodes");
  members.emplace_back([all, nodes = sums.size()](JsonWriter& json) {
    json.object("files").field("nodes", nodes).field("compared", all.compared).field("same", all.same).end_object();
  });
}

void audit_netbox(Run& run, const std::vector<Captured>& captures, SoftwareAudited& out,
                  std::vector<JsonMembers>& members) {
  SeenNetbox seen;
  bool any = false;
  for (const Captured& c : captures) {
    if (c.kind != "netbox") continue;
    any = true;
    if (!read_netbox(run.sources, run.sources.add(c.name, c.text), seen, run.findings))
      throw UsageError{
          "--netbox: '" + c.name +
          "' is no CSV export of NetBox's devices or cables: export the table with its columns Name, Site, "
          "Role, Rack and Position, or Device A and Device B"};
  }
  if (!any) return;
  const NetboxCounts counts = compare_netbox(*run.plan, seen, run.findings);
  out.summary += "NetBox: ";
  if (seen.has_devices)
    out.summary += format("{} of {} planned devices as planned", counts.same_devices, counts.devices);
  if (seen.has_cables)
    out.summary += format("{}{} of {} planned cables", seen.has_devices ? ", " : "", counts.same_cables, counts.cables);
  out.summary += "\n";
  members.emplace_back([counts](JsonWriter& json) {
    json.object("netbox")
        .field("devices", counts.devices)
        .field("same_devices", counts.same_devices)
        .field("cables", counts.cables)
        .field("same_cables", counts.same_cables)
        .end_object();
  });
}

}  // namespace

void add_software_options(po::options_description& o) {
  const auto files = [] { return po::value<std::vector<std::string>>()->composing(); };
  o.add_options()("scontrol", files()->value_name("FILE"),
                  "what `scontrol show nodes`, `show config` or `show topology` printed; several times for several")(
      "kubectl", files()->value_name("FILE"), "what `kubectl get nodes -o json` printed")(
      "files", files()->value_name("DIR|FILE"),
      "what sha256sum printed for compiled files on the nodes: a folder with a file for each node, or one file with "
      "lines 'NODE: DIGEST  PATH'")("netbox", files()->value_name("FILE"),
                                    "a CSV export of NetBox: devices, or cables; several times for both");
}

bool asks_for_software(const po::variables_map& given) {
  return std::ranges::any_of(kOptions, [&](const auto& option) { return given.count(option.first) > 0; });
}

std::vector<Captured> capture_software(const po::variables_map& given) {
  namespace fs = std::filesystem;
  std::vector<Captured> out;
  for (const auto& [option, kind] : kOptions) {
    if (!given.count(option)) continue;
    for (const std::string& path : given[option].as<std::vector<std::string>>()) {
      std::error_code failed;
      if (std::string_view(option) != "files" || !fs::is_directory(path, failed)) {
        out.push_back(read_one(option, kind, path));
        continue;
      }
      std::vector<std::string> paths;
      for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
        if (std::error_code other; !at->path().filename().string().starts_with('.') && at->is_regular_file(other))
          paths.push_back(at->path().string());
      if (failed || paths.empty())
        throw UsageError{"--files: '" + path + "' has no file: write what sha256sum prints into a file for each node"};
      std::ranges::sort(paths);
      for (const std::string& file : paths) out.push_back(read_one(option, kind, file));
    }
  }
  return out;
}

SoftwareAudited audit_software(Run& run, const std::string& spec_path, const std::vector<Captured>& captures) {
  SoftwareAudited out;
  std::vector<JsonMembers> members;
  audit_scheduler(run, begin_of(run.sources, spec_path), captures, out, members);
  audit_files(run, captures, out, members);
  audit_netbox(run, captures, out, members);
  out.members = [members = std::move(members)](JsonWriter& json) {
    for (const JsonMembers& write : members) write(json);
  };
  return out;
}

}  // namespace clusterc::cli
