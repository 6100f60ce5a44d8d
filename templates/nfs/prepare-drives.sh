# Once, on the first server, before the cluster starts: has the array and the file system on drives that both servers reach. Drives are chosen by kind and
# size. A drive with a partition, a file system or any other signature, or that something holds, is never written to: then this says so and ends with 3. Where
# the file system is there already, nothing is assembled, mounted or changed: the other server may be using it. An array without it ends with 3, too.
fail() {
  echo "prepare-drives: $*" >&2
  exit 3
}
empty() {
  for inside in "$folder/$1"* "$folder/holders"/*; do # partitions; devices made of this one
    [ ! -e "$inside" ] || return 1
  done
  signs=$(wipefs --no-act --noheadings "$dev/$1" 2>&1) || return 1
  [ -z "$signs" ]
}
# is_whole DEVICE SECTOR: whether the superblock of the file system is there, in this sector of 512 bytes. It begins with XFSB, has its UUID from byte 32 on, and
# byte 126 is not zero until mkfs.xfs has finished (xfs_format.h, struct xfs_dsb: sb_inprogress).
is_whole() {
  super=$(dd if="$1" bs=512 skip="$2" count=1 2> /dev/null | od -A n -t x1 -v | tr -d ' \n')
  case $super in 58465342*) ;; *) return 1 ;; esac
  [ "$(printf %s "$super" | cut -c 65-96)$(printf %s "$super" | cut -c 253-254)" = "$(printf %s "$uuid" | tr -d -)00" ]
}
# is_there: whether the file system is there. An array is not assembled for that, but read on its members. $members: drives of the array.
is_there() {
  if [ -z "$raid" ]; then
    device=$(blkid --cache-file /dev/null --match-token UUID="$uuid" --output device | head -n 1)
    [ -n "$device" ] || return 1
    is_whole "$device" 0
    return
  fi
  members=''
  for folder in "$blocks"/*; do
    disk=${folder##*/}
    member=$(LC_ALL=C mdadm --examine "$dev/$disk" 2> /dev/null) || continue
    printf '%s\n' "$member" | grep -qiF "Array UUID : $array_uuid" || continue
    members="$members $dev/$disk"
    offset=$(printf '%s\n' "$member" | sed -n 's/^ *Data Offset : \([0-9][0-9]*\) sectors.*/\1/p') # mdadm(8): of 512 bytes
    if [ -n "$offset" ] && is_whole "$dev/$disk" "$offset"; then return 0; fi
  done
  return 1
}
host=$(uname -n)
[ "${host%%.*}" = "$server" ] || fail "run it on $server alone: this is $host"
if is_there; then exit 0; fi
if [ -n "${members:-}" ]; then
  fail "the array is there, on$members, but no file system: it was interrupted here, or a drive of the array is missing. If $mount never had data, clear these drives with mdadm --zero-superblock$members and run this again. If it had, replace the drive first"
fi
if pidof pacemakerd > /dev/null; then fail "Pacemaker runs here, and no drive has the file system: stop the cluster on both servers first"; fi
disks_of "$kind" "$least" "$most" empty
# shellcheck disable=SC2086
if [ "$number" -ne "$count" ] || [ "$(set -- $chosen && echo $#)" -ne "$count" ]; then # two ways to one drive are two names
  fail "$mount takes $count drives ($kind, $least to $most sectors) that nothing is on, there are $number: ${chosen:-none}"
fi
set --
for disk in $chosen; do set -- "$@" "$dev/$disk"; done
device=$1
if [ -n "$raid" ]; then
  device=$array
  # What was begun on drives that were empty is taken back if it cannot be finished.
  undo() {
    status=$?
    trap - EXIT
    mdadm --quiet --stop "$device" || true
    mdadm --quiet --zero-superblock "$@" || true
    exit "$status"
  }
  trap 'undo "$@"' EXIT
  trap 'exit 129' HUP # a signal alone would end this shell without the trap above
  trap 'exit 130' INT
  trap 'exit 143' TERM
  if [ "$raid" = 0 ]; then bitmap=none; else bitmap=internal; fi # what has no redundancy has nothing to resynchronize
  mdadm --create "$device" --run --quiet --metadata=1.2 --homehost=any --name="$name" --uuid="$array_uuid" --bitmap="$bitmap" --level="$raid" --raid-devices="$count" "$@" < /dev/null
fi
mkfs.xfs -q -L "$label" -m "uuid=$uuid" "$device" # without -f: it looks itself whether something is there
if [ -n "$raid" ]; then
  trap - EXIT HUP INT TERM
  udevadm settle
  mdadm --quiet --stop "$device" # Pacemaker assembles it, on one server
fi
echo "made the file system of $mount on $chosen"
