#!/usr/bin/env bash
# output slurm: slurmctld and slurmd 22.05 (Debian 12) take what is compiled of a node: the render nodes of eight MI300X, half of the processors without SMT, less memory than the machine's name says; 3 negative tests
# slurmd reads gres.conf with fake devices; nodes register with the processors and the memory that this machine has; the health check reads a fake of the AMD driver's list.
# lock: slurm-b
# waits: for slurmctld
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd scontrol sinfo python3
up=$src/tests/virtual-slurm/up down=$src/tests/virtual-slurm/down
running=()
trap 'for w in "${running[@]:-}"; do [ -n "$w" ] && "$down" "$w"; done' EXIT

# ---- eight MI300X: the kernel makes renderD128 to 191, eight of each GPU ------------------------------------------------------
mkdir -p "$work/specs" "$work/dev"
sed 's/\(kind: slurm, version: \)[0-9.]*/\122.05/' "$src/tests/consumers/specs/mi300x.yaml" > "$work/specs/mi300x.yaml"
out=$work/mi300x
"$bin" compile "$work/specs/mi300x.yaml" -o "$out" > "$work/mi300x.log" 2>&1 || { cat "$work/mi300x.log" >&2; fail "clusterc compile mi300x.yaml"; }
for ((i = 128; i < 192; ++i)); do mknod -m 666 "$work/dev/renderD$i" c 226 $i 2>/dev/null || : > "$work/dev/renderD$i"; done
gres() {   # FOLDER: the devices that slurmd hands out, as it reads gres.conf
  rm -rf "$work/etc"
  python3 "$src/tests/virtual-slurm/overlay.py" "$1/slurm" "$work/etc" --devices "$work/dev" slurm.conf:SlurmUser=root slurm.conf:SlurmdParameters=config_overrides \
    "slurm.conf:SlurmdSpoolDir=$work" "slurm.conf:SlurmdLogFile=$work/slurmd.log" slurm.conf:TaskPlugin=task/none slurm.conf:ProctrackType=proctrack/linuxproc slurm.conf:JobAcctGatherType=jobacct_gather/none || fail "overlay"
  slurmd -f "$work/etc/slurm.conf" -G -N mi01 > "$work/gres.log" 2>&1
  grep -E "error|fatal" "$work/gres.log" >&2 && fail "slurmd complains of gres.conf"
  sed -n "s|.*Gres Name=gpu .*File=\([^ ]*\).*|\1|p" "$work/gres.log" | while read -r list; do scontrol show hostnames "$list"; done | sed 's/.*renderD//' | sort -n | tr '\n' ' '
}
export SLURM_CONF=$work/unfold.conf
printf 'ClusterName=x\nSlurmctldHost=x\n' > "$SLURM_CONF"
equal "slurmd: render nodes of mi01" "$(gres "$out")" "128 136 144 152 160 168 176 184 "
cp -r "$out" "$work/contiguous" && sed -i 's|renderD\[[0-9,]*\]|renderD[128-135]|' "$work/contiguous/slurm/gres.conf"
equal "broken twin: partitions of the first GPU" "$(gres "$work/contiguous")" "128 129 130 131 132 133 134 135 "

# The driver's list: a processor has no render node, a GPU or partition has one.
health_check_in "$work/health" "$out/slurm/healthcheck.sh"
sed -n "s|/sys/class/kfd/kfd/topology/nodes|$work/kfd|p" "$out/slurm/nodes/mi.sh" > "$work/health/node.sh"
grep -q '^amd_gpus ' "$work/health/node.sh" || fail "node.sh does not count AMD's GPUs"
health() {   # RENDER NODE…: what the check says of a driver that lists these
  local n=1
  rm -rf "$work/kfd" && mkdir -p "$work/kfd/0" "$work/kfd/1"
  printf 'cpu_cores_count 96\nsimd_count 0\ndrm_render_minor 0\n' | tee "$work/kfd/0/properties" > "$work/kfd/1/properties"
  for minor in "$@"; do n=$((n + 1)); mkdir "$work/kfd/$n" && printf 'cpu_cores_count 0\nsimd_count 1216\ndrm_render_minor %s\n' "$minor" > "$work/kfd/$n/properties"; done
  SLURMD_NODENAME=mi01 timeout 30 sh "$work/health/healthcheck.sh" --check 2>&1
  echo "status $?"
}
eight=$(seq 128 8 184)
# shellcheck disable=SC2086
equal "health check: eight GPUs" "$(health $eight)" "status 0"
# shellcheck disable=SC2046
equal "health check: one is gone" "$(health $(seq 128 8 176) | tr '\n' ';')" "mi01: 7 of 8 GPUs answer;mi01: the driver lists 7 GPUs and not 8;status 1;"
# shellcheck disable=SC2046
equal "health check: other numbers" "$(health $(seq 128 135) | tr '\n' ';')" "mi01: 1 of 8 GPUs answer;status 1;"
# shellcheck disable=SC2046
equal "health check: eight partitions each (CPX)" "$(health $(seq 128 191) | tr '\n' ';')" "mi01: the driver lists 64 GPUs and not 8;status 1;"

# ---- processors and memory as this machine has them ----------------------------------------------------------------------------
# Half of the processors that the spec names are switched off by nosmt; and this machine has 2 % less memory than RealMemory, as one whose hypervisor keeps more than
# was reckoned: fitted x 0.92 = RealMemory, and that is MemTotal / 0.98.
cores=$(nproc --all) mib=$(slurmd -C | sed -n 's/.*RealMemory=\([0-9]*\).*/\1/p')
fitted=$((mib * 10000 / 98 / 92 + 1))
cat > "$work/specs/node.yaml" <<END
clusterc: 1
rules: 2026.11
name: node
site: { kind: cloud, provider: local }
nodes:
  head: { names: head, virtual_machine: { cpus: 2, memory: 8 GiB }, roles: [scheduler] }
  n:    { names: "n[1-2]", virtual_machine: { cpus: $((2 * cores)), memory: $fitted MiB }, software: { kernel_arguments: [nosmt] } }
networks:
  lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.9.0.0/24, carries: [compute, inband], connects: { head: 1, n: 1 } }
software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 } }
END
out=$work/node
"$bin" compile "$work/specs/node.yaml" -o "$out" > "$work/node.log" 2>&1 || { cat "$work/node.log" >&2; fail "clusterc compile node.yaml"; }
real=$(sed -n 's/^NodeName=n.*RealMemory=\([0-9]*\).*/\1/p' "$out/slurm/slurm.conf")
[ "$real" -gt "$mib" ] || fail "RealMemory=$real is not more than the $mib MiB of this machine: the test shows nothing"
unset SLURM_CONF
registered() {   # TREE NAME SECONDS: starts it; $state is what the controller has of n1 once it registered: "STATE CPUS REASON"
  run=$work/run-$2
  running+=("$run")
  "$up" "$1" "$run" --as-found --wait "$3" > "$work/run-$2.log" 2>&1
  local rc=$?
  [ $rc -eq 77 ] && { tail -1 "$work/run-$2.log"; exit 77; }
  state=$("$run/enter" sinfo -h -n n1 -o '%T %c %E' | sort -u)
}
registered "$out" compiled 60
equal "a node with $mib of $real MiB and half of the processors" "$state" "idle $cores none"
"$down" "$run"
twin() {   # NAME SED-EXPRESSION REASON
  cp -r "$out" "$work/twin-$1" && sed -i "$2" "$work/twin-$1/slurm/slurm.conf"
  cmp -s "$out/slurm/slurm.conf" "$work/twin-$1/slurm/slurm.conf" && fail "the broken twin $1 is not broken"
  registered "$work/twin-$1" "$1" 8
  case $state in *"$3"*) say "broken twin $1: $state" ;; *) fail "broken twin $1 was accepted: $state" ;; esac
  "$down" "$run"
}
twin every-module '/^SlurmctldParameters=/d' "Low RealMemory"
twin smt-on "s/ThreadsPerCore=1/ThreadsPerCore=2/; s/^\(NodeName=n.*\) CPUs=$cores /\1 CPUs=$((2 * cores)) /" "Low socket*core*thread count, Low CPUs"
