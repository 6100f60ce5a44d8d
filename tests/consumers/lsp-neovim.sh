#!/usr/bin/env bash
# The language server in a real editor: Neovim 0.7 (Debian 12) types, and says what it was told. No plugin, no configuration of the user's.
. "$(dirname "$0")/lib/common.bash" "$@"
need nvim
cp "$src/examples/superpod.yaml" "$work/"
export LC_ALL=C.UTF-8 HOME=$work XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config
CLUSTERC=$(realpath "$bin") OUT=$work timeout 120 nvim --headless -n -u NONE -i NONE -c "luafile $src/tests/consumers/lib/lsp_nvim.lua" > "$work/log" 2> "$work/messages" < /dev/null
status=$?
grep -aE '^(ok|FAILED):' "$work/log"
[ "$status" -eq 0 ] || { tail -40 "$work/log" "$work/messages" >&2; fail "nvim ended with $status"; }
equal "what was seen" "$(grep -ac '^ok: ' "$work/log")" 10
