#!/usr/bin/env bash
# output ansible: update.yml of ansible-playbook 2.14 (Debian 12) takes eight virtual nodes of slurmctld 22.05 through a new driver, batch by batch: waits for a job, leaves a drained node drained, stops at the node that does not come back, goes on once it is repaired; 2 negative tests
# Packages and restarts are the only parts that are replaced: a machine "has" the release in run/installed.NODE, "runs" that in run/loaded.NODE from its
# next start on, and a start is an end and a start of its slurmd. run/dead.NODE: it does not come back.
# lock: slurm-a
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook slurmctld slurmd munged python3 nsenter
spec=$src/tests/consumers/specs/slurm-update.yaml
cp -r "$src/tests/consumers/specs/slurm-parts" "$work"
tree() {   # RELEASE: the tree of the spec with this driver
  sed "s/gpu_driver: .*/gpu_driver: $1/" "$spec" > "$work/spec.yaml"
  "$bin" compile "$work/spec.yaml" -o "$work/$1" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile slurm-update.yaml"; }
}
tree 580.95.05
tree 580.105.08
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$work/580.95.05" "$run" --owner $$ --wait 150
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
export LC_ALL=C.UTF-8 HOME=$work ANSIBLE_LOCAL_TEMP=$work/tmp ANSIBLE_HOME=$work/home ANSIBLE_LOCALHOST_WARNING=0
state=$run/run   # of the machines

# ---- the edge: packages, the start of a machine, and the paths that all machines here share ----------------------------------------------------
printf '#!/bin/sh\nexec sh /etc/slurm/healthcheck.sh --list\n' > "$run/bin/cluster-health"
cat > "$work/nvidia-smi" <<SCRIPT
#!/bin/sh
case "\$*" in *driver_version*) cat "$state/loaded.\$(hostname)"; exit ;; esac
exec "$run/dev/nvidia-smi.all" "\$@"
SCRIPT
cp "$run/dev/nvidia-smi" "$run/dev/nvidia-smi.all"
for n in 1 2 3 4 5 6 7 8; do echo 580.95.05 > "$state/installed.n$n"; cp "$state/installed.n$n" "$state/loaded.n$n"; done
chmod +x "$work/nvidia-smi" "$run/bin/cluster-health" && mv "$work/nvidia-smi" "$run/dev/nvidia-smi"
cat > "$work/start-machine" <<SCRIPT
#!/bin/sh
# start-machine NODE
pid=\$(pgrep -f "^(.*/)?slurmd -D -N \$1\$") && kill -9 \$pid
while kill -0 \$pid 2> /dev/null; do sleep 0.1; done
cp "$state/installed.\$1" "$state/loaded.\$1"
rm -rf "$state/\$1"/*
[ -e "$state/dead.\$1" ] && { sleep 3; exit 1; }
setsid "$run/as" "\$1" slurmd -D -N "\$1" < /dev/null >> "$run/log/\$1.slurmd.out" 2>&1 &
echo "pid \$! slurmd" >> "$run/virtual-slurm.state"
SCRIPT
chmod +x "$work/start-machine"
for release in 580.95.05 580.105.08; do
  role=$work/$release/ansible/roles/update
  cat > "$role/tasks/packages.yml" <<PLAY
---
- name: Install the release
  ansible.builtin.copy: { content: "{{ cluster_nvidia_release }}\n", dest: "$state/installed.{{ inventory_hostname }}", mode: "0644" }
- name: Note what no job may meet
  ansible.builtin.shell: squeue -h -w {{ inventory_hostname }} >> $state/disturbed
  changed_when: false
PLAY
  cat > "$role/tasks/expected.yml" <<PLAY
---
- name: Write the list of Slurm's health check
  ansible.builtin.command: cp "$run/etc/../lists/$release.sh" "$run/node/{{ inventory_hostname }}.sh"
PLAY
  cat > "$role/tasks/reboot.yml" <<PLAY
---
- name: Restart, and wait until the machine answers
  ansible.builtin.command: $work/start-machine {{ inventory_hostname }}
  delegate_to: localhost
  vars: { ansible_python_interpreter: /usr/bin/python3 }
PLAY
  mkdir -p "$run/lists"
  sed "s|nvidia-smi|$run/dev/nvidia-smi|; s|/dev/nvidia\([0-9]\)|$run/dev/nvidia\1|" "$work/$release/slurm/nodes/gpu.sh" > "$run/lists/$release.sh"
done
mkdir "$work/python"
for machine in ctl n1 n2 n3 n4 n5 n6 n7 n8; do
  printf '#!/bin/sh\nexec "%s/as" %s /usr/bin/python3 "$@"\n' "$run" "$machine" > "$work/python/$machine"
done
chmod +x "$work"/python/*
update() {   # RELEASE ARGUMENTS...
  local release=$1
  shift
  (cd "$work/$release/ansible" && ansible-playbook update.yml --connection local -e "{\"ansible_python_interpreter\": \"$work/python/{{ inventory_hostname }}\", \"ansible_become\": false,
    \"update_record\": \"$state/record.{{ inventory_hostname }}\", \"update_poll\": 1, \"update_batch\": 3, \"update_health_timeout\": 40}" "$@") > "$work/play" 2>&1
}

ctl() { timeout 60 "$run/enter" "$@"; }
node() { ctl sinfo -h -n "$1" -o '%T %E' | head -1; }
nodes() { for n in 1 2 3 4 5 6 7 8; do printf 'n%s %s, ' "$n" "$(node "n$n")"; done; }
loaded() { cat "$state"/loaded.n?| tr '\n' ' '; }
wait_for() {   # SECONDS WHAT COMMAND WANTED
  local until=$((SECONDS + 4 * $1)) got
  while [ $SECONDS -le $until ]; do
    got=$(eval "$3")
    [ "$got" = "$4" ] && { say "$2: $got"; return; }
    sleep 0.5
  done
  fail "$2 is '$got' after $((4 * $1)) s, expected '$4'"
}
recap() { grep -c "^$1 .*changed=0 .*unreachable=0 .*failed=0" "$work/play"; }

# ---- a job runs on n2, n3 is kept out of service by an administrator, n5 will not come back ------------------------------------------------------
ctl scontrol update nodename=n3 state=drain reason="fan 2 is loud"
job=$(ctl sbatch --parsable --output=/dev/null -w n2 --wrap="sleep 25")
wait_for 20 "a job on n2" "ctl squeue -h -j $job -o %T" RUNNING
touch "$state/dead.n5"
update 580.105.08 && fail "the play ends well although a machine did not come back"
echo "$(grep -m1 'The update stops' "$work/play" | cut -c1-150)"
grep -q "The update stops. n5 failed: Restart, and wait until the machine answers" "$work/play" || { tail -60 "$work/play" >&2; fail "the play does not say that n5 failed"; }
equal "what the machines run" "$(loaded)" "580.105.08 580.105.08 580.105.08 580.105.08 580.105.08 580.105.08 580.105.08 580.95.05 "
wait_for 60 "nodes of Slurm" "nodes | sed 's/n5 [a-z*]* /n5 out /; s/idle[*]/idle/g'" \
  "n1 idle none, n2 idle none, n3 drained fan 2 is loud, n4 idle none, n5 out update: failed: Restart, and wait until the machine answers, n6 idle none, n7 idle none, n8 drained spare, "
equal "the job on n2" "$(ctl scontrol show job "$job" | tr ' ' '\n' | sed -n 's/^JobState=//p')" COMPLETED
equal "jobs that met an update" "$(cat "$state/disturbed")" ""

# ---- the machine is repaired: the same command goes on where it stopped, and a third finds nothing to do -------------------------------------------
rm "$state/dead.n5"
starts=$(grep -c slurmd "$run/virtual-slurm.state")
update 580.105.08 || { tail -60 "$work/play" >&2; fail "the second run"; }
equal "machines that were started again (n5 and n8)" "$(($(grep -c slurmd "$run/virtual-slurm.state") - starts))" 2
wait_for 60 "nodes of Slurm" "nodes | sed 's/idle[*]/idle/g'" "n1 idle none, n2 idle none, n3 drained fan 2 is loud, n4 idle none, n5 idle none, n6 idle none, n7 idle none, n8 drained spare, "
equal "releases that the machines run" "$(sort -u "$state"/loaded.n?)" 580.105.08
update 580.105.08 || { tail -60 "$work/play" >&2; fail "the third run"; }
equal "machines that a third run changes" "$((8 - $(recap 'n[1-8]')))" 0

# ---- n2 does not answer Ansible: it keeps its driver and its place, and the batches behind its own wait -----------------------------------------------
mkdir "$work/580.95.05/ansible/host_vars"
printf 'ansible_connection: ssh\nansible_host: 127.0.0.1\nansible_port: 1\n' > "$work/580.95.05/ansible/host_vars/n2.yml"
update 580.95.05 && fail "the play ends well although a machine did not answer"
grep -q "The update stops. n2 failed: it does not answer" "$work/play" || { tail -60 "$work/play" >&2; fail "the play does not say that n2 failed"; }
equal "what the machines run" "$(loaded)" "580.95.05 580.105.08 580.95.05 580.95.05 580.105.08 580.105.08 580.105.08 580.105.08 "
wait_for 60 "nodes of Slurm" "nodes | sed 's/idle[*]/idle/g'" "n1 idle none, n2 idle none, n3 drained fan 2 is loud, n4 idle none, n5 idle none, n6 idle none, n7 idle none, n8 drained spare, "
rm -r "$work/580.95.05/ansible/host_vars"

# ---- negative tests: a probe that finds a fault keeps the node out; a branch is no release ----------------------------------------------------------
update 580.105.08 -e '{"update_probe": ["false"]}' && fail "a probe that fails is ignored"
equal "n1 after a probe that failed" "$(node n1)" "drained update: failed: Run the probe"
equal "n3 meanwhile" "$(cat "$state/loaded.n3")" 580.95.05
ctl scontrol update nodename=n1 state=resume
tree 580
update 580 --check && fail "a branch is taken for a release"
grep -q "gpu_driver 580 is a branch" "$work/play" || { tail "$work/play" >&2; fail "the play does not say that 580 is a branch"; }
say "a branch is refused"

# ---- the only job of n4 is suspended, which Slurm shows as idle; before it ends, somebody drains the node for another reason ----------------------------
job=$(ctl sbatch --parsable --output=/dev/null -w n4 --wrap="sleep 8")
wait_for 20 "a job on n4" "ctl squeue -h -j $job -o %T" RUNNING
ctl scontrol suspend "$job"
wait_for 20 "the job on n4" "ctl squeue -h -j $job -o %T" SUSPENDED
had=$(cat "$state/loaded.n4")
(
  sleep 12
  [ "$(cat "$state/loaded.n4")" = "$had" ] || touch "$work/early"
  ctl scontrol update nodename=n4 state=drain reason="psu 1 is loud"
  ctl scontrol resume "$job"
) &
update 580.105.08 -e '{"update_force": true}' --limit n4 || { tail -60 "$work/play" >&2; fail "the update of n4"; }
wait $!
[ ! -e "$work/early" ] || fail "n4 was restarted under a suspended job"
equal "the suspended job" "$(ctl scontrol show job "$job" | tr ' ' '\n' | sed -n 's/^JobState=//p')" COMPLETED
equal "what n4 runs afterwards" "$(cat "$state/loaded.n4")" 580.105.08
equal "n4, drained by somebody meanwhile" "$(node n4)" "drained psu 1 is loud"
