#!/usr/bin/env bash
# output ansible: ansible-playbook 2.14 (Debian 12) sets up the unit that switches PCIe access control off, on a made-up tree of bridges with a made-up setpci: which bridges it changes, a bridge that keeps it, a second start, and nothing where a device is handed to virtual machines; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 systemd-analyze
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
sed 's/gpu_driver: 580.95.05/gpu_driver: 580.95.05\n  acs: false/; s/instance: nvidia-dgx-h100/model: nvidia-dgx-h100/; s/kind: cloud, provider: local/region: na, supply: { phases: 3, voltage: 415 V }/; s/rate: 100 Gb.s, subnet/rate: 100 Gb\/s, switch: nvidia-sn4600c, subnet/' "$src/tests/consumers/specs/plays-update.yaml" > "$work/spec.yaml"
"$bin" compile "$work/spec.yaml" -o "$work/tree" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile"; }
grep -q "role: pcie_acs" "$work/tree/ansible/site.yml" || fail "no play switches ACS off"
# Where the spec does not say so, and on hosts of virtual machines, nothing is set up
sed 's/acs: false/acs: true/' "$work/spec.yaml" > "$work/on.yaml"
"$bin" compile "$work/on.yaml" -o "$work/on" --only ansible > "$work/on.log" 2>&1
[ ! -e "$work/on/ansible/roles/pcie_acs" ] || fail "ACS is switched off although the spec wants it"
say "acs: true sets up nothing"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/tree/." "$root/root/tree/"
mount -t tmpfs tmpfs "$root/sys/bus/pci" && mkdir -p "$root"/sys/bus/pci/{devices,drivers/vfio-pci} "$root/acs"
# bridge ADDRESS CLASS CONTROL: what setpci answers is a file
device() { mkdir -p "$root/sys/bus/pci/devices/$1" && echo "$2" > "$root/sys/bus/pci/devices/$1/class"; [ -z "${3:-}" ] || echo "$3" > "$root/acs/$1"; }
device 0000:00:01.0 0x060400 001d
device 0000:01:00.0 0x060400 0000
device 0000:02:00.0 0x060400          # no ACS
device 0000:03:00.0 0x060400 005f     # keeps it
device 0000:04:00.0 0x030200 001d     # a GPU
touch "$root/acs/stuck.0000:03:00.0"
cat > "$root/usr/local/sbin/setpci" <<'FAKE'
#!/bin/sh
# setpci -s ADDRESS ECAP_ACS+6.w[=VALUE]
[ -e "/acs/$2" ] || exit 1
case $3 in
  ECAP_ACS+6.w) cat "/acs/$2" ;;
  ECAP_ACS+6.w=*) [ -e "/acs/stuck.$2" ] || echo "${3#*=}" > "/acs/$2" ;;
  *) exit 1 ;;
esac
FAKE
chmod +x "$root/usr/local/sbin/setpci"
mkdir -p "$root/usr/share/doc/pciutils"
play "$system" --limit h1 --tags base,pcie_acs > "$work/first" 2>&1 || { grep -v '^$' "$work/first" | tail -20 >&2; fail "the play"; }
chroot "$root" systemctl is-enabled --quiet cluster-acs-off || fail "the unit does not start with the machine"
off() { chroot "$root" env PATH="/usr/local/sbin:$PATH" sh -c 'sed "s|^PATH=.*|PATH=/usr/local/sbin:\$PATH|" /usr/local/sbin/cluster-acs-off > /tmp/off; sh /tmp/off' 2>&1; }
mkdir "$root/sys/bus/pci/drivers/vfio-pci/0000:04:00.0"
equal "with a device of a virtual machine" "$(off; echo $?)" "cluster-acs-off: 0000:04:00.0 is handed to virtual machines: nothing was changed
3"
equal "its bridge" "$(cat "$root/acs/0000:00:01.0")" 001d
rmdir "$root/sys/bus/pci/drivers/vfio-pci/0000:04:00.0"
equal "bridges" "$(off; echo $?)" "0000:00:01.0: ACS control 001d is 0000 now
cluster-acs-off: 0000:03:00.0 keeps ACS control 005f: switch ACS off in the firmware
1"
equal "the GPU, which is no bridge" "$(cat "$root/acs/0000:04:00.0")" 001d
rm "$root/acs/stuck.0000:03:00.0"
equal "a second start" "$(off; echo $?)" "0000:03:00.0: ACS control 005f is 0000 now
0"
equal "a third" "$(off; echo $?)" 0
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work" || exit
systemd-analyze verify "$src/templates/ansible/roles/pcie_acs/files/cluster-acs-off.service" 2>&1 | grep -v "not executable" | grep -q . && fail "systemd does not take the unit"
say "systemd takes the unit"
