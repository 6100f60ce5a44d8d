#!/usr/bin/env bash
# output ansible: Ansible in a copy of this system: the role slurm makes the folder of slurmctld's state only where its file system is mounted, on one server or two that fail over; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
compile_spec plays-update
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/shared" && cp -r "$work/plays-update/." "$root/root/tree/"
sed -i 's|^StateSaveLocation=.*|StateSaveLocation=/shared/slurm/state|' "$root/root/tree/slurm/slurm.conf" && mkdir -p "$root/shared/slurm"
cat > "$root/root/tree/ansible/state.yml" <<'END'
- name: The state's folder alone
  hosts: ctl
  gather_facts: false
  vars: { cluster_slurm_state_server: h1, slurm_user_there: [x, "64030"], base_booted: { stat: { exists: true } } }
  tasks:
    - name: Make it
      ansible.builtin.include_role: { name: slurm, tasks_from: state.yml }
END
run() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local state.yml "$@"' sh "${@:2}" > "$work/$1" 2>&1; }
says() { tr -s ' \n' ' ' < "$work/$1" | grep -qF -- "$2" || { tail -20 "$work/$1" >&2; fail "$1 does not say '$2'"; }; }
printf '\ncluster_nfs_failover: {first: h1, storage: home}\n' > "$work/snippet"
cp "$root/root/tree/ansible/group_vars/group_h100.yaml" "$work/group" && cat "$work/snippet" >> "$root/root/tree/ansible/group_vars/group_h100.yaml"
run pair && fail "a folder is made where no file system is"
says pair "No server has the file system of /shared/slurm/state mounted (asked: h1, h2)."
[ ! -e "$root/shared/slurm/state" ] || fail "it lies on the disk of a server that waits"
(cat "$work/group"; printf '\ncluster_drives: [{storage: home, mount: /shared}]\n') > "$root/root/tree/ansible/group_vars/group_h100.yaml"
run drives && fail "a folder is made where the drives are not mounted"
says drives "(asked: h1)."
chroot "$root" mount -t tmpfs tmpfs /shared && mkdir "$root/shared/slurm"
cat "$work/group" "$work/snippet" > "$root/root/tree/ansible/group_vars/group_h100.yaml"
run mounted || { tail -20 "$work/mounted" >&2; fail "with its file system"; }
equal "the folder" "$(stat -c '%a %u' "$root/shared/slurm/state")" "700 64030"
umount "$root/shared" && cp "$work/group" "$root/root/tree/ansible/group_vars/group_h100.yaml"
run plain || { tail -20 "$work/plain" >&2; fail "a folder of a server's own disk"; }
equal "without drives" "$(stat -c '%a %u' "$root/shared/slurm/state")" "700 64030"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
