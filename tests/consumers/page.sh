#!/usr/bin/env bash
# The page of `clusterc plan --page` in Chromium: every view of the lab, the SuperPOD, the NVL72 racks and a plan with errors (PAGES=all: also the campus, a cloud, a plan
# with prices and the 16,384 nodes); search, filters, sorting, a cut feed, a traced path, a finding followed to its object, links that restore a view, keys. No console message, no request,
# no violation that axe-core finds, in light and dark; hostile names are text. The pages of `validate` and `audit` likewise. The built program is that of its sources, byte for byte.
# packages: chromium
. "$(dirname "$0")/lib/common.bash" "$@"
modules=$src/build/page/node_modules
need node chromium python3
[ -e "$modules/playwright-core" ] && [ -e "$modules/axe-core" ] && [ -e "$modules/esbuild" ] || missing "the packages of src/report/page/package-lock.json are not installed (scripts/test installs them in build/page)"

# What is committed in built/ is what the sources give.
mkdir -p "$work/source" && cp -r "$src"/src/report/page/{src,build.mjs,package.json,tsconfig.json} "$work/source/" && ln -s "$modules" "$work/source/node_modules"
(cd "$work/source" && node_modules/.bin/tsc && node build.mjs "$work/built") || fail "the page does not build"
for file in page.js page.css; do
  cmp "$work/built/$file" "$src/src/report/page/built/$file" || fail "src/report/page/built/$file is not what the sources give: 'npm ci --ignore-scripts && npm run build' in src/report/page"
done
size=$(cat "$work"/built/* | wc -c)
[ "$size" -le 150000 ] || fail "program and style have $size bytes, 150000 are the most"
say "built from its sources, $size bytes"

pages=$work/pages
mkdir -p "$pages"
examples="lab superpod nvl72 broken"
[ "${PAGES:-}" != all ] || examples="$examples campus cloud priced-lab roce-16384"
for name in $examples; do
  "$bin" plan "$src/examples/$name.yaml" --page "$pages/$name.html" > "$work/$name.txt" 2> "$work/$name.log" || [ "$name" = broken ] || fail "clusterc plan examples/$name.yaml --page"
done
"$bin" plan "$src/examples/superpod.yaml" --what-if feed:A --format json > "$work/cut.json" 2> /dev/null || fail "clusterc plan --what-if feed:A"
# Names that would be markup, script or the end of one.
python3 - "$src/examples/lab.yaml" "$work/hostile.yaml" <<'P'
import re, sys
text = open(sys.argv[1]).read()
hostile = "</script><img src=x onerror=alert(1)><script>alert(2)</script>&amp;"
text, n = re.subn(r"(?m)^name: .*$", lambda _: f'name: "{hostile}"', text, count=1)
assert n == 1
text = re.sub(r"\bleft\b", '"<b>left</b>"', text)
open(sys.argv[2], "w").write(text)
P
"$bin" plan "$work/hostile.yaml" --page "$pages/hostile.html" > /dev/null 2>&1
[ -s "$pages/hostile.html" ] || fail "no page of a plan with hostile names"
"$bin" plan "$src/examples/lab.yaml" --page "$pages/again.html" > /dev/null 2>&1
cmp "$pages/lab.html" "$pages/again.html" || fail "two runs give two pages"

# `check --page` writes the page of `plan`, and shows one spec as it is.
"$bin" check "$src/examples/lab.yaml" --page "$work/checked.html" > /dev/null 2>&1 && cmp "$work/checked.html" "$pages/lab.html" || fail "check --page is not the page of plan"
"$bin" check "$src/examples/lab.yaml" "$src/examples/nvl72.yaml" --page "$work/two.html" > /dev/null 2>&1
[ $? = 2 ] && [ ! -e "$work/two.html" ] || fail "check --page of two specs"
"$bin" check "$src/examples/lab.yaml" --fix --page "$work/two.html" > /dev/null 2>&1
[ $? = 2 ] || fail "check --fix --page"

# The results of an acceptance: four servers in a rack behind a stand-in of Slurm (tests/acceptance/bin), one below the floor, one drained for a reason that would be
# markup; and twelve machines where nothing is wrong. A search for culprits needs a fabric: its result is written into the report of a third page.
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2> /dev/null && pwd)
[ -x "$validators/clusterc-probe" ] || missing "clusterc-probe was not built"
program=$(realpath "$bin")
export SCENARIO=$work/scenario.json LAUNCHES=$work/launches
accept() { # NAME SPEC EXIT SCENARIO
  echo "$4" > "$SCENARIO"
  PATH=$src/tests/acceptance/bin:$PATH "$program" validate "$2" --launcher slurm --bundle "$validators" --journal "$work/$1.journal" -o "$work/$1.json" --page "$pages/$1.html" > "$work/$1.txt" 2> "$work/$1.log"
  local rc=$?
  [ $rc = "$3" ] || { cat "$work/$1.txt" "$work/$1.log" >&2; fail "clusterc validate --page of $1: exit status $rc, expected $3"; }
}
sed 's/^software:/targets: { memory: { floor: 15 GB\/s } }\n\nsoftware:/' "$src/examples/lab.yaml" > "$work/faulty.yaml"
accept faulty "$work/faulty.yaml" 1 '{"rate": {"n3": 0.6}, "down": {"n4": "drained|fan <img src=x onerror=alert(1)></script><b>off</b>"}, "vendor": "</script><script>alert(1)</script>"}'
accept clean "$src/tests/acceptance/spec.yaml" 0 '{}'
python3 - "$work/faulty.json" "$pages/faulty.html" "$pages/culprit.html" <<'P' || fail "the page does not hold the report as -o writes it"
import json, re, sys
report, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
found = re.search(r'<script type="application/json" id="acceptance">(.*?)</script>', text, re.S)
assert json.loads(found[1]) == report
report["searches"] = [{"group": "gpu", "rounds": 3, "confirmations": 2, "pairs": 6, "measurements": 18, "slow": 3, "passing": [], "notes": [], "culprits": [{
    "kind": "cable", "what": "the cable of n2 data/1", "object": "cable/node/gpu/2/data/1", "node": "n2", "adapter": "data/1", "cable": "cable/node/gpu/2/data/1", "switch_port": "port/switch/lan/01/2",
    "rack": "r1", "unit": 9, "serial": "<i>S</i>", "verdict": "slow in one direction", "confidence": 0.98765, "evidence": ["n1 to n2: 3 GB/s <b>slow</b>"], "command": "clusterc validate SPEC", "next_step": "reseat it"}]}]
triad = next(v for v in report["verdicts"] if v["node"] == "n3" and v["metric"] == "memory.triad" and v["verdict"] == "fail")
report["verdicts"] += [{**triad, "size_bytes": size, "value": 1e10 + size} for size in (1 << 20, 1 << 24)]
figures = [("n1", 20e9, 20.1e9, "same"), ("n3", 20e9, 12e9, "worse"), ("n4", None, None, "unknown")]
report["comparison"] = {"before_started": "2026-11-01T00:00:00Z", "differs": ["the spec"], "pairs": 2, "only_before": 0, "only_now": 1, "got_worse": True,
    "metrics": [{"test": "memory", "metric": "memory.triad", "pairs": 2, "gain": -0.2, "probability": 0.01, "change": "worse"}],
    "figures": [{"test": "memory", "metric": "memory.triad", "node": n, "device": "", "before": b, "now": x, "gain": (x / b - 1) if b else 0, "change": c, "verdict_before": "pass", "verdict_now": "pass" if c == "same" else "fail"} for n, b, x, c in figures]}
open(sys.argv[3], "w").write(text[:found.start(1)] + json.dumps(report).replace("<", "\\u003c") + text[found.end(1):])
P
# A page takes the place of no spec.
cp "$work/faulty.yaml" "$work/kept.yaml"
"$bin" validate "$work/kept.yaml" --page "$work/kept.yaml" > "$work/kept.txt" 2>&1
[ $? = 2 ] && grep -q "is the spec" "$work/kept.txt" && cmp -s "$work/kept.yaml" "$work/faulty.yaml" || fail "validate --page took the spec's place"

# What an audit found: cables that are swapped, missing and slow.
cp "$src"/tests/golden/audit/rail-swap/{spec.yaml,fabric.txt} "$work"
(cd "$work" && "$program" audit spec.yaml --fabric fabric.txt --page "$pages/audited.html" --format json > audited.json 2> audited.log) && fail "the audit found nothing"
python3 - "$work/audited.json" "$pages/audited.html" <<'P' || fail "the page does not hold what the audit found"
import json, re, sys
wanted, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
assert json.loads(re.search(r'<script type="application/json" id="audit">(.*?)</script>', text, re.S)[1])["findings"] == wanted["findings"] and len(wanted["findings"]) == 4
P
(cd "$work" && "$program" audit spec.yaml --fabric fabric.txt --page spec.yaml > kept.txt 2>&1)
[ $? = 2 ] && grep -q "is the spec" "$work/kept.txt" || fail "audit --page took the spec's place"
say "pages of an acceptance and of an audit"

# Two specs: nodes, racks and storage that are added and removed, another feed of PDUs; cables follow. The page holds what --format json says, and takes no spec's place.
sed -e 's/gpu\[001-127\]/gpu[005-140]/; s/r\[01-32\]/r[01-36]/; s/built_for: { gpu: 128 }/built_for: { gpu: 160 }/; s/m\[1-6\]/m[1-5]/; s/count: 8, racks/count: 6, racks/' \
    -e 's/na-415-3ph-60-c13, feed: B/na-415-3ph-60-c13, feed: C/' "$src/examples/superpod.yaml" > "$work/later.yaml"
cp "$src/examples/superpod.yaml" "$work/earlier.yaml"
(cd "$work" && "$program" diff earlier.yaml later.yaml --format json --page "$pages/changed.html" > changed.json 2> changed.log)
[ $? = 1 ] || fail "clusterc diff --page: $(cat "$work/changed.log")"
(cd "$work" && "$program" diff earlier.yaml later.yaml --page "$pages/again.html" > changed.txt 2>&1; "$program" diff earlier.yaml later.yaml > plain.txt 2>&1; cmp changed.txt plain.txt) || fail "diff --page changes what diff prints"
(cd "$work" && "$program" diff earlier.yaml earlier.yaml --page "$pages/unchanged.html" > unchanged.txt 2>&1) || fail "clusterc diff --page of one spec with itself"
python3 - "$work/changed.json" "$pages/changed.html" <<'P' || fail "the page does not hold what diff --format json prints"
import json, re, sys
wanted, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
held = {key: json.loads(re.search(rf'<script type="application/json" id="{key}">(.*?)</script>', text, re.S)[1]) for key in ("diff", "before")}
for key in ("cables_added", "cables_removed", "cables_moved", "cables_replaced", "renumbered", "files"):  # the page lists 3000 of each
    for l in wanted.get(key, []): l["objects"] = l["objects"][:3000]
assert held["diff"] == wanted and [r["object"] for r in held["before"]["racks"]][-1] == "rack/m6"
P
cp "$work/later.yaml" "$work/kept.yaml"
(cd "$work" && "$program" diff earlier.yaml kept.yaml --page kept.yaml > kept.txt 2>&1)
[ $? = 2 ] && grep -q "is the new spec" "$work/kept.txt" && cmp -s "$work/kept.yaml" "$work/later.yaml" || fail "diff --page took the spec's place"
(cd "$work" && "$program" diff earlier.yaml "$work" --page two.html > kept.txt 2>&1)
[ $? = 2 ] && grep -q "omit it for a compiled tree" "$work/kept.txt" || fail "diff --page of a tree"
"$bin" diff "$src/examples/lab.yaml" "$work/hostile.yaml" --page "$pages/hostile-changed.html" > /dev/null 2>&1
[ -s "$pages/hostile-changed.html" ] || fail "no page of two specs with hostile names"
say "page of two specs"

# The drawings are XML whatever the names are, and the one of docs/ is what the program draws.
"$bin" plan "$work/hostile.yaml" --svg "$work/hostile-svg" > /dev/null 2>&1
"$bin" plan "$src/examples/superpod.yaml" --svg "$work/svg" > /dev/null 2>&1 || fail "clusterc plan examples/superpod.yaml --svg"
cmp "$work/svg/elevation-m3.svg" "$src/docs/elevation.svg" || fail "docs/elevation.svg is not what clusterc plan examples/superpod.yaml --svg writes"
python3 -c 'import sys, xml.etree.ElementTree as tree; [tree.parse(path) for path in sys.argv[1:]]' "$work"/svg/*.svg "$work"/hostile-svg/*.svg || fail "a drawing is no XML"
say "$(ls "$work"/svg/*.svg "$work"/hostile-svg/*.svg | wc -l) drawings"

# A plan that serves requests.
(cd "$src/tests/golden/check/work-serving-limit-unmet" && "$program" plan spec.yaml --page "$pages/serving.html" > "$work/serving.txt" 2>&1)
[ -s "$pages/serving.html" ] || fail "no page of a plan that serves requests"

HOME=$work node "$src/tests/page/page.mjs" "$modules" "$pages" "$work/cut.json" || fail "the page in Chromium"

# Every view as it was looked at (heavy): light and dark, 1280 and 390 pixels wide.
[ "${PAGES:-}" = all ] || exit 0
wish=compare
[ -z "${UPDATE_GOLDEN:-}" ] || [ -n "${CI:-}" ] || wish=update
HOME=$work node "$src/tests/page/shots.mjs" "$modules" "$pages" "$src/tests/page/references" "$work/shots" $wish || fail "a view does not look as its reference"
[ $wish = compare ] || exit 0
# A broken twin: pages whose pictures are hidden do not pass.
mkdir -p "$work/twin" && cp "$pages"/*.html "$work/twin"
python3 - "$work/twin/superpod.html" <<'P'
import base64, hashlib, re, sys
text = open(sys.argv[1]).read()
style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
hashed = lambda t: base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()
broken = style + "svg,canvas{visibility:hidden}"
open(sys.argv[1], "w").write(text.replace(hashed(style), hashed(broken), 1).replace(style, broken, 1))
P
HOME=$work ONLY=superpod node "$src/tests/page/shots.mjs" "$modules" "$work/twin" "$src/tests/page/references" "$work/twin-shots" compare > "$work/twin.txt" && fail "views without pictures pass as their references"
grep -q "superpod-dark-1280.webp: fabric" "$work/twin.txt" || { cat "$work/twin.txt" >&2; fail "the twin failed for another reason"; }
say "views without pictures differ from their references"
