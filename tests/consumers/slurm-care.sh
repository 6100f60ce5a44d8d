#!/usr/bin/env bash
# output slurm: slurmdbd with MariaDB, slurmctld and four slurmd 22.05 (Debian 12) as virtual nodes: a job's TMPDIR and time limit, a restart program and the shell of salloc as slurmctld reads them, a night's copies of accounts and state, restored; logrotate with the daemons' logs; 2 negative tests
# lock: slurm-a
# waits: for slurmctld and slurmdbd
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd slurmdbd sacctmgr mariadbd munged mariadb-dump logrotate promtool python3 shellcheck
compile_spec slurm-care
for file in "$out"/slurm/*.sh; do shellcheck -S style "$file" || fail "shellcheck does not like ${file##*/}"; done
role=$src/templates/ansible/roles/slurm
run=$work/run scratch=/var/tmp/clusterc-scratch
trap '"$src/tests/virtual-slurm/down" "$run"; rm -rf $scratch' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run" --users "ada grace" --owner $$ --wait 150
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
ctl() { timeout 60 "$run/as" ctl1 "$@"; }
shown() { ctl scontrol show config | sed -n "s/^$1 *= //p"; }
equal "RebootProgram" "$(shown RebootProgram)" /sbin/reboot
equal "ResumeTimeout" "$(shown ResumeTimeout)" "1200 sec"
equal "LaunchParameters" "$(shown LaunchParameters)" use_interactive_step
equal "UnkillableStepTimeout" "$(shown UnkillableStepTimeout)" "180 sec"
ctl /etc/slurm/accounts.sh > "$work/accounts.log" 2>&1 || fail "accounts.sh: $(tail -3 "$work/accounts.log")"

# ---- a job: the folder that its prolog made is its TMPDIR; one that the user chose stays -----------------------------------------------------------
chmod 755 "$work"
install -d -m 777 "$work/jobs"
job() { ctl setpriv --reuid=ada --regid=100 --clear-groups env -C / "$@" sbatch --parsable --wait -A physics -N1 --output=/dev/null \
  --wrap="echo \$TMPDIR \$(stat -c '%U %a' \$TMPDIR) > $work/jobs/out; scontrol show job \$SLURM_JOB_ID | tr ' ' '\n' | grep ^TimeLimit >> $work/jobs/out"; }
id=$(job TMPDIR=/tmp) || fail "a job"
equal "TMPDIR, its owner and mode, and the limit of a job that requests none" "$(sed "s/ UNKNOWN 700$/ ada 700/" "$work/jobs/out" | tr '\n' ' ')" "$scratch/$id ada 700 TimeLimit=00:20:00 "
job TMPDIR="$work/jobs" > /dev/null || fail "a second job"
equal "TMPDIR that the user chose" "$(cut -d' ' -f1 "$work/jobs/out" | head -1)" "$work/jobs"
equal "folders that jobs left" "$(ls $scratch)" ""

# ---- what teams use: 3 and 4 of 16 GPUs, a job beyond the quota of 6, one that waits for its time, and a node that is drained ------------------------------------
as_user() { ctl setpriv --reuid="$1" --regid=100 --clear-groups env -C / sbatch --parsable -A "$2" -p gpu -N1 "${@:3}" --output=/dev/null --wrap='sleep 300'; }
ids=$(as_user ada physics -w n1 --gres=gpu:3 && as_user grace nlp -w n2 --gres=gpu:4 && as_user grace nlp --gres=gpu:4 && as_user ada nlp --gres=gpu:1 --begin=now+1hour) || fail "jobs of teams"
for _ in $(seq 40); do [ "$(ctl squeue -h -t R | wc -l)" = 2 ] && break; sleep 0.5; done
ctl scontrol update nodename=n4 state=drain reason=test
ctl sh "$out/slurm/team-usage.sh" --metrics "$work/jobs/teams.prom" || fail "team-usage.sh --metrics"
promtool check metrics < "$work/jobs/teams.prom" > "$work/metrics.log" 2>&1 || { cat "$work/metrics.log" "$work/jobs/teams.prom" >&2; fail "promtool does not take the metrics"; }
metric() { sed -n "s/^cluster_$1//p" "$work/jobs/teams.prom" | tr '\n' ' '; }
equal "GPUs" "$(metric gpus)" '{state="allocated"} 7 {state="idle"} 5 {state="unavailable"} 4 '
equal "GPUs of teams" "$(metric team_gpus_allocated)" '{team="nlp"} 4 {team="physics"} 3 '
equal "GPUs that teams wait for" "$(metric team_gpus_waiting)" '{team="nlp"} 4 {team="physics"} 0 '
equal "jobs that wait" "$(metric team_jobs_waiting)" '{team="nlp"} 1 {team="physics"} 0 '
for _ in $(seq 40); do   # slurmctld tells slurmdbd of jobs a moment later
  ctl sh "$out/slurm/team-usage.sh" 1 > "$work/usage" || fail "team-usage.sh"
  [ "$(grep -cE '^(physics|nlp) ' "$work/usage")" -ge 2 ] && break
  sleep 0.5
done
equal "teams of the report" "$(awk '$1 == "physics" || $1 == "nlp" { print $1 }' "$work/usage" | sort | tr '\n' ' ')" "nlp physics "
equal "GPUs of the report" "$(grep "^GPUs now" "$work/usage")" "GPUs now: 7 allocated, 5 idle, 4 on nodes that are down or drained"
for id in $ids; do ctl scancel "$id"; done
ctl scontrol update nodename=n4 state=resume

# By hand: physics 4 GPUs x 3600 s + 2 x 1800 s = 5 GPU hours and 8 x 3600 s + 2 x 1800 s = 9 CPU hours, waits of 60 s and 0 s; nlp 10 x 1800 s = 5 GPU hours, and a
# job that has not started
mkdir -p "$work/made-up"
now=$(date +%s)
printf '#!/bin/sh\nprintf "%%s\\n" "physics|billing=8,cpu=8,gres/gpu:l40s=4,gres/gpu=4|3600|8|%s|%s" "physics|cpu=2,gres/gpu=2|1800|2|%s|%s" "nlp|cpu=20,gres/gpu=10|1800|20|%s|%s" "nlp||0|0|%s|Unknown"\n' \
  $((now - 5060)) $((now - 5000)) $((now - 3000)) $((now - 3000)) $((now - 4000)) $((now - 3990)) "$now" > "$work/made-up/sacct"
printf '#!/bin/sh\necho "a|idle|gpu:l40s:4(S:0-1),shard:8|gpu:l40s:1(IDX:0)|"\necho "a|idle|gpu:l40s:4|gpu:l40s:1|"\necho "b|down*|gpu:8|gpu:0|"\n' > "$work/made-up/sinfo"
chmod +x "$work"/made-up/*
PATH=$work/made-up:$PATH sh "$out/slurm/team-usage.sh" 1 > "$work/usage" || fail "team-usage.sh of made-up jobs"
equal "by hand" "$(tr -s ' ' < "$work/usage" | sed '1,2d' | sort | tr '\n' ';')" "GPUs now: 1 allocated, 3 idle, 8 on nodes that are down or drained;nlp 1 5.00 50.0 % 10.00 10 s 10 s;physics 2 5.00 50.0 % 9.00 30 s 60 s;"

# ---- copies, and back ---------------------------------------------------------------------------------------------------------------------------------
sed "s|^folder=|export PATH=/usr/sbin:\$PATH\n&|" "$role/files/cluster-slurm-backup" > "$work/backup"
shellcheck "$role/files/cluster-slurm-backup" || fail "shellcheck does not like cluster-slurm-backup"
ctl sh "$work/backup" "$work/copies" 30 > "$work/backup.log" 2>&1 || fail "cluster-slurm-backup: $(cat "$work/backup.log")"
equal "mode of the copies" "$(stat -c %a "$work"/copies/* | sort -u)" 600
equal "users in the copy of the accounts" "$(zcat "$work"/copies/accounts-*.sql.gz | grep -o "'ada'\|'grace'" | sort -u | tr '\n' ' ')" "'ada' 'grace' "
tar -tzf "$work"/copies/state-*.tar.gz | grep -q "/node_state$" || fail "no state of nodes in the copy"
say "the copy of the state has node_state"
sql() { mariadb --no-defaults --socket="$run/db/mysqld.sock" "$@"; }
sql -e "DROP DATABASE slurm_acct_db"
zcat "$work"/copies/accounts-*.sql.gz | sql || fail "the copy of the accounts is not read"
equal "users after the copy was read back" "$(sql -N -e "SELECT DISTINCT user FROM slurm_acct_db.cared_assoc_table WHERE user <> '' AND user <> 'root' ORDER BY user" | tr '\n' ' ')" "ada grace "
touch -d "40 days ago" "$work/copies/accounts-2020-01-01T033000.sql.gz" "$work/copies/notes"
# negative test: the database is gone; the old copy stays, because no new one replaces it
sql -e "DROP DATABASE slurm_acct_db"
ctl sh "$work/backup" "$work/copies" 30 > "$work/backup.log" 2>&1 && fail "a database that is gone is copied"
[ -e "$work/copies/accounts-2020-01-01T033000.sql.gz" ] || fail "an old copy was removed although there is no new one"
equal "parts of copies that are left" "$(find "$work/copies" -name '*.part' -o -name '*.plain')" ""
zcat "$work"/copies/accounts-20[2-9][1-9]*.sql.gz | sql
ctl sh "$work/backup" "$work/copies" 30 > "$work/backup.log" 2>&1 || fail "cluster-slurm-backup, again: $(cat "$work/backup.log")"
[ ! -e "$work/copies/accounts-2020-01-01T033000.sql.gz" ] && [ -e "$work/copies/notes" ] || fail "old copies: $(ls "$work/copies")"
say "an old copy is removed once there is a new one, and no other file"
# negative test: no database here and no state: nothing is copied, so nothing expires
mkdir -p "$work/elsewhere"
printf 'StorageHost=db.example.org\nStorageLoc=slurm_acct_db\n' > "$work/elsewhere/slurmdbd.conf"
printf 'StateSaveLocation=/nonexistent/state\n' > "$work/elsewhere/slurm.conf"
touch -d "40 days ago" "$work/copies/accounts-2020-01-01T033000.sql.gz" "$work/copies/state-2020-01-01T033000.tar.gz"
ctl env SLURM_CONF_DIR="$work/elsewhere" sh "$work/backup" "$work/copies" 30 > "$work/backup.log" 2>&1 && fail "nothing was copied, and cluster-slurm-backup ends well"
grep -q "nothing to copy" "$work/backup.log" || fail "cluster-slurm-backup does not say that there is nothing to copy: $(cat "$work/backup.log")"
[ -e "$work/copies/accounts-2020-01-01T033000.sql.gz" ] && [ -e "$work/copies/state-2020-01-01T033000.tar.gz" ] || fail "copies expired although none were made"
rm "$work"/copies/*-2020-01-01T033000.*
say "copies stay where nothing is copied"

# ---- logs -----------------------------------------------------------------------------------------------------------------------------------------------
cp "$role/files/logrotate" "$work/logrotate" && chmod 644 "$work/logrotate"
logrotate --debug --state "$work/logrotate.state" "$work/logrotate" > "$work/logrotate.log" 2>&1 || fail "logrotate: $(tail -3 "$work/logrotate.log")"
grep -q "^error" "$work/logrotate.log" && fail "logrotate: $(grep ^error "$work/logrotate.log")"
equal "logs that logrotate knows" "$(grep -c "^considering log /var/log/slurm/" "$work/logrotate.log")" 3
