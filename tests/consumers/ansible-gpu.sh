#!/usr/bin/env bash
# output ansible: apt of Debian 12, through the roles of GPU software, from a signed mirror of every repository with packages that hold nothing: keys, releases held to what the spec has, daemons, for B200 and MI300X, and a second run that changes nothing; 1 negative test
# heavy: 80 s; consumer.ansible-real plays all roles but those of GPU software, whose files consumer.ansible-plays reads
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 gpg dpkg-deb
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
"$bin" compile "$src/tests/consumers/specs/plays-gpu.yaml" -o "$work/plays" > "$work/plays.log" 2>&1 || { cat "$work/plays.log" >&2; fail "clusterc compile plays-gpu.yaml"; }
compile nvl72
python3 "$src/tests/consumers/lib/mirror.py" "$work"/plays/ansible/group_vars/group_*.yaml "$work/nvl72/ansible/group_vars/group_gpu.yaml" "$work/mirror" > "$work/mirror.log" || fail "no mirror"
say "$(cat "$work/mirror.log")"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
gpu=base,repositories,kernel,rdma,nvidia_driver,nvidia_fabric_manager,nvidia_imex,cuda,rocm
# fresh NAME TREE: a system of its own without any other source of packages, the mirror and the tree in it
fresh() {
  system=$work/$1 root=$work/$1/root
  play_system "$system" || exit 9
  mkdir -p "$root/root/tree" "$root/srv/mirror" && cp -r "$2/." "$root/root/tree/" && cp -r "$work/mirror/." "$root/srv/mirror/"
  rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root"/var/lib/apt/lists/*
}
installed() { chroot "$root" dpkg-query -W -f '${Package} ${Version}\n' "$@" 2> /dev/null | sort | tr '\n' ';'; }

fresh system "$work/plays"
play "$system" --forks 1 --limit b1,m1 --tags $gpu > "$work/first" 2>&1 || { grep -v '^$' "$work/first" | tail -20 >&2; fail "the first run"; }
# By hand. B200 needs open modules, NVLink's own manager beside the fabric manager; from R580 on its package bears no branch and is held to it.
equal "B200: driver and daemons" "$(installed nvidia-open-580 cuda-drivers-580 nvidia-fabricmanager nvlink5-580 nvidia-imex doca-ofed)" "doca-ofed 1.0-1;nvidia-fabricmanager 580.7;nvidia-open-580 1.0-1;nvlink5-580 1.0-1;"
equal "B200: CUDA and NCCL" "$(installed cuda-toolkit-13-0 libnccl2 libnccl-dev)" "cuda-toolkit-13-0 1.0-1;libnccl-dev 2.28.7+cuda13.5;libnccl2 2.28.7+cuda13.5;"
equal "MI300X" "$(installed amdgpu-dkms rocm)" "amdgpu-dkms 1.0-1;rocm 1.0-1;"
for unit in nvidia-persistenced nvidia-fabricmanager; do chroot "$root" systemctl is-enabled --quiet "$unit" || fail "$unit does not start with the machine"; done
equal "keys" "$(cd "$root/etc/apt/keyrings" && echo cluster-*)" "cluster-amdgpu.asc cluster-cuda.asc cluster-doca.asc cluster-rocm.asc"
equal "sources" "$(sed -n 's/^URIs: //p' "$root"/etc/apt/sources.list.d/cluster-*.sources | tr '\n' ' ')" "file:///srv/mirror/amdgpu/ file:///srv/mirror/cuda/ file:///srv/mirror/doca/ file:///srv/mirror/rocm/ "
[ -e "$root/etc/udev/rules.d/70-amdgpu.rules" ] || fail "AMD's devices are closed"
play "$system" --forks 1 --limit b1,m1 --tags $gpu > "$work/second" 2>&1 || { tail -20 "$work/second" >&2; fail "the second run"; }
equal "a second run changes" "$(grep -o 'changed=[0-9]*' "$work/second" | tr '\n' ' ')" "changed=0 changed=0 "

# The broken twin: an index that was changed on the way
fresh tampered "$work/plays"
sed -i 's/^Description: .*/Description: holds something else/' "$root/srv/mirror/cuda/Packages"
play "$system" --limit b1 --tags base,repositories,nvidia_driver > "$work/tampered.log" 2>&1 && fail "a changed index is believed"
[ -z "$(installed nvidia-open-580)" ] || fail "a package of a changed index is installed"
echo "ok: a changed index is refused"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
