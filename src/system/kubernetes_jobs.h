// What the planner of jobs has to know of Kubernetes: the nodes as pods get them, the namespace of a workload, the
// volumes that its paths are on, and the inference workloads.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fields/fields.h"
#include "model/node_memory.h"
#include "system/jobs.h"
#include "system/kubernetes.h"

namespace clusterc {

// The nodes of a group as a scheduler hands them to jobs.
struct JobNodes {
  int group = -1;
  std::int64_t cpus = 0, sockets = 0, cores_per_socket = 0, threads_per_core = 1;
  std::int64_t gpus = 0;
  std::string gres;  // what a job asks for to have the GPUs of a node
  bool mig = false;
  NodeMemory memory;
  std::int64_t pod_memory_mib = 0;  // Kubernetes
};

// A sixteenth of the processors and of the memory of a node stays free for the pods that run on every node: network,
// device plugins, monitoring.
std::int64_t of_pods(std::int64_t allocatable);
std::vector<JobNodes> kubernetes_nodes(const Cluster&, const KubernetesFacts&);

// Why a workload gets no objects, and what to do.
struct KubernetesLeft {
  std::string why, help;
};
// Its team, image and checkpoints; the rest of the job is planned.
std::optional<KubernetesLeft> place_job(const Cluster&, const KubernetesFacts&, Job&);
// An inference workload on the nodes of one group.
std::optional<KubernetesLeft> plan_service(const Cluster&, const KubernetesFacts&, const Named<Workload>&,
                                           const JobNodes&, std::int64_t nodes, ServedModel&);

// Storage that pods on several nodes mount together, as a team has it: its folder, at the same path as on the nodes.
std::string team_folder(const KubernetesStorage&, std::string_view team);  // "/home/nlp"

// Images, paths and quotas that cannot be as the spec says.
void check_kubernetes_jobs(const System&, const KubernetesFacts&, Findings&);

}  // namespace clusterc
