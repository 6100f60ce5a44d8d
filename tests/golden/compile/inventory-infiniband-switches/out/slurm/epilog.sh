#!/bin/sh
# made by clusterc from spec 'cabled'; do not edit: use outputs.slurm.extra
# Slurm's Epilog: runs as root on each node of a job after the job has ended. It removes the job's scratch folder and
# checks the node before the next job.
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
here=/etc/slurm
scratch() { rm -rf "${1:?}/$SLURM_JOB_ID"; }
scratch_folder() { scratch "$1"; }
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
eval "$(grep '^scratch' "$here/node.sh")"
"$here/healthcheck.sh"
exit 0
