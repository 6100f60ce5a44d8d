#!/usr/bin/env bash
# The generated JSON Schema in yaml-language-server (npm), the one behind the YAML modes of most editors: errors, hover and completion,
# asked over its protocol. The server is looked for on the PATH and where scripts/test installs it.
. "$(dirname "$0")/lib/common.bash" "$@"
PATH=$PATH:$src/build/npm/node_modules/.bin
need python3 node yaml-language-server
PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$src/tests/consumers/lib/yaml_language_server.py" "$(command -v yaml-language-server)" "$src/schemas/spec.schema.json" "$src/examples" || fail "yaml-language-server"
