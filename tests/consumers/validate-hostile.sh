#!/usr/bin/env bash
# Nodes that lie, validators that print without end, journals that somebody made: no figure of theirs counts, and the report says why.
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 yes
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
for v in probe memory; do [ -x "$validators/clusterc-$v" ] || missing "clusterc-$v was not built"; done
export BUNDLE=$validators
bin=$(realpath "$bin")
judge() { # REPORT, then Python on `v` ({(node, metric): verdict}) and `d`: every line must be true
  python3 - "$1" "$src/schemas/validation.schema.json" <<PY || { cat "$work"/*.err >&2; fail "$1"; }
import json, sys
d = json.load(open(sys.argv[1]))
try:
    import jsonschema
    jsonschema.validate(d, json.load(open(sys.argv[2])))
except ImportError:
    pass
v = {(x["node"], x["metric"]): x for x in d["verdicts"]}
$(cat)
PY
}
through_slurm() { # LIE
  LIE=$1 PATH=$src/tests/hostile/slurm:$PATH "$bin" validate "$src/tests/hostile/two-nodes.yaml" --seconds 0.05 --bundle "$validators" --only probe,memory --journal "$work/$1.journal" -o "$work/$1.json" > "$work/$1.txt" 2> "$work/$1.err"
  status=$?
  grep -q "$(printf '[\033\007]')" "$work/$1.txt" "$work/$1.err" && fail "$1: a terminal would obey the report"
  return 0
}
calls="contradictory: the result of this node names"
through_slurm honest
judge "$work/honest.json" <<'PY'
assert all(v[n, "memory.triad"]["value"] == 2e10 for n in ("n1", "n2")), d
assert "reason" in v["n3", "memory.triad"]["reason"] and "\x1b" not in v["n3", "memory.triad"]["reason"], d
assert d["journal"]["tests_taken_over"] == 0 and "from_journal" not in v["n1", "memory.triad"], d
PY
say "honest nodes are judged, and a drain reason is text"
check_lie() { # LIE, reason of n1, reason of n2 (empty: its own 20 GB/s stand)
  through_slurm "$1"
  [ $status -eq 1 ] || fail "$1: exit status $status"
  ONE=$2 TWO=$3 judge "$work/$1.json" <<'PY'
import os
for metric in ("memory.copy", "memory.scale", "memory.add", "memory.triad"):
    for node, reason in (("n1", os.environ["ONE"]), ("n2", os.environ["TWO"])):
        x = v[node, metric]
        if reason:
            assert x["verdict"] == "error" and x["value"] is None and x["reason"] == reason, x
        else:
            assert x["value"] == 2e10 and x["verdict"] not in ("error", "fail"), x
PY
  say "$1: n1: ${2:-measured}; n2: ${3:-measured}"
}
check_lie claims "$calls 'n2' as its host" "contradictory: 2 results of this node"
check_lie places "$calls 'n2' as its host" "$calls 'n1' as its host"
check_lie host "$calls 'n2' as its host" ""
check_lie extra "" "contradictory: 2 results of this node"
check_lie floods "ended: it printed more than 16 MiB, the limit of a task" ""
[ "$(stat -c %s "$work/floods.journal")" -lt 1000000 ] || fail "the journal keeps the flood"

# A bundle whose memory validator prints without end, in three ways.
"$bin" init --probe --bundle "$validators" -o "$work/me.yaml" > /dev/null 2>&1 || fail "init"
mkdir "$work/bundle"
for f in "$validators"/clusterc-*; do ln -s "$f" "$work/bundle"; done
flood() { # NAME SHELL-TEXT REASON
  rm "$work/bundle/clusterc-memory"
  printf '#!/bin/sh\n%s\n' "$2" > "$work/bundle/clusterc-memory"
  chmod +x "$work/bundle/clusterc-memory"
  # 1 GB of address space is plenty for what the program keeps.
  (ulimit -v 1000000; exec timeout 60 "$bin" validate "$work/me.yaml" --launcher local --only probe,memory --allow-busy --bundle "$work/bundle" --journal "$work/$1.journal" -o "$work/$1.json" > "$work/$1.txt" 2> "$work/$1.err")
  [ $? -eq 1 ] || { cat "$work/$1.err" >&2; fail "$1: not exit status 1"; }
  REASON=$3 judge "$work/$1.json" <<'PY'
import os
of = [x for x in d["verdicts"] if x["metric"].startswith("memory.")]
assert len(of) == 4 and all(x["verdict"] == "error" and x["value"] is None and x["reason"] == os.environ["REASON"] for x in of), of
PY
  say "$1: $3"
}
flood lines "exec yes '{\"record\":\"measurement\",\"x\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}'" "ended: it printed more than 65536 lines, the limit of a task"
flood line "exec tr '\\0' x < /dev/zero" "ended: it printed a line of 4 MiB or more, the limit of a line"
flood complaints "exec yes a >&2" "ended: it printed more than 64 MiB on standard error"
flood depth "head -c 1000000 /dev/zero | tr '\\0' '['" "printed no result: $(printf '[%.0s' $(seq 200))"

# Journals. One that was stopped behind its tests, and copies of it that somebody changed.
small_bundle "$validators" "$work/small"
once() { # JOURNAL NAME [OPTIONS…]
  local journal=$1 name=$2
  shift 2
  "$bin" validate "$work/me.yaml" --launcher local --only probe,memory --seconds 0.05 --allow-busy --bundle "$work/small" --journal "$journal" -o "$work/$name.json" "$@" > "$work/$name.txt" 2> "$work/$name.err"
  status=$?
  [ $status -ne 2 ] || { cat "$work/$name.err" "$work/$name.txt" >&2; fail "$name: exit status 2"; }
}
once "$work/j" first
grep -v '"record":"end"' "$work/j" > "$work/open"
refused() { # NAME SED-SCRIPT REASON
  sed -E "$2" "$work/open" > "$work/$1.journal"
  cmp -s "$work/open" "$work/$1.journal" && fail "$1: nothing was changed"
  once "$work/$1.journal" "$1"
  REASON=$3 judge "$work/$1.json" <<'PY'
import os
assert d["journal"]["tests_taken_over"] == 0 and os.environ["REASON"] in d["journal"]["refused"], d["journal"]
assert not [x for x in d["verdicts"] if "from_journal" in x], d
PY
  grep -qF "$3" "$work/$1.err" && grep -qF "$3" "$work/$1.txt" || fail "$1: the reason is not said"
  say "a journal does not count: $3"
}
refused future 's/"started":"[0-9]{4}/"started":"2999/' "'started' is in the future: 2999-"
refused future-test 's/"ended":"[0-9]{4}/"ended":"2999/' "'ended' is in the future: 2999-"
refused undated 's/,"ended":"[^"]*"//' "'ended' is missing or not a text"
refused spec 's/"spec_sha256":"[0-9a-f]{4}/"spec_sha256":"0000/' "it was for another spec (0000"
refused bundle 's/"bundle_sha256":"[0-9a-f]{4}/"bundle_sha256":"0000/' "it was for another bundle of validators (0000"
refused version 's/"program_version":"[^"]*"/"program_version":"0.0.1"/' "it was for another version of clusterc (0.0.1"
sed -E 's/"started":"[0-9]{4}/"started":"1999/; s/"ended":"[0-9]{4}/"ended":"1999/; s/(\\"value\\":)[0-9.e+]+/\190000000000/g' "$work/open" > "$work/old.journal"
once "$work/old.journal" old
judge "$work/old.json" <<'PY'
assert d["journal"]["tests_taken_over"] == 2 and d["journal"]["run_started"].startswith("1999-") and d["journal"]["run_age_s"] > 20 * 365 * 86400, d["journal"]
assert d["program_version"] and len(d["bundle_sha256"]) == 64, d
assert d["verdicts"] and all(x["from_journal"]["ended"].startswith("1999-") and x["from_journal"]["age_s"] > 20 * 365 * 86400 for x in d["verdicts"]), d
PY
[ "$(grep -c 'years ago (1999-.*, from the journal' "$work/old.txt")" -ge 5 ] || { cat "$work/old.txt" >&2; fail "the text does not say how old the figures are"; }
say "figures of 1999 are said to be of 1999, each of them"

# A journal beside the spec, as a repository might bring it, is no default.
mkdir "$work/repository" && cp "$work/me.yaml" "$work/repository/spec.yaml"
cp "$work/old.journal" "$work/repository/clusterc-$(sed -n 's/^name: *//p' "$work/me.yaml" | tr -d '"').journal"
before=$(ls -A "$work/repository")
(cd "$work/repository" && XDG_STATE_HOME=$work/state "$bin" validate spec.yaml --launcher local --only probe --bundle "$validators" > "$work/default.txt" 2> "$work/default.err")
equal "the folder of the repository" "$(ls -A "$work/repository")" "$before"
[ "$(stat -c %a "$work/state/clusterc")" = 700 ] || fail "the folder of journals is open to others"
grep -q 'taken from the journal' "$work/default.txt" && fail "the repository's journal was taken"
[ "$(ls "$work/state/clusterc" | wc -l)" = 1 ] && grep -qF "$work/state/clusterc/" "$work/default.err" || fail "the default journal is not said"
say "the default journal: $(ls "$work/state/clusterc")"
