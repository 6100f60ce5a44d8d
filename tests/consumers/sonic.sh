#!/usr/bin/env bash
# output sonic: yanglint (libyang 3.12, Debian 13, unpacked by scripts/yanglint) judges the config_db.json of every switch, and of one of each model, by SONiC's own models; LLDP as lldpctl prints it against check-neighbours; 45 negative tests
# tested sonic: SONiC YANG models of 2026-08 (yanglint 3.12)
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
here=$src/tests/consumers/lib models=$src/tests/sonic/yang
root=${CLUSTERC_YANGLINT:-$src/build/yanglint/trixie}
[ -x "$root/usr/bin/yanglint" ] || missing "no yanglint in build/yanglint/trixie: scripts/yanglint unpacks one"

# In the unpacked root with its own loader and libraries: nothing of it is installed, and nobody needs to be root.
loader=$(find "$root/usr/lib64" "$root/lib64" "$root/usr/lib" "$root/lib" -name 'ld-linux*' 2>/dev/null | head -n 1)
[ -n "$loader" ] || fail "no loader in $root"
libraries=$(find "$root/usr/lib" -maxdepth 1 -name '*-linux-gnu*' -type d | head -n 1)
yanglint=("$loader" --library-path "$libraries" "$root/usr/bin/yanglint")
"${yanglint[@]}" --version > "$work/version" || fail "yanglint does not start"
judge() { python3 "$here/sonic_yang.py" "$models" "${yanglint[@]}" -- "$@"; }

judge "$src/tests/sonic/leaf.json" || fail "a good file, written by hand, is refused"
for spec in "$src"/examples/*.yaml "$src"/tests/golden/compile/sonic*/spec.yaml; do
  grep -q switch_os "$spec" || continue
  case $spec in */spec.yaml) name=case-$(basename "$(dirname "$spec")") ;; *) name=$(basename "$spec" .yaml) ;; esac
  "$bin" compile "$spec" -o "$work/$name" --only sonic > "$work/$name.log" 2>&1 || { cat "$work/$name.log" >&2; fail "clusterc compile $spec"; }
  mapfile -t files < <(find "$work/$name/sonic" -name config_db.json | sort)
  [ ${#files[@]} -gt 0 ] || fail "$name has no config_db.json"
  judge "${files[@]}" || fail "$name: SONiC's models refuse a compiled file"
  say "$name: ${#files[@]} switches"
done

# Each model whose ports the catalogue knows.
mkdir "$work/models"
python3 "$here/sonic_models.py" "$bin" "$src" "$work/models" > "$work/models.list" || fail "a model has no config_db.json"
mapfile -t files < "$work/models.list"
judge "${files[@]}" || fail "SONiC's models refuse the file of a model"
say "${#files[@]} models of switches"

# Twins with one mistake each, of a routed leaf and of a flat switch, and of the file written by hand (BGP in config_db.json).
routed=$(find "$work/case-sonic/sonic" -path '*leaf*' -name config_db.json | sort | head -n 1)
flat=$(find "$work/case-sonic/sonic" -name config_db.json -exec grep -l VLAN_MEMBER {} + | sort | head -n 1)
if [ -z "$routed" ] || [ -z "$flat" ]; then fail "the golden case has no routed leaf or no flat switch"; fi
python3 "$here/sonic_mistakes.py" "$models" "${yanglint[@]}" -- "$routed" "$flat" "$src/tests/sonic/leaf.json" || fail "a mistake is not found"

# What a switch sees: made from its own list in the form of lldpctl, then with one thing wrong.
python3 "$here/sonic_neighbours.py" "$work/case-sonic/sonic/check-neighbours" "$(dirname "$routed")/neighbours.csv" "$src/tests/sonic/lldp.json" "$work" || fail "check-neighbours"
