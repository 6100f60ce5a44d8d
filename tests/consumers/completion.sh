#!/usr/bin/env bash
# Completion in the shells themselves: bash and zsh on a terminal, with keys pressed; fish is asked what it would offer. And mandoc and
# groff look at every manual page.
. "$(dirname "$0")/lib/common.bash" "$@"
need bash python3
mkdir -p "$work/files/examplefolder" "$work/path" && ln -s "$bin" "$work/path/clusterc" || exit 1
touch "$work/files/examplespec.yaml" "$work/files/examplespec.txt" "$work/files/examplebase.txt"
PATH=$work/path:$PATH
missing=()
for shell in bash zsh fish; do
  "$bin" completion "$shell" > "$work/clusterc.$shell" || fail "clusterc completion $shell"
  command -v "$shell" > /dev/null || { missing+=("$shell"); continue; }
  "$shell" -n "$work/clusterc.$shell" || fail "$shell does not read its script"
done
for shell in bash zsh; do
  command -v "$shell" > /dev/null || continue
  PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$src/tests/consumers/lib/completion.py" "$shell" "$work/clusterc.$shell" "$work/files" || fail "$shell"
  say "$shell: ten lines completed"
done
if command -v fish > /dev/null; then
  offers() { (cd "$work/files" && HOME=$work/home fish --no-config -c "source '$work/clusterc.fish'; complete -C '$1'" 2> "$work/fish.err" | cut -f1 | sort | tr '\n' ' '); }
  mkdir -p "$work/home"
  equal "fish: command" "$(offers 'clusterc valid')" "validate "
  equal "fish: option" "$(offers 'clusterc check --base')" "--baseline "
  equal "fish: value" "$(offers 'clusterc check --format s')" "sarif "
  equal "fish: rule" "$(offers 'clusterc explain power-rack-ov')" "power-rack-over-budget "
  equal "fish: file" "$(offers 'clusterc check examplesp')" "examplespec.txt examplespec.yaml "
  equal "fish: folder" "$(offers 'clusterc compile -o examplef')" "examplefolder/ "
fi
pages=0
for page in "" $("$bin" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  # shellcheck disable=SC2086  # the first has no name
  "$bin" manual $page > "$work/page.1" || fail "clusterc manual $page"
  if command -v mandoc > /dev/null; then
    # A page without a date is always the same; references to pages that are not installed are no mistakes.
    mandoc -T lint -W warning "$work/page.1" | grep -v 'missing date\|referenced manual not found' > "$work/lint" && fail "mandoc, page '$page': $(cat "$work/lint")"
  fi
  if command -v groff > /dev/null; then
    groff -man -Tutf8 -ww "$work/page.1" 2> "$work/groff" > "$work/text" || fail "groff, page '$page'"
    [ ! -s "$work/groff" ] || fail "groff, page '$page': $(cat "$work/groff")"
  fi
  pages=$((pages + 1))
done
[ "$pages" -gt 10 ] || fail "only $pages pages"
command -v mandoc > /dev/null || missing+=(mandoc)
command -v groff > /dev/null || missing+=(groff)
say "$pages manual pages"
[ ${#missing[@]} -eq 0 ] || missing "${missing[*]} not installed"
