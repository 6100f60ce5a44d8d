#!/usr/bin/env bash
# output ansible: apt of Debian 12 in a copy of this system, with packages that conflict as NVIDIA's do: update.yml takes a node from the proprietary kernel modules of 535 to the open ones of 580 and back, and says so; 1 negative test
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 dpkg-deb
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
for modules in open proprietary; do
  sed "s/gpu_driver: .*/gpu_driver: 580.95.05\n  kernel_modules: $modules/; /^outputs:/,\$d" "$src/tests/consumers/specs/plays-update.yaml" > "$work/$modules.yaml"
  "$bin" compile "$work/$modules.yaml" -o "$work/$modules" --only ansible > "$work/$modules.log" 2>&1 || { cat "$work/$modules.log" >&2; fail "clusterc compile with $modules modules"; }
done
# deb NAME VERSION FIELDS…: a package without files
mkdir "$work/repo" && deb() {
  mkdir -p "$work/build/DEBIAN" && { printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: a test <test@example.org>\nDescription: holds nothing\n' "$1" "$2"; shift 2; printf '%s\n' "$@"; } | sed '/^$/d' > "$work/build/DEBIAN/control"
  dpkg-deb -Znone -b "$work/build" "$work/repo" > /dev/null || fail "dpkg-deb"
}
for v in 535.54.03 580.95.05; do
  deb cuda-drivers-${v%%.*} $v-1 "Depends: nvidia-kernel-dkms (= $v-1), libnvidia-ml1 (= $v-1)"
  deb nvidia-kernel-dkms $v-1 "Conflicts: nvidia-kernel-open-dkms"
  deb libnvidia-ml1 $v-1
done
deb nvidia-open-580 580.95.05-1 "Depends: nvidia-kernel-open-dkms (= 580.95.05-1), libnvidia-ml1 (= 580.95.05-1)"
deb nvidia-kernel-open-dkms 580.95.05-1 "Conflicts: nvidia-kernel-dkms"
(cd "$work/repo" && for f in *.deb; do dpkg-deb --field "$f"; printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$f" "$(stat -c %s "$f")" "$(sha256sum "$f" | cut -d' ' -f1)"; done > Packages)
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
cat > "$work/packages.yml" <<'END'
- name: The packages of an update
  hosts: h1
  vars: { cluster_update_roles: [], cluster_fabric_manager_packages: [], cluster_imex_packages: [], cluster_cuda_packages: [] }
  tasks:
    - name: Keep those of the driver
      ansible.builtin.set_fact:
        cluster_nvidia_packages: "{{ cluster_nvidia_packages | reject('search', 'headers') | list }}"
    - name: Install
      ansible.builtin.include_role: { name: update, tasks_from: packages }
END
system=$work/system root=$work/system/root
play_system "$system" && mkdir -p "$root/srv/repo" "$root/root" && cp "$work/repo/"* "$root/srv/repo/" || exit 9
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root"/var/lib/apt/lists/*
echo 'deb [trusted=yes] file:///srv/repo ./' > "$root/etc/apt/sources.list"
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 SYSTEMD_OFFLINE=1 DEBIAN_FRONTEND=noninteractive "$@"; }
installed() { in_root dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 'cuda-drivers*' 'nvidia-*' libnvidia-ml1 2> /dev/null | sed -n 's/ installed$//p' | sort | tr '\n' ';'; }
update() { cp "$work/packages.yml" "$root/root/$1/ansible/" && in_root sh -c 'cd "$0/ansible" && exec ansible-playbook --connection local packages.yml' "/root/$1" > "$work/$2" 2>&1; }
for modules in open proprietary; do cp -r "$work/$modules" "$root/root/"; done
old() { in_root apt-get -qq purge -y 'nvidia-*' 'cuda-drivers*' > /dev/null 2>&1; in_root apt-get -qq install -y --allow-downgrades cuda-drivers-535 nvidia-kernel-dkms=535.54.03-1 libnvidia-ml1=535.54.03-1 > "$work/apt" 2>&1 || { tail -5 "$work/apt" >&2; fail "the driver before"; }; }
in_root apt-get -qq update && old
update open opens || { grep -v '^$' "$work/opens" | tail -20 >&2; fail "proprietary to open"; }
equal "open modules in their place" "$(installed)" "libnvidia-ml1 580.95.05-1;nvidia-kernel-open-dkms 580.95.05-1;nvidia-open-580 580.95.05-1;"
grep -q 'h1 has cuda-drivers-535, nvidia-kernel-dkms. The spec has the open kernel modules here' "$work/opens" || { tail -20 "$work/opens" >&2; fail "it does not say that other modules take over"; }
update proprietary back || { grep -v '^$' "$work/back" | tail -20 >&2; fail "open to proprietary"; }
equal "and back" "$(installed)" "cuda-drivers-580 580.95.05-1;libnvidia-ml1 580.95.05-1;nvidia-kernel-dkms 580.95.05-1;"
# The broken twin: both kinds of modules are brought to the release
old
sed -i 's/ | difference(update_other_modules)//' "$root/root/open/ansible/roles/update/vars/main.yml"
update open twin && fail "apt installs packages that conflict"
grep -q "held broken packages" "$work/twin" && echo "ok: without the choice of modules apt refuses"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
