#!/usr/bin/env bash
# LINPACK by another's program: the HPL inside hpcc 1.5 (Debian 12) reads the HPL.dat that `clusterc validate --hpl` makes and solves it on two ranks; its result is judged. A result
# that failed, another system, two results, no result, a flood: none of them passes. What ends, by itself or by a signal, leaves no folder behind.
# packages: hpcc
. "$(dirname "$0")/lib/common.bash" "$@"
need hpcc mpirun python3
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
[ -x "$validators/clusterc-hpl" ] || missing "clusterc-hpl was not built"
bin=$(realpath "$bin")
export TMPDIR=$work/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$TMPDIR"
node=$(hostname -s)
# A virtual machine: nothing but the spec's floor is known of it. 14.5 MB are 7 blocks of 192: N = 1344.
cat > "$work/spec.yaml" <<YAML
clusterc: 1
rules: 2026.11
name: hpl
site: { kind: cloud, provider: local }
nodes:
  cpu: { names: "$node", virtual_machine: { cpus: 2, memory: 2 GiB } }
targets: { hpl: { floor: 1 MFLOP/s, size: 14.5 MB } }
YAML
# hpcc's HPL reads hpccinf.txt and writes hpccoutf.txt, both in its folder; the format of the two is HPL's. FILTER: what becomes of the output.
cat > "$work/xhpl" <<'SH'
#!/bin/sh
[ "$#" = 0 ] || { echo "arguments: $*"; exit 2; }
cp HPL.dat hpccinf.txt && hpcc && { [ ! -e hpccoutf.txt ] || sed -n '/^Begin of HPL section/,/^End of HPL section/p' hpccoutf.txt | sh -c "${FILTER:-cat}"; }
SH
chmod +x "$work/xhpl"
judged() { # NAME EXIT VERDICT REASON (a pattern of the shell)
  local got
  "$bin" validate "$work/spec.yaml" --launcher local --only hpl --stage group --hpl "$work/xhpl" --journal "$work/$1.journal" -o "$work/$1.json" > "$work/$1.txt" 2> "$work/$1.err"
  local rc=$?
  [ $rc = "$2" ] || { cat "$work/$1.txt" "$work/$1.err" >&2; fail "$1: exit status $rc, expected $2"; }
  got=$(python3 -c 'import json,sys; v=[v for v in json.load(open(sys.argv[1]))["verdicts"] if v["metric"]=="hpl.score"][0]; print(v["verdict"], v["reason"])' "$work/$1.json") || fail "$1: no verdict"
  # shellcheck disable=SC2053
  [[ $got == $3\ $4 ]] || fail "$1: '$got', expected '$3 $4'"
  [ "$1" = flood ] || [ -z "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'tmp.*')" ] || fail "$1: a folder is left: $(ls "$TMPDIR")"
  say "$1: $got"
}
judged solved 0 pass ''
# What HPL itself says of the run: the same rate.
python3 - "$work" <<'PY' || fail "the figure is not HPL's"
import json, re, sys
work = sys.argv[1]
value = [v for v in json.load(open(f"{work}/solved.json"))["verdicts"] if v["metric"] == "hpl.score"][0]["value"]
lines = [t for r in map(json.loads, open(f"{work}/solved.journal")) if r["record"] == "test" for task in r["tasks"] for t in task["lines"]]
row = [re.fullmatch(r"WR\w+ +1344 +192 +1 +2 +[\d.]+ +([\d.e+]+)", l) for l in lines]
rates = [float(m.group(1)) * 1e9 for m in row if m]
assert len(rates) == 1 and abs(rates[0] - value) < 1e-6 * value, (rates, value)
PY
say "the figure is HPL's own"
export FILTER
FILTER='sed s/PASSED/FAILED/' judged failed 1 fail '*the data is wrong*'
FILTER='sed "s/^\(WR[^ ]* *\)1344/\11152/"' judged another 1 error '*solved another system (N 1152, NB 192, 1 x 2)*'
FILTER='sed p' judged twice 1 error '*2 results of HPL in one*'
FILTER='sed /PASSED/d' judged cut 1 error '*cut off before its residual*'
FILTER='grep -v ^WR' judged none 1 error '*printed nothing that HPL prints*'
FILTER='yes flood | head -c 60000000' judged flood 1 error '*more than*'
unset FILTER
# What is not there is refused before anything starts; where the launcher is another, the shell on the node says it.
"$bin" validate "$work/spec.yaml" --launcher local --only hpl --hpl /no/such --journal "$work/absent.journal" > "$work/absent.txt" 2>&1
[ $? = 2 ] && grep -q "^clusterc validate: error: --hpl: there is no program '/no/such' on this machine$" "$work/absent.txt" || { cat "$work/absent.txt" >&2; fail "--hpl /no/such"; }
[ ! -e "$work/absent.journal" ] || fail "a run began without its program"
mv "$work/xhpl" "$work/kept"
printf '#!/bin/sh\nexit 0\n' > "$work/xhpl" && chmod +x "$work/xhpl"
judged silent 1 error 'printed nothing that HPL prints'
# Interrupted: the program ends, and so does its folder.
printf '#!/bin/sh\ntouch "%s/started"\ntrap "" TERM\nsleep 300\n' "$work" > "$work/xhpl" # deaf: it is ended with SIGKILL
"$bin" validate "$work/spec.yaml" --launcher local --only hpl --stage group --hpl "$work/xhpl" --journal "$work/killed.journal" > "$work/killed.txt" 2> "$work/killed.err" &
run=$!
for _ in $(seq 300); do [ -e "$work/started" ] && break; sleep 0.1; done
[ -e "$work/started" ] || { cat "$work/killed.err" >&2; fail "the program did not start"; }
! grep -q "at most" "$work/killed.err" || fail "an end is promised that nobody knows: $(cat "$work/killed.err")"
kill -INT $run
wait $run
[ $? = 2 ] || { cat "$work/killed.txt" >&2; fail "an interrupted run did not end as one"; }
[ -z "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'tmp.*')" ] || fail "an interrupted run left a folder: $(ls "$TMPDIR")"
say "absent, silent, interrupted: told, and nothing is left"
