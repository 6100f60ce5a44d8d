#include "system/unmade.h"

#include <algorithm>

#include "base/text.h"
#include "model/frameworks.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/containers.h"
#include "system/file_systems.h"
#include "system/jobs.h"
#include "system/node_settings.h"
#include "system/notebooks.h"
#include "system/runtimes.h"
#include "system/storage_targets.h"
#include "system/switches.h"

namespace clusterc {
namespace {

constexpr std::string_view kRule = "system-unmade";

std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

void switches(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    const NetworkModel& net = c.networks[n];
    const std::int64_t count = in.plan.fabrics[n].switch_count();
    // Switches of InfiniBand are set up by the subnet manager.
    if (!net.switch_part || net.shares >= 0 || count == 0 || net.kind == LinkKind::infiniband) continue;
    if (net.spec && net.spec->switch_os) continue;  // configured, or check_switches says why not
    const bool lossless = net.spec && net.spec->roce;
    // Of a network of management ports, and of several switches that do not route, no output could (check_switches).
    const std::string way =
        net.everything ? ""
        : (net.spec && net.spec->asn) || count == in.plan.fabrics[n].planes
            ? "write `switch_os` of the network for switches with SONiC or Cumulus Linux, or "
            : "write `asn` and `switch_os` of the network for switches with SONiC or Cumulus Linux, or ";
    findings
        .note(kRule, net.span,
              "no output configures the " + (count == 1 ? "switch" : counted(count, "switch", "switches")) +
                  " of network '" + net.name + "' (" + one_line(net.switch_model) + ")")
        .help(way + "set up by hand: management addresses, VLANs, MTU and routing" +
              std::string(lossless ? ", and the lossless class of `roce` on every port" : "") +
              "; `clusterc plan --format json` lists the switches, their addresses and their cables");
  }
}

// What the files of configured switches cannot do.
void switch_systems(const System& in, Findings& findings) {
  for (const ConfiguredFabric& of : configured_fabrics(in)) {
    if (!in.makes(switch_output(of.os))) continue;
    const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(of.fabric)];
    findings
        .note(kRule, net.spec->switch_os.span,
              std::string("no output installs ") + (of.os == SwitchOs::cumulus ? "Cumulus Linux" : "SONiC") +
                  " on the switches of network '" + net.name + "', or gives them users, passwords and keys")
        .help("follow " + std::string(switch_output(of.os)) +
              "/README.md of the compiled tree: it has the commands in their order");
  }
}

void nvlink_switches(const System& in, Findings& findings) {
  for (const AssemblyGroupModel& a : in.cluster.assemblies)
    if (a.count > 0 && a.part && std::any_of(a.part->trays.begin(), a.part->trays.end(), [](const auto& t) {
          return t.name.find("switch") != std::string::npos;
        }))
      findings.note(kRule, a.span, "no output configures the NVLink switches of assembly '" + a.name + "'")
          .help("use the tools of its maker for the firmware and operating system of the switch trays");
}

void storage(const System& in, Findings& findings) {
  for (const StorageModel& s : in.cluster.storage) {
    if (!s.spec || !s.spec->kind || !s.spec->servers || s.spec->servers->external) continue;
    if (served_by_nodes(in.cluster, s) || *s.spec->kind == StorageKind::local) continue;
    const bool ha = s.spec->servers->ha.value.has_value();
    const bool has_maker = *s.spec->kind == StorageKind::lustre || *s.spec->kind == StorageKind::beegfs;
    const std::string who = s.part ? counted(s.count, "system", "systems") + " " + one_line(s.model)
                            : s.nodes >= 0
                                ? "nodes of '" + in.cluster.nodes[static_cast<std::size_t>(s.nodes)].name + "'"
                                : std::string();
    if (who.empty()) continue;
    if (has_targets(s) && in.makes(enum_text(*s.spec->kind))) {
      findings
          .note(kRule, s.span,
                "no output installs the server software of storage '" + s.name + "' (" +
                    std::string(enum_text(*s.spec->kind)) + "), or prepares and starts its targets")
          .help("install it, then run the compiled scripts in the order of docs/storage.md");
      continue;
    }
    findings
        .note(kRule, s.span,
              "no output sets up the servers of storage '" + s.name + "' (" + std::string(enum_text(*s.spec->kind)) +
                  ", " + who + ")" + (ha ? ", or their `ha`" : ""))
        .help(s.part
                  ? "use the tools of its maker; `clusterc plan` has its ports and addresses"
                  : "install and set up the server software of " + std::string(enum_text(*s.spec->kind)) +
                        " on these nodes by hand" +
                        (has_maker ? "; or write the `targets` of the storage: files for its servers are compiled then"
                                   : ""));
  }
}

void kubernetes(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!runs_kubernetes(c)) return;
  const Scheduler& s = *c.spec.software->scheduler;
  if (s.queue && *s.queue != "kueue")
    findings.note(kRule, s.queue.span, "no output configures the queueing system '" + *s.queue + "'")
        .help("use `queue: kueue`, or make the queues of the teams by hand");
  if (in.makes("kubernetes"))
    findings
        .note(kRule, s.span,
              "no output installs the other programs that Kubernetes needs: kubeadm, a container runtime where "
              "`containers` names none, a pod network, " +
                  std::string(s.queue.value_or("") == "kueue" ? "Kueue, " : "") + "operators")
        .help("follow kubernetes/README.md of the compiled tree: it has the commands in their order");
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && g.has_role(Role::etcd) && !g.has_role(Role::control_plane))
      findings
          .note(kRule, g.span,
                "no output sets up etcd on '" + g.name + "': the compiled control plane runs its own etcd on its nodes")
          .help("give the role etcd to the nodes of the control plane");
}

void notebooks(const System& in, Findings& findings) {
  const auto& notebooks = in.cluster.spec.software->notebooks;
  if (!notebooks) return;
  if (in.makes("jupyterhub"))
    findings.note(kRule, notebooks->span, "no output installs JupyterHub, its proxy and JupyterLab")
        .help("follow jupyterhub/README.md of the compiled tree: it has the commands in their order");
  else if (!runs_kubernetes(in.cluster))
    findings.note(kRule, notebooks->span, "no output sets up notebooks: only Slurm and Kubernetes start their sessions")
        .help("write `scheduler: slurm`, or remove 'notebooks'");
  else if (!makes_kubernetes_notebooks(in.cluster))
    findings
        .note(kRule, notebooks->span,
              "no output sets up notebooks: under Kubernetes they need the hub's name and a provider of OpenID "
              "Connect, because pods have no accounts")
        .help("write `name` and `users: oidc` with `oidc`");
}

void cloud(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    for (const NetworkModel& n : c.networks)
      if (n.kind == LinkKind::efa && c.nodes[g].count > 0 &&
          std::any_of(n.ends.begin(), n.ends.end(),
                      [&](const EndPoints& e) { return e.group == static_cast<int>(g); })) {
        if (!in.makes("parallelcluster"))
          findings
              .note(kRule, n.span,
                    "no output installs the EFA driver, libfabric and the NCCL plugin (aws-ofi-nccl) on '" +
                        c.nodes[g].name + "', or sets their security group and placement group")
              .help(
                  "follow docs/cloud.md: the EFA installer, a security group that admits itself, and a cluster "
                  "placement group");
        return;
      }
}

template <class List, class Made>
void name_kinds(const List& list, const Made& made, std::vector<std::string>& names, SourceSpan& at) {
  for (const NamedVersion& v : list) {
    if (!v.kind || made(v)) continue;
    const std::string name = "'" + one_line(*v.kind) + "'";
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.empty()) at = v.kind.span;
    names.push_back(name);
  }
}

// Container runtimes and MPI that the plays do not install.
void uninstalled(const System& in, Findings& findings) {
  std::vector<SourceSpan> told;
  const auto first = [&](SourceSpan at) {
    if (std::find(told.begin(), told.end(), at) != told.end()) return false;
    return told.push_back(at), true;
  };
  const std::vector<NodeSettings>& all = node_settings(in);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const NodeGroupModel& g = in.cluster.nodes[i];
    if (g.count == 0) continue;
    const bool plays = in.makes("ansible");
    for (const NamedVersion& v : g.software->containers) {
      const std::vector<std::string>& none = all[i].packages.uninstalled;  // of Pyxis check_pyxis tells
      if (!v.kind || to_lower(*v.kind) == "pyxis" ||
          (plays && std::find(none.begin(), none.end(), *v.kind) == none.end()) || !first(v.kind.span))
        continue;
      findings
          .note(kRule, v.kind.span,
                "no output installs '" + one_line(*v.kind) + (v.version ? " " + one_line(v.version->text()) : "") +
                    "' on '" + g.name + "'")
          .help("install it on the nodes: its files are compiled");
    }
    const auto& mpi = g.software->mpi;
    if (!mpi || !mpi->kind || (plays && !all[i].packages.mpi.empty()) || !starts_programs(in.cluster, g) ||
        !first(mpi->kind.span))
      continue;
    findings
        .note(kRule, mpi->kind.span,
              "no output installs the MPI library '" + *mpi->kind +
                  (mpi->version ? " " + one_line(mpi->version->text()) : "") + "' on '" + g.name + "'")
        .help(*mpi->kind == "openmpi" && plays && g.software->os
                  ? "write its full release, such as `mpi: openmpi 5.0.8`, and the plays build it"
                  : "install it on the nodes, or use container images that have it");
  }
}

void software(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  std::vector<std::string> names;
  SourceSpan at;
  // The output frameworks has lists for pip of those that it knows.
  const auto made = [&](const NamedVersion& v) {
    return in.makes("frameworks") &&
           std::any_of(c.nodes.begin(), c.nodes.end(), [&](const NodeGroupModel& g) { return wheel_of(g, v); });
  };
  name_kinds(c.spec.software->frameworks, made, names, at);
  for (const NodeGroupModel& g : c.nodes) name_kinds(g.software->frameworks, made, names, at);
  if (!names.empty())
    findings.note(kRule, at, "no output installs the frameworks " + join(names, ", "))
        .help("use container images that have them, or put them into the image of the nodes");
  uninstalled(in, findings);
  // One finding for each reason.
  const std::vector<JobLeft>& left = job_facts(in).left;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::any_of(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const JobLeft& l) { return l.why == left[i].why; }))
      continue;
    std::vector<std::string> jobs;
    for (const JobLeft& l : left)
      if (l.why == left[i].why) jobs.push_back("'" + one_line(l.name) + "'");
    findings
        .note(kRule, left[i].span,
              "no output starts the " + std::string(jobs.size() == 1 ? "workload " : "workloads ") + join(jobs, ", ") +
                  ": " + left[i].why)
        .help(left[i].help);
  }
}

}  // namespace

void check_unmade_systems(const System& in, Findings& findings) {
  switches(in, findings);
  if (!in.makes("sonic") && !in.makes("cumulus")) check_switches(in, findings);  // else that output says it
  switch_systems(in, findings);
  nvlink_switches(in, findings);
  storage(in, findings);
  kubernetes(in, findings);
  notebooks(in, findings);
  cloud(in, findings);
  software(in, findings);
}

}  // namespace clusterc
