#!/usr/bin/env bash
# tested kubernetes: kube-apiserver, kubeadm 1.36
# packages: etcd-server openssl
# output kubernetes: kube-apiserver 1.36.4 with etcd 3.4 (built by scripts/kubernetes) and the definitions of the custom resources: every object of each example that runs Kubernetes and of the golden case, by server-side apply with strict validation; the workloads of a golden case (JobSet, MPIJob, RayJob, Deployment, LeaderWorkerSet) against the plan and against the same workloads under Slurm; pods of first jobs and workloads past quotas, limits and pod security; TrainJob (Kubeflow Trainer 2.0), ScaledObject (KEDA 2.21); values of Zero to JupyterHub 4.4 by the chart's schema, loaded by JupyterHub 5.5 with KubeSpawner 7.1, whose pods the API server takes; kubeadm config validate and the kubelet's own check of every node's configuration; shellcheck; 60 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need etcd openssl python3 shellcheck curl
program=${CLUSTERC_KUBERNETES:-$src/build/kubernetes/kubernetes}
[ -x "$program" ] || missing "no API server in build/kubernetes: scripts/kubernetes builds one"
parts=$(dirname "$program")
[ -e "$parts/definitions/stamp" ] && [ -e "$parts/notebooks/stamp" ] || missing "no definitions and KubeSpawner in build/kubernetes: scripts/kubernetes fetches them"
. "$src/tests/consumers/lib/kubernetes.bash"
own_network "$0" "$@"
api_server
api apply "$src"/tests/kubernetes/definitions/*.yaml "$parts"/definitions/*.yaml || fail "a definition is refused"
for _ in $(seq 240); do   # the server takes objects of a new kind a moment later
  waits=
  for kind in mellanox.com/v1alpha1/macvlannetworks nvidia.com/v1/clusterpolicies kubeflow.org/v2beta1/mpijobs nv-ipam.nvidia.com/v1alpha1/ippools \
    jobset.x-k8s.io/v1alpha2/jobsets leaderworkerset.x-k8s.io/v1/leaderworkersets ray.io/v1/rayjobs trainer.kubeflow.org/v1alpha1/trainjobs \
    trainer.kubeflow.org/v1alpha1/trainingruntimes keda.sh/v1alpha1/scaledobjects; do
    curl -sk -f -H 'Authorization: Bearer test-token' "$place/apis/$kind" > /dev/null || waits=$kind
  done
  [ -z "$waits" ] && break
  sleep 0.25
done
# Namespaces that the operators' charts make.
printf -- 'apiVersion: v1\nkind: Namespace\nmetadata: {name: nvidia-network-operator}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n' > "$run/spaces.yaml"
api apply "$run/spaces.yaml" || fail "a namespace is refused"

# The values of a chart are the spec of the object that it makes.
cluster_policy() {
  python3 - "$1" <<'P'
import sys, yaml
values = yaml.safe_load(open(sys.argv[1]))
spec = {k: {} for k in ("operator", "daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "gfd", "nodeStatusExporter")}
spec["operator"] = {"defaultRuntime": "containerd"}
print(yaml.safe_dump({"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": {**spec, **values}}))
P
}
# judge TREE: everything in it is taken
judge() {
  local tree=$1/kubernetes files
  [ -d "$tree/objects" ] || fail "$1 has no objects"
  api apply "$tree/objects/namespaces.yaml" "$tree/objects/priorities.yaml" "$tree/objects/policies.yaml" || fail "$1: namespaces, priorities"
  mapfile -t files < <(find "$tree/objects" "$tree/jobs" "$tree/workloads" -name '*.yaml' 2> /dev/null | sort)
  taken=$(api judge --all "${files[@]}") || { echo "$taken" >&2; fail "$1: an object is refused"; }
  if [ -e "$tree/gpu-operator/values.yaml" ]; then
    cluster_policy "$tree/gpu-operator/values.yaml" > "$run/policy.yaml" && api judge "$run/policy.yaml" || fail "$1: values of the GPU operator"
  fi
  say "$(basename "$1"): $taken objects are taken"
}
# kubeadm and kubelet of a tree. kubeadm wants the file that a node joins with to be there.
mkdir -p /etc/kubernetes && mount -t tmpfs tmpfs /etc/kubernetes || cannot "no file system can be mounted here"
sed 's/^  //' > /etc/kubernetes/discovery.conf <<'D'
  apiVersion: v1
  kind: Config
  clusters: [ { name: c, cluster: { server: "https://127.0.0.1:6443" } } ]
D
machines() {
  local tree=$1/kubernetes/kubeadm file count=0
  [ -d "$tree" ] || return 0
  while read -r file; do
    "$program" kubeadm config validate --config "$file" > "$run/kubeadm.log" 2>&1 || { cat "$run/kubeadm.log" >&2; fail "kubeadm refuses $file"; }
    count=$((count + 1))
  done < <(find "$tree" -name '*.yaml' ! -path '*/patches/*' | sort | if [ -n "${2:-}" ]; then sed -n "1~$2p"; else cat; fi)
  "$program" kubelet-config "$tree"/patches/*/*.yaml > "$run/kubelet.log" 2>&1 || { cat "$run/kubelet.log" >&2; fail "the kubelet refuses a patch of $1"; }
  say "$(basename "$1"): kubeadm takes $count configurations, the kubelet those of $(find "$tree/patches" -name '*.yaml' | wc -l) groups"
}

# discovery TREE: the file that nodes join with, made by a kubeadm that only makes tokens. It is the owner's alone, and kubeadm takes it.
discovery() {
  local script=$1/kubernetes/kubeadm/discovery.sh
  mkdir -p /etc/kubernetes/pki "$run/fake" && cp "$run/certs/apiserver.crt" /etc/kubernetes/pki/ca.crt
  printf '#!/bin/sh\necho "$*" >> "%s/asked"\necho abcdef.0123456789abcdef\n' "$run" > "$run/fake/kubeadm" && chmod +x "$run/fake/kubeadm"
  (cd "$run" && PATH=$run/fake:$PATH "$script" joined.conf 2 > "$run/said") || fail "discovery.sh"
  equal "asked of kubeadm" "$(cat "$run/asked")" "token create --ttl 2h"
  equal "mode of the file with the token" "$(stat -c %a "$run/joined.conf")" 600
  equal "what it has" "$(python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(d["current-context"], d["clusters"][0]["cluster"]["server"], d["users"][0]["user"]["token"], d["clusters"][0]["cluster"]["certificate-authority-data"][:8])' "$run/joined.conf")" \
    "join https://api.orchard.example.org:6443 abcdef.0123456789abcdef LS0tLS1C"
  grep -q abcdef "$run/said" && fail "discovery.sh prints the token"
  cp "$run/joined.conf" /etc/kubernetes/discovery.conf
}

# ---- every example that runs Kubernetes, and the golden case -------------------------------------------------------
trees_with kubernetes
for t in $trees; do judge "$work/$t"; machines "$work/$t"; done
case " $trees " in *" kubernetes "*) ;; *) fail "examples/kubernetes.yaml calls for no Kubernetes" ;; esac
compile_case kubernetes
judge "$out"; machines "$out"
compile_case kubernetes-workloads
judge "$out"
workloads=$out/kubernetes
# The other operators, and notebooks: values as the chart's schema and KubeSpawner read them, their pods as the namespaces of the teams take them.
compile_case kubernetes-trainer-keda
judge "$out"
others=$out/kubernetes
equal "objects of other operators" "$(cat "$others"/workloads/*.yaml | grep -cE '^kind: (TrainJob|TrainingRuntime|ScaledObject)')" 6
compile_case kubernetes-notebooks
judge "$out"
books=$out/kubernetes
"$parts/notebooks/bin/python" "$src/tests/consumers/lib/kubernetes_notebooks.py" "$books/jupyterhub/values.yaml" "$src/tests/kubernetes/charts/jupyterhub.schema.yaml" "$run/sessions.yaml" || fail "values of the hub"
api apply "$books"/objects/{namespaces,priorities,access,limits,notebooks}.yaml || fail "objects of the hub"
api judge "$run/sessions.yaml" || fail "a session is refused"
say "sessions are taken, with quotas, limits and pod security of their namespaces"
sed 's|allowPrivilegeEscalation: false|capabilities: { add: [SYS_ADMIN] }|' "$run/sessions.yaml" > "$run/changed.yaml"
api judge "$run/changed.yaml" > "$run/said" && fail "a session with the rights of an administrator is taken"
grep -q PodSecurity "$run/said" || { cat "$run/said" >&2; fail "another reason"; }
sed -E 's|memory: [0-9]+|memory: 99Ti|' "$run/sessions.yaml" > "$run/changed.yaml"
api judge "$run/changed.yaml" > "$run/said" && fail "a session is taken that has more memory than a node"
grep -q 'maximum memory' "$run/said" || { cat "$run/said" >&2; fail "another reason"; }
say "refused: a session with the rights of an administrator, and one with more memory than a node"
mkdir -p "$run/fake"
python3 "$src/tests/consumers/lib/kubernetes_jobs.py" "$bin" "$src/tests/golden/compile/kubernetes-workloads/spec.yaml" "$workloads/workloads" "$run/scripts" || fail "workloads and plan"
find "$run/scripts" -maxdepth 1 -name '*.sh' -exec shellcheck {} + || fail "a script of a workload"

# What a pod runs, with programs in the place of torchrun and Python that save at SIGUSR1: started with the numbers of its node, told to save by SIGTERM, and
# never done with status 0 after that.
# The signal is ignored until a program asks for it; a shell cannot.
cat > "$run/fake/python3" <<'F'
#!/usr/bin/python3
import os, signal, sys, time
rank = os.environ.get("RANK") or os.environ["JAX_PROCESS_ID"]
def say(text):
    with open(os.environ["CHECKPOINTS"] + "/said", "a") as f:
        f.write(text + "\n")
signal.signal(signal.SIGUSR1, lambda *_: (say("saved " + rank), os._exit(0)))
say("rank " + rank)
time.sleep(0.1 * int(os.environ["FAKE_STEPS"]))
sys.exit(int(os.environ["FAKE_STATUS"]))
F
cat > "$run/fake/torchrun" <<'F'
#!/bin/bash
for word; do case $word in --nproc-per-node=*) each=${word#*=} ;; --node-rank=*) node=${word#*=} ;; --*) ;; *) break ;; esac; done
for ((local = 0; local < each; ++local)); do RANK=$((node * each + local)) python3 "$TRAIN" & done
status=0
for ((local = 0; local < each; ++local)); do wait -n || status=$?; done
exit "$status"
F
chmod +x "$run/fake/python3" "$run/fake/torchrun"
# pod NAME NODE STEPS STATUS: the script of that pod runs in the background; $pod is its process
pod() {
  mkdir -p "$run/job" "$run/kept" && rm -f "$run/kept/said"
  cp "$run/scripts/$1-settings.sh" "$run/job/settings.sh"
  sed -i -e "s|CHECKPOINTS=.*|CHECKPOINTS=$run/kept|" -e 's|PLAN_PROCESSES=8|PLAN_PROCESSES=3|' "$run/job/settings.sh"
  sed "s|/job/|$run/job/|" "$run/scripts/$1-launch.sh" > "$run/job/launch.sh"
  PATH=$run/fake:$PATH JOB_COMPLETION_INDEX=$2 FAKE_STEPS=$3 FAKE_STATUS=$4 bash "$run/job/launch.sh" word & pod=$!
}
for name in plain sums; do
  pod $name 1 2 0
  wait $pod || fail "$name: a pod that does its work ends with status $?"
  equal "$name: ranks of the second pod" "$(sed -n 's/^rank \([0-9]*\).*/\1/p' "$run/kept/said" | sort -n | tr '\n' ' ')" "3 4 5 "
  pod $name 0 2 7
  wait $pod
  equal "$name: status of a pod whose script fails" $? 7
  pod $name 0 600 0
  for _ in $(seq 100); do [ "$(grep -c '^rank' "$run/kept/said" 2> /dev/null)" = 3 ] && break; sleep 0.1; done
  kill -TERM $pod
  wait $pod
  equal "$name: status of a pod that was told to end" $? 143
  equal "$name: processes that saved" "$(grep -c '^saved' "$run/kept/said")" 3
done
find "$work/kubernetes" -name '*.sh' -exec shellcheck {} + || fail "a script of the tree"
tree=$work/kubernetes/kubernetes
discovery "$work/kubernetes"
machines "$work/kubernetes"
# Pods choose the user that they run as: a volume has the folder of its team, and no two volumes have one name.
equal "folders of the volumes" "$(sed -n 's/^    path: //p' "$tree/objects/storage.yaml" | tr '\n' ' ')" "/home/vision /home/speech "

# ---- a reason with signs of YAML, shell and Markdown stays a comment --------------------------------------------------
sed 's|^teams:|accept:\n  - { rule: net-single-switch-under-ha, at: networks.data, reason: "--> `x` $(y) \\"z\\"\\n---\\nkind: Pod", until: 2099-01-01 }\nteams:|' "$src/examples/kubernetes.yaml" > "$run/hostile.yaml"
cmp -s "$run/hostile.yaml" "$src/examples/kubernetes.yaml" && fail "nothing was changed"
"$bin" compile "$run/hostile.yaml" -o "$work/hostile" --only kubernetes > "$work/hostile.log" 2>&1 || { cat "$work/hostile.log" >&2; fail "clusterc compile of hostile texts"; }
judge "$work/hostile"
grep -q 'accepted: net-single-switch' "$work/hostile/kubernetes/README.md" || fail "the accepted finding is not stamped"
equal "objects beside hostile texts" "$(cat "$work"/hostile/kubernetes/objects/*.yaml | grep -c '^kind:')" "$(cat "$work"/kubernetes/kubernetes/objects/*.yaml | grep -c '^kind:')"
grep -q '^kind: Pod' -r "$work/hostile" && fail "a text of the spec became an object"

# ---- refused ---------------------------------------------------------------------------------------------------
cat "$tree"/objects/*.yaml "$tree"/jobs/vision.yaml | sed 's/^# made by/---\n&/' > "$run/all.yaml"
printf '%s\t%s\t%s\t%s\t%s\n' \
  "an unknown field" ResourceQuota "  hard:" "  hrad:" "hrad" \
  "an unknown field of a custom resource" MPIJob "slotsPerWorker:" "slotPerWorker:" "slotPerWorker" \
  "a wrong type" PriorityClass "value: 1000" "value: many" "expected numeric" \
  "a wrong type in a custom resource" MPIJob "replicas: 1" "replicas: \"one\"" "expected numeric" \
  "a required field that is missing" RoleBinding "  name: edit\\n" "" "roleRef.name: Required value" \
  "a required field of a custom resource that is missing" IPPool "  perNodeBlockSize: 8\\n" "" "perNodeBlockSize: Required value" \
  "a bad word" StorageClass "volumeBindingMode: WaitForFirstConsumer" "volumeBindingMode: WaitForFirst" "Unsupported value" \
  "a bad word in a custom resource" MacvlanNetwork "mode: bridge" "mode: bridged" "Unsupported value" \
  "a rule of CEL: the node is the last level" Topology "    - nodeLabel: topology.clusterc/leaf\\n    - nodeLabel: kubernetes.io/hostname" "    - nodeLabel: kubernetes.io/hostname\\n    - nodeLabel: topology.clusterc/leaf" "lowest level" \
  "a rule of CEL: borrowing without a cohort" ClusterQueue "  cohortName: orchard\\n" "" "cohort" \
  "a bad quantity" LimitRange "cpu: \"1\"" "cpu: 1 core" "quantities must match" \
  "a bad quantity of a custom resource" ClusterQueue "nominalQuota: \"33\"" "nominalQuota: 33 GPUs" "nominalQuota" \
  "a version that is gone" ClusterRole "apiVersion: rbac.authorization.k8s.io/v1" "apiVersion: rbac.authorization.k8s.io/v1beta1" "404" \
  "a name with a capital" Namespace "name: vision" "name: Vision" "RFC 1123" > "$run/edits"
api refused "$run/all.yaml" "$run/edits" || fail "a broken object"
cat "$workloads"/workloads/*.yaml | sed 's/^# made by/---\n&/' > "$run/workloads.yaml"
printf '%s\t%s\t%s\t%s\t%s\n' \
  "JobSet: an unknown field" JobSet "  replicatedJobs:" "  replicatedJob:" "replicatedJob" \
  "JobSet: a bad word" JobSet "action: RestartJobSetAndIgnoreMaxRestarts" "action: RestartAll" "Unsupported value" \
  "JobSet: a wrong type" JobSet "completions: 4" "completions: \"four\"" "expected numeric" \
  "JobSet: a required field that is missing" JobSet "    - name: workers\n      replicas: 1" "    - replicas: 1" "name" \
  "JobSet: a rule of CEL: two orders of start" JobSet "  replicatedJobs:\n    - name: workers\n" "  startupPolicy:\n    startupPolicyOrder: InOrder\n  replicatedJobs:\n    - name: workers\n      dependsOn:\n        - name: other\n          status: Ready\n" "mutually exclusive" \
  "JobSet: a bad quantity" JobSet "cpu: \"" "cpu: \"x" "requests.cpu: Invalid value" \
  "JobSet: a version that is not there" JobSet "apiVersion: jobset.x-k8s.io/v1alpha2" "apiVersion: jobset.x-k8s.io/v1" "404" \
  "MPIJob: a bad word" MPIJob "  slotsPerWorker: 8" "  mpiImplementation: OpenMP\n  slotsPerWorker: 8" "Unsupported value" \
  "RayJob: an unknown field" RayJob "entrypoint:" "entryPoint:" "entryPoint" \
  "RayJob: a wrong type" RayJob "shutdownAfterJobFinishes: true" "shutdownAfterJobFinishes: \"yes\"" "boolean" \
  "RayJob: a required field that is missing" RayJob "      - groupName: workers\n        replicas" "      - replicas" "groupName" \
  "LeaderWorkerSet: a bad word" LeaderWorkerSet "restartPolicy: RecreateGroupOnPodRestart" "restartPolicy: Always" "Unsupported value" \
  "LeaderWorkerSet: an unknown field" LeaderWorkerSet "    size: 2" "    sizes: 2" "sizes" \
  "LeaderWorkerSet: a required field that is missing" LeaderWorkerSet "  startupPolicy:" "  networkConfig: {}\n  startupPolicy:" "subdomainPolicy: Required value" \
  "Deployment: a selector of other pods" Deployment "      clusterc/workload: chat" "      clusterc/workload: other" "selector" \
  "Deployment: a bad word" Deployment "whenUnsatisfiable: ScheduleAnyway" "whenUnsatisfiable: Perhaps" "Unsupported value" \
  "Deployment: a probe of no port" Deployment "port: http\n" "port: \"\"\n" "port" \
  "Service: a bad word" Service "type: ClusterIP" "type: Cluster" "Unsupported value" \
  "HorizontalPodAutoscaler: fewer than at least" HorizontalPodAutoscaler "maxReplicas: 16" "maxReplicas: 0" "maxReplicas" \
  "HorizontalPodAutoscaler: a bad quantity" HorizontalPodAutoscaler "averageValue: \"5\"" "averageValue: five" "quantities must match" \
  "PodDisruptionBudget: two limits" PodDisruptionBudget "maxUnavailable: 1" "maxUnavailable: 1\n  minAvailable: 1" "cannot be both set" \
  "NetworkPolicy: a bad word" NetworkPolicy "protocol: TCP" "protocol: TCQ" "Unsupported value" \
  "ConfigMap: a wrong type" ConfigMap "\ndata:" "\ndata:\n  number: 1" "string" > "$run/edits"
api refused "$run/workloads.yaml" "$run/edits" || fail "a broken workload"
cat "$others"/workloads/*.yaml | sed 's/^# made by/---\n&/' > "$run/others.yaml"
printf '%s\t%s\t%s\t%s\t%s\n' \
  "TrainJob: an unknown field" TrainJob "    numNodes:" "    nodes:" "nodes" \
  "TrainJob: a required field that is missing" TrainJob "    name: pretrain\n  trainer" "  trainer" "name" \
  "TrainingRuntime: an unknown field" TrainingRuntime "    numNodes:" "    nodes:" "nodes" \
  "TrainingRuntime: a bad word" TrainingRuntime "action: RestartJobSetAndIgnoreMaxRestarts" "action: RestartAll" "Unsupported value" \
  "ScaledObject: an unknown field" ScaledObject "maxReplicaCount:" "maxReplicas:" "maxReplicas" \
  "ScaledObject: a wrong type" ScaledObject "minReplicaCount: 1" "minReplicaCount: one" "expected numeric" \
  "ScaledObject: a required field that is missing" ScaledObject "    - type: prometheus\n      metricType" "    - metricType" "type" > "$run/edits"
api refused "$run/others.yaml" "$run/edits" || fail "a broken object of another operator"
sed 's/^  criSocket:/  criSoket:/' "$tree/kubeadm/gpu-0/g3.yaml" > "$run/bad.yaml"
"$program" kubeadm config validate --config "$run/bad.yaml" > "$run/said" 2>&1 && fail "kubeadm takes an unknown field"
say "refused by kubeadm: $(tail -1 "$run/said" | cut -c1-160)"
sed 's|podSubnet: .*|podSubnet: 10.244.0.0|' "$tree/kubeadm/init.yaml" > "$run/bad.yaml"
"$program" kubeadm config validate --config "$run/bad.yaml" > "$run/said" 2>&1 && fail "kubeadm takes a network without a length"
say "refused by kubeadm: $(tail -1 "$run/said" | cut -c1-160)"
sed 's/topologyManagerPolicy: .*/topologyManagerPolicy: best/' "$tree/kubeadm/patches/gpu/kubeletconfiguration+merge.yaml" > "$run/bad.yaml"
"$program" kubelet-config "$run/bad.yaml" > "$run/said" 2>&1 && fail "the kubelet takes an unknown policy"
say "refused by the kubelet: $(tail -1 "$run/said" | cut -c1-160)"

# ---- a node, a team, a job: made for good, in the order of README.md ---------------------------------------------------
api apply "$tree"/objects/{nodes,namespaces,priorities,policies,access,limits,storage,networks,queues}.yaml || fail "the order of README.md"
api apply "$tree"/objects/{nodes,namespaces,priorities,policies,access,limits,storage,networks,queues}.yaml || fail "a second time"
api apply "$tree"/jobs/*.yaml || fail "the first jobs"
api pods "$tree"/jobs/*.yaml || fail "a pod of a first job is refused"
say "pods of the first jobs are taken, with quotas, limits and pod security of their namespaces"
api pods "$others"/workloads/*.yaml || fail "a pod of a TrainJob is refused"
# Workloads: their pods under the quotas, limits and pod security of their teams; what cannot be changed.
api apply "$workloads"/objects/{namespaces,priorities,policies,access,limits,storage}.yaml "$workloads"/workloads/*.yaml || fail "workloads, made for good"
api pods "$workloads"/workloads/*.yaml || fail "a pod of a workload is refused"
sed 's|clusterc/workload: chat|clusterc/workload: talk|' "$workloads/workloads/chat.yaml" > "$run/changed.yaml"
api judge "$run/changed.yaml" > "$run/said" && fail "the selector of a Deployment can be changed"
grep -q immutable "$run/said" || { cat "$run/said" >&2; fail "another reason"; }
say "refused: a Deployment with another selector"
sed 's|allowPrivilegeEscalation: false|capabilities: { add: [SYS_ADMIN] }|' "$workloads/workloads/plain.yaml" > "$run/changed.yaml"
api pods "$run/changed.yaml" > "$run/said" && fail "a pod of an administrator is taken in the namespace of a team"
grep -q PodSecurity "$run/said" || { cat "$run/said" >&2; fail "another reason"; }
say "refused: a pod with the rights of an administrator"
# Volumes of pods of a team, and priorities that take the place of others.
pod_of() {   # LINES OF ITS SPEC
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: try, namespace: vision}\nspec:\n  containers: [{name: c, image: busybox, resources: {limits: {cpu: "1", memory: 1Gi}}}]\n' > "$run/pod.yaml"
  printf '  %s\n' "$@" >> "$run/pod.yaml"
  api judge "$run/pod.yaml" > "$run/said" 2>&1
}
pod_of 'volumes: [{name: v, persistentVolumeClaim: {claimName: home}}, {name: t, emptyDir: {}}]' || { cat "$run/said" >&2; fail "a pod with a claim of its team is refused"; }
for _ in $(seq 40); do   # the server takes notice of a policy a moment after it is made
  pod_of 'volumes: [{name: v, nfs: {server: nas, path: /home/speech}}]' || break
  sleep 0.25
done
grep -q 'a volume of a pod is a claim of its team' "$run/said" || { cat "$run/said" >&2; fail "a pod of vision mounts the folder of speech"; }
say "refused: a pod that mounts the export of another team"
# The controller that counts what quotas hold is not there: what it would write at first.
for quota in serving system; do
  curl -sk -f -o /dev/null -X PATCH -H 'Authorization: Bearer test-token' -H 'Content-Type: application/merge-patch+json' \
    -d '{"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}}' "$place/api/v1/namespaces/vision/resourcequotas/$quota/status" || fail "status of the quota $quota"
done
for priority in cluster-serving system-node-critical; do
  for _ in $(seq 40); do
    pod_of "priorityClassName: $priority" || break
    sleep 0.25
  done
  pod_of "priorityClassName: $priority" && fail "a pod of a team without served models has the priority $priority"
  grep -q 'exceeded quota' "$run/said" || { cat "$run/said" >&2; fail "another reason"; }
  say "refused: a pod of the priority $priority"
done
pod_of 'priorityClassName: cluster-high' || { cat "$run/said" >&2; fail "a job of high priority is refused"; }
equal "priorities for which the scheduler stops others" "$(python3 -c 'import sys, yaml; print(*[d["metadata"]["name"] for d in yaml.safe_load_all(open(sys.argv[1])) if d["preemptionPolicy"] != "Never"])' "$tree/objects/priorities.yaml")" cluster-serving
get() { curl -sk -H 'Authorization: Bearer test-token' "$place$1"; }
value() { python3 -c 'import json, sys; print(eval(sys.argv[1], {"d": json.load(sys.stdin)}))' "$1"; }
equal "labels of a node" "$(get /api/v1/nodes/g3 | value 'sorted(k + "=" + v for k, v in d["metadata"]["labels"].items())')" \
  "['clusterc/group=gpu', 'topology.clusterc/fabric=rails', 'topology.clusterc/leaf=switch-rails-01', 'topology.clusterc/rack=r2']"
# 7 nodes (one of 8 is a spare) with 8 GPUs are 56: vision's 60 % are 33, and 7 more may be borrowed up to its 40; speech has 22; 1 is nobody's.
quota='next(r for r in f["resources"] if r["name"] == "nvidia.com/gpu")'
flavor='[f for f in d["spec"]["resourceGroups"][0]["flavors"] if f["name"] == "gpu"][0]'
gpus() { get "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/$1" | value "(lambda f: ($quota)['nominalQuota'] + '+' + ($quota).get('borrowingLimit', 'all'))($flavor)"; }
equal "GPUs of vision, and what it may borrow" "$(gpus vision)" "33+7"
equal "GPUs of speech, and what it may borrow" "$(gpus speech)" "22+all"
equal "GPUs of nobody" "$(gpus kube-unassigned)" "1+all"
equal "quota of the namespace" "$(get /api/v1/namespaces/vision/resourcequotas/team | value 'd["spec"]["hard"]')" "{'requests.nvidia.com/gpu': '40'}"
# A user of the team may make jobs in its namespace and nowhere else.
may() { # USER GROUP NAMESPACE
  printf '{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {"user": "%s", "groups": ["%s"], "resourceAttributes": {"namespace": "%s", "verb": "create", "group": "kubeflow.org", "resource": "mpijobs"}}}' "$1" "$2" "$3" |
    curl -sk -H 'Authorization: Bearer test-token' -H 'Content-Type: application/json' -d @- "$place/apis/authorization.k8s.io/v1/subjectaccessreviews" | value 'd["status"]["allowed"]'
}
equal "ada, whom the spec names" "$(may ada none speech)" True
equal "ada in another team's namespace" "$(may ada none vision)" False
equal "somebody of the group" "$(may someone vision vision)" True
# The hub makes pods in the namespaces of the teams and nowhere else, and reads no secrets there.
hub_may() { # VERB RESOURCE NAMESPACE
  printf '{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {"user": "system:serviceaccount:cluster-notebooks:hub", "resourceAttributes": {"namespace": "%s", "verb": "%s", "resource": "%s"}}}' "$3" "$1" "$2" |
    curl -sk -H 'Authorization: Bearer test-token' -H 'Content-Type: application/json' -d @- "$place/apis/authorization.k8s.io/v1/subjectaccessreviews" | value 'd["status"]["allowed"]'
}
equal "the hub, pods of a team" "$(hub_may create pods vision)" True
equal "the hub, secrets of a team" "$(hub_may get secrets vision)" False
equal "the hub, pods of the system" "$(hub_may create pods kube-system)" False
