#!/usr/bin/env bash
# The hooks of .pre-commit-hooks.yaml in pre-commit, from a repository as it would be fetched: a good spec passes, a spec with an error
# fails under any name, a spec with a slip is mended and the commit stopped so that somebody looks; other YAML is left alone; a baseline sets
# aside what was there before.
. "$(dirname "$0")/lib/common.bash" "$@"
need pre-commit git
export HOME=$work/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null PRE_COMMIT_HOME=$work/cache
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
mkdir -p "$HOME" "$work/hooks" "$work/mine/sites" "$work/path"
ln -s "$bin" "$work/path/clusterc"
PATH=$work/path:$PATH

cp "$src/.pre-commit-hooks.yaml" "$work/hooks/"
(cd "$work/hooks" && git init -q && git add -A && git commit -qm hooks) || fail "git"
revision=$(git -C "$work/hooks" rev-parse HEAD)

cd "$work/mine" && git init -q || fail "git"
cp "$src/examples/lab.yaml" cluster.yaml
printf 'replicas: 3\nclusters: [a]\n' > values.yaml    # other YAML
cat > .pre-commit-config.yaml <<C
repos:
  - repo: $work/hooks
    rev: $revision
    hooks: [ { id: clusterc-check } ]
C
git add -A
pre-commit run --all-files > "$work/good.log" 2>&1 || fail "a good spec: $(cat "$work/good.log")"
say "a good spec passes"

cp "$src/examples/broken.yaml" "sites/any name.yml" && git add -A
if pre-commit run --all-files > "$work/bad.log" 2>&1; then fail "a spec with errors passes"; fi
grep -q 'sites/any name.yml:37:5: error: unknown key' "$work/bad.log" || fail "the finding is not shown: $(cat "$work/bad.log")"
say "a spec with errors does not, whatever its name"
sed -i '/oversubscripton/d' "sites/any name.yml"       # what the loader cannot read is in no baseline
clusterc check --baseline known.yaml --write-baseline . > "$work/write.log" 2>&1 || fail "writing the baseline: $(cat "$work/write.log")"
sed -i 's/id: clusterc-check/id: clusterc-check, args: [--baseline, known.yaml]/' .pre-commit-config.yaml && git add -A
pre-commit run --all-files > "$work/known.log" 2>&1 || fail "what is in the baseline: $(cat "$work/known.log")"
say "a baseline sets aside what was there before"
rm "sites/any name.yml" known.yaml

sed -i 's/clusterc-check, args: .* }/clusterc-fix }/; s/clusterc-check, args: [^]]*\]/clusterc-fix/' .pre-commit-config.yaml
cp "$src/tests/golden/check/fix-misspelt-key/spec.yaml" sites/cluster.yaml && git add -A
if pre-commit run --all-files > "$work/fix.log" 2>&1; then fail "a spec that was mended passes unseen"; fi
grep -q 'files were modified by this hook' "$work/fix.log" || fail "nothing was mended: $(cat "$work/fix.log")"
git add -A && pre-commit run --all-files > "$work/fixed.log" 2>&1 || fail "the mended spec: $(cat "$work/fixed.log")"
say "a slip is mended, and the next run passes"

# The configuration that examples/ci offers: hooks of its own, which need nothing but the program.
cp "$src/examples/ci/pre-commit-config.yaml" .pre-commit-config.yaml && git add -A
pre-commit run --all-files > "$work/local.log" 2>&1 || fail "examples/ci: $(cat "$work/local.log")"
cp "$src/examples/broken.yaml" "sites/any name.yml" && git add -A
if pre-commit run --all-files > "$work/local.log" 2>&1; then fail "examples/ci: a spec with errors passes"; fi
say "the hooks of examples/ci"
