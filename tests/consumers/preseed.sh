#!/usr/bin/env bash
# tested preseed: debconf-set-selections 1.5.82
# output preseed: debconf-set-selections --checkonly 1.5.82 (Debian 12), without a word, and shellcheck: the golden case, SuperPOD and 16,384 nodes with Debian; the choice of disks run on folders as /sys/block is, the last script run on a copy of a Debian 12 system with the tree served over HTTP: account, key, rights, no password, cloud-init's files of the node; Debian's installer itself is run by tests/soak/install_preseed.py, outside of the test suite; which drives: tests/install_drives.py; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/install.bash"
need debconf-set-selections shellcheck python3 curl unshare ip

accepted() { debconf-set-selections --checkonly "$1" > "$work/check.log" 2>&1 && [ ! -s "$work/check.log" ]; }
compile_case preseed
golden=$out
for tree in "$golden" superpod roce-16384; do
  case $tree in /*) out=$tree ;; *) with_os $tree debian-12 preseed,cloud-init,ipxe ;; esac
  for file in "$out"/preseed/*.cfg; do
    accepted "$file" || { cat "$work/check.log" >&2; fail "debconf refuses $file"; }
    # of each question one answer, but for those of extra lines behind
    equal "questions asked twice in $(basename "$out") $(basename "$file")" "$(sed '/^# outputs/,$d; /^#/d' "$file" | awk '{ print $2 }' | sort | uniq -d)" ""
  done
  shellcheck -s sh "$out"/preseed/*.sh || fail "shellcheck: $out"
  named "$out" "$out"/preseed/*.cfg
done
cfg=$golden/preseed/cpu.cfg
equal "password of root" "$(sed -n 's/^d-i passwd\/root-password-crypted password //p' "$cfg")" "!"
equal "account that the installer makes" "$(sed -n 's/^d-i passwd\/make-user boolean //p' "$cfg")" false

# Which disks: debconf-set of the installer is told the two of 960 GB, as mirrors.
mkdir "$work/bin" && printf '#!/bin/sh\necho "$1 = $2" >> "%s/set.log"\n' "$work" > "$work/bin/debconf-set" && chmod +x "$work/bin/debconf-set"
chosen() { rm -f "$work/set.log"; PATH=$work/bin:$PATH sh "$golden/preseed/cpu-disks.sh" 2> "$work/disks.log"; }
golden_disks
chosen || { cat "$work/disks.log" >&2; fail "the disks are not chosen"; }
equal "disks" "$(sed -n 's/^partman-auto\/disk = //p' "$work/set.log")" "/dev/nvme0n1 /dev/nvme2n1"
equal "method" "$(sed -n 's/^partman-auto\/method = //p' "$work/set.log")" raid
equal "mirror" "$(sed -n 's/^partman-auto-raid\/recipe = //p' "$work/set.log")" "1 2 0 ext4 / /dev/nvme0n1p2#/dev/nvme2n1p2 ."
equal "boot loader" "$(sed -n 's/^grub-installer\/bootdev = //p' "$work/set.log")" "/dev/nvme0n1 /dev/nvme2n1"

unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
as_planned "$golden" "$golden/preseed/cpu-finish.sh" n2
# The names that DHCP gives to the ports of a node.
for port in n2-lan n2-lan-2 n2-oob; do as_planned "$golden" "$golden/preseed/cpu-finish.sh" n2 $port; done

# Broken twins: an answer without a type; a third disk of that size; one disk missing; a node that the server has no files of.
sed 's/^d-i clock-setup\/utc boolean true/d-i clock-setup\/utc/' "$cfg" > "$work/broken.cfg"
accepted "$work/broken.cfg" && fail "debconf takes a question without a type"
say "refused: $(head -1 "$work/check.log")"
golden_disks nvme3n1:1875385008
chosen && fail "three disks are there, two are to be erased"
equal "nothing is set" "$(cat "$work/set.log" 2> /dev/null)" ""
say "refused: $(cat "$work/disks.log")"
disks nvme0n1:1875385008 nvme1n1:7501476528
chosen && fail "one disk is there, two are to be erased"
say "refused: $(cat "$work/disks.log")"
# A name that only begins as a node's does is not that node's: it gets no other node's files.
for name in n9 n2-1 n2-wan n2-lan-x n2-lan-2-2 -lan; do
  finished "$golden" "$golden/preseed/cpu-finish.sh" "$name" && fail "$name is no node"
  say "refused: $(tail -1 "$work/finish.log")"
done
