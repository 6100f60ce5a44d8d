#!/usr/bin/env bash
# output mirror: skopeo sync 1.9, docker-registry 2.8, podman 4.3, containerd 1.6 and dockerd 20.10 (Debian 12) in a network namespace: images of three registries, by tag and by digest, synced by fill.sh from a registry that stands in their place, a second run fetches no layer; while that is gone each runtime gets them by their own names through the compiled files, the mirror's certificate verified; CRI-O reads the same file as podman, Enroot none; 7 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need skopeo docker-registry podman runc containerd ctr dockerd docker nginx openssl curl wget unshare ip busybox
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=The site" -keyout "$work/ca.key" -out "$work/ca.pem" 2> "$work/openssl.log" &&
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Somebody else" -keyout "$work/other.key" -out "$work/other.pem" 2> "$work/openssl.log" &&
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=depot -keyout "$work/depot.key" -out "$work/depot.csr" 2> "$work/openssl.log" &&
  echo subjectAltName=DNS:depot,DNS:nvcr.io,DNS:registry-1.docker.io,DNS:registry.k8s.io > "$work/depot.ext" &&
  openssl x509 -req -in "$work/depot.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 -extfile "$work/depot.ext" -out "$work/depot.pem" 2> "$work/openssl.log" || { cat "$work/openssl.log" >&2; fail "no certificates"; }
mkdir -p "$work/box/bin" && cp "$(command -v busybox)" "$work/box/bin/" && tar -cf "$work/box.tar" -C "$work/box" .
# Folders that something is mounted on, in a mount namespace, and that this machine may not have: they go again
made=
for d in /var/lib/containers /etc/containers/registries.conf.d /srv; do [ -d "$d" ] || made="$made $d"; done
mkdir -p /var/lib/containers /etc/containers/registries.conf.d /srv
trap '[ -z "$made" ] || rmdir $made 2> /dev/null' EXIT

cat > "$work/inside" <<'SCRIPT'
. "$src/tests/consumers/lib/play.bash"
ip link set lo up && for a in 10.1.0.17 10.1.0.33 192.0.2.1; do ip addr add "$a/24" dev lo || exit 9; done
for d in /srv /run /var/lib/containers /etc/containers/registries.conf.d; do mount -t tmpfs none "$d" || exit 9; done
{ echo "127.0.0.1 localhost"; echo "10.1.0.33 depot"; echo "192.0.2.1 nvcr.io registry-1.docker.io registry.k8s.io"; } > "$work/etc-hosts"
mount --bind "$work/etc-hosts" /etc/hosts && mount --bind "$work/ca.pem" /etc/ssl/certs/ca-certificates.crt || exit 9
export HOME=/run/home XDG_RUNTIME_DIR=/run/user TMPDIR=/run/tmp
mkdir -p "$HOME" "$XDG_RUNTIME_DIR" "$TMPDIR"
running=
trap 'kill $running 2> /dev/null; wait' EXIT
in_time() { local i; for i in $(seq 100); do "$@" > /dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }
nginx_with() {   # CONF LOG
  cat > "$work/$2.nginx" <<C
user root;
worker_processes 1;
daemon off;
pid /run/$2.pid;
error_log $work/$2.errors;
events { worker_connections 256; }
http {
  log_format short '\$request_method \$status \$request_uri';
  access_log $work/$2.log short;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  client_max_body_size 0;
  include $1;
}
C
  nginx -c "$work/$2.nginx" 2> "$work/$2.said" &
  running="$running $!" daemon=$!
}

# The three registries: one, by all of their names, with two images
printf 'version: 0.1\nlog: { level: error }\nstorage: { inmemory: {} }\nhttp: { addr: "192.0.2.1:5000" }\n' > "$work/upstream.yml"
docker-registry serve "$work/upstream.yml" > "$work/upstream.out" 2>&1 &
upstream=$! running=$!
cat > "$work/upstream.conf" <<C
server { listen 192.0.2.1:443 ssl; ssl_certificate $work/depot.pem; ssl_certificate_key $work/depot.key; location / { proxy_pass http://192.0.2.1:5000; proxy_set_header Host \$http_host; proxy_set_header X-Forwarded-Proto https; } }
C
nginx_with "$work/upstream.conf" upstream
internet=$daemon
in_time curl -sf https://nvcr.io/v2/ || fail "no registry in the place of the internet's"
podman import -q "$work/box.tar" box > /dev/null 2> "$work/podman.out" || { cat "$work/podman.out" >&2; fail "podman import"; }
for to in registry-1.docker.io/library/debian:12 nvcr.io/nvidia/pytorch:25.09-py3 registry.k8s.io/pause:3.9; do podman push -q box "docker://$to" > "$work/podman.out" 2>&1 || { cat "$work/podman.out" >&2; fail "podman push $to"; }; done
podman rmi -f box > /dev/null 2>&1
digest=$(skopeo inspect --format '{{.Digest}}' docker://registry.k8s.io/pause:3.9)
case $digest in sha256:*) ;; *) fail "no digest: $digest" ;; esac

sed "s|sha256:0*|$digest|" "$src/tests/consumers/specs/mirror-images.yaml" > "$work/spec.yaml"
"$bin" compile "$work/spec.yaml" -o "$work/tree" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile"; }
tree=$work/tree node=$work/tree/containers/work
fill() { sh "$tree/mirror/fill.sh" > "$work/fill.out" 2>&1; }
: > "$work/upstream.log"
fill || { tail -5 "$work/fill.out" >&2; fail "fill.sh"; }
layers() { grep -c '^GET 200 .*/blobs/' "$work/upstream.log"; }
[ "$(layers)" -ge 3 ] || fail "skopeo fetched no layers"
: > "$work/upstream.log"
fill || fail "the second run of fill.sh"
equal "layers that a second run fetches" "$(layers)" 0
equal "images by the registry that they are from" "$(cd /srv/mirror/registry/docker/registry/v2/repositories && find . -name _manifests | sort | tr '\n' ' ')" "./docker.io/library/debian/_manifests ./nvcr.io/nvidia/pytorch/_manifests ./registry.k8s.io/pause/_manifests "
cp "$tree/mirror/images.yaml" "$work/images.yaml"
sed -i 's/25.09-py3/no-such-tag/' "$tree/mirror/images.yaml"; fill && fail "fill.sh does not say that an image is missing"
grep -q '^not fetched: an image' "$work/fill.out" || fail "fill.sh names no image"
sed -i 's/^nvcr.io:/nvcr.io: [/' "$tree/mirror/images.yaml"; fill && fail "skopeo takes a list that is no YAML"
cp "$work/images.yaml" "$tree/mirror/images.yaml"
echo "ok: refused, an image that is not there, a list that is no YAML"

# The mirror, and no internet any more
kill "$upstream" "$internet"; wait "$upstream" "$internet" 2> /dev/null
sed 's/^version: .*/version: "9.9"/' "$tree/mirror/registry.yml" > "$work/twin.yml"
timeout 5 docker-registry serve "$work/twin.yml" > "$work/twin.out" 2>&1; [ $? = 1 ] && grep -qi version "$work/twin.out" || fail "docker-registry takes any version of its configuration"
docker-registry serve "$tree/mirror/registry.yml" > "$work/registry.out" 2>&1 &
running="$running $!"
sed "s|/etc/nginx/cluster-mirror|$work/depot|" "$tree/nginx/mirror.conf" > "$work/mirror.conf"
nginx_with "$work/mirror.conf" mirror
in_time curl -sf https://depot/v2/ || { cat "$work/registry.out" "$work/mirror.errors" >&2; fail "the mirror does not answer"; }
images="docker.io/library/debian:12 nvcr.io/nvidia/pytorch:25.09-py3 registry.k8s.io/pause@$digest"

cp "$node/registries.conf" /etc/containers/registries.conf.d/90-cluster-mirror.conf
pull() { podman pull -q "$1" > "$work/podman.out" 2>&1; }
for image in $images; do pull "$image" || { cat "$work/podman.out" >&2; fail "podman pull $image"; }; done
for image in $images; do podman image exists "$image" || fail "podman does not have $image"; done
echo "ok: podman has them"
podman rmi -af > /dev/null 2>&1
equal "to write" "$(curl -s -o /dev/null -w '%{http_code}' --interface 10.1.0.17 -X POST https://depot/v2/nvcr.io/x/y/blobs/uploads/)" 403
sed -i 's/:443/:444/' /etc/containers/registries.conf.d/90-cluster-mirror.conf; pull "${images##* }" && fail "podman finds a mirror at another port"
printf '[[registry]\n' > /etc/containers/registries.conf.d/90-cluster-mirror.conf; pull "${images##* }" && fail "podman takes what is no TOML"
cp "$node/registries.conf" /etc/containers/registries.conf.d/90-cluster-mirror.conf

# containerd, with what its CRI reads too; runtimes' own folders are in memory
containerd -c "$node/containerd.toml" --root /run/cd/root --state /run/cd/state --address /run/cd/sock > "$work/containerd.out" 2>&1 &
running="$running $!"
in_time ctr -a /run/cd/sock version || { tail -5 "$work/containerd.out" >&2; fail "containerd does not start"; }
ctr_pull() { ctr -a /run/cd/sock images pull --snapshotter native --hosts-dir "$1" "$2" > "$work/ctr.out" 2>&1; }
for image in $images; do ctr_pull "$node/certs.d" "$image" || { tail -5 "$work/ctr.out" >&2; fail "ctr images pull $image"; }; done
equal "containerd has" "$(ctr -a /run/cd/sock images ls -q | sort | tr '\n' ' ')" "docker.io/library/debian:12 nvcr.io/nvidia/pytorch:25.09-py3 registry.k8s.io/pause@$digest "
ctr -a /run/cd/sock images rm $images > /dev/null 2>&1
cp -r "$node/certs.d" "$work/twin.d" && sed -i /override_path/d "$work/twin.d/nvcr.io/hosts.toml"
ctr_pull "$work/twin.d" nvcr.io/nvidia/pytorch:25.09-py3 && fail "containerd needs no override_path"
echo "ok: refused, a mirror's path that is not said to be one"

# dockerd asks a mirror for docker.io's alone: others are pulled by the mirror's name
dockerd --config-file "$node/daemon.json" --iptables=false --ip6tables=false --bridge=none --storage-driver vfs --data-root /run/dk/data --exec-root /run/dk/exec -H unix:///run/dk/s --pidfile /run/dk/pid > "$work/dockerd.out" 2>&1 &
running="$running $!"
export DOCKER_HOST=unix:///run/dk/s
in_time docker info || { tail -5 "$work/dockerd.out" >&2; fail "dockerd does not start"; }
docker pull -q debian:12 > "$work/docker.out" 2>&1 || { cat "$work/docker.out" >&2; fail "docker pull debian:12"; }
docker pull -q depot:443/nvcr.io/nvidia/pytorch:25.09-py3 > "$work/docker.out" 2>&1 || { cat "$work/docker.out" >&2; fail "docker pull by the mirror's name"; }
equal "docker has" "$(docker images --format '{{.Repository}}:{{.Tag}}' | sort | tr '\n' ' ')" "debian:12 depot:443/nvcr.io/nvidia/pytorch:25.09-py3 "

# An authority that is not the site's
mount --bind "$work/other.pem" /etc/ssl/certs/ca-certificates.crt
for image in $images; do pull "$image" && fail "podman trusts whom it does not know"; done
grep -q 'x509: certificate signed by unknown authority' "$work/podman.out" || { cat "$work/podman.out" >&2; fail "podman does not say whom it does not trust"; }
echo "ok: refused, an authority that is not the site's"
SCRIPT
src=$src work=$work bin=$bin unshare -nm --propagation private bash "$work/inside"
