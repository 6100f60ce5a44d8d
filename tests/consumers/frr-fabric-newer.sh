#!/usr/bin/env bash
# output sonic: the same with FRR 10.3 (Debian 13, unpacked by scripts/newer-frr); 3 negative tests
# heavy: 80 s, and consumer.frr-fabric shows the same with FRR 8.4
. "$(dirname "$0")/lib/common.bash" "$@"
need ip nsenter sysctl python3 unshare chroot
root=${CLUSTERC_NEWER_FRR:-$src/build/newer-frr/trixie}
[ -d "$root" ] || missing "no newer FRR in build/newer-frr/trixie: scripts/newer-frr unpacks one"
release=$(chroot "$root" /usr/lib/frr/bgpd --version | sed -n 's/^bgpd version //p')
case $release in 10.*) ;; *) fail "'$root' holds FRR '$release', this test knows 10" ;; esac
say "FRR $release"

scratch=$(mktemp -d /tmp/clusterc-frr-XXXXXX) && chmod 755 "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT

compile roce-fabric
"$bin" plan "$src/examples/roce-fabric.yaml" -o "$work/plan" --exports book > "$work/plan.log" 2>&1 || { cat "$work/plan.log" >&2; fail "clusterc plan"; }
# Its daemons run in a copy of that system, in which this folder has the same path as outside, and what scripts of packages would make is there.
mkdir -p "$scratch/upper" "$scratch/inner" "$scratch/root" "$scratch/run"
export FRR_ROOT=$scratch/root
unshare -m --propagation private sh -c '
  mount -t tmpfs none "$1/upper" && mkdir "$1/upper/up" "$1/upper/work" &&
  mount -t overlay none -o "lowerdir=$2,upperdir=$1/upper/up,workdir=$1/upper/work" "$1/root" &&
  mkdir -p "$1/root$1/run" "$1/root/proc" "$1/root/dev" && mount --bind "$1/run" "$1/root$1/run" &&
  rm -rf "$1/root/var/run" && ln -s ../run "$1/root/var/run" && mkdir -p "$1/root/run/frr" "$1/root/var/lib/frr" && chown 990:990 "$1/root/var/lib/frr" &&
  printf "%s\n" "auth sufficient pam_permit.so" "account sufficient pam_permit.so" | tee "$1/root/etc/pam.d/frr" > "$1/root/etc/pam.d/other" &&
  mount -t proc none "$1/root/proc" && mount --rbind /dev "$1/root/dev" || exit 77
  shift 2
  exec "$@"' sh "$scratch" "$root" \
  python3 "$(dirname "$0")/lib/frr_fabric.py" "$out" "$work/plan" compute "$scratch/run" 2> "$work/newer.log"
status=$?
[ $status -ne 77 ] || cannot "no system can be laid over another here ($(head -1 "$work/newer.log"))"
[ $status -eq 0 ] || { cat "$work/newer.log" >&2; fail "network compute of examples/roce-fabric.yaml"; }
