#include "system/kubernetes_jobs.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "model/mig.h"
#include "model/storage_path.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"
#include "targets/workloads.h"

namespace clusterc {
namespace {

std::string example(const Workload& w, std::string_view key, std::string_view value) {
  const std::string kind = w.launcher && w.launcher->kind       ? *w.launcher->kind
                           : w.kind.value_or("") == "inference" ? std::string("vllm")
                                                                : std::string("torchrun");
  return format("write `launcher: {{ kind: {}, {}: {} }}`", kind, key, value);
}

// The only team there is, or the one that the workload names.
std::optional<KubernetesLeft> find_team(const KubernetesFacts& facts, const Workload& w, std::string& team) {
  if (w.launcher && w.launcher->team) {
    for (const KubernetesTeam& t : facts.teams)
      if (to_lower(t.name) == to_lower(*w.launcher->team)) team = t.name;
    if (!team.empty()) return std::nullopt;
    return KubernetesLeft{"the spec has no team of its name (`launcher.team`)", "name a team of `teams`"};
  }
  if (facts.teams.size() == 1) {
    team = facts.teams.front().name;
    return std::nullopt;
  }
  return KubernetesLeft{"it does not say which team runs it (`launcher.team`)",
                        example(w, "team", facts.teams.empty() ? "TEAM" : facts.teams.front().name)};
}

bool has_image(const Workload& w) { return w.launcher && w.launcher->image; }

std::optional<KubernetesLeft> check_name(std::string_view name) {
  // JobSet names pods NAME-workers-0-INDEX-XXXXX, and labels have 63 characters.
  constexpr std::size_t kLongest = 40;
  // Of its pods' service, too: RFC 1035, section 2.3.1 (Kubernetes, Object Names and IDs).
  if (!name.empty() && name.front() >= '0' && name.front() <= '9')
    return KubernetesLeft{"its name begins with a digit, and names of services in Kubernetes begin with a letter",
                          "write a name that begins with a lower-case letter"};
  if (is_kubernetes_label_name(name) && name.size() <= kLongest) return std::nullopt;
  return KubernetesLeft{"its name cannot be that of an object of Kubernetes",
                        format("use lower-case letters, digits and inner hyphens, at most {}", kLongest)};
}

const KubernetesStorage* storage_named(const KubernetesFacts& facts, std::string_view name) {
  for (const KubernetesStorage& s : facts.storage)
    if (s.many && s.storage->name == name) return &s;
  return nullptr;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// That of `checkpoint_to`, else the fastest that pods mount.
std::string checkpoints_of(const Cluster& c, const KubernetesFacts& facts, const Job& j) {
  const Workload& w = *j.workload;
  const KubernetesStorage* found = nullptr;
  if (w.checkpoint_to) {
    found = storage_named(facts, *w.checkpoint_to);
  } else {
    if (const int at = checkpoint_storage(c, w, {j.group}, StorageDirection::write); at >= 0)
      found = storage_named(facts, c.storage[static_cast<std::size_t>(at)].name);
    for (const KubernetesStorage& s : facts.storage)
      if (!found && s.many) found = &s;
  }
  return found ? team_folder(*found, j.account) : std::string();
}

std::int64_t whole(double n) { return std::llround(n); }

// GPUs of a pod and pods of a copy; nullopt: copies cannot be put together of whole nodes.
bool divide(const ServingSplit& split, std::int64_t node_gpus, std::int64_t nodes, ServedModel& m) {
  const std::int64_t gpus = whole(split.gpus());
  m.tensor = whole(split.tensor), m.pipeline = whole(split.pipeline), m.data = whole(split.data);
  if (gpus <= node_gpus) {
    m.gpus = gpus, m.pods = 1, m.most = nodes * (node_gpus / gpus);
    return true;
  }
  if (gpus % node_gpus != 0) return false;
  m.gpus = node_gpus, m.pods = gpus / node_gpus, m.most = nodes / m.pods;
  return m.most > 0;
}

// An image as the kubelet takes it: [HOST[:PORT]/]NAME[:TAG][@DIGEST] (distribution/reference).
bool is_image(std::string_view text) {
  const auto plain = [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
           std::string_view("._-/:@").find(ch) != std::string_view::npos;
  };
  return !text.empty() && text.front() != '/' && text.size() <= 255 && std::all_of(text.begin(), text.end(), plain) &&
         !text.ends_with(".sif") && !text.ends_with(".sqsh");
}

void check_image(std::string_view name, const Workload& w, Findings& findings) {
  if (!has_image(w) || is_image(*w.launcher->image)) return;
  findings
      .error("jobs-image-malformed", w.launcher->image.span,
             format("workload '{}' runs in the image '{}', which is no image of a registry as Kubernetes names it",
                    name, one_line(*w.launcher->image)))
      .help(w.launcher->image->find('#') != std::string::npos
                ? "write / for #: " + replace_all(one_line(*w.launcher->image), "#", "/")
                : std::string("write HOST/NAME:TAG, such as nvcr.io/nvidia/pytorch:25.09-py3"))
      .object("workloads." + std::string(name));
}

// A path on storage of the nodes that the pods of the team do not have. `must`: it may not be in the image either.
void check_path(const Cluster& c, const KubernetesFacts& facts, std::string_view name, std::string_view team,
                const Value<std::string>& path, std::string_view what, bool must, Findings& findings) {
  if (!path) return;
  std::string first;
  for (const KubernetesStorage& s : facts.storage) {
    if (!s.many) continue;
    if (is_below(*path, team_folder(s, team))) return;
    if (first.empty() || is_below(*path, *s.storage->spec->mount)) first = team_folder(s, team);
  }
  const bool on_nodes = std::any_of(c.storage.begin(), c.storage.end(), [&](const StorageModel& s) {
    return s.spec && s.spec->mount && is_below(*path, *s.spec->mount);
  });
  if (!must && !on_nodes) return;
  Finding& f = findings.error(
      "jobs-path-outside-volumes", path.span,
      format("the {} of workload '{}' is '{}', which is in no volume of team '{}'", what, name, one_line(*path), team));
  f.help(first.empty() ? "offer storage to pods: `kubernetes: { class: home, access: many }`"
                       : format("put it below {}", first))
      .object("workloads." + std::string(name));
}

const KubernetesAmount* amount_of(const KubernetesFacts& facts, std::string_view team, int group) {
  for (const KubernetesTeam& t : facts.teams)
    if (t.name == team)
      for (const KubernetesAmount& a : t.amounts)
        if (facts.workers[static_cast<std::size_t>(a.workers)].group == group) return &a;
  return nullptr;
}

// Kueue admits no job that needs more than the team may have, borrowed resources included.
void check_quota(const Cluster& c, const KubernetesFacts& facts, std::string_view name, std::string_view team,
                 int group, std::int64_t gpus, SourceSpan at, Findings& findings) {
  const KubernetesAmount* a = amount_of(facts, team, group);
  if (!a || gpus <= 0 || !a->more_gpus || gpus <= a->gpus + *a->more_gpus) return;
  findings
      .error("jobs-quota-too-small", at,
             format("workload '{}' needs {} GPUs of '{}', and team '{}' may use {}: its pods would never start", name,
                    gpus, c.nodes[static_cast<std::size_t>(group)].name, team, a->gpus + *a->more_gpus))
      .help("write a larger `quota` of the team, or run the workload on fewer nodes")
      .object("workloads." + std::string(name));
}

}  // namespace

std::int64_t of_pods(std::int64_t allocatable) { return allocatable - (allocatable + 15) / 16; }

std::string team_folder(const KubernetesStorage& s, std::string_view team) {
  std::string out = *s.storage->spec->mount;
  if (!out.ends_with('/')) out += '/';
  return out.append(team);
}

std::vector<JobNodes> kubernetes_nodes(const Cluster& c, const KubernetesFacts& facts) {
  std::vector<JobNodes> out;
  for (const KubernetesWorkers& w : facts.workers) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(w.group)];
    JobNodes n{.group = w.group, .threads_per_core = std::max<std::int64_t>(1, g.server.threads_per_core)};
    // Whole cores: the kubelet gives them to one pod alone.
    n.cpus = of_pods(w.cpus - w.reserved_cpus) / n.threads_per_core * n.threads_per_core;
    n.sockets = 1, n.cores_per_socket = n.cpus / n.threads_per_core;
    n.gpus = w.gpus, n.gres = w.gpu;
    n.mig = mig_layout(g.software).has_value();
    n.memory = node_memory(c, g);
    n.pod_memory_mib = of_pods(w.memory_mib);
    out.push_back(std::move(n));
  }
  return out;
}

std::optional<KubernetesLeft> place_job(const Cluster& c, const KubernetesFacts& facts, Job& j) {
  const Workload& w = *j.workload;
  if (auto left = check_name(j.name)) return left;
  if (auto left = find_team(facts, w, j.account)) return left;
  if (!has_image(w))
    return KubernetesLeft{"pods need a container image (`launcher.image`)",
                          example(w, "image", "nvcr.io/nvidia/pytorch:25.09-py3")};
  if (!w.launcher->script)
    return KubernetesLeft{"its program is not named (`launcher.script`)", example(w, "script", "/workspace/train.py")};
  if (!j.saves) return std::nullopt;
  j.checkpoints = checkpoints_of(c, facts, j);
  if (!j.checkpoints.empty()) return std::nullopt;
  return KubernetesLeft{
      "no storage for its checkpoints is offered to pods of several nodes",
      "write `kubernetes: { class: home, access: many }` of the storage that keeps them (`checkpoint_to`)"};
}

std::optional<KubernetesLeft> plan_service(const Cluster& c, const KubernetesFacts& facts, const Named<Workload>& named,
                                           const JobNodes& nodes, std::int64_t asked, ServedModel& m) {
  const Workload& w = named.value;
  if (auto left = check_name(named.name)) return left;
  if (nodes.gpus <= 0) return KubernetesLeft{"its nodes have no GPUs", "name a group with GPUs in `on`"};
  if (auto left = find_team(facts, w, m.team)) return left;
  if (!has_image(w))
    return KubernetesLeft{"pods need a container image (`launcher.image`)",
                          example(w, "image", "docker.io/vllm/vllm-openai:v0.19.0")};
  if (!w.launcher->weights)
    return KubernetesLeft{"it does not say where the weights of the model are (`launcher.weights`)",
                          example(w, "weights", "/home/" + m.team + "/llama-3.1-8b")};
  m.image = *w.launcher->image, m.weights = *w.launcher->weights;
  const WorkloadPlan plan = plan_workload(c, named);
  if (!plan.serving || !plan.serving->used.fits || !w.model || !w.model->sequence)
    return KubernetesLeft{
        plan.missing.empty() ? "the plan has no split that fits into the memory of the GPUs" : plan.missing.front(),
        "`clusterc plan` says what is missing"};
  const ServingPlan& s = *plan.serving;
  if (!divide(s.used.split, nodes.gpus, asked, m))
    return KubernetesLeft{
        format("a copy of its model needs {} GPUs, which are not whole nodes of {}", s.used.split.gpus(), nodes.gpus),
        "write a `split` whose tensor x pipeline is a multiple of the GPUs of a node"};
  if (m.data > 1 && m.pods > 1)
    return KubernetesLeft{format("data-parallel attention over {} nodes needs the number of each of its groups, which "
                                 "pods of one template do not have",
                                 m.pods),
                          "write a `split` whose experts lie on the GPUs of one node, or start vLLM by hand"};
  if (const double copies = s.copies_wanted; copies > 0) m.least = std::min(m.most, whole(copies));
  m.sequence = std::max(whole(s.needs.model.sequence), whole(s.needs.load.longest));
  m.sequences = std::max<std::int64_t>(1, whole(s.used.sequences) / m.data);
  m.chunk = whole(s.needs.chunk);
  // What vLLM takes of the memory (--gpu-memory-utilization): the same share that the plan fills.
  m.filled = s.used.tight ? std::min(0.99, std::ceil(s.used.filled * 100) / 100) : kUsableMemory;
  m.experts = s.needs.model.experts > 1 && (m.data > 1 || (w.split && w.split->expert.value_or(1) > 1));
  m.kv_precision = w.kv_precision.value_or("bf16");
  m.cpus =
      std::max<std::int64_t>(1, nodes.cpus * m.gpus / nodes.gpus / nodes.threads_per_core * nodes.threads_per_core);
  m.memory_mib = nodes.pod_memory_mib * m.gpus / nodes.gpus;
  return std::nullopt;
}

void check_kubernetes_jobs(const System& in, const KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  const JobFacts& jobs = job_facts(in);
  for (const Job& j : jobs.jobs) {
    const Workload& w = *j.workload;
    check_image(j.name, w, findings);
    check_path(c, facts, j.name, j.account, w.launcher->script, "script", false, findings);
    check_quota(c, facts, j.name, j.account, j.group, j.nodes * j.node_gpus, w.span, findings);
    if (!w.launcher->user)
      findings
          .note("jobs-user-unsaid", w.launcher->span,
                format("the pods of workload '{}' run as the user that its image names, or as root if it names none",
                       j.name))
          .help(
              "write `user: 1000` in its launcher, with the number of a user who may write into the folder of the team")
          .object("workloads." + j.name);
  }
  for (const ServedModel& m : jobs.served) {
    const Workload& w = *m.workload;
    check_image(m.name, w, findings);
    check_path(c, facts, m.name, m.team, w.launcher->weights, "model", true, findings);
    check_quota(c, facts, m.name, m.team, m.group, m.most * m.pods * m.gpus, w.span, findings);
    if (!w.launcher->user && !w.launcher->group && w.launcher->weights)
      findings
          .note("jobs-user-unsaid", w.launcher->span,
                format("the pods of workload '{}' run as user 1000 without a group of the team", m.name))
          .help(
              "write `user` and `group` in its launcher, with the numbers of a user and a group who may read the model")
          .object("workloads." + m.name);
    // vllm/config/model.py, verify_with_parallel_config.
    if (w.model && w.model->heads && *w.model->heads % m.tensor != 0)
      findings
          .error("jobs-split-not-launched", w.split ? w.split->span : w.span,
                 format("launcher 'vllm' cannot start workload '{}' as planned", m.name))
          .label(
              format("{} attention heads are not divisible by {} GPUs that share a layer", *w.model->heads, m.tensor))
          .help("write a `split` whose `tensor` divides the heads")
          .object("workloads." + m.name);
  }
}

}  // namespace clusterc
