#!/usr/bin/env bash
# tested maas: shellcheck; a reader of the documented commands
# output maas: MAAS is not packed here: shellcheck, and the script itself run with a `maas` that keeps what it is told, read by the keywords of the CLI reference: the golden case and two examples with a MAC for each port, BMCs as hosts has them, MACs as the inventory; a second run creates nothing; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/node_lists.bash"
need python3 shellcheck

# maas PROFILE machines …: a word a line; `read` answers as MAAS does: a list with the machine, or without
mkdir -p "$work/bin" && cat > "$work/bin/maas" <<'END'
#!/bin/sh
printf '%s\n' "$@" >> "$RECORD"; echo >> "$RECORD"
if [ "$2 $3" = "machines read" ]; then if grep -qx "$4" "$MADE"; then printf '[\n    {\n        "hostname": "%s"\n    }\n]\n' "${4#*=}"; else echo '[]'; fi; else echo "$4" >> "$MADE"; echo '{}'; fi
END
chmod +x "$work/bin/maas"
# run FILE: the script; what it told maas in $work/record
run() { : > "$work/record"; RECORD=$work/record MADE=$work/made PATH=$work/bin:$PATH BMC_USER='root $(id)' BMC_PASSWORD="a 'b\"" sh "$1" admin > "$work/run.log" 2>&1; }
runs() { : > "$work/made"; run "$1" || { cat "$work/run.log" >&2; fail "$1"; }; }

compile_case maas
file=$out/maas/machines.sh
shellcheck "$file" || fail "shellcheck"
[ -x "$file" ] || fail "$file cannot be run"
runs "$file"
read_list maas "$work/record" || { cat "$work/read.log" >&2; fail "the golden case"; }
# by hand: n3 has no MAC
cat > "$work/wanted" <<'END'
n1 - 94:6d:ae:00:00:01,94:6d:ae:00:00:02 10.2.0.17 - -
n2 - 94:6d:ae:00:00:04 10.2.0.18 - -
v1 - 02:00:00:00:00:09 - - -
END
diff "$work/wanted" "$work/read" >&2 || fail "the golden case reads otherwise"
equal "the account of BMCs" "$(sed -n 's/^power_parameters_power_user=//p; s/^power_parameters_power_pass=//p' "$work/record" | sort -u | tr '\n' ';')" "a 'b\";root \$(id);"
equal "an extra line" "$(grep -c '^zone=hall one$' "$work/record")" 3
grep -q '1 node is not in the list' "$work/case-maas.log" || fail "nobody is told of the one that is left out"
run "$file" || fail "a second run"
equal "created by a second run" "$(grep -c '^create$' "$work/record")" 0
RECORD=$work/record MADE=$work/made PATH=$work/bin:$PATH sh "$file" admin > "$work/run.log" 2>&1 && fail "the script runs without an account of the BMCs"
say "refused: $(tail -1 "$work/run.log" | sed 's/.*: \(BMC.*\)/\1/')"
for example in superpod nvl72; do
  example_with maas $example
  shellcheck "$out/maas/machines.sh" || fail "shellcheck of $example"
  runs "$out/maas/machines.sh"
  read_list maas "$work/record" || { cat "$work/read.log" >&2; fail "$example"; }
  n=$(as_planned) || fail "$example: the list and hosts differ"
  [ "$n" -ge 16 ] || fail "$example: only $n nodes"
  say "$example: $n nodes as planned"
done
broken() {   # broken WHAT SED-EXPRESSION
  sed "$2" "$file" > "$work/broken.sh"
  cmp -s "$work/broken.sh" "$file" && fail "the broken twin is not broken: $1"
  runs "$work/broken.sh"
  read_list maas "$work/record" && fail "$1 is taken"
  say "refused: $(tail -1 "$work/read.log" | sed 's/^[^ ]* //' | cut -c 1-120)"
}
broken "a MAC that is none" 's/94:6d:ae:00:00:01/94:6d:ae:00:00:0g/'
broken "an architecture that is none" 's/architecture=amd64.generic/architecture=x86-64/'
broken "no MAC" 's/ mac_addresses=94:6d:ae:00:00:04//'
broken "a keyword that is none" 's/power_type=manual/power=manual/'
