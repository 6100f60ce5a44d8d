#!/usr/bin/env bash
# output slurm: the compiled health check of a node with eight GPUs and eight InfiniBand ports, run in a namespace of fakes: each thing that may be missing is said; what hangs, several at a time, ends it in time and is drained; processes that cannot be killed do not pile up; whom it drains, whom it resumes; the plays' cluster-health is the same program
# Fakes: files of /sys/class, /proc/meminfo and /dev of a healthy node, and programs that come first in PATH.
# waits: 18 s of CPU time in two minutes
. "$(dirname "$0")/lib/common.bash" "$@"
need unshare flock timeout shellcheck
compile_spec health-check
for file in "$out"/slurm/*.sh "$out"/slurm/nodes/*.sh "$out"/ansible/health/*.sh; do shellcheck -S style "$file" || fail "shellcheck does not like $file"; done
cmp <(grep -v '^# \(made by\|accepted\)' "$out/slurm/healthcheck.sh") <(grep -v '^# \(made by\|accepted\)' "$out/ansible/roles/health_check/files/healthcheck.sh") || fail "Slurm's check and that of the plays differ"
# What the plays look for is what Slurm looks for, and slurmd besides; Slurm's has the device files besides.
equal "looks of the plays alone" "$(comm -13 <(grep -v '^#' "$out/slurm/nodes/h100.sh" | sort) <(grep -v '^#' "$out/ansible/health/h100.sh" | sort) | tr '\n' ';')" "daemon slurmd slurmd;"
equal "looks of Slurm alone" "$(comm -23 <(grep -v '^#' "$out/slurm/nodes/h100.sh" | sort) <(grep -v '^#' "$out/ansible/health/h100.sh" | sort) | grep -v '^gpu_device ' | tr '\n' ';')" ""

# ---- a healthy node ----------------------------------------------------------------------------------------------------------------------
make_node() {
  rm -rf "$work/node"
  mkdir -p "$work"/node/{etc,run,bin,dev,class/net/data1,class/infiniband}
  cp "$out/slurm/healthcheck.sh" "$out/slurm/prolog.sh" "$work/node/etc/"
  cp "$out/slurm/nodes/h100.sh" "$work/node/etc/node.sh"
  echo up > "$work/node/class/net/data1/operstate"
  for n in 0 1 2 3 4 5 6 7; do
    at=$work/node/class/infiniband/mlx5_$n/ports/1
    mkdir -p "$at"
    echo InfiniBand > "$at/link_layer"; echo "4: ACTIVE" > "$at/state"; echo "400 Gb/sec (4X NDR)" > "$at/rate"
    : > "$work/node/dev/nvidia$n"
  done
  echo "MemTotal:       2100000000 kB" > "$work/node/meminfo"
  program nvidia-smi <<'END'
case "$*" in
  *driver_version*) yes 580.95.05 | head -8 ;;
  *mig.mode*) yes Disabled | head -8 ;;
  -q) for n in 0 1 2 3 4 5 6 7; do printf '    Fabric\n        State                             : Completed\n        Status                            : Success\n    Processes                             : None\n'; done ;;
  *) seq 0 7 ;;
esac
END
  program systemctl <<'END'
grep -qsx "$2" /mnt/stopped && { echo inactive; exit 3; }
echo active
END
  program mountpoint <<'END'
grep -qsxF "$2" /mnt/hanging && exec sleep 1000
if grep -qsxF "$2" /mnt/gone; then exit 32; fi
exit 0
END
  # slurmctld: /mnt/state and /mnt/reason
  program scontrol <<'END'
echo "$*" >> /mnt/said
[ -e /mnt/mute ] && exec sleep 1000
case $1 in
  show) echo "NodeName=h1"; echo "   State=$(cat /mnt/state) ThreadsPerCore=2"; [ -s /mnt/reason ] && echo "   Reason=$(cat /mnt/reason) [root@2026-11-25T10:00:00]"; exit 0 ;;
  update)
    for word in "$@"; do
      case $word in
        state=drain) echo IDLE+DRAIN > /mnt/state ;;
        state=resume) echo IDLE > /mnt/state; : > /mnt/reason ;;
        reason=*) echo "${word#reason=}" > /mnt/reason ;;
      esac
    done ;;
esac
END
  mkdir -p "$work/node/fakes" && echo IDLE > "$work/node/fakes/state" && : > "$work/node/fakes/reason"
}
program() { { echo '#!/bin/sh'; cat; } > "$work/node/bin/$1"; chmod +x "$work/node/bin/$1"; }
make_node
cat > "$work/inside" <<'END'
node=$1; shift
mount --bind "$node/fakes" /mnt && mount --bind "$node/etc" /etc/slurm && mount -t tmpfs tmpfs /dev/shm && mount --bind "$node/class" /sys/class &&
  mount --bind "$node/meminfo" /proc/meminfo && mkdir -p /run/cluster-health && mount --bind "$node/run" /run/cluster-health || exit 99
for device in null zero random urandom; do touch "$node/dev/$device" && mount --bind "/dev/$device" "$node/dev/$device" || exit 99; done
mkdir -p "$node/dev/shm" && mount --rbind "$node/dev" /dev || exit 99
export SLURMD_NODENAME=h1 PATH=$node/bin:$PATH
exec "$@"
END
mkdir -p /etc/slurm /run/cluster-health /mnt
on_node() { unshare -m --propagation private bash "$work/inside" "$work/node" "$@"; }
on_node true || cannot "no mount namespace can be made here"
check() { on_node timeout -s KILL 60 sh /etc/slurm/healthcheck.sh "$@"; }
fakes() { cat "$work/node/fakes/$1"; }
said() { check --check 2>&1 | sed 's/^h1: //' | tr '\n' ';'; }
equal "a healthy node" "$(said)" ""
check --check || fail "the check of a healthy node ends with $?"

# ---- each thing that may be missing ------------------------------------------------------------------------------------------------------------
# missing WHAT COMMAND WANTED: breaks the node, reads what the check says, and makes it whole
missing() {
  (cd "$work/node" && eval "$2") || fail "'$2'"
  equal "$1" "$(said)" "$3"
  check --check 2> /dev/null && fail "the check ends with 0: $1"
  make_node
}
ib=class/infiniband
missing "no fabric manager" 'echo nvidia-fabricmanager > fakes/stopped' "nvidia-fabricmanager does not run;"
missing "no fabric manager, where no systemd runs" 'printf "#!/bin/sh\nexit 1\n" > bin/systemctl' "nvidia-fabricmanager does not run;$(grep -qx munged /proc/[0-9]*/comm 2> /dev/null || echo 'munge does not run;')"
missing "no munge" 'echo munge > fakes/stopped' "munge does not run;"
missing "a GPU that the fabric manager has not registered" 'sed -i "s/for n in 0 1 2 3 4 5 6 7; do/& [ \$n = 3 ] \&\& { printf \"    Fabric\\\\n        State : In Progress\\\\n        Status : N\/A\\\\n\"; continue; };/" bin/nvidia-smi' "GPUs outside the NVLink fabric: 1 In Progress;"
missing "no InfiniBand" 'rm -r $ib; mkdir $ib' "0 of 8 InfiniBand ports active at 400 Gb/s;"
missing "an InfiniBand port that is down" 'echo "1: DOWN" > $ib/mlx5_3/ports/1/state' "7 of 8 InfiniBand ports active at 400 Gb/s, mlx5_3 port 1 DOWN 400 Gb/s;"
missing "an InfiniBand port at half the rate" 'echo "200 Gb/sec (2X NDR)" > $ib/mlx5_5/ports/1/rate' "7 of 8 InfiniBand ports active at 400 Gb/s, mlx5_5 port 1 ACTIVE 200 Gb/s;"
missing "an Ethernet port in the place of one of InfiniBand" 'echo Ethernet > $ib/mlx5_0/ports/1/link_layer' "7 of 8 InfiniBand ports active at 400 Gb/s;"
missing "a NIC that is down" 'echo down > class/net/data1/operstate' "link data1 is not up;"
missing "a NIC that is not there" 'rm -r class/net/data1' "link data1 is not up;"
missing "a device file" 'rm dev/nvidia5' "/dev/nvidia5 is missing;"
missing "a GPU that does not answer" 'sed -i "s/seq 0 7/seq 0 6/" bin/nvidia-smi' "7 of 8 GPUs answer;"
missing "another driver" 'sed -i s/580.95.05/570.86.15/ bin/nvidia-smi' "GPU driver '570.86.15' and not 580;"
missing "MIG that nobody asked for" 'sed -i "s/yes Disabled/yes Enabled/" bin/nvidia-smi' "MIG is on, and not asked for: cluster-mig off, or nvidia-smi -mig 0;"
missing "memory" 'echo "MemTotal: 1900000000 kB" > meminfo' "$((1900000000 / 1024)) MiB of memory, $(sed -n 's/^memory //p' "$out/slurm/nodes/h100.sh") at least;"
missing "a file system that is not mounted" 'echo /work > fakes/gone' "/work is not mounted;"
missing "node.sh" 'rm etc/node.sh' "/etc/slurm/node.sh is missing;"
missing "several things" 'echo munge > fakes/stopped; echo /work > fakes/gone; rm dev/nvidia0' "/dev/nvidia0 is missing;munge does not run;/work is not mounted;"

# ---- three file servers, the driver, systemd and slurmctld hang: Slurm kills the check after 60 s --------------------------------------------------
printf '/home\n/opt/apps\n/work\n' > "$work/node/fakes/hanging"
begin=$(date +%s)
check || fail "three file servers that are gone: the check ends with $?"
took=$(($(date +%s) - begin))
[ $took -lt 55 ] || fail "three file servers that are gone: the check takes $took s"
equal "three file servers that are gone, after less than 55 s" "$(fakes state) $(fakes reason)" "IDLE+DRAIN health: /home does not answer; /opt/apps does not answer; /work does not answer"
make_node
printf '/home\n/opt/apps\n/work\n' > "$work/node/fakes/hanging"
for name in nvidia-smi systemctl stat ibstat; do printf '#!/bin/sh\nexec sleep 1000\n' > "$work/node/bin/$name"; chmod +x "$work/node/bin/$name"; done
begin=$(date +%s)
check || fail "all that can hang hangs: the check ends with $?"
took=$(($(date +%s) - begin))
[ $took -lt 55 ] || fail "all that can hang hangs: the check takes $took s"
equal "all that can hang hangs, after less than 55 s" "$(fakes state) $(fakes reason)" "IDLE+DRAIN health: GPUs do not answer; the GPU driver does not answer; the MIG mode of GPUs is not known; and 6 more"
make_node
touch "$work/node/fakes/mute"; echo /work > "$work/node/fakes/gone"
begin=$(date +%s)
check
took=$(($(date +%s) - begin))
[ $took -lt 55 ] || fail "slurmctld hangs: the check takes $took s"
say "slurmctld hangs: the check ends after $took s"
make_node

# ---- who cannot be killed: a cgroup that is frozen keeps its processes even from SIGKILL, as state D does ---------------------------------------------
freezer=/sys/fs/cgroup/freezer/cv-health-$$
if mkdir "$freezer" 2> /dev/null; then
  thaw() { echo THAWED > "$freezer/freezer.state"; sleep 1; while read -r pid; do kill -9 "$pid" 2> /dev/null; done < "$freezer/tasks"; for _ in $(seq 50); do rmdir "$freezer" 2> /dev/null && break; sleep 0.1; done; }
  trap thaw EXIT
  echo FROZEN > "$freezer/freezer.state"
  printf '#!/bin/sh\necho $$ > %s/tasks\n' "$freezer" > "$work/node/bin/mountpoint"
  sed -i 's/^budget=30 /budget=3 /' "$work/node/etc/healthcheck.sh"
  for n in 1 2 3 4 5; do
    begin=$(date +%s)
    check
    took=$(($(date +%s) - begin))
    [ $took -lt 25 ] || fail "check $n waits $took s for who cannot be killed"
  done
  equal "after five checks of three such mounts" "$(grep -c . "$freezer/tasks") processes; $(fakes reason)" "3 processes; health: /home does not answer; /opt/apps does not answer; /work does not answer"
  thaw
  trap - EXIT
  cp "$out/slurm/healthcheck.sh" "$work/node/etc/"
  make_node_mounts() { program mountpoint <<< 'exit 0'; }
  make_node_mounts
  check
  equal "when they answer" "$(fakes state)" IDLE
else
  say "not shown here, without a freezer of cgroup v1: processes that cannot be killed"
fi
make_node

# ---- many checks at once, as when jobs of one node end together: none takes another's wait for a fault -------------------------------------------------
sed -i '1a sleep 2' "$work/node/bin/nvidia-smi"
cat > "$work/node/bin/many" <<'END'
#!/bin/sh
n=0
while [ $n -lt 20 ]; do n=$((n + 1)); { sh /etc/slurm/healthcheck.sh --check > /mnt/many.$n 2>&1 || echo "ends with 1" >> /mnt/many.$n; } & done
wait
END
chmod +x "$work/node/bin/many"
on_node many
equal "twenty checks at once, of a driver that takes 2 s" "$(cat "$work"/node/fakes/many.*)" ""
make_node

# ---- whom it drains, and whom it resumes ------------------------------------------------------------------------------------------------------------------
slurm() { echo "$1" > "$work/node/fakes/state"; echo "$2" > "$work/node/fakes/reason"; }
has() { echo "$(fakes state) $(fakes reason)"; }
lose() { echo /work > "$work/node/fakes/gone"; check; }
mend() { rm -f "$work/node/fakes/gone"; check; }
lose; equal "a fault drains" "$(has)" "IDLE+DRAIN health: /work is not mounted"
mend; equal "what is whole again is resumed" "$(has)" "IDLE "
slurm IDLE+DRAIN "new memory"
lose; equal "drained by hand, then a fault" "$(has)" "IDLE+DRAIN new memory"
mend; equal "drained by hand, then mended" "$(has)" "IDLE+DRAIN new memory"
slurm IDLE ""; lose; slurm IDLE+DRAIN "ask Eve"
mend; equal "a fault, then drained by hand, then mended" "$(has)" "IDLE+DRAIN ask Eve"
slurm IDLE ""; lose; slurm IDLE+DRAIN "health: /work is not mounted; ticket 7"
mend; mend; equal "a fault, whose reason somebody wrote on, then mended" "$(has)" "IDLE+DRAIN health: /work is not mounted; ticket 7"
make_node; lose; rm -rf "${work:?}"/node/run/*   # a start of the machine
mend; equal "a fault, then a start that mends it" "$(has)" "IDLE "
slurm DOWN "Not responding"; lose; equal "down for another reason" "$(has)" "DOWN Not responding"
slurm IDLE "look at its fan"; lose; equal "in service, with a note" "$(has)" "IDLE+DRAIN health: /work is not mounted"
make_node; slurm IDLE+DRAIN spare; lose; mend; equal "a spare" "$(has)" "IDLE+DRAIN spare"
# the prolog
prolog() { on_node env SLURM_JOB_ID=7 SLURM_JOB_UID=0 sh /etc/slurm/prolog.sh; }
make_node; prolog || fail "the prolog stops a job of a healthy node"
echo /work > "$work/node/fakes/gone"
prolog 2> "$work/prolog" && fail "the prolog lets a job onto a broken node"
equal "the prolog says" "$(cat "$work/prolog")" "h1: /work is not mounted"
equal "the prolog drains, with the reason" "$(has)" "IDLE+DRAIN health: /work is not mounted"
slurm IDLE+DRAIN "Prolog error"   # as where slurmctld did not answer it
mend; equal "Slurm's reason for what the prolog found" "$(has)" "IDLE "
slurm IDLE+DRAIN "Prolog error"; mend; equal "Slurm's reason for another prolog" "$(has)" "IDLE+DRAIN Prolog error"
# Enroot's folders of the user, where every user can make one: what another user made is removed, what the user made stays
make_node; folders=$work/node/etc/enroot
mkdir -p "$folders" && sed -i 's|/etc/enroot/enroot.conf|/etc/slurm/enroot/enroot.conf|' "$work/node/etc/prolog.sh"
printf 'ENROOT_%s_PATH /etc/slurm/enroot/%s-$(id -u)\n' CACHE cache DATA data > "$folders/enroot.conf"; echo 'ENROOT_TEMP_PATH /etc/slurm/enroot' >> "$folders/enroot.conf"
mkdir "$folders/cache-2001" "$folders/data-2001" && : > "$folders/cache-2001/planted" && : > "$folders/data-2001/mine" && chown 2002 "$folders/cache-2001" && chown 2001 "$folders/data-2001"
on_node env SLURM_JOB_ID=7 SLURM_JOB_UID=2001 sh /etc/slurm/prolog.sh || fail "the prolog fails with Enroot's folders"
equal "Enroot's folders" "$(cd "$folders" && stat -c '%n %u %a' cache-2001 | tr '\n' ' '; ls -A "$folders/cache-2001" "$folders/data-2001" | tr '\n' ' ')" "cache-2001 2001 700 $folders/cache-2001:  $folders/data-2001: mine "
# scratch that takes no folder: the prolog fails for it, and so does the check, until it does
make_node
mkdir -p "$work/node/etc/scratch" && printf 'scratch /etc/slurm/scratch\n' > "$work/node/etc/node.sh"
prolog || fail "the prolog makes no scratch"
[ -d "$work/node/etc/scratch/7" ] || fail "the prolog makes no scratch"
rm -r "$work/node/etc/scratch" && : > "$work/node/etc/scratch"
prolog 2> /dev/null && fail "a job without its scratch"
equal "no scratch" "$(has)" "IDLE+DRAIN health: no folder can be made in /etc/slurm/scratch"
rm "$work/node/etc/scratch"; mkdir "$work/node/etc/scratch"
check; equal "scratch again" "$(has)" "IDLE "
