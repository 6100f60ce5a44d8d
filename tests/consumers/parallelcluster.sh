#!/usr/bin/env bash
# tested parallelcluster: the schema of AWS ParallelCluster 3.16
# output parallelcluster: the schema of AWS ParallelCluster 3.16 (PyPI), loaded as the program loads a configuration, without a call to AWS: names, types, identifiers and what excludes what; whether instances, images and subnets exist is asked of AWS alone. Queues as Slurm's compiled node lines have them; 8 negative tests
# packages: python3-venv
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
program=$src/build/parallelcluster
[ -e "$program/complete" ] || missing "scripts/parallelcluster was not run"
out=$work/tree
"$bin" compile "$src/tests/golden/compile/parallelcluster/spec.yaml" -o "$out" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "clusterc compile"; }
file=$out/parallelcluster/cluster.yaml
cat > "$work/load.py" << 'PY'
import sys
import yaml
from pcluster.schemas.cluster_schema import ClusterSchema
with open(sys.argv[1], encoding="utf-8") as f:
    cluster = ClusterSchema(cluster_name="nimbus").load(yaml.safe_load(f))
for q in cluster.scheduling.queues:
    r = q.compute_resources[0]
    print(q.name, q.capacity_type.name, r.instance_types[0], r.min_count, r.max_count, r.efa.enabled, bool(q.networking.placement_group and q.networking.placement_group.enabled))
PY
load() { AWS_DEFAULT_REGION=us-east-1 HOME=$work timeout 120 "$program/bin/python" "$work/load.py" "$1" > "$work/said" 2>&1; }
load "$file" || { tail -5 "$work/said" >&2; fail "the schema refuses the compiled file"; }
equal "queues" "$(tr '\n' ';' < "$work/said")" "gpu ONDEMAND p5.48xlarge 16 16 True True;spot SPOT p5.48xlarge 0 32 False False;"
equal "nodes of the spot queue in slurm.conf" "$(sed -n 's/^NodeName=\(spot[^ ]*\).*State=CLOUD$/\1/p' "$out/slurm/slurm.conf")" "spot[01-32]"
while read -r how; do
  sed "$how" "$file" > "$work/twin.yaml"
  cmp -s "$work/twin.yaml" "$file" && fail "the twin $how is not broken"
  if load "$work/twin.yaml"; then fail "the schema takes $how"; fi
  say "refused: $how: $(tail -1 "$work/said" | cut -c1-120)"
done << 'TWINS'
s/MaxCount/MaxCont/
s/SubnetId: subnet-/SubnetId: net-/
s/CapacityType: SPOT/CapacityType: CHEAP/
s/Enabled: true/Enabled: 7up/
s/MountDir: .*/MountDir: [ a ]/
s/Os: .*/Os: beos/
s/FileSystemId: fs-/FileSystemId: vol-/
s/Scheduler: slurm/Scheduler: pbs/
TWINS
