#!/bin/sh
# made by clusterc from spec 'quartet', digest e2ad34addba9250d53c6120ba811da0c0fdd464073a94846808cbc5b8529504e; do not edit: use outputs.slurm.extra
# Slurm's Prolog: run as root on each node of a job before anything of the job. When it fails, slurmd drains the node and the job goes back
# into the queue, for other nodes.
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
here=/etc/slurm
"$here/healthcheck.sh" --check || exit 1
gpu_device() { :; }
gpus() { :; }
gpu_instances() { :; }
mounted() { :; }
# scratch FOLDER: a folder of the job's own on the node's drives
scratch() {
  [ -d "$1/$SLURM_JOB_ID" ] || mkdir -m 0700 "$1/$SLURM_JOB_ID" || exit 1
  chown "$SLURM_JOB_UID" "$1/$SLURM_JOB_ID" || exit 1
}
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
# shellcheck source=/dev/null
. "$here/node.sh"
exit 0
