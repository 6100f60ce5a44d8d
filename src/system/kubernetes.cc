#include "system/kubernetes.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/group_ends.h"
#include "model/mig.h"
#include "model/node_memory.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/each_address.h"
#include "system/fabric_places.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names of nodes are DNS names (RFC 1123 subdomains); the kubelet writes its host's name in lower case.
bool is_node_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  for (const std::string_view label : split(name, '.'))
    if (label.empty() || !(is_lower(label.front()) || is_digit(label.front())) ||
        !(is_lower(label.back()) || is_digit(label.back())) ||
        !std::all_of(label.begin(), label.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
      return false;
  return true;
}

// "1.36" or "1.36.4", with or without a v before it.
void read_release(const Scheduler& s, KubernetesFacts& facts, Findings& findings) {
  if (!s.version) {
    findings.note("kubernetes-version-unsaid", s.span, "the spec names no release of Kubernetes")
        .help(
            "write `scheduler: { kind: kubernetes, version: 1.36 }`: without a release, kubeadm installs the newest "
            "one");
    return;
  }
  std::string text = s.version->text();
  if (text.starts_with('v')) text.erase(0, 1);
  std::vector<std::uint64_t> numbers;
  for (const std::string_view part : split(text, '.'))
    if (const auto number = parse_uint(part))
      numbers.push_back(*number);
    else
      numbers.clear(), numbers.resize(9);
  if (numbers.size() < 2 || numbers.size() > 3 || numbers[0] != 1 ||
      Version{text.substr(0, text.find('.', 2))} < Version{std::string(kOldestKubernetes)}) {
    findings
        .error("kubernetes-version-unsupported", s.version.span,
               "the compiled files are for Kubernetes " + std::string(kOldestKubernetes) + " and newer, not '" +
                   one_line(s.version->text()) + "'")
        .help(
            "write `version: 1.36`, or 1.36.4 with its patch release; or write `outputs: { kubernetes: { skip: true } "
            "}` if others set up the cluster");
    return;
  }
  facts.release = std::to_string(numbers[0]) + "." + std::to_string(numbers[1]);
  facts.version =
      numbers.size() == 3 ? "v" + facts.release + "." + std::to_string(numbers[2]) : "stable-" + facts.release;
}

class Machines {
 public:
  Machines(const System& in, Findings& findings) : in_(in), findings_(findings), places_(fabric_places(in)) {}

  KubernetesMachine machine(int group, std::int64_t member) {
    const NodeGroupModel& g = in_.cluster.nodes[static_cast<std::size_t>(group)];
    KubernetesMachine m{.group = group, .member = member, .name = to_lower(g.names.name(member)), .labels = {}};
    if (const Home home = home_of(in_.cluster, in_.plan, group); home.network >= 0)
      m.address = in_.plan.address(home.network, home.end_points, member, 0);
    if (!is_node_name(m.name) && told_ != group) {
      told_ = group;
      findings_
          .error("kubernetes-name-malformed", g.span,
                 "'" + one_line(m.name) + "' is not a valid name of a node in Kubernetes")
          .help("use letters, digits and inner hyphens in `names`");
    }
    const FabricPlace& p = places_[static_cast<std::size_t>(g.first + member)];
    const std::pair<std::string_view, const std::string*> labels[] = {
        {kGroupLabel, &g.name}, {kFabricLabel, &p.fabric}, {kPodLabel, &p.pod},
        {kLeafLabel, &p.leaf},  {kRackLabel, &p.rack},     {kNvlinkLabel, &p.nvlink}};
    for (const auto& [key, value] : labels)
      if (is_kubernetes_label_value(*value) && !value->empty()) m.labels[std::string(key)] = *value;
    return m;
  }

 private:
  const System& in_;
  Findings& findings_;
  const std::vector<FabricPlace> places_;
  int told_ = -1;
};

void control_plane(const System& in, const Scheduler& s, Machines& machines, KubernetesFacts& facts,
                   Findings& findings) {
  const Cluster& c = in.cluster;
  HostPattern::Error error;
  const auto named = s.controllers ? HostPattern::parse(*s.controllers, error) : std::nullopt;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeGroupModel& g = c.nodes[i];
    for (std::int64_t m = 0; m < g.count; ++m)
      if (named ? named->index_of(g.names.name(m)) >= 0 : g.has_role(Role::control_plane)) {
        facts.control_plane.push_back(machines.machine(static_cast<int>(i), m));
        if (facts.control_groups.empty() || facts.control_groups.back() != static_cast<int>(i))
          facts.control_groups.push_back(static_cast<int>(i));
      }
  }
  if (s.endpoint) {
    const std::size_t colon = s.endpoint->rfind(':');
    facts.endpoint_host = to_lower(s.endpoint->substr(0, colon));
    if (colon != std::string::npos)
      facts.endpoint_port = static_cast<std::int64_t>(parse_uint(s.endpoint->substr(colon + 1)).value_or(kApiPort));
    if (!is_node_name(facts.endpoint_host))
      findings
          .error("kubernetes-name-malformed", s.endpoint.span,
                 "'" + one_line(facts.endpoint_host) + "' is not a valid host of the control plane")
          .help("use letters, digits, inner hyphens and dots");
  } else if (!facts.control_plane.empty()) {
    facts.endpoint_host = facts.control_plane.front().name;
    if (facts.control_plane.size() > 1)
      findings
          .warning("kubernetes-endpoint-unsaid", s.span,
                   std::to_string(facts.control_plane.size()) +
                       " nodes run the control plane, but nodes and users only know the address of '" +
                       facts.endpoint_host + "'")
          .help(
              "write `endpoint: HOST:6443` of a load balancer for TCP before them, or of an address that moves between "
              "them (keepalived with HAProxy, kube-vip)");
  }
}

// Whatever the cluster talks to outside may not be hidden by a network of pods.
std::vector<Ipv4Prefix> taken_networks(const Cluster& c) {
  std::vector<Ipv4Prefix> taken;
  const auto address = [&](std::string_view text) {
    if (const auto a = parse_ipv4(text)) taken.push_back({*a, 32});
  };
  for (const NetworkModel& n : c.networks)
    if (n.subnet) taken.push_back(*n.subnet);
  const auto software = [&](const Software& s) {
    for (const auto* list : {&s.name_servers, &s.time_servers})
      for (const auto& server : *list)
        if (server) address(*server);
  };
  software(c.spec.software);
  for (const NodeGroupModel& g : c.nodes) software(g.software);
  for (const StorageModel& s : c.storage)
    if (s.spec && s.spec->servers && s.spec->servers->external) address(*s.spec->servers->external);
  if (c.spec.software->mirror && c.spec.software->mirror->server) address(*c.spec.software->mirror->server);
  return taken;
}

bool is_free(const Ipv4Prefix& p, const std::vector<Ipv4Prefix>& taken) {
  return std::none_of(taken.begin(), taken.end(), [&](const Ipv4Prefix& t) { return t.overlaps(p); });
}

// The usual one where nothing of the cluster lies in it, else the first that is free among the private networks.
std::optional<Ipv4Prefix> free_network(const Ipv4Prefix& usual, int length, const std::vector<Ipv4Prefix>& taken) {
  if (usual.length <= length) {
    const Ipv4Prefix first = usual.part(length, 0);
    if (is_free(first, taken)) return first;
  }
  for (const Ipv4Prefix& space : {Ipv4Prefix{0x0a000000u, 8}, Ipv4Prefix{0xac100000u, 12}, Ipv4Prefix{0xc0a80000u, 16},
                                  Ipv4Prefix{0x64400000u, 10} /* shared, RFC 6598 */}) {
    if (length < space.length) continue;
    for (std::uint64_t i = std::uint64_t{1} << (length - space.length); i-- > 0;)
      if (is_free(space.part(length, i), taken)) return space.part(length, i);
  }
  return std::nullopt;
}

void pod_and_service_networks(const System& in, const Scheduler& s, KubernetesFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  std::vector<Ipv4Prefix> taken = taken_networks(c);
  std::size_t nodes = facts.control_plane.size();
  for (const KubernetesWorkers& w : facts.workers) nodes += w.nodes.size();
  int pod_length = 16;  // 256 nodes
  while (pod_length > 4 && (std::size_t{1} << (kPodBlockLength - pod_length)) < nodes) --pod_length;
  const auto choose = [&](const Value<std::string>& said, std::string_view what, const Ipv4Prefix& usual, int length) {
    std::string error;
    if (const auto p = said ? Ipv4Prefix::parse(*said, error) : std::nullopt) {
      const auto hit = std::find_if(taken.begin(), taken.end(), [&](const Ipv4Prefix& t) { return t.overlaps(*p); });
      if (hit != taken.end())
        findings
            .error("kubernetes-network-overlap", said.span,
                   "the network of the " + std::string(what) + ", " + p->text() + ", overlaps " + hit->text() +
                       " of this cluster")
            .help("leave it out: a free network is then chosen");
      if (p->length > length)
        findings
            .error("kubernetes-network-overlap", said.span,
                   "the network of the " + std::string(what) + ", " + p->text() + ", is smaller than /" +
                       std::to_string(length) + (what == "pods" ? ": each node gets a /24 of it" : ""))
            .help("use a shorter prefix");
      taken.push_back(*p);
      return *p;
    }
    const auto p = free_network(usual, length, taken);
    if (!p)
      findings
          .error("kubernetes-network-full", s.span,
                 "no private network of length /" + std::to_string(length) + " is free for the " + std::string(what) +
                     ": the networks of this cluster leave no room")
          .help("give the cluster's networks longer prefixes, or set `pod_network` and `service_network`");
    taken.push_back(p.value_or(usual));
    return p.value_or(usual);
  };
  constexpr Ipv4Prefix kUsualServices{0x0a600000u, 12}, kUsualPods{0x0af40000u, 16};  // 10.96.0.0/12, 10.244.0.0/16
  facts.services = choose(s.service_network, "services", kUsualServices, 20);
  facts.pods = choose(s.pod_network, "pods", kUsualPods, pod_length);
}

// A kubelet counts from MemTotal, which lacks what firmware and kernel took before: with 2 TiB 2063205 MiB, with 128
// GiB 128515 MiB, on Azure 435161 of 456 GiB, on AWS 63622 of 64 GiB (node_memory.cc). All of `system` on top of that,
// and the 100 MiB of its evictionHard, would leave pods less than `jobs`, which quotas and limits promise. 1/128 leaves
// them `jobs` on each of these.
std::int64_t kept_by_kubelet(const NodeMemory& m) {
  constexpr std::int64_t kKubeletPart = 128;
  return std::min(m.system, m.fitted / kKubeletPart);
}

KubernetesWorkers workers_of(const System& in, int group, Machines& machines) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  KubernetesWorkers w;
  w.group = group;
  for (std::int64_t i = 0; i < g.count; ++i) w.nodes.push_back(machines.machine(group, i));
  const std::int64_t threads = std::max<std::int64_t>(1, g.server.threads_per_core);
  w.cpus = g.server.cores * threads;
  // A core of each socket for kubelet, runtime and kernel, where there are enough of them.
  if (const std::int64_t kept = std::max<std::int64_t>(1, g.server.cpu_count) * threads; w.cpus > 2 * kept)
    w.reserved_cpus = kept;
  const NodeMemory memory = node_memory(c, g);
  w.memory_mib = std::max<std::int64_t>(0, memory.jobs), w.reserved_mib = kept_by_kubelet(memory);
  if (g.server.gpu_count > 0) {
    const Vendor vendor = g.server.gpu ? g.server.gpu->vendor.value_or(Vendor::nvidia) : Vendor::nvidia;
    w.gpu = vendor == Vendor::amd ? "amd.com/gpu" : vendor == Vendor::intel ? "gpu.intel.com/i915" : "nvidia.com/gpu";
    const auto cut = mig_layout(g.software);
    w.gpus = g.server.gpu_count * (cut ? cut->count : 1);
  }
  w.spares = std::min(g.count, g.spec ? g.spec->spares.value_or(0) : 0);
  // Kueue counts no node that lacks a level.
  for (const std::string_view level : {kPodLabel, kLeafLabel, kNvlinkLabel})
    if (!w.nodes.empty() && std::all_of(w.nodes.begin(), w.nodes.end(), [&](const KubernetesMachine& m) {
          return m.labels.contains(std::string(level));
        }))
      w.levels.push_back(level);
  return w;
}

void check_names(const Cluster& c, const KubernetesFacts& facts, Findings& findings) {
  for (const KubernetesWorkers& w : facts.workers) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(w.group)];
    if (!is_kubernetes_label_name(to_lower(g.name)))
      findings
          .error("kubernetes-name-malformed", g.span,
                 "'" + one_line(g.name) + "' cannot name a kind of nodes in Kubernetes")
          .help("use letters, digits and inner hyphens");
    if (!w.gpu.empty() && !g.software->gpu_operator)
      findings
          .note("kubernetes-gpu-operator-unsaid", g.span,
                "no program offers the GPUs of '" + g.name + "' to pods: `gpu_operator` is not set")
          .help(w.gpu == "nvidia.com/gpu"
                    ? "set `gpu_operator: { driver: false }` in `software` where the nodes have the driver, or install "
                      "a device plugin"
                    : "install the device plugin of the vendor");
  }
}

// The API knows names in lower case only.
class Twins {
 public:
  Twins(std::string_view what, Findings& findings) : what_(what), findings_(findings) {}
  void add(const std::string& name, SourceSpan at) {
    const auto [first, added] = names_.emplace(to_lower(name), name);
    if (!added && first->second != name)
      findings_
          .error("kubernetes-name-malformed", at,
                 std::string(what_) + " '" + one_line(name) + "' and '" + one_line(first->second) +
                     "' have the same name in Kubernetes, which knows lower case only")
          .help("rename one of them");
  }

 private:
  std::string_view what_;
  Findings& findings_;
  std::map<std::string, std::string> names_;
};

void check_twins(const Cluster& c, const KubernetesFacts& facts, Findings& findings) {
  Twins groups("node groups", findings), storage("storage", findings), networks("networks", findings);
  for (const KubernetesWorkers& w : facts.workers) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(w.group)];
    groups.add(g.name, g.span);
  }
  for (const KubernetesStorage& s : facts.storage) storage.add(s.storage->name, s.storage->span);
  for (const KubernetesRailNetwork& r : facts.rails) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(r.network)];
    networks.add(n.name, n.span);
    for (const KubernetesRail& rail : r.rails)
      if (!is_kubernetes_label_name(rail.name)) {
        findings
            .error("kubernetes-name-malformed", n.span,
                   "'" + one_line(rail.name) + "' cannot name a network of pods in Kubernetes")
            .help("use letters, digits and inner hyphens in the network's name");
        break;
      }
  }
  for (const KubernetesStorage& s : facts.storage)
    if (!is_kubernetes_label_name(to_lower(s.storage->name)))
      findings
          .error("kubernetes-name-malformed", s.storage->span,
                 "'" + one_line(s.storage->name) + "' cannot name a claim of a volume in Kubernetes")
          .help("use letters, digits and inner hyphens");
}

}  // namespace

bool is_kubernetes_label_name(std::string_view name) {
  return name.size() <= 63 && is_node_name(name) && name.find('.') == name.npos;
}

bool is_kubernetes_label_value(std::string_view value) {
  const auto alnum = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); };
  return value.empty() || (value.size() <= 63 && alnum(value.front()) && alnum(value.back()) &&
                           std::all_of(value.begin(), value.end(),
                                       [&](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; }));
}

KubernetesFacts kubernetes_facts(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  KubernetesFacts facts;
  if (!c.spec.software->scheduler) return facts;
  const Scheduler& s = *c.spec.software->scheduler;
  read_release(s, facts, findings);
  Machines machines(in, findings);
  control_plane(in, s, machines, facts, findings);
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].count > 0 && runs_slurmd(c, c.nodes[g]))
      facts.workers.push_back(workers_of(in, static_cast<int>(g), machines));
  pod_and_service_networks(in, s, facts, findings);
  check_names(c, facts, findings);
  facts.kueue = s.queue.value_or("") == "kueue";
  kubernetes_teams(in, facts, findings);
  kubernetes_rails(in, facts, findings);
  kubernetes_storage(in, facts, findings);
  check_twins(c, facts, findings);
  return facts;
}

}  // namespace clusterc
