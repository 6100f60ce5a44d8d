#!/usr/bin/env bash
# output ansible: ansible-playbook 2.14 (Debian 12): all roles for Debian in check mode and for real in a copy of a Debian 12 system: what they leave there agrees with the compiled files, and a second run changes nothing; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
"$bin" compile "$src/tests/consumers/specs/plays.yaml" -o "$work/plays" > "$work/plays.log" 2>&1 || { cat "$work/plays.log" >&2; fail "clusterc compile plays.yaml"; }
need_play_system
need_debian_12
skip=
apt-get install --simulate --no-install-recommends openssh-server sssd-ldap sssd-tools libnss-sss libpam-sss > "$work/apt" 2>&1 ||
  { skip="--skip-tags identity"; say "the packages of identity are not to be had here: that role is not played"; }
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
src=$1 work=$2 skip=$3
system=$work/system
play_system "$system" || exit 9
root=$system/root
mkdir -p "$root/root/tree" && cp -r "$work/plays/." "$root/root/tree/"
printf '#!/bin/sh\necho ran >> /root/update-grub.log\n' > "$root/usr/sbin/update-grub" && chmod 755 "$root/usr/sbin/update-grub" && mkdir -p "$root/etc/default/grub.d"
# systemd-resolved takes /etc/resolv.conf over and does not run here: packages are still to be found
mkdir -p "$root/run/systemd/resolve" && cp /etc/resolv.conf "$root/run/systemd/resolve/stub-resolv.conf"
[ -e "$root/etc/munge/munge.key" ] || fail "munge has no key here"

# what cloud-init and Ubuntu's installer leave at the first start, and somebody's own file
mkdir -p "$root/etc/netplan" "$root/etc/network/interfaces.d" "$root/etc/cloud/cloud.cfg.d"
for f in netplan/50-cloud-init.yaml netplan/00-installer-config.yaml network/interfaces.d/50-cloud-init; do echo "# $f" > "$root/etc/$f"; done
# a machine to which root cannot come
[ ! -e "$root/etc/ssh/sshd_config" ] || echo "PermitRootLogin no" >> "$root/etc/ssh/sshd_config"
printf 'network: {version: 2}\n' > "$root/etc/netplan/99-ours.yaml"
play "$system" --limit one --check --tags base,kernel,netplan,identity $skip > "$work/check" 2>&1 || { tail -20 "$work/check" >&2; fail "check mode"; }
[ ! -e "$root/etc/netplan/60-cluster.yaml" ] || fail "check mode changed the system"
echo "ok: check mode: $(tail -n 3 "$work/check" | grep -o 'ok=.*failed=0')"
play "$system" --limit one $skip > "$work/first" 2>&1 || { grep -v '^$' "$work/first" | tail -30 >&2; fail "the first run"; }
echo "ok: first run: $(grep -o 'ok=.*failed=0' "$work/first")"
play "$system" --limit one $skip > "$work/second" 2>&1 || { tail -20 "$work/second" >&2; fail "the second run"; }
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
echo "ok: second run: $(grep -o 'ok=.*failed=0' "$work/second")"

# The files are the compiled ones, byte for byte; who may read them
same() { cmp "$work/plays/$1" "$root$2" && [ "$(stat -c '%a %U' "$root$2")" = "$3" ] || fail "$2 is not $1 with mode and owner $3, it has $(stat -c '%a %U' "$root$2")"; }
[ "$(sed '/^# BEGIN clusterc/,/^# END clusterc/!d;//d' "$root/etc/hosts")" = "$(cat "$work/plays/hosts/hosts")" ] || fail "/etc/hosts has other lines of the cluster"
same chrony/chrony.conf /etc/chrony/chrony.conf "644 root"
same netplan/all-in-one-0/one.yaml /etc/netplan/60-cluster.yaml "600 root"
equal "files of netplan" "$(ls "$root/etc/netplan" | tr '\n' ' ')" "60-cluster.yaml 99-ours.yaml "
[ ! -e "$root/etc/network/interfaces.d/50-cloud-init" ] || fail "ifupdown has a configuration of its own"
for f in netplan/50-cloud-init.yaml netplan/00-installer-config.yaml network/interfaces.d/50-cloud-init; do
  [ ! -e "$root/etc/$f" ] && [ "$(cat "$root/var/backups/cluster-network/${f##*/}")" = "# $f" ] || fail "$f is there, or no copy of it was kept"
done
grep -q 'config: disabled' "$root/etc/cloud/cloud.cfg.d/99-zz-cluster-network.cfg" || fail "cloud-init writes its network again"
same nftables/manager.nft /etc/nftables.conf "600 root"
same nfs/home/exports /etc/exports.d/home.exports "644 root"
same fabric-env/all-in-one/ucx.conf /etc/ucx/ucx.conf "644 root"   # the copy shows no adapters: apply.sh leaves the libraries to choose
same containers/all-in-one/containers.conf /etc/containers/containers.conf.d/90-cluster.conf "644 root"
for f in "$work"/plays/slurm/*.conf; do same "slurm/${f##*/}" "/etc/slurm/${f##*/}" "644 root"; done
cmp /etc/munge/munge.key "$root/etc/munge/munge.key" && [ "$(stat -c '%a' "$root/etc/munge/munge.key")" = 400 ] || fail "munge's key"
echo "ok: compiled files lie where they are read"
# By hand from the spec. The limits and settings are those that cloud-init writes too.
equal "kernel arguments, as a shell reads them" "$(sh -c ". $root/etc/default/grub.d/90-cluster.cfg; echo \$GRUB_CMDLINE_LINUX")" "iommu=pt hugepagesz=2M hugepages=16 isolcpus=2-3"
equal "GRUB was updated" "$(cat "$root/root/update-grub.log")" ran
equal "limits" "$(tr '\n' ';' < "$root/etc/security/limits.d/90-cluster.conf")" "* - memlock unlimited;root - memlock unlimited;* - nofile 1048576;root - nofile 1048576;"
python3 - "$work/plays" "$root" <<'PY' || fail "cloud-init would write other files"
import sys, glob, yaml
tree, root = sys.argv[1:]
data = yaml.safe_load(open(tree + "/cloud-init/all-in-one-0/one/user-data"))
for f in data["write_files"]:
    assert open(root + f["path"]).read() == f["content"], f["path"]
assert len(data["write_files"]) == 3
PY
equal "time zone" "$(readlink "$root/etc/localtime"), $(cat "$root/etc/timezone")" "/usr/share/zoneinfo/Europe/Berlin, Europe/Berlin"
equal "mounts" "$(grep nas.example.org "$root/etc/fstab")" "nas.example.org:/shared /shared nfs hard,_netdev 0 0"
[ -d "$root/shared" ] && [ -d "$root/home" ] || fail "the places of mounts"
for unit in chrony nftables munge slurmctld slurmd nfs-kernel-server systemd-resolved; do chroot "$root" systemctl is-enabled --quiet "$unit" || fail "$unit does not start with the machine"; done
chroot "$root" slurmd -C > /dev/null 2>&1; chroot "$root" env SLURM_CONF=/etc/slurm/slurm.conf scontrol show hostnames one > /dev/null || fail "Slurm cannot read its files"
echo "ok: daemons start with the machine"
equal "daemons that a healthy machine runs" "$(sed -n 's/^daemon \([a-z-]*\).*/\1/p' "$root/usr/local/lib/cluster/node.sh" | sort | tr '\n' ' ')" "munge nfs-server slurmctld slurmd "
for f in usr/local/sbin/cluster-health usr/local/lib/cluster/healthcheck.sh usr/local/lib/cluster/node.sh; do sh -n "$root/$f" || fail "$f is no script"; done
cmp <(grep -v '^# \(made by\|accepted\)' "$root/etc/slurm/healthcheck.sh") <(grep -v '^# \(made by\|accepted\)' "$root/usr/local/lib/cluster/healthcheck.sh") || fail "Slurm's health check and that of the plays differ"
chroot "$root" cluster-health > "$work/health" && fail "nothing runs here, and the machine is healthy"
grep -qx '/shared is not mounted' "$work/health" || { cat "$work/health" >&2; fail "the health check misses what is not mounted"; }
if [ -z "$skip" ]; then
  equal "sssd.conf: mode" "$(stat -c '%a %U' "$root/etc/sssd/sssd.conf")" "600 root"
  grep -qx 'ldap_default_authtok = planted-secret-of-the-reader' "$root/etc/sssd/sssd.conf" || fail "sssd.conf has no password"
  grep -rq planted-secret "$work/plays" "$work/check" "$work/first" "$work/second" && fail "the password stands in the tree, or in what Ansible says"
  chroot "$root" sssctl config-check > "$work/sssctl" 2>&1 || { cat "$work/sssctl" >&2; fail "SSSD refuses its file"; }
  equal "SSSD" "$(head -1 "$work/sssctl")" "Issues identified by validators: 0"
  equal "users come from" "$(grep -c '^\(passwd\|group\|shadow\):.*\bsss\b' "$root/etc/nsswitch.conf")" 3
  mkdir -p "$root/run/sshd"; chroot "$root" sh -c 'ls /etc/ssh/ssh_host_*_key > /dev/null 2>&1 || ssh-keygen -A > /dev/null; sshd -T' > "$work/sshd" || fail "sshd refuses its file"
  equal "a first login makes a home" "$(grep -c '^session.*pam_mkhomedir.so' "$root/etc/pam.d/common-session")" 1
  equal "ssh keys come from" "$(grep ^authorizedkeyscommand\  "$work/sshd")" "authorizedkeyscommand /usr/bin/sss_ssh_authorizedkeys"
  [ ! -e /etc/ssh/sshd_config ] || equal "root, who could not come before" "$(grep ^permitrootlogin "$work/sshd")" "permitrootlogin no"
fi
# Broken twins, on the system as it is now: plays that come from outside would be locked out by the firewall (10.77.0.0/24 is inside), a firewall that nft refuses is not put in place; another operating system is refused
sed -i '/tcp dport 22 accept/d' "$root/root/tree/nftables/manager.nft"
play_from="192.0.2.9 50000 10.77.0.17 22" play "$system" --limit one --tags nftables > "$work/twin-from" 2>&1 && fail "the plays lock themselves out"
grep -q 'lets nobody in by ssh from 192.0.2.9' "$work/twin-from" && cmp -s "$work/plays/nftables/manager.nft" "$root/etc/nftables.conf" || { tail -5 "$work/twin-from" >&2; fail "not refused, or for another reason"; }
play_from="10.77.0.18 50000 10.77.0.17 22" play "$system" --limit one --tags nftables > "$work/from-inside" 2>&1 || { tail -5 "$work/from-inside" >&2; fail "plays from inside are refused"; }
cp "$root/etc/nftables.conf" "$work/working.nft"
grep -q 'tcp dport 22 accept' "$work/working.nft" && fail "plays from inside do not write the firewall"
echo "ok: a firewall that would lock the plays out is refused"
echo 'table inet filter { chain input { frobnicate } }' > "$root/root/tree/nftables/manager.nft"
play "$system" --limit one --tags base,nftables > "$work/twin-nft" 2>&1 && fail "a firewall that nft refuses is put in place"
cmp -s "$work/working.nft" "$root/etc/nftables.conf" || fail "the firewall that works was replaced"
echo "ok: a firewall that nft refuses does not replace the one that works"
sed -i 's/^cluster_distribution_version: .*/cluster_distribution_version: "11"/' "$root/root/tree/ansible/group_vars/group_all_in_one.yaml"
play "$system" --limit one --tags base > "$work/twin-os" 2>&1 && fail "another operating system is taken"
grep -q 'The spec has debian-12 here' "$work/twin-os" || { tail -5 "$work/twin-os" >&2; fail "refused for another reason"; }
echo "ok: another operating system is refused"
SCRIPT
# The copy shares this machine's network: no play may load a firewall into it.
tables=$(nft list tables 2> /dev/null)
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work" "$skip"
status=$?
equal "tables of this machine's own firewall" "$(nft list tables 2> /dev/null)" "$tables"
exit "$status"
