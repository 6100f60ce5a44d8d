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
