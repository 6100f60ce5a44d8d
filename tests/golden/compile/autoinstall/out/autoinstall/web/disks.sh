#!/bin/sh
# made by clusterc from spec 'bare'; do not edit: use outputs.autoinstall.extra
count=1
kind=ssd
least=918750000
most=956250000
# disks_of TEST: the disks of $kind, with $least to $most sectors of 512 bytes, that TEST DISK takes: $chosen, and their $number.
disks_of() {
  chosen=
  number=0
  for folder in "${SYS_BLOCK:-/sys/block}"/*; do
    disk=${folder##*/}
    case $disk in
      nvme*c*n*) continue ;; # one of several ways to a disk
      nvme*) is=nvme ;;
      sd* | vd*) if [ "$(cat "$folder/queue/rotational")" = 1 ]; then is=hdd; else is=ssd; fi ;;
      *) continue ;;
    esac
    [ "$(cat "$folder/removable")" = 0 ] || continue
    size=$(cat "$folder/size")
    [ "$size" -gt 0 ] || continue
    if [ "$kind" != any ]; then
      if [ "$is" != "$kind" ] || [ "$size" -lt "$least" ] || [ "$size" -gt "$most" ]; then continue; fi
    fi
    "$1" "$disk" || continue
    chosen="$chosen $disk"
    number=$((number + 1))
  done
  chosen=${chosen# }
}
# Chooses the disks that the operating system is to lie on. Nothing is erased unless there are exactly as many of that kind and size as the spec
# has: else this ends with 1, and the installation with it. $count, $kind, $least and $most stand above.
choose_disks() {
  disks_of true
  if [ "$number" -ne "$count" ]; then
    echo "clusterc: $count disks ($kind, $least to $most sectors) are to be erased, $number are there: ${chosen:-none}" >&2
    return 1
  fi
}
# partition DISK NUMBER: the name of its partition
partition() {
  case $1 in
    *[0-9]) echo "$1p$2" ;;
    *) echo "$1$2" ;;
  esac
}
choose_disks || exit 1
# The storage section names the disks cluster-disk-1, cluster-disk-2, …: the installer reads this file again once the early commands are through.
n=0
for disk in $chosen; do
  n=$((n + 1))
  sed -i "s|/dev/cluster-disk-$n\\b|/dev/$disk|" "${AUTOINSTALL:-/autoinstall.yaml}"
done
