#!/usr/bin/env bash
# tested lustre: a reader of its manual pages
# output lustre: no registry has Lustre: a reader of ldev.conf(5) and mkfs.lustre(8) that shares nothing with the writer, and compares servers with the mounts of clients, LNets and hosts; shellcheck; format.sh on loop devices (blkid, wipefs, lsblk of Debian 12) with a mkfs.lustre that only records: it formats what is empty and refuses a file system, a table of partitions, bytes without a signature, a mount, a device that ends early or cannot be read; cluster-lustre with a recording mount: order, partner, stop; quotas and striping with a recording lfs; 28 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 shellcheck awk
bin_of() { mkdir -p "$work/bin" && printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1" && chmod +x "$work/bin/$1"; }
out=$work/tree
"$bin" compile "$src/tests/golden/compile/lustre/spec.yaml" -o "$out" --only lustre,hosts,cloud-init > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "clusterc compile"; }
tree=$out/lustre
reads() { python3 "$src/tests/consumers/lib/lustre.py" "$1"; }
reads "$out" || fail "the compiled tree"
shellcheck -s sh "$tree/cluster-lustre" "$tree"/scratch/*.sh || fail "shellcheck"
mkdir "$work/unit" && sed 's,/usr/local/sbin/cluster-lustre,/bin/true,' "$tree/cluster-lustre.service" > "$work/unit/cluster-lustre.service"
if command -v systemd-analyze > /dev/null; then
  systemd-analyze verify "$work/unit/cluster-lustre.service" > "$work/said" 2>&1
  if grep cluster-lustre "$work/said" >&2; then fail "systemd-analyze verify"; fi
fi

# Broken twins of the files: FILE, what sed does to it
while read -r file how; do
  rm -rf "$work/twin" && cp -rL "$out" "$work/twin" && sed -i "$how" "$work/twin/$file"
  cmp -s "$work/twin/$file" "$out/$file" && fail "the twin $how is not broken"
  if reads "$work/twin" > "$work/said" 2>&1; then fail "the reader takes $file with $how"; fi
  say "refused: $(tail -1 "$work/said")"
done << 'TWINS'
lustre/ldev.conf s/^oss2 oss1/oss2 oss3/
lustre/ldev.conf s/OST0003/OST0002/
lustre/ldev.conf s,/dev/mapper/ost3,,
lustre/scratch/format.sh s/--index=3/--index=4/
lustre/scratch/format.sh s/--mgs /--mgs --reformat /
lustre/scratch/format.sh s/mgsnode=10.1.0.34/mgsnode=10.1.0.35/
lustre/scratch/format.sh s/ --servicenode=10.1.0.50@o2ib//
cloud-init/cpu.user-data s/10.1.0.33@o2ib/10.1.0.33@tcp/
lustre/oss/lustre.conf s/o2ib(/tcp(/
TWINS

# Starting and stopping, by hand from the spec: oss1 has ost0 and ost2 of the pair, takes over ost1 and ost3
bin_of uname 'echo "$HOST_NAME.example.org"'
bin_of mount 'echo "mount $*" >> "$RECORD"; for a in "$@"; do at=$a; done; echo "x $at lustre rw 0 0" >> "$CLUSTER_LUSTRE_PROC"'
bin_of umount 'echo "umount $*" >> "$RECORD"'
export RECORD=$work/record CLUSTER_LUSTRE_PROC=$work/mounts CLUSTER_MOUNTS=$work/mounts CLUSTER_LUSTRE_LDEV=$tree/ldev.conf CLUSTER_LUSTRE_MOUNTS=$work/at
: > "$work/mounts"
service() { : > "$RECORD"; HOST_NAME=$1 PATH=$work/bin:$PATH sh "$tree/cluster-lustre" "${@:2}" > "$work/said" 2>&1; }
service mds1 start || fail "start of mds1: $(cat "$work/said")"
equal "mds1 starts" "$(sed "s,$work/at/,,; s/mount -t lustre //" "$RECORD" | tr '\n' ';')" "/dev/mapper/mgt MGS;/dev/mapper/mdt0 scratch-MDT0000;"
service mds1 start && equal "a second start mounts" "$(wc -l < "$RECORD")" 0
service mds1 status || fail "status of mds1"
service oss1 start foreign || fail "oss1 takes over"
equal "oss1 takes over" "$(sed "s,$work/at/,,; s/mount -t lustre //" "$RECORD" | tr '\n' ';')" "/dev/mapper/ost1 scratch-OST0001;/dev/mapper/ost3 scratch-OST0003;"
if service oss1 status; then fail "status of oss1 whose own targets do not run"; fi
service mds1 stop && equal "mds1 stops" "$(sed "s,$work/at/,,; s/umount //" "$RECORD" | tr '\n' ';')" "scratch-MDT0000;MGS;"
for wrong in 'n1 start' 'oss1 begin' 'oss1 start scratch-OST0007'; do
  # shellcheck disable=SC2086
  service $wrong; equal "refused: $wrong" $? 2
done
for what in start stop status; do
  CLUSTER_LUSTRE_LDEV=$work/none service oss1 $what; equal "refused: $what without ldev.conf" $? 2
  grep -q 'none is missing' "$work/said" || fail "$what without ldev.conf says: $(cat "$work/said")"
done

# Quotas: 50 TB are 48828125000 KiB, 1 TiB 1073741824 KiB; nothing without a mount
bin_of lfs 'echo "lfs $*" >> "$RECORD"'
bin_of lctl 'echo "lctl $*" >> "$RECORD"'
bin_of getent 'case $2 in physics | biology) ;; *) exit 2 ;; esac'
bin_of chgrp 'echo "chgrp $*" >> "$RECORD"; [ ! -e "$RECORD.fails" ]'
mkdir "$work/scratch"
sed "s,^mount=/scratch,mount=$work/scratch," "$tree/scratch/quotas.sh" > "$work/quotas.sh"
: > "$work/mounts"
if PATH=$work/bin:$PATH sh "$work/quotas.sh" 2> "$work/said"; then fail "quotas on what is not mounted"; fi
echo "x $work/scratch lustre rw 0 0" > "$work/mounts"
: > "$RECORD"
touch "$RECORD.fails"
if PATH=$work/bin:$PATH sh "$work/quotas.sh" 2> "$work/said"; then fail "quotas.sh goes on without the group of a folder"; fi
grep -q 'team physics has no folder' "$work/said" || fail "quotas.sh says: $(cat "$work/said")"
[ ! -e "$work/scratch/physics" ] || fail "a folder without its group is left"
rm "$RECORD.fails" && : > "$RECORD"
PATH=$work/bin:$PATH sh "$work/quotas.sh" || fail "quotas.sh"
equal "quotas" "$(grep '^lfs' "$RECORD" | sed "s, $work/scratch,," | tr '\n' ';')" "lfs setquota -g physics -b 0 -B 48828125000 -i 0 -I 0;lfs setquota -g biology -b 0 -B 1073741824 -i 0 -I 2000000;"
equal "folder of a team" "$(stat -c %a "$work/scratch/physics")" 2770
: > "$RECORD"
PATH=$work/bin:$PATH sh "$work/quotas.sh" enforce
equal "enforced" "$(tr '\n' ';' < "$RECORD")" "lctl conf_param scratch.quota.mdt=g;lctl conf_param scratch.quota.ost=g;"
: > "$RECORD"
PATH=$work/bin:$PATH sh "$tree/scratch/layout.sh"
equal "striping" "$(tr '\n' ';' < "$RECORD")" "lfs setstripe -c 4 -S 4194304 /scratch;lfs getstripe -d /scratch;"

need wipefs blkid lsblk findmnt blockdev losetup mkfs.ext4 sfdisk
losetup -f > /dev/null 2>&1 || cannot "no loop devices here: format.sh was not run"
loop=
trap 'umount "$work/on" 2> /dev/null; [ -z "$loop" ] || losetup -d "$loop"' EXIT
truncate -s 64M "$work/disk" && loop=$(losetup -f --show "$work/disk") || cannot "no loop device can be set up here"
ln -s "$loop" "$work/ost0"
bin_of mkfs.lustre 'echo "mkfs.lustre $*" >> "$RECORD"; for d in "$@"; do :; done; exec mkfs.ext4 -q -F -L scratch:OST0000 "$d"'
sed "/^target oss1 scratch-OST0002/d; s,/dev/mapper/ost0,$work/ost0," "$tree/scratch/format.sh" > "$work/format.sh"
formats() { : > "$RECORD"; HOST_NAME=oss1 PATH=$work/bin:$PATH sh "$work/format.sh" "$@" > "$work/said" 2>&1; }
# refused WHAT: the script ends with 1, and neither runs mkfs.lustre nor changes a byte
refused() {
  md5sum < "$work/disk" > "$work/before"
  formats --run; equal "refused: $1" $? 1
  [ -s "$RECORD" ] && fail "$1: mkfs.lustre was run"
  md5sum < "$work/disk" | cmp -s - "$work/before" || fail "$1: something was written"
}
blank() { wipefs -qa "$loop" 2> /dev/null; dd if=/dev/zero of="$loop" bs=1M count=64 conv=fsync 2> /dev/null; }
mkfs.ext4 -q -L mine "$loop" && refused "a file system"
mkdir -p "$work/on" && mount "$loop" "$work/on" && refused "a mounted file system" && umount "$work/on"
blank; echo 'label: gpt' | sfdisk -q --no-reread --no-tell-kernel "$loop" > /dev/null 2>&1; refused "a table of partitions"
blank; printf x | dd of="$loop" bs=1 seek=3000000 conv=notrunc,fsync 2> /dev/null; refused "bytes at its begin"
blank; printf x | dd of="$loop" bs=1 seek=66000000 conv=notrunc,fsync 2> /dev/null; refused "bytes at its end"
blank
bin_of blockdev 'echo 1099511627776'; refused "a device that ends before its size"; rm "$work/bin/blockdev"
for reader in cmp wipefs lsblk; do # what a failing device makes of them
  bin_of $reader 'echo "Input/output error" >&2; exit 2'; refused "a device that $reader cannot read"; rm "$work/bin/$reader"
  grep -q 'cannot' "$work/said" || fail "$reader: $(cat "$work/said")"
done
formats || fail "what would be done: $(cat "$work/said")"
[ ! -s "$RECORD" ] || fail "format.sh without --run formats"
formats --run || fail "an empty device: $(cat "$work/said")"
equal "formatted" "$(sed "s, $work.*,," "$RECORD")" "mkfs.lustre --ost --fsname=scratch --index=0 --mgsnode=10.1.0.33@o2ib --mgsnode=10.1.0.34@o2ib --servicenode=10.1.0.49@o2ib --servicenode=10.1.0.50@o2ib"
formats --run && equal "a second run" "$(wc -l < "$RECORD")" 0
HOST_NAME=n1 PATH=$work/bin:$PATH sh "$work/format.sh" 2> /dev/null; equal "a machine that serves nothing" $? 2
