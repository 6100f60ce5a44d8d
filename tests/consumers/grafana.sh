#!/usr/bin/env bash
# tested grafana: promtool 2.42; Grafana's published types
# output grafana: no Grafana in Debian 12: every PromQL expression of every dashboard by promtool check rules (2.42); metrics and limits are those of the rules that prometheus has; dashboards held by TypeScript against the types that Grafana publishes (@grafana/schema 11.6) where npm can be had, provisioning against its documentation: every example with all exporters and the golden case; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need promtool python3

# promql TREE: all expressions of the dashboards are PromQL
promql() {
  python3 - "$1/grafana" > "$work/rules.yml" <<'PY'
import glob, json, sys
n = 0
print("groups:\n- name: dashboards\n  rules:")
for path in sorted(glob.glob(sys.argv[1] + "/dashboards/*.json")):
    for panel in json.load(open(path))["panels"]:
        for target in panel.get("targets", []):
            n += 1
            print(f"  - record: panel:{n}\n    expr: {json.dumps(target['expr'])}")
PY
  promtool check rules "$work/rules.yml" > "$work/promtool.log" 2>&1
}
# agrees TREE: panels and rules
agrees() {
  python3 - "$1" <<'PY'
import glob, json, re, sys, yaml
tree = sys.argv[1]
load = lambda p: yaml.safe_load(open(f"{tree}/prometheus/rules/{p}.yml"))["groups"][0]["rules"]
recording, alerts = {r["record"]: r["expr"] for r in load("recording")}, {(a["alert"], a["labels"].get("scope", "")): a["expr"] for a in load("alerts")}
known = " ".join([*recording, *recording.values(), *alerts.values()])
shown, limits, ids = set(), 0, set()
for path in glob.glob(tree + "/grafana/dashboards/*.json"):
    board = json.load(open(path))
    assert board["uid"] not in ids and len(board["uid"]) <= 40, board["uid"]      # Grafana's limit for a uid
    ids.add(board["uid"])
    assert len({p["id"] for p in board["panels"]}) == len(board["panels"])
    cells = set()
    for p in board["panels"]:      # nothing lies on something else, nothing beyond the 24 columns
        g = p["gridPos"]
        mine = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
        assert not mine & cells and g["x"] + g["w"] <= 24, (path, p["title"])
        cells |= mine
        for t in p.get("targets", []):
            expr = t["expr"]
            if expr.startswith("ALERTS"):
                continue
            if expr in recording:
                shown.add(expr)
                continue
            name, scope = re.fullmatch(r"(\w+)(?: \((.*)\))?(?:: how many)?", p["title"]).groups()
            rule = alerts[name, scope or ""]
            inner = re.fullmatch(r"(?:topk|bottomk)\(20, (.*)\)", expr)
            if inner:              # the alert's own query, held against the alert's own limit
                steps = p["fieldConfig"]["defaults"]["thresholds"]["steps"]
                sign = "<" if steps[0]["color"] == "red" else ">"
                left, right = rule.rsplit(f" {sign} ", 1)
                assert left == inner[1] and float(right) == steps[1]["value"], (expr, rule, steps)
            else:
                assert expr == f"count({rule}) or vector(0)", (expr, rule)
            limits += 1
assert shown == set(recording), set(recording) - shown
with_limit = [e for e in alerts.values() if re.search(r"^\w[\w:]*\{[^{}]*\} (<|>|==|!=) [\d.e+]+$", e)]
assert limits == len(with_limit), (limits, len(with_limit))
source = yaml.safe_load(open(tree + "/grafana/provisioning/datasources/cluster.yaml"))
provider = yaml.safe_load(open(tree + "/grafana/provisioning/dashboards/cluster.yaml"))
# Grafana, "Provision Grafana": the keys of both files
assert source["apiVersion"] == provider["apiVersion"] == 1
assert set(source["datasources"][0]) <= {"name", "uid", "type", "access", "url", "isDefault", "editable", "jsonData"}
assert set(provider["providers"][0]) <= {"name", "folder", "type", "disableDeletion", "allowUiUpdates", "options"}
used = {t["datasource"]["uid"] for path in glob.glob(tree + "/grafana/dashboards/*.json") for p in json.load(open(path))["panels"] for t in p.get("targets", [])}
assert used == {source["datasources"][0]["uid"]}, used
interval = yaml.safe_load(open(tree + "/prometheus/prometheus.yml"))["global"]["scrape_interval"]
assert source["datasources"][0]["jsonData"]["timeInterval"] == interval
print(f"{len(recording)} recording rules, {limits} limits")
PY
}
# typed FILE…: a dashboard as Grafana's own types have it. Words that are values of an enum there are written as such.
schema=$src/build/npm/node_modules/@grafana/schema
[ -d "$schema" ] || schema=
typed() {
  rm -rf "$work/ts" && mkdir -p "$work/ts" && ln -s "$src/build/npm/node_modules" "$work/ts/node_modules" || return 1
  local n=0 file
  for file; do
    n=$((n + 1))
    { echo "import { Dashboard, ThresholdsMode } from './node_modules/@grafana/schema/dist/esm/raw/dashboard/x/dashboard_types.gen';"
      printf 'export const board: Dashboard = '
      sed -e 's/"mode": "absolute"/"mode": ThresholdsMode.Absolute/' "$file"
      echo ';'
    } > "$work/ts/d$n.ts"
  done
  (cd "$work/ts" && node node_modules/typescript/bin/tsc --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 d*.ts) > "$work/tsc.log" 2>&1
}

for spec in "${examples[@]}"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  python3 "$(dirname "$0")/lib/software.py" "$spec" monitoring "[prometheus, grafana, dcgm, slurm-exporter, snmp-exporter, ipmi-exporter]" replace > "$work/$example.yaml"
  "$bin" compile "$work/$example.yaml" -o "$work/$example" --only grafana,prometheus > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "compile $example"; }
  promql "$work/$example" || { cat "$work/promtool.log" >&2; fail "$example: promtool refuses an expression"; }
  said=$(agrees "$work/$example") || fail "$example: dashboards and rules do not agree"
  say "$example: $said"
done
"$bin" compile "$src/tests/golden/compile/grafana/spec.yaml" -o "$work/case" > "$work/case.log" 2>&1 || { cat "$work/case.log" >&2; fail "the golden case"; }
promql "$work/case" && agrees "$work/case" > "$work/agrees" || fail "the golden case"
say "the golden case: $(cat "$work/agrees")"

# By hand: the H100's limit of 87 C, twenty of its GPUs
python3 - "$work/superpod/grafana/dashboards/limits.json" <<'PY' || fail "the H100's panel"
import json, sys
panel = [p for p in json.load(open(sys.argv[1]))["panels"] if p["title"] == "GpuTooHot (gpu)"][0]
assert panel["targets"][0]["expr"] == 'topk(20, DCGM_FI_DEV_GPU_TEMP{job="dcgm",group="gpu"})' and panel["fieldConfig"]["defaults"]["unit"] == "celsius"
assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"] == [{"color": "green", "value": None}, {"color": "red", "value": 87}]
PY
say "the H100's panel has its line at 87 C"

# Broken twins
twin() { rm -rf "$work/twin" && cp -r "$work/superpod" "$work/twin"; }
twin && sed -i 's/topk(20, DCGM/topk(20 DCGM/' "$work/twin/grafana/dashboards/limits.json"
if promql "$work/twin"; then fail "promtool takes topk(20 DCGM…"; fi
say "promtool: $(grep -m1 -o 'could not parse expression.*\|parse error.*' "$work/promtool.log")"
twin && sed -i 's/"value": 87\b/"value": 88/; s/"value":87\b/"value":88/' "$work/twin/grafana/dashboards/limits.json"
if agrees "$work/twin" > "$work/twin.log" 2>&1; then fail "a line at 88 C is taken"; fi
say "a line that is not at the alert's limit is found"
[ -n "$schema" ] && command -v node > /dev/null || { missing_part "@grafana/schema is not installed (npm): the dashboards' JSON was held against nothing that Grafana publishes"; exit 0; }
typed "$work"/*/grafana/dashboards/*.json || { head "$work/tsc.log" >&2; fail "Grafana's types refuse a dashboard"; }
say "@grafana/schema: $(find "$work/ts" -name 'd*.ts' -maxdepth 1 | wc -l) dashboards are of the type that Grafana publishes"
sed 's/"gridPos"/"gridPoz"/' "$work/superpod/grafana/dashboards/limits.json" > "$work/twin.json"
if typed "$work/twin.json"; then fail "Grafana's types take 'gridPoz'"; fi
say "@grafana/schema: $(grep -m1 -o "error TS.*" "$work/tsc.log" | cut -c1-160)"
