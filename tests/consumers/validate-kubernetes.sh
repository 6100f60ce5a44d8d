#!/usr/bin/env bash
# `clusterc validate --launcher kubernetes` before the real programs of Kubernetes: etcd, kube-apiserver, kube-scheduler, the job, garbage and TTL controllers, MPI Operator,
# kubectl. The kubelets alone are played (lib/kubelets.py): pods run as processes of this machine. Four nodes, with the rights of docs/validate.md and no others.
# heavy: the programs need scripts/kubernetes --kueue, seven minutes of one core; unit.launch has the same launcher before a made-up kubectl
# packages: etcd-server openssl openssh-server
. "$(dirname "$0")/lib/common.bash" "$@"
need etcd openssl python3 curl mpirun sshd nsenter
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
for v in probe mpi; do [ -x "$validators/clusterc-$v" ] || missing "clusterc-$v was not built"; done
program=${CLUSTERC_KUBERNETES:-$src/build/kubernetes/kubernetes}
controllers=$(dirname "$program")/kueue
for p in "$program" "$controllers"/{kubectl,kube-scheduler,kube-controller-manager,mpi-operator}; do
  [ -x "$p" ] || missing "no $(basename "$p") in build/kubernetes: scripts/kubernetes --kueue builds it"
done
. "$src/tests/consumers/lib/kubernetes.bash"
own_network "$0" "$@"
api_server
# The user may do in namespace acceptance what the role says.
for who in admin tester; do
  as=; [ $who = admin ] || as=", as: $who"
  cat > "$run/$who.conf" <<K
apiVersion: v1
kind: Config
clusters: [ { name: c, cluster: { server: "$place", insecure-skip-tls-verify: true } } ]
users: [ { name: u, user: { token: test-token$as } } ]
contexts: [ { name: virtual, context: { cluster: c, user: u } } ]
K
done
mkdir -p "$run/kubelets" "$run/bin" && ln -s "$controllers/kubectl" "$run/bin/kubectl"
PATH=$run/bin:$PATH
admin() { kubectl --kubeconfig "$run/admin.conf" --context virtual --namespace acceptance "$@"; }
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$run/kubelets/tls.key" -out "$run/kubelets/tls.crt" 2> /dev/null || fail "openssl makes no certificate"
printf -- 'apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n---\n' mpi-operator acceptance default > "$run/spaces.yaml"
admin apply -f "$run/spaces.yaml" -f "$src/tests/kubernetes/definitions/mpijobs.kubeflow.org.yaml" -f "$src/tests/kubernetes/validate-role.yaml" --server-side > "$run/apply.log" 2>&1 || { cat "$run/apply.log" >&2; fail "an object is refused"; }
for _ in $(seq 120); do admin get mpijobs > /dev/null 2>&1 && break; sleep 0.25; done
start() { # NAME COMMAND…
  local name=$1
  shift
  "$@" > "$run/$name.log" 2>&1 &
  pids+=($!)
}
sed 's/^contexts:/current-context: virtual\n&/' "$run/admin.conf" > "$run/controllers.conf"
start scheduler "$controllers/kube-scheduler" --kubeconfig "$run/controllers.conf" --leader-elect=false --secure-port=0
start controllers "$controllers/kube-controller-manager" --kubeconfig "$run/controllers.conf" --leader-elect=false --secure-port=0 \
  --controllers=job-controller,garbage-collector-controller,ttl-after-finished-controller
start mpi-operator "$controllers/mpi-operator" -kubeConfig "$run/controllers.conf" -kube-api-qps 50 -kube-api-burst 100
start kubelets python3 "$src/tests/consumers/lib/kubelets.py" "$place/test-token" "$run/kubelets" n1 n2 n3 n4
for _ in $(seq 120); do [ -e "$run/kubelets/ready" ] && break; sleep 0.25; done
[ -e "$run/kubelets/ready" ] || { cat "$run/kubelets.log" >&2; fail "the nodes did not appear"; }
spec=$src/tests/consumers/specs/kubernetes-virtual.yaml
mkdir "$work/bundle" && cp -L "$validators/clusterc-probe" "$validators/clusterc-mpi" "$work/bundle" || exit 1
image=registry.example.org/validators:1
begin() { # NAME [OPTIONS…]: in the place of the shell
  local name=$1
  shift
  KUBECONFIG=$run/tester.conf exec "$bin" validate "$spec" --launcher kubernetes --kube-context virtual --namespace acceptance --pod-image "$image" \
    --bundle "$work/bundle" --seconds 0.01 --max-size 1KiB --allow-busy --journal "$work/$name.journal" -o "$work/$name.json" "$@" > "$work/$name.txt" 2> "$work/$name.err"
}
validate() { (begin "$@"); rc=$?; }
judge() { # NAME, then Python on `d` (the report) and `v` (its verdicts): every line must be true
  python3 - "$work/$1.json" <<PY || { cat "$work/$1.txt" "$work/$1.err" "$run/kubelets.log" >&2; fail "$1"; }
import json, sys
d = json.load(open(sys.argv[1]))
v = d["verdicts"]
$(cat)
PY
}
# Nothing of ours stays: objects, and pods a moment later.
empty() {
  for _ in $(seq 100); do
    left=$(admin get jobs,mpijobs,pods,configmaps,secrets,services -o name 2>&1 | grep -v kube-root-ca)
    [ -z "$left" ] && return
    sleep 0.2
  done
  fail "$1: left behind: $left"
}

validate all --only probe,mpi
[ $rc -eq 0 ] || { cat "$work/all.txt" "$work/all.err" "$run"/{kubelets,controllers,mpi-operator}.log | tail -60 >&2; fail "exit status $rc"; }
judge all <<'PY'
assert d["launcher"] == "kubernetes", d
assert {x["node"] for x in v if x["metric"] == "probe" and x["verdict"] == "pass"} == {"n1", "n2", "n3", "n4"}, v
world = [x for x in v if x["metric"] == "mpi.allreduce.busbw"]
assert world and all(x["node"] == "n[1-4]" and x["data_verified"] and x["value"] for x in world), world
PY
grep -q 'nodes\\":4' "$work/all.journal" || fail "the MPI world was not on four nodes"
hosts=$(ls "$run"/kubelets/volumes/*/run/hosts)
places=$(dirname "$hosts")/places
order=$(while read -r host _; do sed -n "s/ ${host%%.*}\$//p" "$places"; done < "$hosts")
[ "$(printf %s "$order" | tr '\n' ' ')" = "n1 n2 n3 n4" ] || fail "the ranks lie on $order"
empty "a whole run"
say "the validators compared and the nodes probed by Jobs, an MPI job of four nodes by an MPIJob, with the rights of the documented role"

image=registry.example.org/absent:1 validate image --only probe --nodes 'n[1-2]'
judge image <<'PY'
assert len(v) == 2 and all(x["verdict"] == "error" and "does not get the image 'registry.example.org/absent:1': ImagePullBackOff" in x["reason"] and "--pod-image" in x["reason"] for x in v), v
PY
empty "an image that is absent"
validate folder --only probe --bundle-in-image /opt/absent --nodes n1
judge folder <<'PY'
assert [x["verdict"] for x in v] == ["error"] and "its validators cannot be read" in v[0]["reason"] and "/opt/absent" in v[0]["reason"], v
PY
admin cordon n3 > /dev/null
validate cordon --only probe
judge cordon <<'PY'
assert [(x["node"], x["reason"]) for x in v if x["verdict"] != "pass"] == [("n3", "did not run: cordoned: kubectl uncordon lets it take pods")], v
PY
admin uncordon n3 > /dev/null
say "no image, no validators and a cordoned node are errors that say what to do"

# A validator that waits until it may go on; its pods are there meanwhile.
printf '#!/bin/sh\nwhile [ ! -e %q/go ]; do sleep 0.1; done\nexec %q/clusterc-probe "$@"\n' "$work" "$validators" > "$work/bundle/clusterc-probe"
running() { admin get pods --no-headers 2> /dev/null | grep -c Running; }
await() { for _ in $(seq 300); do [ "$(running)" -ge "$1" ] && grep -q 'inventory/cpu/probe' "$work/$2.err" && return; sleep 0.1; done; cat "$work/$2.err" >&2; fail "$2: its pods did not start"; }
begin evicted --only probe & of=$!
await 4 evicted
touch "$run/kubelets/evict/n2"
for _ in $(seq 100); do admin get pods --no-headers | grep -q Failed && break; sleep 0.1; done
rm "$run/kubelets/evict/n2"; touch "$work/go"
wait $of
judge evicted <<'PY'
assert {x["node"] for x in v if x["verdict"] == "pass"} == {"n1", "n3", "n4"}, v
assert ["its pod was taken from the node: Evicted (The node was low on resource: memory.)" in x["reason"] for x in v if x["node"] == "n2"] == [True], v
PY
say "a node whose pod is evicted does not pass"

rm "$work/go"
begin interrupted --only probe & of=$!
await 4 interrupted
kill -INT $of
wait $of
empty "an interrupted run"
say "Ctrl-C takes all objects away"
begin crashed --only probe & of=$!
await 4 crashed
kill -KILL $of
wait $of
before=$(admin get pods -o 'jsonpath={.items[*].metadata.uid}')
[ "$(running)" = 4 ] || fail "a crash took its pods away by itself"
admin get jobs -o json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["items"]:
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert 0 < spec["activeDeadlineSeconds"] < 7200 and spec["ttlSecondsAfterFinished"] == 600 and spec["backoffLimit"] == 0, spec
    security = pod["containers"][0]["securityContext"]
    assert security == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}} and not pod["automountServiceAccountToken"], security
' || fail "a Job that would stay, or has rights that it does not need"
touch "$work/go"
validate crashed --only probe
[ $rc -eq 0 ] || { cat "$work/crashed.txt" "$work/crashed.err" >&2; fail "exit status $rc of a run that goes on"; }
for uid in $before; do ! admin get pods -o json | grep -q "$uid" || fail "a pod of the crashed run is still there"; done
empty "a run that goes on"
say "a run that goes on removes what the crashed one left"
