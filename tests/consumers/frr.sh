#!/usr/bin/env bash
# Ethernet fabrics come up: a network namespace for each switch, a veth pair for each cable, the real FRR with the plan's BGP numbers and loopbacks.
# Every switch must have every route that it should have, over as many links as the plan says; with one cable cut that check must fail.
. "$(dirname "$0")/lib/common.bash" "$@"
need ip nsenter sysctl python3
[ -x /usr/lib/frr/bgpd ] || missing "frr not installed"

# FRR's user reads the configuration: no folder on the way may be closed to it.
scratch=$(mktemp -d /tmp/clusterc-frr-XXXXXX) && chmod 755 "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT

# bring_up NAME NETWORK: plan the spec, bring the fabric up
bring_up() {
  "$bin" plan "$src/tests/consumers/specs/$1.yaml" -o "$work/$1" --exports book > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc plan $1"; }
  python3 "$(dirname "$0")/lib/frr.py" "$work/$1" "$2" "$scratch/$1"
  local status=$?
  [ $status -eq 77 ] && exit 77
  [ $status -eq 0 ] || fail "$1: $2"
}

bring_up routed-two-tiers compute
bring_up routed-planes compute
bring_up routed-three-tiers compute
