#!/bin/sh
# made by clusterc from spec 'case'; do not edit: use outputs.slurm.extra
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
# scratch FOLDER: a separate folder for the job on the node's drives. It first removes anything that another user put
# there, such as a link to a system folder, whose owner would change here.
scratch() {
  at=$1/$SLURM_JOB_ID
  [ ! -L "$at" ] && [ "$(stat -c %u "$at" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$at"
  if ! mkdir -m 0700 "$at" || ! chown "$SLURM_JOB_UID" "$at"; then fail "no folder can be made in $1"; fi
}
# scratch_folder FOLDER: the spec does not name its drives, so that it is not checked
scratch_folder() {
  mkdir -p "$1"
  scratch "$1"
}
eval "$(grep '^scratch' "$here/node.sh")"
exit 0
