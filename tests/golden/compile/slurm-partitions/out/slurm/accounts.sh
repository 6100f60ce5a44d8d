#!/bin/sh
# made by clusterc from spec 'Case'; do not edit: use outputs.slurm.extra

# Sets the teams of the spec in Slurm's accounting: accounts, shares, quotas, limits, users. Run it as root or
# SlurmUser where sacctmgr reaches slurmdbd, when slurmctld is up, and again after each change of the spec. A second
# run changes nothing. It does not remove what the spec no longer has.
#   accounts.sh                all teams and users of the spec
#   accounts.sh TEAM USER...   further users of a team that the spec does not name
set -eu

sacct() { sacctmgr --immediate --quiet "$@"; }
have() { [ -n "$(sacctmgr --noheader --parsable2 list "$@")" ]; }
# quota QOS TRES
quota() {
  have qos where name="$1" format=name || sacct add qos "$1"
  sacct modify qos where name="$1" set GrpTRES="$2"
}
# team ACCOUNT SHARE: job limits apply to each association of a user; there is one for each partition
team() {
  have account where name="$1" format=account || sacct add account "$1"
  have association where cluster="$cluster" account="$1" user= format=account || sacct add account "$1" cluster="$cluster"
  sacct modify account where name="$1" cluster="$cluster" set fairshare="$2" MaxSubmitJobs="$submit" MaxJobs="$running"
}
# member ACCOUNT USER: one association for each partition, with the quota of the team there
member() {
  rights "$1" | while read -r partition qos; do
    have association where cluster="$cluster" account="$1" user="$2" partition="$partition" format=user ||
      sacct add user "$2" account="$1" cluster="$cluster" partition="$partition" < /dev/null
    sacct modify user where name="$2" account="$1" cluster="$cluster" partition="$partition" set qos="$qos" defaultqos="${qos%%,*}" < /dev/null
  done
}

cluster=case
submit=-1
running=-1
# rights ACCOUNT: partition and QOS, a line each
rights() {
  case $1 in
    physics) printf '%s %s\n' cpu normal,long gpu physics.gpu ;;
    staff) printf '%s %s\n' debug normal cpu normal,long gpu normal all normal ;;
    *) echo "accounts.sh: the spec has no team '$1'" >&2; return 1 ;;
  esac
}

if [ $# -gt 0 ]; then
  account=$1
  shift
  rights "$account" > /dev/null
  for user in "$@"; do member "$account" "$user"; done
  exit 0
fi

quota physics.gpu billing=-1,cpu=-1,gres/gpu=2,node=-1
team physics 1
member physics ada

team staff 1
member staff grace
