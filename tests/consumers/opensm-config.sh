#!/usr/bin/env bash
# tested opensm: opensm 3.3.23 on ibsim
# output opensm: opensm 3.3.23 (Debian 12) on ibsim runs from the compiled files: every subnet of every example comes up by the engine of its file, no complaint, every end point from every leaf;  roots and names by GUID from an inventory, two planes, Slurm's tree equals the fabric it finds, systemd-analyze verify of the unit; 3 negative tests
# What OpenSM is given here is what compile wrote, with the folders that it is installed to replaced by those of the test.
. "$(dirname "$0")/lib/common.bash" "$@"
need opensm ibsim dump_fts ibnetdiscover python3 scontrol
so=$(ls /usr/lib/*/umad2sim/libumad2sim.so 2>/dev/null | head -1)
[ -n "$so" ] || missing "libumad2sim.so not installed"
lib=$(dirname "$0")/lib
specs=$src/tests/consumers/specs

# start NET; then opensm and the diagnostics run in the same shell, and stop ends the simulator
start() {
  dir=$1
  mkfifo "$dir/cmd"
  export IBSIM_SOCKNAME=clusterc-conf-$$-$(basename "$dir") OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir
  (cd "$dir" && exec ibsim -s -N 8192 -S 1024 -P 131072 net < cmd > ibsim.log 2>&1) &
  sim=$!
  exec 9> "$dir/cmd"
  for _ in $(seq 100); do grep -q MaxMcastCap "$dir/ibsim.log" && break; sleep 0.1; done
  grep -q MaxMcastCap "$dir/ibsim.log" && kill -0 $sim || { tail -3 "$dir/ibsim.log" >&2; fail "ibsim did not start in $dir"; }
}
stop() { [ -z "${sim:-}" ] || { kill "$sim" 2>/dev/null; wait "$sim" 2>/dev/null; sim=; exec 9>&-; }; }
trap stop EXIT

# sweep DIR SUBNET: one sweep from DIR/etc/SUBNET/opensm.conf; its log is DIR/log/SUBNET/opensm.log
sweep() {
  mkdir -p "$1/log/$2"
  rm -f "$1/log/$2/opensm.log"
  LD_PRELOAD=$so timeout 120 opensm --config "$1/etc/$2/opensm.conf" -o -D 0x43 > "$1/opensm.out" 2>&1
}
# install TREE DIR: the compiled tree as it would stand in /etc/opensm
install_to() { mkdir -p "$2/etc" && cp -r "$1/opensm/." "$2/etc" && sed -i "s|/etc/opensm/|$2/etc/|; s|/var/log/opensm/|$2/log/|" "$2"/etc/*/opensm.conf; }
# clean DIR SUBNET NAME: the log has nothing but success, by the engine that the file asks for
clean() {
  local log=$1/log/$2/opensm.log
  grep -q "SUBNET UP" "$log" || fail "$3: the subnet did not come up"
  if grep -E " ERR |rror" "$log" >&2; then fail "$3: OpenSM complains"; fi
  if grep -iE "unrecognized|invalid|ignor|cannot|fail" "$1/opensm.out" >&2; then fail "$3: OpenSM does not take the file"; fi
  local engine
  engine=$(sed -n 's/^routing_engine //p' "$1/etc/$2/opensm.conf")
  grep -q "$engine tables configured on all switches" "$log" || { grep "tables configured" "$log" >&2; fail "$3: the engine $engine did not take the fabric"; }
}

# run NAME SPEC NETWORK[:PLANE] SUBNET [SWITCHES]: what the spec compiles to, with OpenSM finding the roots by itself
run() {
  local dir=$work/$1-$4
  mkdir -p "$dir"
  [ -d "$work/$1.tree" ] || "$bin" compile "$2" -o "$work/$1.tree" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc compile $2"; }
  [ -d "$work/$1.plan" ] || "$bin" plan "$2" -o "$work/$1.plan" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc plan $2"; }
  python3 "$lib/opensm.py" net "$work/$1.plan" "$3" > "$dir/net" || fail "no network $3 of $1"
  install_to "$work/$1.tree" "$dir"
  start "$dir"
  sweep "$dir" "$4" || { tail -5 "$dir/opensm.out" >&2; fail "$1: opensm did not run"; }
  clean "$dir" "$4" "$1 $4"
  LD_PRELOAD=$so timeout 120 dump_fts > "$dir/lfts.txt" 2> "$dir/dump.err" || fail "$1: dump_fts"
  LD_PRELOAD=$so timeout 120 ibnetdiscover > "$dir/topo.txt" 2>> "$dir/dump.err" || fail "$1: ibnetdiscover"
  stop
  # What dump_fts leaves out (lib/opensm.py) stands in OpenSM's own dump, of 100 MB for a large fabric.
  local top status=0
  top=$(grep -oE ' lid [0-9]+' "$dir/topo.txt" | awk '$2 > t { t = $2 } END { printf "0x%04x", t }')
  grep -iE "^Unicast|^$top |^0x[0-9a-f]+ 128 " "$dir/log/$4/opensm-lfts.dump" > "$dir/own.txt"
  python3 "$lib/opensm.py" judge "$work/$1.plan" "$3" "$dir/lfts.txt" "$dir/own.txt" || status=$?
  # 3: all ways lead there, and are dealt otherwise than planned: the business of opensm.sh, here of those whose switches are counted by hand
  [ $status = 0 ] || [ "$status${5:-}" = 3 ] || fail "$1 $4: routes"
  [ -z "${5:-}" ] || equal "$1 $4: switches that OpenSM found" "$(grep -c ^Switch "$dir/topo.txt")" "$5"
}

# By hand: 4 units x 8 rails + 16 spines.
run superpod "$src/examples/superpod.yaml" compute compute 48
# Two planes of 100 nodes with 4 rails: 40 ports down and 20 up leave a leaf with 3 units x 4 rails = 12 leaves, 240 uplinks on 4 spines of 64 ports.
for plane in 1 2; do run fat-planes "$specs/fat-planes.yaml" compute:$plane compute-plane$plane 16; done
equal "planes differ in their prefix" "$(sed -n 's/^subnet_prefix //p' "$work"/fat-planes.tree/opensm/*/opensm.conf | sort -u | wc -l)" 2

# The golden case: one switch, IPoIB with its rate and packet size, a partition of an extra line.
run case "$src/tests/golden/compile/opensm/spec.yaml" ib ib 1

# Every other subnet of every example.
trees_with opensm
for name in $trees; do
  for conf in "$work/$name"/opensm/*/opensm.conf; do
    subnet=$(basename "$(dirname "$conf")")
    [ "$name $subnet" != "superpod compute" ] || continue
    spec=$src/examples/$name.yaml
    [ -e "$spec" ] || spec=$src/examples/published/$name.yaml
    run "$name" "$spec" "${subnet/-plane/:}" "$subnet"
  done
done

# Slurm's tree against the fabric that OpenSM brought up: sets of nodes on the same leaves
# (scontrol only writes out the names of ranges, for which it wants some slurm.conf: the compiled one is for a newer release)
printf 'ClusterName=any\nSlurmctldHost=any\n' > "$work/any.conf"
export SLURM_CONF=$work/any.conf
sed -n 's/^SwitchName=\S* Nodes=\(\S*\).*/\1/p' "$work/superpod.tree/slurm/topology.conf" | grep '^gpu' | while read -r nodes; do
  scontrol show hostnames "$nodes" | sed 's/^gpu/gpu\//' | sort | tr '\n' ' ' | sed 's/ $/\n/'
done | sort > "$work/slurm-units"
python3 "$lib/opensm.py" units "$work/superpod-compute/topo.txt" | sed 's/ *fm\/[0-9]//g; s/^ //' | sort > "$work/opensm-units"
[ -s "$work/slurm-units" ] || fail "no units in topology.conf"
cmp -s "$work/slurm-units" "$work/opensm-units" || { diff "$work/slurm-units" "$work/opensm-units" | cut -c1-200 >&2; fail "Slurm's tree is not what OpenSM found"; }
equal "units of Slurm's tree, the same as OpenSM's" "$(awk '{ print NF }' "$work/slurm-units" | sort | tr '\n' ' ')" "31 32 32 32 "

# With an inventory: roots, compute ports and names by GUID, and OpenSM runs from them.
dir=$work/inventory
mkdir -p "$dir"
python3 "$lib/opensm.py" inventory "$work/superpod.plan" compute > "$dir/devices.csv"
sed 's/^name: aurora/name: aurora\ninventory: devices.csv/' "$src/examples/superpod.yaml" > "$dir/spec.yaml"
"$bin" compile "$dir/spec.yaml" -o "$dir/tree" > "$dir/compile.log" 2>&1 || { cat "$dir/compile.log" >&2; fail "compile with an inventory"; }
grep -q "opensm-guids\|inventory-" "$dir/compile.log" && { grep "opensm-guids\|inventory-" "$dir/compile.log" >&2; fail "compile complains about the inventory"; }
python3 "$lib/opensm.py" net "$work/superpod.plan" compute "$dir/devices.csv" > "$dir/net"
install_to "$dir/tree" "$dir"
equal "roots" "$(grep -c ^0x "$dir/etc/compute/root-guids")" 16
equal "compute ports" "$(grep -c ^0x "$dir/etc/compute/cn-guids")" 1016
equal "ports of the managers" "$(grep -c ^0x "$dir/etc/compute/io-guids")" 4
start "$dir"
sweep "$dir" compute || { tail -5 "$dir/opensm.out" >&2; fail "opensm with an inventory"; }
clean "$dir" compute "with an inventory"
# (its line ends after some 128 bytes)
grep -q "Loading Cached Option:root_guid_file = ${dir:0:40}" "$dir/opensm.out" || fail "OpenSM did not read the name of the roots' file"
grep -q "1020 CAs, 1020 CA ports (1016 of them CNs), 48 switches" "$dir/log/compute/opensm.log" || { grep CNs "$dir/log/compute/opensm.log" >&2; fail "OpenSM did not take the compute ports from their file"; }
LD_PRELOAD=$so timeout 120 ibnetdiscover --node-name-map "$dir/etc/compute/node-names" > "$dir/topo.txt" 2> "$dir/dump.err" || fail "ibnetdiscover with the names"
equal "switches under the plan's names" "$(grep ^Switch "$dir/topo.txt" | grep -c '# "\(leaf-compute-u[1-4]-r[1-8]\|spine-compute-[01][0-9]\)"')" 48
# the manager binds to the port that its own file says
equal "port of fm1" "$(sed -n 's/^OPTIONS="--guid \(.*\)"$/\1/p' "$dir/etc/compute/port-fm1")" "$(sed -n 's/^[^,]*,\(0x[0-9a-f]*\),node\/fm\/1,compute1$/\1/p' "$dir/devices.csv")"

# Broken twins: a partition that does not parse, a leaf among the roots, an engine that does not exist.
sed -i 's/^Default=0x7fff : ALL=full/Default=0x7fff : ALL=full, 0xzz=full/' "$dir/etc/compute/partitions.conf"
sweep "$dir" compute
if (clean "$dir" compute broken) 2>/dev/null; then fail "OpenSM takes a partition with the GUID 0xzz"; fi
grep -E "ERR|PARSE" "$dir/log/compute/opensm.log" | head -1
say "a partition that does not parse is refused"
install_to "$dir/tree" "$dir"
leaf=$(sed -n 's/^[^,]*,\(0x[0-9a-f]*\),leaf\/compute\/u1\/r1,$/\1/p' "$dir/devices.csv")
sed -i "s/^0x.*$/$leaf/" "$dir/etc/compute/root-guids"
sweep "$dir" compute
if (clean "$dir" compute broken) 2>/dev/null; then fail "OpenSM routes a tree whose root is a leaf"; fi
say "a leaf as the only root is refused"
install_to "$dir/tree" "$dir"
sed -i 's/^routing_engine ftree/routing_engine fttree/' "$dir/etc/compute/opensm.conf"
sweep "$dir" compute
if (clean "$dir" compute broken) 2>/dev/null; then fail "OpenSM takes the engine fttree"; fi
say "an engine that does not exist is refused"
stop

# The unit: systemd reads it where systemd-analyze is installed.
if command -v systemd-analyze > /dev/null; then
  mkdir -p "$work/unit" && cp "$work/superpod.tree/opensm/cluster-opensm@.service" "$work/unit/cluster-opensm@compute.service"
  systemd-analyze verify --man=no "$work/unit/cluster-opensm@compute.service" > "$work/unit.log" 2>&1 || { cat "$work/unit.log" >&2; fail "systemd refuses the unit"; }
  grep -i "opensm" "$work/unit.log" >&2 && fail "systemd complains about the unit"
  say "systemd-analyze verify takes the unit"
else
  missing_part "systemd-analyze is not installed: the unit was not verified"
fi
