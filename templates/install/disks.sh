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
