#!/usr/bin/env bash
# SARIF of every example and of every failing golden case of `check`: valid by the schema of SARIF 2.1.0 (ajv), and without a complaint of
# Microsoft's multitool but for the address that this program does not have. The tool's exit status says nothing: its results are read.
# Two broken twins show that the schema is asked. The edits in the document, put in by line and column, give what --fix writes.
. "$(dirname "$0")/lib/common.bash" "$@"
modules=$src/build/npm/node_modules
PATH=$PATH:$modules/.bin
need node python3 ajv sarif-multitool
schema=$modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json
[ -e "$schema" ] || missing "the schema that comes with @microsoft/sarif-multitool-linux is not installed"
export HOME=$work DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1

valid() { ajv validate --spec=draft2020 -c ajv-formats --strict=false --all-errors --errors=line -s "$schema" -d "$1" > "$work/ajv.log" 2>&1; }

cd "$src" || exit 1
"$bin" check --format sarif examples tests/golden/check > "$work/all.json"
[ $? -le 1 ] || [ -s "$work/all.json" ] || fail "clusterc check --format sarif"
valid "$work/all.json" || fail "ajv: $(head -c 2000 "$work/ajv.log")"
results=$(python3 -c 'import json,sys; r = json.load(open(sys.argv[1]))["runs"][0]; print(len(r["results"]), sum("fixes" in x for x in r["results"]), len(r["tool"]["driver"]["rules"]))' "$work/all.json")
read -r found fixes rules <<< "$results"
[ "$found" -gt 300 ] && [ "$fixes" -gt 20 ] && [ "$rules" -gt 130 ] || fail "too little in it: $results"
say "schema: $found results, $fixes with edits, $rules rules"

for twin in 's/"level": "error"/"level": "fatal"/' 's/"startLine": [0-9]*/"startLine": 0/'; do
  sed "$twin" "$work/all.json" > "$work/twin.json"
  if valid "$work/twin.json"; then fail "the schema accepts the broken twin $twin"; fi
done
say "two broken twins are refused"

cp "$work/all.json" "$work/all.sarif"
sarif-multitool validate "$work/all.sarif" --output "$work/verdict.sarif" --log ForceOverwrite > "$work/multitool.log" 2>&1 || fail "sarif-multitool: $(tail -5 "$work/multitool.log")"
python3 - "$work/verdict.sarif" <<'P' || fail "sarif-multitool has something to say"
import json, sys
run = json.load(open(sys.argv[1], encoding="utf-8-sig"))["runs"][0]
# No web address of this program is known to it.
said = [(r["ruleId"], r["message"].get("id"), r["message"].get("arguments")) for r in run.get("results", []) if r["message"].get("id") != "Warning_ProvideToolnformationUri"]
print(*said[:20], sep="\n", end="")
sys.exit(bool(said))
P
say "sarif-multitool: nothing but the missing informationUri"

for case in fix-misspelt-key fix-unit-in-other-case fix-through-anchor fix-said-twice accept-unused; do
  mkdir -p "$work/fix" && cp "tests/golden/check/$case/spec.yaml" "$work/fix/a.yaml" && cp "$work/fix/a.yaml" "$work/fix/b.yaml"
  (cd "$work/fix" && "$bin" check --format sarif a.yaml > a.sarif; "$bin" check --fix b.yaml > /dev/null 2>&1
   python3 - a.sarif a.yaml <<'P') || fail "$case: the edits"
import json, sys
lines = open(sys.argv[2], encoding="utf-8", newline="").read().split("\n")
edits = set()
for result in json.load(open(sys.argv[1]))["runs"][0]["results"]:
    for fix in result.get("fixes", []):
        for change in fix["artifactChanges"]:
            for r in change["replacements"]:
                d = r["deletedRegion"]
                edits.add((d["startLine"], d["startColumn"], d["endLine"], d["endColumn"], r["insertedContent"]["text"]))
for l0, c0, l1, c1, text in sorted(edits, reverse=True):
    lines[l0 - 1:l1] = (lines[l0 - 1][:c0 - 1] + text + (lines[l1 - 1][c1 - 1:] if l1 <= len(lines) else "")).split("\n")
open(sys.argv[2], "w", encoding="utf-8", newline="").write("\n".join(lines))
P
  cmp -s "$work/fix/a.yaml" "$work/fix/b.yaml" || fail "$case: the edits in SARIF do not give what --fix writes: $(diff "$work/fix/a.yaml" "$work/fix/b.yaml")"
done
say "edits in SARIF and --fix agree in five cases"
