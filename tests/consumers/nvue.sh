#!/usr/bin/env bash
# output cumulus: the schema of NVUE 5.9 and 5.14 (nvueschema, installed by scripts/nvue) judges the startup.yaml of every switch, without a key that it does not know; both ends of links between switches agree; 8 negative tests
# tested cumulus: NVUE schema 5.9 and 5.14
# Skipped where the models are not there.
. "$(dirname "$0")/lib/common.bash" "$@"
python=${CLUSTERC_NVUE:-$src/build/nvue}/bin/python
[ -x "$python" ] || missing "no models of NVUE in build/nvue: scripts/nvue installs them"
compile_case cumulus
"$python" "$src/tests/consumers/nvue.py" "$out/cumulus" || fail "the schema of NVUE refuses what is compiled"
"$python" "$src/tests/consumers/nvue.py" "$out/cumulus" --mistakes || fail "a mistake is not found"
