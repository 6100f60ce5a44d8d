#!/usr/bin/env bash
# tested hosts: getent (glibc 2.36)
# output hosts: getent of Debian 12 (glibc 2.36) in a mount namespace, and a reader of every line: no name and no address twice, in SuperPOD, 16,384 nodes and three more; 1 negative test
# A hosts file is read by the C library, by first match: each line an address and names, no name and no address twice, each node's plain
# name and its alias in every network. getent reads the file as /etc/hosts where a mount namespace is permitted.
. "$(dirname "$0")/lib/common.bash" "$@"
need awk sort

# Prints what is wrong with a hosts file; nothing when it is right.
complaints() {
  awk '!/^#/ && NF {
    if ($1 !~ /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/ && $1 !~ /:/) print "no address: " $0
    n = split($1, octet, "."); for (i = 1; i <= n && $1 !~ /:/; ++i) if (octet[i] > 255) print "no address: " $0
    if (NF < 2) print "no name: " $0
    if ($1 != "127.0.0.1" && $1 != "::1" && address[$1]++) print "address twice: " $1
    for (i = 2; i <= NF; ++i) { if ($i !~ /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/) print "no host name: " $i; if (name[$i]++ && $i != "localhost") print "name twice: " $i }
  }' "$1"
}
names_like() { awk -v re="$1" '!/^#/ { for (i = 2; i <= NF; ++i) if ($i ~ re) ++n } END { print n + 0 }' "$2"; }

# Nodes, nodes in the in-band network, switches (4 units of 8 rails, 16 spines), PDUs (32 racks of 3, 6 of 2), and what
# is managed in 8 frames of GB200 NVL72 (8 power shelves, 9 switch trays, 2 management switches), by hand from the examples
for row in "superpod ^gpu[0-9]+$ 127" "superpod ^gpu[0-9]+-inband$ 127" "superpod ^head[12]$ 2" "four-virtual ^n[1-4]$ 4" "four-virtual ^ctl$ 1" \
           "roce-16384 ^gpu[0-9]+$ 16384" "roce-16384 ^gpu[0-9]+-compute-[1-8]$ 131072" "nvl72 ^gpu[0-9]+$ 144" \
           "superpod ^leaf-compute-u[1-4]-r[1-8]$ 32" "superpod ^spine-compute-[0-9]+$ 16" "superpod ^pdu-[rm][0-9]+-[abc]$ 108" "nvl72 ^frame-nvl[1-8]-mgmt-[0-9]+$ 152" "cloud ^gpu[0-9]+-vpc$ 16"; do
  set -- $row
  [ -d "$work/$1" ] || compile "$1"
  found=$(complaints "$work/$1/hosts/hosts")
  [ -z "$found" ] || fail "examples/$1: $(echo "$found" | head -5)"
  equal "examples/$1: names like $2" "$(names_like "$2" "$work/$1/hosts/hosts")" "$3"
done

if command -v getent >/dev/null && unshare -m true 2>/dev/null; then
  in_file() { unshare -m --propagation private sh -c 'mount --bind "$0" /etc/hosts && getent -s files hosts "$1"' "$work/superpod/hosts/hosts" "$1"; }
  read -r address name <<< "$(in_file gpu127)"
  [ -n "${address:-}" ] || fail "getent finds no gpu127"
  equal "getent: the address of gpu127-inband" "$(in_file gpu127-inband | awk '{ print $1 }')" "$address"
  # 10.11.0.0/16 in 16 slots: switches of the first fabric in the last one, from .240.1 on; leaves are counted unit by unit (docs/names.md)
  equal "getent: the third leaf's address" "$(in_file leaf-compute-u1-r3 | awk '{ print $1 }')" 10.11.240.3
  equal "getent: the name of that address" "$(in_file 10.11.240.3 | awk '{ print $2 }')" leaf-compute-u1-r3
  equal "getent: spine 16, behind 32 leaves" "$(in_file spine-compute-16 | awk '{ print $1 }')" 10.11.240.48
  equal "getent: the BMC of gpu127" "$(in_file gpu127-oob | awk '{ print $1 }')" 10.11.16.127
  in_file gpu128 && fail "getent finds gpu128, which does not exist"
else
  echo "skipped in part: no mount namespace here: getent was not tried"
fi

# the broken twin: the same name at a second address
sed 's/gpu002 /gpu001 /' "$work/superpod/hosts/hosts" > "$work/broken"
complaints "$work/broken" | grep -q "name twice: gpu001" || fail "a name that stands twice was not found"
say "a name that stands twice is refused"
