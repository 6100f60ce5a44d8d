#!/usr/bin/env bash
# The language server over stdio with a client of our own: a spec typed letter by letter, parts as files, wrong input, memory, every way to end.
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$src/tests/consumers/lib/lsp_session.py" "$bin" "$src/examples" "$work" || fail "the session"
