// Files of objects for the API server, and the parts that the output kubernetes is made of.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compile/common.h"
#include "system/kubernetes.h"
#include "write/writers.h"

namespace clusterc {

// One file of the bundle with any number of YAML documents. Every text goes through the writer, which quotes it.
class ObjectFile {
 public:
  ObjectFile(const CompileInput&, Bundle&, std::string path, std::string_view says, std::string_view extra_id = {});
  ~ObjectFile();
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;
  // Begins a document; what is written until the next one, or to the end, belongs to it.
  YamlWriter& document();
  // The same with apiVersion, kind and name; `space`: its namespace.
  YamlWriter& object(std::string_view version, std::string_view kind, std::string_view name,
                     std::string_view space = {});
  // Text that stands at the end of the present document, from the first column.
  void append(std::string_view text);

 private:
  void end();
  Bundle& bundle_;
  std::optional<YamlWriter> y_;
  bool open_ = false, first_ = true;
};

std::string mebibytes(std::int64_t);  // "1024Mi"
std::string flavor_name(const Cluster&, const KubernetesWorkers&);

struct KubernetesOutput {
  const CompileInput& in;
  const KubernetesFacts& facts;
  Bundle& bundle;
  Findings& findings;
};

void emit_kubeadm(const KubernetesOutput&);  // kubeadm/, node/
void emit_nodes(const KubernetesOutput&);    // objects/nodes.yaml
void emit_teams(const KubernetesOutput&);    // namespaces, access, limits, priorities
void emit_queues(const KubernetesOutput&);   // Kueue
void emit_storage(const KubernetesOutput&);  // classes and volumes
void emit_operators(
    const KubernetesOutput&);  // values of the GPU operator, policies and networks of the network operator
void emit_first_jobs(const KubernetesOutput&);  // MPIJob of each team
void emit_notebooks(const KubernetesOutput&);   // JupyterHub, if the spec has notebooks
void emit_workloads(const KubernetesOutput&);   // what the spec has the cluster for, and what it needs
void emit_readme(const KubernetesOutput&);

// Of the copies of served models: the only priority for which the scheduler stops other pods. A quota holds each team
// to the copies that the spec has.
inline constexpr std::string_view kServingPriority = "cluster-serving";
inline constexpr std::string_view kClusterExtra = "cluster-configuration.yaml", kKubeletExtra = "kubelet.yaml",
                                  kValuesExtra = "values.yaml", kNotebooksExtra = "jupyterhub.yaml";
// Zero to JupyterHub: 4.4 has JupyterHub 5.5 and KubeSpawner 7.
inline constexpr std::string_view kNotebooksChart = "4.4.0";
// Pods of a node that the shared device plugin gives its adapters to (rdmaHcaMax): they are not scarce.
inline constexpr std::int64_t kPodsOnAdapters = 63;
bool has_gpus(const KubernetesFacts&, std::string_view resource);
bool has_operator(const Cluster&, const KubernetesFacts&);  // the GPU operator, of NVIDIA

}  // namespace clusterc
