#!/usr/bin/env bash
# tested prometheus: promtool 2.42, amtool 0.25
# output prometheus: promtool check config, check rules and test rules (Prometheus 2.42, Debian 12) and amtool check-config 0.25: every example with all exporters, each alert fired and silent at its limit, targets as in hosts, routes; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need promtool amtool python3

# accepted TREE: every file of it by the program that reads it
accepted() {
  local p=$1/prometheus
  (cd "$p" && promtool check config prometheus.yml) > "$work/check.log" 2>&1 || return 1
  grep -qiE "warn|fail" "$work/check.log" && return 1
  (cd "$p/tests" && promtool test rules alerts_test.yml) > "$work/test.log" 2>&1 || { tail -20 "$work/test.log" >> "$work/check.log"; return 1; }
  amtool check-config "$p/alertmanager.yml" > "$work/am.log" 2>&1 || { cat "$work/am.log" >> "$work/check.log"; return 1; }
}

# Every example, with every exporter that can be named.
for spec in "${examples[@]}"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  python3 "$(dirname "$0")/lib/software.py" "$spec" monitoring "[prometheus, dcgm, slurm-exporter, snmp-exporter, ipmi-exporter]" replace > "$work/$example.yaml"
  "$bin" compile "$work/$example.yaml" -o "$work/$example" --only prometheus,hosts > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "compile $example"; }
  accepted "$work/$example" || { cat "$work/check.log" >&2; fail "$example is refused"; }
  if [ ! -d "$work/$example/hosts" ]; then   # nothing has an address here
    [ ! -d "$work/$example/prometheus/targets" ] || fail "$example: targets without addresses"
    say "$example: $(grep -c 'alert:' "$work/$example/prometheus/rules/alerts.yml") alerts, no targets"
    continue
  fi
  # Every target is a name of the hosts file.
  awk '!/^#/ { for (i = 2; i <= NF; ++i) print $i }' "$work/$example/hosts/hosts" | sort -u > "$work/names"
  cat "$work/$example"/prometheus/targets/*.yml | sed -n 's/^ *-* *targets: \[\(.*\)\]$/\1/p' | tr -d ' "' | tr ',' '\n' | sed 's/:[0-9]*$//' | sort -u > "$work/targets"
  [ -s "$work/targets" ] || fail "$example has no targets"
  unknown=$(comm -23 "$work/targets" "$work/names" | head -3)
  [ -z "$unknown" ] || fail "$example: targets that hosts does not know: $unknown"
  say "$example: $(grep -c 'alert:' "$work/$example/prometheus/rules/alerts.yml") alerts, $(grep -c 'name: .*its limit' "$work/$example/prometheus/tests/alerts_test.yml") tests, $(wc -l < "$work/targets") targets"
done
compile_case prometheus
accepted "$out" || { cat "$work/check.log" >&2; fail "the golden case is refused"; }

# Numbers by hand: 127 + 2 + 2 + 4 nodes, 127 with GPUs, 32 leaves + 16 spines of compute and what else is managed, 32 x 3 + 6 x 2 PDUs
count() { sed -n 's/^ *-* *targets: \[\(.*\)\]$/\1/p' "$1" | tr ',' '\n' | grep -c .; }
equal "nodes" "$(count "$work/superpod/prometheus/targets/node.yml")" 135
equal "nodes with GPUs" "$(count "$work/superpod/prometheus/targets/dcgm.yml")" 127
equal "controllers" "$(count "$work/superpod/prometheus/targets/slurm.yml")" 2
equal "PDUs" "$(count "$work/superpod/prometheus/targets/pdus.yml")" 108
# H100 SXM: 87 C (nvidia-smi); 415 V x 60 A x 1.7320508 x 0.8 = 34,502.4 VA; feed of 1.6 MVA
grep -q 'DCGM_FI_DEV_GPU_TEMP{job=\\"dcgm\\",group=\\"gpu\\"} > 87"' "$work/superpod/prometheus/rules/alerts.yml" || fail "the H100's limit is not 87 C"
grep -q 'cluster:pdu_apparent:va{model=\\"na-415-3ph-60\\"} > 34502"' "$work/superpod/prometheus/rules/alerts.yml" || fail "80 % of the PDU's breaker is not 34,502 VA"
grep -q 'cluster:feed_apparent:va{feed=\\"A\\"} > 1600000"' "$work/superpod/prometheus/rules/alerts.yml" || fail "feed A does not carry 1,600,000 VA"
grep -q 'count by (group, instance) .* < 8"' "$work/superpod/prometheus/rules/alerts.yml" || fail "a DGX has not 8 GPUs"

# A GPU that is cut reports 0 of itself, its instances how long they were active: half and a tenth are 0.3; the others' 40 % are 0.4
sed 's/gpu_power_limit: 250 W }/gpu_power_limit: 250 W, software: { mig: 7x1g.10gb } }/' "$src/tests/golden/compile/prometheus/spec.yaml" > "$work/cut.yaml"
"$bin" compile "$work/cut.yaml" -o "$work/cut" --only prometheus > "$work/cut.log" 2>&1 || { cat "$work/cut.log" >&2; fail "compile GPUs that are cut"; }
grep -q '^DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge' "$work/cut/prometheus/dcgm-counters.csv" || fail "the exporter does not read what instances do"
grep -q GR_ENGINE "$out/prometheus/dcgm-counters.csv" && fail "it does where nothing is cut"
cat > "$work/cut/prometheus/tests/cut_test.yml" <<'YAML'
rule_files: [../rules/recording.yml]
tests:
  - interval: 1m
    input_series:
      - { series: 'DCGM_FI_DEV_GPU_UTIL{job="dcgm",group="gpu",instance="g1",gpu="0"}', values: '0 0' }
      - { series: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE{job="dcgm",group="gpu",instance="g1",gpu="0",GPU_I_ID="7"}', values: '0.5 0.5' }
      - { series: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE{job="dcgm",group="gpu",instance="g1",gpu="0",GPU_I_ID="8"}', values: '0.25 0.25' }
      - { series: 'DCGM_FI_DEV_GPU_UTIL{job="dcgm",group="vis",instance="v1",gpu="0"}', values: '40 40' }
      - { series: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE{job="dcgm",group="vis",instance="v1",gpu="0"}', values: '0.9 0.9' }
    promql_expr_test:
      - expr: group:gpu_utilisation:ratio
        eval_time: 1m
        exp_samples:
          - { labels: 'group:gpu_utilisation:ratio{group="gpu"}', value: 0.375 }
          - { labels: 'group:gpu_utilisation:ratio{group="vis"}', value: 0.4 }
YAML
cut_test() { (cd "$work/cut/prometheus/tests" && promtool test rules cut_test.yml) > "$work/cut.log" 2>&1; }
cut_test || { tail -20 "$work/cut.log" >&2; fail "the utilisation of GPUs that are cut"; }
sed -i 's/,group!~[^}]*}/}/' "$work/cut/prometheus/rules/recording.yml"
if cut_test; then fail "the 0 of a GPU that is cut counts, and nobody sees it"; fi
say "utilisation of instances"

# What Alertmanager does with them
equal "receiver of a critical alert" "$(amtool config routes test --config.file="$work/superpod/prometheus/alertmanager.yml" severity=critical)" operators

# Broken twins, one of each kind
twin() { rm -rf "$work/twin" && cp -r "$work/superpod" "$work/twin"; }
refused() { if accepted "$work/twin"; then fail "$1 is accepted"; fi; say "$1 is refused"; }
twin && sed -i 's/scrape_interval: 30s/scrape_interval: soon/; s/scrape_interval: "30s"/scrape_interval: soon/' "$work/twin/prometheus/prometheus.yml"; refused "an interval of 'soon'"
twin && sed -i 's/targets: \[/targets: {/' "$work/twin/prometheus/targets/node.yml"; refused "a file of targets that is no list"
twin && sed -i 's/ > 87"/ >> 87"/' "$work/twin/prometheus/rules/alerts.yml"; refused "a rule that is no PromQL"
twin && sed -i 's/ > 87"/ > 88"/' "$work/twin/prometheus/rules/alerts.yml"; refused "a limit that is not the one of the tests"
twin && sed -i 's/^route:/routes:/' "$work/twin/prometheus/alertmanager.yml"; refused "an Alertmanager without a route"

# Teams: two controllers write the same. 4 GPUs for a day are 96 GPU hours; a GPU that had load once in the hour counts as used.
python3 "$(dirname "$0")/lib/software.py" "$src/tests/consumers/specs/slurm-care.yaml" monitoring "[prometheus, dcgm, device-metrics-exporter]" replace > "$work/slurm-care.yaml"
cp -r "$src/tests/consumers/specs/slurm-parts" "$work/"
"$bin" compile "$work/slurm-care.yaml" -o "$work/teams" --only prometheus > "$work/teams.log" 2>&1 || { cat "$work/teams.log" >&2; fail "compile teams"; }
accepted "$work/teams" || { cat "$work/check.log" >&2; fail "the rules of teams are refused"; }
cat > "$work/teams/prometheus/tests/teams_test.yml" <<'YAML'
rule_files: [../rules/recording.yml]
tests:
  - interval: 1m
    input_series:
      - { series: 'cluster_team_gpus_allocated{team="a",job="node",instance="ctl1:9100"}', values: '4+0x1600' }
      - { series: 'cluster_team_gpus_allocated{team="a",job="node",instance="ctl2:9100"}', values: '4+0x1600' }
      - { series: 'cluster_team_gpus_allocated{team="b",job="node",instance="ctl1:9100"}', values: '0+0x779 8+0x820' }
      - { series: 'cluster_team_gpus_waiting{team="a",job="node",instance="ctl1:9100"}', values: '16+0x1600' }
      - { series: 'cluster_team_jobs_waiting{team="a",job="node",instance="ctl1:9100"}', values: '2+0x1600' }
      - { series: 'cluster_team_longest_wait_seconds{team="a",job="node",instance="ctl1:9100"}', values: '0+60x1600' }
      - { series: 'cluster_gpus{state="idle",job="node",instance="ctl1:9100"}', values: '5+0x1600' }
      - { series: 'cluster_gpus{state="idle",job="node",instance="ctl2:9100"}', values: '5+0x1600' }
      - { series: 'cluster_gpus{state="unavailable",job="node",instance="ctl1:9100"}', values: '4+0x1600' }
      - { series: 'DCGM_FI_DEV_GPU_UTIL{gpu="0",job="dcgm",group="gpu",instance="n1:9400"}', values: '0+0x1600' }
      - { series: 'DCGM_FI_DEV_GPU_UTIL{gpu="1",job="dcgm",group="gpu",instance="n1:9400"}', values: '0+0x1480 50 0+0x119' }
      - { series: 'DCGM_FI_DEV_GPU_UTIL{gpu="2",job="dcgm",group="gpu",instance="n1:9400"}', values: '0+0x1400 50 0+0x199' }
    promql_expr_test:
      - { expr: 'team:gpus_allocated:sum', eval_time: 1500m, exp_samples: [ { labels: 'team:gpus_allocated:sum{team="a"}', value: 4 }, { labels: 'team:gpus_allocated:sum{team="b"}', value: 8 } ] }
      - { expr: 'round(team:gpu_hours:1d)', eval_time: 1500m, exp_samples: [ { labels: '{team="a"}', value: 96 }, { labels: '{team="b"}', value: 96 } ] }
      - { expr: 'team:gpus_waiting:sum', eval_time: 1500m, exp_samples: [ { labels: 'team:gpus_waiting:sum{team="a"}', value: 16 } ] }
      - { expr: 'team:jobs_waiting:sum', eval_time: 1500m, exp_samples: [ { labels: 'team:jobs_waiting:sum{team="a"}', value: 2 } ] }
      - { expr: 'team:longest_wait:seconds', eval_time: 1500m, exp_samples: [ { labels: 'team:longest_wait:seconds{team="a"}', value: 90000 } ] }
      - { expr: 'cluster:gpus_idle:sum', eval_time: 1500m, exp_samples: [ { labels: 'cluster:gpus_idle:sum', value: 5 } ] }
      - { expr: 'cluster:gpus_unavailable:sum', eval_time: 1500m, exp_samples: [ { labels: 'cluster:gpus_unavailable:sum', value: 4 } ] }
      - { expr: 'cluster:gpus_without_load_1h:count', eval_time: 1500m, exp_samples: [ { labels: 'cluster:gpus_without_load_1h:count', value: 2 } ] }
YAML
(cd "$work/teams/prometheus/tests" && promtool test rules teams_test.yml) > "$work/teams.log" 2>&1 || { cat "$work/teams.log" >&2; fail "what teams use"; }
say "what teams use, idle GPUs and queue times: 8 expressions"
sed -i 's|\[1d:1m\]) / 60|[1d:1m]) / 30|' "$work/teams/prometheus/rules/recording.yml"
(cd "$work/teams/prometheus/tests" && promtool test rules teams_test.yml) > "$work/teams.log" 2>&1 && fail "GPU hours that count twice are taken"
# AMD's GPUs
python3 "$(dirname "$0")/lib/software.py" "$src/tests/consumers/specs/mi300x.yaml" monitoring "[prometheus, device-metrics-exporter]" replace > "$work/mi300x.yaml"
"$bin" compile "$work/mi300x.yaml" -o "$work/mi300x" --only prometheus,hosts > "$work/mi300x.log" 2>&1 || { cat "$work/mi300x.log" >&2; fail "compile mi300x"; }
accepted "$work/mi300x" || { cat "$work/check.log" >&2; fail "AMD's alerts are refused"; }
equal "alerts of AMD's GPUs" "$(grep -o 'alert: "*Amd[A-Za-z]*' "$work/mi300x/prometheus/rules/alerts.yml" | sed 's/.*Amd/Amd/' | sort -u | tr '\n' ' ')" "AmdGpuMemoryFailed AmdGpuMissing AmdGpuThrottledByHeat AmdGpuUnhealthy "
grep -q ':5000' "$work/mi300x/prometheus/targets/amd.yml" || fail "no targets of AMD's exporter"

# Receivers and routes of extra lines: what amtool does not take is an error of the spec already, and what it takes is none.
receivers() {   # LINE, as a line of alertmanager.yml
  cp "$src/tests/golden/compile/prometheus/spec.yaml" "$work/receivers.yaml"
  awk '/^outputs:/ { exit } { print }' "$src/tests/golden/compile/prometheus/spec.yaml" > "$work/receivers.yaml"
  printf 'outputs:\n  prometheus:\n    extra:\n      alertmanager.yml:\n' >> "$work/receivers.yaml"
  printf '        - "%s"\n' "$@" >> "$work/receivers.yaml"
  "$bin" compile "$work/receivers.yaml" --only prometheus -o "$work/receivers" --force > "$work/receivers.log" 2>&1 && echo compiled || echo refused
}
by_amtool() {
  { printf '%s\n' "$@"
    printf '%s\n' "$@" | grep -q '^route:' || echo 'route: { receiver: operators, routes: [ { matchers: [ "severity = critical" ], receiver: operators } ] }'
    printf '%s\n' "$@" | grep -q '^receivers:' || echo 'receivers: [ { name: operators } ]'
  } > "$work/am.yml"
  amtool check-config "$work/am.yml" > "$work/am.log" 2>&1 && echo compiled || echo refused
}
alike() {
  local ours theirs
  ours=$(receivers "$@") theirs=$(by_amtool "$@")
  [ "$ours" = "$theirs" ] || fail "$*: clusterc $ours, amtool $theirs: $(cat "$work/receivers.log" "$work/am.log")"
  [ "$ours" = "$wanted" ] || fail "$*: $ours"
}
wanted=refused
alike 'route: { receiver: ops }'
alike 'receivers: [ { name: operators }, { name: operators } ]'
alike 'receivers: [ { name: operators, webhook_config: [] } ]'
alike 'receivers: [ { name: pager } ]'
alike 'receivers: [ { name: pager } ]' 'route: { receiver: pager, routes: [ { receiver: pager, routes: [ { receiver: nobody } ] } ] }'
alike 'route: { group_by: [ alertname ] }'
alike 'receivers: [ { webhook_configs: [] } ]'
wanted=compiled
alike 'route: { receiver: operators }'
alike 'receivers: [ { name: pager }, { name: operators } ]'
alike 'receivers: [ { name: pager } ]' 'route: { receiver: pager, routes: [ { receiver: pager } ] }'
say "receivers of extra lines as Alertmanager takes them"
