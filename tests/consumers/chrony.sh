#!/usr/bin/env bash
# output chrony: chronyd -p 4.3 (Debian 12) prints every directive of the golden case; 1 broken twin
. "$(dirname "$0")/lib/common.bash" "$@"
need chronyd
compile_case chrony
chronyd -p -f "$out/chrony/chrony.conf" > "$work/printed" 2> "$work/said" || { cat "$work/said" >&2; fail "chronyd refuses chrony.conf"; }
[ ! -s "$work/said" ] || { cat "$work/said" >&2; fail "chronyd complains"; }
grep -vE '^#|^$' "$out/chrony/chrony.conf" > "$work/wanted"
cmp -s "$work/wanted" "$work/printed" || { diff "$work/wanted" "$work/printed" >&2; fail "chronyd did not read what was written"; }
equal "servers" "$(grep -c '^server ' "$work/printed")" 2
sed 's/^makestep.*/makestep soon/' "$out/chrony/chrony.conf" > "$work/broken"
# -p checks the words of the file, a run checks the values: in a mode that sets no clock and ends by itself
if timeout 5 chronyd -Q -t 1 -f "$work/broken" > "$work/said" 2>&1 || ! grep -q "makestep" "$work/said"; then fail "chronyd takes makestep soon"; fi
say "a makestep that is no number is refused"
sed 's/^rtcsync/rtcsink/' "$out/chrony/chrony.conf" > "$work/broken"
if chronyd -p -f "$work/broken" > /dev/null 2> "$work/said" && [ ! -s "$work/said" ]; then
  timeout 5 chronyd -Q -t 1 -f "$work/broken" > "$work/said" 2>&1
  grep -qi "invalid" "$work/said" || fail "chronyd takes rtcsink"
fi
say "an unknown directive is refused"
