# team NAME BYTES FILES; of the storage pool that all targets are in
team() {
  folder_of "$1"
  beegfs quota set-limits storage:1 --gid "$(getent group "$1" | cut -d: -f3)" --space "$2" --inode "$3"
}
