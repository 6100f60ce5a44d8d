# Prepares the folders of this server's services for BeeGFS, and has the services start with the machine. A folder that holds anything is never used: it is
# prepared already, with the planned numbers, or refused. Folders of metadata and data are mount points: without its file system, a target would lie on the drive
# of the system.
# usage: prepare.sh          shows what it would do
#        prepare.sh --run    does it
# Exit status: 0 all is prepared, or would be; 1 something was refused, or a program failed; 2 wrong usage, or this machine is none of the servers.
set -u
LC_ALL=C
export LC_ALL
run=no
case $#${1:-} in 0) ;; 1--run) run=yes ;; *) echo "usage: ${0##*/} [--run]" >&2; exit 2 ;; esac
host=$(uname -n)
host=${host%%.*}
programs=${BEEGFS_PROGRAMS:-/opt/beegfs/sbin}
settings=${BEEGFS_SETTINGS:-/etc/beegfs}
status=0
services=''

refuse() { echo "$kind: $path: refused: $*" >&2; status=1; }
# do_ PROGRAM ARGUMENT…
do_() {
  echo "$*"
  [ "$run" = yes ] || return 0
  "$@" || refuse "$1 failed"
}
# private FILE: whether root alone can read it, and it has something in it
private() {
  [ -n "$(find -L "$1" -maxdepth 0 -type f -user 0 ! -perm /077 -size +0 2> /dev/null)" ] && return
  refuse "$1 must be there, belong to root, and be readable by root alone"
  return 1
}
# is_number FILE NUMBER: whether the file of a prepared folder has this number
is_number() { [ "$(cat "$path/$1" 2> /dev/null)" = "$2" ]; }

# prepared: whether the folder is a prepared one, of this service; anything else in it is refused
prepared() {
  if [ -e "$path/format.conf" ]; then
    if is_number nodeNumID "$server" && { [ "$kind" = meta ] || is_number targetNumID "$id"; }; then
      echo "$kind: $path: is prepared"
    else
      refuse "it was prepared for another server or target: nodeNumID $(cat "$path/nodeNumID" 2> /dev/null), targetNumID $(cat "$path/targetNumID" 2> /dev/null)"
    fi
    return 0
  fi
  if ! inside=$(find "$path" -mindepth 1 -maxdepth 1 ! -name lost+found 2>&1); then
    refuse "it cannot be read: $inside"
    return 0
  fi
  [ -n "$inside" ] || return 1
  refuse "holds data: $(printf '%s\n' "$inside" | head -n 3 | tr '\n' ' ')"
}

# manager: its database, or its folder in release 7.4. A new database instead of the one on a drive that is not mounted would know no servers
manager() {
  if awk -v at="$path" '$1 !~ /^#/ && $2 == at { found = 1 } END { exit !found }' "${CLUSTER_FSTAB:-/etc/fstab}" 2> /dev/null && ! mountpoint -q "$path"; then
    refuse "it is a mount point of /etc/fstab and is not mounted"
    return
  fi
  if [ "$seven" = yes ]; then
    if [ -e "$path/format.conf" ]; then
      echo "$kind: $path: is prepared"
    elif inside=$(find "$path" -mindepth 1 -maxdepth 1 2> /dev/null) && [ -n "$inside" ]; then
      refuse "holds data: $(printf '%s\n' "$inside" | head -n 3 | tr '\n' ' ')"
    else
      do_ "$programs/beegfs-setup-mgmtd" -C -p "$path"
    fi
    return
  fi
  for file in cert.pem key.pem; do
    [ -s "$settings/$file" ] || refuse "$settings/$file is missing: administrators reach the management service by TLS"
  done
  if [ -e "$path/mgmtd.sqlite" ]; then
    echo "$kind: $path: is prepared"
  elif [ "$status" = 0 ]; then
    [ -d "$path" ] || do_ mkdir -p "$path"
    do_ "$programs/beegfs-mgmtd" --config-file "$settings/beegfs-mgmtd.toml" --init
  fi
}

# target HOST mgmtd|meta|storage FOLDER SERVER TARGET
target() {
  [ "$1" = "$host" ] || return 0
  kind=$2 path=$3 server=$4 id=$5
  private "$secret" || return 0
  case " $services " in *" beegfs-$kind "*) ;; *) services="$services beegfs-$kind" ;; esac
  if [ "$kind" = mgmtd ]; then
    manager
    return
  fi
  if ! mountpoint -q "$path"; then
    refuse "it is no mount point: mount its file system first"
    return
  fi
  if prepared; then return; fi
  case $kind in
    meta) do_ "$programs/beegfs-setup-meta" -C -p "$path" -s "$server" ;;
    storage) do_ "$programs/beegfs-setup-storage" -C -p "$path" -s "$server" -i "$id" ;;
  esac
}

finish() {
  if [ -z "$services" ] && [ "$status" = 0 ]; then
    echo "$host is no server of this file system" >&2
    exit 2
  fi
  kind=services path=$host
  if [ "$status" = 0 ]; then
    for service in $services; do do_ systemctl enable "$service"; done
  fi
  if [ "$run" = no ]; then echo "nothing was written; prepare.sh --run writes"; fi
  exit "$status"
}

