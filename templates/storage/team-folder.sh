awk -v at="$mount" -v type="$type" '$2 == at && $3 == type { found = 1 } END { exit !found }' "${CLUSTER_MOUNTS:-/proc/mounts}" || { echo "$mount is not mounted" >&2; exit 1; }
# folder_of TEAM: has its folder, which belongs to its group
folder_of() {
  getent group "$1" > /dev/null || { echo "there is no group $1" >&2; exit 1; }
  [ ! -d "$mount/$1" ] || return 0
  new=$mount/.$1.new # whole or not there: another run would take a half-made folder for the team's
  rmdir "$new" 2> /dev/null || true # of a run that was interrupted; a link, or a folder of somebody else's with files, stays and is an error
  mkdir -m 0700 "$new"
  if ! chgrp "$1" "$new" || ! chmod 2770 "$new"; then # files in it belong to the group, and so to its quota
    echo "team $1 has no folder: $new cannot be given to its group. Run this as root, on a client whose root the file system accepts" >&2
    exit 1
  fi
  mv "$new" "$mount/$1"
}
