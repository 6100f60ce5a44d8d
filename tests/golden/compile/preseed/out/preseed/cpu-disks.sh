#!/bin/sh
# made by clusterc from spec 'bare'; do not edit: use outputs.preseed.extra
# shellcheck disable=SC2034
count=2
kind=nvme
least=1837500000
most=1912500000
paths=''
serials=''
others='1 9 nvme 7350000000 7650000000 data,scratch'
# The drives of this machine, as sysfs shows them. Installers and the play that makes file systems share this file.
blocks=${SYS_BLOCK:-/sys/block}
dev=${DEV:-/dev}
read_sys() { # FILE: $value is its first line, empty where there is none
  value=
  if [ -r "$1" ]; then IFS= read -r value < "$1" || true; fi
}
as_word() { # $value, which may have blanks, as one word
  case $value in *[!A-Za-z0-9.:_+-]*) value=$(printf '%s' "$value" | tr -c 'A-Za-z0-9.:_+-' _ | sed 's/_*$//; s/^_*//') ;; esac
}
# look_at DISK: $bus (nvme, sata, sas, scsi, virtio; net, usb and other are no drives of the machine's own), $sectors of 512 bytes, $turns (1: a disk that turns) and $wwid
# (the drive's own number, empty where it has none). Fails for what is no drive: made of other devices, without a medium, with one that can be taken out.
look_at() {
  at=$blocks/$1
  case $1 in
    loop* | ram* | zram* | sr* | fd* | md* | dm-* | bcache* | nbd* | mtd* | zd* | mmcblk*boot* | mmcblk*rpmb | mmcblk*gp*) return 1 ;;
    nvme*c*n*) return 1 ;; # one of several ways to a drive, which stands here itself
  esac
  read_sys "$at/size"
  sectors=$value
  case $sectors in '' | *[!0-9]* | 0) return 1 ;; esac
  read_sys "$at/removable"
  [ "$value" != 1 ] || return 1
  read_sys "$at/queue/rotational"
  if [ "$value" = 1 ]; then turns=1; else turns=0; fi
  read_sys "$at/wwid"
  [ -n "$value" ] || read_sys "$at/device/wwid"
  as_word
  wwid=$value
  # The way to it through buses and controllers: /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda
  way=$(cd -P "$at" && pwd -P)
  if [ -d "$at/device" ]; then way="$way $(cd -P "$at/device" && pwd -P)"; fi
  case $1 in
    nvme*)
      bus=nvme
      for transport in "$at/device/transport" "$at"/device/nvme*/transport; do # of its controller; of each way to it
        read_sys "$transport"
        case $value in '' | pcie) ;; *) bus=net ;; esac
      done
      ;;
    sd*)
      case $way in
        */usb[0-9]* | */thunderbolt* | */fw[0-9]*) bus=usb ;;
        */session[0-9]* | */rport-* | */vport-*) bus=net ;; # iSCSI, Fibre Channel
        */ata[0-9]*) bus=sata ;;
        */end_device-*) bus=sas ;;
        *) bus=scsi ;; # a volume of a RAID controller, or a virtual drive
      esac
      if [ "$bus" = sas ] || [ "$bus" = scsi ]; then # a SATA drive behind a SAS controller
        read_sys "$at/device/vendor"
        case $value in ATA | 'ATA '*) bus=sata ;; esac
      fi
      ;;
    vd* | xvd*) bus=virtio ;;
    *) bus=other ;;
  esac
}
# is_of KIND LEAST MOST: is what look_at found of that kind and size? Volumes of RAID controllers and virtual drives do not say what is behind them: they are taken for
# drives that turn, or for any that do not, as they say themselves.
is_of() {
  if [ "$sectors" -lt "$2" ] || [ "$sectors" -gt "$3" ]; then return 1; fi
  case $1-$bus-$turns in nvme-nvme-* | sata-sata-0 | sas-sas-0 | hdd-sata-1 | hdd-sas-1 | sata-scsi-0 | sas-scsi-0 | hdd-scsi-1 | sata-virtio-0 | sas-virtio-0 | hdd-virtio-1) return 0 ;; esac
  return 1
}
# disks_of KIND LEAST MOST TEST [BUT…]: the drives of that kind and size that TEST DISK takes, without those of BUT: $chosen, and how many drives they are: $number.
# Two ways to one drive count once.
disks_of() {
  of_kind=$1 of_least=$2 of_most=$3 of_test=$4
  shift 4
  but=" $* "
  chosen='' number=0 seen=' '
  for folder in "$blocks"/*; do
    disk=${folder##*/}
    case $but in *" $disk "*) continue ;; esac
    if ! look_at "$disk" || ! is_of "$of_kind" "$of_least" "$of_most" || ! "$of_test" "$disk"; then continue; fi
    chosen="$chosen $disk"
    case $seen in *" ${wwid:-$disk} "*) continue ;; esac
    seen="$seen${wwid:-$disk} "
    number=$((number + 1))
  done
  chosen=${chosen# }
}
# Chooses the drives that the operating system is to lie on. $count, $kind, $least and $most of them stand above; $paths: their names in /dev/disk/by-path, where the spec has
# them; $serials: a line NODE SERIAL… for each node whose inventory has them; $others: a line FEWEST COUNT KIND LEAST MOST NAME for each other entry of drives. The installation
# ends before anything is written where the machine's drives are not those of the spec.
# Nothing is changed, and no device is opened, where a test gives a folder for /sys/block and none for /dev.
if [ -z "${SYS_BLOCK:-}" ] || [ -n "${DEV:-}" ]; then live=1; else live=0; fi
say() { # to the log of the installer, and to the console
  echo "clusterc: $1" >&2
  if [ -z "${SYS_BLOCK:-}" ]; then
    logger -t clusterc "$1" 2> /dev/null || true
    { printf '\r\nclusterc: %s\r\n' "$1" > /dev/console; } 2> /dev/null || true
  fi
}
serial_of() { # DISK: $serial
  read_sys "$blocks/$1/device/serial"
  [ -n "$value" ] || read_sys "$blocks/$1/serial"
  if [ -z "$value" ] && [ -r "$blocks/$1/device/vpd_pg80" ]; then # SCSI Primary Commands, unit serial number page: four bytes before it
    value=$(dd if="$blocks/$1/device/vpd_pg80" bs=1 skip=4 2> /dev/null | tr -d '\000')
  fi
  as_word
  serial=$value
}
stop() { # WHY
  say "this node is not installed, and nothing on its drives was changed: $1"
  for folder in "$blocks"/*; do
    disk=${folder##*/}
    if look_at "$disk"; then
      serial_of "$disk"
      case $turns in 1) bus="$bus, turning" ;; esac
      say "  $disk: $bus, $sectors sectors, serial ${serial:-unknown}"
    fi
  done
  return 1
}
among() { case " $2 " in *" $1 "*) return 0 ;; esac; return 1; } # WORD LIST
# on_ours DEVICE: is it a boot drive, or a partition of one?
on_ours() {
  for ours in $boots; do
    if [ "$1" = "$ours" ] || [ -d "$blocks/$ours/$1" ]; then return 0; fi
  done
  return 1
}
# held DEVICE FOLDER: does all that is made of a boot drive's partition (arrays, volumes) lie on boot drives alone? $through: what was looked at before
held() {
  for holder in "$2"/holders/*; do
    [ -e "$holder" ] || [ -h "$holder" ] || continue
    holder=${holder##*/}
    if among "$holder" "$through"; then continue; fi
    through="$through $holder"
    for slave in "$blocks/$holder/slaves"/*; do
      slave=${slave##*/}
      on_ours "$slave" || among "$slave" "$through" || { stop "$holder lies on $1, which the system is to lie on, and on $slave, which it must not touch"; return 1; }
    done
  done
  return 0
}
# The rest of the tree over a boot drive: volumes on an array on its partitions
held_all() {
  through=''
  for disk in $boots; do
    for holder in "$blocks/$disk"/holders/*; do
      if [ -e "$holder" ] || [ -h "$holder" ]; then
        stop "${holder##*/} holds the whole of $disk: a system lies on partitions, data on whole drives. Where nothing on it is needed: wipefs --all /dev/$disk"
        return 1
      fi
    done
    for part in "$blocks/$disk/$disk"*; do
      if [ -d "$part" ]; then held "${part##*/}" "$part" || return 1; fi
    done
  done
  before=
  while [ "$through" != "$before" ]; do
    before=$through
    for above in $before; do held "$above" "$blocks/$above" || return 1; done
  done
}
# Signatures, as blkid finds them: a file system or member of a RAID on a whole drive is data; a member on a boot drive's partition whose others lie elsewhere must be left.
signed() { blkid -p -o export "$dev/$1" 2> /dev/null; } # DEVICE
sign() { # KEY: $value of what signed said, which is in $says
  value=
  while IFS='=' read -r key text; do
    if [ "$key" = "$1" ]; then value=$text; fi
  done << LINES
$says
LINES
}
of_members() { case $1 in *_member | btrfs | bcache | ceph_bluestore) return 0 ;; esac; return 1; }
unsigned() {
  [ "$live" = 1 ] && command -v blkid > /dev/null || return 0
  members=' '
  for disk in $boots; do
    code=0
    says=$(signed "$disk") || code=$?
    sign TYPE
    type=$value
    sign PTTYPE
    if [ "$code" = 8 ] || { [ -n "$type" ] && [ -z "$value" ]; }; then
      stop "$disk has data on it as a whole (${type:-several signatures}), and no table of partitions as a system's drive has. Where nothing on it is needed: wipefs --all /dev/$disk"
      return 1
    fi
    for part in "$blocks/$disk/$disk"*; do
      [ -d "$part" ] || continue
      says=$(signed "${part##*/}") || continue
      sign TYPE
      if of_members "$value"; then
        sign UUID
        as_word
        members="$members$value "
      fi
    done
  done
  for folder in "$blocks"/*; do
    disk=${folder##*/}
    if among "$disk" "$boots" || ! look_at "$disk"; then continue; fi
    for part in "$folder" "$folder/$disk"*; do
      [ -d "$part" ] || continue
      says=$(signed "${part##*/}") || continue
      sign UUID
      as_word
      if [ -n "$value" ] && among "$value" "$members"; then
        stop "a RAID or volume lies on the boot drives ($boots) and on ${part##*/}, which must not be touched"
        return 1
      fi
    done
  done
  command -v pvs > /dev/null || return 0
  groups=$(pvs --readonly --noheadings --separator ' ' -o pv_name,vg_name 2> /dev/null) || return 0
  echo "$groups" | {
    inside=' ' outside=' '
    while read -r volume group; do
      [ -n "$group" ] || continue
      if on_ours "${volume##*/}"; then inside="$inside$group "; else outside="$outside$group "; fi
    done
    for group in $inside; do
      if among "$group" "$outside"; then
        stop "the volume group $group lies on the boot drives ($boots) and on others, which must not be touched"
        exit 1
      fi
    done
  }
}
idle() { # nothing of the boot drives is mounted
  [ -z "${SYS_BLOCK:-}" ] || [ -n "${MOUNTS:-}" ] || return 0
  for disk in $boots; do
    for part in "$blocks/$disk" "$blocks/$disk/$disk"*; do
      if [ -d "$part" ] && grep -q "^/dev/${part##*/} " "${MOUNTS:-/proc/mounts}"; then
        stop "${part##*/} is mounted"
        return 1
      fi
    done
  done
}
any() { true; }
# The only disk of a machine of which the spec names no drives
only_disk() {
  disks_there='' number=0
  for folder in "$blocks"/*; do
    disk=${folder##*/}
    look_at "$disk" || continue
    disks_there="$disks_there $disk" number=$((number + 1)) only_bus=$bus
  done
  if [ "$number" -ne 1 ]; then
    stop "the spec names no drives of this group, so that its nodes must have exactly one disk: $number are there:${disks_there:- none}"
    return 1
  fi
  boots=${disks_there# }
  case $only_bus in net | usb | other) stop "the only disk, $boots ($only_bus), is no drive that a system is installed on"; return 1 ;; esac
}
# The drives that the inventory or the spec names one by one
named_disks() { # by-path|serial NAME…
  by=$1 boots=
  shift
  for name; do
    found=
    if [ "$by" = by-path ]; then
      link=${BY_PATH:-$dev/disk/by-path}/$name
      if [ -h "$link" ]; then found=$(readlink "$link"); found=${found##*/}; fi
    else
      for folder in "$blocks"/*; do
        disk=${folder##*/}
        if look_at "$disk" && serial_of "$disk" && [ "$serial" = "$name" ]; then found="$found $disk"; fi
      done
      found=${found# }
    fi
    case $found in
      '') stop "no drive is at $by $name"; return 1 ;;
      *' '*) stop "$found have one serial number, $name: they are two ways to one drive, or parts of it"; return 1 ;;
    esac
    if ! look_at "$found" || ! is_of "$kind" "$least" "$most"; then
      stop "$found at $by $name is not as the spec has it ($kind, $least to $most sectors)"
      return 1
    fi
    if among "$found" "$boots"; then stop "$found is named twice"; return 1; fi
    boots="$boots $found"
  done
  boots=${boots# } number=$#
}
# The serial numbers that the inventory has for this node, whose name the boot menu got by DHCP; a port's name, NODE-NETWORK, is the node's too.
own_serials() {
  host=
  # shellcheck disable=SC2013
  for word in $(cat "${CMDLINE:-/proc/cmdline}"); do
    case $word in cluster.host=*) host=${word#*=} ;; esac
  done
  own=
  while read -r node rest; do
    case $host in "$node" | "$node"-*) if [ ${#node} -gt ${#own} ]; then own=$node own_list=$rest; fi ;; esac
  done << LINES
$serials
LINES
  [ -n "$own" ]
}
choose_disks() {
  boots='' named=0
  if [ "$count" -gt 2 ]; then stop "$count drives are to hold the system, and two is the most"; return 1; fi
  if [ "$kind" = any ]; then
    only_disk || return 1
  elif [ -n "$serials" ] && own_serials; then
    # shellcheck disable=SC2086
    named_disks serial $own_list || return 1
    named=1
  elif [ -n "$paths" ]; then
    # shellcheck disable=SC2086
    named_disks by-path $paths || return 1
    named=1
  else
    disks_of "$kind" "$least" "$most" any
    boots=$chosen
    if [ "$number" -ne "$count" ]; then
      stop "$count drives ($kind, $least to $most sectors) are to hold the system, $number are there: ${boots:-none}"
      return 1
    fi
  fi
  # shellcheck disable=SC2086
  set -- $boots
  if [ $# -ne "$count" ]; then stop "$boots: several ways lead to one drive, or $count are to hold the system"; return 1; fi
  while read -r other_fewest other_count other_kind other_least other_most other_name; do
    [ -n "$other_count" ] || continue
    # shellcheck disable=SC2086
    disks_of "$other_kind" "$other_least" "$other_most" any $boots
    if [ "$number" -lt "$other_fewest" ] || [ "$number" -gt "$other_count" ]; then
      stop "$other_count drives $other_name ($other_kind, $other_least to $other_most sectors) are to be there beside $boots, $number are: ${chosen:-none}"
      return 1
    fi
    if [ $named = 1 ]; then continue; fi
    for disk in $boots; do
      look_at "$disk"
      if is_of "$other_kind" "$other_least" "$other_most"; then stop "$disk may be a drive of boot or of $other_name: $bus does not tell them apart"; return 1; fi
    done
  done << LINES
$others
LINES
  controllers=' '
  for disk in $boots; do
    look_at "$disk"
    mine=$wwid
    case $disk in
      nvme*)
        if among "${disk%n*}" "$controllers"; then stop "$boots are parts (namespaces) of one drive"; return 1; fi
        controllers="$controllers${disk%n*} "
        ;;
    esac
    [ -n "$mine" ] || continue
    for folder in "$blocks"/*; do
      other=${folder##*/}
      if [ "$other" != "$disk" ] && look_at "$other" && [ "$wwid" = "$mine" ]; then stop "$disk and $other are two ways to one drive"; return 1; fi
    done
  done
  held_all && unsigned && idle || return 1
  chosen=$boots
  # From here on the kernel lets nobody write to another drive.
  for folder in "$blocks"/*; do
    other=${folder##*/}
    if [ "$live" = 0 ] || among "$other" "$boots" || ! look_at "$other"; then continue; fi
    for part in "$folder" "$folder/$other"*; do
      part=${part##*/}
      if [ -e "$dev/$part" ] && command -v blockdev > /dev/null; then
        blockdev --setro "$dev/$part" || { stop "$part cannot be protected from being written to"; return 1; }
      fi
    done
  done
  say "the system is installed on $boots"
}
# partition DISK NUMBER: the name of its partition
partition() {
  case $1 in
    *[0-9]) echo "$1p$2" ;;
    *) echo "$1$2" ;;
  esac
}
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
