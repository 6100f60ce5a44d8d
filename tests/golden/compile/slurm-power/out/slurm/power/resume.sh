#!/bin/sh
# made by clusterc from spec 'hybrid'; do not edit: it follows from the spec
region=eu-central-1
template=hybrid-burst
cluster=hybrid
# Starts the instances of nodes. slurmctld runs it with a host list; nodes that do not answer within ResumeTimeout are
# set DOWN, and their jobs are queued again.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
say() { logger -t cluster-resume -- "$*" 2> /dev/null || :; echo "$*" >&2; }
part=$(mktemp)
trap 'rm -f "$part"' EXIT
status=0
nodes=$(scontrol show hostnames "${1:?usage: resume.sh NODES}") || { say "scontrol does not read '$1': nothing was started"; exit 1; }
for node in $nodes; do
  line=$(awk -v node="$node" '$1 == node { print; exit }' "$here/nodes")
  if [ -z "$line" ]; then
    say "$node is not in $here/nodes"
    status=1
    continue
  fi
  # NODE GROUP ADDRESS TYPE MARKET
  # shellcheck disable=SC2086
  set -- $line
  {
    if [ -r "$here/$2.user-data" ]; then cat "$here/$2.user-data"; else echo "#cloud-config"; fi
    echo "hostname: $node"
  } > "$part"
  market=
  [ "$5" = spot ] && market=--instance-market-options=MarketType=spot
  # ${market:+"$market"}: no word at all where it is empty
  if aws ec2 run-instances --region "$region" --launch-template "LaunchTemplateName=$template" --count 1 \
    --instance-type "$4" --private-ip-address "$3" ${market:+"$market"} --user-data "file://$part" \
    --tag-specifications "ResourceType=instance,Tags=[{Key=Name,Value=$node},{Key=cluster,Value=$cluster}]" > /dev/null; then
    say "$node is being started"
  else
    say "$node was not started"
    status=1
  fi
done
exit "$status"
