# Buddy mirrors, on a machine that administers BeeGFS, once all servers run and before a client mounts. It can be run again: a mirror that is there stays.
# usage: mirrors.sh             makes the mirrors
#        mirrors.sh metadata    mirrors the root folder: it cannot be undone, and no client may be mounted. Restart all services afterwards
set -eu
case $#${1:-} in
  0) ;;
  1metadata) exec beegfs mirror init --yes ;;
  *) echo "usage: ${0##*/} [metadata]" >&2; exit 2 ;;
esac
beegfs node list > /dev/null # the list of mirrors is an error while there is none: this one says whether the management service answers
# group meta|storage NUMBER PRIMARY SECONDARY
group() {
  if beegfs mirror list --node-type "$1" 2> /dev/null | awk -v alias="mirror-$1-$2" '$1 == alias { found = 1 } END { exit !found }'; then
    echo "mirror-$1-$2: is there"
    return
  fi
  beegfs mirror create --node-type "$1" --num-id "$2" --primary "$1:$3" --secondary "$1:$4" "mirror-$1-$2"
}
