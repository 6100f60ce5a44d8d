choose_disks || exit 1
list=$(echo "$chosen" | tr ' ' ',')
if [ -d /sys/firmware/efi ]; then efi=1; else efi=0; fi
{
  echo "ignoredisk --only-use=$list"
  echo "zerombr"
  echo "clearpart --all --initlabel --disklabel=gpt --drives=$list"
  echo "bootloader --location=mbr --boot-drive=${chosen%% *}"
  if [ "$count" -eq 1 ]; then
    if [ $efi = 1 ]; then echo "part /boot/efi --fstype=efi --size=600 --ondisk=$chosen"; else echo "part biosboot --fstype=biosboot --size=1 --ondisk=$chosen"; fi
    echo "part /boot --fstype=xfs --size=1024 --ondisk=$chosen"
    echo "part / --fstype=xfs --size=10240 --grow --ondisk=$chosen"
  else
    n=0 starts='' boots='' systems=''
    for disk in $chosen; do
      n=$((n + 1))
      if [ $efi = 1 ]; then
        echo "part raid.1$n --size=600 --ondisk=$disk"
        starts="$starts raid.1$n"
      else
        echo "part biosboot --fstype=biosboot --size=1 --ondisk=$disk"
      fi
      echo "part raid.2$n --size=1024 --ondisk=$disk"
      echo "part raid.3$n --size=10240 --grow --ondisk=$disk"
      boots="$boots raid.2$n" systems="$systems raid.3$n"
    done
    if [ $efi = 1 ]; then echo "raid /boot/efi --device=efi --level=RAID1 --fstype=efi$starts"; fi
    echo "raid /boot --device=boot --level=RAID1 --fstype=xfs$boots"
    echo "raid / --device=root --level=RAID1 --fstype=xfs$systems"
  fi
} > "${DISKS_KS:-/tmp/cluster-disks.ks}"
