#!/usr/bin/env bash
# The page of `clusterc plan --page` in Chromium: every view of the lab, the SuperPOD, the NVL72 racks, the campus, a plan with errors, a cloud and the
# 16,384 nodes; search, filters, sorting, a cut feed, a traced path, a finding followed to its object, links that restore a view, keys. No console message, no request,
# no violation that axe-core finds, in light and dark; hostile names are text. The built program is that of its sources, byte for byte.
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
for name in lab superpod nvl72 campus cloud priced-lab broken roce-16384; do
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

HOME=$work node "$src/tests/page/page.mjs" "$modules" "$pages" "$work/cut.json" || fail "the page in Chromium"
