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
