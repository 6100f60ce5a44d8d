# team NAME BYTES FILES; of the storage pool that all targets are in
team() {
  folder_of "$1"
  beegfs-ctl --setquota --gid "$(getent group "$1" | cut -d: -f3)" --sizelimit="$2" --inodelimit="$3"
}
