#!/usr/bin/env bash
# output ansible: mkfs.xfs 6.1, wipefs and mount (Debian 12) on loop devices in a mount namespace: the script of the role drives makes and mounts a file system on drives that nothing is on, takes an older one up again, and writes to no drive with a partition, a file system, a member of a RAID or another's data; several drives as one with an mdadm that joins nothing and says what it was told; shellcheck; Slurm's health check and Ansible's ask for what is made, and for nothing else; 7 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need mkfs.xfs wipefs losetup unshare shellcheck sfdisk python3
"$bin" compile "$src/tests/consumers/specs/drives.yaml" -o "$work/tree" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile drives.yaml"; }
roles=$work/tree/ansible/roles
shellcheck -s sh "$roles/drives/files/cluster-drives" || fail "shellcheck"

# Who is told what: by hand from the spec. 420 MB less and more 2 % in sectors of 512 bytes: 803906, 836718.
equal "notes" "$(grep -o 'note: .*' "$work/compile.log" | grep -c 'no health check covers')" 4
vars() { python3 -c 'import sys, yaml; v = yaml.safe_load(open(sys.argv[1])); print([[d[k] for k in ("mount", "count", "kind", "least", "most")] + [d.get("raid", "-")] for d in v.get("cluster_drives", [])], [[m["source"], m["path"]] for m in v.get("cluster_mounts", [])])' "$work/tree/ansible/group_vars/group_$1.yaml"; }
equal "store" "$(vars store)" "[['/export/home', 1, 'nvme', 765625, 796875, '-']] []"
equal "cpu" "$(vars cpu)" "[['/local/scratch', 2, 'nvme', 803906, 836718, '0']] [['n1:/export/home', '/export/home'], ['n1:/export/bulk', '/export/bulk']]"
equal "Slurm's health check of cpu" "$(grep -E '^(mounted|scratch|scratch_folder) ' "$work/tree/slurm/nodes/cpu.sh" | sort | tr '\n' ';')" "mounted /export/bulk;mounted /export/home;scratch /local/scratch;scratch_folder /local/cache;scratch_folder /local/system;"
grep -q 'no_subtree_check,root_squash,mp)' "$work/tree/nfs/home/exports" || fail "home is exported though its drives are not mounted"
if grep -q ',mp)' "$work/tree/nfs/bulk/exports"; then fail "nobody mounts what bulk's exports wait for"; fi

losetup -f > /dev/null 2>&1 || cannot "no loop devices here: no file system was made"
cat > "$work/real" <<'SCRIPT'
work=$1 script=$2
fail() { echo "FAILED: $*" >&2; exit 1; }
equal() { [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"; echo "ok: $1: $2"; }
mkdir -p "$work/etc" "$work/dev" "$work/sys" "$work/bin" && cp /etc/fstab "$work/etc/" 2> /dev/null || : > "$work/etc/fstab"
echo "# begins" > "$work/etc/fstab"
[ -e /etc/fstab ] || : > /etc/fstab
mount --bind "$work/etc/fstab" /etc/fstab && mount -t tmpfs none /mnt && mkdir -p /mnt/at || exit 9
loops=
trap 'for l in $loops; do umount "$l" 2> /dev/null; losetup -d "$l"; done' EXIT
# drive NAME MEGABYTES [NUMBER OF SECTORS THAT SYSFS SAYS]: a loop device, as the drive NAME
drive() {
  truncate -s "$2M" "$work/$1.img"
  loop=$(losetup -f --show "$work/$1.img") || exit 9
  loops="$loops $loop"
  ln -sfn "$loop" "$work/dev/$1"
  mkdir -p "$work/sys/$1/queue" "$work/sys/$1/holders" && echo 0 > "$work/sys/$1/queue/rotational" && echo 0 > "$work/sys/$1/removable" && echo $(($2 * 2048)) > "$work/sys/$1/size"
}
# what stands at the beginning of a drive, of all drives
sums() { for d in "$work"/dev/*; do printf '%s %s\n' "${d##*/}" "$(head -c 64M "$d" | md5sum)"; done; }
run() { SYS_BLOCK=$work/sys DEV=$work/dev PATH=$work/bin:$PATH sh "$script" "$@" > "$work/out" 2> "$work/err"; }
uuid=7ce5ae83-5f0b-5c44-9b07-2a1f2a3f7a11
home() { run "$uuid" /mnt/at/home 1 nvme 765625 796875; }
# refused WHAT: it ends with 3 and nothing was written
refused() {
  sums > "$work/before"
  home; rc=$?
  [ $rc = 3 ] || fail "$1: ended with $rc: $(cat "$work/out" "$work/err")"
  sums | cmp -s "$work/before" - || fail "$1: a drive was written to"
  grep -q /mnt/at/home /etc/fstab && fail "$1: it stands in fstab"
  echo "ok: refused: $1: $(cat "$work/err")"
}
# 400 MB are 381 MiB; another of another size with somebody's data is never looked at
drive nvme0n1 381
drive nvme1n1 900 && mkfs.ext4 -q "$work/dev/nvme1n1"
# twins: what may be on a drive
mkfs.ext4 -q "$work/dev/nvme0n1"; refused "a file system"
wipefs -qa "$work/dev/nvme0n1"; echo 'label: gpt' | sfdisk -q --no-reread --no-tell-kernel "$work/dev/nvme0n1" > /dev/null 2>&1; refused "a table of partitions"
wipefs -qa "$work/dev/nvme0n1"; mkdir "$work/sys/nvme0n1/nvme0n1p1"; refused "a partition"; rmdir "$work/sys/nvme0n1/nvme0n1p1"
mkdir "$work/sys/nvme0n1/holders/dm-0"; refused "a device made of it"; rmdir "$work/sys/nvme0n1/holders/dm-0"
drive nvme2n1 381; refused "two that are alike"; rm -r "$work/sys/nvme2n1" "$work/dev/nvme2n1"
mkdir -p /mnt/at/home && echo mine > /mnt/at/home/file; refused "files that would be hidden"; rm /mnt/at/home/file
home || fail "an empty drive: $(cat "$work/err")"
equal "an empty drive" "$(tr '\n' ';' < "$work/out")" "made a file system for /mnt/at/home on nvme0n1;/mnt/at/home is mounted at every start;mounted /mnt/at/home;"
equal "what is mounted" "$(findmnt -no FSTYPE,UUID /mnt/at/home | tr -s ' ')" "xfs $uuid"
equal "fstab" "$(tail -1 /etc/fstab)" "UUID=$uuid /mnt/at/home xfs noatime,nofail,x-systemd.device-timeout=30s 0 0"
findmnt --verify --tab-file /etc/fstab > "$work/verify" 2>&1 || fail "findmnt refuses fstab: $(cat "$work/verify")"
echo kept > /mnt/at/home/file
home && [ ! -s "$work/out" ] || fail "the second run says $(cat "$work/out" "$work/err")"
echo "ok: a second run changes nothing"
umount /mnt/at/home && echo "# another system" > /etc/fstab
home || fail "a system that was installed again: $(cat "$work/err")"
equal "after another installation" "$(cat /mnt/at/home/file), $(head -1 "$work/out")" "kept, /mnt/at/home is mounted at every start"
equal "the other drive" "$(wipefs -n --noheadings --output TYPE "$work/dev/nvme1n1")" ext4
# several as one: an mdadm that writes down what it is told, and whose device is a loop device
drive md 900
cat > "$work/bin/mdadm" <<MDADM
#!/bin/sh
case \$1 in --create) echo "\$*" >> $work/mdadm.log; mkdir -p /dev/md; ln -sfn $work/dev/md "\$2" ;; esac
MDADM
chmod 755 "$work/bin/mdadm"
rm -rf "$work/sys/md"
drive nvme3n1 400 && drive nvme4n1 400
pair=11aa22bb-5f0b-5c44-9b07-2a1f2a3f7a12
mkswap "$work/dev/nvme4n1" > /dev/null 2>&1
run $pair /mnt/at/pair 2 nvme 803906 836718 0; [ $? = 3 ] && [ ! -e "$work/mdadm.log" ] || fail "swap is taken for an empty drive"
echo "ok: refused: swap on one of two: $(cat "$work/err")"
wipefs -qa "$work/dev/nvme4n1"
run $pair /mnt/at/pair 2 nvme 803906 836718 0 || fail "two drives as one: $(cat "$work/err")"
rm -f /dev/md/cluster-11aa22bb; rmdir /dev/md 2> /dev/null
equal "mdadm is told" "$(cat "$work/mdadm.log")" "--create /dev/md/cluster-11aa22bb --run --quiet --metadata=1.2 --level=0 --raid-devices=2 $work/dev/nvme3n1 $work/dev/nvme4n1"
equal "what is mounted on it" "$(findmnt -no UUID /mnt/at/pair)" $pair
SCRIPT
unshare -m --propagation private bash "$work/real" "$work" "$roles/drives/files/cluster-drives"
rc=$?
[ $rc != 9 ] || cannot "no loop devices or mounts here: no file system was made"
exit $rc
