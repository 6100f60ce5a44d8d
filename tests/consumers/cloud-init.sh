#!/usr/bin/env bash
# tested cloud-init: cloud-init 22.4
# output cloud-init: cloud-init schema 22.4 (Debian 12): user-data of every group of seven examples, of the golden case and of extra lines; what names cloud-init takes from a node's files; 1 negative test
# cloud-init's own schema reads user-data of every group of every example: the nodes' are links to it. What names a node gets from its files says
# cloud-init's own code: the reader of a seed folder and the data source NoCloud.
. "$(dirname "$0")/lib/common.bash" "$@"
need cloud-init

check() { cloud-init schema --config-file "$1" > "$work/schema.log" 2>&1 && grep -q "Valid" "$work/schema.log"; }
# full NODE: its name in hosts with the domain, where there is one
full() { awk -v n="$1" '{ for (i = 2; i <= NF; i++) if (index($i, n ".") == 1) { print $i; found = 1; exit } } END { if (!found) print n }' "$out/hosts/hosts"; }
# names FOLDER...: host name and full name that cloud-init, a program of the system's Python, gives a machine with these files
names() {
  /usr/bin/python3 - "$@" << 'END'
import sys
from cloudinit import helpers, util
from cloudinit.sources.DataSourceNoCloud import DataSourceNoCloud
for folder in sys.argv[1:]:
    seed = util.pathprefix2dict(folder + "/", ["user-data", "meta-data"])
    source = DataSourceNoCloud({}, None, helpers.Paths({}))
    source.metadata = util.load_yaml(util.decode_binary(seed["meta-data"]))
    config = util.load_yaml(util.decode_binary(seed["user-data"]))
    print(*util.get_hostname_fqdn(config, source)[:2])
END
}
for example in superpod four-virtual lab nvl72 cloud campus roce-16384 case-cloud-init case-extra-lines; do
  case $example in case-*) compile_case "${example#case-}" ;; *) compile $example ;; esac
  most=$(find "$out/cloud-init" -mindepth 1 -printf "%h\n" | sort | uniq -c | sort -n | tail -1 | awk "{ print \$1 }")
  [ "$most" -le 512 ] || fail "$example: a folder with $most entries"
  groups=0
  for folder in "$out"/cloud-init/*-0; do
    node=$(ls "$folder" | head -1) last=$(ls "$folder" | tail -1)
    check "$folder/$node/user-data" || { cat "$work/schema.log" >&2; fail "cloud-init refuses $example/$node"; }
    equal "$example: names of $node and $last" "$(names "$folder/$node" "$folder/$last")" "$node $(full "$node")
$last $(full "$last")"
    [ "$folder/$last/user-data" -ef "${folder%-0}.user-data" ] && [ "$folder/$node/user-data" -ef "${folder%-0}.user-data" ] || fail "$example: user-data of $node or $last is not the group's"
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
