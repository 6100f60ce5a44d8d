# The installer goes on when this script fails, once somebody has answered its message (preseed_command): it must not end.
choose_disks || {
  [ -z "${SYS_BLOCK:-}" ] || exit 1
  while sleep 60; do say "this node is not installed: its drives are not those of the spec. Restart it when they are; what was found stands in /var/log/syslog"; done
}
# partman assembles the arrays of all drives that it sees, and takes their swap for the new system: until the next start the kernel lets go of the others.
release() { # FILE TEXT
  if [ -w "$1" ]; then
    echo "$2" > "$1"
    echo "clusterc: $other is let go of" >&2
  fi
}
for folder in "$blocks"/*; do
  other=${folder##*/}
  if [ "$live" = 0 ] || among "$other" "$chosen" || ! look_at "$other"; then continue; fi
  case $other in
    sd*) release "$folder/device/delete" 1 ;;
    vd*) release "$folder/device/driver/unbind" "$(basename "$(cd -P "$folder/device" && pwd -P)")" ;;
    nvme*)
      shared=0 # by a namespace that the system lies on
      for disk in $chosen; do if [ "${disk%n*}" = "${other%n*}" ]; then shared=1; fi; done
      for controller in "$folder/device" "$folder"/device/nvme*; do
        if [ $shared = 0 ] && [ -e "$controller/device/driver/unbind" ]; then
          release "$controller/device/driver/unbind" "$(basename "$(cd -P "$controller/device" && pwd -P)")"
        fi
      done
      ;;
  esac
done
# What an older system left on the boot drives, arrays and volumes, would be assembled too: the first and last MiB of its partitions and of the drives are cleared.
clear_ends() { # DEVICE SECTORS
  dd if=/dev/zero of="$dev/$1" bs=512 count=2048 conv=notrunc 2> /dev/null
  if [ "$2" -gt 2048 ]; then dd if=/dev/zero of="$dev/$1" bs=512 seek=$(($2 - 2048)) count=2048 conv=notrunc 2> /dev/null; fi
}
for disk in $chosen; do
  if [ "$live" = 0 ] || [ ! -e "$dev/$disk" ]; then continue; fi
  for part in "$blocks/$disk/$disk"*; do
    if [ -d "$part" ]; then
      read_sys "$part/size"
      clear_ends "${part##*/}" "$value"
    fi
  done
  read_sys "$blocks/$disk/size"
  clear_ends "$disk" "$value"
  blockdev --rereadpt "$dev/$disk" || true
done
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
