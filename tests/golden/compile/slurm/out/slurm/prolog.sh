#!/bin/sh
# made by clusterc from spec 'Sched'; do not edit: use outputs.slurm.extra
# Slurm's Prolog: run as root on each node of a job before anything of the job. When it fails, slurmd drains the node and the job goes back
# into the queue, for other nodes.
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
here=/etc/slurm
"$here/healthcheck.sh" --check || exit 1
gpu_device() { :; }
gpus() { :; }
amd_gpus() { :; }
gpu_instances() { :; }
mounted() { :; }
# scratch FOLDER: a folder of the job's own on the node's drives. What somebody else put there before, such as a link to a folder of the
# system's that would change hands here, is taken away.
scratch() {
  at=$1/$SLURM_JOB_ID
  [ ! -L "$at" ] && [ "$(stat -c %u "$at" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$at"
  mkdir -m 0700 "$at" || exit 1
  chown "$SLURM_JOB_UID" "$at" || exit 1
}
# scratch_folder FOLDER: the spec does not say which drives it lies on, so that it is not looked for
scratch_folder() { mkdir -p "$1" && scratch "$1"; }
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
# shellcheck source=/dev/null
. "$here/node.sh"
exit 0
