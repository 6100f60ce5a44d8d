#!/bin/sh
# made by clusterc from spec 'hybrid'; do not edit: it follows from the spec
region=eu-central-1
cluster=hybrid
# Ends the instances of nodes. slurmctld runs it with a host list.
set -eu
say() { logger -t cluster-suspend -- "$*" 2> /dev/null || :; echo "$*" >&2; }
status=0
nodes=$(scontrol show hostnames "${1:?usage: suspend.sh NODES}") || { say "scontrol does not read '$1': nothing was ended"; exit 1; }
for node in $nodes; do
  ids=$(aws ec2 describe-instances --region "$region" --output text \
    --filters "Name=tag:Name,Values=$node" "Name=tag:cluster,Values=$cluster" \
    "Name=instance-state-name,Values=pending,running,stopping,stopped" \
    --query 'Reservations[].Instances[].InstanceId') || { status=1; continue; }
  if [ -z "$ids" ] || [ "$ids" = None ]; then
    say "$node has no instance"
    continue
  fi
  # shellcheck disable=SC2086
  if aws ec2 terminate-instances --region "$region" --instance-ids $ids > /dev/null; then
    say "$node is being ended"
  else
    say "$node was not ended"
    status=1
  fi
done
exit "$status"
