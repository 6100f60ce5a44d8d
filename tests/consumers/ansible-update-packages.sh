#!/usr/bin/env bash
# output ansible: apt of Debian 12 with a signed mirror that has a newer release: upgrades of the system leave driver and fabric manager alone, update.yml brings all of them to the release of the spec and back, a node that runs another release is left alone by site.yml; 1 negative test
# heavy: 70 s; consumer.ansible-update takes nodes through an update with packages that are made up
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 gpg dpkg-deb
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
for release in 580.95.05 580.105.08; do
  sed "s/gpu_driver: .*/gpu_driver: $release/" "$src/tests/consumers/specs/plays-update.yaml" > "$work/spec.yaml"
  "$bin" compile "$work/spec.yaml" -o "$work/$release" > "$work/plays.log" 2>&1 || { cat "$work/plays.log" >&2; fail "clusterc compile plays-update.yaml"; }
  cat > "$work/$release/ansible/packages.yml" <<'PLAY'
- hosts: h1
  tasks:
    - ansible.builtin.include_role: { name: update, tasks_from: packages }
PLAY
done
# What belongs to the driver, and what has a name like it and releases of its own
cat > "$work/more.yaml" <<'MORE'
cluster_nvidia_packages: ["libnvidia-compute=580.95.05-*", "nvidia-container-toolkit=1.17.0-*"]
MORE
sed 's/580.95.05/580.105.08/; s/, "nvidia-cont.*"//' "$work/more.yaml" > "$work/more-2.yaml"
python3 "$src/tests/consumers/lib/mirror.py" "$work"/580*/ansible/group_vars/group_h100.yaml "$work"/more*.yaml "$work/mirror" > "$work/mirror.log" || fail "no mirror"
say "$(cat "$work/mirror.log")"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/srv/mirror" && cp -r "$work/mirror/." "$root/srv/mirror/"
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root"/var/lib/apt/lists/*
use() { rm -rf "$root/root/tree" && mkdir -p "$root/root/tree" && cp -r "$work/$1/." "$root/root/tree/"; }
installed() { chroot "$root" dpkg-query -W -f '${Package} ${Version}\n' "$@" 2> /dev/null | sort | tr '\n' ';'; }
driver() { installed nvidia-open-580 nvidia-fabricmanager libnvidia-compute; }
apt() { chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" > "$work/apt.log" 2>&1 || { tail "$work/apt.log" >&2; fail "apt-get $*"; }; }
site() { play "$system" --limit h1 --tags base,repositories,nvidia_driver,nvidia_fabric_manager,cuda > "$work/$1" 2>&1 || { grep -v '^$' "$work/$1" | tail -20 >&2; fail "$1"; }; }
update() {
  chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 SYSTEMD_OFFLINE=1 sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local packages.yml' > "$work/$1" 2>&1 ||
    { grep -v '^$' "$work/$1" | tail -30 >&2; fail "$1"; }
}

use 580.95.05
site first
apt install libnvidia-compute nvidia-container-toolkit=1.17.0-1
apt upgrade
equal "driver after an upgrade of the system" "$(driver)" "libnvidia-compute 580.95.05-1;nvidia-fabricmanager 580.95.05-1;nvidia-open-580 580.95.05-1;"
equal "a package with releases of its own" "$(installed nvidia-container-toolkit)" "nvidia-container-toolkit 999.0-1+cuda99.9;"
equal "what unattended upgrades leave alone" "$(chroot "$root" apt-config dump | sed -n 's/^Unattended-Upgrade::Package-Blacklist:: "\(.*\)";$/\1/p' | tr '\n' ' ')" "nvidia- libnvidia- cuda- nvlink5 libnccl xserver-xorg-video-nvidia "

# site.yml on a node that runs: it says so, and changes nothing of the driver
use 580.105.08
mount -t tmpfs tmpfs "$root/sys/module" && mkdir "$root/sys/module/nvidia" && echo 580.95.05 > "$root/sys/module/nvidia/version"
site running
equal "driver of a node that runs" "$(driver)" "libnvidia-compute 580.95.05-1;nvidia-fabricmanager 580.95.05-1;nvidia-open-580 580.95.05-1;"
grep -q "h1 runs driver 580.95.05 and not 580.105.08" "$work/running" || fail "the play does not say that the driver was left alone"
apt upgrade
equal "and after another upgrade of the system" "$(driver)" "libnvidia-compute 580.95.05-1;nvidia-fabricmanager 580.95.05-1;nvidia-open-580 580.95.05-1;"

update updated
equal "driver after update.yml" "$(driver)" "libnvidia-compute 580.105.08-1;nvidia-fabricmanager 580.105.08-1;nvidia-open-580 580.105.08-1;"
equal "a package with releases of its own" "$(installed nvidia-container-toolkit)" "nvidia-container-toolkit 999.0-1+cuda99.9;"
update again
equal "a second run changes" "$(grep -o 'changed=[0-9]*' "$work/again")" changed=0
use 580.95.05
update back
equal "driver after the way back" "$(driver)" "libnvidia-compute 580.95.05-1;nvidia-fabricmanager 580.95.05-1;nvidia-open-580 580.95.05-1;"

# Negative test: without the file, an upgrade of the system mixes releases
rm "$root/etc/apt/preferences.d/90-cluster-nvidia"
apt upgrade
[ "$(driver)" != "libnvidia-compute 580.95.05-1;nvidia-fabricmanager 580.95.05-1;nvidia-open-580 580.95.05-1;" ] || fail "the release is held without the file of the play"
echo "ok: without the file of the play: $(driver)"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
