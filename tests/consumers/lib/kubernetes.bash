# For tests that run Kubernetes; $program: that of scripts/kubernetes. Source common.bash first.
# own_network SCRIPT ARGUMENTS…: begins the script again in a network of its own: nobody else's ports, and nobody to ask for the newest release
own_network() {
  [ "$(id -u)" = 0 ] || cannot "only root can make a network without other machines in it"
  if [ -z "${CLUSTERC_OWN_NETWORK:-}" ]; then
    unshare -n -m true 2> "$work/unshare.log" || cannot "no network can be made here ($(head -1 "$work/unshare.log"))"
    CLUSTERC_OWN_NETWORK=1 exec unshare -n -m --propagation private "$@"
  fi
  ip link set lo up || cannot "the loopback of a new network cannot be set up"
  run=$work/run
  mkdir -p "$run"
}

pids=()
stop() {
  local p
  for p in "${pids[@]}"; do kill -KILL "$p" 2> /dev/null; done   # what they keep is thrown away
  wait 2> /dev/null
}

# api_server: etcd and the API server, without other controllers; $place is where it answers
api_server() {
  trap stop EXIT
  etcd --data-dir "$run/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 \
    --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380 --log-level warn > "$run/etcd.log" 2>&1 &
  pids+=($!)
  openssl genrsa -out "$run/sa.key" 2048 2> /dev/null || fail "openssl makes no key"
  echo 'test-token,test,test,system:masters' > "$run/tokens.csv"
  "$program" kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=127.0.0.1 --secure-port=6443 --cert-dir="$run/certs" --advertise-address=127.0.0.1 \
    --service-account-key-file="$run/sa.key" --service-account-signing-key-file="$run/sa.key" --service-account-issuer=https://127.0.0.1 --service-cluster-ip-range=10.0.0.0/24 \
    --token-auth-file="$run/tokens.csv" --authorization-mode=RBAC --enable-admission-plugins=NodeRestriction,ExtendedResourceToleration \
    --disable-admission-plugins=ServiceAccount > "$run/apiserver.log" 2>&1 &
  pids+=($!)
  place=https://127.0.0.1:6443
  for _ in $(seq 240); do
    curl -sk -H 'Authorization: Bearer test-token' "$place/readyz" > "$run/ready" 2> /dev/null && [ "$(cat "$run/ready")" = ok ] && break
    kill -0 "${pids[1]}" 2> /dev/null || { tail -5 "$run/apiserver.log" >&2; fail "the API server ended"; }
    sleep 0.5
  done
  [ "$(cat "$run/ready")" = ok ] || { tail -5 "$run/apiserver.log" >&2; fail "the API server is not ready"; }
  say "API server: $(curl -sk -H 'Authorization: Bearer test-token' "$place/version" | sed -n 's/.*"gitVersion": "\(.*\)".*/\1/p')"
}
api() { python3 "$src/tests/consumers/lib/kubernetes.py" "$place/test-token" "$@"; }
