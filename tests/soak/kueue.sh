#!/usr/bin/env bash
# Compiled queues, topologies and first jobs under the real controllers: Kueue, MPI Operator, kube-scheduler, and the job and garbage collectors of
# kube-controller-manager, with kube-apiserver and etcd in a network of its own. Only the kubelets are played (kueue.py). What it shows: kueue.py.
#   tests/soak/kueue.sh CLUSTERC SOURCE_DIR WORK_DIR         after scripts/kubernetes --kueue; 0 all as it should be, 1 not, 77 something is not here
. "$(dirname "$0")/../consumers/lib/common.bash" "$@"
need etcd openssl python3 curl
program=${CLUSTERC_KUBERNETES:-$src/build/kubernetes/kubernetes}
[ -x "$program" ] || missing "no API server in build/kubernetes: scripts/kubernetes builds one"
kueue=$(dirname "$program")/kueue
[ -x "$kueue/kueue" ] || missing "no Kueue in build/kubernetes/kueue: scripts/kubernetes --kueue builds it"
. "$src/tests/consumers/lib/kubernetes.bash"
own_network "$0" "$@"
# Ports of the programs are fixed, their log files and certificates are not: the folder that Kueue reads its certificate of metrics from is.
mkdir -p /etc/kueue && mount -t tmpfs tmpfs /etc/kueue || cannot "no file system can be mounted here"
api_server

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout "$run/tls.key" -out "$run/tls.crt" 2> /dev/null ||
  fail "openssl makes no certificate"
mkdir -p /etc/kueue/metrics/certs "$run/hooks" && cp "$run/tls.key" "$run/tls.crt" /etc/kueue/metrics/certs && cp "$run/tls.key" "$run/tls.crt" "$run/hooks"
cat > "$run/kubeconfig" <<K
apiVersion: v1
kind: Config
clusters: [ { name: c, cluster: { server: "$place", insecure-skip-tls-verify: true } } ]
users: [ { name: u, user: { token: test-token } } ]
contexts: [ { name: x, context: { cluster: c, user: u } } ]
current-context: x
K
python3 "$src/tests/soak/kueue.py" definitions "$kueue/config" "$run" || fail "the files of Kueue's module"
printf -- 'apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n---\n' kueue-system mpi-operator default > "$run/spaces.yaml"
api apply "$run/spaces.yaml" "$run/definitions.yaml" "$src/tests/kubernetes/definitions/mpijobs.kubeflow.org.yaml" || fail "a definition is refused"
for _ in $(seq 120); do   # the server takes objects of a new kind a moment later
  curl -sk -f -H 'Authorization: Bearer test-token' "$place/apis/kubeflow.org/v2beta1/mpijobs" > /dev/null && curl -sk -f -H 'Authorization: Bearer test-token' "$place/apis/kueue.x-k8s.io/v1beta2/workloads" > /dev/null && break
  sleep 0.25
done

# start NAME COMMAND…
start() {
  local name=$1
  shift
  "$@" > "$run/$name.log" 2>&1 &
  pids+=($!)
  sleep 1
  kill -0 "${pids[-1]}" 2> /dev/null || { tail -5 "$run/$name.log" >&2; fail "$name ended"; }
}
start scheduler "$kueue/kube-scheduler" --kubeconfig "$run/kubeconfig" --leader-elect=false --secure-port=0
start controllers "$kueue/kube-controller-manager" --kubeconfig "$run/kubeconfig" --leader-elect=false --secure-port=0 \
  --controllers=job-controller,garbage-collector-controller,resourcequota-controller
start mpi-operator "$kueue/mpi-operator" -kubeConfig "$run/kubeconfig" -kube-api-qps 50 -kube-api-burst 100
start kueue "$kueue/kueue" --kubeconfig "$run/kubeconfig" --config "$run/kueue.yaml" --feature-gates=VisibilityOnDemand=false --zap-log-level=2
for _ in $(seq 120); do
  curl -sf http://127.0.0.1:8081/readyz > /dev/null && break
  kill -0 "${pids[-1]}" 2> /dev/null || { tail -5 "$run/kueue.log" >&2; fail "Kueue ended"; }
  sleep 0.5
done
curl -sf http://127.0.0.1:8081/readyz > /dev/null || { tail -5 "$run/kueue.log" >&2; fail "Kueue is not ready"; }
api apply "$run/webhooks.yaml" || fail "Kueue's webhooks"
say "Kueue $(sed -n 's/^\tsigs.k8s.io\/kueue v//p' "$src/tests/kubernetes/kueue/go.mod"), MPI Operator $(sed -n 's/^\tgithub.com\/kubeflow\/mpi-operator v//p' "$src/tests/kubernetes/kueue/go.mod"), with Kueue's own configuration and webhooks"

compile kubernetes
compile_spec kueue-pods
python3 "$src/tests/soak/kueue.py" run "$place/test-token" "$work/kubernetes/kubernetes" "$work/kueue-pods/kubernetes" || fail "a job or a queue"
