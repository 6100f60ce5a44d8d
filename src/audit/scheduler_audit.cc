#include "audit/scheduler_audit.h"

#include <algorithm>

#include "audit/node_view.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

class SchedulerAuditor {
 public:
  SchedulerAuditor(const PlannedScheduler& planned, const SeenScheduler& seen, SourceSpan place, Findings& findings,
                   NodeDifferences& to)
      : planned_(planned), seen_(seen), at_(place), findings_(findings), to_(to) {}

  void run() {
    if (seen_.has_nodes) nodes();
    if (seen_.has_config) config();
    if (seen_.has_topology) topology();
  }

 private:
  void error(std::string message) {
    findings_.error("audit-scheduler-differs", at_, std::move(message))
        .help("write the compiled files to the nodes again, and have the scheduler read them");
  }

  void nodes() {
    std::map<std::string_view, const SeenSchedulerNode*> by_name;
    std::set<std::string_view> twice;
    for (const SeenSchedulerNode& n : seen_.nodes)
      if (!by_name.emplace(n.name, &n).second) twice.insert(n.name);
    std::set<std::string_view> known;
    for (const PlannedSchedulerNode& p : planned_.nodes) {
      known.insert(p.name);
      const auto at = by_name.find(p.name);
      to_.met(p.node);
      if (at == by_name.end())
        to_.differs(p.node, "there", "is", "missing in " + planned_.product, "");
      else if (twice.contains(p.name))
        to_.node_unread(p.node, "the files list it more than once: give one of each");
      else
        compare(p, *at->second);
    }
    std::vector<std::string> strangers;
    for (const auto& [name, node] : by_name)
      if (!known.contains(name)) strangers.emplace_back(name);
    if (!strangers.empty())
      error(format("{} has {} that the plan does not have: '{}'", planned_.product,
                   strangers.size() == 1 ? "a node" : format("{} nodes", strangers.size()),
                   printable(strangers.size() <= 8 ? join(strangers, ", ") : fold(strangers))));
  }

  // Names that others wrote may be none of hosts.
  static std::string fold(const std::vector<std::string>& names) {
    return join(std::vector<std::string>(names.begin(), names.begin() + 8), ", ") + " …";
  }

  void compare(const PlannedSchedulerNode& p, const SeenSchedulerNode& s) {
    const auto number = [&](std::string_view fact, std::string_view what, std::int64_t seen, std::int64_t planned) {
      if (planned <= 0) return;
      if (seen < 0)
        to_.fact_unread(p.node, std::string(what));
      else if (seen != planned)
        to_.differs(p.node, fact, "has", format("{} {} in {}", what, seen, planned_.product), std::to_string(planned));
    };
    const auto spares = planned_.spares.find(p.node.group);
    const bool cordoned = s.cordoned && (spares == planned_.spares.end() || ++cordoned_[p.node.group] > spares->second);
    if ((!s.up || cordoned) && !p.spare)
      to_.differs(p.node, "state", "is",
                  format("{} in {}{}", s.state, planned_.product, s.reason.empty() ? "" : ": " + s.reason), "");
    const bool slurm = planned_.product == "Slurm";
    number("cpus", slurm ? "CPUTot" : "cpu", s.cpus, p.cpus);
    if (!to_.has_difference(p.node, "cpus")) {  // their product
      number("sockets", "Sockets", s.sockets, p.sockets);
      number("cores", "CoresPerSocket", s.cores_per_socket, p.cores_per_socket);
      number("threads", "ThreadsPerCore", s.threads_per_core, p.threads_per_core);
    }
    if (slurm) number("memory", "RealMemory", s.memory_mib, p.memory_mib);
    if (!slurm && p.gpus > 0 && s.gpus != p.gpus)
      to_.differs(p.node, "gpus", "has", format("nvidia.com/gpu {} in Kubernetes", std::max<std::int64_t>(s.gpus, 0)),
                  std::to_string(p.gpus));
    if (slurm) sets(p, s);
    for (const auto& [key, value] : p.labels) {
      const auto at = s.labels.find(key);
      if (at == s.labels.end())
        to_.differs(p.node, "label ", "lacks", format("the label '{}' in Kubernetes", key), quoted(value));
      else if (at->second != value)
        to_.differs(p.node, "label ", "has", format("the label '{}' with '{}' in Kubernetes", key, at->second),
                    quoted(value));
    }
    versions(p, s);
  }

  void sets(const PlannedSchedulerNode& p, const SeenSchedulerNode& s) {
    const auto set = [&](std::string_view fact, std::string_view what, bool said, const std::set<std::string>& seen,
                         const std::set<std::string>& planned) {
      if (!said)
        to_.fact_unread(p.node, std::string(what));
      else if (seen != planned)
        to_.differs(p.node, fact, "has", format("{} {} in Slurm", what, seen.empty() ? "none" : join(seen, ",")),
                    planned.empty() ? "none" : join(planned, ","));
    };
    set("gres", "Gres", s.has_gres, s.gres, p.gres);
    set("features", "Features", s.has_features, s.features, p.features);
  }

  void versions(const PlannedSchedulerNode& p, const SeenSchedulerNode& s) {
    const bool slurm = planned_.product == "Slurm";
    const std::string_view program = slurm ? "slurmd" : "kubelet";
    std::string_view version = s.version;
    if (version.starts_with('v')) version.remove_prefix(1);
    if (version.empty() && s.up)  // a node that is down registered none
      to_.fact_unread(p.node, format("the release of {}", program));
    else if (!version.empty() && !planned_.version.empty() && !is_release(planned_.version, version))
      to_.differs(p.node, "version", "runs", format("{} {}", program, version), planned_.version);
    to_.value(p.node, "version", slurm ? "the release of slurmd" : "the release of the kubelet", s.version);
    for (const auto& [fact, what] : {std::pair{"kernelVersion", "the kernel"},
                                     {"osImage", "the operating system"},
                                     {"containerRuntimeVersion", "the container runtime"}})
      if (const auto at = s.facts.find(std::string_view(fact)); at != s.facts.end())
        to_.value(p.node, fact, what, at->second);
  }

  std::string key(std::string_view name) const {
    const auto at = seen_.config.find(name);
    return at == seen_.config.end() || at->second == "(null)" ? std::string() : at->second;
  }
  void unread(std::string_view what) {
    findings_.warning("audit-scheduler-unread", at_, format("{} was not read, and not compared", what));
  }

  void config() {
    if (planned_.product != "Slurm") return;
    if (const std::string version = key("SLURM_VERSION"); version.empty())
      unread("the release of Slurm");
    else if (!planned_.version.empty() && !is_release(planned_.version, version))
      error(format("slurmctld runs Slurm {}, planned {}", version, planned_.version));
    if (const std::string name = key("ClusterName"); name.empty())
      unread("ClusterName");
    else if (!planned_.cluster.empty() && to_lower(name) != to_lower(planned_.cluster))
      error(format("ClusterName is '{}', planned '{}'", name, planned_.cluster));
    std::vector<std::string> hosts;  // "ctl" or "ctl(10.0.0.1)", by their order
    for (int i = 0; i < 16; ++i)
      if (const std::string host = key(format("SlurmctldHost[{}]", i)); !host.empty())
        hosts.push_back(host.substr(0, host.find('(')));
    if (hosts.empty())
      unread("SlurmctldHost");
    else if (!planned_.controllers.empty() && hosts != planned_.controllers)
      error(format("the controllers of Slurm are {}, planned {}", join(hosts, ", "), join(planned_.controllers, ", ")));
  }

  // The members in one spelling; nothing where they are no host list.
  static std::string same_spelling(std::string_view list) {
    if (list.empty()) return {};
    HostPattern::Error wrong;
    const auto pattern = HostPattern::parse(list, wrong);
    if (!pattern || pattern->count() > (1 << 18)) return std::string(list);
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < pattern->count(); ++i) names.push_back(pattern->name(i));
    return fold_names(names);
  }

  void topology() {
    if (planned_.product != "Slurm") return;
    std::map<std::string, const SeenScheduler::Switch*> seen;
    for (const SeenScheduler::Switch& s : seen_.switches) seen.emplace(s.name, &s);
    std::vector<SeenScheduler::Switch> planned = planned_.switches;
    if (std::ranges::any_of(planned_.switches_by_name, [&](const auto& s) { return seen.contains(s.name); }))
      planned.insert(planned.end(), planned_.switches_by_name.begin(), planned_.switches_by_name.end());
    for (const SeenScheduler::Switch& p : planned) {
      const auto at = seen.find(p.name);
      if (at == seen.end()) {
        error(format("the topology of Slurm lacks '{}'", p.name));
        continue;
      }
      const std::string nodes = same_spelling(at->second->nodes), planned_nodes = same_spelling(p.nodes);
      // Of a switch above others Slurm shows the nodes below all of them.
      if (!p.nodes.empty() && nodes != planned_nodes)
        error(format("'{}' has the nodes {} in the topology of Slurm, planned {}", p.name,
                     nodes.empty() ? "none" : quoted(printable(nodes)), quoted(planned_nodes)));
      if (!p.switches.empty() && same_spelling(at->second->switches) != same_spelling(p.switches))
        error(format("'{}' has the switches {} in the topology of Slurm, planned {}", p.name,
                     quoted(printable(at->second->switches)), quoted(p.switches)));
      seen.erase(at);
    }
    for (const auto& [name, s] : seen)
      error(format("the topology of Slurm has '{}', which the plan does not have", printable(name)));
  }

  const PlannedScheduler& planned_;
  const SeenScheduler& seen_;
  SourceSpan at_;
  std::map<int, std::int64_t> cordoned_;
  Findings& findings_;
  NodeDifferences& to_;
};

}  // namespace

void compare_scheduler(const PlannedScheduler& planned, const SeenScheduler& seen, SourceSpan place, Findings& findings,
                       NodeDifferences& to) {
  SchedulerAuditor(planned, seen, place, findings, to).run();
}

}  // namespace clusterc
