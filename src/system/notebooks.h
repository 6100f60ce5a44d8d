// The hub for notebooks: on which node it runs, who may use it, and the sizes of the sessions that it starts as jobs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/notebooks.h"
#include "system/system.h"

namespace clusterc {

struct KubernetesFacts;

struct NotebookSize {
  std::string name, partition, gres;
  int group = -1;
  std::int64_t cpus = 1, gpus = 0, memory_mib = 0, minutes = 0;
};
// "8 threads, 1 GPU, 65536 MiB, 480 min on 'gpu'".
std::string words_of(const NotebookSize&);
struct NotebookFacts {
  const Notebooks* spec = nullptr;
  int group = -1;  // of the node that runs the hub
  std::string node, address, name;
  std::vector<NotebookSize> sizes;
  std::vector<std::string> users, groups;  // of the teams; both empty: everybody who can log in
};

// Whether the hub is compiled: the spec names notebooks, and Slurm starts them.
bool makes_notebooks(const Cluster&);
NotebookFacts notebook_facts(const System&, Findings&);

// Under Kubernetes, whose pods have no accounts: the spec names a provider that checks users, and the hub's name.
bool makes_kubernetes_notebooks(const Cluster&);
struct KubernetesNotebooks {
  const Notebooks* spec = nullptr;
  std::vector<NotebookSize> sizes;
  bool everybody = false;  // the spec has no teams
};
KubernetesNotebooks kubernetes_notebooks(const System&, const KubernetesFacts&, Findings&);

}  // namespace clusterc
