# Copies what is new in a folder into a bucket. It deletes nothing, and changes nothing that is there: a file that changed after it was copied is an error. Files
# that were written to in the last ten minutes wait for the next copy.
# usage: copy-checkpoints           copies
#        copy-checkpoints verify    reads both sides, and compares their sums
# Exit status: that of rclone; 3: there is nothing to read from, or no credentials.
secret=${RCLONE_S3_SHARED_CREDENTIALS_FILE:-$secret} # rclone prefers it, too
settings=${CLUSTER_S3_SETTINGS:-/etc/cluster-s3}/$store
fail() {
  echo "copy-checkpoints: $*" >&2
  exit 3
}
case $#${1:-} in 0 | 1verify) ;; *) echo "usage: ${0##*/} [verify]" >&2; exit 2 ;; esac
if [ -z "$(find -L "$secret" -maxdepth 0 -type f ! -perm /077 -size +0 2> /dev/null)" ]; then
  fail "$secret must be there, and no other user may read it: it has the credentials of $store"
fi
mountpoint -q "$mount" || fail "$mount is not mounted"
[ -d "$from" ] || fail "$from is no folder"
# Whoever may write above the folder could put a link to another one there, which root can read.
[ "$(realpath "$from")" = "$(realpath -s "$(realpath "$mount")${from#"$mount"}")" ] || fail "$from leads elsewhere by a symbolic link: to $(realpath "$from")"
umask 077 # a user who can open the lock can hold it, and then nothing is copied; everybody may write to /run/lock
if [ "$(id -u)" -eq 0 ]; then lock=/run/cluster-copy-$store.lock; else lock=$HOME/.cluster-copy-$store.lock; fi
exec 9> "${CLUSTER_S3_LOCK:-$lock}"
flock -n 9 || { echo "another copy runs"; exit 0; }
to=$store:$bucket/$prefix
if [ "${1:-}" = verify ]; then
  exec rclone --config "$settings/rclone.conf" check --one-way "$from" "$to"
fi
exec rclone --config "$settings/rclone.conf" copy --immutable --min-age "${CLUSTER_S3_AGE:-10m}" --bwlimit "$rate" --transfers 4 --checkers 8 --stats-one-line --stats 10m --log-level NOTICE "$from" "$to"
