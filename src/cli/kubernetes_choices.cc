#include "cli/kubernetes_choices.h"

#include <unistd.h>

#include <algorithm>

#include "base/digest.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/bundle.h"
#include "cli/validate_choices.h"
#include "spec/storage.h"
#include "system/containers.h"
#include "system/kubernetes.h"
#include "system/kubernetes_jobs.h"

namespace clusterc::cli {
namespace {

std::string text_of(const po::variables_map& given, const char* option) {
  return given.count(option) ? given[option].as<std::string>() : std::string();
}

std::string api_name(const po::variables_map& given, const char* option) {
  const std::string name = text_of(given, option);
  if (given.count(option) && !is_kubernetes_label_name(name))
    throw UsageError{
        format("--{} must be lower-case letters, digits and inner hyphens, at most 63, not '{}'", option, name)};
  return name;
}

// The rails of a pod, as the compiled jobs have them: of the first network that the group is on.
void add_rails(const KubernetesFacts& facts, std::size_t workers, KubernetesNode& node) {
  for (const KubernetesRailNetwork& network : facts.rails) {
    if (std::find(network.workers.begin(), network.workers.end(), static_cast<int>(workers)) == network.workers.end() ||
        !network.rails.front().pool)
      continue;
    for (const KubernetesRail& rail : network.rails)
      node.networks += (node.networks.empty() ? "default/" : ",default/") + rail.name;
    node.adapters = network.resource;
    return;
  }
}

std::vector<KubernetesNode> nodes_of(const Run& run) {
  const Cluster& cluster = *run.cluster;
  Findings said;  // the output kubernetes reports them
  const KubernetesFacts facts = kubernetes_facts(*run.system, said);
  const std::vector<JobNodes> shapes = kubernetes_nodes(cluster, facts);
  std::vector<KubernetesNode> out;
  for (std::size_t w = 0; w < facts.workers.size(); ++w) {
    const KubernetesWorkers& workers = facts.workers[w];
    KubernetesNode node{.gpu = workers.gpu, .cpus = shapes[w].cpus, .memory_mib = shapes[w].pod_memory_mib};
    add_rails(facts, w, node);
    for (const StorageModel& storage : cluster.storage)
      if (storage.spec && storage.spec->mount) node.mounts.push_back(*storage.spec->mount);
    const NodeGroupModel& group = cluster.nodes[static_cast<std::size_t>(workers.group)];
    for (const KubernetesMachine& machine : workers.nodes) {
      node.name = group.names.name(machine.member);
      node.object = machine.name;
      out.push_back(node);
    }
  }
  return out;
}

}  // namespace

std::string image_folder(const po::variables_map& given) { return plain_folder(given, "bundle-in-image"); }

KubernetesOptions kubernetes_options(const po::variables_map& given, const Run& run, const std::string& journal,
                                     const std::atomic<bool>* interrupted) {
  if (!runs_kubernetes(*run.cluster))
    throw UsageError{"--launcher kubernetes is for specs with `scheduler: { kind: kubernetes, … }`"};
  KubernetesOptions out{.context = text_of(given, "kube-context"),
                        .space = api_name(given, "namespace"),
                        .account = api_name(given, "service-account"),
                        .image = text_of(given, "pod-image"),
                        .nodes = nodes_of(run),
                        .interrupted = interrupted};
  if (out.image.empty() || out.image.front() == '-' || out.image.find_first_of(" \t\n") != std::string::npos)
    throw UsageError{"--launcher kubernetes needs --pod-image NAME: the image that the pods of the tests start from"};
  const std::string copied = copy_folder(given);
  if (!copied.empty() && given.count("bundle-in-image"))
    throw UsageError{"--copy-bundle writes to the nodes, and --bundle-in-image takes nothing from them: name one"};
  if (!given.count("bundle-in-image"))
    out.bundle = copied.empty() ? find_bundle(given["bundle"].as<std::string>()) : copied;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  // A journal is on one machine, and taken by one run at a time.
  out.run = sha256_hex(format("{}\n{}\n{}", run.spec_digest, journal, host)).substr(0, 16);
  return out;
}

}  // namespace clusterc::cli
