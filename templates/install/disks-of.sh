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
