// README.md: the order in which the tree becomes a cluster.
#include <algorithm>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"
#include "spec/software.h"
#include "spec/workload.h"
#include "system/interfaces.h"
#include "system/notebooks.h"

namespace clusterc {
namespace {

// A text of the spec between `…`: one line, and no ` in it.
std::string code(std::string_view text) {
  std::string out = one_line(text);
  std::replace(out.begin(), out.end(), '`', '\'');
  return "`" + out + "`";
}

class Steps {
 public:
  explicit Steps(std::string& out) : out_(out) {}
  void step(std::string_view text) { (out_ += std::to_string(++number_) + ". ").append(text) += '\n'; }
  void commands(std::initializer_list<std::string> lines) {
    out_ += "\n   ```sh\n";
    for (const std::string& line : lines) out_ += "   " + line + "\n";
    out_ += "   ```\n\n";
  }

 private:
  std::string& out_;
  int number_ = 0;
};

void machines(const KubernetesOutput& o, Steps& s) {
  const KubernetesFacts& f = o.facts;
  if (f.control_plane.empty()) {
    s.step(
        "The control plane is the provider's. Join the nodes as it says, with `clusterc/group=GROUP` as their names.");
    return;
  }
  const std::string& first = f.control_plane.front().name;
  s.step("On every node of Kubernetes: install containerd (or CRI-O), kubeadm, kubelet and kubectl" +
         (f.release.empty() ? std::string() : " " + f.release) +
         ". The plays of `ansible/` install container runtime, drivers and the rest of the spec. Then, as root:");
  s.commands({"node/prepare.sh"});
  s.step("On every node: the patch of its group. Groups: see `kubeadm/patches/`.");
  s.commands({"install -D -m 644 kubeadm/patches/GROUP/kubeletconfiguration+merge.yaml -t /etc/kubernetes/patches/"});
  if (f.control_plane.size() > 1)
    s.step("The endpoint " + code(f.endpoint_host + ":" + std::to_string(f.endpoint_port)) +
           " leads to TCP port 6443 of the nodes of the control plane. It must lead to " + code(first) +
           " before the next step.");
  s.step("On " + code(first) + ", as root:");
  s.commands({"kubeadm init --config kubeadm/init.yaml", "kubeadm/discovery.sh discovery.conf",
              "export KUBECONFIG=/etc/kubernetes/admin.conf"});
  s.step("Install a pod network that gives nodes the addresses of their `podCIDR`, of " + code(f.pods.text()) +
         ". Nodes become `Ready` with it.");
  if (f.control_plane.size() > 1) {
    s.step(
        "On the other nodes of the control plane: copy `ca`, `sa` and `front-proxy-ca` (.crt, .key; sa.pub) of "
        "/etc/kubernetes/pki, and `etcd/ca`, from " +
        code(first) + " over ssh, and `discovery.conf` to /etc/kubernetes/ (mode 0600). Then:");
    s.commands(
        {"kubeadm join --config NODE.yaml      # kubeadm/GROUP-N/NODE.yaml", "rm /etc/kubernetes/discovery.conf"});
  }
  s.step("On the other nodes: `discovery.conf` to /etc/kubernetes/ (mode 0600). Then:");
  s.commands({"kubeadm join --config NODE.yaml      # kubeadm/GROUP-N/NODE.yaml", "rm /etc/kubernetes/discovery.conf"});
}

void objects(const KubernetesOutput& o, Steps& s) {
  const KubernetesFacts& f = o.facts;
  const std::string apply = "kubectl apply --server-side -f objects/";
  if (!f.storage.empty()) {
    s.step(
        "On each file system of `objects/storage.yaml`: create a folder for each team, before the volumes. A volume "
        "has "
        "only the folder of its team, because pods choose the user that they run as. If the pod network enforces "
        "network policies, also forbid pods to reach the file servers: the nodes mount for them.");
    s.commands({"install -d -m 2770 -g GROUP PATH/TEAM     # PATH/TEAM as in storage.yaml, GROUP of the team's users"});
  }
  s.step("Labels, teams" + std::string(f.storage.empty() ? "" : ", volumes") +
         ". Each command can be run again, and after each change of the spec:");
  // A Node that is made before its kubelet registers never gets the kubelet's taints.
  const std::string nodes = "kubectl get -f objects/nodes.yaml > /dev/null && " + apply + "nodes.yaml";
  const std::string teams = apply + "namespaces.yaml -f objects/priorities.yaml -f objects/policies.yaml";
  if (f.storage.empty())
    s.commands({nodes, teams, apply + "access.yaml", apply + "limits.yaml"});
  else
    s.commands({nodes, teams, apply + "access.yaml", apply + "limits.yaml", apply + "storage.yaml"});
  if (!f.control_plane.empty() &&
      std::all_of(f.workers.begin(), f.workers.end(), [](const KubernetesWorkers& w) { return !w.gpu.empty(); }))
    s.step(
        "Every node has a taint, and the programs of the next steps tolerate none. Give them a group of workers "
        "without GPUs in the spec, write tolerations into the values of their charts, or let the nodes of the control "
        "plane run them, where the pods of teams then run, too: `kubectl taint nodes -l "
        "node-role.kubernetes.io/control-plane node-role.kubernetes.io/control-plane:NoSchedule-`.");
  if (has_operator(o.in.cluster, f)) {
    s.step("The GPU operator:");
    s.commands({"helm repo add nvidia https://helm.ngc.nvidia.com/nvidia",
                "helm upgrade --install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace -f "
                "gpu-operator/values.yaml"});
  }
  if (!f.rails.empty()) {
    s.step("The network operator 26.4, and the rails as networks of pods:");
    s.commands(
        {"helm upgrade --install network-operator nvidia/network-operator -n nvidia-network-operator "
         "--create-namespace --version 26.4.1",
         apply + "networks.yaml"});
  }
  if (f.kueue) {
    s.step(
        "Kueue 0.15 or newer, with `kubeflow.org/mpijob` and `pod` among the `frameworks` of its configuration (the "
        "standard). "
        "A job names its team's queue in the label `kueue.x-k8s.io/queue-name`, and tolerates the taint of the nodes "
        "that have GPUs. Pods without that label are not queued, and only the quota of their team holds them; with "
        "`manageJobsWithoutQueueName: true` in Kueue's configuration jobs without it wait.");
    s.commands(
        {"helm upgrade --install kueue oci://registry.k8s.io/kueue/charts/kueue -n kueue-system "
         "--create-namespace",
         apply + "queues.yaml"});
  }
  s.step("MPI Operator 0.6 or newer, then the first job of a team:");
  s.commands({"kubectl create -f jobs/TEAM.yaml"});
}

bool any_of_kind(const JobFacts& jobs, std::initializer_list<JobLauncher> kinds) {
  return std::any_of(jobs.jobs.begin(), jobs.jobs.end(),
                     [&](const Job& j) { return std::find(kinds.begin(), kinds.end(), j.launcher) != kinds.end(); });
}

void workloads(const KubernetesOutput& o, Steps& s) {
  const JobFacts& jobs = job_facts(o.in.system);
  using enum JobLauncher;
  const bool trainer = std::any_of(jobs.jobs.begin(), jobs.jobs.end(), uses_trainer);
  const bool job_sets = std::any_of(jobs.jobs.begin(), jobs.jobs.end(), [](const Job& j) {
    return !uses_trainer(j) &&
           (j.launcher == torchrun || j.launcher == deepspeed || j.launcher == megatron || j.launcher == jax);
  });
  if (job_sets) {
    s.step("JobSet:");
    s.commands(
        {"helm upgrade --install jobset oci://registry.k8s.io/jobset/charts/jobset -n jobset-system "
         "--create-namespace"});
  }
  if (trainer) {
    s.step(std::string("Kubeflow Trainer 2") +
           (job_sets ? ", without a JobSet of its own:" : ", which brings JobSet:"));
    s.commands(
        {"helm upgrade --install kubeflow-trainer oci://ghcr.io/kubeflow/charts/kubeflow-trainer -n "
         "kubeflow-system --create-namespace" +
         std::string(job_sets ? " --set jobset.install=false" : "")});
  }
  if (any_of_kind(jobs, {ray})) {
    s.step("The operator of Ray, in the namespace from which the network policies let it reach Ray's heads:");
    s.commands({"helm repo add kuberay https://ray-project.github.io/kuberay-helm/",
                "helm upgrade --install kuberay-operator kuberay/kuberay-operator -n kuberay-operator "
                "--create-namespace"});
  }
  const auto& served = jobs.served;
  if (std::any_of(served.begin(), served.end(), [](const ServedModel& m) { return m.pods > 1; })) {
    s.step("LeaderWorkerSet:");
    s.commands({"helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws -n lws-system --create-namespace"});
  }
  const auto keda = [&](const ServedModel& m) { return uses_keda(o, m); };
  if (std::any_of(served.begin(), served.end(), keda)) {
    s.step(
        "KEDA, and a Prometheus (chart prometheus-community/prometheus) in the namespace `monitoring` that scrapes "
        "pods with the annotation `prometheus.io/scrape`. The number of copies follows the requests that wait.");
    s.commands({"helm repo add kedacore https://kedacore.github.io/charts",
                "helm upgrade --install keda kedacore/keda -n keda --create-namespace"});
  }
  if (std::any_of(served.begin(), served.end(), [&](const ServedModel& m) { return m.least != m.most && !keda(m); })) {
    s.step(
        "A Prometheus in the namespace `monitoring` that scrapes pods with the annotation `prometheus.io/scrape`, and "
        "its adapter. The number of copies follows the requests that wait.");
    s.commands(
        {"helm upgrade --install prometheus-adapter prometheus-community/prometheus-adapter -n monitoring "
         "--create-namespace -f prometheus-adapter/values.yaml"});
  }
  if (!served.empty()) {
    s.step("For each served model, the key that its users send. FILE holds the key alone:");
    for (const ServedModel& m : served)
      s.commands({"kubectl create secret generic " + m.name + "-api-key -n " + m.team + " --from-file=key=FILE"});
  }
  if (!jobs.jobs.empty() || !served.empty()) {
    s.step("The workloads. A job that ended is started again by `kubectl delete` and `kubectl apply`:");
    s.commands({"kubectl apply --server-side -f workloads/NAME.yaml"});
  }
}

void notebooks(const KubernetesOutput& o, Steps& s) {
  if (!makes_kubernetes_notebooks(o.in.cluster)) return;
  const Notebooks& n = *o.in.cluster.spec.software->notebooks;
  std::string folder;
  for (const KubernetesStorage& k : o.facts.storage)
    if (folder.empty() && k.many) folder = k.path + (k.path.ends_with('/') ? "" : "/") + ".notebooks";
  s.step("Notebooks. Register the hub at the provider of OpenID Connect with the address " +
         code("https://" + *n.name + "/hub/oauth_callback") + ". FILE holds the secret of the client alone." +
         (folder.empty() ? std::string()
                         : " Create the folder of the hub on its file system: `install -d -m 700 -o 1000 " +
                               one_line(folder) + "`."));
  const std::string space = " -n cluster-notebooks";
  s.commands({"kubectl apply --server-side -f objects/notebooks.yaml",
              "kubectl create secret tls notebooks-tls" + space + " --cert=" + one_line(n.certificate.value_or("")) +
                  " --key=" + one_line(n.key && n.key->file ? *n.key->file : std::string("KEY")),
              "kubectl create secret generic notebooks-oidc" + space + " --from-file=client_secret=FILE",
              "helm repo add jupyterhub https://hub.jupyter.org/helm-chart/",
              "helm upgrade --install jupyterhub jupyterhub/jupyterhub --version " + std::string(kNotebooksChart) +
                  space + " -f jupyterhub/values.yaml"});
  s.step("The name " + code(*n.name) +
         " leads to the service `proxy-public`, which needs a load balancer (port 443). Docs: notebooks.md.");
}

std::string_view object_of(const Job& j) {
  const JobLauncher l = j.launcher;
  return uses_trainer(j)                                      ? "TrainJob"
         : l == JobLauncher::ray                              ? "RayJob"
         : l == JobLauncher::mpi || l == JobLauncher::horovod ? "MPIJob"
                                                              : "JobSet";
}

void workload_table(const KubernetesOutput& o, std::string& out) {
  const JobFacts& jobs = job_facts(o.in.system);
  if (!jobs.jobs.empty()) {
    out +=
        "\n## Jobs\n\nPods have the folder of their team at the path that it has on the nodes. The program gets the "
        "plan's "
        "figures as variables (`PLAN_…`), loads the newest complete checkpoint of the folder `CHECKPOINTS` when it "
        "starts, and saves under another name first and renames.\n\n| workload | object | team | pods x processes | "
        "checkpoints | failures that it survives |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const Job& j : jobs.jobs)
      out += "| " + code(j.name) + " (" + std::string(launcher_word(j.launcher)) + ") | " + std::string(object_of(j)) +
             " | " + j.account + " | " + std::to_string(j.nodes) + " x " + std::to_string(j.processes) + " | " +
             (j.saves ? code(j.checkpoints + "/checkpoints/" + j.name) : "none") + " | " + std::to_string(j.restarts) +
             " |\n";
    if (any_of_kind(jobs, {JobLauncher::torchrun, JobLauncher::deepspeed, JobLauncher::megatron, JobLauncher::jax}))
      out +=
          "\n- **JobSet.** A drained or lost node starts all pods again, and is not counted. Any other failure counts. "
          "Before a pod ends (preemption, drain, time limit), every process that trains gets SIGUSR1 (Megatron-LM: "
          "SIGTERM) and has time to save.\n- **A node that is gone** keeps its pods until Kubernetes is told so: "
          "`kubectl taint nodes NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`.\n";
    if (any_of_kind(jobs, {JobLauncher::jax}))
      out +=
          "- **JAX.** The script calls `jax.distributed.initialize()` with the variables `JAX_COORDINATOR_ADDRESS`, "
          "`JAX_NUM_PROCESSES`, `JAX_PROCESS_ID` and, for `local_device_ids`, `JAX_LOCAL_DEVICE_IDS`.\n";
    if (any_of_kind(jobs, {JobLauncher::mpi, JobLauncher::horovod, JobLauncher::ray}))
      out +=
          "- **MPIJob, RayJob.** Their processes get no signal: what they did since the last checkpoint is lost. The "
          "image of an MPIJob has sshd and mpirun. The time limit is that of the whole job.\n";
  }
  if (!jobs.served.empty()) {
    out +=
        "\n## Served models\n\n| workload | object | team | GPUs of a copy | copies | address in the cluster |\n| --- "
        "| --- "
        "| --- | --- | --- | --- |\n";
    for (const ServedModel& m : jobs.served)
      out += "| " + code(m.name) + " | " + (m.pods > 1 ? "LeaderWorkerSet" : "Deployment") + " | " + m.team + " | " +
             std::to_string(m.pods) + " x " + std::to_string(m.gpus) + " | " + std::to_string(m.least) +
             (m.least == m.most ? "" : " to " + std::to_string(m.most)) + " | " +
             code("http://" + m.name + "." + m.team + ".svc") + " |\n";
    out +=
        "\nKueue does not queue these pods. What their fewest copies use is taken from the queue of the team; further "
        "copies preempt jobs of lower priority. Pods of other namespaces than those of the team, `" +
        std::string(kGatewaySpace) + "` and `" + std::string(kMonitoringSpace) +
        "` cannot reach them, if the pod network enforces network policies. The rails have no such policies.\n";
  }
}

void facts_table(const KubernetesOutput& o, std::string& out) {
  const KubernetesFacts& f = o.facts;
  out += "\n## Fixed values\n\n| what | value |\n| --- | --- |\n";
  const auto row = [&](std::string_view what, std::string_view value) {
    ((out += "| ").append(what) += " | ").append(value) += " |\n";
  };
  if (!f.release.empty()) row("release", code(f.release));
  if (!f.control_plane.empty()) row("endpoint", code(f.endpoint_host + ":" + std::to_string(f.endpoint_port)));
  row("network of pods, of services", code(f.pods.text()) + ", " + code(f.services.text()));
  for (const KubernetesWorkers& w : f.workers) {
    std::string text = std::to_string(w.nodes.size()) + " nodes";
    if (w.cpus > 0) text += ", " + std::to_string(w.cpus - w.reserved_cpus) + " of " + std::to_string(w.cpus) + " CPUs";
    if (!w.gpu.empty()) text += ", " + std::to_string(w.gpus) + " x " + w.gpu;
    row("group " + code(o.in.cluster.nodes[static_cast<std::size_t>(w.group)].name), text + " each");
  }
  for (const KubernetesRailNetwork& r : f.rails)
    row("network " + code(o.in.cluster.networks[static_cast<std::size_t>(r.network)].name),
        std::to_string(r.rails.size()) + " rails, resource " + code(r.resource) +
            (r.rails.front().pool ? "" : ", no addresses for pods"));
}

}  // namespace

void emit_readme(const KubernetesOutput& o) {
  o.bundle.open("kubernetes/README.md", "kubernetes");
  std::string& out = o.bundle.text();
  // Nothing in a reason of the spec ends the comment.
  out += "<!--\n" + replace_all(made_by(o.in, "kubernetes", ""), "--", "- -") + "-->\n\n# Kubernetes on " +
         code(*o.in.cluster.spec.name) + "\n\n";
  out +=
      "The order of use. Commands are run in this folder; what begins with `kubectl` and `helm`, with the rights of an "
      "administrator of the cluster. No file here holds a secret.\n\n";
  Steps s(out);
  machines(o, s);
  objects(o, s);
  workloads(o, s);
  notebooks(o, s);
  workload_table(o, out);
  facts_table(o, out);
  o.bundle.close();
}

}  // namespace clusterc
