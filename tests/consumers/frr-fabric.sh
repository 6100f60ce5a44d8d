#!/usr/bin/env bash
# output sonic: zebra, bgpd and vtysh of FRR run the frr.conf of each switch in network namespaces, with nodes that have their compiled addresses and routes: every route over all its links, all addresses talk, also without any spine and without a link of each leaf; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ip nsenter sysctl python3 vtysh
[ -x /usr/lib/frr/bgpd ] || missing "frr not installed"

# FRR's user reads the configuration: no folder on the way may be closed to it.
scratch=$(mktemp -d /tmp/clusterc-frr-XXXXXX) && chmod 755 "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT

compile roce-fabric
"$bin" plan "$src/examples/roce-fabric.yaml" -o "$work/plan" --exports book > "$work/plan.log" 2>&1 || { cat "$work/plan.log" >&2; fail "clusterc plan"; }
python3 "$(dirname "$0")/lib/frr_fabric.py" "$out" "$work/plan" compute "$scratch/run"
status=$?
[ $status -eq 77 ] && exit 77
[ $status -eq 0 ] || fail "network compute of examples/roce-fabric.yaml"
