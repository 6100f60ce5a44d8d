#!/bin/sh
# made by clusterc from spec 'quartet'; do not edit: use outputs.slurm.extra
# Slurm's Prolog: run as root on each node of a job before anything of the job. When it fails, the job goes back into the queue, for other
# nodes. The node is drained before, with a reason that the health check knows as its own (Slurm's would be "Prolog error"): it comes back
# when nothing is missing any more.
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
# scratch FOLDER: a folder of the job's own on the node's drives. What somebody else put there before, such as a link to a folder of the
# system's that would change hands here, is taken away.
scratch() {
  at=$1/$SLURM_JOB_ID
  [ ! -L "$at" ] && [ "$(stat -c %u "$at" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$at"
  if ! mkdir -m 0700 "$at" || ! chown "$SLURM_JOB_UID" "$at"; then fail "no folder can be made in $1"; fi
}
# scratch_folder FOLDER: the spec does not say which drives it lies on, so that it is not looked for
scratch_folder() {
  mkdir -p "$1"
  scratch "$1"
}
eval "$(grep '^scratch' "$here/node.sh")"
exit 0
