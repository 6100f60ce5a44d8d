#!/usr/bin/env bash
# output ansible: the role nvidia_mig: its script against GPUs that are a file and an nvidia-smi that prints and refuses what NVIDIA's MIG user guide has (no GPU was cut): fresh, again, another layout, one instance short, smaller compute instances, a process, a monitor, a mode that waits for a start (Ampere) or goes with it (Hopper), no MIG, too many instances, off; shellcheck, systemd-analyze verify; ansible-playbook 2.14 and systemctl 252 (Debian 12) in a copy of this system, the health check, a second run that changes nothing; 2 negative tests
# heavy: three minutes of CPU time; consumer.ansible-gpu plays the other roles of GPU software
. "$(dirname "$0")/lib/common.bash" "$@"
need shellcheck python3 systemd-analyze flock
export LC_ALL=C.UTF-8
compile_case ansible
role=$out/ansible/roles/nvidia_mig script=$out/ansible/roles/nvidia_mig/files/cluster-mig
shellcheck "$script" || fail "shellcheck"
mkdir -p "$work/bin"
smi=$work/bin/nvidia-smi
cp "$src/tests/consumers/lib/nvidia_smi.py" "$smi" && chmod 755 "$smi"
export GPUS=$work/gpus.json

# gpus KIND COUNT: a machine of its own. as PYTHON: something else happens to its GPUs (g). run ARGUMENTS: the script; status, said and wrong
gpus() { rm -rf "$work/root" "$GPUS" "$GPUS.calls"; "$smi" --new "$GPUS" "$1" "$2"; }
as() { python3 -c 'import json, sys; g = json.load(open(sys.argv[1])); exec(sys.argv[2]); json.dump(g, open(sys.argv[1], "w"))' "$GPUS" "$1"; }
run() { : > "$GPUS.calls"; CLUSTER_MIG_ROOT=$work/root PATH=$work/bin:$PATH sh "$script" "$@" > "$work/said" 2> "$work/wrong"; status=$?; }
# layout: what each GPU is cut into, as the file has it: mode, instances with what each of them holds
layout() { python3 -c 'import json, sys; print("; ".join(g["current"] + "".join(" %s[%s]" % (i["profile"], ",".join(i["ci"])) for i in g["gi"]) for g in json.load(open(sys.argv[1]))))' "$GPUS"; }
# expect WHAT STATUS LAYOUT [WORDS ON STDERR]
expect() {
  [ "$status" = "$2" ] || { cat "$work/said" "$work/wrong" >&2; fail "$1: ended with $status, expected $2"; }
  [ "$(layout)" = "$3" ] || fail "$1: '$(layout)', expected '$3'"
  if [ -n "${4:-}" ]; then grep -q -- "$4" "$work/wrong" || { cat "$work/wrong" >&2; fail "$1: it does not say '$4'"; }
  else [ ! -s "$work/wrong" ] || { cat "$work/wrong" >&2; fail "$1: it complains"; }; fi
  say "$1: $(head -1 "$work/wrong" "$work/said" 2> /dev/null | grep -v '^==>' | grep -v '^$' | head -1 | cut -c1-160)"
}
unchanged() { [ ! -s "$GPUS.calls" ] && [ ! -s "$work/said" ] || { cat "$GPUS.calls" "$work/said" >&2; fail "$1: something is changed"; }; }
pair="Enabled 3g.40gb[3g.40gb] 3g.40gb[3g.40gb]" seven=Enabled
for _ in 1 2 3 4 5 6 7; do seven="$seven 1g.10gb[1g.10gb]"; done

gpus hopper 2; run 7 1g.10gb; expect "fresh" 0 "$seven; $seven"
equal "told to the first" "$(grep 1B:00 "$GPUS.calls" | tr '\n' ';')" "-i 00000000:1B:00.0 -mig 1;mig -i 00000000:1B:00.0 -cgi 1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb -C;"
run 7 1g.10gb; expect "again" 0 "$seven; $seven"; unchanged "again"
"$smi" --start; run 7 1g.10gb; expect "after a start" 0 "$seven; $seven"
run 2 3g.40gb; expect "another layout" 0 "$pair; $pair"
as 'g[0]["gi"].pop(); g[0]["gi"][0]["id"] = 1'; run 2 3g.40gb; expect "one short" 0 "$pair; $pair"
[ "$(grep -c 2B:00 "$GPUS.calls")" = 0 ] || fail "the GPU that is well is touched"
as 'g[1]["gi"][0]["ci"] = []'; run 2 3g.40gb; expect "no compute instance in one" 0 "$pair; $pair"
as 'g[1]["gi"][0]["ci"] = ["1c.3g.40gb"]'; run 2 3g.40gb; expect "a smaller compute instance" 0 "$pair; $pair"
as 'g[1]["gi"][0]["ci"] = ["1c.3g.40gb", "1c.3g.40gb"]; g[1]["gi"][1]["ci"] = []'; run 2 3g.40gb; expect "two in one, none in the other" 0 "$pair; $pair"
run 1 1g.10gb; expect "one of each" 0 "Enabled 1g.10gb[1g.10gb]; Enabled 1g.10gb[1g.10gb]"
as 'g[0]["gi"].append({"id": 3, "profile": "2g.20gb", "ci": []})'; run 1 1g.10gb; expect "one of another profile beside it, without a compute instance" 0 "Enabled 1g.10gb[1g.10gb]; Enabled 1g.10gb[1g.10gb]"
run 1 1g.10gb+me; expect "with media engines" 0 "Enabled 1g.10gb+me[1g.10gb+me]; Enabled 1g.10gb+me[1g.10gb+me]"

gpus hopper 2; run 7 1g.10gb; as 'g[0]["pids"] = [4711, 4712]'
run 7 1g.10gb; expect "busy, and as it should be" 0 "$seven; $seven"; unchanged "busy"
run 2 3g.40gb; expect "busy: the other is cut" 3 "$seven; $pair" "1B:00.0: left as it is, processes use it: 4711 4712"
grep -q 1B:00 "$GPUS.calls" && fail "a GPU with a process is touched"
as 'g[0]["pids"] = []; g[0]["held"] = True'; run 2 3g.40gb; expect "a monitor" 3 "$seven; $pair" "In use by another client"
as 'g[0]["held"] = False'; run 2 3g.40gb; expect "once it is gone" 0 "$pair; $pair"
gpus hopper 1; as 'g[0]["pids"] = [4711]'; run 7 1g.10gb; expect "busy, and whole" 3 "Disabled" "processes use it: 4711"; unchanged "busy and whole"
gpus hopper 1; run 8 1g.10gb; expect "more than there are" 1 "$seven" "Insufficient Resources"
gpus hopper 1; run 7 1g.5gb; expect "a profile of another GPU" 1 "Enabled" "Unable to find profile 1g.5gb"
gpus none 1; run 7 1g.10gb; expect "a GPU without MIG" 1 "Disabled" "has no MIG"; unchanged "no MIG"
gpus hopper 0; run 7 1g.10gb; expect "no GPU" 1 "" "finds no GPU"
gpus hopper 1; run 7; expect "half an order" 1 "Disabled" "usage"

# Ampere: the mode waits for what has the device open, or for a start; then it is there
gpus ampere 1; as 'g[0]["held"] = True'; run 7 1g.10gb; expect "Ampere: a monitor" 3 "Disabled" "only after a reset of the GPU or the machine's next start.*In use by another client"
"$smi" --start; run 7 1g.10gb; expect "Ampere: after the start" 0 "$seven"
grep -q -- '-mig' "$GPUS.calls" && fail "the mode is set where it is on"
gpus ampere 1; as 'g[0]["held"] = True'; run 7 1g.10gb; as 'g[0]["held"] = False'; run off; expect "Ampere: off before the start" 0 "Disabled"
equal "and at the start" "$("$smi" -i 0 --query-gpu=mig.mode.pending --format=csv,noheader)" Disabled
gpus ampere 1; as 'g[0]["passthrough"] = True'; run 7 1g.10gb; expect "Ampere: in a virtual machine" 3 "Disabled" "next start"
"$smi" --start; run off; expect "Ampere: off" 3 "Enabled" "MIG mode Disabled only after"
"$smi" --start; run off; expect "Ampere: off, after the start" 0 "Disabled"; [ ! -e "$work/root/var/lib/cluster-mig" ] || fail "the mark stays"

gpus hopper 2; run off; expect "off, and never on" 0 "Disabled; Disabled"; unchanged "off"
run 7 1g.10gb; as 'g[0]["pids"] = [4711]'; run off; expect "off, and busy" 3 "$seven; Disabled" "processes use it: 4711"
as 'g[0]["pids"] = []'; run off; expect "off" 0 "Disabled; Disabled"; [ ! -e "$work/root/var/lib/cluster-mig" ] || fail "the mark stays"
as 'g[0]["current"] = g[0]["pending"] = "Enabled"; g[0]["gi"] = [{"id": 7, "profile": "7g.80gb", "ci": ["7g.80gb"]}]'; run off
expect "off, and somebody else's" 3 "Enabled 7g.80gb[7g.80gb]; Disabled" "not by this script"; unchanged "somebody else's"
# Broken twin: a script that does not look at processes takes the instances from under one
gpus hopper 1; run 7 1g.10gb; as 'g[0]["pids"] = [4711]'
sed 's/^is_idle() {/is_idle() { return 0/' "$script" > "$work/twin" && script=$work/twin run 2 3g.40gb
grep -q -- -dci "$GPUS.calls" || fail "the twin asks for processes all the same"
say "a script that does not ask for processes goes at their instances"
script=$role/files/cluster-mig

need ansible-playbook
export HOME=$work
need_debian_12
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/case-ansible/." "$root/root/tree/"
# Ubuntu's plays on this Debian; a driver and systemd that are not here
sed -i 's/^cluster_distribution: .*/cluster_distribution: Debian/; s/^cluster_distribution_version: .*/cluster_distribution_version: "12"/' "$root"/root/tree/ansible/group_vars/group_gpu_a.yaml
sed "s|os.environ.get(\"GPUS\", \"\")|\"/root/gpus.json\"|" "$work/bin/nvidia-smi" > "$root/usr/local/bin/nvidia-smi" && chmod 755 "$root/usr/local/bin/nvidia-smi"
chroot "$root" nvidia-smi --new /root/gpus.json hopper 8
there='{"base_booted": {"stat": {"exists": true}}, "nvidia_mig_driver": {"stat": {"exists": true}}}'
mig() { play "$system" --limit g001 --tags "$2" "${@:3}" > "$work/play-$1" 2>&1 || { grep -v '^$' "$work/play-$1" | tail -25 >&2; fail "$1"; }; }
mig absent base,nvidia_mig
[ ! -e "$root/root/gpus.json.calls" ] || fail "GPUs are cut where systemd does not run"
chroot "$root" systemctl is-enabled --quiet cluster-mig || fail "nothing cuts them when the machine starts"
equal "the unit starts" "$(sed -n 's/^ExecStart=//p' "$root/etc/systemd/system/cluster-mig.service")" "/usr/local/sbin/cluster-mig 7 1g.10gb"
systemd-analyze verify --man=no --root="$root" /etc/systemd/system/cluster-mig.service > "$work/unit" 2>&1 && [ ! -s "$work/unit" ] || { cat "$work/unit" >&2; fail "the unit"; }
mig first nvidia_mig -e "$there"
equal "instances" "$(chroot "$root" nvidia-smi -L | grep -c '^ *MIG 1g.10gb ')" 56
mig second nvidia_mig -e "$there"
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/play-second" || { grep -B3 '^changed' "$work/play-second" >&2; fail "the second run changes something"; }
echo "ok: a second run changes nothing"
# the health check counts them
play "$system" --limit g001 --tags health_check > "$work/health" 2>&1 || { tail -5 "$work/health" >&2; fail "health_check"; }
chroot "$root" cluster-health | grep MIG && fail "the health check misses instances that are there"
chroot "$root" nvidia-smi mig -i 3 -dci > /dev/null
equal "with those of one GPU gone" "$(chroot "$root" cluster-health | grep MIG)" "49 MIG instances 1g.10gb of 56"
# a GPU that is in the way is said, and the play goes on
sed -i 's/"pids": \[\]/"pids": [4711]/g' "$root/root/gpus.json"
mig busy nvidia_mig -e "$there"
grep -q 'processes use it: 4711' "$work/play-busy" || { tail -25 "$work/play-busy" >&2; fail "it does not say what is in the way"; }
sed -i 's/"pids": \[4711\]/"pids": []/g' "$root/root/gpus.json"
# whole again: the spec says nothing of MIG any more
sed -i '/^cluster_mig/d' "$root"/root/tree/ansible/group_vars/group_gpu_a.yaml
sed -i 's/^gpu_instances .*/mig_off nvidia-smi/' "$root"/root/tree/ansible/health/gpu-a.sh
mig off nvidia_mig -e "$there"
equal "whole again" "$(chroot "$root" nvidia-smi --query-gpu=mig.mode.current --format=csv,noheader | sort | uniq -c | tr -s ' ')" " 8 Disabled"
equal "the unit starts" "$(sed -n 's/^ExecStart=//p' "$root/etc/systemd/system/cluster-mig.service")" "/usr/local/sbin/cluster-mig off"
# a mode that nobody asked for is a fault
play "$system" --limit g001 --tags health_check > "$work/health" 2>&1 || { tail -5 "$work/health" >&2; fail "health_check of whole GPUs"; }
chroot "$root" cluster-health | grep MIG && fail "the health check takes whole GPUs for cut ones"
chroot "$root" nvidia-smi -i 0 -mig 1 > /dev/null
equal "with the mode on" "$(chroot "$root" cluster-health | grep MIG)" "MIG is on, and not asked for: cluster-mig off, or nvidia-smi -mig 0"
chroot "$root" nvidia-smi -i 0 -mig 0 > /dev/null
rm "$root/usr/local/sbin/cluster-mig" "$root/etc/systemd/system/cluster-mig.service"
mig never nvidia_mig -e "$there"
[ ! -e "$root/usr/local/sbin/cluster-mig" ] || fail "a machine that was never cut gets the script"
# Broken twin: GPUs that cannot be cut so end the play
printf 'cluster_mig_count: 9\ncluster_mig_profile: 1g.10gb\n' >> "$root"/root/tree/ansible/group_vars/group_gpu_a.yaml
play "$system" --limit g001 --tags nvidia_mig -e "$there" > "$work/twin" 2>&1 && fail "nine instances of seven pass"
grep -q 'Insufficient Resources' "$work/twin" || { tail -25 "$work/twin" >&2; fail "it does not say why"; }
echo "ok: nine instances of seven end the play"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
