#!/usr/bin/env bash
# output ansible: Ansible in a copy of this system, on which another Slurm runs: the role slurm leaves name, state, munge's key and number of the running one, and says what to write; an update waits for the longest jobs; where one machine is refused, site.yml changes none; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
compile_spec plays-update
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/etc/slurm" "$root/etc/munge" "$root/etc/netplan" && cp -r "$work/plays-update/." "$root/root/tree/"
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
cat > "$root/root/tree/ansible/running.yml" <<'END'
- name: What a running Slurm keeps
  hosts: ctl
  gather_facts: false
  vars: { slurm_munge_key: /root/key }
  tasks:
    - name: Leave it
      ansible.builtin.include_role: { name: slurm, tasks_from: running.yml, public: true }
    - name: Read how long an update waits
      ansible.builtin.include_vars: { file: "{{ playbook_dir }}/roles/update/defaults/main.yml" }
    - name: Say the number
      ansible.builtin.debug: { msg: "number {{ slurm_number }}, wait {{ update_wait }}" }
END
run() { in_root sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local running.yml "$@"' sh "${@:2}" > "$work/$1" 2>&1; }
refuses() { run "$@" && { tail -20 "$work/$1" >&2; fail "$1: the role goes on"; }; tr -s ' \n' ' ' < "$work/$1" > "$work/said"; }
says() { grep -qF -- "$1" "$work/said" || { cat "$work/said" >&2; fail "it does not say '$1'"; }; }
passes() { run "$@" || { tail -20 "$work/$1" >&2; fail "$1"; }; }
head -c 1024 /dev/urandom > "$root/root/key"
ours=$root/root/tree/slurm/slurm.conf
name=$(sed -n 's/^ClusterName=//p' "$ours") state=$(sed -n 's/^StateSaveLocation=//p' "$ours")
# A new machine: no Slurm, and the key that the package of munge made
rm -f "$root/etc/slurm/slurm.conf"
head -c 1024 /dev/urandom > "$root/etc/munge/munge.key"
in_root userdel slurm 2> /dev/null; in_root groupdel slurm 2> /dev/null
passes fresh
grep -q 'number 64030, wait 608400' "$work/fresh" || { tail "$work/fresh" >&2; fail "the number of a new user, or the wait for jobs of seven days"; }
printf 'clustername = Hydra\nSlurmctldHost=x\nStateSaveLocation=/var/lib/slurm/slurmctld # since 2019\nSlurmdSpoolDir=/var/spool/slurmd\n' > "$root/etc/slurm/slurm.conf"
refuses others
says "has ClusterName=Hydra (compiled: $name) StateSaveLocation=/var/lib/slurm/slurmctld (compiled: $state)."; says "outputs.slurm.extra"; says "slurm_replace_running=true"
echo "ok: another name and state are refused"
mkdir -p "$root/run/slurm/conf" && mv "$root/etc/slurm/slurm.conf" "$root/run/slurm/conf/"   # a configless node
refuses configless
says "/run/slurm/conf/slurm.conf of ctl is not clusterc's, and has ClusterName=Hydra"
echo "10.0.0.9 somebody" > "$root/etc/hosts"
in_root sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local --limit ctl,h1 --tags base,slurm -e "slurm_replace_running={{ inventory_hostname != \"ctl\" }}" site.yml' > "$work/site" 2>&1 && fail "site.yml goes on"
grep -q 'ctl is not clusterc' "$work/site" || { tail -20 "$work/site" >&2; fail "site.yml is refused for another reason"; }
equal "what site.yml did on the way" "$(cat "$root/etc/hosts")" "10.0.0.9 somebody"
printf 'ClusterName=%s\nStateSaveLocation=%s\n' "$name" "$state" > "$root/run/slurm/conf/slurm.conf"
: > "$root/run/slurm/conf/oci.conf"
refuses beside
says "(/run/slurm/conf), also oci.conf, which the compiled files lack"
: > "$root/etc/slurm/oci.conf"
passes companion -e slurm_replace_munge_key=true
rm -r "$root/run/slurm" "$root/etc/slurm/oci.conf"
printf 'ClusterName=%s\nStateSaveLocation=%s\n' "$name" "$state" > "$root/etc/slurm/slurm.conf"
cp "$root/etc/munge/munge.key" "$work/before"
refuses key
says "is not the key in '/root/key'"; says "slurm_replace_munge_key=true"
echo "ok: another key of munge is refused"
sed 's|^StateSaveLocation=.*|StateSaveLocation=/elsewhere|' "$ours" > "$root/etc/slurm/slurm.conf"
in_root groupadd -g 64555 slurm && in_root useradd -u 64555 -g 64555 --no-create-home slurm || exit 9
passes asked -e slurm_replace_munge_key=true
cmp "$work/before" "$root/etc/munge/munge.key" || fail "the comparison wrote the key"
grep -q 'number 64555,' "$work/asked" && tr -s ' \n' ' ' < "$work/asked" | grep -q 'set slurm_uid to 64555' || { tail "$work/asked" >&2; fail "the number that is there"; }
echo "ok: a file of clusterc's own is replaced, and the user slurm keeps its number"
# The key is new and a later task fails: munge is restarted all the same, because the next run finds nothing to do
rm -f "$root"/etc/slurm/*.conf
sed -i 's/^- name: Make the folders of Slurm/- name: Fail\n  ansible.builtin.fail: {}\n\n&/' "$root/root/tree/ansible/roles/slurm/tasks/main.yml"
sed -i 's/^    name: munge$/    name: nobody-runs-this/' "$root/root/tree/ansible/roles/slurm/handlers/main.yml"
in_root env SYSTEMD_OFFLINE=1 sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local --limit ctl --tags slurm -e slurm_munge_key=/root/key site.yml' > "$work/handler" 2>&1 && fail "the planted failure is none"
cmp -s "$root/root/key" "$root/etc/munge/munge.key" || { tail -20 "$work/handler" >&2; fail "the key was not written"; }
grep -q 'RUNNING HANDLER .*Restart munge' "$work/handler" || { tail -20 "$work/handler" >&2; fail "munge keeps the old key"; }
echo "ok: munge is told of its key where a later task fails"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
