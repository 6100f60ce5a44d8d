#!/usr/bin/env bash
# output ansible: Ansible in a copy of this system, on which a site runs: lines of /etc/hosts stay, the cluster's come first; another sssd.conf, mounts of other sources or options, a Prometheus and a Grafana are not replaced unless a variable says so; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
compile_spec plays
compile_case grafana
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/plays/." "$root/root/tree/" && cp -r "$work/case-grafana" "$root/root/watched"
tree=/root/tree host=one
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
# run LOG TASKS…: these tasks of the roles, each ROLE/FILE, and what they call; arguments after -- go to ansible-playbook
run() {
  local log=$1 tasks=
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    tasks="$tasks    - { name: Play $1, ansible.builtin.include_role: { name: ${1%/*}, tasks_from: ${1#*/}.yml } }
"
    shift
  done
  [ $# = 0 ] || shift
  printf -- '- name: What a site has\n  hosts: %s\n  gather_facts: false\n  tasks:\n%s' "$host" "$tasks" > "$root$tree/ansible/kept.yml"
  in_root sh -c 'cd "$0/ansible" && exec ansible-playbook --connection local kept.yml "$@"' "$tree" "$@" > "$work/$log" 2>&1
}
passes() { run "$@" || { tail -20 "$work/$1" >&2; fail "$1"; }; tr -s ' \n' ' ' < "$work/$1" > "$work/said"; }
refuses() { run "$@" && { tail -20 "$work/$1" >&2; fail "$1: the role goes on"; }; tr -s ' \n' ' ' < "$work/$1" > "$work/said"; }
says() { grep -qF -- "$1" "$work/said" || { cat "$work/said" >&2; fail "it does not say '$1'"; }; }
unchanged() { grep -qE 'changed=0 .*failed=0' "$work/$1" || { grep -B3 '^changed' "$work/$1" >&2; fail "$1 changes something"; }; }

# /etc/hosts
address=$(awk '{ for (i = 2; i <= NF; ++i) if ($i == "n1") print $1 }' "$work/plays/hosts/hosts")
printf '127.0.0.1 localhost\n127.0.1.1 one\n192.0.2.7 license licence.example.org # since 2019\n192.0.2.8 n1 %s-not\n' n1 > "$work/before"
cp "$work/before" "$root/etc/hosts"
passes hosts-check base/hosts -- --check
cmp "$work/before" "$root/etc/hosts" || fail "check mode changed /etc/hosts"
passes hosts base/hosts
says "n1 is $address in the spec and 192.0.2.8 in a line of the machine. The spec's address comes first"
block() { sed '/^# BEGIN clusterc/,/^# END clusterc/!d;//d' "$root/etc/hosts"; }
own() { sed '/^# BEGIN clusterc/,/^# END clusterc/d' "$root/etc/hosts"; }
[ "$(block)" = "$(cat "$work/plays/hosts/hosts")" ] && [ "$(own)" = "$(cat "$work/before")" ] || { cat "$root/etc/hosts" >&2; fail "the cluster's lines, or the machine's own"; }
equal "a name that stands twice" "$(in_root getent -s files hosts n1 | awk 'NR == 1 { print $1 }')" "$address"
equal "a name of the machine's own" "$(in_root getent -s files hosts licence.example.org | awk '{ print $1 }')" 192.0.2.7
echo "192.0.2.9 later" >> "$root/etc/hosts"
passes hosts-again base/hosts
unchanged hosts-again
equal "a line that came later" "$(own | tail -1)" "192.0.2.9 later"
cp "$work/plays/hosts/hosts" "$root/etc/hosts"
passes hosts-whole base/hosts
equal "lines of the machine's own where the whole file was the compiled one" "$(own | wc -l)" 0
sed -i '/^# END clusterc/d' "$root/etc/hosts"
refuses hosts-torn base/hosts
says "without its '# END clusterc'"
echo "ok: a torn block is refused"

# Another sssd.conf, other mounts (the spec's are nas.example.org:/shared, hard,_netdev)
fstab() { printf '%s\n' "$@" > "$root/etc/fstab"; }
fstab 'nas.example.org:/shared  /shared nfs4 sec=krb5p,nconnect=8 0 0' '/dev/sda1 / ext4 defaults 0 1'
mkdir -p "$root/etc/sssd" && printf '[sssd]\ndomains = campus\n[domain/campus]\nldap_user_search_filter = (campus=yes)\nldap_default_authtok = of-the-campus\n' > "$root/etc/sssd/sssd.conf"
refuses sssd identity/running
says "is not clusterc's, and has the sections sssd, domain/campus."; says "-e identity_replace_sssd=true"; says "-e identity_keep_sssd=true"
grep -q of-the-campus "$work/sssd" && fail "the password of the campus is shown"
refuses mounts mounts/running
says "/etc/fstab has 'nas.example.org:/shared /shared nfs4 sec=krb5p,nconnect=8 0 0', the spec 'nas.example.org:/shared /shared nfs hard,_netdev'."; says 'mounts_keep: [/home]'
passes replaced identity/running mounts/running -- -e '{"mounts_replace": ["/shared"], "identity_replace_sssd": true}'
passes kept identity/running mounts/running -- -e '{"mounts_keep": ["/shared"], "identity_keep_sssd": true}'
# What an earlier run wrote is the role's own, with the mark and, as earlier releases wrote it, without
mkdir -p "$root/var/lib/cluster" && cp "$root/etc/fstab" "$root/var/lib/cluster/fstab"
printf '[sssd]\ndomains = cluster\n[domain/cluster]\nid_provider = ldap\n' > "$root/etc/sssd/sssd.conf"
passes ours identity/running mounts/running
rm "$root/var/lib/cluster/fstab"
fstab 'nas.example.org:/shared /shared nfs hard,_netdev 0 0'
{ head -1 "$root/root/tree/ansible/roles/identity/templates/sssd.conf.j2"; printf '[sssd]\n[domain/cluster]\n[pam]\n'; } > "$root/etc/sssd/sssd.conf"
passes ours-marked identity/running mounts/running
fstab '# none'
mkdir -p "$root/shared" && mount -t tmpfs campus "$root/shared"
refuses live mounts/running
says "campus (tmpfs) is mounted at /shared without a line in /etc/fstab, the spec has 'nas.example.org:/shared /shared nfs hard,_netdev'."
umount "$root/shared"
echo "ok: another sssd.conf, and mounts of other options and sources, are refused; the roles' own are not"

# Monitoring
tree=/root/watched host=ctl
passes monitoring-default prometheus/running grafana/running   # what the packages brought, where they are installed
mkdir -p "$root/etc/prometheus" "$root/var/lib/grafana" "$root/etc/grafana" && : > "$root/var/lib/grafana/grafana.db"
printf 'route: { receiver: campus }\nreceivers: [ { name: campus } ]\n' > "$root/etc/prometheus/alertmanager.yml"
refuses alertmanager prometheus/running
says "/etc/prometheus/alertmanager.yml of ctl are not clusterc's"; says "-e prometheus_replace_running=true"; says "--skip-tags prometheus"
refuses grafana grafana/running
says "its user admin would get another password"; says "-e grafana_replace_running=true"
passes monitoring-replaced prometheus/running grafana/running -- -e prometheus_replace_running=true -e grafana_replace_running=true
cp "$root/root/watched/prometheus/prometheus.yml" "$root/etc/prometheus/prometheus.yml"
rm "$root/etc/prometheus/alertmanager.yml"; : > "$root/etc/grafana/admin-password.set"
passes monitoring-ours prometheus/running grafana/running
echo "ok: another Alertmanager and another Grafana are refused"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
