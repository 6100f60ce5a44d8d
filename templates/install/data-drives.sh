# cluster-drives UUID MOUNT COUNT KIND LEAST MOST [RAID]
# Has the file system UUID on the drives of that kind and size, mounted at MOUNT at every start. Where it is not there yet it is made, of exactly COUNT drives
# that nothing is on. A drive with a partition, a file system or any other signature, or that something holds, is never written to: then, or when MOUNT has
# files that would be hidden, this says so and ends with 3. It says what it changed, and nothing where all is as it should be.
set -eu
uuid=$1 mount=$2 count=$3 kind=$4 least=$5 most=$6 raid=${7:-}
empty() {
  for inside in "$folder/$1"* "$folder/holders"/*; do # partitions; devices made of this one
    [ ! -e "$inside" ] || return 1
  done
  signs=$(wipefs --no-act --noheadings "$dev/$1" 2>&1) || return 1
  [ -z "$signs" ]
}
if mountpoint -q "$mount"; then
  [ "$(findmnt --noheadings --output UUID --mountpoint "$mount")" = "$uuid" ] || { echo "cluster-drives: another file system is mounted at $mount" >&2; exit 3; }
else
  if [ -d "$mount" ] && [ -n "$(ls -A "$mount")" ]; then
    echo "cluster-drives: $mount has files in it, which a file system there would hide" >&2
    exit 3
  fi
  if [ -n "$raid" ]; then mdadm --assemble --scan > /dev/null 2>&1 || true; fi # made before this system was installed
  if ! blkid -U "$uuid" > /dev/null; then
    disks_of "$kind" "$least" "$most" empty
    # shellcheck disable=SC2086
    if [ "$number" -ne "$count" ] || [ "$(set -- $chosen && echo $#)" -ne "$count" ]; then # two ways to one drive are two names
      echo "cluster-drives: $mount takes $count drives ($kind, $least to $most sectors) that nothing is on, there are $number: ${chosen:-none}" >&2
      exit 3
    fi
    set --
    for disk in $chosen; do set -- "$@" "$dev/$disk"; done
    device=$1
    if [ -n "$raid" ]; then
      device=/dev/md/cluster-${uuid%%-*}
      mdadm --create "$device" --run --quiet --metadata=1.2 --level="$raid" --raid-devices="$count" "$@" < /dev/null
    fi
    mkfs.xfs -q -m "uuid=$uuid" "$device" # without -f: it looks itself whether something is there
    echo "made a file system for $mount on $chosen"
  fi
fi
line="UUID=$uuid $mount xfs noatime,nofail,x-systemd.device-timeout=30s 0 0"
if ! grep -qxF "$line" /etc/fstab; then
  printf '%s\n' "$line" >> /etc/fstab
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  echo "$mount is mounted at every start"
fi
if ! mountpoint -q "$mount"; then
  mkdir -p "$mount"
  mount -U "$uuid" -o noatime "$mount"
  if command -v restorecon > /dev/null; then restorecon "$mount"; fi
  echo "mounted $mount"
fi
