#!/usr/bin/env bash
# The real OpenSM routes the planned InfiniBand fabrics in ibsim: its fat-tree engine takes every switch, every end point reaches every
# other by its tables, and the routes on each uplink are as many as the plan says, or one more or less.
. "$(dirname "$0")/lib/common.bash" "$@"
need opensm ibsim dump_lfts python3
so=$(ls /usr/lib/*/umad2sim/libumad2sim.so 2>/dev/null | head -1)
[ -n "$so" ] || missing "libumad2sim.so not installed"
lib=$(dirname "$0")/lib
sim=
stop() { [ -z "$sim" ] || { kill "$sim" 2>/dev/null; wait "$sim" 2>/dev/null; sim=; exec 9>&-; }; }
trap stop EXIT

# route NAME SPEC NETWORK[:PLANE] [shared]: plan, simulate, one sweep of OpenSM, judge
route() {
  local name=$1 spec=$2 network=$3 dir=$work/$1-${3/:/-}
  mkdir -p "$dir"
  "$bin" plan "$spec" -o "$dir/plan" > "$dir/plan.log" 2>&1 || { cat "$dir/plan.log" >&2; fail "clusterc plan $spec"; }
  python3 "$lib/opensm.py" net "$dir/plan" "$network" > "$dir/net" || fail "no network $network of $name for ibsim"
  (
    cd "$dir" || exit 1
    mkfifo cmd
    export IBSIM_SOCKNAME=clusterc-$$-$name-${network/:/-} OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir
    ibsim -s -N 8192 -S 1024 -P 131072 net < cmd > ibsim.log 2>&1 &
    sim=$!
    exec 9> cmd
    trap 'kill $sim 2>/dev/null; wait $sim 2>/dev/null' EXIT
    for _ in $(seq 100); do grep -q MaxMcastCap ibsim.log && break; sleep 0.1; done
    grep -q MaxMcastCap ibsim.log && kill -0 $sim || { tail -3 ibsim.log >&2; exit 1; }
    # -o: one sweep; the log's level 0x43 has errors, information and routing
    LD_PRELOAD=$so timeout 120 opensm -o -r -R ftree -f "$dir/osm.log" -D 0x43 -s 0 > opensm.out 2>&1 || { tail -5 opensm.out >&2; exit 1; }
    LD_PRELOAD=$so timeout 120 dump_lfts > lfts.txt 2> dump.err || { tail -3 dump.err >&2; exit 1; }
  ) || fail "$name $network: ibsim or opensm did not run"
  grep -q "SUBNET UP" "$dir/osm.log" || fail "$name $network: the subnet did not come up"
  if grep " ERR " "$dir/osm.log" >&2; then fail "$name $network: OpenSM complains"; fi
  grep -q "ftree tables configured on all switches" "$dir/osm.log" || { grep "tables configured" "$dir/osm.log" >&2; fail "$name $network: the fat-tree engine did not take the fabric"; }
  grep -o "FatTree rank.*" "$dir/osm.log" | head -1
  python3 "$lib/opensm.py" judge "$dir/plan" "$network" "$dir/lfts.txt" ${4:+"$4"}
  local status=$?
  [ $status -eq 0 ] || fail "$name $network: routes (status $status)"
  say "$name $network: routed"
}

route superpod "$src/examples/superpod.yaml" compute
specs=$src/tests/consumers/specs
route fat-two-tiers "$specs/fat-two-tiers.yaml" compute
# Several spines of a pod on one group of cores: exact where units are full, and else the same numbers on other uplinks.
sed 's/111/120/' "$specs/fat-three-tiers.yaml" > "$work/fat-full.yaml"
route fat-full "$work/fat-full.yaml" compute
route fat-three-tiers "$specs/fat-three-tiers.yaml" compute shared
# 200 Gb/s of nodes on ports of 400 that are not split: half as many links between switches, at 400.
sed 's/nvidia-qm8700/nvidia-qm9700\n    breakout: 1/' "$specs/fat-three-tiers.yaml" > "$work/fast-uplinks.yaml"
route fast-uplinks "$work/fast-uplinks.yaml" compute
route fat-oversubscribed "$specs/fat-oversubscribed.yaml" compute
route fat-growing "$specs/fat-growing.yaml" compute
for plane in 1 2; do route fat-planes "$specs/fat-planes.yaml" compute:$plane; done
