#!/usr/bin/env bash
# tested mirror: apt-mirror 0.5, dnf 4.14, skopeo 1.9, docker-registry 2.8
# output mirror: apt-mirror 0.5, dnf reposync 4.14, wget 1.21 and nginx 1.22 (Debian 12) in a network namespace, from a small upstream with every repository and file that the golden case names: fetched at their paths, a second run fetches nothing but lists and what is new, what is missing there is said; served over HTTPS to the cluster alone, to installers over HTTP; apt and dnf install from the mirror while the upstream is gone, with its certificate verified; 7 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need apt-mirror dnf createrepo_c rpmbuild wget nginx openssl curl gpg dpkg-deb unshare ip python3 shellcheck
dnf reposync --help > /dev/null 2>&1 || missing "dnf has no reposync here"
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
compile_case mirror
shellcheck "$out/mirror/fill.sh" || fail "shellcheck does not like fill.sh"
python3 "$src/tests/consumers/lib/upstream.py" "$out/mirror" "$work/internet" || fail "no upstream"
# The site's authority, of the upstream here too: certificates for the hosts of the internet and for the mirror
authority() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$2" -keyout "$work/$1.key" -out "$work/$1.pem" 2> "$work/openssl.log" || fail "no authority"; }
certificate() {   # NAME NAMES…
  local name=$1 names
  shift
  names=$(printf 'DNS:%s,' "$@")
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$work/$name.key" -out "$work/$name.csr" 2> "$work/openssl.log" &&
    printf 'subjectAltName=%s\n' "${names%,}" > "$work/$name.ext" &&
    openssl x509 -req -in "$work/$name.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 -extfile "$work/$name.ext" -out "$work/$name.pem" 2>> "$work/openssl.log" || fail "no certificate"
}
authority ca "The site"
authority other "Somebody else"
mapfile -t hosts < "$work/internet/hosts"
certificate internet "${hosts[@]}"
certificate depot depot depot.closed.example

cat > "$work/inside" <<'SCRIPT'
. "$src/tests/consumers/lib/play.bash"
ip link set lo up && for a in 10.1.0.2 10.1.0.81 10.9.0.9 192.0.2.1; do ip addr add "$a/24" dev lo || exit 9; done
mount -t tmpfs none /srv || exit 9
{ echo "127.0.0.1 localhost"; echo "10.1.0.81 depot depot.closed.example"; echo "192.0.2.1 ${hosts[*]}"; } > "$work/etc-hosts"
mount --bind "$work/etc-hosts" /etc/hosts && mount --bind "$work/ca.pem" /etc/ssl/certs/ca-certificates.crt || exit 9
around() {   # NAME FILE: an nginx of its own around a file
  cat > "$work/$1.nginx" <<C
user root;
worker_processes 1;
pid $work/$1.pid;
error_log $work/$1.errors;
events { worker_connections 256; }
http {
  log_format short '\$request_method \$status \$request_uri';
  access_log $work/$1.log short;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  include $2;
}
C
}
start() { nginx -c "$work/$1.nginx" 2> "$work/$1.said" || { cat "$work/$1.said" >&2; fail "nginx for $1"; }; }
stop() { kill -QUIT "$(cat "$work/$1.pid")"; while [ -e "$work/$1.pid" ]; do sleep 0.05; done; }
trap 'for p in "$work"/*.pid; do [ ! -e "$p" ] || kill "$(cat "$p")"; done' EXIT

# The internet: every host by its name
cat > "$work/internet.conf" <<C
server {
  listen 192.0.2.1:80; listen 192.0.2.1:443 ssl;
  ssl_certificate $work/internet.pem; ssl_certificate_key $work/internet.key;
  location / { root $work/internet/\$host; }
}
C
around internet "$work/internet.conf"
start internet
sed '/^images$/d' "$tree/mirror/fill.sh" > "$tree/mirror/fill-packages.sh"   # images: mirror-images.sh
fill() { sh "$tree/mirror/fill-packages.sh" > "$work/$1.out" 2>&1; }
fill first || { grep -v '^\[' "$work/first.out" | tail -20 >&2; fail "fill.sh"; }
packages=/srv/mirror/packages
fetched() { (cd "$1" && find . -type f \( -name '*.deb' -o -name '*.rpm' -o -name Release -o -name Release.gpg -o -name Packages.gz -o -name repomd.xml -o -path '*/installer-*' -o -path '*/pxeboot/*' -o -name install.img -o -name .treeinfo -o -name '*.pub' \) ! -path './.*' -exec sha256sum {} + | sort -k 2); }
fetched "$work/internet" > "$work/there" && fetched $packages > "$work/here"
diff "$work/there" "$work/here" > "$work/diff" || { head -5 "$work/diff" >&2; fail "the mirror does not have what the upstream has"; }
equal "files at the paths that they have upstream" "$(wc -l < "$work/here")" "$(wc -l < "$work/there")"
: > "$work/internet.log"; kill -USR1 "$(cat "$work/internet.pid")"
fill second || fail "the second run of fill.sh"
equal "files that a second run fetches, beside lists of suites and of dnf's repositories" "$(grep '^GET 200 ' "$work/internet.log" | grep -v -e /repodata/ -e '/Release$' | wc -l)" 0
[ "$(grep -c '^GET 304 ' "$work/internet.log")" -ge 30 ] || fail "the second run asked for nothing"
# What is not there any more is said: an index, a file, a repository
mv "$work/internet/archive.ubuntu.com/ubuntu/dists/noble" "$work/noble.away"
fill twin && fail "fill.sh does not say that an index is missing"
grep -q "^not fetched: archive.ubuntu.com/ubuntu/dists/noble/Release$" "$work/twin.out" || fail "fill.sh names no index"
mv "$work/noble.away" "$work/internet/archive.ubuntu.com/ubuntu/dists/noble"
deb=$(cd "$work/internet" && find deb.debian.org -name '*.deb' | head -1)
rm "$packages/$deb"
for gone in "$deb" deb.debian.org/debian/dists/bookworm/main/installer-amd64/current/images/netboot/debian-installer/amd64/linux download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os/repodata/repomd.xml; do
  mv "$work/internet/$gone" "$work/away"
  fill twin && fail "fill.sh does not say that $gone is missing"
  mv "$work/away" "$work/internet/$gone"
done
echo "ok: refused, a mirror that is not whole"
sed 's/^deb \[arch=amd64\] http/debs http/' "$tree/mirror/mirror.list" > "$work/broken.list"
apt-mirror "$work/broken.list" > "$work/broken.out" 2>&1 && fail "apt-mirror takes a line that is none"
grep -q "invalid line in config file" "$work/broken.out" || fail "apt-mirror does not say which line"
echo "ok: refused, a line that is none"
# A package that is new upstream comes at the next run
os=download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os
sed 's/^Name: .*/Name: try-new/' "$work/internet/.spec" > "$work/new.spec"
rpmbuild -bb --quiet --define "_rpmdir $work/internet/$os" --define "_topdir $work/rpm" --define '_build_name_fmt %%{NAME}-1.rpm' "$work/new.spec" > "$work/rpm.out" 2>&1 && createrepo_c --quiet "$work/internet/$os" || fail "no new package"
fill third || fail "fill.sh once more"
[ -s "$packages/$os/try-new-1.rpm" ] || fail "what is new upstream is not fetched"
stop internet

# The mirror, and no internet any more
sed -i '/^192/d' "$work/etc-hosts"
mirror_conf() { sed "s|/etc/nginx/cluster-mirror|$1|" "$tree/nginx/mirror.conf" > "$work/mirror.conf"; }
mirror_conf "$work/depot"
around mirror "$work/mirror.conf"
start mirror
get() { curl -s -o "$work/got" -w '%{http_code} ' --interface "$1" "${@:3}" "$2"; }
(cd $packages && find . -type f -printf '%P\n') > "$work/paths"
while read -r path; do
  [ "$(get 10.1.0.2 "https://depot/packages/$path")" = "200 " ] && cmp -s "$work/got" "$packages/$path" || echo "$path"
done < "$work/paths" > "$work/unserved"
equal "files that are not served as they are" "$(wc -l < "$work/unserved")" 0
one=$(grep 'linux$' "$work/paths")
equal "by its other names, and to installers" "$(get 10.1.0.2 "https://depot.closed.example/packages/$one")$(get 10.1.0.2 "http://10.1.0.81/packages/$one")" "200 200 "
equal "no more than packages, no stranger, nothing written" "$(get 10.1.0.2 https://depot/)$(get 10.1.0.2 https://depot/.apt-mirror/var/ALL)$(get 10.1.0.2 https://depot/packages/)$(get 10.1.0.2 "http://10.1.0.81/v2/")$(get 10.9.0.9 "https://depot/packages/$one")$(get 10.9.0.9 https://depot/v2/)$(get 10.1.0.2 "https://depot/packages/$one" -X PUT -d x)$(get 10.1.0.2 https://depot/v2/ -d x)" "404 404 403 404 403 403 403 403 "

# apt and dnf, from what they are told (the roles write it: ansible-mirror.sh)
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" && : > "$work/apt/status"
cat > "$work/apt/sources.list" <<L
deb [signed-by=$work/internet/key.asc] https://depot/packages/deb.debian.org/debian bookworm main
deb [signed-by=$work/internet/key.asc] https://depot/packages/developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/ ./
L
with_apt() { apt-get -q -o Dir::State="$work/apt" -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache" -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root -o APT::Architecture=amd64 "$@" > "$work/apt.out" 2>&1; }
with_apt update && ! grep -qE '^(W|E|Err)' "$work/apt.out" || { cat "$work/apt.out" >&2; fail "apt-get update from the mirror"; }
for name in $(cd "$work/internet" && cat deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/Packages | sed -n 's/^Package: //p'); do (cd "$work/apt" && with_apt download "$name") || { cat "$work/apt.out" >&2; fail "apt-get download $name"; }; done
equal "packages that apt downloads" "$(find "$work/apt" -name '*.deb' | wc -l)" 2
with_dnf() { dnf -q --releasever=9 --installroot "$work/dnf" --setopt=reposdir="$work/dnf-repos" --setopt=cachedir="$work/dnf-cache" "$@" > "$work/dnf.out" 2>&1; }
mkdir -p "$work/dnf-repos"
printf '[BaseOS]\nname=BaseOS\nbaseurl=https://depot/packages/download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os/\ngpgcheck=0\n' > "$work/dnf-repos/mirror.repo"
with_dnf repoquery --available && grep -q '^try-rpm' "$work/dnf.out" || { cat "$work/dnf.out" >&2; fail "dnf finds no package on the mirror"; }
echo "ok: dnf: $(cat "$work/dnf.out")"

# Broken twins: an authority that is not the site's; an index that was changed on the way
mount --bind "$work/other.pem" /etc/ssl/certs/ca-certificates.crt
rm -rf "$work"/apt/lists/*_*
with_apt update && ! grep -q '^Err' "$work/apt.out" && fail "apt trusts a mirror whose authority it does not know"
rm -rf "$work/dnf-cache"; with_dnf repoquery --available && grep -q '^try-rpm' "$work/dnf.out" && fail "dnf trusts a mirror whose authority it does not know"
umount /etc/ssl/certs/ca-certificates.crt
echo "ok: refused, an authority that is not the site's"
index=$packages/deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages
gzip -dc "$index.gz" | sed 's/holds nothing/holds something/' | gzip > "$work/changed.gz" && cp "$work/changed.gz" "$index.gz"; rm -f "$index" "$index.xz"
rm -rf "$work"/apt/lists/*_*
with_apt update && ! grep -q '^E:' "$work/apt.out" && fail "apt takes a changed index"
echo "ok: refused, a changed index"
SCRIPT
printf -v names '%q ' "${hosts[@]}"
src=$src work=$work tree=$out unshare -nm --propagation private bash -c "hosts=($names); . '$work/inside'"
