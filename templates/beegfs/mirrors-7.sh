# Buddy mirrors, on a machine that administers BeeGFS, once all servers run and before a client mounts. It can be run again: a mirror that is there stays.
# usage: mirrors.sh             makes the mirrors
#        mirrors.sh metadata    mirrors the root folder: it cannot be undone, and no client may be mounted. Restart the metadata services afterwards
set -eu
case $#${1:-} in
  0) ;;
  1metadata) exec beegfs-ctl --mirrormd ;;
  *) echo "usage: ${0##*/} [metadata]" >&2; exit 2 ;;
esac
# group meta|storage NUMBER PRIMARY SECONDARY
group() {
  there=$(beegfs-ctl --listmirrorgroups --nodetype="$1")
  if printf '%s\n' "$there" | awk -v number="$2" '$1 == number { found = 1 } END { exit !found }'; then
    echo "mirror $2 of $1: is there"
    return
  fi
  beegfs-ctl --addmirrorgroup --nodetype="$1" --groupid="$2" --primary="$3" --secondary="$4"
}
