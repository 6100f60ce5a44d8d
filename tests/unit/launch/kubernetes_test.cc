// The Kubernetes launcher: its objects, what it reads of pods and logs, and a made-up kubectl. Before the real API:
// tests/consumers/validate-kubernetes.sh.
#include "launch/kubernetes.h"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launch/kubernetes_log.h"
#include "launch/kubernetes_pods.h"

namespace clusterc {
namespace {

using std::chrono::seconds;

KubernetesOptions two_nodes() {
  KubernetesNode gpu{.name = "G1",
                     .object = "g1",
                     .gpu = "nvidia.com/gpu",
                     .networks = "default/rails-compute1",
                     .adapters = "rdma/rails",
                     .cpus = 104,
                     .memory_mib = 1000,
                     .mounts = {"/home", "/scratch"}};
  KubernetesNode cpu{.name = "c1", .object = "c1"};
  return {
      .context = "x", .space = "acceptance", .image = "r/i:1", .bundle = "/opt/v", .run = "r1", .nodes = {gpu, cpu}};
}

simdjson::dom::element parsed(simdjson::dom::parser& parser, const std::string& json) {
  simdjson::dom::element out;
  EXPECT_EQ(parser.parse(json).get(out), simdjson::SUCCESS) << json;
  return out;
}
std::string at(simdjson::dom::element e, std::string_view pointer) {
  simdjson::dom::element found;
  return e.at_pointer(pointer).get(found) == simdjson::SUCCESS ? simdjson::minify(found) : std::string("absent");
}

TEST(KubernetesObjects, AJobForEachNodeAsksForItsDevicesAndNothingElse) {
  const KubernetesOptions options = two_nodes();
  const Launch launch{.argv = {"/opt/v/clusterc-x", "$(HOME)", "a \"b\"\n$$", "--path", "/home/t"},
                      .nodes = {"G1", "c1"},
                      .gpus_per_node = 8,
                      .timeout = seconds(60)};
  const std::string json = kubernetes_objects(launch, options, {&options.nodes[0], &options.nodes[1]});
  EXPECT_EQ(json, kubernetes_objects(launch, options, {&options.nodes[0], &options.nodes[1]}));
  simdjson::dom::parser parser;
  const auto list = parsed(parser, json);
  EXPECT_EQ(at(list, "/items/0/metadata/name"), "\"clusterc-" + launch_id(launch, options) + "-0\"");
  EXPECT_EQ(at(list, "/items/0/metadata/labels/clusterc~1run"), "\"r1\"");
  EXPECT_EQ(at(list, "/items/0/spec/activeDeadlineSeconds"), "960");  // 60 s and a quarter of an hour
  const std::string pod = "/items/0/spec/template/spec";
  EXPECT_EQ(at(list, pod + "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"),
            R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["g1"]}]}])");
  EXPECT_EQ(at(list, pod + "/tolerations"), R"([{"key":"nvidia.com/gpu","operator":"Exists"}])");
  EXPECT_EQ(at(list, pod + "/containers/0/resources"),
            R"({"requests":{"cpu":"104","memory":"1000Mi","nvidia.com/gpu":"8","rdma/rails":"1"},)"
            R"("limits":{"nvidia.com/gpu":"8","rdma/rails":"1"}})");
  EXPECT_EQ(at(list, pod + "/containers/0/securityContext"),
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"],"add":["IPC_LOCK"]}})");
  EXPECT_EQ(at(list, "/items/0/spec/template/metadata/annotations"),
            R"({"k8s.v1.cni.cncf.io/networks":"default/rails-compute1"})");
  EXPECT_EQ(at(list, pod + "/automountServiceAccountToken"), "false");
  // Of the file systems the one that an argument names; the bundle cannot be written.
  EXPECT_EQ(at(list, pod + "/containers/0/volumeMounts/2"),
            R"({"name":"bundle","mountPath":"/opt/v","readOnly":true})");
  EXPECT_EQ(at(list, pod + "/containers/0/volumeMounts/3"), R"({"name":"mount-0","mountPath":"/home"})");
  EXPECT_EQ(at(list, pod + "/containers/0/volumeMounts/4"), "absent");
  // Kubernetes would write values for $(NAME), and one $ for two.
  EXPECT_EQ(at(list, pod + "/containers/0/command/6"), "\"$$(HOME)\"");
  EXPECT_EQ(at(list, pod + "/containers/0/command/7"), R"("a \"b\"\n$$$$")");
  const std::string plain = "/items/1/spec/template/spec/containers/0";
  EXPECT_EQ(at(list, plain + "/resources"), R"({"requests":{},"limits":{}})");
  EXPECT_EQ(at(list, plain + "/securityContext"),
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})");
  EXPECT_EQ(json.find("privileged"), std::string::npos);
}

TEST(KubernetesObjects, AWorldIsAnMpiJobWithAWorkerOnEachNode) {
  KubernetesOptions options = two_nodes();
  options.bundle.clear();
  const Launch launch{
      .argv = {"/v/x"}, .nodes = {"c1", "G1"}, .ranks_per_node = 4, .mpi = true, .timeout = seconds(60)};
  simdjson::dom::parser parser;
  const std::string json = kubernetes_objects(launch, options, {&options.nodes[1], &options.nodes[0]});
  const auto list = parsed(parser, json);
  const std::string replicas = "/items/0/spec/mpiReplicaSpecs";
  EXPECT_EQ(at(list, "/items/0/apiVersion"), "\"kubeflow.org/v2beta1\"");
  EXPECT_EQ(at(list, "/items/0/spec/slotsPerWorker"), "4");
  EXPECT_EQ(at(list, replicas + "/Worker/replicas"), "2");
  EXPECT_EQ(at(list, replicas + "/Worker/template/spec/affinity/podAntiAffinity"
                                "/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey"),
            "\"kubernetes.io/hostname\"");
  EXPECT_EQ(at(list, replicas + "/Launcher/template/spec/containers/0/resources"), "absent");
  EXPECT_EQ(json.find("hostPath"), std::string::npos);  // the image has the validators
  // Another order is another launch: ranks follow it.
  Launch other = launch;
  other.nodes = {"G1", "c1"};
  EXPECT_NE(launch_id(launch, options), launch_id(other, options));
}

TEST(PodLog, CountedLinesShowWhatIsCutAndWhatIsRepeated) {
  TaskOutput out;
  PodLog log{OutputLimit{}};
  for (const char* line : {"node g1", "     1\t{\"record\":\"header\"}", "unable to retrieve container logs for x",
                           "     1\t{\"record\":\"header\"}", "     2\ta\tb", "", "e  warned", "end 3", "     3\tlate"})
    log.take(line, out);
  EXPECT_EQ(out.lines, (std::vector<std::string>{R"({"record":"header"})", "a\tb"}));
  EXPECT_EQ(out.broken, "");
  EXPECT_EQ(log.node(), "g1");
  EXPECT_EQ(log.status(), 3);
  EXPECT_EQ(log.errors(), std::vector<std::string>{" warned"});
  TaskOutput cut;
  PodLog rotated{OutputLimit{}};
  for (const char* line : {"     1\ta", "     5\tb", "end 0"}) rotated.take(line, cut);
  EXPECT_EQ(cut.broken, "its log lacks lines 2 to 4 of what it printed");
  EXPECT_TRUE(cut.lines.empty());
}

std::string pod(const char* task, const char* more) {
  return std::string(R"({"items":[{"metadata":{"name":"p","labels":{"clusterc/role":"task","clusterc/task":")") + task +
         "\"}}," + more + "}]}";
}

// What becomes of the first of two tasks, on g1, of what the API lists after each number of seconds.
std::string becomes(const std::vector<std::pair<int, std::string>>& lists, bool has_log = false) {
  const KubernetesOptions options = two_nodes();
  const Launch launch{.argv = {"x"}, .nodes = {"G1", "c1"}, .timeout = seconds(60)};
  LaunchPods pods(launch, {&options.nodes[0], &options.nodes[1]}, "id", "r/i:1");
  const std::chrono::steady_clock::time_point begin;
  for (const auto& [after, json] : lists) EXPECT_TRUE(pods.take(json, begin + seconds(after)));
  EXPECT_EQ(pods.tasks()[0].has_log, has_log);
  EXPECT_EQ(pods.tasks()[0].settled, has_log || !pods.tasks()[0].output.broken.empty());
  return pods.tasks()[0].output.broken;
}

TEST(LaunchPods, WhatDidNotRunSaysWhyAndNeverCounts) {
  const std::string unplaced =
      pod("0", R"("spec":{},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
               R"("message":"0/8 nodes are available: 1 Insufficient nvidia.com/gpu"}]})");
  EXPECT_EQ(becomes({{0, unplaced}, {60, unplaced}}), "");
  EXPECT_EQ(becomes({{0, unplaced}, {61, unplaced}}),
            "not run: within 60 s the scheduler found no place for its pod (0/8 nodes are available: 1 Insufficient "
            "nvidia.com/gpu): free the node, or see what it offers with kubectl describe node");
  EXPECT_EQ(becomes({{0, R"({"items":[]})"}, {60, R"({"items":[]})"}}), "");
  EXPECT_EQ(becomes({{0, R"({"items":[]})"}, {61, R"({"items":[]})"}}),
            "not run: no pod was made of its Job within 60 s");
  const std::string runs = pod("0", R"("spec":{"nodeName":"g1"},"status":{"phase":"Running"})");
  EXPECT_EQ(becomes({{0, runs}, {60, runs}}), "");
  EXPECT_EQ(becomes({{0, runs}, {61, runs}}), "it was ended after 60 s, its time limit");
  EXPECT_EQ(becomes({{0, runs}, {1, R"({"items":[]})"}}), "not run to its end: its pod was deleted");
  EXPECT_EQ(becomes({{0, pod("0", R"("spec":{"nodeName":"c1"},"status":{"phase":"Succeeded"})")}}),
            "its pod ran on 'c1'");
  EXPECT_EQ(becomes({{0, pod("0", R"("spec":{"nodeName":"g1"},"status":{"phase":"Failed","reason":"Evicted",)"
                                  R"("message":"low on \u001b[2J memory"})")}}),
            "not run to its end: its pod was taken from the node: Evicted (low on \xef\xbf\xbd[2J memory)");
  EXPECT_EQ(
      becomes({{0, pod("0", R"("spec":{"nodeName":"g1"},"status":{"phase":"Succeeded","conditions":[)"
                            R"({"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler"}]})")}}),
      "not run to its end: its pod was taken from the node: PreemptionByScheduler");
  EXPECT_EQ(becomes({{0, pod("0", R"("spec":{"nodeName":"g1"},"status":{"phase":"Failed"})")}}, true), "");
  // Numbers of tasks that are none are nobody's.
  EXPECT_EQ(becomes({{0, pod("99", R"("spec":{},"status":{"phase":"Failed","reason":"Evicted"})")}}), "");
}

TEST(KubernetesStates, NodesThatTakeNoPodsAreNotUsed) {
  const auto nodes = read_nodes(
      R"({"items":[{"metadata":{"name":"g1"},"spec":{"taints":[{"key":"nvidia.com/gpu","effect":"NoSchedule"}]},)"
      R"("status":{"conditions":[{"type":"Ready","status":"True"}]}},{"metadata":{"name":"g2"},)"
      R"("status":{"conditions":[{"type":"Ready","status":"Unknown","message":"Kubelet stopped posting"}]}},)"
      R"({"metadata":{"name":"g3"},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}}]})");
  EXPECT_TRUE(state_of(nodes.at("g1"), "nvidia.com/gpu").usable);
  EXPECT_EQ(state_of(nodes.at("g1"), "").why, "tainted 'nvidia.com/gpu': its pods do not tolerate that");
  EXPECT_EQ(state_of(nodes.at("g2"), "").why, "not ready (Kubelet stopped posting)");
  EXPECT_EQ(state_of(nodes.at("g3"), "").why, "cordoned: kubectl uncordon lets it take pods");
}

class Kubectl : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("clusterc-kubectl-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "v");
    old_path = std::getenv("PATH");
    ::setenv("PATH", (folder.string() + ":" + old_path).c_str(), 1);
    ::setenv("T", folder.c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", old_path.c_str(), 1);
    std::filesystem::remove_all(folder);
  }
  void kubectl(const std::string& body) {
    std::ofstream(folder / "kubectl") << "#!/bin/sh\necho \"$*\" >> $T/asked\ncase \"$*\" in\n" << body << "\nesac\n";
    std::filesystem::permissions(folder / "kubectl", std::filesystem::perms::owner_all);
  }
  std::string text(const char* name) {
    std::ostringstream all;
    all << std::ifstream(folder / name).rdbuf();
    return all.str();
  }
  std::filesystem::path folder;
  std::string old_path;
};

// Removed before, made, followed, read, removed; a log whose connection broke is read again.
TEST_F(Kubectl, ALaunchIsMadeReadAndRemoved) {
  kubectl(R"sh(
*" delete mpijobs"*) echo 'error: the server doesn'"'"'t have a resource type "mpijobs"' >&2; exit 1 ;;
*" create "*) cat > $T/made ;;
*" get pods "*) cat $T/pods ;;
*" logs p0 "*) if [ -e $T/broke ]; then printf 'node g1\n     1\tone\n     2\ttwo\n\nend 0\n'; else touch $T/broke; printf 'node g1\n     1\tone\n'; exit 1; fi ;;
*" logs p1 "*) printf 'node c1\n\ne sh: 1: /opt/v/x: not found\nend 127\n' ;;)sh");
  std::ofstream(folder / "pods") << R"({"items":[
{"metadata":{"name":"p1","labels":{"clusterc/role":"task","clusterc/task":"1"}},"spec":{"nodeName":"c1"},"status":{"phase":"Failed"}},
{"metadata":{"name":"p0","labels":{"clusterc/role":"task","clusterc/task":"0"}},"spec":{"nodeName":"g1"},"status":{"phase":"Succeeded"}}]})";
  const auto launcher = make_kubernetes_launcher(two_nodes());
  const Launch launch{.argv = {"/opt/v/x"}, .nodes = {"G1", "c1"}};
  const LaunchResult r = launcher->run(launch);
  EXPECT_EQ(r.error, "");
  ASSERT_EQ(r.tasks.size(), 2u);
  EXPECT_EQ(r.tasks[0].node, "G1");
  EXPECT_EQ(r.tasks[0].claims, "G1");
  EXPECT_EQ(r.tasks[0].lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(r.tasks[1].lines, std::vector<std::string>{"sh: 1: /opt/v/x: not found"});
  const std::string asked = text("asked"), id = launch_id(launch, two_nodes());
  const auto first = asked.find("delete jobs.batch --selector=clusterc/run=r1 --ignore-not-found --cascade=foreground"),
             made = asked.find("create --filename=-"),
             last = asked.find("delete jobs.batch --selector=clusterc/launch=" + id +
                               " --ignore-not-found --cascade=back");
  EXPECT_TRUE(first < made && made < last && last != std::string::npos) << asked;
  EXPECT_EQ(asked.find("delete mpijobs", made), std::string::npos);  // the API has none
  EXPECT_EQ(asked.find("--request-timeout=60s --context=x --namespace=acceptance "), 0u) << asked;
  EXPECT_EQ(text("made"), kubernetes_objects(launch, two_nodes(), {&two_nodes().nodes[0], &two_nodes().nodes[1]}));
}

TEST_F(Kubectl, WhatIsRefusedSaysWhy) {
  kubectl(
      R"sh(*" create "*) cat > /dev/null; echo 'error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "MPIJob" in version "kubeflow.org/v2beta1"' >&2; exit 1 ;;)sh");
  const LaunchResult r = make_kubernetes_launcher(two_nodes())->run({.argv = {"x"}, .nodes = {"c1"}, .mpi = true});
  EXPECT_EQ(r.error, "the cluster has no MPIJob: install MPI Operator (kubeflow.org/v2beta1)");
  EXPECT_TRUE(r.tasks.empty());
}

TEST_F(Kubectl, InterruptedItTakesItsObjectsAway) {
  kubectl(R"sh(*" create "*) cat > /dev/null ;;
*" get pods "*) echo '{"items":[]}' ;;)sh");
  std::atomic<bool> stop{true};
  const LaunchResult r =
      make_kubernetes_launcher(two_nodes())->run({.argv = {"x"}, .nodes = {"c1"}, .interrupted = &stop});
  EXPECT_TRUE(r.interrupted);
  EXPECT_NE(text("asked").find("delete jobs.batch --selector=clusterc/launch="), std::string::npos);
}

TEST_F(Kubectl, TheBundleIsCopiedProgramByProgram) {
  kubectl(R"sh(*" create "*) cat > $T/made ;;
*" get pods "*) cat $T/pods ;;
*" exec "*" p0 "*) cat > /dev/null ;;
*" exec "*" p1 "*) cat > /dev/null; echo 'No space left on device' >&2; exit 1 ;;)sh");
  for (const char* name : {"clusterc-a", "clusterc-b"}) std::ofstream(folder / "v" / name) << name << " bytes";
  std::ofstream(folder / "pods") << R"({"items":[
{"metadata":{"name":"p0","labels":{"clusterc/role":"task","clusterc/task":"0"}},"spec":{"nodeName":"g1"},"status":{"phase":"Running"}},
{"metadata":{"name":"p1","labels":{"clusterc/role":"task","clusterc/task":"1"}},"spec":{"nodeName":"c1"},"status":{"phase":"Running"}}]})";
  const std::vector<std::string> nodes = {"G1", "c1"};
  const auto states = make_kubernetes_launcher(two_nodes())->copy((folder / "v").string(), "/opt/v", nodes);
  EXPECT_TRUE(states[0].usable) << states[0].why;
  EXPECT_EQ(states[1].why, "the validators cannot be copied: No space left on device");
  const std::string asked = text("asked"), made = text("made");
  EXPECT_NE(asked.find("/opt/v/clusterc-b"), std::string::npos) << asked;
  EXPECT_NE(made.find(R"("hostPath":{"path":"/opt/v","type":"DirectoryOrCreate"})"), std::string::npos) << made;
  EXPECT_EQ(made.find("nvidia.com/gpu\":"), std::string::npos);  // a copy needs no device
}

}  // namespace
}  // namespace clusterc
