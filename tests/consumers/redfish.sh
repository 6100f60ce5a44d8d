#!/usr/bin/env bash
# tested redfish: sushy 5.14, redfish 3.4 (DMTF) and the emulator of sushy-tools 2.2
# audit redfish: the BMCs of the tests are read by two independent clients, sushy 5.14 (OpenStack) and redfish 3.4 (DMTF), which log in, find every part and log out; clusterc reads an independent server, the emulator of sushy-tools 2.2, with its passwords; 3 negative tests
# packages: python3-venv openssl
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 openssl
program=$src/build/redfish-peers
[ -e "$program/complete" ] || missing "scripts/redfish-peers was not run"
PYTHONDONTWRITEBYTECODE=1 timeout 240 "$program/bin/python" "$src/tests/consumers/lib/redfish_peers.py" "$bin" "$src" "$work" "$program" || fail "see above"
