#!/usr/bin/env bash
# A disk that is full in the middle: the old tree stays whole, the reason is told, nothing is left beside it.
# usage: full_disk.sh PROGRAMS SOURCE WORK
set -eu
. "$(dirname "$0")/../consumers/lib/skipping.bash"
writer=$(realpath "$1")/fault_write_tree
mkdir -p "$3"
work=$(realpath "$3")
if [ "${IN_NAMESPACE:-}" != 1 ]; then
  # A small memory file system in a mount namespace of our own, so that nothing is left when we are killed.
  for how in "unshare --mount" "unshare --mount --map-root-user"; do
    if $how mount -t tmpfs -o size=1m tmpfs "$work" 2>/dev/null; then
      exec env IN_NAMESPACE=1 $how bash "$0" "$@"
    fi
  done
  cannot "this user may not mount a memory file system"
fi
mount -t tmpfs -o size=1m tmpfs "$work"
cd "$work"
contents() { find . -type f -exec sha256sum {} + | sort; }
"$writer" out small 40 1000
before=$(contents)
if said=$("$writer" out large 400 4000); then
  echo "400 files of 4000 bytes went onto a disk of 1 MiB: $said"
  exit 1
fi
case $said in
  *"No space left on device"*) ;;
  *) echo "it said: $said"; exit 1 ;;
esac
after=$(contents)
[ "$before" = "$after" ] || { echo "the old tree is not whole"; diff <(echo "$before") <(echo "$after"); exit 1; }
[ "$(ls -A)" = out ] || { echo "left behind:"; ls -A; exit 1; }
"$writer" out small 40 1000 | grep -q "written 0 unchanged 40"
