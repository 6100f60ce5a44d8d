#!/usr/bin/env bash
# output cloud-init: cloud-init schema 22.4 (Debian 12): user-data of every group of seven examples, of the golden case and of extra lines; 1 broken twin
# cloud-init's own schema reads user-data of every group of every example. All files of a group differ in the host name only (compared
# below), so one of each group is enough for the program, which takes half a second to start.
. "$(dirname "$0")/lib/common.bash" "$@"
need cloud-init

check() { cloud-init schema --config-file "$1" > "$work/schema.log" 2>&1 && grep -q "Valid" "$work/schema.log"; }
for example in superpod four-virtual lab nvl72 cloud campus roce-16384 case-cloud-init case-extra-lines; do
  case $example in case-*) compile_case "${example#case-}" ;; *) compile $example ;; esac
  most=$(find "$out/cloud-init" -mindepth 1 -printf "%h\n" | sort | uniq -c | sort -n | tail -1 | awk "{ print \$1 }")
  [ "$most" -le 512 ] || fail "$example: a folder with $most entries"
  groups=0
  for folder in "$out"/cloud-init/*-0; do
    node=$(ls "$folder" | head -1) last=$(ls "$folder" | tail -1)
    check "$folder/$node/user-data" || { cat "$work/schema.log" >&2; fail "cloud-init refuses $example/$node"; }
    [ "$(sed "s/$last/$node/" "$folder/$last/user-data")" = "$(cat "$folder/$node/user-data")" ] || fail "$example: $node and $last differ in more than the name"
    grep -qx "local-hostname: \"$node\"" "$folder/$node/meta-data" || fail "$example: meta-data of $node has no local-hostname"
    [ "$(head -1 "$folder/$node/user-data")" = "#cloud-config" ] || fail "$example: the first line of $node's user-data is no #cloud-config"
    groups=$((groups + 1))
  done
  [ $groups -gt 0 ] || fail "$example: no user-data"
  say "$example: user-data of $groups groups, at most $most entries in a folder"
done
equal "roce-16384: files of user-data" "$(find "$work/roce-16384/cloud-init" -name user-data | wc -l)" 16387

# the broken twin: packages must be a list
sed 's/^preserve_hostname:.*/preserve_hostname: [1]/' "$work/superpod/cloud-init/gpu-0/gpu001/user-data" > "$work/broken"
check "$work/broken" && fail "cloud-init accepts a broken user-data"
say "a broken user-data is refused"
