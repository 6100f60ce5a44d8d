#!/usr/bin/env bash
# The disk of the journal is full in the middle of a run: the run ends and says so, no result is half, and with space again the same command goes on.
# usage: validate_full_disk.sh PROGRAMS SOURCE WORK      (clusterc lies in ../../bin beside PROGRAMS)
set -eu
. "$(dirname "$0")/../consumers/lib/skipping.bash"
programs=$(realpath "$1") source=$(realpath "$2")
clusterc=$(realpath "$programs/../../bin/clusterc")
validators=$(dirname "$(dirname "$clusterc")")/libexec/clusterc
[ -x "$validators/clusterc-probe" ] || missing "clusterc-probe was not built"
mkdir -p "$3"
work=$(realpath "$3")
if [ "${IN_NAMESPACE:-}" != 1 ]; then
  for how in "unshare --mount" "unshare --mount --map-root-user"; do
    if $how mount -t tmpfs -o size=1m tmpfs "$work" 2>/dev/null; then
      # shellcheck disable=SC2086
      exec env IN_NAMESPACE=1 $how bash "$0" "$@"
    fi
  done
  cannot "this user may not mount a memory file system"
fi
mount -t tmpfs -o size=1m tmpfs "$work"
mkdir "$work/small" && mount -t tmpfs -o size=28k tmpfs "$work/small"
echo '{}' > "$work/scenario.json"
export SCENARIO=$work/scenario.json PATH=$source/tests/acceptance/bin:$PATH
validate() {
  "$clusterc" validate "$source/tests/acceptance/spec.yaml" --launcher slurm --bundle "$validators" --journal "$work/small/j" -o "$work/r.json" > "$work/out" 2> "$work/err"
}
rc=0
validate || rc=$?
[ $rc = 2 ] && grep -q "the journal cannot be written" "$work/out" || { cat "$work/out" "$work/err"; echo "exit status $rc on a full disk"; exit 1; }
done_before=$(grep -c '"record":"test".*}$' "$work/small/j" || true)
[ "$done_before" -gt 0 ] || { echo "the disk was full before the first test"; exit 1; }
mount -o remount,size=1m "$work/small"
rc=0
validate || rc=$?
[ $rc = 0 ] || { cat "$work/out" "$work/err"; echo "exit status $rc with space again"; exit 1; }
[ "$(grep -c "taken from the journal" "$work/err")" = "$done_before" ] || { cat "$work/err"; echo "$done_before tests were whole"; exit 1; }
"$clusterc" validate "$source/tests/acceptance/spec.yaml" --launcher slurm --bundle "$validators" --dry-run --format json > "$work/plan.json"
python3 - "$work/small/j" "$work/r.json" "$work/plan.json" <<'PY'
import json, sys
tests = [t["test"] for t in json.load(open(sys.argv[3]))["tests"]]
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [x["record"] for x in lines] == ["journal", "run"] + ["test"] * len(tests) + ["end"], [x["record"] for x in lines]
assert len(tests) > 4 and [x["id"] for x in lines[2:-1]] == tests, tests
assert json.load(open(sys.argv[2]))["passed"]
PY
echo "ok: $done_before tests were kept on a full disk, and the run went on behind them"
