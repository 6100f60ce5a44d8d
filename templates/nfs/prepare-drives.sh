# Once, on the first server, before the cluster starts: has the array and the file system on drives that both servers reach. Drives are chosen by kind and
# size. A drive with a partition, a file system or any other signature, or that something holds, is never written to: then this says so and ends with 3. Where
# the array or the file system is there already, nothing is assembled, mounted or changed: the other server may be using it.
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
is_there() {
  if [ -n "$raid" ]; then
    mdadm --examine --scan --config=partitions | grep -qiF "UUID=$array_uuid"
  else
    blkid --cache-file /dev/null --match-token UUID="$uuid" > /dev/null
  fi
}
host=$(uname -n)
[ "${host%%.*}" = "$server" ] || fail "run it on $server alone: this is $host"
if is_there; then exit 0; fi
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
  if [ "$raid" = 0 ]; then bitmap=none; else bitmap=internal; fi # what has no redundancy has nothing to resynchronize
  mdadm --create "$device" --run --quiet --metadata=1.2 --homehost=any --name="$name" --uuid="$array_uuid" --bitmap="$bitmap" --level="$raid" --raid-devices="$count" "$@" < /dev/null
fi
mkfs.xfs -q -L "$label" -m "uuid=$uuid" "$device" # without -f: it looks itself whether something is there
if [ -n "$raid" ]; then
  trap - EXIT
  udevadm settle
  mdadm --quiet --stop "$device" # Pacemaker assembles it, on one server
fi
echo "made the file system of $mount on $chosen"
