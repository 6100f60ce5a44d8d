#!/usr/bin/env bash
# output ansible: apt of Debian 12, through the roles of GPU software, from a signed mirror of every repository with packages that hold nothing: keys, releases held to what the spec has, daemons, modules for boards with NVSwitches, Volta, NVL72 and MI300X, and a second run that changes nothing; 2 broken twins
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 gpg dpkg-deb
export LC_ALL=C.UTF-8 HOME=$work
grep -q '^ID=debian' /etc/os-release && grep -q '^VERSION_ID="12"' /etc/os-release || { echo "skipped: this is no Debian 12"; exit 77; }
unshare -m -u -p -f --propagation private bash -c ". '$src/tests/consumers/lib/play.bash'; play_system '$work/try'" 2> "$work/unshare.log" ||
  { echo "skipped: no copy of this system can be mounted here ($(head -1 "$work/unshare.log"))"; exit 77; }
"$bin" compile "$src/tests/consumers/specs/plays-gpu.yaml" -o "$work/plays" > "$work/plays.log" 2>&1 || { cat "$work/plays.log" >&2; fail "clusterc compile plays-gpu.yaml"; }
compile nvl72
python3 "$src/tests/consumers/lib/mirror.py" "$work"/plays/ansible/group_vars/group_*.yaml "$work/nvl72/ansible/group_vars/group_gpu.yaml" "$work/mirror" > "$work/mirror.log" || fail "no mirror"
say "$(cat "$work/mirror.log")"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
fail() { echo "FAILED: $*" >&2; exit 1; }
equal() { [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"; echo "ok: $1: $2"; }
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

# Volta: the proprietary modules, and nvidia-peermem with the vendor's stack. Hopper: a release, and not the newer one of its branch.
fresh others "$work/plays"
play "$system" --forks 1 --limit h1,v1 --tags $gpu > "$work/v1h1" 2>&1 || { grep -v "^\$" "$work/v1h1" | tail -20 >&2; fail "V100 and H100"; }
equal "V100" "$(installed cuda-drivers-580 mlnx-ofed-all cuda-toolkit-12-9)" "cuda-drivers-580 1.0-1;cuda-toolkit-12-9 1.0-1;mlnx-ofed-all 1.0-1;"
equal "V100: modules" "$(cat "$root/etc/modules-load.d/90-cluster.conf")" nvidia-peermem
equal "H100" "$(installed nvidia-open-570 nvidia-fabricmanager-570 nvlink5-570)" "nvidia-fabricmanager-570 570.124.06-1;nvidia-open-570 570.124.06-1;"

# What H100's check of health says, with a program that stands for nvidia-smi
play "$system" --limit h1 --tags base,health_check > "$work/h1" 2>&1 || { tail -20 "$work/h1" >&2; fail "the check of health"; }
health() {
  printf '#!/bin/sh\nyes %s | head -n %s\n' "$1" "$2" > "$root/usr/bin/nvidia-smi" && chmod 755 "$root/usr/bin/nvidia-smi"
  chroot "$root" /usr/local/sbin/cluster-health | grep GPU | tr '\n' ';'
}
equal "health of 8 GPUs" "$(health 570.124.06 8)" ""
equal "health of 7 GPUs" "$(health 570.124.06 7)" "7 GPUs of 8;"
equal "health with another driver" "$(health 570.124.061 8)" "GPU driver '570.124.061' and not 570.124.06;"
chroot "$root" /usr/local/sbin/cluster-health > "$work/health" && fail "all is well without a daemon and a link"
grep -qx 'link inband1 is not up' "$work/health" && grep -qx 'nvidia-fabricmanager does not run' "$work/health" || { cat "$work/health" >&2; fail "the check of health says something else"; }
if command -v shellcheck > /dev/null; then shellcheck "$root/usr/local/sbin/cluster-health" || fail "shellcheck finds something"; fi

# A tray of NVL72: no fabric manager (it is in the switch trays), IMEX with the addresses of its own frame: gpu019 is the first of the second
fresh tray "$work/nvl72"
play "$system" --limit gpu019 --tags repositories,nvidia_driver,nvidia_fabric_manager,nvidia_imex -e repositories_mirror=file:///srv/mirror > "$work/gpu019" 2>&1 || { grep -v "^\$" "$work/gpu019" | tail -20 >&2; fail "NVL72"; }
equal "NVL72" "$(installed nvidia-open-580 nvidia-fabricmanager nvidia-imex)" "nvidia-imex 580.7;nvidia-open-580 1.0-1;"
equal "NVL72: the domain of gpu019" "$(tr '\n' ' ' < "$root/etc/nvidia-imex/nodes_config.cfg")" "$(for n in $(seq -f 'gpu%03.0f' 19 36); do awk -v n="$n" '$2 == n || $3 == n { print $1; exit }' "$work/nvl72/hosts/hosts"; done | tr '\n' ' ')"

# Broken twins: an index that was changed on the way, a mirror that lacks a package
fresh tampered "$work/plays"
sed -i 's/^Description: .*/Description: holds something else/' "$root/srv/mirror/cuda/Packages"
play "$system" --limit b1 --tags base,repositories,nvidia_driver > "$work/tampered.log" 2>&1 && fail "a changed index is believed"
[ -z "$(installed nvidia-open-580)" ] || fail "a package of a changed index is installed"
echo "ok: a changed index is refused"
fresh lacking "$work/plays"
sed -i 's/^nvlink5-580$/nvlink5-581/; s/- nvlink5-580$/- nvlink5-581/' "$root/root/tree/ansible/group_vars/group_b200.yaml"
play "$system" --limit b1 --tags base,repositories,nvidia_driver,nvidia_fabric_manager > "$work/lacking.log" 2>&1 && fail "a package that is not there is no error"
grep -q "nvlink5-581" "$work/lacking.log" || fail "refused for another reason"
echo "ok: a package that the mirror lacks is refused"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
