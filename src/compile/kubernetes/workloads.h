// Workloads as objects: what training jobs and served models share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compile/kubernetes/objects.h"
#include "system/jobs.h"

namespace clusterc {

inline constexpr std::string_view kWorkloadLabel = "clusterc/workload", kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kWaitingMetric = "vllm_num_requests_waiting";
inline constexpr std::string_view kGatewaySpace = "cluster-gateway", kMonitoringSpace = "monitoring";
inline constexpr std::string_view kJobFolder = "/job";  // where pods have the files of the ConfigMap

// kubernetes/workloads/NAME.yaml
std::string workload_path(std::string_view name);
// "pretrain.args": the file of `extra:` whose lines are arguments of the workload's program.
std::string workload_extra(std::string_view name);
std::vector<std::string> extra_arguments(const KubernetesOutput&, std::string_view name);
// A word of `command`, in which Kubernetes writes values for $(NAME).
std::string command_word(std::string_view);
const KubernetesWorkers& workers_of_group(const KubernetesOutput&, int group);

// The rails of a pod: names of their networks, and the resource that the adapters are.
struct PodRails {
  std::string networks, resource;
};
PodRails rails_of(const KubernetesFacts&, int group);

// What a pod of a workload asks for, and where it may run.
struct PodShape {
  std::string_view workload, team;
  const KubernetesWorkers* workers = nullptr;
  std::int64_t gpus = 0, cpus = 1, memory_mib = 0;
  PodRails rails;
  std::int64_t user = 0;  // where the spec names none; 0: that of the image
};
// metadata: of the pod template; `topology`: Kueue's request for it, empty where there is none.
struct PodAnnotation {
  std::string_view key;
  std::string value;
};
void pod_metadata(YamlWriter&, const PodShape&, const std::vector<PodAnnotation>&);
void pod_place(YamlWriter&, const KubernetesOutput&, const PodShape&);  // nodeSelector, tolerations, no account
void pod_resources(YamlWriter&, const PodShape&);
// Volumes of the team at the paths of the nodes, /dev/shm; `config`: the ConfigMap of the job, empty: none.
void pod_mounts(YamlWriter&, const KubernetesOutput&, const PodShape&, bool config, bool read_only);
void pod_volumes(YamlWriter&, const KubernetesOutput&, const PodShape&, bool config);
// Entries of `volumes` of the kinds emptyDir and, in memory, of /dev/shm.
void empty_volume(YamlWriter&, std::string_view name, bool memory);
void mount(YamlWriter&, std::string_view name, const std::string& path, bool read_only = false);
// Only pods of the workload reach its pods; `more` writes further rules of ingress.
void network_policy(ObjectFile&, std::string_view name, std::string_view team,
                    void (*more)(YamlWriter&, std::string_view));

void emit_job_config(const KubernetesOutput&, const Job&, ObjectFile&);  // ConfigMap: settings.sh, launch.sh, …
void emit_training(const KubernetesOutput&, const Job&);
void emit_service(const KubernetesOutput&, const ServedModel&);
void emit_metrics(const KubernetesOutput&);
bool uses_trainer(const Job&);                // Kubeflow Trainer makes the JobSet
std::string_view replicated_job(const Job&);  // "workers": in the JobSet
std::string service_of(const Job&);           // "pretrain-workers-0-0.pretrain": of rank 0
bool uses_keda(const KubernetesOutput&, const ServedModel&);

}  // namespace clusterc
