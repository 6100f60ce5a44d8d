// workloads/NAME.yaml of an inference workload: vLLM as a Deployment where a copy of the model fits on a node, as a
// LeaderWorkerSet where it does not; a Service, what may reach it, how many copies may fail at a time, and how their
// number follows the requests that wait.
//
// Kueue does not queue these pods: it would choose their nodes one by one, and does not spread them. What they use at
// least is taken from the queue of their team instead (queues.cc).
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "compile/kubernetes/workloads.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

constexpr std::int64_t kPort = 8000;  // of vLLM
constexpr std::string_view kGroupIndex = "leaderworkerset.sigs.k8s.io/group-index",
                           kWorkerIndex = "leaderworkerset.sigs.k8s.io/worker-index";
// Requests that wait for each copy when another one starts: "start with 3 to 5" (docs.cloud.google.com, Best practices
// for autoscaling LLM inference workloads with GPUs on GKE, queue size).
constexpr std::int64_t kWaiting = 5;
// The service of the chart prometheus-community/prometheus in the namespace of the monitoring.
constexpr std::string_view kPrometheus = "http://prometheus-server.monitoring.svc";
// A user of no machine, for images that bring none of their own.
constexpr std::int64_t kUser = 1000;
// Until a copy answers: 10 min for the engine (compilation, CUDA graphs), and the weights at 1 GB/s of a slow file
// system.
constexpr double kEngineStart = 600, kSlowStorage = 1e9;

bool groups(const ServedModel& m) { return m.pods > 1; }

std::int64_t start_seconds(const ServedModel& m) {
  const double parameters = m.workload->model->parameters.value_or(0);
  return static_cast<std::int64_t>(std::ceil(kEngineStart + 2 * parameters / kSlowStorage));
}

std::vector<std::string> arguments(const KubernetesOutput& o, const ServedModel& m, bool leader) {
  std::vector<std::string> out = {"vllm", "serve",  command_word(m.weights), "--served-model-name",
                                  m.name, "--port", std::to_string(kPort)};
  const auto pair = [&](std::string_view name, std::string value) {
    out.emplace_back(name);
    out.push_back(std::move(value));
  };
  pair("--tensor-parallel-size", std::to_string(m.tensor));
  pair("--pipeline-parallel-size", std::to_string(m.pipeline));
  if (m.data > 1) pair("--data-parallel-size", std::to_string(m.data));
  pair("--max-model-len", std::to_string(m.sequence));
  pair("--max-num-seqs", std::to_string(m.sequences));
  pair("--max-num-batched-tokens", std::to_string(m.chunk));
  pair("--gpu-memory-utilization", format("{:.2f}", m.filled));
  if (m.kv_precision == "fp8") pair("--kv-cache-dtype", "fp8");
  if (m.experts) out.emplace_back("--enable-expert-parallel");
  if (groups(m)) {
    pair("--distributed-executor-backend", "mp");
    pair("--nnodes", std::to_string(m.pods));
    pair("--node-rank", leader ? "0" : "$(LWS_WORKER_INDEX)");
    pair("--master-addr", "$(LWS_LEADER_ADDRESS)");
    if (!leader) out.emplace_back("--headless");
  }
  for (std::string& word : extra_arguments(o, m.name)) out.push_back(command_word(word));
  return out;
}

void variable(YamlWriter& y, std::string_view name, std::string_view value) {
  y.begin_map().field("name", name).field("value", value).end_map();
}

void environment(const ServedModel& m, YamlWriter& y) {
  y.list("env");
  y.begin_map().field("name", "VLLM_API_KEY").map("valueFrom").map("secretKeyRef");
  y.field("name", m.name + "-api-key").field("key", "key").end_map().end_map().end_map();
  // The root of the container is read-only, and its user has no entry in /etc/passwd.
  variable(y, "HOME", "/cache"), variable(y, "USER", "vllm"), variable(y, "XDG_CACHE_HOME", "/cache");
  variable(y, "VLLM_CACHE_ROOT", "/cache/vllm"), variable(y, "TRITON_CACHE_DIR", "/cache/triton");
  variable(y, "TORCHINDUCTOR_CACHE_DIR", "/cache/inductor");
  // Models are read from the volume alone, and nothing is told to others.
  variable(y, "HF_HUB_OFFLINE", "1"), variable(y, "VLLM_NO_USAGE_STATS", "1"), variable(y, "DO_NOT_TRACK", "1");
  variable(y, "NCCL_SOCKET_IFNAME", "eth0"), variable(y, "GLOO_SOCKET_IFNAME", "eth0");
  y.end_list();
}

void probe(YamlWriter& y, std::string_view name, std::int64_t period, std::int64_t failures) {
  y.map(name).map("httpGet").field("path", "/health").field("port", "http").end_map();
  y.field("periodSeconds", period).field("timeoutSeconds", 5).field("failureThreshold", failures).end_map();
}

void container(const KubernetesOutput& o, const ServedModel& m, const PodShape& s, bool leader, YamlWriter& y) {
  y.list("containers").begin_map().field("name", "vllm").field("image", m.image);
  y.list("command");
  for (const std::string& word : arguments(o, m, leader)) y.value(word);
  y.end_list();
  environment(m, y);
  if (leader) {
    y.list("ports").begin_map().field("name", "http").field("containerPort", kPort).end_map().end_list();
    constexpr std::int64_t kPeriod = 10;
    probe(y, "startupProbe", kPeriod, (start_seconds(m) + kPeriod - 1) / kPeriod);
    probe(y, "readinessProbe", 5, 2), probe(y, "livenessProbe", kPeriod, 6);
    // Others stop to send requests here before it stops to answer.
    y.map("lifecycle").map("preStop").map("sleep").field("seconds", 15).end_map().end_map().end_map();
  }
  y.map("securityContext").field("allowPrivilegeEscalation", false).field("readOnlyRootFilesystem", true);
  y.map("capabilities").key("drop").flow({"ALL"}).end_map().end_map();
  pod_resources(y, s);
  y.list("volumeMounts");
  mount(y, "cache", "/cache"), mount(y, "tmp", "/tmp");
  pod_mounts(y, o, s, false, true);
  y.end_list().end_map().end_list();
}

// Copies on as many nodes, leaves and racks as there are; never at the cost of a copy that does not start.
void spread(const ServedModel& m, const PodShape& s, YamlWriter& y) {
  const auto all_have = [&](std::string_view label) {
    return std::all_of(s.workers->nodes.begin(), s.workers->nodes.end(),
                       [&](const KubernetesMachine& n) { return n.labels.contains(std::string(label)); });
  };
  y.list("topologySpreadConstraints");
  for (const std::string_view label : {std::string_view("kubernetes.io/hostname"), kRackLabel, kLeafLabel}) {
    if (label != "kubernetes.io/hostname" && !all_have(label)) continue;
    y.begin_map().field("maxSkew", 1).field("topologyKey", label).field("whenUnsatisfiable", "ScheduleAnyway");
    y.map("labelSelector").map("matchLabels").field(kWorkloadLabel, m.name);
    if (groups(m)) y.field(kWorkerIndex, "0");
    y.end_map().end_map().end_map();
  }
  y.end_list();
}

// The pods of a copy in one NVLink domain where layers are shared between nodes, else near to each other.
void together(const ServedModel& m, const PodShape& s, YamlWriter& y) {
  const auto& levels = s.workers->levels;
  if (levels.empty()) return;
  const bool must = m.tensor > m.gpus && std::find(levels.begin(), levels.end(), kNvlinkLabel) != levels.end();
  y.map("affinity").map("podAffinity");
  const auto term = [&] {
    y.map("labelSelector").map("matchLabels").field(kWorkloadLabel, m.name).end_map().end_map();
    y.key("matchLabelKeys").flow({kGroupIndex}).field("topologyKey", must ? kNvlinkLabel : levels.back());
  };
  if (must) {
    y.list("requiredDuringSchedulingIgnoredDuringExecution").begin_map();
    term();
    y.end_map().end_list();
  } else {
    y.list("preferredDuringSchedulingIgnoredDuringExecution").begin_map().field("weight", 100).map("podAffinityTerm");
    term();
    y.end_map().end_map().end_list();
  }
  y.end_map().end_map();
}

void pod(const KubernetesOutput& o, const ServedModel& m, const PodShape& s, bool leader, YamlWriter& y) {
  std::vector<PodAnnotation> annotations;
  if (leader) {
    annotations.push_back({"prometheus.io/scrape", "true"});
    annotations.push_back({"prometheus.io/port", std::to_string(kPort)});
  }
  pod_metadata(y, s, annotations);
  y.map("spec").field("priorityClassName", kServingPriority).field("terminationGracePeriodSeconds", 120);
  pod_place(y, o, s);
  if (leader) spread(m, s, y);
  if (groups(m)) together(m, s, y);
  container(o, m, s, leader, y);
  y.list("volumes");
  empty_volume(y, "cache", false), empty_volume(y, "tmp", false);
  pod_volumes(y, o, s, false);
  y.end_list().end_map();
}

YamlWriter& begin(const ServedModel& m, ObjectFile& file, std::string_view version, std::string_view kind) {
  YamlWriter& y = file.document();
  y.field("apiVersion", version).field("kind", kind).map("metadata").field("name", m.name).field("namespace", m.team);
  y.map("labels").field(kWorkloadLabel, m.name).end_map().end_map();
  return y.map("spec");
}

// An autoscaler sets the number of copies; another writer of it would take it back.
void replicas(const ServedModel& m, YamlWriter& y) {
  if (m.least == m.most) y.field("replicas", m.most);
}

// An update takes a copy away before it starts the next one: there may be no GPUs for one more.
void deployment(const KubernetesOutput& o, const ServedModel& m, const PodShape& s, ObjectFile& file) {
  YamlWriter& y = begin(m, file, "apps/v1", "Deployment");
  replicas(m, y);
  y.field("progressDeadlineSeconds", start_seconds(m) + 600);
  y.map("strategy").field("type", "RollingUpdate").map("rollingUpdate");
  y.field("maxSurge", 0).field("maxUnavailable", 1).end_map().end_map();
  y.map("selector").map("matchLabels").field(kWorkloadLabel, m.name).end_map().end_map();
  y.map("template");
  pod(o, m, s, true, y);
  y.end_map().end_map();
}

void leader_worker_set(const KubernetesOutput& o, const ServedModel& m, const PodShape& s, ObjectFile& file) {
  YamlWriter& y = begin(m, file, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
  replicas(m, y);
  y.field("startupPolicy", "LeaderCreated");
  y.map("rolloutStrategy").field("type", "RollingUpdate").map("rollingUpdateConfiguration");
  y.field("maxSurge", 0).field("maxUnavailable", 1).end_map().end_map();
  y.map("leaderWorkerTemplate").field("size", m.pods).field("restartPolicy", "RecreateGroupOnPodRestart");
  y.map("leaderTemplate");
  pod(o, m, s, true, y);
  y.end_map().map("workerTemplate");
  pod(o, m, s, false, y);
  y.end_map().end_map().end_map();
}

void selector(const ServedModel& m, YamlWriter& y) {
  y.field(kWorkloadLabel, m.name);
  if (groups(m)) y.field(kWorkerIndex, "0");
}

void service(const ServedModel& m, ObjectFile& file) {
  YamlWriter& y = begin(m, file, "v1", "Service");
  y.field("type", "ClusterIP").map("selector");
  selector(m, y);
  y.end_map().list("ports").begin_map().field("name", "http").field("port", 80).field("targetPort", "http");
  y.end_map().end_list().end_map();
}

void budget(const ServedModel& m, ObjectFile& file) {
  YamlWriter& y = begin(m, file, "policy/v1", "PodDisruptionBudget");
  y.field("maxUnavailable", 1).map("selector").map("matchLabels");
  selector(m, y);
  y.end_map().end_map().end_map();
}

// KEDA asks Prometheus itself, and makes the HorizontalPodAutoscaler.
void scaled_object(const ServedModel& m, ObjectFile& file) {
  YamlWriter& y = begin(m, file, "keda.sh/v1alpha1", "ScaledObject");
  y.map("scaleTargetRef").field("apiVersion", groups(m) ? "leaderworkerset.x-k8s.io/v1" : "apps/v1");
  y.field("kind", groups(m) ? "LeaderWorkerSet" : "Deployment").field("name", m.name).end_map();
  y.field("minReplicaCount", m.least).field("maxReplicaCount", m.most);
  // Where Prometheus does not answer, copies stay as they are.
  y.map("advanced").map("horizontalPodAutoscalerConfig").map("behavior").map("scaleDown");
  y.field("stabilizationWindowSeconds", 600).end_map().end_map().end_map().end_map();
  y.list("triggers").begin_map().field("type", "prometheus").field("metricType", "AverageValue").map("metadata");
  y.field("serverAddress", kPrometheus);
  y.field("query", "sum(vllm:num_requests_waiting{namespace=\"" + m.team + "\",model_name=\"" + m.name + "\"})");
  y.field("threshold", std::to_string(kWaiting)).end_map().end_map().end_list().end_map();
}

void autoscaler(const KubernetesOutput& o, const ServedModel& m, ObjectFile& file) {
  if (m.least == m.most) return;
  if (uses_keda(o, m)) return scaled_object(m, file);
  YamlWriter& y = begin(m, file, "autoscaling/v2", "HorizontalPodAutoscaler");
  y.map("scaleTargetRef").field("apiVersion", groups(m) ? "leaderworkerset.x-k8s.io/v1" : "apps/v1");
  y.field("kind", groups(m) ? "LeaderWorkerSet" : "Deployment").field("name", m.name).end_map();
  y.field("minReplicas", m.least).field("maxReplicas", m.most);
  y.list("metrics").begin_map().field("type", "Pods").map("pods");
  y.map("metric").field("name", kWaitingMetric).end_map();
  y.map("target").field("type", "AverageValue").field("averageValue", std::to_string(kWaiting)).end_map();
  y.end_map().end_map().end_list();
  // A copy needs minutes to start, so it is not given up for a short pause.
  y.map("behavior").map("scaleDown").field("stabilizationWindowSeconds", 600).end_map().end_map().end_map();
}

// Users of the team, the gateway and the monitoring reach the port; nobody else, and a model reaches nobody.
void policy(const ServedModel& m, ObjectFile& file) {
  YamlWriter& y = file.object("networking.k8s.io/v1", "NetworkPolicy", m.name, m.team);
  const auto own = [&] {
    y.begin_map().map("podSelector").map("matchLabels").field(kWorkloadLabel, m.name).end_map().end_map().end_map();
  };
  y.map("spec").map("podSelector").map("matchLabels").field(kWorkloadLabel, m.name).end_map().end_map();
  y.key("policyTypes").flow({"Ingress", "Egress"});
  y.list("ingress");
  if (groups(m)) {
    y.begin_map().list("from");
    own();
    y.end_list().end_map();
  }
  y.begin_map().list("from").begin_map().map("namespaceSelector").list("matchExpressions").begin_map();
  y.field("key", "kubernetes.io/metadata.name").field("operator", "In");
  y.key("values").flow({m.team, kGatewaySpace, kMonitoringSpace}).end_map().end_list().end_map().end_map().end_list();
  y.list("ports").begin_map().field("protocol", "TCP").field("port", "http").end_map().end_list().end_map().end_list();
  y.list("egress");
  if (groups(m)) {
    y.begin_map().list("to");
    own();
    y.end_list().end_map();
  }
  y.begin_map().list("to").begin_map().map("namespaceSelector").map("matchLabels");
  y.field("kubernetes.io/metadata.name", "kube-system").end_map().end_map().end_map().end_list();
  y.list("ports");
  for (const std::string_view protocol : {"UDP", "TCP"})
    y.begin_map().field("protocol", protocol).field("port", 53).end_map();
  y.end_list().end_map().end_list().end_map();
}

}  // namespace

bool uses_keda(const KubernetesOutput& o, const ServedModel& m) {
  const auto* w = o.in.cluster.spec.workloads.find(m.name);
  return m.least != m.most && w && w->value.launcher && w->value.launcher->autoscaler.value_or("hpa") == "keda";
}

void emit_service(const KubernetesOutput& o, const ServedModel& m) {
  const PodShape s{.workload = m.name,
                   .team = m.team,
                   .workers = &workers_of_group(o, m.group),
                   .gpus = m.gpus,
                   .cpus = m.cpus,
                   .memory_mib = m.memory_mib,
                   .rails = groups(m) ? rails_of(o.facts, m.group) : PodRails(),
                   .user = kUser};
  ObjectFile file(o.in, o.bundle, workload_path(m.name), "kubectl apply --server-side -f workloads/" + m.name + ".yaml",
                  "kubernetes");
  if (groups(m))
    leader_worker_set(o, m, s, file);
  else
    deployment(o, m, s, file);
  service(m, file);
  budget(m, file);
  autoscaler(o, m, file);
  policy(m, file);
}

// values.yaml of the chart prometheus-community/prometheus-adapter: the requests that wait, as a metric of pods.
void emit_metrics(const KubernetesOutput& o) {
  const auto& served = job_facts(o.in.system).served;
  if (std::none_of(served.begin(), served.end(),
                   [&](const ServedModel& m) { return m.least != m.most && !uses_keda(o, m); }))
    return;
  ObjectFile file(o.in, o.bundle, "kubernetes/prometheus-adapter/values.yaml",
                  "helm upgrade --install prometheus-adapter prometheus-community/prometheus-adapter -n monitoring -f "
                  "values.yaml");
  YamlWriter& y = file.document();
  y.map("rules").field("default", false).list("custom").begin_map();
  y.field("seriesQuery", "vllm:num_requests_waiting{namespace!=\"\",pod!=\"\"}");
  y.map("resources").map("overrides");
  y.map("namespace").field("resource", "namespace").end_map().map("pod").field("resource", "pod").end_map();
  y.end_map().end_map().map("name").field("as", kWaitingMetric).end_map();
  y.field("metricsQuery", "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)").end_map().end_list().end_map();
}

}  // namespace clusterc
