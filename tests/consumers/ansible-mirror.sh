#!/usr/bin/env bash
# output ansible: the roles mirror and repositories in copies of Debian 12 without internet: the mirror has its packages from its own folder, nginx 1.22 and docker-registry 2.8 as they were left serve it, apt of another node gets its lists and a package by HTTPS from it alone, once the site's authority is trusted; a second run changes nothing; 3 negative tests
# heavy: 40 s; consumer.mirror and nginx read the same files
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook nginx docker-registry openssl curl gpg dpkg-deb createrepo_c rpmbuild python3 ip update-ca-certificates
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system -n
compile_case mirror
# These two roles' plays alone: each play looks at its machine anew
python3 - "$out/ansible/site.yml" <<'PY' || fail "the order of plays"
import sys, yaml
plays = [p for p in yaml.safe_load(open(sys.argv[1])) if {r["role"] for r in p.get("roles", [])} & {"mirror", "repositories"}]
assert [[r["role"] for r in p["roles"]] for p in plays] == [["mirror"], ["repositories"]] and plays[0]["hosts"] == "group_store", plays
yaml.safe_dump(plays, open(sys.argv[1], "w"))
PY
python3 "$src/tests/consumers/lib/upstream.py" "$out/mirror" "$work/internet" > "$work/upstream.log" || fail "no upstream"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=The site" -keyout "$work/ca.key" -out "$work/ca.pem" 2> "$work/openssl.log" &&
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=depot -keyout "$work/depot.key" -out "$work/depot.csr" 2> "$work/openssl.log" &&
  echo subjectAltName=DNS:depot > "$work/depot.ext" &&
  openssl x509 -req -in "$work/depot.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 -extfile "$work/depot.ext" -out "$work/depot.pem" 2> "$work/openssl.log" || { cat "$work/openssl.log" >&2; fail "no certificates"; }
gpg --dearmor < "$work/internet/key.asc" > "$work/key.gpg" 2> "$work/gpg.log" || fail "no key"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
ip link set lo up && ip addr add 10.1.0.81/24 dev lo || exit 9
# system NAME: one of its own; the distribution's archive is signed by the upstream's key there
system() {
  system=$work/$1 root=$work/$1/root
  play_system "$system" || exit 9
  mkdir -p "$root/root/tree" && cp -r "$work/case-mirror/." "$root/root/tree/" && cp "$work/ca.pem" "$root/root/site-ca.pem" && cp "$work/key.gpg" "$root/usr/share/keyrings/debian-archive-keyring.gpg"
  rm -rf "$root"/var/lib/apt/lists/* "$root"/etc/apt/sources.list.d/* "$root"/usr/local/share/ca-certificates/*
  cp "$work/case-mirror/hosts/hosts" "$root/etc/hosts"
  echo "deb http://deb.debian.org/debian bookworm main" > "$root/etc/apt/sources.list"
}
changed() { grep -o 'changed=[0-9]*' "$1" | tr '\n' ' '; }
uris() { sed -n 's/^URIs: //p' "$root"/etc/apt/sources.list.d/*.sources | sort | tr '\n' ' '; }

system depot
play "$system" --limit depot --tags mirror > "$work/missing" 2>&1 && fail "the role mirror serves nothing without a word"
grep -q '/srv/mirror/packages is not there' "$work/missing" || { tail -20 "$work/missing" >&2; fail "the role mirror does not say what is missing"; }
mkdir -p "$root/srv/mirror" && cp -r "$work/internet" "$root/srv/mirror/packages" && cp "$work/depot.pem" "$root/etc/nginx/cluster-mirror.pem" && cp "$work/depot.key" "$root/etc/nginx/cluster-mirror.key"
for run in first second; do play "$system" --limit depot --tags mirror > "$work/depot-$run" 2>&1 || { grep -v '^$' "$work/depot-$run" | tail -20 >&2; fail "the mirror, $run run"; }; done
equal "the mirror: a second run changes" "$(changed "$work/depot-second")" "changed=0 "
equal "the mirror reads" "$(uris)" "file:///srv/mirror/packages/deb.debian.org/debian file:///srv/mirror/packages/security.debian.org/debian-security "
for unit in nginx docker-registry; do chroot "$root" systemctl is-enabled --quiet "$unit" || fail "$unit does not start with the machine"; done
mkdir -p "$root/var/log/nginx" "$root/var/lib/nginx" "$root/run" "$root/srv/mirror/registry"
chroot "$root" nginx -g 'daemon off;' > "$work/nginx.log" 2>&1 & web=$!
chroot "$root" docker-registry serve /etc/docker/registry/config.yml > "$work/registry.log" 2>&1 & registry=$!
trap 'kill $web $registry; wait' EXIT

system n1
chroot "$root" curl -s -o /dev/null https://depot/packages/key.asc; [ $? = 60 ] || fail "a node trusts a mirror before it knows its authority"
for run in first second; do play "$system" --limit n1 > "$work/n1-$run" 2>&1 || { grep -v '^$' "$work/n1-$run" | tail -20 >&2; fail "a node, $run run"; }; done
equal "a node: a second run changes" "$(changed "$work/n1-second")" "changed=0 "
equal "a node reads" "$(uris)" "https://depot/packages/deb.debian.org/debian https://depot/packages/developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/ https://depot/packages/download.docker.com/linux/debian https://depot/packages/nvidia.github.io/libnvidia-container/stable/deb/amd64/ https://depot/packages/security.debian.org/debian-security "
# Copies of replaced files (NAME~) stay, and apt does not read them.
grep -rhE --exclude='*~' '^(deb|URIs)' "$root"/etc/apt/sources.list* | grep -v 'https://depot/' && fail "something still comes from the internet"
chroot "$root" apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::sourceparts=/etc/apt/sources.list.d update > "$work/apt" 2>&1 && ! grep -qE '^(W|E|Err)' "$work/apt" || { cat "$work/apt" >&2; fail "apt-get update"; }
name=$(sed -n 's/^Package: //p' "$work/internet/developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/Packages")
chroot "$root" sh -c "cd /tmp && apt-get -q -o APT::Sandbox::User=root download $name" > "$work/apt" 2>&1 || { cat "$work/apt" >&2; fail "apt-get download $name"; }
equal "the registry, through nginx" "$(chroot "$root" curl -s -o /dev/null -w '%{http_code}' https://depot/v2/)" 200
# an index that was changed on the mirror
index=$work/depot/root/srv/mirror/packages/deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages
sed -i 's/holds nothing/holds something/' "$index" && gzip -c "$index" > "$index.gz" && rm -rf "$root"/var/lib/apt/lists/*
chroot "$root" apt-get -q -o APT::Sandbox::User=root update > "$work/apt" 2>&1 && ! grep -q '^E:' "$work/apt" && fail "apt takes a changed index"
echo "ok: refused, no folder, no authority, a changed index"
SCRIPT
unshare -m -u -p -f -n --propagation private bash "$work/for-real" "$src" "$work"
