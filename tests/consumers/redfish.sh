#!/usr/bin/env bash
# `clusterc audit --redfish`: two independent clients, sushy 5.14 (OpenStack) and redfish 3.4 (DMTF), log in to the BMC of the tests, find every part and log out;
# clusterc reads an independent server, the emulator of sushy-tools 2.2, with its password. Three negative tests: wrong passwords, and a certificate of another authority.
# packages: python3-venv openssl
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 openssl
program=$src/build/redfish-peers
[ -e "$program/complete" ] || missing "scripts/redfish-peers was not run"
PYTHONDONTWRITEBYTECODE=1 timeout 240 "$program/bin/python" "$src/tests/consumers/lib/redfish_peers.py" "$bin" "$src" "$work" "$program" || fail "see above"
