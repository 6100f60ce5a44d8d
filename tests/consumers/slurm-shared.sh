#!/usr/bin/env bash
# output slurm: slurmdbd with MariaDB, slurmctld, four slurmd and srun 22.05 (Debian 12) as virtual nodes: GPUs in shards that jobs share, whole ones beside them, a quota that counts both; reservations as scontrol shows them, who may use them, and a second run that makes nothing; 4 negative tests
# tests/consumers/specs/slurm-shared.yaml, where the figures are worked out by hand.
# lock: slurm-b
# waits: for slurmctld
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd slurmdbd sacctmgr mariadbd munged srun setpriv python3 shellcheck
compile_spec slurm-shared
shellcheck -S style "$out"/slurm/*.sh || fail "shellcheck does not like a script"
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run" --users "ada grace" --owner $$
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
errors=$(slurm_complaints "$run/log/slurmctld.log" "$run"/log/n1.log "$run"/log/b1.log)
[ -z "$errors" ] || fail "a daemon complains: $errors"
ctl() { timeout 60 "$run/enter" "$@"; }
as_user() { local user=$1; shift; ctl setpriv --reuid="$user" --regid=100 --clear-groups env -C / "$@"; }
batch() { local user=$1; shift; as_user "$user" sbatch --parsable --output=/dev/null "$@" --wrap="sleep 300"; }
field() { ctl scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -1; }
# wait_for WHAT COMMAND WANTED
wait_for() {
  local until=$((SECONDS + 80)) got
  while [ $SECONDS -le $until ]; do
    got=$(eval "$2")
    [ "$got" = "$3" ] && { say "$1: $got"; return; }
    sleep 0.2
  done
  fail "$1 is '$got' after 80 s, expected '$3'"
}

# ---- shards ---------------------------------------------------------------------------------------------------------------------------
equal "a node that shares its GPUs" "$(ctl scontrol show node n1 -o | grep -o ' Gres=[^ ]*')" " Gres=gpu:l40s:4(S:0-1),shard:l40s:12(S:0-1)"
equal "a node that does not" "$(ctl scontrol show node b1 -o | grep -o ' Gres=[^ ]*')" " Gres=gpu:l40s:4(S:0-1)"
"$run/as" n1 slurmd -N n1 -G > "$work/gres.log" 2>&1
equal "slurmd gives each GPU its shards" "$(grep -o 'Gres Name=shard .*' "$work/gres.log" | sed 's/.*Count=\([0-9]*\).*nvidia\([0-9]\) .*/\2:\1/' | sort | tr '\n' ' ')" "0:3 1:3 2:3 3:3 "
ctl /etc/slurm/accounts.sh > "$work/accounts.log" 2>&1 || fail "accounts.sh: $(tail -3 "$work/accounts.log")"
equal "quota of physics: 3 GPUs in 3 shards" "$(ctl sacctmgr -nP list qos where name=physics.gpu format=grptres)" "billing=9"

# five jobs of one shard each on a node with four GPUs: two of them are on the same
jobs=
for _ in 1 2 3 4 5; do jobs="$jobs $(batch ada -A physics -p gpu -n1 --mem=100 -w n1 --gres=shard:1)"; done
running() { for j in $jobs; do field "$j" JobState; done | sort | uniq -c | tr -s ' '; }
wait_for "five jobs with a shard" running " 5 RUNNING"
on() { for j in $jobs; do ctl scontrol -d show job "$j" | grep -o 'GRES=shard:[^ ]*(IDX:[0-9])'; done; }
equal "devices of five jobs" "$(on | wc -l), two on one: $([ "$(on | sort -u | wc -l)" -lt 5 ] && echo yes)" "5, two on one: yes"
# 5 shards are in use; a whole GPU is 3 more of the 9
whole=$(batch ada -A physics -p gpu -n1 --mem=100 -w n2 --gres=gpu:1)
wait_for "a whole GPU beside them" 'field $whole JobState' RUNNING
equal "it weighs as much as its shards" "$(field "$whole" TRES | grep -o 'billing=[0-9]*')" "billing=3"
over=$(batch ada -A physics -p gpu -n1 --mem=100 -w n2 --gres=shard:2)
wait_for "two shards more, the tenth among them" 'echo $(field $over JobState) $(field $over Reason)' "PENDING QOSGrpBilling"
ctl scancel "${jobs##* }"
wait_for "when one of the five has ended" 'field $over JobState' RUNNING
ctl scancel --user=ada
wait_for "jobs left" 'ctl squeue -h | wc -l' 0

# ---- reservations -----------------------------------------------------------------------------------------------------------------------
ctl /etc/slurm/reservations.sh > "$work/reservations.log" 2>&1 || fail "reservations.sh: $(tail -3 "$work/reservations.log")"
ctl scontrol show reservation -o | sort > "$work/reservations"
shown() { grep "^ReservationName=$1 " "$work/reservations" | tr ' ' '\n' | sed -n "s/^$2=//p"; }
equal "reservations" "$(sed 's/ .*//; s/.*=//' "$work/reservations" | tr '\n' ' ')" "course now service "
equal "course" "$(shown course StartTime) $(shown course EndTime) $(shown course Nodes) $(shown course Accounts) $(shown course Flags | tr ',' '\n' | grep -x WEEKLY)" "2099-03-02T09:00:00 2099-03-02T12:00:00 n[1-2] physics WEEKLY"
equal "service" "$(shown service StartTime) $(shown service EndTime) $(shown service Nodes) $(shown service Users) $(shown service Flags | tr ',' '\n' | grep -c '^MAINT$\|^IGNORE_JOBS$')" "2099-12-30T22:00:30 2099-12-31T02:00:30 b[1-2],n[1-2] root 2"
# `now` began in 2020 and comes every day: the next 23:00, for two hours
next=$(date -d "today 23:00" +%s)
[ "$next" -gt "$(date +%s)" ] || next=$(date -d "tomorrow 23:00" +%s)
equal "now" "$(shown now StartTime) $(shown now Duration) $(shown now Users) $(shown now Nodes) $(shown now Flags | grep -o DAILY)" "$(date -d "@$next" +%Y-%m-%dT%H:%M:%S) 02:00:00 ada,grace b2 DAILY"
ctl /etc/slurm/reservations.sh > "$work/reservations.log" 2>&1 || fail "reservations.sh, a second time: $(tail -3 "$work/reservations.log")"
ctl scontrol show reservation -o | sort | cmp - "$work/reservations" || fail "a second run changes reservations"
[ ! -s "$work/reservations.log" ] || fail "a second run says $(cat "$work/reservations.log")"
say "a second run makes nothing"
mine=$(batch ada -A physics -p gpu -n1 --reservation=course)
wait_for "physics asks for its course" 'echo $(field $mine JobState) $(field $mine Reason)' "PENDING Reservation"
as_user grace sbatch -A nlp -p gpu -n1 --reservation=course --wrap=true > "$work/stranger.log" 2>&1 && fail "nlp may use what is reserved for physics"
say "nlp is refused: $(tail -1 "$work/stranger.log")"

# one that is under way: it begins now, and ends when it would have
sed "s/^reservation over .*/reservation over $(date -d '-1 hour' +%Y-%m-%dT%H:%M:%S) $(date -d '+1 hour' +%Y-%m-%dT%H:%M:%S) 0 Nodes=b1 Users=ada/" "$out/slurm/reservations.sh" > "$work/under-way.sh"
ends=$(sed -n 's/^reservation over [^ ]* \([^ ]*\) .*/\1/p' "$work/under-way.sh")
ctl sh "$work/under-way.sh" > "$work/reservations.log" 2>&1 || fail "a reservation that is under way: $(cat "$work/reservations.log")"
ctl scontrol show reservation -o over > "$work/reservations"
equal "a reservation that is under way" "$(shown over EndTime) $(shown over State)" "$ends ACTIVE"

# ---- broken twins -------------------------------------------------------------------------------------------------------------------------
refused() {   # NAME SED-EXPRESSION PATTERN
  sed "$2" "$out/slurm/reservations.sh" > "$work/$1.sh"
  cmp -s "$work/$1.sh" "$out/slurm/reservations.sh" && fail "the broken twin $1 is not broken"
  ctl scontrol delete reservation course > /dev/null 2>&1
  ctl scancel "$mine"
  ctl sh "$work/$1.sh" > "$work/$1.log" 2>&1 && fail "broken twin $1 was accepted"
  grep -q "$3" "$work/$1.log" || fail "broken twin $1: $(cat "$work/$1.log")"
  say "broken twin $1 is refused: $(grep -m1 "$3" "$work/$1.log")"
}
ctl scancel "$mine"
refused unknown-user '/^reservation course/s/Accounts=physics/Users=nobody-at-all/' "nvalid user"
refused unknown-account '/^reservation course/s/Accounts=physics/Accounts=physik/' "nvalid account\|nvalid bank account"
refused unknown-nodes '/^reservation course/s/n\[1-2\]/n[1-3]/' "nvalid node"
# ten shards do not divide among four GPUs as slurmctld counts them: slurmd of a node says so
cp -r "$run/etc" "$work/twin" && sed -i 's/Name=shard Count=12/Name=shard Count=12 File=\/dev\/null/' "$work/twin/gres.conf"
SLURM_CONF=$work/twin/slurm.conf slurmd -N n1 -G > "$work/twin.log" 2>&1
grep -qE "error|fatal" "$work/twin.log" || fail "shards of a device that is no GPU are taken"
say "broken twin shards of no GPU is refused: $(grep -m1 -oE '(error|fatal).*' "$work/twin.log")"
