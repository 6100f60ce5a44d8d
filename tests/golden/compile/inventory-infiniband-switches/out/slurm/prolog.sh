#!/bin/sh
# made by clusterc from spec 'cabled'; do not edit: use outputs.slurm.extra
# Slurm's Prolog: runs as root on each node of a job before the job starts. If it fails, the job returns to the queue,
# for other nodes. The prolog first drains the node with a reason of the health check (Slurm's own would be "Prolog
# error"), which resumes the node when nothing is missing any more.
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
here=/etc/slurm
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
"$here/healthcheck.sh" --prolog || exit 1
fail() {
  "$here/healthcheck.sh" --drain "$1"
  exit 1
}
# own FOLDER: a folder of the user alone. It first removes anything that another user put there, such as a link to a
# system folder, whose owner would change here.
own() {
  [ ! -L "$1" ] && [ "$(stat -c %u "$1" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$1"
  if ! mkdir -m 0700 "$1" || ! chown "$SLURM_JOB_UID" "$1"; then fail "no folder can be made in ${1%/*}"; fi
}
# scratch FOLDER: a separate folder for the job on the node's drives
scratch() { own "$1/$SLURM_JOB_ID"; }
# scratch_folder FOLDER: the spec does not name its drives, so that it is not checked
scratch_folder() {
  mkdir -p "$1"
  scratch "$1"
}
# enroot FOLDER: Enroot keeps a user's images and containers in folders under which every user can write: another user
# could make them first, and put a program into them.
enroot() { [ ! -d "${1%/*}" ] || own "$1-$SLURM_JOB_UID"; }
eval "$(
  grep '^scratch' "$here/node.sh"
  sed -n 's/^ENROOT_[A-Z]*_PATH \(.*\)-.(id -u)$/enroot \1/p' /etc/enroot/enroot.conf 2>/dev/null
)"
true
