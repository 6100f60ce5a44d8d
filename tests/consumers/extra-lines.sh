#!/usr/bin/env bash
# Extra lines of eleven files, each line of lib/extra_lines.txt asked of the program that reads the file (slurmctld and slurmdbd 22.05, promtool 2.42, amtool 0.25,
# named-checkzone 9.18, nginx 1.22, nft 1.0, chronyd 4.3, dnsmasq 2.90, netplan 0.106, cloud-init 22.4; Debian 12): what it refuses is a finding of `clusterc check`,
# what it takes is none.
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmdbd promtool amtool named-checkzone nginx nft chronyd dnsmasq netplan cloud-init unshare python3
unshare -n true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
[ "$(id -u)" = 0 ] || cannot "not root: slurmctld and nft are asked as root"
python3 "$(dirname "$0")/lib/extra_lines.py" "$bin" "$src" "$work" || fail "see the lines above"
