#!/usr/bin/env bash
# The language server in Emacs 28 with Eglot 1.9 (Debian 12: emacs-nox elpa-eglot elpa-yaml-mode).
. "$(dirname "$0")/lib/common.bash" "$@"
need emacs
sed 's/altitude/altitud/' "$src/examples/lab.yaml" > "$work/lab.yaml"
export LC_ALL=C.UTF-8 HOME=$work XDG_CACHE_HOME=$work/cache
CLUSTERC=$(realpath "$bin") FILE=$work/lab.yaml timeout 60 emacs -Q --batch -l "$src/tests/consumers/lib/lsp_eglot.el" > "$work/log" 2> "$work/messages" < /dev/null
status=$?
[ "$status" -eq 77 ] && missing "$(sed -n 's/^skipped: //p' "$work/log")"
[ "$status" -eq 0 ] || { tail -20 "$work/messages" >&2; fail "emacs ended with $status"; }
equal "the finding" "$(sed -n 's/^finding: //p' "$work/log")" altitud
equal "the line after its fix" "$(sed -n 's/^mended: *//p' "$work/log")" "altitude: 300 m"
equal "keys of a team that begin with sh" "$(sed -n 's/^offered: //p' "$work/log")" share
equal "where a PDU is defined" "$(sed -n 's/^defined in: //p' "$work/log")" eu-400-3ph-32.yaml
