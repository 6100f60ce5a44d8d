# Formats the targets of this server that hold nothing. Formats no device that has anything on it: a file system, a
# partition, a member of a RAID or a volume group, a mount, or bytes other than zero in its first or last 4 MiB.
# usage: format.sh          shows what it would do
#        format.sh --run    does it
# Exit status: 0 all targets of this server are formatted, or would be; 1 a device was refused, or mkfs.lustre failed;
# 2 wrong usage, or this machine is none of the servers.
set -u
LC_ALL=C
export LC_ALL
run=no
case $#${1:-} in 0) ;; 1--run) run=yes ;; *) echo "usage: ${0##*/} [--run]" >&2; exit 2 ;; esac
host=$(uname -n)
host=${host%%.*}
status=0
mine=0

refuse() { echo "$label: $device: refused: $*" >&2; status=1; }

# zeros OFFSET: whether 4 MiB from there were read, and are zero; what they are not, in $found
zeros() {
  cmp -s -n 4194304 -i "$1:0" "$device" /dev/zero
  case $? in
    0) return 0 ;;
    1) found="bytes other than zero, or fewer bytes than its size" ;;
    *) found="it cannot be read" ;;
  esac
  return 1
}

# holds: what is on the device, in $found; false: nothing
holds() {
  if ! found=$(wipefs --no-act --noheadings --output TYPE "$device" 2>&1); then
    found="wipefs cannot read it: $found"
    return 0
  fi
  found=$(printf '%s\n' "$found" | sort -u | tr '\n' ' ')
  [ -z "${found# }" ] || return 0
  if ! found=$(lsblk --noheadings --raw --output NAME "$device" 2>&1); then
    found="lsblk cannot read it: $found"
    return 0
  fi
  found=$(printf '%s\n' "$found" | tail -n +2 | head -n 3 | tr '\n' ' ')
  [ -z "$found" ] || return 0
  found=$(findmnt --noheadings --output TARGET --source "$device" 2> /dev/null | head -n 1)
  [ -z "$found" ] || return 0
  size=$(blockdev --getsize64 "$device" 2> /dev/null || echo 0)
  if [ "$size" -lt 8388608 ]; then
    found="its size is $size bytes"
    return 0
  fi
  if zeros 0 && zeros $((size - 4194304)); then return 1; fi
}

# target HOST LABEL DEVICE OPTION…
target() {
  [ "$1" = "$host" ] || return 0
  label=$2 device=$3
  shift 3
  mine=$((mine + 1))
  if [ ! -b "$device" ]; then
    refuse "no block device"
    return
  fi
  # mkfs.lustre writes FSNAME:OST0000; the target becomes FSNAME-OST0000 at its first start
  case $(blkid -p -o value -s LABEL "$device" 2> /dev/null) in
    "$label" | "${label%-*}:${label##*-}")
      echo "$label: $device: is formatted"
      return ;;
  esac
  if holds; then
    refuse "holds data: $found"
    return
  fi
  echo "mkfs.lustre $* $device"
  [ "$run" = yes ] || return 0
  mkfs.lustre "$@" "$device" || refuse "mkfs.lustre failed"
}

