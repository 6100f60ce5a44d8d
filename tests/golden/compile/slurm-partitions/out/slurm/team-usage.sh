#!/bin/sh
# made by clusterc from spec 'Case'; do not edit: it follows from the spec
# What each team uses of the GPUs, and how long its jobs wait.
#   team-usage.sh [DAYS]           a report on the last DAYS days, 7 if left out
#   team-usage.sh --metrics FILE   the present state as metrics, for the textfile collector of the node exporter
# A team is an account of Slurm. The report needs slurmdbd.
set -eu
export SLURM_TIME_FORMAT=%s LC_ALL=C
# GPUs of a job in its TRES, of a node in its gres: gpu:h100:8(S:0-1),shard:16
gpus='function job_gpus(tres,  n, part, i) {
  n = split(tres, part, ",")
  for (i = 1; i <= n; i++) if (part[i] ~ /^gres\/gpu=/) return substr(part[i], 10) + 0
  return 0
}
function node_gpus(gres,  n, part, i, sum) {
  gsub(/\([^)]*\)/, "", gres)
  n = split(gres, part, ",")
  for (i = 1; i <= n; i++) if (part[i] ~ /^gpu:/) { sub(/.*:/, "", part[i]); sum += part[i] }
  return sum + 0
}'

report() {
  begin=$(($(date +%s) - $1 * 86400))
  echo "the last $1 days"
  sacct --allusers --allocations --noheader --parsable2 --truncate --starttime "$(date -d "@$begin" +%Y-%m-%dT%H:%M:%S)" --endtime now \
    --format=Account,AllocTRES,ElapsedRaw,AllocCPUS,Eligible,Start |
    awk -F'|' -v begin="$begin" "$gpus"'
      $3 > 0 { jobs[$1]++; gpu[$1] += job_gpus($2) * $3; cpu[$1] += $4 * $3; all += job_gpus($2) * $3 }
      $3 > 0 && $5 ~ /^[0-9]+$/ && $6 > begin { wait[$1] += $6 - $5; waited[$1]++; if ($6 - $5 > longest[$1]) longest[$1] = $6 - $5 }
      END {
        printf "%-20s %8s %12s %8s %12s %14s %14s\n", "team", "jobs", "GPU hours", "share", "CPU hours", "mean wait", "longest wait"
        for (t in jobs)
          printf "%-20s %8d %12.2f %6.1f %% %12.2f %12d s %12d s\n", t, jobs[t], gpu[t] / 3600, all ? 100 * gpu[t] / all : 0, cpu[t] / 3600, waited[t] ? wait[t] / waited[t] : 0, longest[t] | "sort -k3,3 -gr"
      }'
  nodes | awk '{ print "GPUs now: " $1 " allocated, " $2 " idle, " $3 " on nodes that are down or drained" }'
}

# ALLOCATED IDLE UNAVAILABLE
nodes() {
  sinfo --noheader --Node --Format='NodeHost:|,StateCompact:|,Gres:|,GresUsed:|' |
    awk -F'|' "$gpus"'
      seen[$1]++ { next }
      { used = node_gpus($4); free = node_gpus($3) - used; allocated += used }
      $2 ~ /down|drain|drng|fail|unk|maint|boot|planned_down/ { unavailable += free; next }
      { idle += free }
      END { print allocated + 0, idle + 0, unavailable + 0 }'
}

metrics() {
  state=$(nodes)
  # shellcheck disable=SC2086
  set -- $state
  echo '# HELP cluster_gpus GPUs of the nodes of Slurm'
  echo '# TYPE cluster_gpus gauge'
  printf 'cluster_gpus{state="allocated"} %s\ncluster_gpus{state="idle"} %s\ncluster_gpus{state="unavailable"} %s\n' "$1" "$2" "$3"
  { sacctmgr --noheader --parsable2 list account format=account | sed 's/^/account|/'
    squeue --noheader --all --states=running,pending --Format='Account:|,StateCompact:|,tres-alloc:|,EligibleTime:|,Reason:|'; } |
    awk -F'|' -v now="$(date +%s)" "$gpus"'
      $1 == "account" { if ($2 != "root") teams[$2] = 1; next }
      { teams[$1] = 1 }
      $2 == "R" { used[$1] += job_gpus($3) }
      # a job that waits for something else than nodes does not queue
      $2 == "PD" && $5 !~ /^(Dependency|BeginTime|JobHeld)/ { jobs[$1]++; wanted[$1] += job_gpus($3); if ($4 ~ /^[0-9]+$/ && now - $4 > wait[$1]) wait[$1] = now - $4 }
      function show(name, help, values,  t) {
        print "# HELP " name " " help "\n# TYPE " name " gauge"
        for (t in teams) print name "{team=\"" t "\"} " values[t] + 0 | "sort"
        close("sort")
      }
      END {
        show("cluster_team_gpus_allocated", "GPUs of running jobs", used)
        show("cluster_team_gpus_waiting", "GPUs that queued jobs request", wanted)
        show("cluster_team_jobs_waiting", "queued jobs that wait for nodes or limits", jobs)
        show("cluster_team_longest_wait_seconds", "time since the oldest queued job could run", wait)
      }'
}

if [ "${1:-}" = --metrics ]; then
  metrics > "$2.$$"
  chmod 644 "$2.$$"
  mv "$2.$$" "$2"
else
  report "${1:-7}"
fi
