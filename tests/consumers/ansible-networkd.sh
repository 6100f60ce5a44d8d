#!/usr/bin/env bash
# output ansible: ansible-playbook 2.14 (Debian 12): the role networkd in a copy of a Debian 12 system, with a systemctl that keeps what it is told: systemd-networkd starts with the machine and at once, before its files are read again, and a second run tells it nothing; it refuses ports that are not there, and the old files come back; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
compile_case networkd
# without name servers: who asks them is another package, and no part of this
sed -i '/^cluster_name_servers:/,/^[a-z]/{/^cluster_name_servers:/d;/^ /d}' "$out"/ansible/group_vars/*.yaml
grep -q name_servers "$out"/ansible/group_vars/*.yaml && fail "name servers are left"
node=$(basename "$(ls -d "$out"/networkd/*-0/* | head -1)")
need_debian_12
need_play_system -n
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 node=$3
system=$work/system root=$work/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/run/systemd/system" && cp -r "$work/case-networkd/." "$root/root/tree/"
cat > "$root/root/systemctl" <<'FAKE'
#!/bin/sh
# systemctl(1), as far as a unit that is disabled and stopped at first is concerned
case " $* " in
  *' show '*) echo "Id=${3:-$2}"; echo LoadState=loaded; [ -e /root/started ] && echo ActiveState=active || echo ActiveState=inactive ;;
  *' is-enabled '*) [ -e /root/enabled ] && echo enabled || { echo disabled; exit 1; } ;;
  *' start '*) echo start >> /root/told; : > /root/started ;;
  *' enable '*) echo enable >> /root/told; : > /root/enabled ;;
esac
exit 0
FAKE
printf '#!/bin/sh\necho "$1" >> /root/told\n' > "$root/root/networkctl"
printf '#!/bin/sh\nshift 3; echo "run $*" >> /root/later\n' > "$root/usr/bin/systemd-run"
chmod 755 "$root/root/systemctl" "$root/root/networkctl" "$root/usr/bin/systemd-run"
mount --bind "$root/root/systemctl" "$root/usr/bin/systemctl" && mount --bind "$root/root/networkctl" "$root/usr/bin/networkctl" || exit 9
in_root() { chroot "$root" env -i PATH="$PATH" "$@"; }
play_it() { : > "$root/root/told"; play "$system" --limit "$node" --tags networkd -e '{"base_booted": {"stat": {"exists": true}}}' > "$work/$1" 2>&1 || { tail -20 "$work/$1" >&2; fail "$1"; }; }
mount -t sysfs sysfs "$root/sys" || exit 9   # the ports of this network namespace
# what cloud-init leaves at the first start of a machine of which it knows no network (22.4: net/networkd.py, distros/debian.py, net/netplan.py), and Ubuntu's installer
old=(systemd/network/10-cloud-init-eth0.network network/interfaces.d/50-cloud-init netplan/50-cloud-init.yaml netplan/00-installer-config.yaml)
mkdir -p "$root/etc/cloud/cloud.cfg.d"
for f in "${old[@]}" netplan/60-ours.yaml; do mkdir -p "$root/etc/${f%/*}" && : > "$root/etc/$f"; done
# Ports that the machine does not have: nothing is moved aside
play "$system" --limit "$node" --tags networkd -e '{"base_booted": {"stat": {"exists": true}}}' > "$work/ports" 2>&1 && fail "files for ports that are not there are written"
tr -s ' \n' ' ' < "$work/ports" | grep -q "$node has no port mgmt0, rail1" || { tail -20 "$work/ports" >&2; fail "refused for another reason"; }
[ -e "$root/etc/${old[0]}" ] || fail "the network that works was moved aside"
for name in $(sed -n 's/.*has no port \(.*\): it has.*/\1/p' <(tr -s ' \n' ' ' < "$work/ports") | tr -d ,); do ip link add "${name%@*}" type veth peer name "p-${name%@*}" || exit 9; done
play_it first
equal "the way back" "$(cat "$root/root/later")" "run /usr/local/sbin/cluster-network back networkctl reload"
for f in "${old[@]}"; do [ ! -e "$root/etc/$f" ] || fail "two files for one port: $f"; done
[ -e "$root/etc/netplan/60-ours.yaml" ] || fail "a file that somebody wrote is removed"
grep -q disabled "$root/etc/cloud/cloud.cfg.d/99-zz-cluster-network.cfg" || fail "cloud-init sets the network up again"
equal "told at first" "$(sort "$root/root/told" | tr '\n' ' '), last $(tail -1 "$root/root/told")" "enable reload start , last reload"
play_it second
equal "told by a second run" "$(cat "$root/root/told")" ""
# Nobody said that the new network is good: the old files are back, and the network reads them
(in_root /usr/local/sbin/cluster-network keep; echo new > "$root/etc/netplan/60-ours.yaml"; : > "$root/etc/netplan/70-new.yaml"; : > "$root/root/told"; in_root $(sed 's/^run //' "$root/root/later"))
equal "after the way back" "$(ls "$root/etc/netplan"), $(cat "$root/etc/netplan/60-ours.yaml" "$root/root/told")" "60-ours.yaml, reload"
# The broken twin: who does not start it
sed -i '/ternary(.started., omit)/d' "$root/root/tree/ansible/roles/networkd/tasks/main.yml"
rm "$root/root/started" && play_it twin
grep -q start "$root/root/told" && fail "something starts it without the role"
echo "ok: without that line nothing starts it"
SCRIPT
unshare -m -u -p -n -f --propagation private bash "$work/for-real" "$src" "$work" "$node"
