#!/bin/sh
# made by clusterc from spec 'two'; do not edit: use outputs.preseed.extra
count=1
kind=any
least=0
most=0
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
# Partition 1 is what the firmware starts from, 2 the system: recipes as in partman-auto's own (recipes-amd64-efi/atomic, recipes-amd64/atomic).
if [ -d /sys/firmware/efi ]; then
  start="538 538 1075 free \$iflabel{ gpt } \$reusemethod{ } method{ efi } format{ } ."
else
  start="1 1 1 free \$iflabel{ gpt } \$reusemethod{ } method{ biosgrub } ."
fi
devices=
members=
for disk in $chosen; do
  devices="$devices /dev/$disk"
  members="$members#/dev/$(partition "$disk" 2)"
done
devices=${devices# }
debconf-set partman-auto/disk "$devices"
debconf-set grub-installer/bootdev "$devices"
if [ "$count" -eq 1 ]; then
  debconf-set partman-auto/method regular
  debconf-set partman-auto/expert_recipe "cluster :: $start 2000 10000 -1 ext4 method{ format } format{ } use_filesystem{ } filesystem{ ext4 } mountpoint{ / } ."
else
  debconf-set partman-auto/method raid
  debconf-set partman-auto/expert_recipe "cluster :: $start 2000 10000 -1 raid \$lvmignore{ } method{ raid } ."
  debconf-set partman-auto-raid/recipe "1 $count 0 ext4 / ${members#\#} ."
fi
