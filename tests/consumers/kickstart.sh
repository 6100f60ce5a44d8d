#!/usr/bin/env bash
# tested kickstart: a reader of the documented grammar; no installer
# output kickstart: no program that reads kickstart files is packed here: a reader of the documented grammar with the commands and options that RHEL 8, 9 and 10 share, and shellcheck of %pre and %post: the golden case, SuperPOD and 16,384 nodes with Rocky Linux, AlmaLinux, CentOS Stream and RHEL; %pre run on folders as /sys/block is, what it includes read, %post run on a copy of a Debian 12 system with the tree served over HTTP; no installer was run; which drives: tests/install_drives.py; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
lib=$(dirname "$0")/lib
. "$lib/install.bash"
need shellcheck python3 curl unshare ip

reads() { python3 "$lib/kickstart.py" "$@" > "$work/read.json" 2> "$work/read.log"; }
section() { python3 -c 'import json, sys; sys.stdout.write(json.load(open(sys.argv[1]))["sections"][sys.argv[2]])' "$work/read.json" "$1"; }
compile_case kickstart
golden=$out
for tree in "$golden" superpod:rocky-9 superpod:almalinux-8 superpod:centos-stream-10 superpod:rhel-9 roce-16384:rocky-9.4; do
  case $tree in /*) out=$tree ;; *) with_os "${tree%%:*}" "${tree##*:}" kickstart,cloud-init,ipxe ;; esac
  for file in "$out"/kickstart/*.ks; do
    reads "$file" || { cat "$work/read.log" >&2; fail "$file is refused"; }
    for part in %pre %post; do section $part | shellcheck -s sh - || fail "shellcheck: $part of $file"; done
  done
  named "$out" "$out"/kickstart/*.ks "$out"/ipxe/*.ipxe
done
# Where the packages are, by release.
equal "rocky-9" "$(sed -n 's/^url --url=//p' "$work/superpod-rocky-9/kickstart/gpu.ks")" "https://download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os/"
equal "almalinux-8" "$(sed -n 's/^url --url=//p' "$work/superpod-almalinux-8/kickstart/gpu.ks")" "https://repo.almalinux.org/almalinux/8/BaseOS/x86_64/os/"
equal "centos-stream-10" "$(sed -n 's/^url --url=//p' "$work/superpod-centos-stream-10/kickstart/gpu.ks")" "https://mirror.stream.centos.org/10-stream/BaseOS/x86_64/os/"
equal "rhel-9" "$(sed -n 's/^url --url=//p' "$work/superpod-rhel-9/kickstart/gpu.ks" | grep -o 'media.*')" "media/rhel-9/BaseOS/x86_64/os/"

# Which disks: what %pre writes is read in its place.
ks=$golden/kickstart/old.ks
reads "$ks"
section %pre > "$work/pre.sh"
section %post > "$work/post.sh"
golden_disks
DISKS_KS=$work/disks.ks sh "$work/pre.sh" 2> "$work/disks.log" || { cat "$work/disks.log" >&2; fail "the disks are not chosen"; }
reads "$ks" "$work/disks.ks" || { cat "$work/read.log" >&2; fail "what %pre writes is refused"; }
equal "disks" "$(sed -n 's/^ignoredisk --only-use=//p' "$work/disks.ks")" nvme0n1,nvme2n1
equal "the root" "$(grep '^raid / ' "$work/disks.ks")" "raid / --device=root --level=RAID1 --fstype=xfs raid.31 raid.32"
equal "password" "$(grep -E '^(rootpw|user) ' "$ks" | tr '\n' ';')" "rootpw --lock;user --name=admin --groups=wheel --homedir=/var/lib/admin --lock;"

unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
as_planned "$golden" "$work/post.sh" o1

# Broken twins: an unknown command, an option that no release has, a section without its end, an array on a partition that is not there; another disk of that size.
refused() {   # refused WHAT FILE [INCLUDED]
  reads "${@:2}" && fail "$1 is taken"
  say "refused: $(cat "$work/read.log")"
}
sed 's/^lang /langue /' "$ks" > "$work/broken.ks" && refused "an unknown command" "$work/broken.ks"
sed 's/ --device=bootif/ --dev=bootif/' "$ks" > "$work/broken.ks" && refused "an unknown option" "$work/broken.ks"
sed '$d' "$ks" > "$work/broken.ks" && refused "a section without its end" "$work/broken.ks"
sed 's/raid.31 raid.32/raid.31 raid.33/' "$work/disks.ks" > "$work/broken-disks.ks" && refused "an array on nothing" "$ks" "$work/broken-disks.ks"
golden_disks nvme3n1:1875385008
DISKS_KS=$work/disks2.ks sh "$work/pre.sh" 2> "$work/disks.log" && fail "three disks are there, two are to be erased"
[ ! -e "$work/disks2.ks" ] || fail "something is to be erased all the same"
say "refused: $(cat "$work/disks.log")"
