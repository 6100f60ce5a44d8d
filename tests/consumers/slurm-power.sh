#!/usr/bin/env bash
# output slurm: power saving: slurmctld 22.05 (Debian 12) with own nodes and instances: a job starts the instances it needs by ResumeProgram, SuspendProgram ends them, own nodes are in no call; the compiled resume.sh and suspend.sh with the AWS command line 2.9, whose own model of EC2 judges every argument, without a call to AWS; 6 negative tests
# packages: awscli
# lock: slurm-a
# waits: for slurmctld
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged python3 shellcheck aws
compile_case slurm-power
shellcheck -s sh "$out"/slurm/power/*.sh || fail "shellcheck does not like a program"
compile_spec burst
shellcheck -s sh "$out"/slurm/power/*.sh || fail "shellcheck does not like a program"
power=$out/slurm/power

# ---- the programs, with the real command line: it checks what it is told against the model of EC2, and sends nothing -----------------------------
mkdir -p "$work/bin"
real=$(command -v aws)
cat > "$work/bin/aws" << SH
#!/bin/sh
for a; do printf '%s\n' "\$a"; done >> "$work/told"
echo -- >> "$work/told"
case "\$*" in
  *describe-instances*) "$real" "\$@" --generate-cli-skeleton output > "$work/answer" || exit; echo i-0123456789abcdef0 ;;
  *) exec "$real" "\$@" --generate-cli-skeleton output ;;
esac
SH
printf '#!/bin/sh\n[ "$1 $2" = "show hostnames" ] || exit 1\nfor n in 1 3; do echo "b$n"; done\n' > "$work/bin/scontrol"
printf '#!/bin/sh\n' > "$work/bin/logger"
chmod +x "$work"/bin/*
program() { : > "$work/told"; AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x HOME=$work PATH=$work/bin:$PATH sh "$@" > "$work/said" 2>&1; }
program "$power/resume.sh" "b[1,3]" || { cat "$work/said" >&2; fail "resume.sh"; }
equal "instances" "$(grep -A1 -x -e --private-ip-address "$work/told" | grep -v '^--' | tr '\n' ' ')" "$(for n in b1 b3; do awk -v n=$n '{ for (i = 2; i <= NF; ++i) if ($i == n) { printf "%s ", $1; exit } }' "$out/hosts/hosts"; done)"
equal "spot" "$(grep -c '^--instance-market-options=MarketType=spot$' "$work/told")" 2
equal "names" "$(grep -o 'Key=Name,Value=b[0-9]' "$work/told" | tr '\n' ' ')" "Key=Name,Value=b1 Key=Name,Value=b3 "
program "$power/suspend.sh" "b[1,3]" || { cat "$work/said" >&2; fail "suspend.sh"; }
equal "ended" "$(grep -c '^i-0123456789abcdef0$' "$work/told")" 2
# twins: an option that EC2 does not have, a market of another name, an option of a type that is wrong, and a node that is none
for how in 's/--private-ip-address/--private-ip-adress/' 's/MarketType=spot/MarketTyp=spot/' 's/ResourceType=instance/Resource=instance/'; do
  sed "$how" "$power/resume.sh" > "$work/twin.sh" && cp "$power/nodes" "$work/nodes"
  cmp -s "$work/twin.sh" "$power/resume.sh" && fail "the twin $how is not broken"
  if program "$work/twin.sh" b1; then fail "the command line takes $how"; fi
  say "refused: $how: $(grep -v '^ *$' "$work/said" | grep -iE 'unknown|invalid|error' | head -1 | cut -c1-100)"
done
sed -i '/^b3 /d' "$work/nodes" && cp "$power/resume.sh" "$work/twin.sh"
if program "$work/twin.sh" "b[1,3]"; then fail "a node that is not in the table"; fi
equal "a node that is not in the table" "$(grep -c 'b3 is not in' "$work/said")" 1
printf '#!/bin/sh\nexit 1\n' > "$work/bin/scontrol"
for name in resume suspend; do
  if program "$power/$name.sh" "b[1,3]"; then fail "$name.sh ends with 0 where scontrol fails"; fi
  equal "$name.sh without scontrol" "$(wc -l < "$work/told") $(grep -c 'nothing was' "$work/said")" "0 1"
done

# ---- slurmctld -------------------------------------------------------------------------------------------------------------------------------------
# The programs are replaced by ones that note what they are told: the nodes are virtual ones of this machine
copy=$work/copy run=$work/run
cp -r "$out" "$copy"
mkdir -p "$work/power"
for p in resume suspend; do printf '#!/bin/sh\nprintf "%%s %%s\\n" %s "$1" >> %s/calls\n' "$p" "$work" > "$work/power/$p.sh"; done
chmod +x "$work"/power/*
sed -i "s,=/etc/slurm/power/,=$work/power/," "$copy/slurm/slurm.conf"
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
: > "$work/calls"
"$src/tests/virtual-slurm/up" "$copy" "$run" --controller-only --owner $$
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "slurmctld did not come up"
errors=$(slurm_complaints "$run/log/slurmctld.log")
[ -z "$errors" ] || fail "slurmctld complains: $errors"
ctl() { timeout 60 "$run/enter" "$@"; }
wait_for() {   # WHAT COMMAND WANTED
  local until=$((SECONDS + 60)) got
  while [ $SECONDS -le $until ]; do
    got=$(eval "$2")
    [ "$got" = "$3" ] && { say "$1: $got"; return; }
    sleep 0.2
  done
  fail "$1 is '$got' after 60 s, expected '$3'"
}
for key in SuspendTime=2 ResumeTimeout=60 SuspendTimeout=2 ResumeRate=40 SuspendRate=40 SuspendExcParts=own; do
  equal "${key%%=*}" "$(ctl scontrol show config | sed -n "s/^${key%%=*} *= \([^ ]*\).*/\1/p")" "${key#*=}"
done
# slurmctld shows instances only when they were started
equal "nodes that are shown" "$(ctl scontrol show node -o | sed -n 's/^NodeName=\([^ ]*\) .*/\1/p' | tr '\n' ' ')" "n1 n2 "
[ ! -s "$work/calls" ] || fail "a program was run before a job came: $(cat "$work/calls")"
job=$(ctl sbatch --parsable -p burst -N2 --exclusive --output=/dev/null --wrap="sleep 1") || fail "sbatch"
wait_for "what slurmctld starts" 'sort -u "$work/calls" | tr "\n" ";"' "resume b[1-2];"
wait_for "state of the job" 'ctl scontrol show job "$job" | sed -n "s/ *JobState=\([^ ]*\).*/\1/p"' CONFIGURING
equal "state of an instance" "$(ctl scontrol show node b1 -o | grep -o 'State=[^ ]*')" "State=ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP"
# a job of own nodes starts nothing
ctl sbatch --parsable -p own -N1 --output=/dev/null --wrap=true > /dev/null || fail "sbatch on own nodes"
ctl scancel "$job"
ctl scontrol update nodename="b[1-2]" state=power_down_force
wait_for "what slurmctld stops" 'grep ^suspend "$work/calls" | sort -u | head -1' "suspend b[1-2]"
equal "own nodes in a call" "$(grep -c ' n' "$work/calls")" 0
